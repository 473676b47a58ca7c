"""Recordings are kept and read back byte for byte; secrets never are; bad files are refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.developer.wire import (
    BadRecording,
    Piece,
    WireRecording,
    from_file,
    masked,
    pack_pieces,
    to_file,
    unpack_pieces,
)

SECRET = "sk-ant-canary"
BODIES = (b"", b"data: x\n\ndata: y\n\n", b"\xff\x00\r\r\n", b'[{"a":1}\n,{"b":2}]', b"no line end")
PIECES = st.lists(
    st.builds(Piece, st.integers(0, 1 << 40), st.binary(min_size=1, max_size=9)), max_size=9
)


@given(PIECES)
def test_pieces_come_back_as_they_were(pieces: list[Piece]) -> None:
    assert list(unpack_pieces(pack_pieces(pieces))) == pieces
    recording = WireRecording("gemini", tuple(pieces), cut=True)
    assert from_file(to_file(recording), "ollama") == recording


@pytest.mark.parametrize("body", BODIES)
def test_a_body_without_times_is_a_recording_too(body: bytes) -> None:
    recording = from_file(body, "ollama")
    assert recording.body == body
    assert (recording.dialect, recording.timed, recording.whole) == ("ollama", False, True)
    times = [piece.at for piece in recording.pieces]
    assert times == sorted(set(times))


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("written_every", [1, 4, 1000])
def test_a_secret_is_overwritten_however_it_is_cut(size: int, written_every: int) -> None:
    body = f"before {SECRET} between {SECRET}{SECRET} sk-ant-cana after".encode()
    pieces = [Piece(at, body[at : at + size]) for at in range(0, len(body), size)]
    kept: list[Piece] = []
    held: list[Piece] = []
    for start in range(0, len(pieces), written_every):
        ready, held = masked([*held, *pieces[start : start + written_every]], [SECRET], last=False)
        kept += ready
    kept += masked(held, [SECRET], last=True)[0]
    assert b"".join(piece.data for piece in kept) == body.replace(
        SECRET.encode(), b"*" * len(SECRET)
    )
    assert [(piece.at, len(piece.data)) for piece in kept] == [
        (piece.at, len(piece.data)) for piece in pieces
    ]


HEAD = {"format": "formwork-wire-1", "dialect": "gemini", "cut": False}


@pytest.mark.parametrize(
    "lines",
    [
        [{**HEAD, "dialect": "klingon"}],
        [{"format": "formwork-wire-1"}],
        [HEAD, {"at_us": -1, "bytes": ""}],
        [HEAD, {"at_us": "1", "bytes": ""}],
        [HEAD, {"at_us": 1, "bytes": "?"}],
        [HEAD, {"at_us": 1}],
        [HEAD, []],
        [HEAD, 1],
    ],
)
def test_a_file_that_says_it_is_a_recording_and_is_none_is_refused(lines: list[object]) -> None:
    content = "\n".join(json.dumps(line) for line in lines).encode()
    with pytest.raises(BadRecording):
        from_file(content, "gemini")


def test_a_line_that_is_no_json_is_refused() -> None:
    with pytest.raises(BadRecording):
        from_file(json.dumps(HEAD).encode() + b"\n{", "gemini")
