"""What each of our own ``gemini`` recordings must come to."""

from collections.abc import Mapping
from decimal import Decimal

from app.calls.events import Stop
from app.providers.provider import FailureKind
from tests.providers.anthropic_kinds import Kind

_COMPLETE, _CUT, _BROKEN, _REFUSED, _ERROR = (
    Stop.COMPLETE,
    Stop.TRUNCATED,
    Stop.INCOMPLETE,
    Stop.REFUSED,
    Stop.ERROR,
)

KINDS: Mapping[str, Kind] = {
    "call-after-the-reason": Kind(
        _COMPLETE, "STOP", ((None, "f", {"x": 1}),), fault="a call came after the finish reason"
    ),
    "code-execution": Kind(
        _COMPLETE, "STOP", text="42.", work=("code_execution begun", "code_execution finished")
    ),
    "ids": Kind(
        _COMPLETE,
        "STOP",
        (
            ("a1", "f", {"x": 1}),
            ("a2", "f", {"x": 2}),
        ),
    ),
    "json-array-not-closed.json": Kind(
        _BROKEN, "STOP", (("p1", "add_person", {"name": 'Ada ["{', "age": 30}),)
    ),
    "json-array.json": Kind(
        _COMPLETE, "STOP", (("p1", "add_person", {"name": 'Ada ["{', "age": 30}),)
    ),
    "keep-alives": Kind(_COMPLETE, "STOP", ((None, "f", {"x": 1}),)),
    "key-twice": Kind(_BROKEN, None),
    "malformed-call": Kind(_ERROR, "MALFORMED_FUNCTION_CALL", ((None, "f", {"x": 1}),)),
    "max-tokens": Kind(_CUT, "MAX_TOKENS", ((None, "f", {"x": 1}),)),
    "no-arguments": Kind(
        _COMPLETE,
        "STOP",
        (
            (None, "now", {}),
            (None, "now", ""),
        ),
    ),
    "no-reason": Kind(_BROKEN, None, ((None, "f", {"x": 1}),)),
    "not-a-number": Kind(_BROKEN, None),
    "numbers": Kind(
        _COMPLETE,
        "STOP",
        (
            (
                None,
                "q",
                {
                    "id": 2512292042121000001,
                    "p": Decimal("1250.00"),
                    "e": Decimal("1E+400"),
                    "t": Decimal("0.1"),
                },
            ),
        ),
    ),
    "one-call": Kind(_COMPLETE, "STOP", ((None, "f", {"x": 1}),)),
    "other": Kind(_BROKEN, "OTHER", ((None, "f", {"x": 1}),)),
    "parallel-without-ids": Kind(
        _COMPLETE,
        "STOP",
        (
            (None, "f", {"x": 1}),
            (None, "f", {"x": 2}),
        ),
    ),
    "partial-arguments-never-closed": Kind(_COMPLETE, "STOP", ((None, "f", {"s": "a"}),)),
    "partial-arguments-nowhere": Kind(
        _COMPLETE,
        "STOP",
        ((None, "f", ""),),
        fault="a piece of the arguments says not what or not where",
    ),
    "partial-arguments-two-calls": Kind(
        _COMPLETE,
        "STOP",
        (
            (None, "f", {"s": "ab"}),
            (None, "f", {"s": "c"}),
        ),
    ),
    "partial-arguments": Kind(
        _COMPLETE,
        "STOP",
        (
            (
                None,
                "create_ticket",
                {
                    "title": "March run",
                    "lines": [{"amount": 12}, {"amount": Decimal("0.5")}],
                    "odd key": True,
                    "note": None,
                },
            ),
        ),
    ),
    "prohibited": Kind(_REFUSED, "PROHIBITED_CONTENT", ((None, "f", {"x": 1}),)),
    "prompt-blocked": Kind(_REFUSED, "SAFETY"),
    "recitation": Kind(_REFUSED, "RECITATION", ((None, "f", {"x": 1}),)),
    "safety": Kind(_REFUSED, "SAFETY", ((None, "f", {"x": 1}),)),
    "second-answer": Kind(
        _COMPLETE,
        "STOP",
        text="Yes.",
        warns="a second answer came, and one was asked for; it is left out",
    ),
    "signed-text": Kind(_COMPLETE, "STOP", text="Plain. Signed."),
    "text-then-call": Kind(
        _COMPLETE,
        "STOP",
        ((None, "look_up_invoice", {"invoice_number": "INV-2026-0312"}),),
        text="I'll look.",
    ),
    "text": Kind(_COMPLETE, "STOP", text="Good morning."),
    "thought-then-signed-call": Kind(
        _COMPLETE,
        "STOP",
        (
            (None, "f", {"x": 1}),
            (None, "f", {"x": 2}),
        ),
    ),
    "unexpected-call": Kind(_ERROR, "UNEXPECTED_TOOL_CALL", ((None, "f", {"x": 1}),)),
    "unicode": Kind(_COMPLETE, "STOP", ((None, "echo", {"message": 'Grüße 東京 😀 "q" \n'}),)),
    "unknown-part": Kind(
        _COMPLETE,
        "STOP",
        text="A picture.",
        warns="a part of a kind that is not shown here; it is kept",
    ),
    "unknown-reason": Kind(_BROKEN, "GONE_FISHING", ((None, "f", {"x": 1}),)),
    "unreadable-chunk": Kind(_BROKEN, None, ((None, "f", {"x": 1}),)),
}

FAILURES: Mapping[str, tuple[FailureKind, str]] = {
    "error-object": (FailureKind.OVERLOADED, "HTTP 503: UNAVAILABLE: The model is overloaded."),
}
"""Bodies in which the API fails: kind and detail."""
