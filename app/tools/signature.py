"""A callable's parameters as a form for arguments: what it takes, and in which types."""

import inspect
from collections.abc import Callable
from dataclasses import field, make_dataclass
from typing import Any, cast

from pydantic import ConfigDict, PydanticSchemaGenerationError, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from app.calls.json_types import JsonObject


class SignatureFault(Exception):
    """A callable that cannot be a tool."""


class UnfitArguments(Exception):
    """Arguments that the callable cannot take. The message names fields, never values."""


class _NotGiven:
    """Stands for an argument that was left out: the callable's own default is used."""


class Signature:
    """The arguments of a callable: its parameters but the first, which is the context.

    Raises :class:`SignatureFault` where one has no name or no type of its own.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        parameters = _arguments_of(function)
        fields: list[tuple[str, Any, Any]] = []
        for parameter in parameters:
            if parameter.annotation is inspect.Parameter.empty:
                raise SignatureFault(f"the parameter {parameter.name!r} has no type")
            fields.append((parameter.name, parameter.annotation, _field(parameter)))
        form = make_dataclass(
            "Arguments", fields, namespace={"__pydantic_config__": ConfigDict(extra="forbid")}
        )
        self._names = tuple(parameter.name for parameter in parameters)
        self._form: TypeAdapter[Any] = _adapter(form)

    def coerce(self, arguments: JsonObject) -> dict[str, Any]:
        """The arguments that were given, in the declared types. Raises :class:`UnfitArguments`."""
        try:
            form = self._form.validate_python(arguments)
        except ValidationError as fault:
            raise UnfitArguments(self._told(fault)) from None
        values = {name: getattr(form, name) for name in self._names}
        return {name: value for name, value in values.items() if not isinstance(value, _NotGiven)}

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of what the callable takes."""
        schema = _without_titles(self._form.json_schema())
        schema.setdefault("properties", {})
        return schema

    def _told(self, fault: ValidationError) -> str:
        """Which argument and what is wrong; a name that is not ours may be anything, so none."""
        errors = fault.errors(include_url=False, include_context=False, include_input=False)
        told: list[str] = []
        for error in errors:
            name = error["loc"][0] if error["loc"] else ""
            told.append(f"{name if name in self._names else 'another'}: {error['type']}")
        return "; ".join(told)


def _arguments_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    except (NameError, TypeError, ValueError) as fault:
        raise SignatureFault(f"its parameters cannot be read: {fault}") from fault
    if not parameters or parameters[0].kind not in (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    ):
        raise SignatureFault("its first parameter must be the call's context")
    for parameter in parameters[1:]:
        if parameter.kind in (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
            inspect.Parameter.POSITIONAL_ONLY,
        ):
            raise SignatureFault(f"{parameter} is no argument with a name of its own")
    return parameters[1:]


def _field(parameter: inspect.Parameter) -> Any:
    if parameter.default is inspect.Parameter.empty:
        return field(kw_only=True)
    return field(kw_only=True, default_factory=_NotGiven)


def _adapter(form: type) -> TypeAdapter[Any]:
    try:
        return cast("TypeAdapter[Any]", TypeAdapter(form))
    except (PydanticSchemaGenerationError, PydanticUserError) as fault:
        raise SignatureFault(f"a type cannot be read from JSON: {fault.message}") from fault


def _without_titles(schema: Any) -> Any:
    """A copy without the titles that pydantic makes of names: a map has labels for people."""
    if isinstance(schema, list):
        return [_without_titles(part) for part in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast("dict[str, Any]", schema)
    return {
        word: _without_titles(part)
        for word, part in members.items()
        if word != "title" or not isinstance(part, str)
    }
