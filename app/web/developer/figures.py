"""Numbers, times and values as the developer view writes them."""

from collections.abc import Iterable
from datetime import UTC, datetime

from markupsafe import Markup

from app.calls.argument_changes import NumberText, SettledValue
from app.developer.raw_text import segments
from app.web.developer.contexts import TextContext
from app.web.templates import Templates

NOTHING = "-"
VALUE_CHARS = 240
"""Of a settled value in a table; the whole stands in the raw text."""


def ms(microseconds: int | None) -> str:
    """Milliseconds with one digit behind the point; a dash for no time."""
    return NOTHING if microseconds is None else f"{microseconds / 1000:,.1f} ms"


def clock(seconds: float) -> str:
    """A time in UTC, as logs have it, to the millisecond."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d} UTC"


def size(count: int) -> str:
    """Bytes, with a unit where there are many."""
    if count < 10_000:
        return f"{count:,} B"
    return f"{count / 1024:,.1f} KiB" if count < 10_000_000 else f"{count / 1024 / 1024:,.1f} MiB"


def dotted(path: Iterable[str | int] | None) -> str:
    """A path; the root is a dollar sign, no path a dash."""
    return NOTHING if path is None else ".".join(("$", *map(str, path)))


def short(value: SettledValue) -> str:
    """A settled value on one line: containers by their size, long strings cut."""
    match value:
        case dict():
            return f"{{{len(value)} members}}"
        case list():
            return f"[{len(value)} elements]"
        case NumberText():
            return str(value)
        case str() if len(value) > VALUE_CHARS:
            return f'"{value[:VALUE_CHARS]}…" ({len(value):,} characters)'
        case str():
            return f'"{value}"'
        case True | False:
            return str(value).lower()
        case None:
            return "null"


class Marking:
    """Shows raw text with what cannot be seen made visible."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def text(self, raw: str) -> Markup:
        """Raw text, escaped."""
        return self._templates.render(TextContext(list(segments(raw))))
