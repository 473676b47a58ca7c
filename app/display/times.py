"""How a time is written: date, time of day and, where it must be told, the zone.

A zone is told by its distance from UTC: abbreviations are several places' at once (CST, IST).
"""

from datetime import datetime

from babel import Locale
from babel.dates import format_date, format_time, get_datetime_format, get_timezone_gmt


def date_and_time(moment: datetime, locale: Locale) -> str:
    """A date with a time of day, to the second only where there are seconds."""
    parts = "medium" if moment.second else "short"
    pattern = str(get_datetime_format("medium", locale)).replace("'", "")
    return pattern.format(
        format_time(moment, parts, locale=locale), format_date(moment, "medium", locale)
    )


def zone_of(moment: datetime, locale: Locale) -> str:
    """The zone that an aware time is in."""
    return get_timezone_gmt(moment, "long", locale) if moment.utcoffset() else "UTC"
