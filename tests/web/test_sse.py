"""Messages arrive as they were sent, whatever their lines look like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.sse import END, OPENING, message
from tests.web.clients import messages

TEXT = st.text(alphabet=st.sampled_from("a :\n<é😀"), min_size=1, max_size=12)


@given(TEXT)
def test_a_message_reads_as_it_was_written(data: str):
    lines = iter(message("7f-12", data).decode().split("\n"))
    assert list(messages(lines)) == [{"id": "7f-12", "data": data}]


def test_a_message_that_changes_nothing_moves_the_position():
    assert message("7f-12", "") == b"id:7f-12\n\n"


def test_the_end_and_the_opening_are_what_a_reader_takes_them_for():
    lines = iter((OPENING + END).decode().split("\n"))
    assert list(messages(lines)) == [{"event": "end", "data": ""}]


@pytest.mark.parametrize(("position", "data"), [("1", "a\rb"), ("1\n", "a"), ("1\r", "")])
def test_line_ends_that_would_break_a_message_are_refused(position: str, data: str):
    with pytest.raises(ValueError, match="line ends"):
        message(position, data)
