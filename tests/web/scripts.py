"""What scripted answers consist of: one call from its announcement to its end, and text."""

from collections.abc import Iterable, Sequence

from app.calls.json_types import Path
from app.calls.reasons import Reason
from app.calls.states import CallState
from app.display.pacing import DEFAULT_INTERVAL_S
from app.display.updates import (
    CallChanged,
    CallOpened,
    Noticed,
    RowChanged,
    RowGrew,
    TextGrew,
    TurnAbandoned,
    TurnOpened,
    Update,
)
from app.display.view import NoticeKind, NoticeView, Row, RowKind, RowStatus, Slot
from tests.web.scripted import Script, Step

GAP = DEFAULT_INTERVAL_S
TICKET_FRAME = (
    Slot(("project",), "Project", required=True),
    Slot(("title",), "Title", required=True),
    Slot(("priority",), "Priority", required=True),
    Slot(("description",), "Description", RowKind.PROSE),
)
EMAIL_FRAME = (
    Slot(("to",), "To", required=True),
    Slot(("subject",), "Subject", required=True),
    Slot(("body",), "Message", RowKind.PROSE, required=True),
)
ORDER_FRAME = (
    Slot(("customer",), "Customer", members=(Slot(("name",), "Name"), Slot(("city",), "City"))),
    Slot(("tags",), "Tags", repeated=True),
    Slot(
        ("lines",),
        "Lines",
        repeated=True,
        members=(Slot(("lines", "*", "item"), "Item"), Slot(("lines", "*", "amount"), "Amount")),
    ),
    Slot(("note",), "Note", RowKind.PROSE),
)
TICKET_TEXT = (
    "The March invoice run stopped after 212 of 640 customers. The log names a missing tax code."
)
EMAIL_TEXT = (
    "Dear Ada,\n\nthank you for your patience with the March invoices. The run stopped on Monday "
    "night after about a third of our customers, because one tax code was missing from the new "
    "table. Nobody was charged twice, and no invoice left our house with a wrong amount. We have "
    "added the code, checked all other tables against last year's, and started the run again this "
    "morning. It ended at 9:40 without a further fault. You will find your invoice attached; the "
    "sum is the one we agreed upon in January, and the date of payment moves by one week, so that "
    "our delay does not become yours. Should anything in it look odd to you, please write back to "
    "this address, and a person will answer within the day. We are sorry for the trouble "
    "that this has caused you.\n\n"
    "With kind regards,\nthe billing team"
)

MARKDOWN_TEXT = """Here is **what happened**, step by step.

## The run

1. It began at `02:14`
2. It stopped after 212 customers:
   - one tax code was missing
   - nobody was charged twice

| Customer | Amount | Note |
| :--- | ---: | :-: |
| Ada | 1,250.00 | paid |
| Grace | 12.00 | open |

> A quote with *emphasis* and ~~nothing~~.

```python
def invoices(month: str) -> list[Invoice]:
    # all of them
    return [run(month, 3) for c in "customers" if c]
```

```
plain text   stays
```

See [the report](https://example.com/report) and ![chart](https://evil.example/p?d=1).
<b>raw</b> html is text.
"""


class CallScript:
    """Updates of one call, in the words of a script."""

    def __init__(self, exchange: str, turn: int, ordinal: int = 0) -> None:
        self.exchange = exchange
        self.turn = f"{exchange}-{turn}"
        self.call = f"{self.turn}-{ordinal}"

    def opened(self) -> Update:
        return TurnOpened(self.exchange, self.turn)

    def announced(
        self,
        label: str | None,
        frame: tuple[Slot, ...],
        state: CallState = CallState.PREPARING,
    ) -> Update:
        return CallOpened(self.exchange, self.turn, self.call, state, label, frame)

    def row(
        self,
        path: Path,
        label: str,
        text: str = "",
        *,
        place: int,
        status: RowStatus = RowStatus.SETTLED,
        kind: RowKind = RowKind.LINE,
        confined: bool = False,
    ) -> Update:
        row = Row(path, label, text, status, kind, confined)
        return RowChanged(self.exchange, self.turn, self.call, path, row, place)

    def writing(self, path: Path, label: str, *, place: int, confined: bool = False) -> Update:
        return self.row(path, label, place=place, status=RowStatus.WRITING, confined=confined)

    def grew(self, path: Path, text: str) -> Update:
        return RowGrew(self.exchange, self.turn, self.call, path, text)

    def changed(
        self,
        state: CallState,
        reason: str | None = None,
        summary: str | None = None,
        duration_ms: int | None = None,
        result: tuple[Row, ...] = (),
    ) -> Update:
        return CallChanged(
            self.exchange, self.turn, self.call, state, reason, summary, duration_ms, result
        )

    def streamed(
        self, path: Path, label: str, text: str, *, place: int, size: int
    ) -> Iterable[Update]:
        """A row written as prose, in pieces of a size."""
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        prose = RowKind.PROSE
        yield self.row(path, label, pieces[0], place=place, status=RowStatus.STREAMING, kind=prose)
        for piece in pieces[1:]:
            yield self.grew(path, piece)
        yield self.row(path, label, text, place=place, kind=prose)


