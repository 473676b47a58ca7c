"""The tools: typed callables under the names of their maps.

A team writes::

    tools = Registry()

    @tools.tool("create_ticket")
    async def create_ticket(context: CallContext, project: str, title: str) -> dict[str, str]:
        ...

The first parameter is the call's context, the others are its arguments, by name. They arrive in
the types that are declared: a number as ``int`` or ``Decimal``, never through a binary float
unless ``float`` is what was asked for. A callable that is not async runs in a thread.

Errors::

    ToolFault         the tool's own: its message is safe for the person and for the model
    RegistryFault     a registration, or a place to load one from, that cannot be used

Whatever else a tool raises becomes a :class:`ToolFault` with one general sentence. The log gets
its type and where it was raised, without its message: that may hold an argument's value.
"""

import importlib
import inspect
import logging
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from app.calls.json_types import JsonObject, JsonValue
from app.tools.results import NotAResult, json_value, storable
from app.tools.signature import Signature, SignatureFault, UnfitArguments
from app.tools.threads import in_thread

log = logging.getLogger(__name__)

_GENERAL = "The tool had an internal error."
_UNFIT = "The tool cannot take these arguments."


class ToolFault(Exception):
    """The tool could not do it. The message is one plain sentence, safe for person and model."""

    def __init__(self, message: str) -> None:
        super().__init__(storable(message))


class RegistryFault(Exception):
    """A tool or a registry that cannot be used; the message is one line for the developer."""


class Cancelled(Protocol):
    """Tells whether the tool has been asked to end."""

    def is_set(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class CallContext:
    """What a tool is told beside its arguments.

    ``idempotency_key`` is the same whenever this very call is run again. ``cancelled`` may be
    asked from any thread. ``deadline`` is in seconds of ``time.monotonic()``; past it nobody waits
    for the tool any more.
    """

    call_id: str
    user: str
    conversation: str
    idempotency_key: str
    cancelled: Cancelled
    deadline: float


ToolFunction = Callable[..., Any]
Scope = Callable[[JsonObject], str | None]
"""Why arguments reach outside what the tool may touch, or None. Pure: it looks at nothing else."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A registered tool. ``roles`` None lets everyone use it; otherwise one of them is needed.

    An ``idempotent`` one may be run again with the same idempotency key, and then does nothing
    twice; any other is never run a second time.
    """

    name: str
    run: ToolFunction
    signature: Signature
    scope: Scope | None = None
    roles: frozenset[str] | None = None
    idempotent: bool = False

    @property
    def description(self) -> str:
        """The first paragraph of the callable's docstring; its name where it has none."""
        text = inspect.getdoc(self.run) or ""
        return " ".join(text.partition("\n\n")[0].split()) or self.name


class Registry:
    """The tools of one program, by name."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def tool(
        self,
        name: str,
        *,
        scope: Scope | None = None,
        roles: Collection[str] | None = None,
        idempotent: bool = False,
    ) -> Callable[[ToolFunction], ToolFunction]:
        """Register the decorated callable. Raises :class:`RegistryFault`."""

        def register(function: ToolFunction) -> ToolFunction:
            if name in self._tools:
                raise RegistryFault(f"two tools are called {name!r}")
            try:
                signature = Signature(function)
            except SignatureFault as fault:
                raise RegistryFault(f"tool {name!r}: {fault}") from fault
            needed = None if roles is None else frozenset(roles)
            self._tools[name] = Tool(name, function, signature, scope, needed, idempotent)
            return function

        return register

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in order of registration."""
        return tuple(self._tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> Tool:
        """The tool of that name; raises ``KeyError``."""
        return self._tools[name]

    def authorised(self, user: str, roles: Collection[str], name: str) -> bool:
        """Whether a person with these roles may use the tool. Nobody may use an unknown one."""
        tool = self._tools.get(name)
        if tool is None:
            return False
        return tool.roles is None or not tool.roles.isdisjoint(roles)

    def idempotent(self, name: str) -> bool:
        """Whether a call of the tool may be run again under its idempotency key."""
        return name in self._tools and self._tools[name].idempotent

    def out_of_scope(self, name: str, arguments: JsonObject) -> str | None:
        """Why the arguments reach outside what the tool may touch, or None."""
        scope = self._tools[name].scope
        return None if scope is None else scope(arguments)

    async def run(self, name: str, arguments: JsonObject, context: CallContext) -> JsonValue:
        """Call the tool once and return its result as JSON. Raises :class:`ToolFault`.

        Cancelling this abandons a tool that runs in a thread; it may still act.
        """
        tool = self._tools[name]
        try:
            coerced = tool.signature.coerce(arguments)
            returned = await _call(tool.run, context, coerced)
            return json_value(returned)
        except ToolFault:
            raise
        except UnfitArguments as fault:
            log.error("tool %s cannot take its arguments: %s", name, fault)
            raise ToolFault(_UNFIT) from None
        except NotAResult as fault:
            log.error("tool %s returned no JSON: %s", name, fault)
            raise ToolFault(_GENERAL) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - its failure alone
            log.error("tool %s raised %s\n%s", name, type(error).__name__, _where(error))
            raise ToolFault(_GENERAL) from None


async def _call(function: ToolFunction, context: CallContext, arguments: dict[str, Any]) -> Any:
    if not inspect.iscoroutinefunction(function):
        returned: Any = await in_thread(partial(function, context, **arguments))
    else:
        returned = function(context, **arguments)
    return await returned if inspect.isawaitable(returned) else returned


def _where(error: BaseException) -> str:
    """The frames it was raised through: file, line and source, without any value."""
    frames = traceback.extract_tb(error.__traceback__)
    return "".join(traceback.format_list(frames)).rstrip()


def load_registry(place: str) -> Registry:
    """The registry at ``module:attribute``; the attribute may also be a callable that makes one.

    Raises :class:`RegistryFault`, chained to what importing it raised.
    """
    module_name, parted, attribute = place.partition(":")
    if not (module_name and parted and attribute):
        raise RegistryFault(f"{place!r} is not of the form module:attribute")
    try:
        found: Any = importlib.import_module(module_name)
        for step in attribute.split("."):
            found = getattr(found, step)
        registry: Any = found if isinstance(found, Registry) else found()
    except Exception as error:
        told = " ".join(str(error).split())
        raise RegistryFault(f"{place}: {type(error).__name__}: {told}") from error
    if not isinstance(registry, Registry):
        raise RegistryFault(f"{place} is no Registry, and makes none")
    return registry
