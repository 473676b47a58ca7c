"""The audit trail as a file: every line that was ever put on it, oldest first, as it is read."""

import csv
import io
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from app.calls.exact_json import dump_exact
from app.records.rows import AuditRecord
from app.web.identity import Operator
from app.web.room import InRoom, Room

FIELDS = (
    "id",
    "at",
    "kind",
    "approval_id",
    "conversation_id",
    "call_id",
    "tool",
    "digest",
    "actor",
    "detail",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def approval_export_routes() -> APIRouter:
    """The routes of this module."""
    router = APIRouter()
    router.get("/approvals/audit.jsonl")(json_lines)
    router.get("/approvals/audit.csv")(comma_separated)
    return router


async def json_lines(room: InRoom, person: Operator) -> StreamingResponse:
    """One JSON object per line."""
    return _file(room, "jsonl", "application/x-ndjson", _json_line)


async def comma_separated(room: InRoom, person: Operator) -> StreamingResponse:
    """A table with a heading; no cell is a formula."""
    return _file(room, "csv", "text/csv; charset=utf-8", _csv_line, _csv_row(FIELDS))


def _file(
    room: Room,
    ending: str,
    media_type: str,
    line: Callable[[AuditRecord], str],
    heading: str = "",
) -> StreamingResponse:
    async def lines() -> AsyncGenerator[str, None]:
        if heading:
            yield heading
        async with aclosing(room.approvals.audit()) as trail:
            async for record in trail:
                yield line(record)

    disposition = f'attachment; filename="approvals-audit.{ending}"'
    return StreamingResponse(
        lines(), media_type=media_type, headers={"Content-Disposition": disposition}
    )


def _values(record: AuditRecord) -> list[str | int | None]:
    return [
        record.id,
        record.at.isoformat(),
        record.kind.value,
        record.approval_id,
        record.conversation_id,
        record.call_id,
        record.tool,
        record.digest,
        record.actor,
        record.detail,
    ]


def _json_line(record: AuditRecord) -> str:
    return dump_exact(dict(zip(FIELDS, _values(record), strict=True))) + "\n"


def _csv_line(record: AuditRecord) -> str:
    return _csv_row(["" if value is None else str(value) for value in _values(record)])


def _csv_row(cells: Sequence[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(_plain(cell) for cell in cells)
    return written.getvalue()


def _plain(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
