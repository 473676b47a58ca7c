"""What a server does of its own accord, at its start and from time to time.

It says that it is alive, goes on with what lost processes left, and removes what is too old.
"""

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from app.exchange.approvals import Approvals
from app.exchange.counts import Counts
from app.exchange.exchanges import Exchanges
from app.exchange.parts import Parts
from app.records.recovery import Recovered
from app.records.store import Records
from app.records.worker_locks import WorkerLocks
from app.settings import Settings
from app.tools.live_maps import LiveMaps

log = logging.getLogger(__name__)

HEARTBEAT_S = 5.0
LEASE_S = 30.0
"""Six heartbeats: a busy machine may skip some, and clocks of machines differ."""
RETENTION_PAUSE_S = 900.0
MAPS_PAUSE_S = 0.5
"""Between two looks at the field maps, where they are reloaded."""


async def recover(records: Records, locks: WorkerLocks, counts: Counts) -> set[str]:
    """Make true again what lost workers left: at once on this machine, after a lease elsewhere.

    The conversations in which an exchange was ended by it.
    """
    changed = await _recover_from(records, None, counts)
    for worker in locks.gone():
        changed |= await _recover_from(records, worker, counts)
        locks.forget(worker)
    return changed


async def _recover_from(records: Records, worker: str | None, counts: Counts) -> set[str]:
    recovered = await records.recover(
        datetime.now(UTC), LEASE_S, restarted=worker, rerun_idempotent=True
    )
    await _count(recovered, records, counts)
    return {interrupted.conversation_id for interrupted in recovered.interrupted}


async def _count(recovered: Recovered, records: Records, counts: Counts) -> None:
    """Count what the lost workers can no longer count themselves."""
    for ended in (*recovered.unknown, *recovered.not_run):
        call = await records.call(ended)
        if call is not None:
            counts.call_ended(call.name, call.state, call.reason)
    for interrupted in recovered.interrupted:
        counts.exchange_ended(interrupted.outcome)


async def keep_house(
    exchanges: Exchanges,
    approvals: Approvals,
    parts: Parts,
    locks: WorkerLocks,
    settings: Settings,
) -> None:
    """Say that this process is alive, go on for those that are not, and remove what is too old."""
    records = parts.records
    next_retention = 0.0
    clock = asyncio.get_running_loop().time
    while True:
        try:
            await records.heartbeat(parts.worker)
            await exchanges.tell_afresh(await recover(records, locks, parts.telemetry.counts))
            await approvals.expire()
            await exchanges.take_up()
            await exchanges.heed_stops()
            await exchanges.heed_decisions()
            await exchanges.heed_deletions()
            if clock() >= next_retention:
                next_retention = clock() + RETENTION_PAUSE_S
                await _remove_old(records, settings)
        except Exception:
            log.exception("housekeeping failed; it goes on")
        await asyncio.sleep(HEARTBEAT_S)


async def _remove_old(records: Records, settings: Settings) -> None:
    """What was observed goes whether or not the developer view is still on."""
    now = datetime.now(UTC)
    await records.delete_hidden_before(now - timedelta(days=settings.deleted_days))
    await records.delete_observations_before(now - timedelta(hours=settings.developer_hours))
    if settings.retention_days is not None:
        await records.delete_older_than(now - timedelta(days=settings.retention_days))


async def keep_fresh(maps: LiveMaps) -> None:
    """Take field maps into force whenever their files change."""
    while True:
        await asyncio.sleep(MAPS_PAUSE_S)
        try:
            await asyncio.to_thread(maps.refresh)
        except OSError:
            log.exception("the folder of field maps cannot be read; the maps in force stay")
