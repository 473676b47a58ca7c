from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.argument_changes import NumberText
from app.display.formats import Format, Formats, Scalar, literal

NO_BREAK, NARROW = "\u00a0", "\u202f"


@pytest.mark.parametrize(
    ("text", "english", "german"),
    [
        ("1250.00", "1,250.00", "1.250,00"),
        ("1250", "1,250", "1.250"),
        ("12345678901234567890", "12,345,678,901,234,567,890", "12.345.678.901.234.567.890"),
        ("0.10", "0.10", "0,10"),
        ("-5", "-5", "-5"),
        ("1e3", "1,000", "1.000"),
        ("1e400", "1e400", "1e400"),
        ("1e-300", "1e-300", "1e-300"),
        ("1" * 900, "1" * 900, "1" * 900),
    ],
)
def test_numbers_keep_every_digit(text: str, english: str, german: str) -> None:
    assert Formats("en").shown(NumberText(text), Format.NUMBER) == english
    assert Formats("de").shown(NumberText(text), Format.NUMBER) == german


@pytest.mark.parametrize(
    ("text", "currency", "english", "german"),
    [
        ("1250", "EUR", "€1,250.00", f"1.250,00{NO_BREAK}€"),
        ("1250.005", "EUR", "€1,250.005", f"1.250,005{NO_BREAK}€"),
        ("-3.5", "USD", "-$3.50", f"-3,50{NO_BREAK}$"),
        ("1250", "JPY", "¥1,250", f"1.250{NO_BREAK}¥"),
        ("1e400", "EUR", "1e400", "1e400"),
    ],
)
def test_currency_has_its_digits_and_more_where_they_were_written(
    text: str, currency: str, english: str, german: str
) -> None:
    assert Formats("en").shown(NumberText(text), Format.CURRENCY, currency) == english
    assert Formats("de").shown(NumberText(text), Format.CURRENCY, currency) == german


@pytest.mark.parametrize(
    ("value", "form", "english", "german"),
    [
        ("2026-03-01", Format.DATE, "Mar 1, 2026", "01.03.2026"),
        (
            "2026-03-01T10:00:00",
            Format.DATETIME,
            f"Mar 1, 2026, 10:00{NARROW}AM",
            "01.03.2026, 10:00",
        ),
        (
            "2026-03-01T10:00:00+02:00",
            Format.DATETIME,
            f"Mar 1, 2026, 10:00{NARROW}AM GMT+02:00",
            "01.03.2026, 10:00 GMT+02:00",
        ),
        (
            "2026-03-01T10:00:05Z",
            Format.DATETIME,
            f"Mar 1, 2026, 10:00:05{NARROW}AM UTC",
            "01.03.2026, 10:00:05 UTC",
        ),
        (True, Format.YES_NO, "Yes", "Ja"),
        (False, Format.YES_NO, "No", "Nein"),
        ("in_progress", Format.TITLE_CASE, "In Progress", "In Progress"),
        ("HIGH", Format.TITLE_CASE, "High", "High"),
        ("eBay", Format.TITLE_CASE, "eBay", "eBay"),
        ("x\u202ey", Format.TITLE_CASE, "x[U+202E]y", "x[U+202E]y"),
    ],
)
def test_formats_by_locale(value: Scalar, form: Format, english: str, german: str) -> None:
    assert Formats("en").shown(value, form) == english
    assert Formats("de", ("Ja", "Nein")).shown(value, form) == german


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("soon", Format.NUMBER),
        ("007", Format.NUMBER),
        ("NaN", Format.NUMBER),
        (" 1", Format.NUMBER),
        (True, Format.NUMBER),
        (None, Format.CURRENCY),
        ("2026-02-30", Format.DATE),
        ("20260301", Format.DATE),
        (NumberText("20260301"), Format.DATE),
        ("2026-03-01", Format.DATETIME),
        ("2026-03-01T25:00", Format.DATETIME),
        ("2026-03-01T10:00:00.5", Format.DATETIME),
        ("yes", Format.YES_NO),
        (NumberText("1"), Format.YES_NO),
        (NumberText("1e5"), Format.TITLE_CASE),
        ("__", Format.TITLE_CASE),
        ("a  b\n", Format.CODE),
        ("a\nb", Format.MULTILINE),
    ],
)
def test_what_cannot_be_said_exactly_stays_as_it_was_written(value: Scalar, form: Format) -> None:
    for locale in ("en", "de", "hi_IN"):
        assert Formats(locale).shown(value, form, "EUR") == literal(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (None, "null"), (NumberText("1.50"), "1.50"), ("a", "a")],
)
def test_without_a_format_the_literal_shows(value: Scalar, text: str) -> None:
    assert Formats("de").shown(value, None) == text


def test_a_literal_is_made_visible() -> None:
    assert Formats("en").shown("a\u202eb\x00\ud800", None) == "a[U+202E]b\u2400\ufffd"


def test_a_direction_mark_that_a_locale_needs_is_left_alone() -> None:
    assert "[U+" not in Formats("ar").shown(NumberText("1250"), Format.CURRENCY, "EUR")


@pytest.mark.parametrize("locale", ["xx_nowhere", "", "../en", "e" * 200])
def test_an_unknown_locale_is_refused(locale: str) -> None:
    with pytest.raises(ValueError, match="unknown locale"):
        Formats(locale)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=3, min_value=-(10**20), max_value=10**20
    )
)
def test_a_formatted_number_says_the_same_number(number: Decimal) -> None:
    text = f"{number:f}"
    assert Decimal(Formats("en").shown(NumberText(text), Format.NUMBER).replace(",", "")) == number
    shown = Formats("de").shown(NumberText(text), Format.NUMBER)
    assert Decimal(shown.replace(".", "").replace(",", ".")) == number
