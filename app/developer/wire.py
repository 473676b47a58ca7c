"""Raw response bytes with the times at which they came: what is kept, and the file of it.

The file is JSON Lines: a header that names the dialect, then one line per piece. A body without
times is a recording too; ``formwork replay`` reads both.
"""

import base64
import binascii
import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from app.providers.connect import KNOWN_DIALECTS

FORMAT = "formwork-wire-1"
UNTIMED_GAP_US = 20_000
"""Between the lines of a body that came without times: fifty a second, as a quick model writes."""

_HEAD = struct.Struct("<QI")


class BadRecording(ValueError):
    """A file that says it is a recording and is none; one sentence."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that arrived together; ``at`` in microseconds since the request was made.

    A piece without bytes is the end of the body, which one that broke off does not have.
    """

    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class WireRecording:
    """One response. ``cut``: the bound was reached, and the rest was not kept."""

    dialect: str
    pieces: Sequence[Piece]
    timed: bool = True
    cut: bool = False

    @property
    def whole(self) -> bool:
        """Whether the body came to its end."""
        return bool(self.pieces) and not self.pieces[-1].data

    @property
    def body(self) -> bytes:
        return b"".join(piece.data for piece in self.pieces)


def pack_pieces(pieces: Iterable[Piece]) -> bytes:
    """Pieces as compressed bytes."""
    packed = b"".join(_HEAD.pack(piece.at, len(piece.data)) + piece.data for piece in pieces)
    return zlib.compress(packed, 3)


def unpack_pieces(data: bytes) -> Iterator[Piece]:
    """The pieces of :func:`pack_pieces`."""
    packed = zlib.decompress(data)
    place = 0
    while place < len(packed):
        at, size = _HEAD.unpack_from(packed, place)
        place += _HEAD.size
        yield Piece(at, packed[place : place + size])
        place += size


def masked(
    pieces: Sequence[Piece], secrets: Sequence[str], *, last: bool
) -> tuple[list[Piece], list[Piece]]:
    """The pieces with every secret overwritten by asterisks, also one that a cut runs through.

    Those at the end that may hold the beginning of a secret come second, for the next time; with
    ``last`` there is none, and none is held.
    """
    body = b"".join(piece.data for piece in pieces)
    for secret in secrets:
        name = secret.encode()
        body = body.replace(name, b"*" * len(name))
    held = 0 if last else max((_begun(body, secret.encode()) for secret in secrets), default=0)
    place = 0
    clean: list[Piece] = []
    for piece in pieces:
        clean.append(Piece(piece.at, body[place : place + len(piece.data)]))
        place += len(piece.data)
    first = len(clean)
    while held > 0 and first:
        first -= 1
        held -= len(clean[first].data)
    return clean[:first], clean[first:]


def _begun(body: bytes, secret: bytes) -> int:
    """How many bytes at the end of a body are the beginning of a secret."""
    most = min(len(body), len(secret) - 1)
    return next((size for size in range(most, 0, -1) if body.endswith(secret[:size])), 0)


def to_file(recording: WireRecording) -> bytes:
    """The recording with its times, as a file."""
    head: dict[str, Any] = {"format": FORMAT, "dialect": recording.dialect, "cut": recording.cut}
    lines = [json.dumps(head)]
    lines += (
        json.dumps({"at_us": piece.at, "bytes": base64.b64encode(piece.data).decode()})
        for piece in recording.pieces
    )
    return ("\n".join(lines) + "\n").encode()


def from_file(content: bytes, dialect: str) -> WireRecording:
    """A recording from a file of either kind; ``dialect`` counts where the file names none.

    Raises :class:`BadRecording`.
    """
    first, _, rest = content.partition(b"\n")
    if FORMAT.encode() not in first[:200]:
        return WireRecording(dialect, tuple(_by_lines(content)), timed=False)
    try:
        head = _object(first)
        if head["dialect"] not in KNOWN_DIALECTS:
            raise BadRecording("this recording is of a dialect that nobody here speaks")
        pieces = tuple(_piece(line) for line in rest.splitlines() if line)
        return WireRecording(str(head["dialect"]), pieces, cut=head.get("cut") is True)
    except BadRecording:
        raise
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise BadRecording("this is no recording: a line of it cannot be read") from None


def _piece(line: bytes) -> Piece:
    said = _object(line)
    at = said["at_us"]
    if type(at) is not int or not 0 <= at < 1 << 63:
        raise ValueError("at_us")
    return Piece(at, base64.b64decode(said["bytes"], validate=True))


def _object(line: bytes) -> dict[str, Any]:
    value: object = json.loads(line)  # noqa: TID251 - a recording's own lines, no model's text
    if not isinstance(value, dict):
        raise TypeError("object")
    return cast("dict[str, Any]", value)


def _by_lines(body: bytes) -> Iterator[Piece]:
    """Events of a stream one by one; a body without line ends is one piece."""
    at = 0
    for block in _blocks(body):
        yield Piece(at, block)
        at += UNTIMED_GAP_US
    yield Piece(at, b"")


def _blocks(body: bytes) -> Iterator[bytes]:
    held: list[bytes] = []
    for line in body.splitlines(keepends=True):
        held.append(line)
        if not line.strip() or not line.startswith((b"data:", b"event:", b":", b"id:")):
            yield b"".join(held)
            held = []
    if held:
        yield b"".join(held)
