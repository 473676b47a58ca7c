import asyncio
import logging
import threading
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from app.calls.json_types import JsonObject
from app.tools.registry import CallContext, Registry, RegistryFault, ToolFault, load_registry
from tests.tools.context import context


@dataclass
class Line:
    sku: str
    amount: Decimal


class Model(BaseModel):
    when: date


async def test_arguments_arrive_in_their_types_and_beside_the_context() -> None:
    tools, got = Registry(), list[Any]()

    @tools.tool("order")
    async def order(  # pyright: ignore[reportUnusedFunction]
        ctx: CallContext,
        count: int,
        amount: Decimal,
        lines: list[Line],
        when: date,
        rate: float = 0.5,
        note: str = "none",
        schema: Annotated[str, Field(max_length=5)] | None = None,
    ) -> str:
        got.extend([ctx.call_id, count, amount, lines, when, rate, note, schema])
        return "ok"

    result = await tools.run(
        "order",
        {
            "count": Decimal("5.0"),
            "amount": Decimal("1250.10"),
            "lines": [{"sku": "a", "amount": 12345678901234567890}],
            "when": "2026-03-01",
            "rate": Decimal("0.25"),
        },
        context("t-1"),
    )
    assert result == "ok"
    line = Line("a", Decimal("12345678901234567890"))
    assert got == ["t-1", 5, Decimal("1250.10"), [line], date(2026, 3, 1), 0.25, "none", None]
    assert isinstance(got[2], Decimal)
    assert str(got[2]) == "1250.10"


async def test_a_tool_that_is_not_async_runs_in_a_thread() -> None:
    tools = Registry()

    @tools.tool("where")
    def where(_: CallContext) -> bool:  # pyright: ignore[reportUnusedFunction]
        return threading.current_thread() is threading.main_thread()

    assert await tools.run("where", {}, context()) is False


async def test_the_context_tells_a_thread_that_it_should_end() -> None:
    tools, cancelled = Registry(), asyncio.Event()
    started = threading.Event()

    @tools.tool("wait")
    def wait(ctx: CallContext) -> str:  # pyright: ignore[reportUnusedFunction]
        started.set()
        while not ctx.cancelled.is_set():
            threading.Event().wait(0.005)
        return "ended"

    given = CallContext("t", "ada", "c", "t", cancelled, 0.0)
    running = asyncio.create_task(tools.run("wait", {}, given))
    await asyncio.to_thread(started.wait)
    cancelled.set()
    assert await running == "ended"


async def test_a_fault_of_the_tool_is_told_and_can_be_stored() -> None:
    tools = Registry()

    @tools.tool("fail")
    async def fail(_: CallContext) -> None:  # pyright: ignore[reportUnusedFunction]
        raise ToolFault("There is no such invoice\x00\ud800.")

    with pytest.raises(ToolFault, match="no such invoice\ufffd\ufffd"):
        await tools.run("fail", {}, context())