def said(exchange: str, turn: int, text: str, size: int = 28) -> list[Step]:
    """Assistant text of a turn of its own."""
    name = f"{exchange}-{turn}"
    steps: list[Step] = [(GAP, [TurnOpened(exchange, name)])]
    steps += [
        (GAP, [TextGrew(exchange, name, f"{name}-t", text[at : at + size])])
        for at in range(0, len(text), size)
    ]
    return steps


def ticket_form(exchange: str) -> list[Step]:
    """The arguments of a ticket, in the pace and pieces of 47 fragments over 0.7 s."""
    call = CallScript(exchange, 0)
    return [
        (GAP, [call.opened(), call.announced("Create ticket", TICKET_FRAME)]),
        (GAP, [call.row(("project",), "Project", "BILLING", place=0)]),
        (GAP, [call.writing(("title",), "Title", place=1)]),
        (GAP, [call.row(("title",), "Title", "March invoice run failed", place=1)]),
        (GAP, [call.row(("priority",), "Priority", "High", place=2)]),
        *(
            (GAP, [update])
            for update in call.streamed(
                ("description",), "Description", TICKET_TEXT, place=3, size=28
            )
        ),
    ]


def ticket_result() -> tuple[Row, ...]:
    return (Row(("ticket_id",), "Ticket", "TICK-9034", RowStatus.SETTLED),)


def ticket(exchange: str) -> Sequence[Step]:
    """A ticket that is opened, and told of."""
    call = CallScript(exchange, 0)
    done = call.changed(CallState.DONE, None, "TICK-9034", 412, ticket_result())
    return [
        *ticket_form(exchange),
        (0.01, [call.changed(CallState.READY)]),
        (GAP, [call.changed(CallState.RUNNING)]),
        (0.4, [done]),
        *said(exchange, 1, "Ticket TICK-9034 is open in BILLING with high priority."),
    ]


def email_form(exchange: str) -> list[Step]:
    call = CallScript(exchange, 0)
    return [
        (GAP, [call.opened(), call.announced("Send email", EMAIL_FRAME)]),
        (GAP, [call.writing(("to",), "To", place=0)]),
        (GAP, [call.row(("to",), "To", "ada@example.com", place=0)]),
        (GAP, [call.writing(("subject",), "Subject", place=1)]),
        (GAP, [call.row(("subject",), "Subject", "Your March invoice", place=1)]),
        *(
            (GAP, [update])
            for update in call.streamed(("body",), "Message", EMAIL_TEXT, place=2, size=25)
        ),
    ]


def email(exchange: str) -> Sequence[Step]:
    """An e-mail of 800 characters over three seconds."""
    call = CallScript(exchange, 0)
    return [
        *email_form(exchange),
        (0.01, [call.changed(CallState.READY)]),
        (GAP, [call.changed(CallState.RUNNING)]),
        (0.2, [call.changed(CallState.DONE, None, "ada@example.com", 38)]),
        *said(exchange, 1, "The e-mail to Ada is on its way."),
    ]


def order_form(exchange: str) -> list[Step]:
    """Groups and arrays, with a field that arrives after a later one."""
    call = CallScript(exchange, 0)
    return [
        (GAP, [call.opened(), call.announced("Place order", ORDER_FRAME)]),
        (GAP, [call.row(("customer", "city"), "City", "Vienna", place=0)]),
        (GAP, [call.row(("customer", "name"), "Name", "Ada", place=0)]),
        (GAP, [call.row(("tags", 0), "Tags", "urgent", place=2)]),
        (GAP, [call.row(("tags", 1), "Tags", "export", place=3)]),
        (GAP, [call.writing(("lines", 0, "item"), "Item", place=4)]),
        (GAP, [call.row(("lines", 0, "item"), "Item", "Paper, A4", place=4)]),
        (GAP, [call.row(("lines", 0, "amount"), "Amount", "€1,250.00", place=5)]),
        (
            GAP,
            [
                call.row(("lines", 1, "amount"), "Amount", "€12.00", place=6),
                call.row(("lines", 1, "item"), "Item", "Pencils", place=6),
            ],
        ),
        (GAP, [call.row(("note",), "Note", "Ring twice.", place=8, kind=RowKind.PROSE)]),
    ]


def order_waiting(exchange: str) -> Sequence[Step]:
    call = CallScript(exchange, 0)
    return [
        *order_form(exchange),
        (0.01, [call.changed(CallState.READY)]),
        (GAP, [call.changed(CallState.AWAITING_APPROVAL)]),
        (600, []),
    ]


