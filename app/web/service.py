"""What the pages need of the rest of the program, and what it is handed over in.

``owner`` is the id of the person's session. A conversation of another owner is answered as one
that does not exist.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Protocol

from app.developer.viewing import DeveloperView
from app.display.field_map import FieldMap
from app.display.view import ConversationView
from app.exchange.approvals import Ruled, Ruling
from app.exchange.conversations import ConversationSummary
from app.feed.feed import Entry
from app.records.rows import ApprovalRecord, AuditRecord
from app.records.search import SearchHit
from app.web.access import Access


class Conversations(Protocol):
    """The conversations of this process.

    Every method raises :class:`app.exchange.conversations.UnknownConversation` for an id that
    the owner does not have.
    """

    @property
    def suggestions(self) -> Sequence[str]:
        """Messages that are offered to a person who does not know what to ask."""
        ...

    async def create(self, owner: str) -> str:
        """Begin an empty conversation; its id."""
        ...

    async def send(
        self, owner: str, conversation: str, text: str, roles: frozenset[str] = frozenset()
    ) -> None:
        """Say something, as somebody with these roles.

        While an exchange is open the message is kept and sent after it; what waits in it for a
        decision is withdrawn.
        """
        ...

    async def ask_again(self, owner: str, conversation: str, text: str | None) -> None:
        """Ask the last message again, or another in its place; the old answer stays a branch.

        Raises :class:`app.records.errors.ConversationBusy` while an exchange is open.
        """
        ...

    async def turn_to(self, owner: str, conversation: str, exchange: str) -> None:
        """Show the branch that an exchange is part of. Raises as ``ask_again`` does."""
        ...

    async def stop(self, owner: str, conversation: str) -> None:
        """Ask the open exchange to stop. Does nothing when none is open."""
        ...

    async def view(
        self, owner: str, conversation: str, first: int | str = 0
    ) -> tuple[ConversationView, str]:
        """The conversation as it is now, and the feed position that it includes.

        ``first`` is the number of the first exchange that is wanted, or its id, or, negative, how
        many of the last ones; there is always one, unless nothing was said.
        """
        ...

    def follow(self, conversation: str, after: str) -> AsyncIterator[Entry]:
        """Entries after a position, then new ones as they come, without end.

        Raises :class:`app.feed.feed.Trimmed` when entries after ``after`` are gone.
        """
        ...

    async def rename(self, owner: str, conversation: str, title: str) -> None:
        """Give a conversation another title."""
        ...

    async def delete(self, owner: str, conversation: str) -> None:
        """Stop what is at work in a conversation and take it off the list."""
        ...

    async def restore(self, owner: str, conversation: str) -> None:
        """Bring a deleted conversation back."""
        ...

    async def is_deleted(self, owner: str, conversation: str) -> bool:
        """Whether the owner deleted it and can have it back; False for an unknown one, too."""
        ...

    async def search(self, owner: str, words: str, limit: int) -> Sequence[SearchHit]:
        """Messages, answers and titles that hold the words, whatever the case of letters."""
        ...

    async def listing(self, owner: str) -> Sequence[ConversationSummary]:
        """The owner's conversations, newest first."""
        ...


class Approvals(Protocol):
    """Requests for a person's decision, of all conversations.

    A request that is not there, or is another's to decide, raises
    :class:`app.exchange.approvals.UnknownApproval`; the owner's own ones raise
    :class:`app.exchange.conversations.UnknownConversation`, too.
    """

    async def waiting(self, tool: str | None = None) -> Sequence[ApprovalRecord]:
        """What operators have to decide, oldest first."""
        ...

    async def request(self, approval: str) -> ApprovalRecord:
        """One that is an operator's to decide, or was."""
        ...

    async def own_request(self, owner: str, conversation: str, approval: str) -> ApprovalRecord:
        """One that the owner of a conversation decides, or did."""
        ...

    async def decide(self, operator: str, approval: str, ruling: Ruling) -> Ruled:
        """Decide as an operator."""
        ...

    async def decide_own(
        self, owner: str, conversation: str, approval: str, ruling: Ruling
    ) -> Ruled:
        """Decide as the person who is asked in the chat."""
        ...

    async def refuse_attempt(self, actor: str, approval: str, why: str) -> None:
        """Put on record that somebody tried to decide who may not. Nothing for an unknown one."""
        ...

    async def history(
        self, search: str = "", before: datetime | None = None, limit: int = 50
    ) -> Sequence[ApprovalRecord]:
        """What operators had to decide and is over, the latest first."""
        ...

    def audit(self) -> AsyncGenerator[AuditRecord, None]:
        """The whole trail, oldest line first."""
        ...

    def changes(self) -> AsyncGenerator[None, None]:
        """A tick at once, and whenever something was put on the trail, here or elsewhere."""
        ...

    def map_of(self, tool: str) -> FieldMap | None:
        """The tool's field map as it is now."""
        ...

    def description_of(self, tool: str) -> str:
        """What the tool is for."""
        ...


@dataclass(frozen=True, slots=True)
class WebServices:
    """All that :func:`app.web.application.create_app` is given.

    ``running`` wraps the life of the server: entered before the first request, left after the
    last. Times are in seconds, sizes in bytes.
    """

    conversations: Conversations
    approvals: Approvals
    secret_key: str
    running: Callable[[], AbstractAsyncContextManager[None]]
    access: Access = field(default_factory=Access)
    """Who may do what beside chatting."""
    locale: str = "en"
    """The language of the page, one that Babel knows."""
    zone: tzinfo | None = None
    """The time zone of every time on a page; None for that of the server."""
    max_message_chars: int = 100_000
    """A pasted document fits in a message; an upload does not."""
    heartbeat_s: float = 15.0
    """Below the idle timeout of common proxies (60 s)."""
    send_timeout_s: float = 30.0
    """A viewer that takes nothing for so long is gone."""
    shutdown_grace_s: float = 2.0
    """Below the server's own graceful timeout."""
    metrics: Callable[[], bytes] | None = None
    """The metrics in Prometheus' text format; None when they are not offered."""
    developer: DeveloperView | None = None
    """What developers may see; None while the developer view is off."""

    @property
    def max_body_bytes(self) -> int:
        """A form with the longest message: a character takes at most 12 bytes there."""
        return 12 * self.max_message_chars + 4096
