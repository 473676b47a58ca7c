"""The seam to a model: one request in, a stream of events out.

Errors, by who is to blame::

    ProviderFailure            the provider's API did not serve the request (kind says why)
    MissingLibrary             the dialect's SDK is not installed

A turn that goes wrong is neither: it ends with its :class:`~app.calls.events.TurnEnded`.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from app.calls.events import Event
from app.calls.history import HistoryItem


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as the model is told of it.

    ``parameters`` is the JSON Schema of its arguments. ``streams`` is true where the field map
    shows a field as it is written, so that a provider that can send values as they are made
    should.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    streams: bool = False


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One request for one turn. ``max_tokens`` is the turn's output limit."""

    history: Sequence[HistoryItem]
    tools: Sequence[ToolOffer]
    max_tokens: int
    system: str | None = None


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. Silence past one ends the turn as incomplete."""

    connect: float = 10.0
    first_byte: float = 120.0
    between_bytes: float = 60.0
    whole_turn: float = 900.0


class Provider(Protocol):
    """One dialect, spoken to one model."""

    dialect: str
    needs_call_ids: bool
    """Whether the protocol gives every call an id to answer with."""

    def stream(self, request: TurnRequest) -> AsyncGenerator[Event, None]:
        """The events of one turn, ending with exactly one ``TurnEnded``.

        Raises :class:`ProviderFailure` where the API fails, also in mid-stream. Closing the
        generator closes the connection.
        """
        ...

    async def close(self) -> None:
        """Release the client's connections."""
        ...


class FailureKind(StrEnum):
    AUTHENTICATION = "authentication"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    BAD_REQUEST = "bad_request"
    CONTEXT_TOO_LONG = "context_too_long"
    CONNECTION = "connection"
    DNS = "dns"
    TLS = "tls"
    SERVER_ERROR = "server_error"


RETRYABLE = frozenset(
    {
        FailureKind.RATE_LIMIT,
        FailureKind.OVERLOADED,
        FailureKind.TIMEOUT,
        FailureKind.CONNECTION,
        FailureKind.DNS,
        FailureKind.SERVER_ERROR,
    }
)
"""Kinds that may go away by themselves."""


class ProviderFailure(Exception):
    """The API did not serve the request.

    ``detail`` is for the developer and holds no key and no credentials. ``retry_after`` is in
    seconds, as the provider asked, or None.
    """

    def __init__(
        self,
        kind: FailureKind,
        detail: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.status = status
        self.retry_after = retry_after


class MissingLibrary(Exception):
    """A dialect was asked for whose SDK is not installed; the message names the extra."""
