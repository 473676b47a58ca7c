"""Foreign errors in, :class:`~app.providers.provider.ProviderFailure` out: one table for all SDKs.

The SDKs are not imported: their errors are known by what they all carry (a status, a response, a
body) and by their modules, so that this table serves a dialect whose SDK is not installed.
"""

import email.utils
import re
import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from app.providers.provider import FailureKind, ProviderFailure
from app.providers.redact import redact

DETAIL_CHARS = 600

STATUS_KINDS = {
    400: FailureKind.BAD_REQUEST,
    401: FailureKind.AUTHENTICATION,
    402: FailureKind.PERMISSION,
    403: FailureKind.PERMISSION,
    404: FailureKind.NOT_FOUND,
    408: FailureKind.TIMEOUT,
    413: FailureKind.CONTEXT_TOO_LONG,
    429: FailureKind.RATE_LIMIT,
    503: FailureKind.OVERLOADED,
    504: FailureKind.TIMEOUT,
    529: FailureKind.OVERLOADED,
}
"""Any other 5xx is SERVER_ERROR, anything else BAD_REQUEST."""

WORD_KINDS = {
    # Anthropic `error.type`
    "invalid_request_error": FailureKind.BAD_REQUEST,
    "authentication_error": FailureKind.AUTHENTICATION,
    "billing_error": FailureKind.PERMISSION,
    "permission_error": FailureKind.PERMISSION,
    "not_found_error": FailureKind.NOT_FOUND,
    "request_too_large": FailureKind.CONTEXT_TOO_LONG,
    "rate_limit_error": FailureKind.RATE_LIMIT,
    "timeout_error": FailureKind.TIMEOUT,
    "api_error": FailureKind.SERVER_ERROR,
    "overloaded_error": FailureKind.OVERLOADED,
    # OpenAI and compatible servers, `error.code` or `error.type`
    "invalid_api_key": FailureKind.AUTHENTICATION,
    "insufficient_quota": FailureKind.PERMISSION,
    "billing_hard_limit_reached": FailureKind.PERMISSION,
    "model_not_found": FailureKind.NOT_FOUND,
    "context_length_exceeded": FailureKind.CONTEXT_TOO_LONG,
    "exceed_context_size_error": FailureKind.CONTEXT_TOO_LONG,
    "string_above_max_length": FailureKind.CONTEXT_TOO_LONG,
    "rate_limit_exceeded": FailureKind.RATE_LIMIT,
    "too_many_requests": FailureKind.RATE_LIMIT,
    "tokens": FailureKind.RATE_LIMIT,
    "requests": FailureKind.RATE_LIMIT,
    "slow_down": FailureKind.OVERLOADED,
    "server_is_overloaded": FailureKind.OVERLOADED,
    "service_unavailable": FailureKind.OVERLOADED,
    "server_error": FailureKind.SERVER_ERROR,
    "internal_server_error": FailureKind.SERVER_ERROR,
    "internal_error": FailureKind.SERVER_ERROR,
    # Google `error.status` and `reason`
    "invalid_argument": FailureKind.BAD_REQUEST,
    "failed_precondition": FailureKind.BAD_REQUEST,
    "out_of_range": FailureKind.BAD_REQUEST,
    "unauthenticated": FailureKind.AUTHENTICATION,
    "api_key_invalid": FailureKind.AUTHENTICATION,
    "permission_denied": FailureKind.PERMISSION,
    "not_found": FailureKind.NOT_FOUND,
    "resource_exhausted": FailureKind.RATE_LIMIT,
    "unavailable": FailureKind.OVERLOADED,
    "deadline_exceeded": FailureKind.TIMEOUT,
    "internal": FailureKind.SERVER_ERROR,
}

