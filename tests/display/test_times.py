"""Times as people read them."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from babel import Locale

from app.display.times import date_and_time, zone_of

NARROW = "\u202f"
AT = datetime(2026, 7, 1, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("locale", "written"),
    [
        ("en", f"Jul 1, 2026, 9:30{NARROW}AM"),
        ("de", "01.07.2026, 09:30"),
        ("ja", "2026/07/01 9:30"),
    ],
)
def test_a_time_in_the_order_of_its_language(locale: str, written: str) -> None:
    assert date_and_time(AT, Locale.parse(locale)) == written


def test_seconds_show_where_there_are_any() -> None:
    assert "9:30:07" in date_and_time(AT.replace(second=7), Locale("en"))


@pytest.mark.parametrize(
    ("moment", "zone"),
    [
        (AT, "UTC"),
        (AT.astimezone(ZoneInfo("Europe/Vienna")), "GMT+02:00"),
        (datetime(2026, 1, 1, tzinfo=ZoneInfo("Europe/Vienna")), "GMT+01:00"),
        (AT.astimezone(ZoneInfo("Asia/Kathmandu")), "GMT+05:45"),
        (AT.astimezone(timezone(-timedelta(hours=3, minutes=30))), "GMT-03:30"),
    ],
)
def test_a_zone_is_its_distance_from_utc_at_that_time(moment: datetime, zone: str) -> None:
    assert zone_of(moment, Locale("en")) == zone
