"""What each of our own ``openai-responses`` recordings must come to."""

from collections.abc import Mapping

from app.calls.events import Stop
from app.providers.provider import FailureKind
from tests.providers.anthropic_kinds import Kind

_COMPLETE, _CUT, _BROKEN, _REFUSED = Stop.COMPLETE, Stop.TRUNCATED, Stop.INCOMPLETE, Stop.REFUSED

KINDS: Mapping[str, Kind] = {
    "arguments-only-in-done": Kind(_COMPLETE, "completed", (("call_1", "f", '{"x":1}'),)),
    "arguments-only-in-item-done": Kind(_COMPLETE, "completed", (("call_1", "f", '{"x":1}'),)),
    "call-never-done": Kind(_COMPLETE, "completed", (("call_1", "f", '{"x":1}'),)),
    "call-only-at-the-end": Kind(_COMPLETE, "completed", (("call_1", "f", '{"x":1}'),)),
    "cancelled": Kind(_BROKEN, "cancelled", (("call_1", "f", '{"x":1}'),)),
    "client-tool-search": Kind(
        _COMPLETE,
        "completed",
        (("call_s", None, {"queries": ["rates"]}),),
        fault="a tool_search_call asks for an answer; no such tool was offered",
    ),
    "content-filter": Kind(_REFUSED, "incomplete:content_filter", (("call_1", "f", '{"x":1}'),)),
    "custom-tool": Kind(
        _COMPLETE,
        "completed",
        (("call_c", "write_sql", "SELECT 1"),),
        fault="a custom_tool_call asks for an answer; no such tool was offered",
    ),
    "data-before-event": Kind(_COMPLETE, "completed", (("call_1", "f", '{"x":1}'),)),
    "done-differs": Kind(
        _COMPLETE,
        "completed",
        (("call_1", "f", '{"x":1}'),),
        fault="the provider's final arguments differ from the fragments it sent",
    ),
    "ends-before-completed": Kind(_BROKEN, None, (("call_1", "f", '{"x":1}'),)),
    "every-item-at-0": Kind(
        _COMPLETE,
        "completed",
        (
            ("call_1", "f", '{"x":1}'),
            ("call_2", "g", '{"y":2}'),
        ),
    ),
    "failed-for-policy": Kind(_REFUSED, "bio_policy"),
    "incomplete-for-another-reason": Kind(
        _BROKEN, "incomplete:steered", (("call_1", "f", '{"x":1}'),)
    ),
    "incomplete-item-in-a-completed-response": Kind(
        _COMPLETE,
        "completed",
        (("call_1", "f", '{"x":1}'),),
        fault="the response repeats a call as incomplete",
    ),
    "interleaved": Kind(
        _COMPLETE,
        "completed",
        (
            ("call_1", "f", '{"x":1}'),
            ("call_2", "g", '{"y":2}'),
        ),
    ),
    "item-ids-that-change": Kind(_COMPLETE, "completed", (("call_1", "f", '{"x":1}'),)),
    "keep-alives": Kind(
        _COMPLETE,
        "completed",
        (("call_1", "f", '{"x":1}'),),
        warns="2 events held no payload and were left out",
    ),
    "late-delta": Kind(
        _COMPLETE,
        "completed",
        (("call_1", "f", '{"x":1}'),),
        fault="arguments arrived after the call was complete",
    ),
    "max-output-tokens-and-parseable": Kind(
        _CUT, "incomplete:max_output_tokens", (("call_1", "f", '{"x":1}'),)
    ),
    "max-output-tokens": Kind(
        _CUT, "incomplete:max_output_tokens", (("call_1", "add", '{"x":48151'),)
    ),
    "no-arguments": Kind(_COMPLETE, "completed", (("call_1", "now", ""),)),
    "not-announced": Kind(_COMPLETE, "completed", (("call_1", "f", '{"x":1}'),)),
    "numbers": Kind(
        _COMPLETE, "completed", (("call_1", "q", '{"id":2512292042121000001,"p":1250.00}'),)
    ),
    "one-call": Kind(_COMPLETE, "completed", (("call_1", "f", '{"x":1}'),)),
    "parallel": Kind(
        _COMPLETE,
        "completed",
        (
            ("call_1", "f", '{"x":1}'),
            ("call_2", "f", '{"x":2}'),
        ),
    ),
    "program-then-call": Kind(
        _COMPLETE, "completed", (("call_1", "f", "{}"),), work=("program begun", "program finished")
    ),
    "provider-work": Kind(
        _COMPLETE,
        "completed",
        text="Good morning.",
        work=("web_search_call begun", "web_search_call finished", "ask begun", "ask finished"),
    ),
    "reasoning-then-call": Kind(_COMPLETE, "completed", (("call_1", "f", "{}"),)),
    "refusal": Kind(_REFUSED, "completed", text="I can't help with that."),
    "response-differs": Kind(
        _COMPLETE,
        "completed",
        (("call_1", "f", '{"x":1}'),),
        fault="the provider's final arguments differ from the fragments it sent",
    ),
    "same-call-id-twice": Kind(
        _COMPLETE,
        "completed",
        (
            ("call_0", "f", '{"q":1}'),
            ("call_0", "f", '{"q":2}'),
        ),
    ),
    "server-tool-search": Kind(
        _COMPLETE,
        "completed",
        text="Good morning.",
        work=("tool_search_call begun", "tool_search_call finished"),
    ),
    "shell-answered-by-the-provider": Kind(
        _COMPLETE, "completed", text="Good morning.", work=("shell_call finished",)
    ),
    "text-only-at-the-end": Kind(_COMPLETE, "completed", text="Good morning."),
    "text": Kind(_COMPLETE, "completed", text="Good morning."),
    "unreadable-event": Kind(_BROKEN, None, (("call_1", "f", '{"x":1}'),)),
}

FAILURES: Mapping[str, tuple[FailureKind, str]] = {
    "error-event-flat": (FailureKind.SERVER_ERROR, "server_error: It broke."),
    "error-event": (FailureKind.RATE_LIMIT, "rate_limit_exceeded: Too many tokens per minute."),
    "failed": (FailureKind.SERVER_ERROR, "server_error: It broke."),
}
"""Bodies in which the API fails: kind and detail."""
