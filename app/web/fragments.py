"""A batch of updates as one message of the stream: the partials that bring a page up to date.

Text and streamed rows go as appended text, a settled row once, a change of state as the block's
own attributes and the line that tells it. Partials of one message never target what another of
them brings (see :mod:`app.web.screen`).
"""

from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from app.calls.json_types import Path
from app.display.updates import Update
from app.display.view import ConversationView, Row, RowStatus
from app.web.contexts import Partial
from app.web.form_layout import element_paths, elements_of
from app.web.page_ids import ASKS, KEPT, LOG, SAY, STOP, ItemIds, entry_id, exchange_id
from app.web.prompts import Prompts, Viewer
from app.web.render import EMPTY_TEXT, Renderer, folds
from app.web.screen import CallDiff, Changes, Screen, TextDiff, announcements
from app.web.templates import Templates
from app.web.watched_text import Appended, Replaced
from app.web.words import Words

PARTIAL_END = "</hx-partial>"
"""Left off the last partial, an eighth of what a streamed text costs: htmx reads a message within
a template of its own, the end of which closes the partial, as HTML has it."""
APPEND = ""
"""The page's default swap."""
PREPEND = "afterbegin"
REPLACE_CONTENT = "innerHTML"
REPLACE = "outerHTML"
MORPH = "outerMorph"
DELETE = "delete"


