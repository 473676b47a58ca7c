"""Feeds argument text through the real parser into rows, and holds the rows to their promises."""

from collections.abc import Iterable

from app.calls.arguments import ArgumentParser
from app.calls.json_types import Path
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.rows import CallRows, RowEdit, RowExtended, RowPut, RowTaken
from app.display.view import Row, RowStatus


def pieces(text: str, size: int) -> list[str]:
    """The text in pieces of that many characters."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def form(
    field_map: FieldMap | None, fragments: Iterable[str], locale: str = "en"
) -> list[list[Row]]:
    """The rows after each fragment, each step checked against what edits may do."""
    parser = ArgumentParser()
    rows = CallRows(field_map, Formats(locale))
    screen = Screen()
    seen: list[list[Row]] = []
    for fragment in fragments:
        parser.feed(fragment)
        screen.apply(rows.take(parser.changes()))
        assert rows.rows == screen.rows
        seen.append(rows.rows)
    return seen


class Screen:
    """Applies edits as a page would, and refuses any that breaks a promise."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def apply(self, edits: Iterable[RowEdit]) -> None:
        for edit in edits:
            match edit:
                case RowPut(row=row, place=place):
                    self._put(row, place)
                case RowExtended(path=path, text=text):
                    self._extend(path, text)
                case RowTaken(path=path):
                    index = self._index(path)
                    assert index is not None
                    assert self.rows[index].status is RowStatus.WRITING
                    del self.rows[index]

    def _put(self, row: Row, place: int) -> None:
        known = self._index(row.path)
        if known is None:
            assert 0 <= place <= len(self.rows)
            assert row.confined == (place < len(self.rows))
            self.rows.insert(place, row)
            return
        old = self.rows[known]
        assert known == place
        assert old.status is not RowStatus.SETTLED
        assert (old.label, old.kind, old.confined) == (row.label, row.kind, row.confined)
        if old.status is RowStatus.STREAMING:
            assert row.text == old.text  # growth was told before
            assert row.status is RowStatus.SETTLED
        self.rows[known] = row

    def _extend(self, path: Path, text: str) -> None:
        index = self._index(path)
        assert index is not None
        old = self.rows[index]
        assert old.status is RowStatus.STREAMING
        assert text
        self.rows[index] = Row(path, old.label, old.text + text, old.status, old.kind, old.confined)

    def _index(self, path: Path) -> int | None:
        return next((i for i, row in enumerate(self.rows) if row.path == path), None)