def running(exchange: str) -> Sequence[Step]:
    call = CallScript(exchange, 0)
    return [
        *ticket_form(exchange),
        (0.01, [call.changed(CallState.READY)]),
        (GAP, [call.changed(CallState.RUNNING)]),
        (600, []),
    ]


def forming(exchange: str) -> Sequence[Step]:
    return [*ticket_form(exchange)[:-2], (600, [])]


def two_calls(exchange: str) -> Sequence[Step]:
    """Two calls of one turn, the second queued."""
    first, second = CallScript(exchange, 0), CallScript(exchange, 0, 1)
    return [
        *ticket_form(exchange)[:3],
        (GAP, [second.announced("Send email", EMAIL_FRAME, CallState.QUEUED)]),
        (GAP, [first.row(("title",), "Title", "March invoice run failed", place=1)]),
        (GAP, [first.row(("priority",), "Priority", "High", place=2)]),
        (GAP, [first.changed(CallState.READY)]),
        (GAP, [second.changed(CallState.PREPARING)]),
        (GAP, [second.writing(("to",), "To", place=0)]),
        (GAP, [second.row(("to",), "To", "ada@example.com", place=0)]),
        (600, []),
    ]


def failed(exchange: str) -> Sequence[Step]:
    call = CallScript(exchange, 0)
    return [
        *ticket_form(exchange),
        (0.01, [call.changed(CallState.READY)]),
        (GAP, [call.changed(CallState.RUNNING)]),
        (0.1, [call.changed(CallState.FAILED, "The tracker did not answer within 30 s")]),
        *said(exchange, 1, "The tracker cannot be reached. Shall I try once more?"),
    ]


def unknown(exchange: str) -> Sequence[Step]:
    call = CallScript(exchange, 0)
    return [
        *ticket_form(exchange),
        (0.01, [call.changed(CallState.READY)]),
        (GAP, [call.changed(CallState.RUNNING)]),
        (0.1, [call.changed(CallState.UNKNOWN)]),
    ]


def abandoned(exchange: str) -> Sequence[Step]:
    """A turn that is cut off, set aside and asked for again."""
    call, again = CallScript(exchange, 0), CallScript(exchange, 1)
    notice = NoticeView(
        f"{exchange}-n",
        NoticeKind.REGENERATING,
        (("reason", Reason.TRUNCATED), ("attempt", "1"), ("of", "2")),
    )
    return [
        *ticket_form(exchange)[:-2],
        (GAP, [call.changed(CallState.NOT_RUN, Reason.TRUNCATED)]),
        (0.01, [TurnAbandoned(exchange, call.turn, Reason.TRUNCATED), Noticed(exchange, notice)]),
        (GAP, [again.opened(), again.announced("Create ticket", TICKET_FRAME)]),
        (GAP, [again.row(("project",), "Project", "BILLING", place=0)]),
        (GAP, [again.row(("title",), "Title", "March invoice run failed", place=1)]),
        (GAP, [again.row(("priority",), "Priority", "High", place=2)]),
        (GAP, [again.changed(CallState.READY)]),
        (GAP, [again.changed(CallState.RUNNING)]),
        (0.1, [again.changed(CallState.DONE, None, "TICK-9034", 412, ticket_result())]),
        *said(exchange, 2, "Ticket TICK-9034 is open."),
    ]


def not_run(exchange: str) -> Sequence[Step]:
    call = CallScript(exchange, 0)
    return [
        *order_form(exchange),
        (0.01, [call.changed(CallState.READY)]),
        (GAP, [call.changed(CallState.NOT_RUN, Reason.NOT_AUTHORISED)]),
        *said(exchange, 1, "That order needs an approval, so it was not placed."),
    ]


def nameless(exchange: str) -> Sequence[Step]:
    """A tool without a map: its name and its state, nothing else."""
    call = CallScript(exchange, 0)
    return [
        (GAP, [call.opened(), call.announced("archive_report", ())]),
        (GAP, [call.changed(CallState.READY)]),
        (GAP, [call.changed(CallState.RUNNING)]),
        (GAP, [call.changed(CallState.DONE, duration_ms=1840)]),
        *said(exchange, 1, "The report is in the archive."),
    ]


def report(exchange: str) -> Sequence[Step]:
    """An answer in Markdown, with one of each kind of block."""
    return said(exchange, 0, MARKDOWN_TEXT, size=24)


SCRIPTS: dict[str, Script] = {
    "Tell me in Markdown": report,
    "Open a ticket about the March invoice run": ticket,
    "Draft an email to Ada": email,
    "Order paper and pencils": order_waiting,
    "Open a ticket and write to Ada": two_calls,
    "Order something that is not allowed": not_run,
    "Open a ticket, slowly": forming,
    "Open a ticket while the tracker is slow": running,
    "Open a ticket while the tracker is down": failed,
    "Open a ticket and pull the plug": unknown,
    "Open a ticket and be cut off": abandoned,
    "Archive the report": nameless,
    "Archive slowly": lambda _: [(600, [])],
}
