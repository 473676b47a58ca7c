"""What the store refuses, by who is to blame::

    RecordsError
    ├── DatabaseRefused          the operator: a database this version cannot work with
    │   ├── DatabaseAhead           its schema is newer than this version
    │   └── UnsupportedDatabase     its URL names something else than SQLite or PostgreSQL
    ├── NotFound                 the caller: nothing is on record under that id
    ├── ConversationBusy         the moment: an exchange is open already
    ├── ExchangeOver             the moment: the exchange has ended, or another worker holds it
    ├── CallsNotEnded            the moment: a call has no result yet
    └── NotStorable              the caller: arguments that no text column may hold

An error names ids, never a message, an argument or a result.
"""

from collections.abc import Sequence


class RecordsError(Exception):
    """Anything the store refuses."""


class DatabaseRefused(RecordsError):
    """The database cannot be used; the message is one line for the operator."""


class DatabaseAhead(DatabaseRefused):
    """The schema is newer than this version of the program."""


class UnsupportedDatabase(DatabaseRefused):
    """The URL names no database that the store works on."""


class NotFound(RecordsError):
    def __init__(self, what: str, identifier: str) -> None:
        super().__init__(f"no {what} {identifier} is on record")


class ConversationBusy(RecordsError):
    """An exchange of the conversation is open; nothing was changed."""

    def __init__(self, conversation_id: str) -> None:
        super().__init__(f"an exchange of conversation {conversation_id} is open")


class ExchangeOver(RecordsError):
    """The exchange has ended, or another worker holds it; nothing was changed."""

    def __init__(self, exchange_id: str) -> None:
        super().__init__(f"exchange {exchange_id} has ended, or another worker holds it")


class CallsNotEnded(RecordsError):
    """Calls have no result yet, so there is no history to send and no exchange to end."""

    def __init__(self, call_ids: Sequence[str]) -> None:
        super().__init__(f"calls without a result: {', '.join(call_ids)}")
        self.call_ids = tuple(call_ids)


class NotStorable(RecordsError):
    """Arguments hold a NUL or a lone surrogate. The gate refuses such a call before this."""
