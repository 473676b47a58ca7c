"""The developer view: everything for developers, and not a byte for anybody else."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.routing import iter_route_contexts

from app.bootstrap import replay_parts
from app.calls.json_types import JsonObject
from app.exchange.replay import Replay
from app.settings import read_settings
from app.web.developer.desk import Desk
from app.web.developer.streams import messages
from tests.providers.recordings import own
from tests.web.developing import BREAKS, TICKET, House, developed, house, links, say
from tests.web.dom import parse

PLACES = [
    ("GET", "/developer"),
    ("GET", "/developer/assets/{name}"),
    ("POST", "/developer/replays"),
    ("GET", "/developer/replays/{replay}"),
    ("GET", "/developer/replays/{replay}/stream"),
    ("GET", "/developer/{conversation}"),
    ("GET", "/developer/{conversation}/stream"),
    ("GET", "/developer/{conversation}/{turn}/body"),
    ("GET", "/developer/{conversation}/{turn}/recording"),
    ("GET", "/developer/{conversation}/{turn}/comparison"),
    ("GET", "/developer/{conversation}/{turn}/replay"),
    ("GET", "/developer/{conversation}/{turn}/replay/stream"),
    ("GET", "/developer/{conversation}/{turn}/{block:int}"),
]
"""Every route of the view."""
ODD = [
    ("GET", "/developer/"),
    ("PUT", "/developer"),
    ("DELETE", "/developer/x"),
    ("HEAD", "/developer"),
]
EVERYBODY: list[tuple[bool, tuple[str, ...]]] = [
    (False, ()),
    (False, ("operator",)),
    (False, ("developer",)),
    (True, ()),
    (True, ("operator",)),
]
"""Whether the view is on, and the roles of somebody who may not use it."""


async def signed_in(
    at: House, roles: tuple[str, ...], view: bool
) -> AsyncGenerator[httpx2.AsyncClient]:
    held = tuple(role for role in roles if view or role != "developer")
    async with at.visitor(*held) as client:
        yield client


@pytest.mark.parametrize(("view", "roles"), EVERYBODY)
async def test_nobody_else_finds_any_of_it(
    view: bool, roles: tuple[str, ...], tmp_path: Path
) -> None:
    async with house(tmp_path, view=view) as at, at.visitor() as person:
        conversation = await say(person, TICKET)
        turn = "t0"
        if view:
            async with at.visitor("developer") as developer:
                page = await developed(developer, conversation)
            turn = links(page, "body")[0].split("/")[3]
        async for visitor in signed_in(at, roles, view):
            nowhere = (await visitor.get("/nowhere")).content
            for method, path in (*PLACES, *ODD):
                place = re.sub(r"\{(\w+)(?::int)?\}", _given(conversation, turn), path)
                answer = await visitor.request(method, place, headers={"Origin": "http://else"})
                assert answer.status_code == 404, (method, place)
                assert answer.content == (b"" if method == "HEAD" else nowhere)
                assert not {"location", "allow"} & set(answer.headers)


def _given(conversation: str, turn: str) -> Callable[[re.Match[str]], str]:
    values = {"conversation": conversation, "turn": turn, "block": "1", "name": "developer.css"}
    return lambda found: values.get(found[1], "r0")


async def test_the_sweep_has_every_route(tmp_path: Path) -> None:
    async with house(tmp_path) as at:
        served = {
            (method, context.path)
            for context in iter_route_contexts(at.app.routes)
            for method in context.methods or ()
            if str(context.path).startswith("/developer")
        }
    assert served == set(PLACES)


async def test_what_everybody_else_is_sent_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    sent: list[dict[str, str]] = []
    for view in (False, True):
        async with house(tmp_path / str(view), view=view) as at, at.visitor() as person:
            conversation = await say(person, TICKET)
            places = ["/", f"/c/{conversation}", "/sign-in", "/nowhere", "/healthz"]
            pages = {place: await person.get(place) for place in places}
            page = pages["/"].text
            assets = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
            pages |= {place: await person.get(place) for place in assets}
            told = {place: _plain(answer, conversation) for place, answer in pages.items()}
            sent.append({place.replace(conversation, "c"): text for place, text in told.items()})
    assert sent[0] == sent[1]
    assert len(sent[0]) >= 9
    assert not any("developer" in text for place, text in sent[1].items() if place != "/sign-in")


def _plain(answer: httpx2.Response, conversation: str) -> str:
    """A response without the ids, times and signatures that no two runs share."""
    headers = {
        name: value
        for name, value in answer.headers.items()
        if name not in ("set-cookie", "content-length")  # that of the times on the page
    }
    text = answer.text.replace(conversation, "c")
    text = re.sub(r"after=[0-9a-f]+-\d+", "after=", text)
    text = re.sub(r"(?<=[\"=])[A-Za-z0-9_.-]{21,}|\b[a-z][0-9a-f]{20}\b", "random", text)
    text = re.sub(r"\d+ ms|<time .*?</time>", "time", text)
    return f"{answer.status_code} {headers} {text}"


async def test_a_developer_sees_everything_of_anybodys_conversation(tmp_path: Path) -> None:
    async with house(tmp_path) as at, at.visitor() as person, at.visitor("developer") as developer:
        conversation = await say(person, TICKET)
        page = await developed(developer, conversation)
        assert f'href="/developer/{conversation}"' in (await developer.get("/developer")).text
    parse(page)
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    for expected in (
        "complete · the provider said tool_use",
        "Call 0 · create_ticket",
        "preparing", "→ ready", "→ running", "→ done",
        "longest gap", "median", "p99",
        "strict parse passed", "authorisation passed", "policy passed run",
        "as “Priority”",
        "the model was told", "TICK-",
        "call 0 opened, preparing: Create ticket",
    ):  # fmt: skip
        assert expected in text, expected
    assert page.count("<svg") >= 8


async def test_what_the_map_withholds_is_told_apart(tmp_path: Path) -> None:
    arguments = '{"title":"A","raw_customer_email":"a@b.c","stray":{"deep":1}}'
    events: list[dict[str, Any]] = [
        {"type": "content_block_start", "index": 0,
         "content_block": {"type": "tool_use", "id": "i", "name": "create_ticket", "input": {}}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "input_json_delta", "partial_json": arguments}},
    ]  # fmt: skip
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    async with house(tmp_path) as at, at.visitor("developer") as developer:
        answer = await developer.post(
            "/developer/replays",
            data={"dialect": "anthropic-messages"},
            files={"recording": ("x", body.encode())},
        )
        page = (await developer.get(answer.headers["location"])).text
    told = {row[0]: row[5] for row in _table(page, "Settled values", "caption")}
    assert told == {
        "$.title": "as “Title”",
        "$.raw_customer_email": "withheld by the map",
        "$.stray.deep": "withheld by the map",
        "$.stray": "-",
        "$": "-",
    }
    assert "invalid_arguments" not in page, "the end is missing, so the gate came no further"


async def test_every_attempt_and_retry_is_shown(tmp_path: Path) -> None:
    async with house(tmp_path) as at, at.visitor("developer") as developer:
        conversation = await say(developer, BREAKS)
        page = await developed(developer, conversation)
        compared = [await developer.get(place) for place in links(page, "comparison")]
    assert page.count('class="turn"') == 3
    assert page.count("the connection broke") >= 3
    assert page.count("<b>regenerating</b>") == 2
    assert "<b>gave_up</b>" in page
    for answer in compared:
        assert "The same: " in answer.text


async def test_a_recording_from_the_view_replays_to_the_same(tmp_path: Path) -> None:
    async with house(tmp_path) as at, at.visitor("developer") as developer:
        conversation = await say(developer, TICKET)
        page = await developed(developer, conversation)
        body = await developer.get(links(page, "body")[0])
        timed = await developer.get(links(page, "recording")[0])
        compared = await developer.get(links(page, "comparison")[0])
        uploads = [
            await developer.post(
                "/developer/replays",
                data={"dialect": "anthropic-messages"},
                files={"recording": ("x", content)},
            )
            for content in (body.content, timed.content)
        ]
        replays = [await developer.get(answer.headers["location"]) for answer in uploads]
    assert "The same: " in compared.text
    lines = await _told(body.content)
    [call] = lines[-1]["calls"]
    assert (call["name"], call["verdict"]) == ("create_ticket", "run")
    rows = [line for line in lines if line["event"] == "rows"][-1]["rows"]
    shown = _table(page, "Rows that the end user has")
    assert [(r[1], r[2], r[5]) for r in shown] == [
        (row["label"], row["status"], row["text"].replace("\n", "U+000A")) for row in rows
    ]
    for replay in replays:
        assert replay.status_code == 200
        assert "Call 0 · create_ticket" in replay.text
        assert "1970" not in replay.text
        assert "<dt>requested</dt>" not in replay.text, "for a replay nothing was"
    assert "<dt>requested</dt>" in page
    assert ["made up" in replay.text for replay in replays] == [True, False]


async def _told(body: bytes) -> list[Any]:
    parts = replay_parts(read_settings({}), "anthropic-messages", body, None, None)
    lines: list[JsonObject] = []
    await Replay(
        parts.provider, parts.rules, parts.maps, parts.formats, parts.limits, lines.append
    ).run()
    await parts.provider.close()
    return lines


def _table(page: str, caption: str, tag: str = 'caption class="unseen"') -> list[list[str]]:
    """The cells of the first table with a caption that begins so."""
    part = page[page.index(f"<{tag}>{caption}") :]
    rows = re.findall(r"(?s)<tr>(<td>.*?)</tr>", part[: part.index("</table>")])
    cells = [re.findall(r"(?s)<td>(.*?)</td>", row) for row in rows]
    return [[parse(f"<p>{cell}</p>").text() for cell in row] for row in cells]


async def test_a_replay_goes_on_and_back_to_any_step(tmp_path: Path) -> None:
    async with house(tmp_path) as at, at.visitor("developer") as developer:
        conversation = await say(developer, TICKET)
        page = await developed(developer, conversation)
        [replay, *_] = links(page, "replay")
        [call] = links(page, "1")
        steps = {n: (await developer.get(f"{replay}?at={n}")).text for n in (0, 25, 24, 9999)}
        walked = {
            n: (await developer.get(f"{call.split('?')[0]}?at={n}")).text for n in (0, 4, 999)
        }
    assert "nothing yet" in steps[0]
    assert '<a href="' + replay + '?at=24">Back</a>' in steps[25]
    assert '<a href="' + replay + '?at=25">On</a>' in steps[24]
    assert "TurnEnded" in steps[9999]
    assert "$.project" in walked[4]
    assert 'class="piece current" data-fragment="4"' in walked[4]
    assert "<dt>parser</dt><dd>complete</dd>" in walked[999]


async def test_a_recording_of_the_folder_is_replayed_and_no_other_file_is(tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "unicode.sse").write_bytes(own("anthropic-messages", "unicode.sse"))
    (tmp_path / "secret").write_text("not yours")
    async with (
        house(tmp_path / "data", DEVELOPER_RECORDINGS=str(folder)) as at,
        at.visitor("developer") as developer,
    ):
        listing = (await developer.get("/developer")).text
        good, *bad = [
            await developer.post(
                "/developer/replays", data={"dialect": "anthropic-messages", "file": name}
            )
            for name in ("unicode.sse", "../secret", "/etc/passwd", "nothing")
        ]
    assert "<option>unicode.sse</option>" in listing
    assert good.status_code == 303
    assert [answer.status_code for answer in bad] == [404] * 3


@pytest.mark.parametrize(
    ("content", "dialect", "status"),
    [
        (b"", "gemini", 422),
        (b'{"format": "formwork-wire-1"}\n', "gemini", 422),
        (b"x", "klingon", 422),
        (b"data: nonsense\n\n", "anthropic-messages", 303),
        (b"\xff\xfe\x00", "ollama", 303),
        (b"x" * 200_000, "gemini", 413),
    ],
)
async def test_an_upload_is_bounded_and_checked(
    content: bytes, dialect: str, status: int, tmp_path: Path
) -> None:
    async with (
        house(tmp_path, DEVELOPER_TURN_BYTES="100000") as at,
        at.visitor("developer") as developer,
    ):
        answer = await developer.post(
            "/developer/replays", data={"dialect": dialect}, files={"recording": ("x", content)}
        )
        assert answer.status_code == status
        if status == 303:
            assert (await developer.get(answer.headers["location"])).status_code == 200


async def test_what_is_gone_is_not_found(tmp_path: Path) -> None:
    async with house(tmp_path) as at, at.visitor("developer") as developer:
        for place in ("/developer/c0", "/developer/c0/t0/body", "/developer/replays/r0"):
            assert (await developer.get(place)).status_code == 404


async def test_a_turn_that_was_not_observed_is_shown_from_the_record(tmp_path: Path) -> None:
    async with house(tmp_path, view=False) as at, at.visitor() as person:
        conversation = await say(person, TICKET)
    async with house(tmp_path) as at, at.visitor("developer") as developer:
        page = (await developer.get(f"/developer/{conversation}")).text
    assert "no: the view was off, or it was too long ago" in page
    assert "create_ticket" in page


async def test_the_stream_sends_what_came_since(tmp_path: Path) -> None:
    async with house(tmp_path) as at, at.visitor("developer") as developer:
        conversation = await say(developer, TICKET)
        await developed(developer, conversation)
        desk = at.app.state.developer_desk
        assert isinstance(desk, Desk)
        stream = messages(desk, conversation, "", 0.01)
        assert await anext(stream) == b":\n\n"
        first = (await anext(stream)).decode()
        assert 'hx-target="#exchanges" hx-swap="beforeend"' in first
        position = re.findall(r"id:(\S+)", first)[0]
        await stream.aclose()
        again = messages(desk, conversation, position, 0.01)
        await anext(again)
        waiting = asyncio.ensure_future(anext(again))
        await asyncio.sleep(0.2)
        assert not waiting.done(), "nothing came since"
        answer = await developer.post(f"/c/{conversation}/messages", data={"message": "Hello"})
        assert answer.status_code == 303
        message = (await asyncio.wait_for(waiting, 10)).decode()
        assert "Hello" in message
        await again.aclose()


async def test_what_was_observed_is_never_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(tmp_path) as at, at.visitor("developer") as developer:
        page = await developed(developer, await say(developer, TICKET))
        for place in re.findall(r'href="(/developer/c[^"#]+)"', page):
            await developer.get(place)
    assert "March" not in caplog.text
    assert json.dumps("BILLING") not in caplog.text
