"""No key and no credential survives in a text for the developer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.providers.redact import HIDDEN, redact

SECRET = "s3cr3tValue0123456789"

LEAKS = [
    f"https://user:{SECRET}@example.com/v1",
    f"https://{SECRET}@example.com/v1",
    f"GET https://example.com/v1?key={SECRET}&alt=sse",
    f"https://example.com/?api_key={SECRET}",
    f"https://example.com/?a=1;access_token={SECRET}#x",
    f"https://example.com/?X-Amz-Signature={SECRET}",
    f"Authorization: Bearer {SECRET}",
    f"authorization: Basic {SECRET}=",
    f"{{'x-api-key': '{SECRET}'}}",
    f'{{"x-goog-api-key":"{SECRET}"}}',
    f'{{\\"api_key\\": \\"{SECRET}\\"}}',
    f"api key: {SECRET}",
    f"Cookie: {SECRET}",
    f"client_secret={SECRET}",
    f"password: {SECRET}",
    f"the token was Bearer {SECRET}",
    f"Incorrect API key provided: sk-{SECRET}.",
    "Incorrect API key provided: sk-proj-abc*******************wxyz.",
    f"sk-ant-api03-{SECRET}",
    f"gsk_{SECRET}",
    f"AIza{SECRET}",
    f"hf_{SECRET}",
    f"eyJhbGciOiJIUzI1NiJ9.{SECRET}.{SECRET}",
]


@pytest.mark.parametrize("text", LEAKS)
def test_what_looks_like_a_key_is_hidden(text: str) -> None:
    shown = redact(text)
    assert SECRET not in shown
    assert "wxyz" not in shown
    assert HIDDEN in shown


@pytest.mark.parametrize("text", LEAKS)
def test_hiding_again_changes_nothing(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Rate limit reached for requests. Try again in 20s.",
        "[Errno 111] Connect call failed ('127.0.0.1', 9)",
        "model: claude-sonnet-4 was not found (request id req_011C)",
        "https://example.com/v1/messages?alt=sse",
        "max_tokens: 4096 is too many",
        "input_tokens=12, output_tokens=34",
        "the task-force asked for a risk-assessment-report",
        "messages.1.content.0.tool_use.id: String should match pattern",
    ],
)
def test_what_is_no_key_stays_readable(text: str) -> None:
    assert redact(text) == text


@given(st.text(), st.text(min_size=4), st.text())
def test_a_known_secret_is_hidden_whatever_its_shape(before: str, secret: str, after: str) -> None:
    assert secret not in redact(before + secret + after, [secret]).replace(HIDDEN, "")
