"""What each of our own ``anthropic-messages`` recordings must come to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from app.calls.events import Stop
from app.calls.json_types import JsonObject

CallTuple = tuple[str | None, str | None, str | JsonObject]


@dataclass(frozen=True, slots=True)
class Kind:
    """``calls``: id, name, argument text or object. ``work``: the provider's own, in order.
    ``fault``: a word of the fault that makes the turn unusable. ``warns``: a word of a warning."""

    stop: Stop
    provider_stop: str | None
    calls: tuple[CallTuple, ...] = ()
    text: str = ""
    work: tuple[str, ...] = ()
    fault: str | None = None
    warns: str | None = None
    kept: tuple[str, ...] = field(default=())
    """Types of the blocks that are kept to be sent back."""


_COMPLETE, _CUT, _BROKEN = Stop.COMPLETE, Stop.TRUNCATED, Stop.INCOMPLETE
_F: CallTuple = ("toolu_01", "f", '{"x":1}')
_EMPTY: CallTuple = ("toolu_01", "f", "{}")

KINDS: Mapping[str, Kind] = {
    "text-only": Kind(_COMPLETE, "end_turn", text="Good morning."),
    "text-then-call": Kind(
        _COMPLETE,
        "tool_use",
        (("toolu_01", "look_up_invoice", '{"invoice_number": "INV-2026-0312"}'),),
        "I'll look that up.",
    ),
    "no-arguments": Kind(_COMPLETE, "tool_use", (("toolu_01", "now", ""), ("toolu_02", "now", ""))),
    "parallel-calls": Kind(
        _COMPLETE,
        "tool_use",
        (
            ("toolu_01", "create_ticket", '{"project":"WEB","title":"One","priority":"low"}'),
            ("toolu_02", "create_ticket", '{"project":"CORE","title":"Two","priority":"high"}'),
            ("toolu_03", "look_up_invoice", '{"invoice_number":"INV-2026-0312"}'),
        ),
    ),
    "input-in-start": Kind(
        _COMPLETE,
        "tool_use",
        (
            (
                "toolu_01",
                "write_file",
                {"path": "notes.txt", "content": "Grüße", "amount": Decimal("1250.5")},
            ),
        ),
    ),
    "input-in-start-and-equal-fragments": Kind(
        _COMPLETE, "tool_use", (("toolu_01", "f", '{"x": 1}'),)
    ),
    "input-in-start-and-other-fragments": Kind(
        _COMPLETE, "tool_use", (("toolu_01", "f", '{"x": 2}'),), fault="differ"
    ),
    "input-in-start-with-a-key-twice": Kind(_COMPLETE, "tool_use", fault="twice"),
    "whole-call-in-message-start": Kind(
        _COMPLETE, "tool_use", (("toolu_01", "roll_die", {"player": "two"}),), kept=("container",)
    ),
    "unicode": Kind(
        _COMPLETE,
        "tool_use",
        (
            (
                "toolu_01",
                "write_file",
                r'{"path":"Grüße.txt","content":"\ud83d\ude00 東京 \"na\u00efve\" 🧾"}',
            ),
        ),
    ),
    "numbers": Kind(
        _COMPLETE,
        "tool_use",
        (("toolu_01", "refund", '{"amount": 1250.00, "id": 2512292042121000001}'),),
    ),
    "raw-newline-in-string": Kind(
        _COMPLETE,
        "tool_use",
        (("toolu_01", "write_file", '{"path":"a","content":"line1\nline2"}'),),
    ),
    "max-tokens-parseable": Kind(
        _CUT,
        "max_tokens",
        (("toolu_01", "create_ticket", '{"project":"WEB","title":"T","priority":"low"}'),),
    ),
    "max-tokens-mid-arguments": Kind(
        _CUT, "max_tokens", (("toolu_01", "create_ticket", '{"project":"WEB","title":"half'),)
    ),
    "context-window-exceeded": Kind(_CUT, "model_context_window_exceeded", text="The answer is"),
    "refusal": Kind(
        Stop.REFUSED, "refusal", (("toolu_01", "write_file", '{"path":"a","content":"b"}'),)
    ),
    "stop-sequence": Kind(_COMPLETE, "stop_sequence", text="One, two"),
    "unknown-stop-reason": Kind(_BROKEN, "out_of_luck", (_F,)),
    "no-stop-reason": Kind(_BROKEN, None, (_F,)),
    "ends-before-message-stop": Kind(_BROKEN, "tool_use", (("toolu_01", "rm", '{"path":"/x"}'),)),
    "ends-in-mid-arguments": Kind(_BROKEN, None, (("toolu_01", "rm", '{"path":"/x"}'),)),
    "pause-turn": Kind(
        _COMPLETE,
        "pause_turn",
        text="I'll search.",
        work=("web_search begun",),
        kept=("server_tool_use",),
    ),
    "thinking-then-call": Kind(
        _COMPLETE,
        "tool_use",
        (("toolu_01", "look_up_invoice", '{"invoice_number":"INV-2026-0312"}'),),
        kept=("thinking", "redacted_thinking"),
    ),
    "server-tool": Kind(
        _COMPLETE,
        "tool_use",
        (("toolu_01", "create_ticket", '{"project":"WEB","title":"Tides","priority":"low"}'),),
        "Searching.High water is at noon.",
        ("web_search begun", "web_search finished"),
        kept=("server_tool_use", "web_search_tool_result"),
    ),
    "server-tool-unreadable-input": Kind(
        _COMPLETE,
        "end_turn",
        work=("web_search begun",),
        fault="web_search",
        kept=("server_tool_use",),
    ),
    "mcp-tool": Kind(
        _COMPLETE,
        "end_turn",
        text="Because.",
        work=("ask begun", "ask finished"),
        kept=("mcp_tool_use", "mcp_tool_result"),
    ),
    "keep-alives": Kind(_COMPLETE, "tool_use", (_F,), warns="without a payload"),
    "data-before-event": Kind(_COMPLETE, "tool_use", (_F,)),
    "no-event-names": Kind(_COMPLETE, "tool_use", (_F,)),
    "carriage-returns": Kind(_COMPLETE, "tool_use", (_F,)),
    "late-fragment": Kind(_COMPLETE, "tool_use", (_EMPTY,), fault="not open"),
    "call-never-closed": Kind(_BROKEN, "tool_use", (_EMPTY, ("toolu_02", "g", ""))),
    "index-used-twice": Kind(_COMPLETE, "tool_use", (_EMPTY,), fault="index"),
    "two-stop-reasons": Kind(_COMPLETE, "tool_use", (_EMPTY,), fault="two stop reasons"),
    "two-message-starts": Kind(_COMPLETE, "tool_use", (), fault="second message_start"),
    "broken-event": Kind(_COMPLETE, "tool_use", (("toolu_01", "f", ""),), fault="not a JSON"),
    "text-within-call": Kind(_COMPLETE, "tool_use", (("toolu_01", "f", ""),), fault="text_delta"),
    "unknown-kinds": Kind(_COMPLETE, "end_turn", text="Hello", warns="hologram"),
    "missing-id-and-name": Kind(_COMPLETE, "tool_use", ((None, None, ""),)),
    "same-id-twice": Kind(
        _COMPLETE, "tool_use", (("f:0", "f", '{"q":1}'), ("f:0", "f", '{"q":2}'))
    ),
    "empty-text": Kind(_COMPLETE, "tool_use", (_F,)),
    "split-surrogates": Kind(_COMPLETE, "end_turn", text="Hi 😀 and \ufffd alone"),
}

FAILURES = ("error-overloaded", "error-as-plain-text")
"""Recordings in which the API fails in mid-stream."""
