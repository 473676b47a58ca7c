"""The text that is being written, as one page shows it: what must be put where when it grows."""

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markupsafe import Markup

from app.display.markdown_blocks import Ended, Grew, MarkdownBlocks, Opened, Step
from app.web.markdown_html import MarkdownHtml, Outline
from app.web.page_ids import ItemIds


@dataclass(frozen=True, slots=True)
class Appended:
    """HTML behind all that an element holds."""

    target: str
    html: Markup | str


@dataclass(frozen=True, slots=True)
class Replaced:
    """HTML instead of an element; none of it takes the element away."""

    target: str
    html: Markup


class WatchedText:
    """One text block: ``begin`` once, then ``advance`` with what was added to it."""

    def __init__(self, ids: ItemIds, parser: MarkdownIt, html: MarkdownHtml) -> None:
        self._ids = ids
        self._html = html
        self._blocks = MarkdownBlocks(parser)
        self._outline: Outline = {}
        self._number = 0
        """Of blocks that have ended."""
        self._open: Opened | None = None
        self._shown = 0
        """Characters that show of the open block."""

    def begin(self, text: str, *, over: bool) -> Markup:
        """All blocks of the text as it stands; ``over``: nothing more will come."""
        return self._render(self._steps(text, over))

    def advance(self, text: str, *, over: bool) -> Iterator[Appended | Replaced]:
        """Bring the page from what it shows to what it is to show."""
        steps = self._steps(text, over)
        opened = self._open
        if opened is not None:
            ended = next((step for step in steps if isinstance(step, Ended)), None)
            if ended is None:
                added = "".join(step.text for step in steps if isinstance(step, Grew))
                if added:
                    yield Appended(self._place(opened), added)
                    self._shown += len(added)
                return
            steps = steps[steps.index(ended) + 1 :]
            yield from self._end(opened, ended)
        html = self._render(steps)
        if html:
            yield Appended(self._ids.block, html)

    def _steps(self, text: str, over: bool) -> list[Step]:
        self._blocks.feed(text)
        if over:
            self._blocks.finish()
        return self._blocks.steps()

    def _end(self, opened: Opened, ended: Ended) -> Iterator[Appended | Replaced]:
        """The open block has come to its end. What shows of it may go on into the next."""
        target, plain, shown = self._place(opened), ended.plain or "", self._shown
        same = opened == Opened(ended.kind, ended.language) and shown <= len(plain)
        if same and self._html.shows_as_written(ended):
            if len(plain) > shown:
                yield Appended(target, plain[shown:])
        else:
            element = self._ids.text(self._number)
            yield Replaced(element, self._html.ended(self._ids, self._number, ended, self._outline))
        self._open, self._shown = None, 0
        self._number += 1

    def _render(self, steps: list[Step]) -> Markup:
        parts: list[Markup] = []
        text = ""
        for step in steps:
            match step:
                case Ended():
                    parts.append(self._html.ended(self._ids, self._number, step, self._outline))
                    self._open, self._number = None, self._number + 1
                case Opened():
                    self._open, text = step, ""
                case Grew(text=more):
                    text += more
        if self._open is not None:
            parts.append(self._html.opened(self._ids, self._number, self._open, text))
            self._shown = len(text)
        return Markup().join(parts)

    def _place(self, opened: Opened) -> str:
        return self._html.place(self._ids, self._number, opened)
