"""A view as HTML. Whole pages and fragments come from here, so that they cannot differ."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from app.calls.json_types import Path, dotted
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.field_map import Approver
from app.display.markdown import markdown_parser
from app.display.view import (
    CallView,
    ConversationView,
    ExchangeView,
    ItemView,
    NoticeView,
    Row,
    RowKind,
    RowStatus,
    TextView,
    TurnView,
    WorkView,
)
from app.web.contexts import (
    AsideContext,
    AsksContext,
    CallContext,
    CallStateContext,
    Context,
    ElementContext,
    ExchangeContext,
    FoldContext,
    GroupContext,
    HeadContext,
    KeptContext,
    LogContext,
    NoticeContext,
    OutcomeContext,
    RowContext,
    SayContext,
    SlotContext,
    StopContext,
    TextContext,
    TurnAsideContext,
    TurnContext,
    WorkContext,
)
from app.web.form_layout import Element, Group, Leaf, Place, Series, arrange, element_at, lay_out
from app.web.language import stamp
from app.web.markdown_html import MarkdownHtml
from app.web.page_ids import ItemIds, entry_id, exchange_id
from app.web.prompts import Prompts, Viewer
from app.web.templates import Templates
from app.web.watched_text import WatchedText
from app.web.words import Words

EMPTY_TEXT = Markup("<wbr>")
"""Stands for a settled text of no characters: an empty row value means that it is being written."""

NEAR = 30
"""Exchanges at the end of a conversation that are laid out although they are out of view."""

LINE_CHARS = 70
LONGEST_LINES = 20
"""Lines, as wide as they are on a desktop, that are shown without folding."""


class Renderer:
    """Views in, HTML out."""

    def __init__(self, templates: Templates, words: Words, prompts: Prompts) -> None:
        self._templates = templates
        self._prompts = prompts
        self._words = words
        self._parser = markdown_parser()
        self._markdown = MarkdownHtml(templates, self._parser)

    def watched(self, ids: ItemIds) -> WatchedText:
        """A text block that is going to be shown as it grows."""
        return WatchedText(ids, self._parser, self._markdown)

    def of(self, viewer: Viewer) -> "Renderer":
        """The same for one viewer, whose forms have tokens of their session."""
        return Renderer(self._templates, self._words, self._prompts.of(viewer))

    def log(self, view: ConversationView) -> Markup:
        """All exchanges. All but the last are the past: folded."""
        last = view.earlier + len(view.exchanges) - 1
        parts = [
            self.exchange(
                number,
                exchange,
                past=number < last and not exchange.open,
                far=number <= last - NEAR,
                writing=view.text_being_written,
            )
            for number, exchange in enumerate(view.exchanges.values(), view.earlier)
        ]
        return self._render(LogContext(_join(parts)))

    def kept(self, view: ConversationView) -> Markup:
        """The messages that wait to be sent."""
        return self._render(KeptContext(list(view.kept.values())))

    def stop(self, view: ConversationView) -> Markup:
        """The stop button, while there is something to stop."""
        exchange = view.open_exchange
        return self._render(StopContext(exchange.stopping)) if exchange else Markup()

    def asks(self, view: ConversationView) -> Markup:
        """That a request waits, and how to get to it, while one does."""
        asked = view.asked
        return self._render(AsksContext(asked == Approver.USER)) if asked else Markup()

    def said(self, sentences: Sequence[str]) -> Markup:
        """Announcements."""
        return self._render(SayContext(sentences))

    def exchange(
        self,
        number: int,
        exchange: ExchangeView,
        *,
        past: bool = False,
        far: bool = False,
        writing: TextView | None = None,
    ) -> Markup:
        """A message and all that answers it; ``writing`` is the text that may yet grow."""
        entries = [
            self.entry(number, place, entry, past=past, writing=writing)
            for place, entry in enumerate(exchange.entries.values())
        ]
        beside = exchange.alternatives
        place = beside.index(exchange.id) if beside else 0
        return self._render(
            ExchangeContext(
                id=exchange_id(number),
                past=past,
                far=far,
                message=exchange.message,
                at=stamp(exchange.at, "minutes"),
                when=self._words.language.moment(exchange.at),
                place=self._words.alternative(place + 1, len(beside)) if beside else "",
                before=beside[place - 1] if place else "",
                after=beside[place + 1] if place + 1 < len(beside) else "",
                entries=_join(entries),
            )
        )

    def entry(
        self,
        exchange: int,
        number: int,
        entry: TurnView | NoticeView,
        *,
        past: bool = False,
        writing: TextView | None = None,
    ) -> Markup:
        """A turn or a notice."""
        identity = entry_id(exchange, number)
        if isinstance(entry, NoticeView):
            return self._render(NoticeContext(identity, entry.kind, self._words.notice(entry)))
        aside = entry.abandoned is not None
        items = [
            self.item(
                ItemIds(exchange, number, place), item, past=past, aside=aside, writing=writing
            )
            for place, item in enumerate(entry.items.values())
        ]
        return self._render(TurnContext(identity, self.aside(entry) if aside else "", _join(items)))

    def turn_aside(self, exchange: int, number: int) -> Markup:
        """The own element of a turn that was set aside, to morph without its children."""
        return self._render(TurnAsideContext(entry_id(exchange, number)))

    def aside(self, turn: TurnView) -> Markup:
        """What tells that a turn was set aside; its first child."""
        is_open = turn.abandoned == Reason.STOPPED
        return self._render(AsideContext(self._words.abandoned(), is_open))

    def item(
        self,
        ids: ItemIds,
        item: ItemView,
        *,
        past: bool = False,
        aside: bool = False,
        writing: TextView | None = None,
    ) -> Markup:
        """One block of a turn."""
        match item:
            case TextView(text=text):
                blocks = self.watched(ids).begin(text, over=item is not writing)
                return self.text(ids, blocks)
            case WorkView(name=name, finished=finished):
                return self._render(
                    WorkContext(ids.block, self._words.work(name, finished=finished))
                )
            case CallView():
                return self.call(ids, item, past=past, aside=aside)

    def text(self, ids: ItemIds, blocks: Markup) -> Markup:
        """A text block with its Markdown blocks."""
        return self._render(TextContext(ids.block, blocks))

    def call(
        self, ids: ItemIds, call: CallView, *, past: bool = False, aside: bool = False
    ) -> Markup:
        """A call block. One that ended is folded once it is past.

        ``aside``: of a turn that was rolled back; what happens next is told after the turn.
        """
        places = lay_out(call.frame, call.rows)
        context = CallContext(
            id=ids.block,
            call=call.id,
            state=call.state,
            state_id=ids.state,
            outcome_id=ids.outcome,
            head=self.head(call),
            form=self._places(ids, places),
            outcome=Markup() if aside else self.outcome(ids, call),
            open=not past or call.state is CallState.AWAITING_APPROVAL,
        )
        return self._render(context)

    def call_state(self, ids: ItemIds, call: CallView) -> Markup:
        """The block's own element with its new state, to morph without its children."""
        return self._render(CallStateContext(ids.block, call.id, call.state))

    def head(self, call: CallView) -> Markup:
        """The line that tells the state."""
        return self._render(HeadContext(*self._words.call_head(call)))

    def outcome(self, ids: ItemIds, call: CallView) -> Markup:
        """The result's own rows and what happens next, or who is asked; empty for none of it."""
        if call.approval is not None:
            return self._prompts.prompt(call.approval)
        rows = self._places(ids.of_result, arrange(call.result, dict(call.result_headings)))
        next_step = self._words.next_step(call) or ""
        if not rows and not next_step:
            return Markup()
        return self._render(OutcomeContext(rows, next_step))

    def element(self, ids: ItemIds, call: CallView, path: Path) -> Markup:
        """One element of an array."""
        return self._element(ids, element_at(call.frame, call.rows, path))

    def row(self, ids: ItemIds, path: Path, row: Row) -> Markup:
        """A row, for its slot."""
        text = row.text
        if row.status is RowStatus.WRITING:
            text = ""
        elif row.status is RowStatus.SETTLED and not text:
            text = EMPTY_TEXT
        mark = ids.mark(path) if row.status is RowStatus.STREAMING else ""
        shown = self._render(
            RowContext(dotted(row.path), row.label, ids.value(path), text, mark, row.confined)
        )
        return shown + self.fold(row) if folds(row) else shown

    def fold(self, row: Row, *, opened: bool = False) -> Markup:
        """What unfolds a long value, after its row; ``opened`` where somebody has watched it grow.

        A value must not shrink under the eyes of whoever is reading it.
        """
        return self._render(FoldContext(row.label, opened))

    def _places(self, ids: ItemIds, places: Sequence[Place]) -> Markup:
        return _join([self._place(ids, place) for place in places])

    def _place(self, ids: ItemIds, place: Place) -> Markup:
        match place:
            case Leaf():
                return self._slot(ids, place)
            case Group(slot=slot, places=places):
                return self._render(GroupContext(slot.label, "", False, self._places(ids, places)))
            case Series(slot=slot, path=path, elements=elements):
                shown = _join([self._element(ids, element) for element in elements])
                return self._render(GroupContext(slot.label, ids.elements(path), place.bare, shown))

    def _element(self, ids: ItemIds, element: Element) -> Markup:
        content = self._places(ids, element.places)
        match element.places:
            case (Leaf(path=path),) if path == element.path:
                return content
            case _:
                return self._render(ElementContext(ids.slot(element.path), content))

    def _slot(self, ids: ItemIds, leaf: Leaf) -> Markup:
        kind = "" if leaf.slot.kind is RowKind.LINE else str(leaf.slot.kind)
        row = self.row(ids, leaf.path, leaf.row) if leaf.row else ""
        return self._render(SlotContext(ids.slot(leaf.path), kind, row))

    def _render(self, context: Context) -> Markup:
        return self._templates.render(context)


def folds(row: Row) -> bool:
    """Whether a value is so long that it is folded; one in a confined row scrolls there instead."""
    if row.status is not RowStatus.SETTLED or row.confined:
        return False
    lines = row.text.splitlines()
    return sum(1 + len(line) // LINE_CHARS for line in lines) > LONGEST_LINES


def _join(parts: Iterable[Markup]) -> Markup:
    return Markup().join(parts)
