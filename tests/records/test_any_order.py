"""Whatever is done in whatever order, the record stays one that history can be made of."""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeAlias

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.calls.gate import Verdict
from app.calls.history import AssistantTurn, CallPart, HistoryItem, ToolResults, UserMessage
from app.calls.reasons import Reason
from app.calls.states import FINAL_STATES, TRANSITIONS, CallState
from app.records.approvals import NewDecision
from app.records.errors import CallsNotEnded, ConversationBusy, ExchangeOver
from app.records.history import to_history
from app.records.rows import ApprovalState, CallRecord, ExchangeState, Outcome, Transcript
from app.records.store import Records
from tests.records.making import TickingClock, new_call, new_turn

STEPS = frozenset((before, after) for (before, _), after in TRANSITIONS.items())
BORN = frozenset({CallState.READY, CallState.AWAITING_APPROVAL, CallState.NOT_RUN})

Step: TypeAlias = tuple[Any, ...]
NewCallShape: TypeAlias = tuple[Verdict, str | None, bool]

# Weighted so that a few calls live through much: most may run, most steps act on the last two.
verdicts = st.sampled_from([Verdict.RUN, Verdict.RUN, Verdict.RUN, Verdict.ASK, Verdict.REFUSE])
provider_ids = st.sampled_from([None, "a", "a", "a_2"])
new_calls = st.lists(st.tuples(verdicts, provider_ids, st.booleans()), min_size=1, max_size=3)
which = st.integers(0, 1)
who = st.sampled_from(["worker-1", "worker-1", "worker-2"])
ends = st.sampled_from([CallState.DONE, CallState.FAILED, CallState.UNKNOWN])
claims = st.tuples(st.just("claim"), which, who)
steps: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.just("turn"), new_calls),
    claims,
    claims,
    claims,
    st.tuples(st.just("result"), which, who, ends),
    st.tuples(st.sampled_from(["refuse", "decide"]), which),
    st.tuples(
        st.sampled_from(["refuse_all", "stop", "supersede", "park", "adopt", "queue", "next"])
    ),
    st.tuples(st.sampled_from(["open", "recover", "recover", "expire"])),
    st.tuples(st.just("end"), st.sampled_from(Outcome)),
)


@dataclass
class Driver:
    """Does one step after another in one conversation, as any mix of workers might."""

    records: Records
    clock: TickingClock
    conversation_id: str
    exchange_id: str = ""
    claimed: Counter[str] = field(default_factory=Counter[str])
    released: Counter[str] = field(default_factory=Counter[str])

    async def do(self, step: Step) -> None:
        # A refusal must leave the record whole like anything else.
        with suppress(ConversationBusy, ExchangeOver, CallsNotEnded):
            await getattr(self, f"_{step[0]}")(*step[1:])

    async def _calls(self) -> list[CallRecord]:
        transcript = await self.records.transcript(self.conversation_id)
        return [c for e in transcript.exchanges for turn in e.turns for c in turn.calls]

    async def _pick(self, n: int) -> CallRecord | None:
        calls = await self._calls()
        return calls[-1 - n % len(calls)] if calls else None

    async def _open(self) -> None:
        self.exchange_id = (
            await self.records.open_exchange(self.conversation_id, "hello", "worker-1")
        ).exchange_id

    async def _next(self) -> None:
        begun = await self.records.open_queued_exchange(self.conversation_id, "worker-2")
        if begun is not None:
            self.exchange_id = begun.exchange_id

    async def _queue(self) -> None:
        await self.records.queue_message(self.conversation_id, "more")

    async def _turn(self, made: list[NewCallShape]) -> None:
        calls = [
            new_call(n, provider_id=provider_id, verdict=verdict, idempotent=idempotent)
            for n, (verdict, provider_id, idempotent) in enumerate(made)
        ]
        await self.records.record_turn(self.exchange_id, new_turn(*calls))

    async def _claim(self, n: int, worker: str) -> None:
        call = await self._pick(n)
        if call is not None and await self.records.claim_call(call.id, worker, call.digest):
            self.claimed[call.id] += 1

    async def _result(self, n: int, worker: str, state: CallState) -> None:
        call = await self._pick(n)
        if call is not None:
            await self.records.record_result(call.id, worker, state, "told", {"n": n}, False, 1)

    async def _refuse(self, n: int) -> None:
        call = await self._pick(n)
        if call is not None:
            await self.records.refuse_call(call.id, Reason.DENIED, "denied")

    async def _decide(self, n: int) -> None:
        call = await self._pick(n)
        if call is not None:
            for asked in await self.records.approvals_of(self.exchange_id):
                if asked.call_id == call.id:
                    decision = NewDecision(n % 2 == 0, asked.digest, "grace", told="denied")
                    await self.records.decide(asked.id, decision)

    async def _expire(self) -> None:
        self.clock.moment += timedelta(minutes=40)
        await self.records.expire_approvals("expired")

    async def _supersede(self) -> None:
        await self.records.supersede_approvals(self.conversation_id, "went on")

    async def _refuse_all(self) -> None:
        await self.records.refuse_unstarted(self.exchange_id, Reason.STOPPED, "stopped")

    async def _stop(self) -> None:
        await self.records.ask_stop(self.conversation_id)

    async def _park(self) -> None:
        await self.records.park_exchange(self.exchange_id, "worker-1")

    async def _adopt(self) -> None:
        await self.records.adopt_exchange(self.exchange_id, "worker-2")

    async def _end(self, outcome: Outcome) -> None:
        await self.records.end_exchange(self.exchange_id, outcome)

    async def _recover(self) -> None:
        self.clock.moment += timedelta(seconds=60)
        await self.records.heartbeat("worker-2")
        report = await self.records.recover(self.clock.moment, 30, rerun_idempotent=True)
        self.released.update(report.released)


