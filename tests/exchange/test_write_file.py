"""A file is written once for a call that is whole, valid and authorised, and never otherwise."""

import hashlib
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.calls.exact_json import load_exact
from app.exchange.parts import Bounds
from tests.exchange.shipped import LoggedRegistry, logged_shipped_tools, shipped_field_maps
from tests.exchange.wire import Body, Ending, MemoryWire, call_body, over, text_body
from tests.exchange.world import World, assert_lawful, world
from tests.providers.dialect_checks import floats
from tests.providers.history_rules import assert_valid_history
from tests.providers.wire_shorthand import anthropic

DIALECTS = ("anthropic-messages", "openai-chat")
GOOD = json.dumps({"path": "drafts/answer.md", "content": "Grüße,\n\t„Ada“ 🎫\n"})
REFUSED_STOP = {"anthropic-messages": "refusal", "openai-chat": "content_filter"}
TRUNCATED_STOP = {"anthropic-messages": "max_tokens", "openai-chat": "length"}


@dataclass(frozen=True, slots=True)
class Desk:
    """A folder for files with something in it, beside something that is none of the model's."""

    here: World
    wire: MemoryWire
    tools: LoggedRegistry
    folder: Path
    dialect: str

    @property
    def root(self) -> Path:
        return self.folder / "files"

    def files(self) -> dict[str, str]:
        """Every file below the folder by its path, with the hash of its bytes."""
        return {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    async def asks(self, *bodies: bytes, ending: Ending = Ending.EOF) -> None:
        answer = text_body(self.dialect, "So it is.")
        self.wire.bodies.extend([*(Body(body, ending) for body in bodies), Body(answer)])
        await self.here.say("Write it down")
        assert_lawful(await self.here.updates())


@asynccontextmanager
async def desk(tmp_path: Path, dialect: str) -> AsyncGenerator[Desk]:
    folder = tmp_path / "data"
    (folder / "files" / "drafts").mkdir(parents=True)
    (folder / "files" / "notes.txt").write_text("old notes\n")
    (folder / "files" / "drafts" / "answer.md").write_text("old answer\n")
    (folder / "secret_key").write_text("none of the model's business\n")
    (folder / "files" / "way_out").symlink_to(folder)
    tools, wire = logged_shipped_tools(folder, folder / "files"), MemoryWire()
    provider = over(wire, dialect)
    async with world(
        tmp_path,
        bounds=Bounds(regenerations=0, api_retries=0),
        provider=provider,
        registry=tools,
        maps=shipped_field_maps(),
    ) as here:
        yield Desk(here, wire, tools, folder, dialect)
    await provider.close()


def written(dialect: str, arguments: str, stop: str | None = None) -> bytes:
    return call_body(dialect, "write_file", arguments, stop=stop).whole


UNUSABLE: dict[str, str] = {
    "truncated, though it would parse": "truncated",
    "refused, though it would parse": "refused_by_model",
    "cut off before the end": "incomplete",
    "invalid JSON": "invalid_json",
    "two documents": "invalid_json",
    "a key twice": "invalid_json",
    "a name that no file system takes": "invalid_json",
}


def unusable(kind: str, dialect: str) -> bytes:
    match kind:
        case "truncated, though it would parse":
            return written(dialect, GOOD, TRUNCATED_STOP[dialect])
        case "refused, though it would parse":
            return written(dialect, GOOD, REFUSED_STOP[dialect])
        case "cut off before the end":
            return call_body(dialect, "write_file", GOOD).unended
        case "invalid JSON":
            return written(dialect, GOOD[:-1])
        case "two documents":
            return written(dialect, GOOD + GOOD)
        case "a name that no file system takes":
            return written(dialect, '{"path":"notes.txt\\u0000.md","content":""}')
        case _:
            return written(dialect, '{"path":"a.txt","path":"b.txt","content":""}')


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", UNUSABLE)
async def test_an_unusable_turn_writes_nothing(tmp_path: Path, kind: str, dialect: str) -> None:
    async with desk(tmp_path, dialect) as at:
        before = at.files()
        await at.asks(unusable(kind, dialect))
        assert at.files() == before
        assert at.tools.ran == []
        assert await at.here.turns() == []
        assert await at.here.shown() == [("Write file", "not_run", UNUSABLE[kind])]


OUTSIDE: Sequence[str] = (
    "../secret_key",
    "drafts/../../secret_key",
    "/etc/formwork-test",
    "~/.profile",
    "..\\secret_key",
    "C:\\notes.txt",
    "notes\u0007.md",
    "notes\u202etxt.exe",
    "notes.txt.",
    "",
)


@pytest.mark.parametrize("path", OUTSIDE)
async def test_a_path_that_leads_outside_writes_nothing(tmp_path: Path, path: str) -> None:
    dialect = "anthropic-messages"
    async with desk(tmp_path, dialect) as at:
        before = at.files()
        await at.asks(written(dialect, json.dumps({"path": path, "content": "x"})))
        assert at.files() == before
        assert at.tools.ran == []
        reason = "out_of_scope" if path else "invalid_arguments"
        assert await at.here.shown() == [("Write file", "not_run", reason)]
        assert results_in(at) == [("id_1", True)]


async def test_a_link_that_leads_outside_is_followed_by_nobody(tmp_path: Path) -> None:
    """The name is in order, so that the tool is asked; what is there makes it fail."""
    dialect = "anthropic-messages"
    async with desk(tmp_path, dialect) as at:
        before = at.files()
        await at.asks(written(dialect, json.dumps({"path": "way_out/secret_key", "content": "x"})))
        assert at.files() == before
        [(label, state, _)] = await at.here.shown()
        assert (label, state) == ("Write file", "failed")
        assert results_in(at) == [("id_1", True)]


SCHEMA_INVALID: Sequence[str] = (
    '{"path":"notes.txt"}',
    '{"content":"x"}',
    '{"path":"notes.txt","content":7}',
    '{"path":["notes.txt"],"content":"x"}',
    '{"path":"notes.txt","content":"x","mode":"append"}',
    "{}",
    "",
)


@pytest.mark.parametrize("arguments", SCHEMA_INVALID)
async def test_arguments_that_do_not_fit_the_schema_write_nothing(
    tmp_path: Path, arguments: str
) -> None:
    dialect = "openai-chat"
    async with desk(tmp_path, dialect) as at:
        before = at.files()
        await at.asks(written(dialect, arguments))
        assert at.files() == before
        assert at.tools.ran == []
        assert await at.here.shown() == [("Write file", "not_run", "invalid_arguments")]
        assert results_in(at) == [("id_1", True)]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_good_call_writes_once_and_its_result_has_its_id(
    tmp_path: Path, dialect: str
) -> None:
    async with desk(tmp_path, dialect) as at:
        before = at.files()
        await at.asks(written(dialect, GOOD))
        changed = {path for path, digest in at.files().items() if before.get(path) != digest}
        assert changed == {"files/drafts/answer.md"}
        assert set(before) == set(at.files())
        assert (at.root / "drafts" / "answer.md").read_bytes() == "Grüße,\n\t„Ada“ 🎫\n".encode()
        [ran] = at.tools.ran
        assert (ran.name, ran.arguments) == ("write_file", load_exact(GOOD))
        [turn] = [turn for turn in await at.here.turns() if turn.calls]
        [recorded] = turn.calls
        assert recorded.id == ran.call
        assert isinstance(recorded.result_full, dict)
        assert recorded.result_full["call_id"] == ran.call
        assert results_in(at) == [("id_1", False)]


async def test_of_a_turn_with_faults_beside_it_the_good_call_alone_writes(tmp_path: Path) -> None:
    """Out of root, unknown, and good: one file, and a result for each id in order."""

    def one(index: int, name: str, arguments: str) -> bytes:
        piece = anthropic.piece(index, arguments)
        return anthropic.call(index, f"id_{index}", name) + piece + anthropic.end(index)

    out = json.dumps({"path": "../secret_key", "content": "x"})
    body = (
        anthropic.start()
        + one(0, "write_file", out)
        + one(1, "write_files", GOOD)
        + one(2, "write_file", GOOD)
        + anthropic.reason("tool_use")
        + anthropic.STOP
    )
    async with desk(tmp_path, "anthropic-messages") as at:
        before = at.files()
        await at.asks(body)
        assert {path for path, d in at.files().items() if before.get(path) != d} == {
            "files/drafts/answer.md"
        }
        assert len(at.tools.ran) == 1
        assert results_in(at) == [("id_0", True), ("id_1", True), ("id_2", False)]


def results_in(at: Desk) -> list[tuple[str, bool]]:
    """Id and error mark of each result in the last request, which the dialect would accept."""
    request = floats(at.wire.requests[-1])
    assert_valid_history(at.dialect, request)
    if at.dialect == "openai-chat":
        found = [message for message in request["messages"] if message["role"] == "tool"]
        return [
            (message["tool_call_id"], message["content"].startswith(("Not run", "Failed", "Error")))
            for message in found
        ]
    blocks = request["messages"][-1]["content"]
    return [
        (block["tool_use_id"], block.get("is_error", False))
        for block in blocks
        if block["type"] == "tool_result"
    ]
