"""A decision as a form sends it: read, checked to be of this session, and answered.

Only an approval's id, the digest of what was shown, the decision and its words come from a
browser, and the text of values that may be changed. Nothing else of a request does.
"""

from dataclasses import dataclass

from fastapi import HTTPException, Request
from starlette.datastructures import FormData

from app.exchange.approvals import Decision, Ruling
from app.web.approval_render import EDIT
from app.web.identity import Identity
from app.web.room import Room

MOST_FIELDS = 500
MOST_WORDS = 2000
"""Characters of a reason or a note."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a form brought, once its token fitted."""

    ruling: Ruling
    is_partial: bool
    """A script sent it and puts the answer in its place."""


async def sent_decision(request: Request, room: Room, person: Identity, approval: str) -> Sent:
    """Read a decision. Raises 403 where its token is not of this session, which goes on record,
    and 422 for what is no decision."""
    form = await request.form(max_fields=MOST_FIELDS, max_part_size=room.services.max_body_bytes)
    if not room.form_tokens.fits(_text(form, "token"), person.session, approval):
        await room.approvals.refuse_attempt(person.actor, approval, "a form of another session")
        raise HTTPException(403)
    try:
        decision = Decision(_text(form, "decision"))
    except ValueError:
        raise HTTPException(422) from None
    edits = {
        name.removeprefix(EDIT): value
        for name, value in form.multi_items()
        if name.startswith(EDIT) and isinstance(value, str)
    }
    ruling = Ruling(
        decision=decision,
        digest=_text(form, "digest"),
        reason=_words(form, "reason"),
        note=_words(form, "note"),
        edits=edits if decision is Decision.APPROVE else {},
    )
    return Sent(ruling, request.headers.get("hx-request") == "true")


def _text(form: FormData, name: str) -> str:
    value = form.get(name)
    return value if isinstance(value, str) else ""


def _words(form: FormData, name: str) -> str:
    text = _text(form, name).replace("\r\n", "\n").strip()
    if len(text) > MOST_WORDS:
        raise HTTPException(422)
    return text
