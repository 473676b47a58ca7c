"""Requests for a person's decision as HTML, the same on a page, in a stream and as an answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from app.calls.json_types import JsonObject, dotted
from app.display.edits import changes, editable_places
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.display.marks import Segment
from app.display.visible import visible
from app.display.whole import whole_for_operator, whole_for_person
from app.display.whole_rows import Whole, WholeRow
from app.exchange.approvals import Refusal
from app.records.rows import ApprovalRecord, ApprovalState
from app.web import approval_words as words_of
from app.web.approval_contexts import (
    Argument,
    Change,
    ChoiceContext,
    Moment,
    Past,
    Piece,
    RequestContext,
    RequestStateContext,
    VerdictContext,
    WholeContext,
)
from app.web.approval_words import ApprovalWords
from app.web.language import stamp
from app.web.templates import Templates
from app.web.words import Words

EDIT = "edit:"
"""Begins the name of a form field that changes a value; the dotted path follows."""

LONG_CHARS = 600
LONG_LINES = 12
"""Past either, a value has a box of its own that scrolls, with its length beside it."""

SCHEMA_CHARS = 12


@dataclass(frozen=True, slots=True)
class Tool:
    """What is known of a request's tool now."""

    label: str
    description: str
    field_map: FieldMap | None


@dataclass(frozen=True, slots=True)
class Form:
    """Where a decision goes, and what it must bring. ``edit`` leads to a page on which values can
    be changed, or is ""; ``edits``: they can be changed in this very form."""

    action: str
    token: str
    edit: str = ""
    edits: bool = False
    is_live: bool = True
    """A script may send it and leave the page as it is: a stream brings what comes of it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that changed nothing: why, and what of an edit was wrong."""

    refusal: Refusal
    detail: str = ""


