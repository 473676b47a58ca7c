"""What each of our own ``openai-chat`` recordings must come to."""

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
    "arguments-as-an-object": Kind(
        _COMPLETE, "tool_calls", (("a", "f", {"x": Decimal("1250.5")}),)
    ),
    "arguments-of-a-wrong-type": Kind(
        _COMPLETE,
        "tool_calls",
        (("a", "f", ""),),
        fault="arguments came as neither text nor an object",
    ),
    "carriage-returns": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),)),
    "content-filter": Kind(_REFUSED, "content_filter", (("a", "f", '{"x":1}'),)),
    "custom-tool": Kind(
        _COMPLETE,
        "tool_calls",
        (("a", None, ""),),
        fault="a custom tool was called, and none was offered",
    ),
    "done-without-a-reason": Kind(_BROKEN, None, (("a", "f", '{"x":1}'),)),
    "dropped-before-the-reason": Kind(_BROKEN, None, (("a", "rm", '{"p":"/x"}'),)),
    "empty-and-null-repeats": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),)),
    "empty-arguments": Kind(
        _COMPLETE,
        "tool_calls",
        (
            ("a", "now", ""),
            ("b", "now", ""),
            ("c", "now", ""),
            ("d", "now", " \n"),
        ),
    ),
    "empty-delta-with-the-finish": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"q":"x"}'),)),
    "endless-white-space": Kind(
        _CUT,
        "length",
        (
            (
                "a",
                "f",
                "{" + "\t" * 60,
            ),
        ),
    ),
    "every-call-index-0": Kind(
        _COMPLETE,
        "tool_calls",
        (
            ("a", "f", '{"x":1}'),
            ("b", "f", '{"x":2}'),
        ),
        warns="index 0 was used for more than one call; the id told them apart",
    ),
    "filter-as-error": Kind(_REFUSED, "content_filter", text="Well"),
    "id-in-every-piece": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),)),
    "id-then-name": Kind(_COMPLETE, "tool_calls", (("a", "f", "{}"),)),
    "index-0-interleaved-by-id": Kind(
        _COMPLETE,
        "tool_calls",
        (
            ("a", "f", '{"x":1}'),
            ("b", "g", '{"y":2}'),
        ),
        warns="index 0 was used for more than one call; the id told them apart",
    ),
    "keep-alives": Kind(
        _COMPLETE,
        "tool_calls",
        (("a", "f", '{"x":1}'),),
        warns="2 events held no payload and were left out",
    ),
    "last-fragment-with-the-finish": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"q":"x"}'),)),
    "legacy-function-call": Kind(_COMPLETE, "function_call", ((None, "f", '{"x":1}'),)),
    "length-and-parseable": Kind(_CUT, "length", (("a", "delete", '{"target":"x"}'),)),
    "length-mid-arguments": Kind(_CUT, "length", (("a", "delete", '{"target":"x","dry_run": tr'),)),
    "mark-without-line-end": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),)),
    "message-beside-delta": Kind(_COMPLETE, "tool_calls", (("a", "f", "{}"),)),
    "name-changes": Kind(
        _COMPLETE,
        "tool_calls",
        (("a", "f", '{"x":'),),
        fault="a call's name changed while it was written",
    ),
    "name-then-id": Kind(_COMPLETE, "tool_calls", (("a", "f", "{}"),)),
    "native-reason-says-cut": Kind(_CUT, "tool_calls", (("a", "f", '{"x":1}'),)),
    "nested-delta-that-repeats-the-text": Kind(
        _COMPLETE, "tool_calls", (("a", "f", '{"a":[{"a":[]}]}'),)
    ),
    "no-ids": Kind(_COMPLETE, "tool_calls", ((None, "f", '{"x":1}'),)),
    "no-index-ambiguous": Kind(
        _BROKEN,
        None,
        (
            ("a", "f", '{"x":'),
            ("b", "g", '{"y":'),
        ),
    ),
    "no-index-no-id-same-name-again": Kind(_BROKEN, None, ((None, "f", '{"x":1}'),)),
    "no-index-two-ids": Kind(
        _COMPLETE,
        "tool_calls",
        (
            ("a", "f", '{"x":1}'),
            ("b", "g", '{"y":2}'),
        ),
    ),
    "no-index": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),)),
    "no-mark-and-no-usage": Kind(_BROKEN, "tool_calls", (("a", "f", '{"x":1}'),)),
    "no-mark-with-usage": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),)),
    "not-a-number": Kind(_COMPLETE, "tool_calls", (("a", "pay", '{"amount":NaN}'),)),
    "not-an-object": Kind(_COMPLETE, "tool_calls", (("a", "f", "[1]"),)),
    "not-streamed": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),), text="Here."),
    "numbers": Kind(
        _COMPLETE, "tool_calls", (("a", "q", '{"id":2512292042121000001,"p":1250.00,"e":1e400}'),)
    ),
    "only-index-1": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),)),
    "parallel-interleaved": Kind(
        _COMPLETE,
        "tool_calls",
        (
            ("a", "f", '{"x":1}'),
            ("b", "g", '{"y":2}'),
        ),
    ),
    "piece-after-the-reason": Kind(
        _COMPLETE,
        "tool_calls",
        (("a", "f", "{}"),),
        fault="a piece of a call came after the finish reason",
    ),
    "prototype-names": Kind(
        _COMPLETE, "tool_calls", (("__proto__", "constructor", '{"__proto__":{"x":1}}'),)
    ),
    "raw-newline-in-string": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"t":"line1\nline2"}'),)),
    "reason-of-calls-and-no-call": Kind(
        _COMPLETE,
        "tool_calls",
        text="Well.",
        fault="the finish reason tells of calls, and none came",
    ),
    "reasoning-content-without-calls": Kind(_COMPLETE, "stop", text="Yes."),
    "reasoning-content": Kind(_COMPLETE, "tool_calls", (("a", "f", "{}"),)),
    "refusal": Kind(_REFUSED, "stop", text="I can't help with that."),
    "same-id-twice": Kind(
        _COMPLETE,
        "tool_calls",
        (
            ("f:0", "f", '{"q":1}'),
            ("f:0", "f", '{"q":2}'),
        ),
        warns="two calls came with the same id; they are kept apart",
    ),
    "second-answer": Kind(
        _COMPLETE,
        "stop",
        text="Yes.",
        warns="a second answer came, and one was asked for; it is left out",
    ),
    "sent-twice-and-different": Kind(
        _COMPLETE,
        "tool_calls",
        (("a", "f", '{"c":"ls"}'),),
        fault="the provider's final arguments differ from the fragments it sent",
    ),
    "sent-twice": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"c":"ls}"}'),)),
    "several-pieces-in-one-chunk": Kind(
        _COMPLETE,
        "tool_calls",
        (
            ("a", "f", '{"x":1}'),
            ("b", "g", "{}"),
            ("c", "g", "{}"),
        ),
    ),
    "signed-reasoning": Kind(_COMPLETE, "tool_calls", (("a", "f", "{}"),)),
    "special-token-in-name": Kind(
        _COMPLETE, "tool_calls", (("a", "f<|channel|>commentary", "{}"),)
    ),
    "split-surrogates": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"s":"😀"}'),), text="Hi 😀!"),
    "stop-with-a-call": Kind(
        _COMPLETE,
        "stop",
        (("a", "f", '{"x":1}'),),
        warns="the turn has calls, and its finish reason is 'stop'",
    ),
    "text-after-the-object": Kind(
        _COMPLETE,
        "tool_calls",
        (
            ("a", "f", '{"x":1}\n\nI will now'),
            ("b", "f", '{}{"x":1}'),
        ),
    ),
    "text-only": Kind(_COMPLETE, "stop", text="Good morning."),
    "text-then-call": Kind(
        _COMPLETE,
        "tool_calls",
        (("call_01", "look_up_invoice", '{"invoice_number":"INV-2026-0312"}'),),
        text="I'll look that up.",
    ),
    "thinking-parts": Kind(_COMPLETE, "stop", text="Yes."),
    "thought-signature": Kind(
        _COMPLETE,
        "stop",
        (("a", "f", "{}"),),
        warns="the turn has calls, and its finish reason is 'stop'",
    ),
    "tool-use-failed": Kind(_ERROR, "tool_use_failed"),
    "two-reasons": Kind(_CUT, "length", (("a", "f", '{"x":1}'),)),
    "unicode": Kind(
        _COMPLETE, "tool_calls", (("a", "f", '{"s":"Grüße 東京 😀","e":"\\ud83d\\ude00"}'),)
    ),
    "unknown-reason": Kind(_BROKEN, "gone_fishing", (("a", "f", '{"x":1}'),)),
    "unreadable-chunk": Kind(_BROKEN, None, (("a", "f", '{"x":1}'),)),
    "usage-and-missing-choices": Kind(_COMPLETE, "tool_calls", (("a", "f", '{"x":1}'),)),
}

FAILURES: Mapping[str, tuple[FailureKind, str]] = {
    "error-object": (FailureKind.OVERLOADED, "server_is_overloaded: The server is overloaded."),
}
"""Bodies in which the API fails: kind and detail."""
