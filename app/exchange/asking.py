"""What an exchange asks of a person: requests for a decision, from the first to the last."""

from collections.abc import Collection, Hashable, Iterable
from datetime import UTC, datetime, timedelta

from app.calls.states import CallState
from app.display.updates import CallChanged
from app.exchange.approval_views import ApprovalViews
from app.exchange.binding import Binding
from app.exchange.parts import Parts
from app.exchange.publisher import Publisher
from app.exchange.rules import Person
from app.exchange.same_call import sameness
from app.records.new import NewApproval
from app.records.rows import ApprovalState, TurnRecord


class Asking:
    """The requests of one exchange."""

    def __init__(self, parts: Parts, exchange: str, person: Person, publisher: Publisher) -> None:
        self.asked = False
        """Whether a person was asked for a decision in this exchange."""
        self._parts = parts
        self._exchange = exchange
        self._person = person
        self._publisher = publisher
        self._binding = Binding(parts.maps)
        self._views = ApprovalViews(parts.maps, parts.formats)

    def find(self, turns: Iterable[TurnRecord]) -> None:
        """Learn from the record of an exchange that was parked whether a person was asked."""
        self.asked = any(call.approval for turn in turns for call in turn.calls)

    def request(self, tool: str) -> NewApproval:
        """A request for a decision on a call of this tool, to be recorded with the call."""
        self.asked = True
        known = self._parts.maps[tool]
        assert known.approval is not None
        expiry = timedelta(seconds=known.approval.expires_after_s)
        return NewApproval(
            by=known.approval.by,
            asked_by=self._person.id,
            schema_version=self._binding.schema_version(tool),
            expires_at=datetime.now(UTC) + expiry,
        )

    async def show(self, turn: str) -> None:
        """Show the requests of a turn that has just been put on record with them."""
        if not self.asked:
            return
        asked = await self._parts.records.approvals_of(self._exchange)
        ours = [each for each in asked if each.turn_id == turn]
        waiting = CallState.AWAITING_APPROVAL
        await self._publisher.put(
            update
            for each in ours
            for update in (
                self._views.changed(each),
                CallChanged(self._exchange, turn, each.call_id, waiting),
            )
        )
        if ours:
            self._parts.asked.happened()

    async def withdrawn(self, calls: Collection[str]) -> None:
        """Tell that the requests for these calls are over: nobody decides on them any more."""
        await tell_withdrawn(self._parts, self._exchange, calls)

    async def are_superseded(self) -> bool:
        """Whether the person went on without deciding."""
        asked = await self._parts.records.approvals_of(self._exchange)
        return any(each.state is ApprovalState.SUPERSEDED for each in asked)

    async def denied(self) -> frozenset[Hashable]:
        """Calls that a person denied: made again, they are refused without asking.

        Each is what :func:`~app.exchange.same_call.sameness` makes of it.
        """
        if not self.asked:
            return frozenset()
        return frozenset(
            sameness(asked.tool, asked.arguments)
            for asked in await self._parts.records.approvals_of(self._exchange)
            if asked.state is ApprovalState.DENIED
        )


async def tell_withdrawn(parts: Parts, exchange: str, calls: Collection[str]) -> None:
    """Tell that the requests for these calls of an exchange are over, whoever runs it."""
    for asked in await parts.records.approvals_of(exchange):
        if asked.call_id in calls:
            parts.telemetry.waited(asked)
    parts.asked.happened()
