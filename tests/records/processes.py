"""Other processes on the same database: to race, and to be killed."""

import asyncio
import json
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Sequence

from app.calls.gate import Verdict
from app.records.store import Records
from tests.records.making import new_call, open_with_calls


async def race_claims(
    database_url: str, claims: Sequence[tuple[str, str]], *, processes: int, claims_each: int
) -> dict[str, list[str]]:
    """All claims (call id, digest) from several processes at once; who won, by call id."""
    racers = [
        await _start("race", database_url, str(claims_each), json.dumps(claims))
        for _ in range(processes)
    ]
    for racer in racers:
        assert await _line(racer) == "ready"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write(b"go\n")
    won: defaultdict[str, list[str]] = defaultdict(list)
    for racer in racers:
        for call, worker in json.loads(await _line(racer)):  # noqa: TID251 - our own pipe
            won[call].append(worker)
        assert await racer.wait() == 0
        _close(racer)
    return won


async def open_in_processes(database_url: str, *, processes: int) -> None:
    """Several processes open the store at the same moment, and each makes a conversation."""
    openers = [await _start("open", database_url) for _ in range(processes)]
    for opener in openers:
        assert await _line(opener) == "ready"
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write(b"go\n")
    for opener in openers:
        assert await opener.wait() == 0
        _close(opener)


async def kill_while_holding(database_url: str, moment: str) -> tuple[str, str, list[str]]:
    """Kill -9 a worker at a moment; its conversation, exchange and call ids."""
    worker = await _start("hold", database_url, moment)
    reached = json.loads(await _line(worker))  # noqa: TID251 - our own pipe
    os.kill(worker.pid, signal.SIGKILL)
    assert await worker.wait() == -signal.SIGKILL
    _close(worker)
    return reached["conversation"], reached["exchange"], reached["calls"]


async def _start(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.records.processes",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )


async def _line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


def _close(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()


async def _race(database_url: str, claims_each: int, claims: list[list[str]]) -> None:
    records = await Records.open(database_url)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    attempts = [
        (call, digest, f"{os.getpid()}-{n}") for call, digest in claims for n in range(claims_each)
    ]
    results = await asyncio.gather(
        *(records.claim_call(call, worker, digest) for call, digest, worker in attempts)
    )
    won = [(call, worker) for (call, _, worker), ok in zip(attempts, results, strict=True) if ok]
    print(json.dumps(won), flush=True)
    await records.close()


async def _open(database_url: str) -> None:
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    records = await Records.open(database_url)
    await records.create_conversation("ada", "x")
    await records.close()


async def _hold(database_url: str, moment: str) -> None:
    """Get to a moment and stay there until killed."""
    records = await Records.open(database_url)
    asks = Verdict.ASK if moment == "awaiting" else Verdict.RUN
    calls = [
        new_call(0, provider_id="a", verdict=asks, idempotent=moment == "running_idempotent"),
        new_call(1, provider_id="b"),
    ]
    opened = await open_with_calls(records, calls if moment != "no_turn" else [], "doomed")
    if moment.startswith("running"):
        assert await records.claim_call(opened.call_ids[0], "doomed", opened.digests[0])
    if moment == "running_stopped":
        await records.ask_stop(opened.conversation_id)
    reached = {
        "conversation": opened.conversation_id,
        "exchange": opened.exchange_id,
        "calls": [*opened.call_ids],
    }
    print(json.dumps(reached), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["race", url, each, claims]:
            asyncio.run(_race(url, int(each), json.loads(claims)))  # noqa: TID251 - our own pipe
        case ["open", url]:
            asyncio.run(_open(url))
        case ["hold", url, moment]:
            asyncio.run(_hold(url, moment))
        case other:
            raise SystemExit(f"unknown: {other}")
