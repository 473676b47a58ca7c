"""What each template is given: one dataclass per template, named in ``TEMPLATE``.

Whatever is ``Markup`` was rendered by another template; everything else is escaped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol

from markupsafe import Markup


class Context(Protocol):
    """The values of one template."""

    TEMPLATE: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]


def values(context: Context) -> dict[str, Any]:
    """The names that the template may use."""
    return {field.name: getattr(context, field.name) for field in fields(context)}


@dataclass(frozen=True, slots=True)
class Partial:
    """One swap of a stream's message. Without ``swap`` the content is appended (see base.html)."""

    TEMPLATE: ClassVar[str] = "_partial.html"
    target: str
    swap: str
    content: Markup | str


@dataclass(frozen=True, slots=True)
class RowContext:
    """A row in its slot. ``mark`` is the id of the writing mark of a streamed row, or ""."""

    TEMPLATE: ClassVar[str] = "_row.html"
    field: str
    label: str
    value: str
    text: Markup | str
    mark: str
    confined: bool


@dataclass(frozen=True, slots=True)
class FoldContext:
    """What folds and unfolds the long value of the row before it."""

    TEMPLATE: ClassVar[str] = "_fold.html"
    label: str
    opened: bool


@dataclass(frozen=True, slots=True)
class SlotContext:
    """The room of a leaf. ``kind`` is "" for a single line."""

    TEMPLATE: ClassVar[str] = "_slot.html"
    id: str
    kind: str
    row: Markup | str


@dataclass(frozen=True, slots=True)
class GroupContext:
    """A nested object, or with ``elements`` (an id, else "") an array; ``bare``: of values."""

    TEMPLATE: ClassVar[str] = "_group.html"
    label: str
    elements: str
    bare: bool
    content: Markup | str


@dataclass(frozen=True, slots=True)
class ElementContext:
    TEMPLATE: ClassVar[str] = "_element.html"
    id: str
    content: Markup | str


@dataclass(frozen=True, slots=True)
class HeadContext:
    TEMPLATE: ClassVar[str] = "_head.html"
    before: str
    label: str
    after: str


@dataclass(frozen=True, slots=True)
class OutcomeContext:
    TEMPLATE: ClassVar[str] = "_outcome.html"
    rows: Markup | str
    next_step: str


@dataclass(frozen=True, slots=True)
class CallContext:
    """A call block. ``form`` is empty for a tool of which only name and state are shown."""

    TEMPLATE: ClassVar[str] = "_call.html"
    id: str
    call: str
    state: str
    state_id: str
    outcome_id: str
    head: Markup
    form: Markup | str
    outcome: Markup | str
    open: bool


@dataclass(frozen=True, slots=True)
class CallStateContext:
    """A call block's own attributes, its content left alone."""

    TEMPLATE: ClassVar[str] = "_call_state.html"
    id: str
    call: str
    state: str


@dataclass(frozen=True, slots=True)
class TextContext:
    TEMPLATE: ClassVar[str] = "_text.html"
    id: str
    blocks: Markup | str


@dataclass(frozen=True, slots=True)
class ParagraphContext:
    """A paragraph that shows as it was written."""

    TEMPLATE: ClassVar[str] = "_paragraph.html"
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CodeContext:
    """Code in its frame. The ids are "" where nothing will be put there."""

    TEMPLATE: ClassVar[str] = "_code.html"
    id: str
    code_id: str
    language: str
    code: Markup | str


@dataclass(frozen=True, slots=True)
class LinkContext:
    """A link to elsewhere; without ``href`` its text alone."""

    TEMPLATE: ClassVar[str] = "_link.html"
    href: str
    text: str


@dataclass(frozen=True, slots=True)
class WorkContext:
    TEMPLATE: ClassVar[str] = "_work.html"
    id: str
    sentence: str


@dataclass(frozen=True, slots=True)
class NoticeContext:
    TEMPLATE: ClassVar[str] = "_notice.html"
    id: str
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class TurnContext:
    """A turn; ``aside`` is what tells that it was set aside, or ""."""

    TEMPLATE: ClassVar[str] = "_turn.html"
    id: str
    aside: Markup | str
    items: Markup | str


