"""What the pages need of the rest of the program, and what it is handed over in.

``owner`` is the id of the person's session. A conversation of another owner is answered as one
that does not exist.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from app.developer.viewing import DeveloperView
from app.display.view import ConversationView
from app.exchange.conversations import ConversationSummary
from app.feed.feed import Entry
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

    async def send(self, owner: str, conversation: str, text: str) -> None:
        """Say something. While an exchange is open the message is kept and sent after it."""
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

    async def view(self, owner: str, conversation: str) -> tuple[ConversationView, str]:
        """The conversation as it is now, and the feed position that it includes."""
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
        """Messages and answers that hold the words, whatever the case of letters."""
        ...

    async def listing(self, owner: str) -> Sequence[ConversationSummary]:
        """The owner's conversations, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class WebServices:
    """All that :func:`app.web.application.create_app` is given.

    ``running`` wraps the life of the server: entered before the first request, left after the
    last. Times are in seconds, sizes in bytes.
    """

    conversations: Conversations
    secret_key: str
    running: Callable[[], AbstractAsyncContextManager[None]]
    access: Access = field(default_factory=Access)
    """Who may do what beside chatting."""
    locale: str = "en"
    """The language of the page, one that Babel knows."""
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