class Fragments:
    """Turns what changed into partials."""

    def __init__(self, templates: Templates, words: Words, prompts: Prompts) -> None:
        self._templates = templates
        self._words = words
        self._prompts = prompts
        self._renderer = Renderer(templates, words, prompts)

    def of(self, viewer: Viewer) -> "Fragments":
        """The same for one viewer, whose forms have tokens of their session."""
        return Fragments(self._templates, self._words, self._prompts.of(viewer))

    def update(self, screen: Screen, updates: Iterable[Update]) -> str:
        """Advance a screen and return the message that advances its page; "" for nothing."""
        batch = list(updates)
        changes = screen.advance(batch)
        said = list(announcements(screen.view, batch, self._words))
        return self._message([*self._partials(screen, changes), *self._said(said)])

    def catch_up(
        self,
        view: ConversationView,
        fresh: Sequence[str],
        stale: Sequence[str],
        missed: Iterable[Update],
    ) -> str:
        """Exchanges that a page lacks, and those that it holds as they were, as they are now."""
        said = list(announcements(view, missed, self._words))
        partials = [
            *(
                Partial(exchange_id(view.number(exchange)), MORPH, self._exchange(view, exchange))
                for exchange in stale
            ),
            *(Partial(LOG, APPEND, self._exchange(view, exchange)) for exchange in fresh),
            *self._surroundings(view),
            *self._said(said),
        ]
        return self._message(partials)

    def snapshot(self, view: ConversationView) -> str:
        """The whole conversation, for a page of which it is not known what it holds."""
        log = Partial(LOG, MORPH, self._renderer.log(view))
        return self._message([log, *self._surroundings(view)])

    def _exchange(self, view: ConversationView, exchange: str) -> Markup:
        return self._renderer.exchange(
            view.number(exchange), view.exchanges[exchange], writing=view.text_being_written
        )

    def _surroundings(self, view: ConversationView) -> Iterator[Partial]:
        yield Partial(STOP, REPLACE_CONTENT, self._renderer.stop(view))
        yield Partial(ASKS, REPLACE_CONTENT, self._renderer.asks(view))
        yield Partial(KEPT, REPLACE_CONTENT, self._renderer.kept(view))

    def _message(self, partials: Iterable[Partial]) -> str:
        message = "".join(self._templates.render(partial) for partial in partials)
        return message.removesuffix(PARTIAL_END)

    def _partials(self, screen: Screen, changes: Changes) -> Iterator[Partial]:
        render, writing = self._renderer, screen.view.text_being_written
        for number, exchange in changes.exchanges:
            whole = render.exchange(number, exchange, writing=writing)
            yield Partial(LOG, APPEND, whole)
        for exchange, number, entry in changes.entries:
            whole = render.entry(exchange, number, entry, writing=writing)
            yield Partial(exchange_id(exchange), APPEND, whole)
        for exchange, number, turn in changes.abandoned:
            yield Partial(entry_id(exchange, number), MORPH, render.turn_aside(exchange, number))
            yield Partial(entry_id(exchange, number), PREPEND, render.aside(turn))
        for exchange, number, ids, item, aside in changes.items:
            whole = render.item(ids, item, aside=aside, writing=writing)
            yield Partial(entry_id(exchange, number), APPEND, whole)
        for ids, item in changes.replaced:
            yield Partial(ids.block, REPLACE, render.item(ids, item))
        for diff in changes.calls:
            yield from self._call(diff)
        if changes.text is not None:
            yield from self._text(screen, changes.text)
        if changes.stop:
            yield Partial(STOP, REPLACE_CONTENT, render.stop(screen.view))
        if changes.asks:
            yield Partial(ASKS, REPLACE_CONTENT, render.asks(screen.view))
        if changes.kept:
            yield Partial(KEPT, REPLACE_CONTENT, render.kept(screen.view))

    def _said(self, sentences: Sequence[str]) -> Iterator[Partial]:
        if sentences:
            yield Partial(SAY, REPLACE_CONTENT, self._renderer.said(sentences))

    def _text(self, screen: Screen, diff: TextDiff) -> Iterator[Partial]:
        block = diff.ids.block
        if screen.watched is None or screen.watched[0] != block:
            screen.watched = block, self._renderer.watched(diff.ids)
            screen.watched[1].begin(diff.before, over=False)
        for change in screen.watched[1].advance(diff.added, over=diff.over):
            match change:
                case Appended(target=target, html=html):
                    yield Partial(target, APPEND, html)
                case Replaced(target=target, html=html):
                    yield Partial(target, REPLACE if html else DELETE, html)

    def _call(self, diff: CallDiff) -> Iterator[Partial]:
        ids, call = diff.ids, diff.call
        if diff.renamed:
            yield Partial(ids.block, REPLACE, self._renderer.call(ids, call, aside=diff.aside))
            return
        yield from self._rows(diff)
        if diff.state_changed:
            yield Partial(ids.block, MORPH, self._renderer.call_state(ids, call))
            yield Partial(ids.state, REPLACE_CONTENT, self._renderer.head(call))
            outcome = self._renderer.outcome(ids, call)
            if (outcome or diff.asked) and not diff.aside:
                yield Partial(ids.outcome, REPLACE_CONTENT, outcome)
        if diff.set_aside:
            yield Partial(ids.outcome, REPLACE_CONTENT, "")

    def _rows(self, diff: CallDiff) -> Iterator[Partial]:
        """Rows in their slots; an array element that is new, or lost its last row, as a whole."""
        brought: set[Path] = set()
        before, now = elements_of(diff.before), elements_of(diff.call.rows)
        for path in diff.rows:
            element = _outermost_change(path, before, now)
            if element is None:
                yield from self._row(diff, path)
            elif element not in brought:
                brought.add(element)
                if element in now:
                    whole = self._renderer.element(diff.ids, diff.call, element)
                    yield Partial(diff.ids.elements(element[:-1]), APPEND, whole)
                elif element in before:
                    yield Partial(diff.ids.slot(element), DELETE, "")

    def _row(self, diff: CallDiff, path: Path) -> Iterator[Partial]:
        ids, before, now = diff.ids, diff.before.get(path), diff.call.rows.get(path)
        if now is None:
            if before is not None:
                yield Partial(ids.slot(path), REPLACE_CONTENT, "")
        elif before is None:
            yield Partial(ids.slot(path), APPEND, self._renderer.row(ids, path, now))
        elif _grows(before, now):
            yield from self._growth(ids, path, before, now)
        elif before != now:
            yield Partial(ids.slot(path), REPLACE_CONTENT, self._renderer.row(ids, path, now))

    def _growth(self, ids: ItemIds, path: Path, before: Row, now: Row) -> Iterator[Partial]:
        if before.status is RowStatus.WRITING:
            yield Partial(ids.value(path), APPEND, now.text or EMPTY_TEXT)
            yield from self._fold(ids, path, now)
            return
        if now.text != before.text:
            yield Partial(ids.value(path), APPEND, now.text[len(before.text) :])
        if now.status is RowStatus.SETTLED:
            yield Partial(ids.mark(path), DELETE, "")
            yield from self._fold(ids, path, now)

    def _fold(self, ids: ItemIds, path: Path, row: Row) -> Iterator[Partial]:
        if folds(row):
            yield Partial(ids.slot(path), APPEND, self._renderer.fold(row, opened=True))


def _grows(before: Row, now: Row) -> bool:
    """Whether the row on the page becomes the new one by text appended to its value."""
    if (before.label, before.confined) != (now.label, now.confined):
        return False
    match before.status, now.status:
        case RowStatus.WRITING, RowStatus.SETTLED:
            return True
        case RowStatus.STREAMING, RowStatus.STREAMING:
            return now.text.startswith(before.text)
        case RowStatus.STREAMING, RowStatus.SETTLED:
            return bool(before.text) and now.text.startswith(before.text)
        case _:
            return False


def _outermost_change(path: Path, before: set[Path], now: set[Path]) -> Path | None:
    """The outermost array element on the path that the page lacks, or is to lose."""
    for element in element_paths(path):
        if element not in before or element not in now:
            return element
    return None
