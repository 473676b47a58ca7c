"""E-mail that goes to a local folder: one ``.eml`` file per message, whole or not there."""

import hashlib
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from pathlib import Path

from app.tools.file_writing import write_below

SENDER = "Support <support@example.invalid>"


class NotAnEmail(Exception):
    """A message that cannot be sent. The text is a plain sentence."""


def put_email(folder: Path, key: str, to: str, subject: str, body: str) -> str:
    """Write a message to the folder and return its id; one key, one message.

    Raises :class:`NotAnEmail`, and :class:`~app.tools.file_writing.NotWritten`.
    """
    email_id = f"MAIL-{hashlib.sha256(key.encode()).hexdigest()[:12].upper()}"
    file = f"{email_id}.eml"
    if not (folder / file).exists():
        write_below(folder, file, _message(email_id, to, subject, body))
    return email_id


def _message(email_id: str, to: str, subject: str, body: str) -> bytes:
    message = EmailMessage(policy=SMTP)
    try:
        message["From"] = SENDER
        message["To"] = to
        message["Subject"] = subject
        message["Date"] = format_datetime(datetime.now(UTC))
        message["Message-ID"] = f"<{email_id}@example.invalid>"
        message.set_content(body)
        return message.as_bytes()
    except (ValueError, IndexError, UnicodeError) as fault:
        raise NotAnEmail("The address or the subject is not one that e-mail can carry.") from fault
