import pytest

from app.web.form_tokens import FormTokens

TOKENS = FormTokens("a key of tests")
TOKEN = TOKENS.make("ada", "one")


def test_a_token_fits_its_own_session_and_purpose() -> None:
    assert TOKENS.fits(TOKEN, "ada", "one")


@pytest.mark.parametrize(
    ("token", "session", "purpose"),
    [
        (TOKEN, "ada", "two"),
        (TOKEN, "ben", "one"),
        (TOKEN, "adao", "ne"),
        (TOKEN[:-1], "ada", "one"),
        ("", "ada", "one"),
        ("ü", "ada", "one"),
        (FormTokens("another key").make("ada", "one"), "ada", "one"),
    ],
)
def test_it_fits_nothing_else(token: str, session: str, purpose: str) -> None:
    assert not TOKENS.fits(token, session, purpose)
