"""A field map: one tool's schema, and what may be shown of it (design, section 5).

A map is one JSON document, first checked by our own JSON Schema (``field-map.schema.json``, which
editors find through ``$schema``) and then compiled. What the document does not name is hidden: the
compiled trees hold only what may be shown, and rows are made from nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast

from jsonschema.exceptions import best_match  # pyright: ignore[reportUnknownVariableType]

from app.calls.json_types import JsonObject
from app.display.exact_schema import BadSchema, ExactSchema, exact_validator, pointer_of
from app.display.schema_reading import Schema
from app.display.tree import Group, Problem, TreeCompiler, leaves

DEFAULT_TIMEOUT_S = 60.0
"""How long a tool may take where its map does not say."""

DEFAULT_EXPIRY_S = 3600
"""How long an approval may be waited for where the map does not say."""


class FieldMapFault(Exception):
    """A document that is no usable field map. ``pointer`` is a JSON pointer into it."""

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer or '/'}: {reason}")
        self.pointer = pointer
        self.reason = reason


class Approver(StrEnum):
    """Who decides on a call that asks."""

    USER = "user"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Approval:
    """When a call asks a person, whom, and for how long.

    ``when`` is a JSON Schema over the arguments: those that it allows ask. It counts only where
    ``required`` is false.
    """

    required: bool
    by: Approver
    expires_after_s: int
    when: ExactSchema | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FieldMap:
    """A compiled map. ``parameters`` is plain JSON, as a provider is told it.

    ``document`` is what it was compiled from, ``problems`` what of it cannot be shown.
    """

    tool: str
    label: str
    description: str
    parameters: dict[str, Any]
    display: Group
    result: Group
    summary: str | None
    approval: Approval | None
    timeout_s: float
    document: Mapping[str, Any]
    problems: tuple[Problem, ...]
    schema: ExactSchema = field(repr=False, compare=False)

    @property
    def streams(self) -> bool:
        """Whether any field shows as it is written."""
        return any(leaf.streams for leaf in leaves(self.display))

    def schema_faults(self, arguments: JsonObject) -> tuple[str, ...]:
        """How arguments break the schema; the sentences quote no value."""
        return self.schema.faults(arguments)

    def asks(self, arguments: JsonObject) -> bool:
        """Whether a person must approve a call with these arguments."""
        approval = self.approval
        if approval is None:
            return False
        return approval.required or (approval.when is not None and approval.when.allows(arguments))


class MapCompiler:
    """Compiles documents. ``map_schema`` is the content of ``field-map.schema.json``."""

    def __init__(self, map_schema: Schema) -> None:
        self._form = exact_validator()(map_schema)

    def compile(self, document: Mapping[str, Any]) -> FieldMap:
        """The map of a document. Raises :class:`FieldMapFault`."""
        fault = cast("Any", best_match(self._form.iter_errors(document)))
        if fault is not None:
            raise FieldMapFault(pointer_of(fault.absolute_path), fault.message)
        parameters = document["parameters"]
        schema = _schema(parameters, "/parameters")
        given = TreeCompiler(parameters)
        display = given.group(document["display"], parameters, "/display")
        returned = TreeCompiler(None)
        shown_result = document.get("result", {})
        result = returned.group(shown_result.get("display", {}), {}, "/result/display")
        return FieldMap(
            tool=document["tool"],
            label=document["label"],
            description=document["description"],
            parameters=parameters,
            display=display,
            result=result,
            summary=shown_result.get("summary"),
            approval=_approval(document.get("approval")),
            timeout_s=float(document.get("timeout_s", DEFAULT_TIMEOUT_S)),
            document=document,
            problems=_usable((*given.problems, *returned.problems)),
            schema=schema,
        )


def _schema(schema: Schema, pointer: str) -> ExactSchema:
    try:
        return ExactSchema(schema)
    except BadSchema as fault:
        raise FieldMapFault(pointer + fault.pointer, fault.reason) from fault


def _approval(entry: Mapping[str, Any] | None) -> Approval | None:
    if entry is None:
        return None
    when = entry.get("when")
    return Approval(
        required=entry.get("required", False),
        by=Approver(entry.get("by", Approver.USER)),
        expires_after_s=entry.get("expires_after_s", DEFAULT_EXPIRY_S),
        when=None if when is None else _schema(when, "/approval/when"),
    )


def _usable(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    for problem in problems:
        if problem.refused:
            raise FieldMapFault(problem.pointer, problem.text)
    return problems
