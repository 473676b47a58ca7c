"""Values as people read them, made from the literal text that was written.

A format never rounds, guesses or drops a digit. Where it cannot say exactly what the literal says
(an amount in words, a date that is none, a number of a thousand digits), the literal stands.
"""

import copy
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal, localcontext
from enum import StrEnum
from typing import TypeAlias

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import NumberPattern, get_currency_precision

from app.calls.argument_changes import NumberText
from app.display.times import date_and_time, zone_of
from app.display.visible import visible

Scalar: TypeAlias = str | NumberText | bool | int | Decimal | None
"""A value without parts. A number is its literal text, or exact where the text is not kept."""


class Format(StrEnum):
    """The formats of a field map (design, section 5)."""

    TITLE_CASE = "title_case"
    NUMBER = "number"
    CURRENCY = "currency"
    DATE = "date"
    DATETIME = "datetime"
    YES_NO = "yes_no"
    CODE = "code"
    MULTILINE = "multiline"


_MOST_DIGITS = 60
"""Digits a formatted number may have; past it, grouping helps nobody and costs time."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}.*", re.ASCII)
_WORD_BREAKS = re.compile(r"[_\-\s]+")


def literal(value: Scalar) -> str:
    """The value as JSON writes it, a string without its quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class Formats:
    """The formats of one locale (``de``, ``en_GB``; an unknown one raises ``ValueError``)."""

    def __init__(self, locale: str, yes_no: tuple[str, str] = ("Yes", "No")) -> None:
        """``yes_no`` are words of the page's: Babel has none of them."""
        self._locale = _locale(locale)
        self._words_of_truth = yes_no
        self._by_format: Mapping[Format, Callable[[Scalar], str | None]] = {
            Format.TITLE_CASE: _title_case,
            Format.NUMBER: self._number,
            Format.DATE: self._date,
            Format.DATETIME: self._datetime,
            Format.YES_NO: self._yes_no,
        }

    def shown(self, value: Scalar, form: Format | None, currency: str | None = None) -> str:
        """The text for a person: formatted where that is exact, else the literal made visible.

        ``currency`` is the ISO 4217 code that belongs to :attr:`Format.CURRENCY`.
        """
        formatted = None
        if form is Format.CURRENCY and currency is not None:
            formatted = self._currency(value, currency)
        elif form is not None and (make := self._by_format.get(form)):
            formatted = make(value)
        # What Babel adds, such as a mark that sets a number's direction, is no one's trick.
        return visible(literal(value)) if formatted is None else formatted

    def _number(self, value: Scalar) -> str | None:
        number = _exact_number(value)
        if number is None:
            return None
        pattern = _with_fraction(self._locale.decimal_formats[None], _fraction_digits(number))
        with localcontext(prec=2 * _MOST_DIGITS):
            return pattern.apply(number, self._locale)

    def _currency(self, value: Scalar, currency: str) -> str | None:
        number = _exact_number(value)
        if number is None:
            return None
        digits = max(_fraction_digits(number), get_currency_precision(currency))
        pattern = _with_fraction(self._locale.currency_formats["standard"], digits)
        with localcontext(prec=2 * _MOST_DIGITS):
            return pattern.apply(number, self._locale, currency=currency, currency_digits=False)

    def _date(self, value: Scalar) -> str | None:
        if not isinstance(value, str) or not _DATE.fullmatch(value):
            return None
        try:
            return format_date(date.fromisoformat(value), "medium", self._locale)
        except ValueError:
            return None

    def _datetime(self, value: Scalar) -> str | None:
        if not isinstance(value, str) or not _DATETIME.fullmatch(value):
            return None
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        if moment.microsecond:
            return None
        text = date_and_time(moment, self._locale)
        return text if moment.tzinfo is None else f"{text} {zone_of(moment, self._locale)}"

    def _yes_no(self, value: Scalar) -> str | None:
        if not isinstance(value, bool):
            return None
        yes, no = self._words_of_truth
        return yes if value else no


def _locale(name: str) -> Locale:
    try:
        return Locale.parse(name.replace("-", "_") or "?")
    except (UnknownLocaleError, ValueError) as fault:
        raise ValueError(f"unknown locale: {name!r}") from fault


def _title_case(value: Scalar) -> str | None:
    if not isinstance(value, str) or isinstance(value, NumberText):
        return None
    words = [word for word in _WORD_BREAKS.split(visible(value)) if word]
    return " ".join(_capitalised(word) for word in words) or None


def _capitalised(word: str) -> str:
    """``high`` and ``HIGH`` become ``High``; mixed case (``eBay``) is somebody's choice."""
    return word[:1].upper() + word[1:].lower() if word.isupper() or word.islower() else word


def _exact_number(value: Scalar) -> Decimal | None:
    if value is None or isinstance(value, bool):
        return None
    text = str(value)
    # A Decimal of ours prints a positive exponent as JSON does; a result may hold one as text.
    if len(text) > _MOST_DIGITS or not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    spelled = max(number.adjusted(), 0) + 1 + max(-exponent, 0)
    return number if spelled <= _MOST_DIGITS else None


def _fraction_digits(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(-exponent, 0)


def _with_fraction(pattern: NumberPattern, digits: int) -> NumberPattern:
    """The locale's own pattern with exactly that many fraction digits, so that none is lost."""
    exact = copy.copy(pattern)
    exact.frac_prec = (digits, digits)
    return exact