@pytest.mark.parametrize("kind", ["async", "thread"])
async def test_anything_else_becomes_one_sentence_and_no_value_is_logged(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    tools = Registry()

    def explode(secret: str) -> None:
        raise ValueError(f"cannot use {secret}")

    async def explode_async(_: CallContext, secret: str) -> None:
        explode(secret)

    def explode_in_thread(_: CallContext, secret: str) -> None:
        explode(secret)

    tools.tool("explode")(explode_async if kind == "async" else explode_in_thread)
    with caplog.at_level(logging.DEBUG), pytest.raises(ToolFault) as caught:
        await tools.run("explode", {"secret": "canary"}, context())
    assert str(caught.value) == "The tool had an internal error."
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    assert "ValueError" in caplog.text
    assert "in explode" in caplog.text
    assert "canary" not in caplog.text


@pytest.mark.parametrize("ending", [SystemExit, RecursionError, TimeoutError])
async def test_a_tool_cannot_end_the_program(ending: type[BaseException]) -> None:
    tools = Registry()

    async def end_async(_: CallContext) -> None:
        raise ending

    def end(_: CallContext) -> None:
        raise ending

    tools.tool("async")(end_async)
    tools.tool("thread")(end)
    for name in tools.names:
        with pytest.raises(ToolFault, match="internal error"):
            await tools.run(name, {}, context())


@pytest.mark.parametrize(
    "arguments", [{"n": "canary"}, {}, {"n": 1, "canary": 1}, {"n": Decimal("1.5")}]
)
async def test_arguments_that_do_not_fit_are_told_without_their_values(
    arguments: JsonObject, caplog: pytest.LogCaptureFixture
) -> None:
    tools, ran = Registry(), list[int]()

    @tools.tool("count")
    async def count(_: CallContext, n: int) -> None:  # pyright: ignore[reportUnusedFunction]
        ran.append(n)

    with caplog.at_level(logging.DEBUG), pytest.raises(ToolFault, match="cannot take"):
        await tools.run("count", arguments, context())
    assert ran == []
    assert "canary" not in caplog.text


async def test_cancelling_ends_an_async_tool() -> None:
    tools, ended = Registry(), asyncio.Event()
    started = asyncio.Event()

    @tools.tool("wait")
    async def wait(_: CallContext) -> None:  # pyright: ignore[reportUnusedFunction]
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    running = asyncio.create_task(tools.run("wait", {}, context()))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ended.is_set()


async def test_a_result_that_is_no_json_is_a_fault(caplog: pytest.LogCaptureFixture) -> None:
    tools = Registry()

    @tools.tool("give")
    async def give(_: CallContext) -> bytes:  # pyright: ignore[reportUnusedFunction]
        return b"canary"

    with pytest.raises(ToolFault, match="internal error"):
        await tools.run("give", {}, context())
    assert "returned no JSON" in caplog.text
    assert "canary" not in caplog.text


async def first_only(_: CallContext) -> None: ...


def test_a_callable_that_is_no_tool_is_refused_by_name() -> None:
    with pytest.raises(RegistryFault, match=r"tool 'bad': .*context"):
        Registry().tool("bad")(make)


def test_two_tools_of_one_name_are_refused() -> None:
    tools = Registry()
    tools.tool("a")(first_only)
    with pytest.raises(RegistryFault, match="two tools"):
        tools.tool("a")(first_only)


def test_roles_scope_and_repetition() -> None:
    tools = Registry()
    tools.tool("open")(first_only)
    tools.tool(
        "closed",
        roles={"clerk"},
        idempotent=True,
        scope=lambda arguments: "too far" if arguments.get("x") else None,
    )(first_only)
    assert tools.names == ("open", "closed")
    assert "open" in tools
    assert "else" not in tools
    assert tools.authorised("ada", (), "open")
    assert not tools.authorised("ada", ("guest",), "closed")
    assert tools.authorised("ada", {"clerk", "guest"}, "closed")
    assert not tools.authorised("ada", {"clerk"}, "unknown")
    assert tools.out_of_scope("open", {"x": 1}) is None
    assert tools.out_of_scope("closed", {"x": 1}) == "too far"
    assert tools.out_of_scope("closed", {}) is None
    assert (tools.idempotent("open"), tools.idempotent("closed")) == (False, True)


def test_the_schema_of_a_tool_is_read_from_its_signature() -> None:
    tools = Registry()

    @tools.tool("a")
    async def a(_: CallContext, title: str, lines: list[Line], n: int = 5) -> None:  # pyright: ignore[reportUnusedFunction]
        """Do it
        well.

        And more."""

    schema = tools["a"].signature.schema()
    assert tools["a"].description == "Do it well."
    assert schema["required"] == ["title", "lines"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["title"] == {"type": "string"}
    assert schema["properties"]["n"] == {"type": "integer"}
    assert "title" not in schema


MADE = Registry()


def make() -> Registry:
    return MADE


def break_down() -> Registry:
    raise RuntimeError("no")


@pytest.mark.parametrize("attribute", ["MADE", "make"])
def test_a_registry_is_loaded_from_a_module(attribute: str) -> None:
    assert load_registry(f"{__name__}:{attribute}") is MADE


@pytest.mark.parametrize(
    "place",
    [
        "tests.tools.test_registry",
        ":MADE",
        "tests.nowhere:x",
        f"{__name__}:missing",
        f"{__name__}:break_down",
        f"{__name__}:first_only.__name__",
        f"{__name__}:dict",
    ],
)
def test_a_place_without_a_registry_is_told_in_one_line(place: str) -> None:
    place = place.replace("dict", "Path")
    with pytest.raises(RegistryFault) as caught:
        load_registry(place)
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)
