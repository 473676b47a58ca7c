"""However a stream is cut on its way, the page that it leads to is the same.

Every recording of our own and every kind of argument text, whole, at each byte or character, and
at each event. What is on the page on the way there is never an escape, a half of something, or a
guess.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from app.calls.events import ArgumentFragment, CallAnnounced, CallCompleted
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.live_turn import LiveTurn
from app.display.updates import ExchangeOpened, Update, apply
from app.display.view import ConversationView
from app.providers.provider import ProviderFailure
from app.tools.map_files import map_compiler
from app.web.fragments import Fragments
from app.web.render import Renderer
from app.web.screen import Screen
from tests.providers.dialect_checks import replayed
from tests.providers.recordings import OWN
from tests.providers.turns import request
from tests.web.dom import Node, apply_message, parse
from tests.web.scripted import WHEN
from tests.web.wording import prompts, templates, words

FORMATS = Formats("en")
OFTEN = ("anthropic-messages", "openai-chat")
KEY = re.compile(r'\\?"(\w{1,40})\\?"\s*:')


SHELL = "<p id=asks></p><span id=stop></span><div id=kept></div><div id=say></div>"


class Watched:
    """A page that is brought up to date batch by batch."""

    def __init__(self) -> None:
        self._fragments = Fragments(templates(), words(), prompts())
        view = ConversationView("c")
        apply(view, [ExchangeOpened("x", "Hello", WHEN)])
        self.screen = Screen(view)
        log = Renderer(templates(), words(), prompts()).log(view)
        self.page = parse(f"{log}{SHELL}")

    def take(self, updates: Sequence[Update]) -> Node:
        apply_message(self.page, self._fragments.update(self.screen, updates))
        return self.page.by_id("log")


def page_of(batches: Iterable[Sequence[Update]]) -> str:
    watched = Watched()
    for updates in batches:
        watched.take(updates)
    return watched.page.by_id("log").canonical()


def field_map(tool: str, properties: dict[str, Any], display: dict[str, Any]) -> FieldMap:
    return map_compiler().compile(
        {
            "tool": tool,
            "label": "Look up",
            "description": "A tool of tests.",
            "parameters": {"type": "object", "properties": properties},
            "display": display,
        }
    )


@cache
def _showing(keys: frozenset[str]) -> FieldMap:
    display = {key: {"label": f"Field {key}"} for key in sorted(keys)}
    return field_map("any", {key: {} for key in sorted(keys)}, display)


class ForAnyTool(Mapping[str, FieldMap]):
    """A map for whatever tool is called, which shows every key that the body may hold.

    It is only looked up in: of all names there is no list.
    """

    def __init__(self, body: bytes) -> None:
        self._map = _showing(frozenset(KEY.findall(body.decode(errors="replace"))))

    def __getitem__(self, name: str) -> FieldMap:
        return self._map

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError


async def batches_of(dialect: str, body: bytes, chunk: int | None) -> list[list[Update]]:
    """What a viewer learns of one answer, event by event."""
    live = LiveTurn("x", "t", ForAnyTool(body), FORMATS)
    provider = replayed(dialect, body, chunk)
    batches: list[list[Update]] = []
    try:
        async for event in provider.stream(request()):
            batches.append(live.take(event))
    except ProviderFailure:
        pass  # how it ends is asked elsewhere; here, what was shown until then
    finally:
        await provider.close()
    return batches


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=f"{path.parent.name}/{path.name}",
            marks=() if path.parent.name in OFTEN else pytest.mark.soak,
        )
        for path in sorted(OWN.glob("*/*"))
    ],
)
async def test_a_recording_leads_to_one_page(path: Path) -> None:
    dialect, body = path.parent.name, path.read_bytes()
    whole = await batches_of(dialect, body, None)
    single = await batches_of(dialect, body, 1)
    at_once = [[update for updates in whole for update in updates]]
    assert page_of(whole) == page_of(single) == page_of(at_once)


KINDS = {
    "a literal": ('{"yes":true,"text":"a"}', {"yes": "Yes", "text": "a"}),
    "a literal that is not finished": ('{"text":"a","yes":tru', {"text": "a", "yes": ""}),
    "a number": ('{"number":-12.50e1}', {"number": "-12.50e1"}),
    "a number without an end": ('{"text":"a","number":12', {"text": "a", "number": ""}),
    "a large number": ('{"number":12345678901234567890,"text":""}', None),
    "a pair of escapes": (r'{"text":"\ud83d\ude00","prose":"\ud83d\ude00!"}', None),
    "half a pair": (r'{"text":"\ud83d","prose":"a\ud83d"}', {"text": "\ufffd", "prose": "a\ufffd"}),
    "escapes": (r'{"text":"\u00e9\"\\\n\t/","prose":"\\u00e9\"\n"}', None),
    "an escape without an end": (r'{"text":"\u00', {"text": ""}),
    "prose without an end": (r'{"prose":"one\u00e9 tw\u00', {"prose": "oneé tw"}),
    "a key without its value": ('{"text":"a","number":', {"text": "a", "number": ""}),
    "half a key": ('{"text":"a","numb', {"text": "a"}),
    "a list": ('{"list":["a","b",["c"],"d"]}', None),
    "a list of objects": ('{"lines":[{"a":1},{"b":"x","a":22},{}],"text":"t"}', None),
    "an object": ('{"inner":{"a":1,"b":"x"},"text":"t"}', {"inner.a": "1", "inner.b": "x"}),
    "a key twice": ('{"text":"a","number":1,"text":"b","yes":true}', {"text": "a", "number": "1"}),
    "a key twice within": ('{"inner":{"a":1,"a":2}}', {"inner.a": "1"}),
    "text behind the end": ('{"text":"a"} and {"text":"b","yes":true}', {"text": "a"}),
    "not a number": ('{"text":"a","number":NaN}', {"text": "a", "number": ""}),
    "a control character": ('{"text":"a\nb","prose":"c"}', None),
    "turned around": ('{"text":"a\u202eb","prose":"\u2066c"}', {"text": "a[U+202E]b"}),
    "an address": ('{"text":"![x](https://evil.example/?d=1)","prose":"<img src=//evil>"}', None),
    "no look": ('{"text":"\u200b","prose":"e\u0301\u200d\ufe0f"}', None),
    "hidden": ('{"secret":"canary","text":"a"}', {"text": "a"}),
}
"""Argument texts, and values that must stand at last where they are not told by the cuts alone."""

PAIR = {"a": {"label": "A"}, "b": {"label": "B"}}
MAP = field_map(
    "f",
    {
        "text": {"type": "string"},
        "prose": {"type": "string"},
        "number": {"type": "number"},
        "yes": {"type": "boolean"},
        "list": {"type": "array", "items": {"type": "string"}},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"a": {"type": "number"}, "b": {}}},
        },
        "inner": {"type": "object", "properties": {"a": {"type": "number"}, "b": {}}},
        "secret": {"type": "string"},
    },
    {
        "text": {"label": "Text"},
        "prose": {"label": "Prose", "mode": "stream"},
        "number": {"label": "Number"},
        "yes": {"label": "Yes", "format": "yes_no"},
        "list": {"label": "List"},
        "lines": {
            "label": "Lines",
            "items": {"fields": {"a": {"label": "A"}, "b": {"label": "B"}}},
        },
        "inner": {"label": "Inner", "fields": {"a": {"label": "A"}, "b": {"label": "B"}}},
    },
)


def formed(pieces: Sequence[str]) -> Iterator[list[Update]]:
    live = LiveTurn("x", "t", {"f": MAP}, FORMATS)
    yield live.take(CallAnnounced(0, "id", "f"))
    for piece in pieces:
        yield live.take(ArgumentFragment(0, piece))
    yield live.take(CallCompleted(0))


def values(log: Node) -> dict[str, str]:
    """The text of each row's value on the page, by its field."""
    rows = [node for node in log.walk() if "data-field" in node.attributes]
    found: dict[str, str] = {}
    for row in rows:
        (value,) = (node for node in row.walk() if "data-value" in node.attributes)
        assert row.attributes["data-field"] not in found, "a row is there twice"
        found[row.attributes["data-field"]] = value.text()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_an_argument_text_leads_to_one_page(kind: str) -> None:
    text, told = KINDS[kind]
    whole = page_of(formed([text]))
    assert page_of(formed(text)) == whole
    for at in range(1, len(text)):
        assert page_of(formed([text[:at], text[at:]])) == whole, at
    watched = Watched()
    for updates in formed([text]):
        watched.take(updates)
    last = values(watched.page)
    assert "canary" not in whole
    assert "<img" not in whole
    for field, value in (told or {}).items():
        assert last[field] == value


@pytest.mark.parametrize("kind", KINDS)
def test_no_value_is_ever_taken_back_or_half_there(kind: str) -> None:
    """Character by character: a value that is not prose is there whole, or not at all."""
    text, _ = KINDS[kind]
    watched = Watched()
    seen: dict[str, str] = {}
    for updates in formed(text):
        now = values(watched.take(updates))
        assert set(seen) <= set(now), "a row has gone"
        for field, value in seen.items():
            grows = now[field].startswith(value) if field == "prose" else value in ("", now[field])
            assert grows, f"{field} was {value!r} and is {now[field]!r}"
        seen = now
