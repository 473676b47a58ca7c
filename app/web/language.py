"""The language of the page: a catalogue beside this file, and how numbers and times are written.

English is the source: its sentences are the catalogue's keys, and stand where a locale has no
catalogue of its own. Catalogues are read as they are written (``.po``), so that a changed word
needs no build step. What a translation holds is text, never HTML.
"""

from datetime import UTC, datetime, tzinfo
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from app.display.times import date_and_time, zone_of

LOCALES = Path(__file__).parent / "locales"
DOMAIN = "formwork"
SOURCE = "en"


class Language:
    """Words, numbers and times of one locale (``de``, ``en_GB``; an unknown one raises
    ``ValueError``) and one time zone, None for that of the server."""

    def __init__(self, locale: str = SOURCE, zone: tzinfo | None = None) -> None:
        self._locale = _parsed(locale)
        self._zone = zone
        catalogue = _catalogue(self._locale)
        words: NullTranslations = NullTranslations() if catalogue is None else _read(catalogue)
        self.gettext = words.gettext
        self.ngettext = words.ngettext
        own = catalogue is not None or self._locale.language == SOURCE
        self.tag = str(self._locale).replace("_", "-") if own else SOURCE
        """The language that the words are in, for ``lang``: English where they fell back."""
        self.direction = "rtl" if self._locale.character_order == "right-to-left" else "ltr"
        """The locale's own, whatever language the words are in, for ``dir``."""

    def moment(self, value: datetime) -> str:
        """When something was, as short as it goes."""
        return format_datetime(value.astimezone(self._zone), "short", locale=self._locale)

    def moment_and_zone(self, value: datetime) -> str:
        """The same with the zone told, for people who need not share one: to the minute."""
        there = value.astimezone(self._zone).replace(second=0, microsecond=0)
        return f"{date_and_time(there, self._locale)} {zone_of(there, self._locale)}"

    def number(self, value: float, digits: int = 0) -> str:
        """A number with so many digits after its point."""
        pattern = "#,##0." + "0" * digits if digits else "#,##0"
        return format_decimal(value, pattern, self._locale)


def stamp(value: datetime, smallest: str = "seconds") -> str:
    """A moment for programs, in UTC: what ``<time datetime>`` holds. ``smallest`` is the last part
    that is written, as ``datetime.isoformat`` names them."""
    return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec=smallest) + "Z"


def catalogue_file(language: str) -> Path:
    """Where the catalogue of a language is kept."""
    return LOCALES / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def _parsed(name: str) -> Locale:
    try:
        return Locale.parse(name.replace("-", "_") or "?")
    except (UnknownLocaleError, ValueError) as fault:
        raise ValueError(f"unknown locale: {name!r}") from fault


def _catalogue(locale: Locale) -> Path | None:
    """The nearest catalogue: that of ``pt_BR``, else that of ``pt``."""
    for name in (str(locale), locale.language):
        file = catalogue_file(name)
        if file.is_file():
            return file
    return None


def _read(file: Path) -> GNUTranslations:
    """Without what is marked as fuzzy: nobody has said that it is right."""
    with file.open("rb") as text:
        catalogue = read_po(text, abort_invalid=True)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