def calls_of(transcript: Transcript) -> dict[str, CallRecord]:
    return {c.id: c for e in transcript.exchanges for turn in e.turns for c in turn.calls}


def check_change(before: Transcript, now: Transcript) -> None:
    old, new = calls_of(before), calls_of(now)
    assert set(old) <= set(new)
    for call_id, call in new.items():
        was = old.get(call_id)
        if was is None:
            assert call.state in BORN
        elif was.state in FINAL_STATES:
            assert call == was, "what has ended does not change any more"
        else:
            assert was.state is call.state or (was.state, call.state) in STEPS
        assert (call.state in FINAL_STATES) == (call.result_content is not None)
        if call.approval is not None and call.approval.state is not ApprovalState.APPROVED:
            waits = call.state is CallState.AWAITING_APPROVAL
            assert waits == (call.approval.state is ApprovalState.WAITING)
    states = [e.exchange.state for e in now.exchanges]
    assert states.count(ExchangeState.OPEN) <= 1
    for exchange in now.exchanges:
        if exchange.exchange.state is ExchangeState.ENDED:
            ended = {c.state for turn in exchange.turns for c in turn.calls}
            assert ended <= FINAL_STATES


def check_history(history: tuple[HistoryItem, ...]) -> None:
    sent: list[str] = []
    for n, item in enumerate(history):
        following = history[n + 1] if n + 1 < len(history) else None
        match item:
            case AssistantTurn(parts=parts):
                calls = [part for part in parts if isinstance(part, CallPart)]
                sent += [part.wire_id for part in calls if part.wire_id is not None]
                assert bool(calls) == isinstance(following, ToolResults)
                if isinstance(following, ToolResults):
                    answered = [(r.ordinal, r.wire_id, r.name) for r in following.results]
                    assert answered == [(c.ordinal, c.wire_id, c.name) for c in calls]
            case ToolResults() | UserMessage():
                pass
    assert len(set(sent)) == len(sent)
    assert not history or isinstance(history[0], UserMessage)


async def check_now(driver: Driver, before: Transcript) -> Transcript:
    now = await driver.records.transcript(driver.conversation_id)
    check_change(before, now)
    for call_id, times in driver.claimed.items():
        assert times <= 1 + driver.released[call_id], "dispatched twice"
    unended = any(call.state not in FINAL_STATES for call in calls_of(now).values())
    try:
        check_history(to_history(now))
    except CallsNotEnded:
        assert unended
    else:
        assert not unended
    return now


@settings(
    max_examples=20,
    deadline=None,
    # The fixtures are shared by the examples: each works in a conversation of its own.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(made=new_calls, todo=st.lists(steps, min_size=4, max_size=16))
async def test_any_order_of_steps_keeps_the_record_whole(
    records: Records, clock: TickingClock, made: list[NewCallShape], todo: list[Step]
) -> None:
    conversation_id = await records.create_conversation("ada", "any order")
    driver = Driver(records, clock, conversation_id)
    await driver.do(("open",))
    await driver.do(("turn", made))
    seen = await records.transcript(conversation_id)
    for step in todo:
        await driver.do(step)
        seen = await check_now(driver, seen)
    await records.delete_conversation(conversation_id)
