"""The moments at which a server is killed: how the model brings one about, and what must be true
after a restart."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.exchange.wire import call_body, text_body
from tests.providers.stub_server import Ending, Plan
from tests.providers.wire_shorthand import anthropic

DIALECT = "anthropic-messages"
ARGUMENTS = '{"text": "milk and bread"}'
NEVER_S = 3600.0


@dataclass(frozen=True, slots=True)
class Moment:
    """``turns``: what the model answers to the message. Reached once the page shows ``states``
    and ``notices``, and holds ``text``, and the store holds ``recorded`` states.

    After the restart the page shows ``after``, with ``told`` as its notices, the exchange ended as
    ``outcome``, and the tools ran as ``ran``.
    """

    turns: Sequence[Plan]
    states: Sequence[str] = ()
    notices: Sequence[str] = ()
    text: str = ""
    recorded: Sequence[str] = ()
    after: Sequence[str] = ()
    told: Sequence[str] = ("interrupted",)
    outcome: str = "interrupted"
    ran: Sequence[str] = ()
    turns_kept: int = 0
    stops: bool = False
    keeps: bool = False


def _silent(body: bytes) -> Plan:
    return Plan(body, ending=Ending.SILENT)


def _called(*names: str) -> Plan:
    body = anthropic.start()
    for index, name in enumerate(names):
        body += anthropic.call(index, f"id_{index}", name)
        body += anthropic.piece(index, ARGUMENTS) + anthropic.end(index)
    return Plan(body + anthropic.reason("tool_use") + anthropic.STOP)


_CALL = call_body(DIALECT, "note", ARGUMENTS)
_HALF = call_body(DIALECT, "note", ARGUMENTS[:12])
_HALF_TEXT = anthropic.start() + anthropic.block(0, "text", text="") + anthropic.text(0, "Let me s")
_TRUNCATED = Plan(call_body(DIALECT, "note", ARGUMENTS, stop="max_tokens").whole)
_NO_BYTE = Plan(b"", late_s=NEVER_S)
_OVERLOADED = Plan(
    b'{"type":"error","error":{"type":"overloaded_error","message":"x"}}',
    status=529,
    content_type="application/json",
    headers={"retry-after": "50"},
)

MOMENTS: dict[str, Moment] = {
    "before_the_first_byte": Moment([_NO_BYTE]),
    "in_the_text": Moment([_silent(_HALF_TEXT)], text="Let me s"),
    "after_the_announcement": Moment([_silent(_HALF.head)], states=["preparing"]),
    "in_the_arguments": Moment([_silent(_HALF.unended)], states=["preparing"]),
    "after_the_last_argument": Moment([_silent(_CALL.unended)], states=["preparing"]),
    "after_completion": Moment([_silent(_CALL.unended + anthropic.end(1))], states=["ready"]),
    "before_message_stop": Moment(
        [_silent(_CALL.unended + anthropic.end(1) + anthropic.reason("tool_use"))],
        states=["ready"],
    ),
    "in_a_regeneration": Moment(
        [_TRUNCATED, _silent(_HALF_TEXT)],
        states=["not_run"],
        notices=["regenerating"],
        text="Let me s",
        after=["not_run"],
        told=["regenerating", "interrupted"],
    ),
    "waiting_to_retry": Moment(
        [_OVERLOADED],
        notices=["waiting_to_retry"],
        told=["waiting_to_retry", "interrupted"],
    ),
    "with_a_kept_message": Moment([_silent(_HALF_TEXT)], text="Let me s", turns_kept=1, keeps=True),
    "after_the_answer": Moment(
        [Plan(text_body(DIALECT, "That was all."))],
        text="That was all.",
        told=(),
        outcome="answered",
        turns_kept=1,
    ),
    "result_on_record": Moment(
        [_called("note"), _NO_BYTE],
        states=["done"],
        recorded=["done"],
        after=["done"],
        ran=["note"],
        turns_kept=1,
    ),
    "in_the_second_turn": Moment(
        [_called("note"), _silent(_HALF_TEXT)],
        states=["done"],
        text="Let me s",
        recorded=["done"],
        after=["done"],
        ran=["note"],
        turns_kept=1,
    ),
    "refused_and_in_the_second_turn": Moment(
        [_called("nobody_knows"), _silent(_HALF_TEXT)],
        states=["not_run"],
        text="Let me s",
        recorded=["not_run"],
        after=["not_run"],
        turns_kept=1,
    ),
    "running": Moment(
        [_called("hold")],
        states=["running"],
        recorded=["running"],
        after=["unknown"],
        ran=["hold"],
        turns_kept=1,
    ),
    "one_done_and_one_running": Moment(
        [_called("note", "hold")],
        states=["done", "running"],
        recorded=["done", "running"],
        after=["done", "unknown"],
        ran=["note", "hold"],
        turns_kept=1,
    ),
    "one_running_and_one_not_started": Moment(
        [_called("hold", "note")],
        states=["running", "ready"],
        recorded=["running", "ready"],
        after=["unknown", "not_run"],
        ran=["hold"],
        turns_kept=1,
    ),
    "stop_asked_while_running": Moment(
        [_called("hold")],
        states=["running"],
        recorded=["running"],
        after=["unknown"],
        told=["stopped"],
        outcome="stopped",
        ran=["hold"],
        turns_kept=1,
        stops=True,
    ),
    "idempotent_and_running": Moment(
        [_called("again", "note")],
        states=["running", "ready"],
        recorded=["running", "ready"],
        after=["done", "done"],
        told=(),
        outcome="answered",
        ran=["again", "again", "note"],
        turns_kept=2,
    ),
    "idempotent_and_stop_asked": Moment(
        [_called("again")],
        states=["running"],
        recorded=["running"],
        after=["unknown"],
        told=["stopped"],
        outcome="stopped",
        ran=["again"],
        turns_kept=1,
        stops=True,
    ),
    # The last: every room for a running call is taken by the ones above.
    "on_record_and_not_claimed": Moment(
        [_called("note")],
        states=["ready"],
        recorded=["ready"],
        after=["not_run"],
        turns_kept=1,
    ),
}

ROOMS = sum("running" in moment.recorded for moment in MOMENTS.values())
"""Calls that are running at the kill."""