class ApprovalRenderer:
    """Requests in, HTML out."""

    def __init__(self, templates: Templates, words: Words, formats: Formats) -> None:
        self._templates = templates
        self._language = words.language
        self._formats = formats
        self.words = ApprovalWords(words)

    def request(
        self,
        asked: ApprovalRecord,
        tool: Tool,
        form: Form,
        attempt: Attempt | None = None,
        edits: Mapping[str, str] | None = None,
        page: str = "",
    ) -> Markup:
        """A request as an operator sees it; ``page`` is where it has one of its own."""
        whole = whole_for_operator(tool.field_map, asked.arguments, self._formats)
        asked_by = self.words.person(asked.asked_by)
        return self._card(asked, tool, form, whole, asked_by, None, attempt, edits, page)

    def own_request(
        self,
        asked: ApprovalRecord,
        tool: Tool,
        form: Form,
        attempt: Attempt | None = None,
        edits: Mapping[str, str] | None = None,
    ) -> Markup:
        """The same as the person sees it whose conversation it is."""
        if tool.field_map is None:
            whole = Whole(hidden=len(asked.arguments))
        else:
            whole = whole_for_person(tool.field_map, asked.arguments, self._formats)
        you = self._language.gettext(words_of.YOU)
        return self._card(asked, tool, form, whole, "", you, attempt, edits)

    def state(self, asked: ApprovalRecord) -> Markup:
        """The request's own element with its state, to morph without its children."""
        return self._templates.render(RequestStateContext(asked.id, asked.state))

    def verdict(
        self,
        asked: ApprovalRecord,
        tool: Tool,
        form: Form,
        attempt: Attempt | None = None,
        who: str | None = None,
    ) -> Markup:
        """The form of a decision, or what was decided. ``who`` stands for the name on record."""
        fault = self.words.refusal(attempt.refusal, attempt.detail) if attempt else ""
        if asked.state is ApprovalState.WAITING:
            is_editable = _may_edit(tool, asked.arguments)
            return self.choice(asked.id, asked.digest, form, fault, is_editable=is_editable)
        context = VerdictContext(
            fault=fault,
            sentence=self.words.verdict(asked, who),
            outcome=self.words.outcome(asked),
            reason=visible(asked.reason or ""),
            note=visible(asked.note or ""),
            changes=self._changes(asked, tool),
        )
        return self._templates.render(context)

    def choice(
        self, approval: str, digest: str, form: Form, fault: str = "", *, is_editable: bool = False
    ) -> Markup:
        """The form of a decision."""
        context = ChoiceContext(
            approval=approval,
            form=form_id(approval),
            action=form.action,
            digest=digest,
            token=form.token,
            fault=fault,
            edit=form.edit if is_editable and not form.edits else "",
            edited=form.edits,
            live=form.is_live,
        )
        return self._templates.render(context)

    def whole(self, whole: Whole, form: str = "", edits: Mapping[str, str] | None = None) -> Markup:
        """All arguments; with ``edits`` those that can be changed are in fields of that form."""
        hidden = self.words.number_of(words_of.NOT_SHOWN, whole.hidden) if whole.hidden else ""
        arguments = [self._argument(row, edits) for row in whole.rows]
        return self._templates.render(WholeContext(arguments, hidden, form))

    def past(self, asked: ApprovalRecord, tool: Tool) -> Past:
        """One line of the history."""
        return Past(
            id=asked.id,
            label=tool.label,
            tool=asked.tool,
            state=asked.state,
            sentence=self.words.verdict(asked),
            outcome=self.words.outcome(asked),
            reason=visible(asked.reason or ""),
            note=visible(asked.note or ""),
        )

    def moment(self, at: datetime) -> Moment:
        return Moment(stamp(at), self._language.moment_and_zone(at))

    def _card(
        self,
        asked: ApprovalRecord,
        tool: Tool,
        form: Form,
        whole: Whole,
        asked_by: str,
        who: str | None,
        attempt: Attempt | None,
        edits: Mapping[str, str] | None,
        page: str = "",
    ) -> Markup:
        is_open = asked.state is ApprovalState.WAITING
        shown_edits = (edits or {}) if form.edits and is_open else None
        context = RequestContext(
            id=asked.id,
            page=page,
            state=asked.state,
            label=tool.label,
            tool=asked.tool,
            description=tool.description,
            asked_by=asked_by,
            asked=self.moment(asked.asked_at),
            until=self.moment(asked.expires_at) if is_open else None,
            schema=asked.schema_version[:SCHEMA_CHARS],
            message=visible(asked.message),
            whole=self.whole(whole, form_id(asked.id), shown_edits),
            verdict_id=verdict_id(asked.id),
            verdict=self.verdict(asked, tool, form, attempt, who),
        )
        return self._templates.render(context)

    def _argument(self, row: WholeRow, edits: Mapping[str, str] | None) -> Argument:
        name = dotted(row.path)
        is_long = row.length > LONG_CHARS or row.exact.count("\n") > LONG_LINES
        is_field = row.editable and edits is not None
        gettext = self._language.gettext
        return Argument(
            name=name,
            label=row.label,
            hidden=row.hidden,
            formatted=row.formatted or "",
            pieces=_pieces(row.segments) or [Piece("none", gettext(words_of.EMPTY_TEXT))],
            kind=self.words.kind(row),
            cautions=list(self.words.cautions(row)),
            length=self.words.number_of(words_of.LENGTH, row.length) if is_long else "",
            field=f"{EDIT}{name}" if is_field else "",
            exact=(edits or {}).get(name, row.exact) if is_field else "",
        )

    def _changes(self, asked: ApprovalRecord, tool: Tool) -> list[Change]:
        if asked.edited is None:
            return []
        before = _by_path(whole_for_operator(tool.field_map, asked.arguments, self._formats))
        after = _by_path(whole_for_operator(tool.field_map, asked.edited, self._formats))
        return [
            Change(after[path].label, _pieces(before[path].segments), _pieces(after[path].segments))
            for path in changes(asked.arguments, asked.edited)
        ]


def form_id(approval: str) -> str:
    return f"f{approval}"


def verdict_id(approval: str) -> str:
    return f"v{approval}"


def _pieces(segments: tuple[Segment, ...]) -> list[Piece]:
    return [Piece(segment.kind, segment.text) for segment in segments]


def _by_path(whole: Whole) -> dict[tuple[str | int, ...], WholeRow]:
    return {row.path: row for row in whole.rows}


def _may_edit(tool: Tool, arguments: JsonObject) -> bool:
    if tool.field_map is None:
        return False
    return next(editable_places(tool.field_map, arguments), None) is not None
