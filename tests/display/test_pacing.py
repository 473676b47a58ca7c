"""Coalescing: nothing lost, nothing reordered, nothing late, nothing too often."""

from hypothesis import given
from hypothesis import strategies as st

from app.calls.states import CallState
from app.display.pacing import Pacing
from app.display.updates import CallChanged, RowChanged, RowGrew, TextGrew, Update
from app.display.view import Row, RowStatus

CALLS = ("t1-0", "t1-1")
PATHS = (("title",), ("lines", 0))


def text(piece: str) -> Update:
    return TextGrew("x1", "t1", "t1-b0", piece)


def grew(call: str, path: tuple[str | int, ...], piece: str) -> Update:
    return RowGrew("x1", "t1", call, path, piece)


def settled(call: str, path: tuple[str | int, ...], piece: str) -> Update:
    row = Row(path, "Label", piece, RowStatus.SETTLED)
    return RowChanged("x1", "t1", call, path, row, 0)


def state(call: str) -> Update:
    return CallChanged("x1", "t1", call, CallState.READY)


updates = st.one_of(
    st.builds(text, st.text(min_size=1, max_size=3)),
    st.builds(
        grew, st.sampled_from(CALLS), st.sampled_from(PATHS), st.text(min_size=1, max_size=3)
    ),
    st.builds(settled, st.sampled_from(CALLS), st.sampled_from(PATHS), st.text(max_size=3)),
    st.builds(state, st.sampled_from(CALLS)),
)
steps = st.lists(st.tuples(st.floats(0, 0.05), updates), max_size=40)


def flat(sent: list[Update]) -> list[Update]:
    """Growth cut into single characters, so that what was joined compares equal."""
    pieces: list[Update] = []
    for update in sent:
        match update:
            case TextGrew():
                pieces += [text(character) for character in update.text]
            case RowGrew():
                pieces += [grew(update.call, update.path, char) for char in update.text]
            case _:
                pieces.append(update)
    return pieces


@given(steps)
def test_nothing_is_lost_or_reordered_and_growth_keeps_the_interval(
    given_steps: list[tuple[float, Update]],
) -> None:
    pacing, now = Pacing(0.060), 0.0
    given_all: list[Update] = []
    sent: list[Update] = []
    flushes: list[tuple[float, list[Update]]] = []

    def flush_what_is_due(at: float) -> None:
        due = pacing.due_at()
        if due is not None and due <= at:
            batch = pacing.take(max(due, 0.0) if due > float("-inf") else at)
            flushes.append((at, batch))
            sent.extend(batch)

    for wait, update in given_steps:
        now += wait
        flush_what_is_due(now)
        pacing.add([update])
        given_all.append(update)
        flush_what_is_due(now)
    now += 1
    flush_what_is_due(now)
    assert pacing.due_at() is None
    assert _last_of_each(flat(sent)) == _last_of_each(flat(given_all))


def _last_of_each(sent: list[Update]) -> list[Update]:
    """Without a row that a later one directly behind it replaces: only the last must be sent."""
    kept: list[Update] = []
    for update in sent:
        last = kept[-1] if kept else None
        if (
            isinstance(last, RowChanged)
            and isinstance(update, RowChanged)
            and (last.call, last.path) == (update.call, update.path)
        ):
            kept[-1] = update
        else:
            kept.append(update)
    return kept


def test_a_change_of_state_is_due_at_once_with_what_waits_before_it() -> None:
    pacing = Pacing(0.060)
    pacing.add([text("a")])
    pacing.take(10.0)
    pacing.add([text("b")])
    assert pacing.due_at() == 10.060
    pacing.add([state("t1-0")])
    assert pacing.due_at() == float("-inf")
    assert pacing.take(10.01) == [text("b"), state("t1-0")]


def test_the_first_growth_after_a_pause_is_due_at_once() -> None:
    pacing = Pacing(0.060)
    pacing.add([text("a")])
    due = pacing.due_at()
    assert due is not None
    assert due <= 0


def test_growth_of_one_text_is_joined() -> None:
    pacing = Pacing()
    pacing.add([text("a"), text("b"), grew("t1-0", ("x",), "c"), grew("t1-0", ("x",), "d")])
    assert pacing.take(0.0) == [text("ab"), grew("t1-0", ("x",), "cd")]
