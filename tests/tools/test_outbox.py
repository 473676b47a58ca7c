import email
import email.policy
from pathlib import Path

import pytest

from app.tools.outbox import NotAnEmail, put_email


def test_an_email_lies_in_the_outbox_as_it_was_written(tmp_path: Path) -> None:
    body = "Grüße,\n.\nFrom here\n" + "long " * 300
    email_id = put_email(tmp_path / "outbox", "t-1", "a@b.example", "Köln", body)
    (file,) = (tmp_path / "outbox").iterdir()
    assert file.name == f"{email_id}.eml"
    message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    assert (message["To"], message["Subject"]) == ("a@b.example", "Köln")
    assert message.get_content().replace("\r\n", "\n") == body + "\n"


def test_one_key_is_one_message(tmp_path: Path) -> None:
    ids = {put_email(tmp_path, key, "a@b.example", "Hi", "Text") for key in ("1", "1", "2/../3")}
    assert len(ids) == 2
    assert sorted(file.stem for file in tmp_path.iterdir()) == sorted(ids)


@pytest.mark.parametrize(
    ("to", "subject"),
    [("a@b.example\nBcc: x@y.example", "Hi"), ("a@b.example", "Hi\r\nBcc: x@y.example")],
)
def test_a_header_cannot_be_smuggled_in(tmp_path: Path, to: str, subject: str) -> None:
    with pytest.raises(NotAnEmail):
        put_email(tmp_path / "outbox", "t-1", to, subject, "Text")
    assert not (tmp_path / "outbox").exists()
