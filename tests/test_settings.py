"""Settings: a bad one is told in one line that holds no secret."""

import sys
import zoneinfo
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.cli.main import main
from app.settings import BadSetting, Settings, read_settings, settings_table


def test_without_an_environment_every_setting_has_its_default() -> None:
    settings = read_settings({})
    assert (settings.model, settings.port, settings.host) == ("demo", 8000, "127.0.0.1")


def test_the_port_may_come_from_the_usual_variable_and_ours_wins() -> None:
    assert read_settings({"PORT": "9000"}).port == 9000
    assert read_settings({"PORT": "9000", "FORMWORK_PORT": "9001"}).port == 9001


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FORMWORK_PORT", "http"),
        ("FORMWORK_PORT", "70000"),
        ("FORMWORK_DEPTH", "0"),
        ("FORMWORK_REGENERATIONS", "3"),
        ("FORMWORK_MISSING_IDS", "guess"),
        ("FORMWORK_FIRST_BYTE_S", "-1"),
        ("FORMWORK_DEMO_PACE", "fast"),
        ("FORMWORK_SECRET_KEY", "short"),
        ("FORMWORK_BASE_URL", "file:///etc"),
        ("FORMWORK_BASE_URL", "not a url"),
        ("FORMWORK_RETRY_WAIT_S", "inf"),
        ("FORMWORK_OPERATOR_TOKEN", ""),
        ("FORMWORK_TRUSTED_USER_HEADER", "X User"),
        ("FORMWORK_TRUSTED_PROXIES", "10.0.0.0/33"),
        ("FORMWORK_TRUSTED_PROXIES", "proxy.example"),
        ("FORMWORK_TIME_ZONE", "Europe/Nowhere"),
        ("FORMWORK_TIME_ZONE", "Europe"),
        ("FORMWORK_TIME_ZONE", "../../etc/passwd"),
        ("FORMWORK_TIME_ZONE", "/etc/localtime"),
        ("FORMWORK_TIME_ZONE", "x\0y"),
    ],
)
def test_a_value_that_does_not_fit_is_told_by_name_in_one_line(name: str, value: str) -> None:
    with pytest.raises(BadSetting) as raised:
        read_settings({name: value})
    assert str(raised.value).startswith(f"{name}: ")
    assert "\n" not in str(raised.value)


def test_zones_are_known_where_the_system_has_no_list_of_them() -> None:
    zoneinfo.reset_tzpath([])
    zoneinfo.ZoneInfo.clear_cache()
    try:
        zone = read_settings({"FORMWORK_TIME_ZONE": "Asia/Kathmandu"}).time_zone
        assert zone is not None
        assert zone.utcoffset(datetime(2026, 3, 1)) == timedelta(hours=5, minutes=45)  # noqa: DTZ001
    finally:
        zoneinfo.reset_tzpath()


def test_lists_are_parted_by_their_marks() -> None:
    settings = read_settings(
        {
            "FORMWORK_TRUSTED_USER_HEADER": "X-User",
            "FORMWORK_TRUSTED_GROUPS_HEADER": "X-Groups",
            "FORMWORK_OPERATORS": "ada, group:approvers ,",
            "FORMWORK_TRUSTED_PROXIES": "10.0.0.7,192.0.2.0/24",
            "FORMWORK_SUGGESTIONS": "One, two|Three",
        }
    )
    assert settings.operators == ("ada", "group:approvers")
    assert [str(network) for network in settings.trusted_proxies] == ["10.0.0.7/32", "192.0.2.0/24"]
    assert settings.suggestions == ("One, two", "Three")


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"FORMWORK_OPERATORS": "ada"}, "FORMWORK_OPERATORS says nothing without"),
        ({"FORMWORK_TRUSTED_GROUPS_HEADER": "X"}, "FORMWORK_TRUSTED_GROUPS_HEADER says nothing"),
        (
            {"FORMWORK_TRUSTED_USER_HEADER": "X", "FORMWORK_DEVELOPERS": "group:a"},
            "FORMWORK_DEVELOPERS names a group",
        ),
    ],
)
def test_a_rule_that_can_never_hold_is_refused(environment: dict[str, str], told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        read_settings(environment)


def test_an_unknown_name_is_told_with_the_nearest_known_one() -> None:
    with pytest.raises(
        BadSetting, match=r"FORMWORK_TOLS is no setting; did you mean FORMWORK_TOOLS"
    ):
        read_settings({"FORMWORK_TOLS": "x"})


def test_a_secret_is_in_no_text_of_the_settings() -> None:
    settings = read_settings({"FORMWORK_API_KEY": "sk-canary", "FORMWORK_SECRET_KEY": "canary" * 4})
    assert "canary" not in repr(settings)
    assert "canary" not in str(settings)


def test_the_table_names_every_setting_with_a_meaning() -> None:
    table = settings_table()
    for name, field in Settings.model_fields.items():
        assert f"FORMWORK_{name.upper()}" in table
        assert field.description


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"FORMWORK_PORT": "x"}, "FORMWORK_PORT"),
        ({"FORMWORK_MODEL": "gpt"}, "FORMWORK_MODEL"),
        ({"FORMWORK_MODEL": "klingon:x"}, "klingon"),
        ({"FORMWORK_EVENTS_URL": "redis://x"}, "FORMWORK_EVENTS_URL"),
        ({"FORMWORK_DATABASE_URL": "mysql://x"}, "FORMWORK_DATABASE_URL"),
        ({"FORMWORK_FIELD_MAPS": "nowhere"}, "nowhere"),
        ({"FORMWORK_TOOLS": "nowhere:tools"}, "FORMWORK_TOOLS"),
        ({"FORMWORK_TOOLS": "no colon"}, "FORMWORK_TOOLS"),
        ({"FORMWORK_LOCALE": "zz_QQ"}, "FORMWORK_LOCALE"),
        ({"FORMWORK_TIME_ZONE": "CEST"}, "FORMWORK_TIME_ZONE"),
        ({"FORMWORK_DATA": "/etc/hostname/x"}, "FORMWORK_DATA"),
        ({"FORMWORK_WRITE_ROOT": "/etc/hostname/x"}, "FORMWORK_WRITE_ROOT"),
    ],
)
def test_the_server_refuses_to_start_with_one_line(
    environment: dict[str, str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, value in {"FORMWORK_DATA": str(tmp_path), **environment}.items():
        monkeypatch.setenv(name, value)
    assert main(["serve"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("formwork: ")
    assert told in line
