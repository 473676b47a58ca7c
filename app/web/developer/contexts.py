"""What each template of the developer view is given; nothing here is the end user's page's.

Whatever is ``Markup`` was rendered by another template; everything else is escaped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from markupsafe import Markup

from app.developer.pictures import Lane

Cell: TypeAlias = str | Markup


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    address: str
    name: str = ""
    """A file to save it as; "" for a page."""


@dataclass(frozen=True, slots=True)
class TableContext:
    """``folded`` shows the caption alone until it is opened; ``more`` leads on, or None."""

    TEMPLATE: ClassVar[str] = "developer/_table.html"
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    folded: bool = True
    more: Link | None = None


@dataclass(frozen=True, slots=True)
class PictureContext:
    """``table`` holds the same for those who cannot see it."""

    TEMPLATE: ClassVar[str] = "developer/_picture.html"
    name: str
    summary: str
    lanes: Sequence[Lane]
    ticks: Sequence[str]
    table: Markup


@dataclass(frozen=True, slots=True)
class TextContext:
    """Raw text: parts with a code are characters that cannot be seen."""

    TEMPLATE: ClassVar[str] = "developer/_text.html"
    segments: Sequence[tuple[str, int | None]]


@dataclass(frozen=True, slots=True)
class Piece:
    """A fragment in a buffer. ``says`` is its number, byte offset and time."""

    number: int
    says: str
    text: Markup
    current: bool


@dataclass(frozen=True, slots=True)
class BufferContext:
    """Fragments with their boundaries; ``folded`` tells what stands between, or "" for nothing."""

    TEMPLATE: ClassVar[str] = "developer/_buffer.html"
    before: Sequence[Piece]
    folded: str
    after: Sequence[Piece]
    whole: Link | None


@dataclass(frozen=True, slots=True)
class CallContext:
    """A call, under a heading of the level that its page has come to."""

    TEMPLATE: ClassVar[str] = "developer/_call.html"
    id: str
    level: int
    heading: str
    facts: Sequence[tuple[str, Cell]]
    picture: Markup
    buffer: Markup
    tables: Sequence[Markup]


@dataclass(frozen=True, slots=True)
class TurnContext:
    TEMPLATE: ClassVar[str] = "developer/_turn.html"
    id: str
    heading: str
    facts: Sequence[tuple[str, Cell]]
    links: Sequence[Link]
    picture: Markup
    calls: Sequence[Markup]
    tables: Sequence[Markup]


@dataclass(frozen=True, slots=True)
class NoticeContext:
    TEMPLATE: ClassVar[str] = "developer/_notice.html"
    at: str
    kind: str
    params: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ExchangeContext:
    TEMPLATE: ClassVar[str] = "developer/_exchange.html"
    id: str
    heading: str
    message: Markup
    entries: Sequence[Markup]


@dataclass(frozen=True, slots=True)
class PageContext:
    """What every page has."""

    title: str
    styles: str
    scripts: Sequence[str]
    crumbs: Sequence[Link]


@dataclass(frozen=True, slots=True)
class ListContext(PageContext):
    TEMPLATE: ClassVar[str] = "developer/list.html"
    conversations: Sequence[tuple[str, Link]]
    dialects: Sequence[str]
    files: Sequence[str]
    most: str
    fault: str


@dataclass(frozen=True, slots=True)
class ConversationContext(PageContext):
    """``stream`` is the address that is followed."""

    TEMPLATE: ClassVar[str] = "developer/conversation.html"
    facts: Sequence[tuple[str, Cell]]
    stream: str
    exchanges: Sequence[Markup]


@dataclass(frozen=True, slots=True)
class CallPageContext(PageContext):
    TEMPLATE: ClassVar[str] = "developer/call.html"
    call: Markup
    pager: Sequence[Link]
    at: int
    last: int
    action: str
    moment: Sequence[tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class ComparisonContext(PageContext):
    TEMPLATE: ClassVar[str] = "developer/comparison.html"
    verdict: str
    same: bool
    counts: Markup
    difference: Sequence[tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class StepCall:
    heading: str
    facts: Sequence[tuple[str, Cell]]
    before: Markup
    last: Markup
    rows: Markup


@dataclass(frozen=True, slots=True)
class StepContext:
    TEMPLATE: ClassVar[str] = "developer/_step.html"
    facts: Sequence[tuple[str, Cell]]
    text: Markup
    calls: Sequence[StepCall]


@dataclass(frozen=True, slots=True)
class ReplayContext(PageContext):
    """``stream`` is the address that plays, "" while it stands still."""

    TEMPLATE: ClassVar[str] = "developer/replay.html"
    stream: str
    step: Markup
    links: Sequence[Link]
    speeds: Sequence[Link]
    at: int
    last: int
    action: str
    turn: Markup


@dataclass(frozen=True, slots=True)
class SwapContext:
    """One swap of a stream's message."""

    TEMPLATE: ClassVar[str] = "developer/_swap.html"
    target: str
    swap: str
    content: Markup