TRANSPORT_KINDS = {
    "TimeoutException": FailureKind.TIMEOUT,
    "NetworkError": FailureKind.CONNECTION,
    "ProxyError": FailureKind.CONNECTION,
    "RemoteProtocolError": FailureKind.CONNECTION,
    "UnsupportedProtocol": FailureKind.BAD_REQUEST,
    "LocalProtocolError": FailureKind.BAD_REQUEST,
    "InvalidURL": FailureKind.BAD_REQUEST,
    "DecodingError": FailureKind.CONNECTION,
    "TooManyRedirects": FailureKind.BAD_REQUEST,
}
"""Class names of httpx and httpx2 (and, through their bases, of all their errors)."""

BROKEN_OFF = frozenset(
    {FailureKind.CONNECTION, FailureKind.TIMEOUT, FailureKind.TLS, FailureKind.DNS}
)
"""Kinds that, without a status, mean the connection and not the API: in mid-stream they break the
turn off, and that is the turn's end (incomplete), not the API's failure."""

_TOO_LONG = re.compile(
    r"prompt is too long|context (?:length|window|size)|maximum context|too many (?:input )?tokens"
    r"|input token count|reduce the length|exceed\w* .{0,40}\btokens?\b",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(r"api key (?:not valid|expired|invalid)|invalid api key", re.IGNORECASE)

_SDK_MODULES = ("anthropic", "openai", "google", "ollama")


def failure_from(error: BaseException, secrets: Sequence[str] = ()) -> ProviderFailure | None:
    """What an exception of an SDK or of the HTTP library means; None for any other exception.

    ``secrets`` are taken out of the detail wherever they occur.
    """
    if isinstance(error, ProviderFailure):
        return error
    status = _status(error)
    if status is not None:
        return _from_status(error, status, secrets)
    from_chain = _from_chain(error, secrets)
    if from_chain is not None:
        return from_chain
    if not _is_from_sdk(error):
        return None
    body = getattr(error, "body", None)
    return failure_from_body(body if body is not None else str(error), secrets=secrets)


def failure_from_body(
    body: object,
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
    secrets: Sequence[str] = (),
) -> ProviderFailure:
    """What an error object means: the body of an error response, or one sent in mid-stream.

    Takes the object itself or one that holds it under ``error``.
    """
    words, message = _read_body(body)
    numbers = [int(word) for word in words if word.isdigit()]
    if status is None:
        status = next((number for number in numbers if 400 <= number < 600), None)
    kind = _kind(words, message, status)
    named = next((word for word in words if not word.isdigit()), None)
    parts = [f"HTTP {status}" if status is not None else "", named or "", message]
    detail = redact(": ".join(part for part in parts if part), secrets)[:DETAIL_CHARS]
    return ProviderFailure(
        kind,
        detail or "the provider reported an error without a word about it",
        status=status,
        retry_after=_first(retry_after(headers or {}), _retry_delay(body)),
    )


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds to wait as the response asks: ``retry-after-ms``, or ``retry-after`` in seconds or
    as an HTTP date (RFC 9110, 10.2.3). None when it asks nothing that can be read."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None or asked is None:
        return seconds
    date = email.utils.parsedate_tz(asked)
    if date is None:
        return None
    try:
        moment = email.utils.mktime_tz(date)
    except (ValueError, OverflowError):
        return None
    return max(0.0, moment - (time.time() if now is None else now))


def _retry_delay(body: object) -> float | None:
    """Google's way to say it: a ``RetryInfo`` among the details, ``{"retryDelay": "37s"}``."""
    for detail in _details(_inner(body)):
        delay = detail.get("retryDelay")
        if isinstance(delay, str):
            return _number(delay.removesuffix("s"))
    return None


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def _number(text: str | None) -> float | None:
    if text is None or not re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", text):
        return None
    return float(text)


def _kind(words: Sequence[str], message: str, status: int | None) -> FailureKind:
    known = [WORD_KINDS[word.lower()] for word in words if word.lower() in WORD_KINDS]
    kind = known[0] if known else _kind_of_status(status)
    if kind is FailureKind.BAD_REQUEST:
        if _TOO_LONG.search(message):
            return FailureKind.CONTEXT_TOO_LONG
        if _BAD_KEY.search(message):
            return FailureKind.AUTHENTICATION
    return kind


def _kind_of_status(status: int | None) -> FailureKind:
    if status is None:
        return FailureKind.SERVER_ERROR
    if status in STATUS_KINDS:
        return STATUS_KINDS[status]
    return FailureKind.SERVER_ERROR if status >= 500 else FailureKind.BAD_REQUEST


def _read_body(body: object) -> tuple[list[str], str]:
    """Its words (reasons, code, type, status; the most telling first) and its message."""
    error = _inner(body)
    if not isinstance(error, dict):
        return [], str(error) if error is not None else ""
    fields = cast(dict[str, object], error)
    named = [detail.get("reason") for detail in _details(fields)]
    named += [fields.get(name) for name in ("code", "type", "status", "status_code")]
    words = [str(word) for word in named if isinstance(word, str | int) and word]
    message = fields.get("message")
    return words, message if isinstance(message, str) else ""


def _inner(body: object) -> object:
    """The error object itself, without what it is wrapped in."""
    if isinstance(body, list) and body:
        # Google's non-SSE stream wraps its error in an array.
        return _inner(cast(list[object], body)[0])
    if isinstance(body, dict):
        return cast(dict[str, object], body).get("error", cast(object, body))
    return cast(object, body)


def _details(error: object) -> Iterator[dict[str, object]]:
    details = cast(dict[str, object], error).get("details") if isinstance(error, dict) else None
    for detail in cast(list[object], details) if isinstance(details, list) else ():
        if isinstance(detail, dict):
            yield cast(dict[str, object], detail)


def _status(error: BaseException) -> int | None:
    for name in ("status_code", "code"):
        status = getattr(error, name, None)
        if isinstance(status, int) and 300 <= status < 600 and _is_from_sdk(error):
            return status
    return None


def _from_status(error: BaseException, status: int, secrets: Sequence[str]) -> ProviderFailure:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    body: object = str(error)
    for name in ("body", "details", "error"):
        found: Any = getattr(error, name, None)
        if isinstance(found, dict | list | str) and found:
            body = cast(object, found)
            break
    return failure_from_body(
        body,
        status=status,
        headers=cast(Mapping[str, str], headers) if isinstance(headers, Mapping) else None,
        secrets=secrets,
    )


def _is_from_sdk(error: BaseException) -> bool:
    return any(
        base.__module__.split(".")[0] in _SDK_MODULES
        for base in type(error).__mro__
        if base.__module__ != "builtins"
    )


def _from_chain(error: BaseException, secrets: Sequence[str]) -> ProviderFailure | None:
    chain = list(causes(error))
    kind = _kind_of_chain(chain)
    if kind is None:
        return None
    # The innermost says what happened; what wraps it says "Connection error.".
    telling = next((str(cause) for cause in reversed(chain) if str(cause)), type(error).__name__)
    return ProviderFailure(kind, redact(telling, secrets)[:DETAIL_CHARS])


def _kind_of_chain(chain: Sequence[BaseException]) -> FailureKind | None:
    if any(isinstance(cause, socket.gaierror) for cause in chain):
        return FailureKind.DNS
    if any(isinstance(cause, ssl.SSLError) for cause in chain):
        return FailureKind.TLS
    for cause in chain:
        for base in type(cause).__mro__:
            if base.__module__.split(".")[0] in ("httpx", "httpx2"):
                kind = TRANSPORT_KINDS.get(base.__name__)
                if kind is not None:
                    return kind
    if any(isinstance(cause, ConnectionError) for cause in chain):
        return FailureKind.CONNECTION
    return None


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what lies behind it, outermost first, through groups too."""
    seen: set[int] = set()
    waiting: list[BaseException] = [error]
    while waiting:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        waiting.extend(_behind(current))


def _behind(error: BaseException) -> Iterable[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        yield from cast("BaseExceptionGroup[BaseException]", error).exceptions
    # httpcore cuts its chain off, and hands the cause on as its argument instead.
    yield from (part for part in error.args if isinstance(part, BaseException))
    if error.__cause__ is not None:
        yield error.__cause__
    elif error.__context__ is not None and not error.__suppress_context__:
        yield error.__context__
