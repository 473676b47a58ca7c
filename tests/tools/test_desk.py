import sqlite3
import threading
from decimal import Decimal
from pathlib import Path

import pytest

from app.tools.desk import Desk, DeskFault


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "data/desk.sqlite3")


def open_ticket(desk: Desk, key: str) -> str:
    return desk.open_ticket(key, "WEB", "Title", "low", "", None).ticket_id


def test_a_desk_is_made_and_seeded_once_whoever_comes_first(desk: Desk) -> None:
    threads = [threading.Thread(target=open_ticket, args=(desk, f"t-{n}")) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ticket.ticket_id for ticket in desk.tickets()) == [
        f"TICK-{number}" for number in range(9001, 9009)
    ]
    assert str(desk.invoice("INV-2026-0312").total) == "1875.00"


def test_what_is_on_record_stays_for_the_next_process(desk: Desk, tmp_path: Path) -> None:
    open_ticket(desk, "t-1")
    again = Desk(tmp_path / "data/desk.sqlite3")
    assert open_ticket(again, "t-2") == "TICK-9002"
    assert open_ticket(again, "t-1") == "TICK-9001"


def test_a_refund_that_fails_leaves_nothing(desk: Desk) -> None:
    with pytest.raises(DeskFault):
        desk.refund("t-1", "INV-2026-0312", Decimal(5000), "EUR", "too much")
    made = desk.refund("t-1", "INV-2026-0312", Decimal("1875.00"), "EUR", "all")
    assert (made.refund_id, made.left_to_refund) == ("RF-501", 0)


def test_a_desk_that_is_busy_is_waited_for(desk: Desk, tmp_path: Path) -> None:
    open_ticket(desk, "t-1")
    other = sqlite3.connect(
        tmp_path / "data/desk.sqlite3", isolation_level=None, check_same_thread=False
    )
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.2, other.execute, ["COMMIT"]).start()
    assert open_ticket(desk, "t-2") == "TICK-9002"
    other.close()


def test_a_file_that_is_no_database_is_not_overwritten(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    file = tmp_path / "data/desk.sqlite3"
    file.write_bytes(b"no database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        open_ticket(desk, "t-1")
    assert file.read_bytes() == b"no database" * 100
