"""Recorded answers of real providers, at real pace, take shape in a real browser."""

import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from app.calls.json_types import JsonValue
from app.calls.strict import parse_strict
from tests.browser.product import REPOSITORY, serving
from tests.browser.recorded import write_maps
from tests.browser.screen import ended, log_of, say, states, true_at_every_moment
from tests.providers.recordings import all_recordings, folder, own
from tests.providers.stub_server import Plan, Received, StubServer
from tests.providers.wire_shorthand import anthropic as wire

pytestmark = pytest.mark.browser
WIRE = Path(__file__).with_name("wire.js")

REAL = (
    "anthropic-messages/01-parallel-weather-time.sse",
    "anthropic-messages/14-long-forced-tool-109-fragments.sse",
    "anthropic-messages/22-nested-book-object.sse",
    "openai-chat/05-nested-final-result-54-fragments.sse",
    "mistral/05-incremental-arguments.sse",
    "other-openai-compatible/12-huggingface-parallel.sse",
)
"""Recordings of the collection: parallel calls, long prose, nesting, vendors' own ways."""


@dataclass(frozen=True, slots=True)
class Played:
    """A recording, the calls in it, and the message that asks for it."""

    dialect: str
    name: str
    body: bytes
    called: Sequence[tuple[str, str]]
    """Names of tools and argument texts."""

    @property
    def message(self) -> str:
        return f"Play {self.name}"


CANARY = "canary.bird@example.com"


def _with_a_hidden_argument() -> Played:
    text = (
        f'{{"project":"WEB","title":"One","raw_customer_email":"{CANARY}",'
        '"priority":"low","description":"Hello to all of you."}'
    )
    pieces = [wire.piece(0, text[at : at + 5]) for at in range(0, len(text), 5)]
    ends = [wire.end(0), wire.reason("tool_use"), wire.STOP]
    body = b"".join([wire.start(), wire.call(0, "toolu_1", "create_ticket"), *pieces, *ends])
    shown = text.replace(f'"raw_customer_email":"{CANARY}",', "")
    return Played("anthropic-messages", "hidden argument", body, [("create_ticket", shown)])


OWN = (
    _with_a_hidden_argument(),
    Played(
        "anthropic-messages",
        "parallel-calls.sse",
        own("anthropic-messages", "parallel-calls.sse"),
        [
            ("create_ticket", '{"project":"WEB","title":"One","priority":"low"}'),
            ("create_ticket", '{"project":"CORE","title":"Two","priority":"high"}'),
            ("look_up_invoice", '{"invoice_number":"INV-2026-0312"}'),
        ],
    ),
    Played(
        "openai-chat",
        "text-then-call.sse",
        own("openai-chat", "text-then-call.sse"),
        [("look_up_invoice", '{"invoice_number":"INV-2026-0312"}')],
    ),
)


def real() -> Iterator[Played]:
    for dialect in ("anthropic-messages", "openai-chat"):
        for one in all_recordings(dialect):
            if str(one) in REAL:
                called = [(call.name, call.arguments_text) for call in one.ours]
                yield Played(dialect, str(one), one.body, called)


def cases(dialect: str) -> list[Any]:
    found = [one for one in (*real(), *OWN) if one.dialect == dialect]
    absent = pytest.mark.skip(reason=f"no recordings at {folder()} (FORMWORK_RECORDINGS)")
    missing = [
        pytest.param(None, id=name, marks=absent)
        for name in REAL
        if name.startswith("anthropic-") == dialect.startswith("anthropic-")
        and name not in {one.name for one in found}
    ]
    often = [*OWN, found[0]]
    return [
        *(
            pytest.param(one, id=one.name, marks=() if one in often else pytest.mark.soak)
            for one in found
        ),
        *missing,
    ]


@contextmanager
def playing(dialect: str, data: Path) -> Generator[str, None, None]:
    """A server whose provider plays the recording that the last message names."""
    played = [one for one in (*real(), *OWN) if one.dialect == dialect]
    maps = data / "maps"
    shutil.copytree(REPOSITORY / "field_maps", maps)
    write_maps((call for one in played if one not in OWN for call in one.called), maps)
    text = Plan(own(dialect, "text-only.sse"))

    def plan(request: Received) -> Plan:
        last = str(request.json["messages"][-1])
        found = [one for one in played if one.message in last]
        return Plan(found[0].body, pace=1.0, seed=3) if found else text

    with (
        StubServer(plan) as provider,
        serving(
            data / "data",
            model=f"{dialect}:m",
            base_url=provider.url,
            api_key="k",
            field_maps=str(maps),
            tools="tests.browser.recorded:tools",
        ) as address,
    ):
        yield address


@pytest.fixture(scope="module")
def anthropic(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    with playing("anthropic-messages", tmp_path_factory.mktemp("anthropic")) as address:
        yield address


@pytest.fixture(scope="module")
def openai(tmp_path_factory: pytest.TempPathFactory) -> Generator[str, None, None]:
    with playing("openai-chat", tmp_path_factory.mktemp("openai")) as address:
        yield address


@pytest.mark.parametrize("played", cases("anthropic-messages"))
def test_anthropic_messages(page: Page, anthropic: str, played: Played) -> None:
    takes_shape(page, anthropic, played)


@pytest.mark.soak
@pytest.mark.parametrize("played", cases("openai-chat"))
def test_openai_chat(page: Page, openai: str, played: Played) -> None:
    takes_shape(page, openai, played)


def takes_shape(page: Page, address: str, played: Played) -> None:
    page.add_init_script(path=WIRE)
    say(page, played.message, address)
    seen = ended(page, 60)
    live = log_of(page)
    true_at_every_moment(seen)
    ends = [states(heads)[-1] for heads in seen["states"].values()]
    assert ends == ["done"] * len(played.called)
    for call, (_, text) in enumerate(played.called):
        shown = page.locator("[data-call]").nth(call)
        for path, value in strings(parse_strict(text)):
            row = shown.locator(f'.places [data-field="{path}"] [data-value]').first
            assert (row.text_content() or "").casefold() == value.casefold()
    bodies: list[str] = page.evaluate("bodies")
    page.reload()
    assert log_of(page) == live
    sent = [*bodies, page.content(), page.request.get(page.url).text()]
    assert any("data-call" in body for body in bodies)
    assert not [body for body in sent if CANARY in body or CANARY[:6] in body]


def strings(value: JsonValue, path: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a document by dotted path. (A format may change their case.)"""
    match value:
        case dict():
            for name, member in value.items():
                yield from strings(member, f"{path}.{name}" if path else name)
        case list():
            for index, item in enumerate(value):
                yield from strings(item, f"{path}.{index}")
        case str():
            yield path, value
        case _:
            return
