"""What the chat shows of a request for a decision, in the block of its call.

Made for one viewer: the form holds a token of their session. Without a viewer (a page that is only
looked at) there is no form.
"""

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from app.display.field_map import Approver
from app.display.view import ApprovalView
from app.web.approval_contexts import PromptContext
from app.web.approval_render import SCHEMA_CHARS, ApprovalRenderer, Form, verdict_id
from app.web.templates import Templates


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whose page it is: the conversation, and the token of a form by the id of a request."""

    conversation: str
    token: Callable[[str], str]


class Prompts:
    """Requests of one page."""

    def __init__(
        self, templates: Templates, requests: ApprovalRenderer, viewer: Viewer | None = None
    ) -> None:
        self._templates = templates
        self._requests = requests
        self._viewer = viewer

    def of(self, viewer: Viewer) -> "Prompts":
        """The same for one viewer."""
        return Prompts(self._templates, self._requests, viewer)

    def prompt(self, view: ApprovalView) -> Markup:
        """Who is waited for and until when; for the person who decides, all there is to see."""
        is_open = view.approved_at is None
        is_own = view.by == Approver.USER and is_open and view.whole is not None
        whole = choice = Markup()
        if is_own:
            assert view.whole is not None
            whole = self._requests.whole(view.whole)
            if self._viewer is not None:
                choice = self._choice(view, self._viewer)
        context = PromptContext(
            id=f"p{view.id}",
            heading=self._requests.words.prompt_heading(view),
            sentence=self._requests.words.asked(view),
            until=self._requests.moment(view.expires_at) if is_open else None,
            description=view.description,
            asked=self._requests.moment(view.asked_at),
            schema=view.schema_version[:SCHEMA_CHARS],
            whole=whole,
            verdict_id=verdict_id(view.id),
            choice=choice,
        )
        return self._templates.render(context)

    def _choice(self, view: ApprovalView, viewer: Viewer) -> Markup:
        address = own_address(viewer.conversation, view.id)
        form = Form(address, viewer.token(view.id), f"{address}?edit=1")
        assert view.whole is not None
        is_editable = any(row.editable for row in view.whole.rows)
        return self._requests.choice(view.id, view.digest, form, is_editable=is_editable)


def own_address(conversation: str, approval: str) -> str:
    """Where the person decides on a request of their conversation."""
    return f"/c/{conversation}/approvals/{approval}"
