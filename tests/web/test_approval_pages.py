"""What operators see and do, and what nobody else can: over HTTP, with requests put there."""

import base64
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.calls.exact_json import load_exact
from app.calls.json_types import JsonObject
from app.calls.states import CallState
from app.display.field_map import Approver
from app.records.rows import ApprovalRecord, ApprovalState, AuditKind
from app.web.access import Access, Role
from app.web.application import create_app
from tests.web.scripted import ScriptedConversations
from tests.web.scripted_approvals import ASKED_AT, ScriptedApprovals, asked
from tests.web.scripts import SCRIPTS

ARGUMENTS: JsonObject = {
    "invoice": "INV-1",
    "amount": 1250,
    "reason": "Paid\ntwice\u200b",
    "desk": "desk-7",
}
TOKEN = "the operators' token"


class Office:
    """An application, its requests, and browsers at it."""

    def __init__(self, *requests: ApprovalRecord) -> None:
        self.approvals = ScriptedApprovals(requests)
        conversations = ScriptedConversations(SCRIPTS, approvals=self.approvals)
        access = Access(tokens={Role.OPERATOR: TOKEN})
        self.app = create_app(replace(conversations.services(), access=access))

    @contextmanager
    def person(self) -> Generator[TestClient, None, None]:
        with TestClient(self.app, follow_redirects=False) as session:
            yield session

    @contextmanager
    def operator(self, name: str = "Ada") -> Generator[TestClient, None, None]:
        with self.person() as session:
            session.post("/sign-in", data={"token": TOKEN, "name": name})
            yield session


def form(page: str, approval: str) -> dict[str, str]:
    """The hidden fields of the form of a request."""
    found = re.search(rf'<form[^>]*data-approval="{approval}".*?</form>', page, re.DOTALL)
    assert found, "there is no such form"
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', found[0])
    return {name: unescape(value) for name, value in fields}


def decided(number: int, state: ApprovalState, **more: Any) -> ApprovalRecord:
    at = {"decided_by": "Ben (c0de)", "decided_at": ASKED_AT + timedelta(hours=number)}
    return asked(number, ARGUMENTS, state=state, **(at | more))


ONE = asked(1, ARGUMENTS)


def test_the_queue_shows_what_waits_whole_and_oldest_first() -> None:
    office = Office(asked(3, ARGUMENTS), ONE, decided(2, ApprovalState.DENIED))
    with office.operator() as session:
        page = session.get("/approvals").text
    assert re.findall(r'data-request="(\w+)"', page) == [ONE.id, asked(3, {}).id]
    assert '<title id="title">(2) Approvals</title>' in page
    assert "2 requests wait" in page
    for shown in (
        "Refund",
        "Pay back a paid invoice.",
        "Please refund number 1",
        "Anonymous visitor",
        "1,250",
        "desk-7",
        "hidden from the customer",
        "U+200B zero width space",
        "5c3d0a91bb27",
        "Mar 1, 2026",
    ):
        assert shown in page


def test_the_queue_is_filtered_by_tool() -> None:
    office = Office(ONE, asked(2, {"x": 1}, tool="write_file"))
    with office.operator() as session:
        page = session.get("/approvals?tool=write_file").text
    assert re.findall(r'data-request="(\w+)"', page) == [asked(2, {}).id]
    assert '<option value="write_file" selected>' in page


def test_no_page_of_an_operator_leads_into_a_conversation() -> None:
    office = Office(ONE, decided(2, ApprovalState.APPROVED, note="a note"))
    with office.operator() as session:
        for path in ("/approvals", f"/approvals/{ONE.id}", "/approvals/history"):
            page = session.get(path).text
            assert "/c/" not in page
            assert ONE.conversation_id not in page.replace(ONE.id, "")
            assert ONE.asked_by not in page


@pytest.mark.parametrize(("decision", "said"), [("approve", "Approved"), ("deny", "Denied")])
def test_a_decision_is_on_record_with_its_words(decision: str, said: str) -> None:
    office = Office(ONE)
    with office.operator() as session:
        data = form(session.get("/approvals").text, ONE.id) | {
            "decision": decision,
            "reason": "Too <much>",
            "note": "Called\r\nthem",
        }
        answer = session.post(f"/approvals/{ONE.id}", data=data)
        page = session.get(answer.headers["location"]).text
    assert answer.status_code == 303
    assert re.search(rf"<b>{said} by Ada \([0-9a-f]{{4}}\), Mar 1, 2026", page)
    assert "Too &lt;much&gt;" in page
    assert office.approvals.requests[ONE.id].note == "Called\nthem"
    assert "data-approval" not in page


