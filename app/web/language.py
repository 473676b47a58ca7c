"""The language of the page: a catalogue beside this file, and how numbers are written.

English is the source: its sentences are the catalogue's keys, and stand where a locale has no
catalogue of its own. Catalogues are read as they are written (``.po``), so that a changed word
needs no build step. What a translation holds is text, never HTML.
"""

from datetime import UTC, datetime
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import format_datetime
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

LOCALES = Path(__file__).parent / "locales"
DOMAIN = "formwork"
SOURCE = "en"


class Language:
    """Words and numbers of one locale (``de``, ``en_GB``; an unknown one raises ``ValueError``)."""

    def __init__(self, locale: str = SOURCE) -> None:
        self._locale = _parsed(locale)
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
        """A date and time, short, where the server stands."""
        return format_datetime(value.astimezone(), "short", locale=self._locale)

    def number(self, value: float, digits: int = 0) -> str:
        """A number with so many digits after its point."""
        pattern = "#,##0." + "0" * digits if digits else "#,##0"
        return format_decimal(value, pattern, self._locale)

    def instant(self, at: datetime) -> str:
        """A date with its time, in UTC: the server knows of no other zone that people share."""
        shown = format_datetime(at.astimezone(UTC), "medium", UTC, self._locale)
        return f"{shown} UTC"


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
