"""Before a request for a decision is on record, no page holds anything of one.

Every way to cut a call's arguments in two, and every single character, through the code path of
a live turn and of the page.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from app.calls.call_ids import call_id
from app.calls.events import ArgumentFragment, CallAnnounced, CallCompleted, Event
from app.calls.json_types import JsonObject
from app.calls.states import CallState
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.live_turn import LiveTurn
from app.display.updates import ApprovalChanged, CallChanged, ExchangeOpened, Update, apply
from app.display.view import ApprovalView, ConversationView
from app.display.whole import whole_for_person
from app.tools.map_files import map_compiler
from app.web.fragments import Fragments
from app.web.render import Renderer
from app.web.screen import Screen
from tests.web.scripted import WHEN
from tests.web.wording import prompts, templates, words

TEXT = '{"to": "Ada", "text": "Line one\\nand \\u00e9 two", "urgent": true}'
FORMATS = Formats("en")


def by_user() -> FieldMap:
    return map_compiler().compile(
        {
            "tool": "post",
            "label": "Post",
            "description": "Post something.",
            "parameters": {
                "type": "object",
                "properties": {
                    "to": {"type": "string"},
                    "text": {"type": "string"},
                    "urgent": {"type": "boolean"},
                },
                "required": ["to", "text"],
                "additionalProperties": False,
            },
            "display": {
                "to": {"label": "To"},
                "text": {"label": "Text", "mode": "stream"},
                "urgent": {"label": "Urgent", "format": "yes_no"},
            },
            "approval": {"required": True, "by": "user"},
        }
    )


def writing(pieces: Sequence[str]) -> Iterator[Event]:
    yield CallAnnounced(0, "id", "post")
    for piece in pieces:
        yield ArgumentFragment(0, piece)
    yield CallCompleted(0)


def asked(known: FieldMap) -> list[Update]:
    arguments: JsonObject = {"to": "Ada", "text": "Line one\nand é two", "urgent": True}
    approval = ApprovalView(
        "a1",
        "user",
        "digest",
        WHEN,
        WHEN + timedelta(hours=1),
        "v1",
        known.description,
        whole_for_person(known, arguments, FORMATS),
    )
    ours = call_id("t", 0)
    return [
        ApprovalChanged("x", "t", ours, approval),
        CallChanged("x", "t", ours, CallState.AWAITING_APPROVAL),
    ]


def test_nothing_of_a_prompt_is_sent_before_there_is_one() -> None:
    known = by_user()
    fragments = Fragments(templates(), words(), prompts())
    render = Renderer(templates(), words(), prompts())
    cuts = [[TEXT[:at], TEXT[at:]] for at in range(1, len(TEXT))]
    for pieces in [*cuts, list(TEXT)]:
        live = LiveTurn("x", "t", {"post": known}, FORMATS)
        view = ConversationView("c")
        apply(view, [ExchangeOpened("x", "Post it", WHEN)])
        screen = Screen(view)
        for event in writing(pieces):
            sent = fragments.update(screen, live.take(event))
            for html in (sent, str(render.log(view))):
                assert "data-approval" not in html, pieces
                assert "decision" not in html, pieces
        sent = fragments.update(screen, asked(known))
        assert 'data-approval="a1"' in sent or "data-approval=a1" in sent
        assert sent.count("name=decision") + sent.count('name="decision"') == 2
