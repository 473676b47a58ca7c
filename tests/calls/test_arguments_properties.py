"""For any document and any fragmentation: nothing early, nothing wrong, nothing taken back."""

from hypothesis import given
from hypothesis import strategies as st

from app.calls.argument_changes import Change, Grew, NumberText, Settled, SettledValue
from app.calls.argument_faults import Status
from app.calls.arguments import ArgumentParser
from app.calls.json_types import Path
from tests.calls.json_texts import Written, arguments, sizes, strings, values
from tests.calls.reading import copied, cut, frozen, merged, opened, plain, read


def _at(value: SettledValue, path: Path) -> SettledValue:
    for key in path:
        if isinstance(value, dict):
            value = value[str(key)]
        else:
            assert isinstance(value, list)
            assert isinstance(key, int)
            value = value[key]
    return value


def _all_paths(value: SettledValue, path: Path = ()) -> list[Path]:
    """Every path of a document, in the order in which its values begin."""
    paths = [path]
    if isinstance(value, dict):
        for key, member in value.items():
            paths += _all_paths(member, (*path, key))
    elif isinstance(value, list):
        for index, element in enumerate(value):
            paths += _all_paths(element, (*path, index))
    return paths


def _holds(whole: SettledValue, part: SettledValue) -> bool:
    """Whether a settled view only lacks what comes later: no value of it differs."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and _holds(whole[key], part[key]) for key in part)
    if isinstance(whole, list) and isinstance(part, list):
        return len(part) <= len(whole) and all(map(_holds, whole, part))
    return plain(whole) == plain(part)


@given(written=arguments(halves=True), sizes=sizes())
def test_what_is_reported_settled_is_the_final_value_and_stays(
    written: Written, sizes: list[int]
) -> None:
    parser = ArgumentParser()
    reported: dict[Path, SettledValue] = {}
    for fragment in cut(written.text, sizes):
        parser.feed(fragment)
        for change in frozen(parser.changes()):
            if isinstance(change, Settled):
                assert change.path not in reported
                assert plain(change.value) == plain(_at(written.value, change.path))
                reported[change.path] = change.value
        assert _holds(written.value, parser.settled or {})
    assert parser.status is Status.COMPLETE
    assert set(reported) == set(_all_paths(written.value))
    assert plain(parser.settled) == plain(written.value)
    for path, value in reported.items():
        assert plain(_at(parser.settled, path)) == plain(value)


@given(written=values(halves=True), sizes=sizes())
def test_any_fragmentation_reports_the_same_changes(written: Written, sizes: list[int]) -> None:
    outcomes: list[tuple[list[Change], Status]] = []
    for fragments in ([written.text], list(written.text), cut(written.text, sizes)):
        parser, changes = read(fragments)
        parser.finish()
        outcomes.append((merged(changes + parser.changes()), parser.status))
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert outcomes[0][1] is Status.COMPLETE


@given(written=arguments(halves=True), sizes=sizes())
def test_values_open_in_the_order_of_the_document(written: Written, sizes: list[int]) -> None:
    _, changes = read(cut(written.text, sizes))
    assert opened(changes) == _all_paths(written.value)


@given(written=arguments(), sizes=sizes())
def test_growth_is_a_prefix_of_the_final_string_and_never_half_a_pair(
    written: Written, sizes: list[int]
) -> None:
    parser = ArgumentParser()
    shown: dict[Path, str] = {}
    for fragment in cut(written.text, sizes):
        parser.feed(fragment)
        for change in parser.changes():
            if isinstance(change, Grew):
                assert change.text
                assert not any("\ud800" <= char <= "\udfff" for char in change.text)
                shown[change.path] = shown.get(change.path, "") + change.text
                final = _at(written.value, change.path)
                assert isinstance(final, str)
                assert not isinstance(final, NumberText)
                assert final.startswith(shown[change.path])
        if parser.open_text is not None:
            assert parser.open_path is not None
            assert parser.open_text == shown.get(parser.open_path, "")
    for path, text in shown.items():
        assert text == _at(written.value, path)


@given(written=strings(halves=True, max_size=30), sizes=sizes())
def test_halves_of_pairs_meet_however_they_come(written: Written, sizes: list[int]) -> None:
    parser, _ = read(cut(written.text, sizes))
    assert parser.settled == written.value


@given(written=arguments(), place=st.floats(0, 1))
def test_a_prefix_of_a_document_is_never_broken_and_shows_only_the_past(
    written: Written, place: float
) -> None:
    whole = merged(read([written.text])[1])
    parser, changes = read([written.text[: int(place * len(written.text))]])
    assert parser.fault is None
    known = merged(changes)
    if known and isinstance(known[-1], Grew):
        last, longer = known[-1], whole[len(known) - 1]
        assert isinstance(longer, Grew)
        assert longer.text.startswith(last.text)
        known.pop()
    assert known == whole[: len(known)]


@given(written=arguments())
def test_the_live_tree_is_the_one_that_settles(written: Written) -> None:
    parser, changes = read([written.text])
    last = changes[-1]
    assert isinstance(last, Settled)
    assert last.path == ()
    assert plain(copied(parser.settled)) == plain(last.value)