@dataclass(frozen=True, slots=True)
class TurnAsideContext:
    """The own element of a turn that was set aside, its content left alone."""

    TEMPLATE: ClassVar[str] = "_turn_aside.html"
    id: str


@dataclass(frozen=True, slots=True)
class AsideContext:
    """Tells that a turn was set aside, and folds what stands behind it.

    It holds none of it: an element that is put into another one is a new one to whoever has
    selected something in it.
    """

    TEMPLATE: ClassVar[str] = "_aside.html"
    sentence: str
    open: bool
    """It was being read when it was stopped: it stays unfolded."""


@dataclass(frozen=True, slots=True)
class ExchangeContext:
    TEMPLATE: ClassVar[str] = "_exchange.html"
    id: str
    past: bool
    far: bool
    message: str
    at: str
    when: str
    place: str
    """Which of its alternatives it is ("1 of 2"), or ""."""
    before: str
    after: str
    """The alternatives beside it, or ""."""
    entries: Markup | str


@dataclass(frozen=True, slots=True)
class LogContext:
    TEMPLATE: ClassVar[str] = "_log.html"
    exchanges: Markup | str


@dataclass(frozen=True, slots=True)
class KeptContext:
    TEMPLATE: ClassVar[str] = "_kept.html"
    messages: Sequence[str]


@dataclass(frozen=True, slots=True)
class AsksContext:
    """Tells that a request waits; ``own``: the person of this page decides on it."""

    TEMPLATE: ClassVar[str] = "_asks.html"
    own: bool


@dataclass(frozen=True, slots=True)
class StopContext:
    TEMPLATE: ClassVar[str] = "_stop.html"
    stopping: bool


@dataclass(frozen=True, slots=True)
class SayContext:
    TEMPLATE: ClassVar[str] = "_say.html"
    sentences: Sequence[str]


@dataclass(frozen=True, slots=True)
class ShelfLine:
    """A line of the side list. ``at`` is a moment for programs, ``when`` for people."""

    id: str
    title: str
    at: str
    when: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """The side list: conversations, and whether it leaves out ``more``."""

    lines: Sequence[ShelfLine] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class HitLine:
    """A search hit: the words and the text around them. ``exchange`` is "" of one in a title, and
    the text around is the title's then.
    """

    conversation: str
    exchange: str
    title: str
    at: str
    when: str
    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class PageContext:
    """What every page has. ``current`` is a conversation's id, "" for a new one, or None.

    ``operator``: the person may decide on requests, and is offered the way there.
    """

    title: str
    styles: str
    icon: str
    scripts: Sequence[str]
    current: str | None
    shelf: Shelf = field(default=Shelf(), kw_only=True)
    operator: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class ConversationContext(PageContext):
    """A conversation; of a new one ``current`` is "" and there is nothing to follow yet."""

    TEMPLATE: ClassVar[str] = "conversation.html"
    log: Markup
    kept: Markup | str
    stop: Markup | str
    asks: Markup | str
    position: str
    earlier: int
    """How many exchanges came before those of the page."""
    first: int
    """The first one of a page that begins earlier."""
    suggestions: Sequence[str]
    deleted: str
    """A conversation that was just deleted and can be brought back, or ""."""
    edited: str
    """The message that is being edited, or ""."""
    max_chars: int
    most: str
    """The same for people."""


@dataclass(frozen=True, slots=True)
class ErrorContext(PageContext):
    TEMPLATE: ClassVar[str] = "error.html"
    status: int
    heading: str
    sentence: str


@dataclass(frozen=True, slots=True)
class SignInContext(PageContext):
    """The sign-in. ``roles`` are those that the person has already, in words; ``fault`` is what
    was wrong with an attempt, or "", and ``given`` the name that was given with it. ``possible``:
    there is a token to sign in with."""

    TEMPLATE: ClassVar[str] = "sign_in.html"
    name: str
    given: str
    roles: Sequence[str]
    fault: str
    possible: bool
    onward: str


@dataclass(frozen=True, slots=True)
class SearchContext(PageContext):
    TEMPLATE: ClassVar[str] = "search.html"
    words: str
    count: str
    hits: Sequence[HitLine]
    every: Sequence[ShelfLine]
    """All conversations, where nothing is searched for."""
