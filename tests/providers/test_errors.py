"""One table of errors: each kind from the exceptions that the SDKs really raise."""

import asyncio
import socket
import ssl
from contextlib import suppress
from email.utils import formatdate
from typing import Any

import anthropic
import httpx
import httpx2
import ollama
import openai
import pytest
from google.genai import errors as genai

from app.providers.errors import (
    DETAIL_CHARS,
    STATUS_KINDS,
    WORD_KINDS,
    causes,
    failure_from,
    failure_from_body,
    retry_after,
)
from app.providers.provider import FailureKind, ProviderFailure, Timeouts
from app.providers.transports import http_client
from tests.providers.stub_server import Ending, Plan, StubServer

REQUEST = httpx2.Request("POST", "http://provider.invalid/v1")
KEY = "k-secret-0123"


def response(status: int, **headers: str) -> httpx2.Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(status, headers=sent, request=REQUEST)


def known(error: BaseException) -> ProviderFailure:
    failure = failure_from(error, [KEY])
    assert failure is not None
    assert KEY not in failure.detail
    assert KEY not in str(failure)
    return failure


STATUSES = [
    (400, FailureKind.BAD_REQUEST),
    (401, FailureKind.AUTHENTICATION),
    (402, FailureKind.PERMISSION),
    (403, FailureKind.PERMISSION),
    (404, FailureKind.NOT_FOUND),
    (408, FailureKind.TIMEOUT),
    (409, FailureKind.BAD_REQUEST),
    (413, FailureKind.CONTEXT_TOO_LONG),
    (422, FailureKind.BAD_REQUEST),
    (429, FailureKind.RATE_LIMIT),
    (500, FailureKind.SERVER_ERROR),
    (502, FailureKind.SERVER_ERROR),
    (503, FailureKind.OVERLOADED),
    (504, FailureKind.TIMEOUT),
    (529, FailureKind.OVERLOADED),
    (307, FailureKind.BAD_REQUEST),
]


def raised_by_each_sdk(status: int) -> list[Exception]:
    answer = response(status, retry_after="3")
    return [
        anthropic.APIStatusError(f"no {KEY}", response=answer, body=None),
        openai.APIStatusError(f"no {KEY}", response=answer, body={"message": f"no {KEY}"}),
        genai.APIError(status, {"error": {"message": f"no {KEY}"}}, answer),
        ollama.ResponseError(f"no {KEY}", status),
    ]


@pytest.mark.parametrize(("status", "kind"), STATUSES)
def test_a_status_tells_the_kind_whichever_sdk_raised_it(status: int, kind: FailureKind) -> None:
    for error in raised_by_each_sdk(status):
        failure = known(error)
        assert (failure.kind, failure.status) == (kind, status), error
        assert f"HTTP {status}" in failure.detail
        assert "no [hidden]" in failure.detail


def test_every_status_of_the_table_is_tried() -> None:
    assert set(STATUS_KINDS) <= {status for status, _ in STATUSES}


def test_the_wait_that_a_response_asks_for_is_kept() -> None:
    for error in raised_by_each_sdk(429)[:3]:
        assert known(error).retry_after == 3.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": formatdate(1_000_030, usegmt=True)}, 30.0),
        ({"retry-after": formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry-after": "Mon, 99 Foo 2026 99:99:99 GMT"}, None),
    ],
)
def test_retry_after_in_each_of_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=1_000_000) == seconds


def test_googles_retry_delay_is_read_from_the_body() -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37.5s"}
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [info]}}
    failure = failure_from_body(body)
    assert (failure.kind, failure.status, failure.retry_after) == (
        FailureKind.RATE_LIMIT,
        429,
        37.5,
    )


def error(**fields: Any) -> dict[str, Any]:
    return {"error": fields}


BAD_KEY = error(
    code=400,
    status="INVALID_ARGUMENT",
    message="API key not valid.",
    details=[{"reason": "API_KEY_INVALID"}],
)
TOO_LONG = error(type="invalid_request_error", code="context_length_exceeded")


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (error(type="overloaded_error", message="Busy"), FailureKind.OVERLOADED, "Busy"),
        (TOO_LONG, FailureKind.CONTEXT_TOO_LONG, ""),
        (error(type="insufficient_quota", code="insufficient_quota"), FailureKind.PERMISSION, ""),
        (error(code=401, message="No auth"), FailureKind.AUTHENTICATION, "No auth"),
        (error(code="429", message="Slow"), FailureKind.RATE_LIMIT, "Slow"),
        (error(message="tool failed", status_code=400), FailureKind.BAD_REQUEST, "tool failed"),
        ([error(code=503, status="UNAVAILABLE", message="Busy")], FailureKind.OVERLOADED, "Busy"),
        (BAD_KEY, FailureKind.AUTHENTICATION, "API key not valid"),
        (error(type="unheard_of", message="Hm"), FailureKind.SERVER_ERROR, "unheard_of: Hm"),
        ({"type": "rate_limit_error", "message": "bare"}, FailureKind.RATE_LIMIT, "bare"),
        (error(), FailureKind.SERVER_ERROR, "without a word"),
        ("upstream failure", FailureKind.SERVER_ERROR, "upstream failure"),
        (None, FailureKind.SERVER_ERROR, "without a word"),
        ({"error": "model is loading"}, FailureKind.SERVER_ERROR, "model is loading"),
    ],
)
def test_an_error_object_tells_its_kind(body: object, kind: FailureKind, words: str) -> None:
    failure = failure_from_body(body)
    assert failure.kind is kind
    assert words in failure.detail