def test_a_script_gets_the_form_s_place_alone() -> None:
    office = Office(ONE)
    with office.operator() as session:
        data = form(session.get("/approvals").text, ONE.id) | {"decision": "approve"}
        answer = session.post(f"/approvals/{ONE.id}", data=data, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer.text.startswith(f"<hx-partial id={ONE.id} hx-swap=outerMorph>")
    assert "Approved by Ada" in answer.text


OVER = {
    ApprovalState.APPROVED: "Approved by Ben (c0de)",
    ApprovalState.DENIED: "Denied by Ben (c0de)",
    ApprovalState.EXPIRED: "Expired Mar",
    ApprovalState.SUPERSEDED: "the person went on without a decision",
    ApprovalState.STOPPED: "the answer was stopped",
}


@pytest.mark.parametrize("state", OVER)
@pytest.mark.parametrize("partial", [True, False])
def test_whoever_comes_too_late_is_told_what_happened_and_changes_nothing(
    state: ApprovalState, partial: bool
) -> None:
    office = Office(ONE)
    with office.operator() as session:
        data = form(session.get("/approvals").text, ONE.id) | {"decision": "approve"}
        over = decided(1, state)
        office.approvals.put(over)
        headers = {"HX-Request": "true"} if partial else {}
        answer = session.post(f"/approvals/{ONE.id}", data=data, headers=headers)
    assert answer.status_code == 409
    assert OVER[state] in answer.text
    assert "ou changed nothing" in answer.text
    assert "data-approval" not in answer.text
    assert office.approvals.requests[ONE.id] == over


def test_twenty_operators_race_and_nineteen_are_told_the_truth() -> None:
    office = Office(ONE)
    answers: list[tuple[str, int, str]] = []
    start = threading.Barrier(20)

    def race(name: str) -> None:
        with office.operator(name) as session:
            data = form(session.get("/approvals").text, ONE.id) | {"decision": "approve"}
            start.wait(30)
            answer = session.post(f"/approvals/{ONE.id}", data=data)
            answers.append((name, answer.status_code, answer.text))

    threads = [threading.Thread(target=race, args=(f"Op{n}",)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    [(winner, _, _)] = [answer for answer in answers if answer[1] == 303]
    late = [answer for answer in answers if answer[1] == 409]
    assert len(late) == 19
    assert all(f"Approved by {winner} (" in text for _, _, text in late)
    assert office.approvals.requests[ONE.id].state is ApprovalState.APPROVED
    assert [record.kind for record in office.approvals.trail].count(AuditKind.APPROVED) == 1


def test_a_tampered_digest_decides_nothing_and_shows_what_waits() -> None:
    office = Office(ONE)
    with office.operator() as session:
        data = form(session.get("/approvals").text, ONE.id)
        data |= {"digest": "0" * 64, "decision": "approve"}
        answer = session.post(f"/approvals/{ONE.id}", data=data)
    assert answer.status_code == 409
    assert "other details than those that wait here" in answer.text
    assert form(answer.text, ONE.id)["digest"] == ONE.digest
    assert office.approvals.requests[ONE.id] == ONE
    assert office.approvals.refusals()


USERS = asked(5, ARGUMENTS, by=Approver.USER.value)


@pytest.mark.parametrize(
    ("approval", "change", "headers", "status", "why"),
    [
        (ONE.id, {"token": "0" * 32}, {}, 403, "a form of another session"),
        (ONE.id, {"token": ""}, {}, 403, "a form of another session"),
        (ONE.id, {}, {"Sec-Fetch-Site": "cross-site"}, 403, "sent by another site"),
        (ONE.id, {}, {"Origin": "https://evil.example"}, 403, "sent by another site"),
        (asked(2, {}).id, {}, {}, 403, "a form of another session"),
        (ONE.id, {"decision": "always"}, {}, 422, None),
        (ONE.id, {"reason": "x" * 2001}, {}, 422, None),
    ],
)
def test_what_was_tampered_with_is_refused_and_on_record(
    approval: str, change: dict[str, str], headers: dict[str, str], status: int, why: str | None
) -> None:
    office = Office(ONE, asked(2, ARGUMENTS))
    with office.operator() as session:
        data = form(session.get("/approvals").text, ONE.id) | {"decision": "approve"} | change
        answer = session.post(f"/approvals/{approval}", data=data, headers=headers)
    assert answer.status_code == status
    refused = [(request, reason) for request, _, reason in office.approvals.refusals()]
    assert refused == ([(approval, why)] if why else [])
    assert all(each.state is ApprovalState.WAITING for each in office.approvals.requests.values())


def test_a_form_of_one_operator_is_none_of_another_s() -> None:
    office = Office(ONE)
    with office.operator() as ada, office.operator("Ben") as ben:
        data = form(ada.get("/approvals").text, ONE.id) | {"decision": "approve"}
        assert ben.post(f"/approvals/{ONE.id}", data=data).status_code == 403
        assert ada.post(f"/approvals/{ONE.id}", data=data).status_code == 303


def test_a_person_is_no_operator_and_their_attempt_is_on_record() -> None:
    office = Office(ONE)
    with office.operator() as ada, office.person() as session:
        data = form(ada.get("/approvals").text, ONE.id) | {"decision": "approve"}
        session.get("/")
        assert session.post(f"/approvals/{ONE.id}", data=data).status_code == 403
        assert session.get("/approvals").headers["location"] == "/sign-in?next=/approvals"
    assert [why for _, _, why in office.approvals.refusals()] == ["not an operator"]


def test_what_the_person_decides_is_no_operator_s_to_decide() -> None:
    office = Office(USERS)
    with office.operator() as session:
        assert session.get(f"/approvals/{USERS.id}").status_code == 404
        assert USERS.id not in session.get("/approvals").text
        data = {"decision": "approve", "digest": USERS.digest, "token": "0" * 32}
        assert session.post(f"/approvals/{USERS.id}", data=data).status_code == 403
    assert [request for request, _, _ in office.approvals.refusals()] == [USERS.id]


def own(session: TestClient, office: Office, **more: Any) -> tuple[str, ApprovalRecord]:
    """A request in a conversation of this person, and where it is decided."""
    session.get("/")
    kept: Any = load_exact(base64.b64decode(session.cookies["formwork"].split(".")[0]).decode())
    request = replace(USERS, **more)
    office.approvals.owners[request.conversation_id] = kept["owner"]
    office.approvals.put(request)
    return f"/c/{request.conversation_id}/approvals/{request.id}", request


@pytest.mark.parametrize("partial", [True, False])
def test_a_person_decides_in_their_own_conversation(partial: bool) -> None:
    office = Office()
    with office.person() as session:
        place, request = own(session, office)
        page = session.get(place).text
        data = form(page, request.id) | {"decision": "approve"}
        headers = {"HX-Request": "true"} if partial else {}
        answer = session.post(place, data=data, headers=headers)
        late = session.post(place, data=data)
    assert answer.status_code == (204 if partial else 303)
    assert late.status_code == 409
    assert "Approved by you" in late.text
    assert "desk-7" not in page + late.text
    assert "Not shown to you: 1 field" in page


def test_a_request_leads_to_its_page_from_the_queue_and_from_nowhere_else() -> None:
    office = Office(ONE)
    with office.operator() as operator, office.person() as session:
        place, _ = own(session, office)
        link = f'<a href="/approvals/{ONE.id}">Refund</a>'
        assert link in operator.get("/approvals").text
        assert link not in operator.get(f"/approvals/{ONE.id}").text
        assert 'href="/approvals' not in session.get(place).text


def test_nobody_decides_in_anothers_conversation() -> None:
    office = Office()
    with office.person() as session, office.person() as other, office.operator() as operator:
        place, request = own(session, office)
        data = form(session.get(place).text, request.id) | {"decision": "approve"}
        for stranger in (other, operator):
            stranger.get("/")
            assert stranger.get(place).status_code == 404
            assert stranger.post(place, data=data).status_code in (403, 404)
        moved = place.replace(request.conversation_id, "nothing")
        assert session.get(moved).status_code == 404
    assert office.approvals.requests[request.id].state is ApprovalState.WAITING
    assert len(office.approvals.refusals()) == 2


def test_values_are_edited_only_where_the_map_says_so() -> None:
    office = Office(ONE)
    with office.operator() as session:
        plain = session.get(f"/approvals/{ONE.id}").text
        page = session.get(f"/approvals/{ONE.id}?edit=1").text
        assert "edit:" not in plain
        assert re.findall(r'<textarea name="(edit:[^"]*)"', page) == ["edit:amount"]
        data = form(page, ONE.id) | {"decision": "approve"}
        bad = session.post(f"/approvals/{ONE.id}", data=data | {"edit:amount": "lots"})
        worse = session.post(f"/approvals/{ONE.id}", data=data | {"edit:desk": "desk-8"})
        good = session.post(f"/approvals/{ONE.id}", data=data | {"edit:amount": "99.50"})
        after = session.get(f"/approvals/{ONE.id}").text
    assert (bad.status_code, worse.status_code, good.status_code) == (409, 409, 303)
    assert "Amount must be a number" in bad.text
    assert re.search(r"<textarea[^>]*>\nlots</textarea>", bad.text)
    assert "cannot be changed" in worse.text
    assert "Approved with changes by Ada" in after
    assert "<del>1250</del> <ins>99.50</ins>" in after


def test_a_denial_has_no_edits() -> None:
    office = Office(ONE)
    with office.operator() as session:
        data = form(session.get(f"/approvals/{ONE.id}?edit=1").text, ONE.id)
        data |= {"decision": "deny", "edit:amount": "1"}
        session.post(f"/approvals/{ONE.id}", data=data)
    assert office.approvals.requests[ONE.id].edited is None


def test_the_history_is_searched_and_paged() -> None:
    office = Office(*(decided(n, ApprovalState.APPROVED, note=f"n{n}") for n in range(1, 53)))
    with office.operator() as session:
        first = session.get("/approvals/history").text
        older = re.search(r'<a href="(\?search=[^"]*)">', first)
        assert older
        second = session.get("/approvals/history" + unescape(older[1])).text
        found = session.get("/approvals/history?search=N51").text
    assert [len(re.findall("<li data-state", page)) for page in (first, second, found)] == [
        50,
        2,
        1,
    ]
    assert "/approvals/audit.jsonl" in first


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (CallState.DONE, "It was run."),
        (CallState.FAILED, "It was run and failed."),
        (CallState.UNKNOWN, "Its outcome is unknown"),
        (CallState.RUNNING, "It was started."),
        (CallState.NOT_RUN, "It was not run. The answer was stopped."),
    ],
)
def test_what_became_of_an_approved_call_is_told(call: CallState, said: str) -> None:
    reason = "stopped" if call is CallState.NOT_RUN else None
    office = Office(decided(1, ApprovalState.APPROVED, call_state=call, call_reason=reason))
    with office.operator() as session:
        assert said in session.get("/approvals/history").text


def test_of_a_call_that_may_have_started_since_nothing_is_told() -> None:
    office = Office(decided(1, ApprovalState.APPROVED, call_state=CallState.AWAITING_APPROVAL))
    with office.operator() as session:
        pages = [session.get(f"/approvals/{path}").text for path in ("history", ONE.id)]
    for page in pages:
        assert re.search(r"Approved by Ben \(c0de\)[^<]*(</b>)?</p", page)


def test_the_audit_trail_is_exported_whole() -> None:
    office = Office(ONE)
    with office.operator("=Ada") as session:
        data = form(session.get("/approvals").text, ONE.id) | {"decision": "deny", "note": "n"}
        session.post(f"/approvals/{ONE.id}", data=data)
        session.post(f"/approvals/{ONE.id}", data=data)
        lines = session.get("/approvals/audit.jsonl")
        table = session.get("/approvals/audit.csv")
    trail: list[Any] = [load_exact(line) for line in lines.text.splitlines()]
    assert [line["kind"] for line in trail] == ["denied", "refused"]
    assert trail[0]["digest"] == ONE.digest
    assert "attachment" in lines.headers["content-disposition"]
    assert "desk-7" not in lines.text + table.text
    rows = table.text.splitlines()
    assert rows[0].startswith("id,at,kind,approval_id")
    assert len(rows) == 3
    assert ",'=Ada (" in rows[1]


def test_a_hostile_request_stays_text() -> None:
    hostile = '</textarea></dd><script>alert(1)</script><hx-partial id=queue>" onfocus=x'
    arguments: JsonObject = {"amount": 1, "reason": hostile, hostile: hostile}
    office = Office(asked(1, arguments, message=hostile, tool="refund"))
    with office.operator() as session:
        for path in ("/approvals", f"/approvals/{ONE.id}?edit=1"):
            page = session.get(path).text
            assert "<script>" not in page
            assert "<hx-partial" not in page
