r"""The raw argument texts that the demo model writes, as a model writes them.

Raw, because how a model spells a character is the point: escapes, a surrogate pair as two
``\u`` escapes, characters beyond ASCII as they are, a number with trailing zeros.
"""

MARCH_TICKET = (
    r'{"project":"BILLING","title":"March invoice run failed","priority":"high",'
    r'"description":"The run stopped after 312 of 1,040 invoices with \"timeout after 30 s\".\n'
    r"Customers in Zürich and Kraków are still waiting \ud83e\uddfe\u2014please restart it before"
    r' the books close."}'
)

INVOICE_TICKET = (
    r'{"project":"BILLING","title":"Check the amount of an invoice","priority":"medium",'
    r'"description":"The customer says that the amount is wrong."}'
)

DYING_TICKET = (
    r'{"project":"CORE","title":"Nightly import stops half way","priority":"medium",'
    r'"description":"The import of 28 February stopped at row 48,112. The log ends in the middle'
    r' of a line, so nobody can say yet what it was doing."}'
)

CUT_OFF_TICKET = r'{"project":"WEB","title":"Footer overlaps the form","priority":"low"}'

NOTES = (
    r'{"path":"notes.txt","content":"Notes of 3 March\n\n- Invoice run: restart at 18:00\n'
    r"- Zürich: call back on Monday\n- \u20ac1,250 refund: ask for approval first\n"
    r'- Path of the log: C:\\logs\\run.txt\n"}'
)

SEARCH = (
    r'{"filter":{"status":"open","since":"2026-01-01"},"projects":["BILLING","CORE","WEB"],'
    r'"sort":[{"field":"priority","descending":true},{"field":"created"}],"limit":100,'
    r'"dry_run":false}'
)

EMAIL = (
    r'{"to":"finance@example.com","subject":"March invoice run: what happened and what is next",'
    r'"body":"Dear colleagues,\n\nthe March invoice run stopped last night after 312 of 1,040'
    r" invoices. The log says \"timeout after 30 s\" for every one of the remaining customers, most"
    r" of them in Zürich, Kraków and Malmö.\n\nWhat we know:\n- No invoice was sent twice.\n- The"
    r" 312 invoices that went out are correct.\n- The amounts of the other 728 are prepared and"
    r" have not changed.\n\nWhat happens next: the billing team restarts the run today at 18:00."
    r" It takes about forty minutes \u2013 please do not change customer records in that time. You"
    r" will get a second message as soon as the last invoice has left the house.\n\nIf a customer"
    r" asks: the due date moves by one day, and nobody is charged a fee for it. Questions are"
    r" welcome at extension 4410, every day from 8:00 to 18:00.\n\nThank you for your patience,\n"
    r'the service desk \ud83d\udcec"}'
)


def urgent_ticket(priority: str) -> str:
    return (
        rf'{{"project":"WEB","title":"Checkout answers with error 502","priority":"{priority}",'
        r'"description":"Since 09:40 every third order fails at the payment step."}'
    )


def refund_of(invoice_number: str, amount: str) -> str:
    return (
        rf'{{"invoice_number":"{invoice_number}","amount":{amount},"currency":"EUR",'
        r'"reason":"Paid twice: on 2 March and again on 4 March."}'
    )
