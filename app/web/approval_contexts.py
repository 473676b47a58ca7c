"""What the templates about requests for a decision are given; see :mod:`app.web.contexts`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from app.web.contexts import PageContext


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a value; ``kind`` is "" for plain text, else why it is pointed at."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A time: as a machine reads it, and as a person does."""

    iso: str
    text: str


@dataclass(frozen=True, slots=True)
class Argument:
    """One value. Everything that is not there is "". ``field`` is a form field's name where the
    value can be changed, and ``exact`` what that begins with."""

    name: str
    label: str
    hidden: bool
    formatted: str
    pieces: Sequence[Piece]
    kind: str
    cautions: Sequence[str]
    length: str
    field: str
    exact: str


@dataclass(frozen=True, slots=True)
class Change:
    """A value that was changed before it was approved."""

    label: str
    before: Sequence[Piece]
    after: Sequence[Piece]


@dataclass(frozen=True, slots=True)
class WholeContext:
    """All arguments. ``form`` is the id of the form that changed values are sent with, or ""."""

    TEMPLATE: ClassVar[str] = "_whole.html"
    arguments: Sequence[Argument]
    hidden: str
    form: str


@dataclass(frozen=True, slots=True)
class ChoiceContext:
    """The form of a decision. ``edit`` is where details can be changed, or ""; ``edited`` tells
    that they can be changed right here, ``live`` that a script may send it."""

    TEMPLATE: ClassVar[str] = "_choice.html"
    approval: str
    form: str
    action: str
    digest: str
    token: str
    fault: str
    edit: str
    edited: bool
    live: bool


@dataclass(frozen=True, slots=True)
class VerdictContext:
    """What was decided, and what became of it. ``fault`` is why an attempt changed nothing."""

    TEMPLATE: ClassVar[str] = "_verdict.html"
    fault: str
    sentence: str
    outcome: str
    reason: str
    note: str
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class RequestContext:
    """A request as an operator sees it. ``verdict`` is the form, or what was decided; ``page``
    leads to a page of its own, "" where it stands on that already; ``until`` is None once it
    does not wait any more."""

    TEMPLATE: ClassVar[str] = "_request.html"
    id: str
    page: str
    state: str
    label: str
    tool: str
    description: str
    asked_by: str
    asked: Moment
    until: Moment | None
    schema: str
    message: str
    whole: Markup
    verdict_id: str
    verdict: Markup


@dataclass(frozen=True, slots=True)
class RequestStateContext:
    """A request's own element with its new state, to morph without its children."""

    TEMPLATE: ClassVar[str] = "_request_state.html"
    id: str
    state: str


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The request in the chat. ``choice`` is the form, or "" where somebody else decides."""

    TEMPLATE: ClassVar[str] = "_prompt.html"
    id: str
    heading: str
    sentence: str
    until: Moment | None
    description: str
    asked: Moment
    schema: str
    whole: Markup | str
    verdict_id: str
    choice: Markup | str


@dataclass(frozen=True, slots=True)
class CountContext:
    """How many wait. ``more`` is how many of them are not on the page."""

    TEMPLATE: ClassVar[str] = "_count.html"
    sentence: str
    more: str


@dataclass(frozen=True, slots=True)
class QueueContext(PageContext):
    """What waits. ``have`` is what the page holds, for the stream to go on from."""

    TEMPLATE: ClassVar[str] = "approvals.html"
    count: Markup
    requests: Markup
    tools: Sequence[tuple[str, str]]
    tool: str
    have: str


@dataclass(frozen=True, slots=True)
class ApprovalContext(PageContext):
    """One request. ``onward`` leads to the oldest other one that waits, or is ""."""

    TEMPLATE: ClassVar[str] = "approval.html"
    request: Markup
    back: str
    onward: str


@dataclass(frozen=True, slots=True)
class Past:
    """One line of the history."""

    id: str
    label: str
    tool: str
    state: str
    sentence: str
    outcome: str
    reason: str
    note: str


@dataclass(frozen=True, slots=True)
class HistoryContext(PageContext):
    """Decisions, the latest first. ``older`` is the address of the next ones, or ""."""

    TEMPLATE: ClassVar[str] = "approval_history.html"
    past: Sequence[Past]
    search: str
    older: str