@pytest.mark.parametrize("word", WORD_KINDS)
def test_a_word_is_known_in_either_case_and_outweighs_the_status(word: str) -> None:
    for spelled in (word, word.upper()):
        failure = failure_from_body(error(type=spelled), status=418)
        assert failure.kind is WORD_KINDS[word]


@pytest.mark.parametrize(
    "message",
    [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "This model's maximum context length is 8192 tokens.",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "the request exceeds the available context size, try increasing it",
        "Please reduce the length of the messages.",
        "Too many tokens: 12",
    ],
)
def test_a_conversation_that_is_too_long_is_known_by_what_servers_say(message: str) -> None:
    body = error(type="invalid_request_error", message=message)
    assert failure_from_body(body, status=400).kind is FailureKind.CONTEXT_TOO_LONG
    # The same words beside another kind change nothing.
    assert failure_from_body(error(message=message), status=429).kind is FailureKind.RATE_LIMIT


@pytest.mark.parametrize(
    "message", ["max_tokens: 99999 > 8192", "tools.0: name is too long", "temperature: bad"]
)
def test_another_bad_request_is_not_taken_for_it(message: str) -> None:
    body = error(type="invalid_request_error", message=message)
    assert failure_from_body(body, status=400).kind is FailureKind.BAD_REQUEST


def test_a_detail_is_bounded() -> None:
    assert len(failure_from_body("x" * 10_000).detail) == DETAIL_CHARS


# What the network does


def wrapped(inner: BaseException, *outer: BaseException) -> BaseException:
    for wrapper in outer:
        wrapper.__cause__ = inner
        inner = wrapper
    return inner


@pytest.mark.parametrize("library", [httpx, httpx2])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ConnectTimeout", FailureKind.TIMEOUT),
        ("ReadTimeout", FailureKind.TIMEOUT),
        ("PoolTimeout", FailureKind.TIMEOUT),
        ("ConnectError", FailureKind.CONNECTION),
        ("ReadError", FailureKind.CONNECTION),
        ("ProxyError", FailureKind.CONNECTION),
        ("RemoteProtocolError", FailureKind.CONNECTION),
        ("UnsupportedProtocol", FailureKind.BAD_REQUEST),
        ("InvalidURL", FailureKind.BAD_REQUEST),
    ],
)
def test_an_error_of_the_http_library_by_its_class(
    library: Any, name: str, kind: FailureKind
) -> None:
    assert known(getattr(library, name)(f"oh {KEY}")).kind is kind


@pytest.mark.parametrize(
    ("inner", "kind"),
    [
        (socket.gaierror(-2, "Name or service not known"), FailureKind.DNS),
        (ssl.SSLCertVerificationError(1, "certificate verify failed"), FailureKind.TLS),
        (ConnectionRefusedError(111, "Connection refused"), FailureKind.CONNECTION),
    ],
)
@pytest.mark.parametrize("grouped", [False, True])
def test_the_cause_behind_the_wrappers_tells_the_kind(
    inner: Exception, kind: FailureKind, grouped: bool
) -> None:
    cause = ExceptionGroup("several attempts", [OSError("other"), inner]) if grouped else inner
    failure = known(
        wrapped(
            cause,
            OSError("All connection attempts failed"),
            httpx2.ConnectError("All connection attempts failed"),
            anthropic.APIConnectionError(request=REQUEST),
        )
    )
    assert failure.kind is kind
    assert failure.status is None
    assert grouped or str(inner) in failure.detail


async def test_a_server_that_speaks_no_tls_is_a_failure_of_tls() -> None:
    answered = asyncio.Event()

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 plain\r\n\r\n")
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        answered.set()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with http_client(Timeouts()) as client:
            with pytest.raises(httpx2.HTTPError) as caught:
                await client.get(f"https://127.0.0.1:{port}")
        await answered.wait()
    assert known(caught.value).kind is FailureKind.TLS


async def test_a_port_where_nobody_listens_is_a_failure_of_the_connection() -> None:
    async with http_client(Timeouts()) as client:
        with pytest.raises(httpx2.HTTPError) as caught:
            await client.get("http://127.0.0.1:9")
    assert known(caught.value).kind is FailureKind.CONNECTION


async def test_a_reset_is_a_failure_of_the_connection() -> None:
    with StubServer([Plan(b"", ending=Ending.RESET)]) as server:
        async with http_client(Timeouts()) as client:
            with pytest.raises(httpx2.HTTPError) as caught:
                await client.get(server.url)
    assert known(caught.value).kind is FailureKind.CONNECTION


def test_a_failure_is_its_own_meaning() -> None:
    failure = ProviderFailure(FailureKind.DNS, "x")
    assert failure_from(failure) is failure


@pytest.mark.parametrize("bug", [KeyError("x"), TypeError("x"), ValueError("x"), OSError("x")])
def test_a_bug_of_ours_is_not_the_providers_failure(bug: Exception) -> None:
    assert failure_from(bug) is None


class HasStatus(Exception):
    status_code = 500


def test_a_stranger_with_a_status_is_not_an_sdks_error() -> None:
    assert failure_from(HasStatus()) is None


def test_an_sdks_error_without_a_status_is_still_the_providers() -> None:
    assert known(anthropic.AnthropicError(f"odd {KEY}")).kind is FailureKind.SERVER_ERROR


def test_a_chain_that_bites_its_tail_ends() -> None:
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert list(causes(one)) == [one, two]
