"""The queue that keeps itself: what a page lacks comes, and nothing that is there moves."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.calls.states import CallState
from app.records.rows import ApprovalState
from tests.web.clients import messages, stream_address
from tests.web.scripted_approvals import ASKED_AT, asked
from tests.web.test_approval_pages import ARGUMENTS, ONE, Office

TWO = asked(2, ARGUMENTS)


def follow(session: TestClient, address: str, **headers: str) -> Iterator[dict[str, Any]]:
    with session.stream("GET", address, headers=headers) as answer:
        yield from messages(answer.iter_lines())


def address_of(session: TestClient, path: str = "/approvals") -> str:
    return stream_address(session.get(path).text)


def test_a_new_request_is_appended_and_counted() -> None:
    office = Office(ONE)
    with office.operator() as session:
        stream = follow(session, address_of(session))
        assert "1 request waits" in next(stream)["data"]
        office.approvals.put(TWO)
        news = next(stream)
    assert re.findall(r"<hx-partial id=(\w+)", news["data"]) == ["queue", "count", "title"]
    assert f'data-request="{TWO.id}"' in news["data"]
    assert "(2) Approvals" in news["data"]
    assert TWO.id in news["id"]


def test_a_decided_one_is_marked_in_place_and_then_what_became_of_it() -> None:
    office = Office(ONE, TWO)
    done = replace(
        ONE,
        state=ApprovalState.APPROVED,
        decided_by="Ben (c0de)",
        decided_at=ASKED_AT,
        call_state=CallState.DONE,
    )
    with office.operator() as session:
        stream = follow(session, address_of(session))
        next(stream)
        office.approvals.put(replace(done, call_state=CallState.AWAITING_APPROVAL))
        first = next(stream)["data"]
        office.approvals.put(done)
        second = next(stream)["data"]
    assert re.findall(r"<hx-partial id=(\w+)", first) == [ONE.id, f"v{ONE.id}", "count", "title"]
    assert re.search(r"Approved by Ben \(c0de\)[^<]*</b></p>", first), "and no word of a start"
    assert "It was run." in second
    assert TWO.id not in first + second


def test_a_page_that_comes_back_is_sent_what_it_lacks_and_nothing_twice() -> None:
    office = Office(ONE)
    with office.operator() as session:
        address = address_of(session)
        first = next(follow(session, address))
        office.approvals.put(TWO)
        office.approvals.put(replace(ONE, state=ApprovalState.EXPIRED, decided_at=ASKED_AT))
        missed = next(follow(session, address, **{"Last-Event-ID": first["id"]}))
        again = next(follow(session, address, **{"Last-Event-ID": missed["id"]}))
    assert f'data-request="{TWO.id}"' in missed["data"]
    assert "Expired" in missed["data"]
    assert re.findall(r"<hx-partial id=(\w+)", again["data"]) == ["count", "title"]


def test_a_filtered_page_is_told_of_its_tool_alone() -> None:
    office = Office(ONE)
    with office.operator() as session:
        stream = follow(session, address_of(session, "/approvals?tool=refund"))
        next(stream)
        office.approvals.put(asked(7, {}, tool="other"))
        office.approvals.put(TWO)
        news = next(stream)["data"]
    assert TWO.id in news
    assert asked(7, {}).id not in news


@pytest.mark.parametrize("have", ["%00", "a b c", "..", "x.waiting", "' OR 1=1 --.x"])
def test_a_position_that_is_none_does_no_harm(have: str) -> None:
    office = Office(ONE)
    with office.operator() as session:
        news = next(follow(session, f"/approvals/stream?have={have}"))
    assert f'data-request="{ONE.id}"' in news["data"]


def test_only_operators_can_follow() -> None:
    with Office(ONE).person() as session:
        assert session.get("/approvals/stream").status_code == 303
