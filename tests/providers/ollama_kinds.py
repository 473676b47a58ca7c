"""What each of our own ``ollama`` recordings must come to."""

from collections.abc import Mapping
from decimal import Decimal

from app.calls.events import Stop
from app.providers.provider import FailureKind
from tests.providers.anthropic_kinds import Kind

_COMPLETE, _CUT, _BROKEN, _ERROR = Stop.COMPLETE, Stop.TRUNCATED, Stop.INCOMPLETE, Stop.ERROR

KINDS: Mapping[str, Kind] = {
    "arguments-as-text": Kind(_COMPLETE, "stop", ((None, "f", '{"x":1}'),)),
    "arguments-of-a-wrong-type": Kind(
        _COMPLETE, "stop", ((None, "f", ""),), fault="arguments came as neither an object nor text"
    ),
    "blank-lines-and-no-last-line-end": Kind(_COMPLETE, "stop", ((None, "f", {"x": '}{"'}),)),
    "call-in-the-last-line": Kind(_COMPLETE, "stop", ((None, "f", {"x": 1}),)),
    "ends-before-done": Kind(_BROKEN, None, ((None, "f", {"x": 1}),)),
    "ids": Kind(
        _COMPLETE,
        "stop",
        (
            ("call_1", "f", {"x": 1}),
            ("call_2", "f", {"x": 2}),
        ),
    ),
    "key-twice": Kind(_BROKEN, None),
    "length": Kind(_CUT, "length", ((None, "f", {"x": 1}),)),
    "malformed-call": Kind(_ERROR, "error", text="Well"),
    "no-arguments": Kind(
        _COMPLETE,
        "stop",
        (
            (None, "now", {}),
            (None, "now", ""),
            (None, "now", ""),
        ),
    ),
    "no-reason": Kind(_BROKEN, None, ((None, "f", {"x": 1}),)),
    "numbers": Kind(
        _COMPLETE,
        "stop",
        (
            (
                None,
                "q",
                {"id": 2512292042121000001, "p": Decimal("1250.00"), "e": Decimal("1E+400")},
            ),
        ),
    ),
    "text": Kind(_COMPLETE, "stop", text="Good morning."),
    "thinking-then-call": Kind(_COMPLETE, "stop", ((None, "f", {}),)),
    "thinking-then-text": Kind(_COMPLETE, "stop", text="Yes."),
    "two-calls-one-line": Kind(
        _COMPLETE,
        "stop",
        (
            (None, "f", {"x": 1}),
            (None, "f", {"x": 2}),
        ),
        text="Both.",
    ),
    "two-calls-two-lines": Kind(
        _COMPLETE,
        "stop",
        (
            (None, "f", {"x": 1}),
            (None, "g", {"y": "ü"}),
        ),
    ),
    "unknown-reason": Kind(_BROKEN, "unload", ((None, "f", {"x": 1}),)),
    "unreadable-line": Kind(_BROKEN, None, ((None, "f", {"x": 1}),)),
}

FAILURES: Mapping[str, tuple[FailureKind, str]] = {
    "error-line": (FailureKind.SERVER_ERROR, "llama runner process has terminated"),
}
"""Bodies in which the API fails: kind and detail."""
