"""Every setting, its default and what it is for. Read once, from the environment.

Names are upper case with the prefix ``FORMWORK_``; ``formwork serve --help`` prints this table. A
value that does not fit, or a name that does not exist, is a :class:`BadSetting`: one line.
"""

import difflib
import os
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    SecretStr,
    ValidationError,
)

PREFIX = "FORMWORK_"
HEADER_NAME = r"^[A-Za-z0-9-]+$"
LISTS = {
    "suggestions": "|",
    "trusted_proxies": ",",
    "operators": ",",
    "developers": ",",
}
"""Settings of several values, and what parts them."""
NOT_OURS = frozenset({"FORMWORK_RECORDINGS"})
"""Names with the prefix that the tests read and the program does not."""


class BadSetting(Exception):
    """A setting that cannot be used; the message is one line and holds no secret."""


def _zone(name: object) -> object:
    """The zone of an IANA name. A folder of the database (`Europe`) is an OSError to zoneinfo."""
    if not isinstance(name, str):
        return name
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"no time zone is named {name!r}") from None


class Settings(BaseModel):
    """All settings. The docstring of each field is its description for people."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    # The model
    model: str = "demo"
    """`demo`, or `<dialect>:<model name>`."""
    base_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    """The provider's address; default: the SDK's own."""
    api_key: SecretStr | None = None
    """The provider's key; default: the SDK's own variable."""
    system: str | None = None
    """The system prompt."""
    max_tokens: int = Field(default=4096, ge=1)
    """Output limit of one turn, in tokens."""
    missing_ids: Literal["refuse", "assign"] = "refuse"
    """What to do with a call that has no id where its dialect needs one."""
    eager_input_streaming: bool = True
    """Ask a provider that holds values back to send them as they are made, where a map streams."""
    demo_seed: int | None = None
    """Seed of the demo model's typing; default: a new one at each start."""
    demo_pace: float = Field(default=1.0, ge=0, allow_inf_nan=False)
    """Factor on the demo model's pauses; 0 types at once."""

    # Where things are
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = Field(default=8000, ge=0, le=65535)
    """Port to listen on; the variable PORT is read too."""
    data: Path = Path("data")
    """Folder for the database, the outbox and the secret key."""
    database_url: str | None = None
    """SQLAlchemy URL of the store; default: SQLite in the data folder."""
    events_url: str = "memory:"
    """Where viewers' events are kept: `memory:` serves one process."""
    field_maps: Path | None = None
    """Folder of field maps; default: the shipped ones."""
    reload_maps: bool = False
    """Heed changed field maps while the server runs; for development."""
    tools: str = "shipped"
    """`shipped`, or `module:attribute` of a tool registry."""
    write_root: Path | None = None
    """The only folder that write_file writes to; default: `files` in the data folder."""
    locale: str = "en"
    """Language of the page (`en`, `de`), and of numbers, dates and currency (any)."""
    time_zone: Annotated[ZoneInfo | None, BeforeValidator(_zone)] = None
    """Zone of every time on a page (`Europe/Vienna`); default: that of the server."""
    suggestions: tuple[str, ...] = ()
    """What the first page offers to ask, parted by `|`; the demo model brings its own."""

    # Who may do what
    secret_key: SecretStr | None = Field(default=None, min_length=8)
    """Signs session cookies; default: made once and kept in the data folder."""
    operator_token: SecretStr | None = Field(default=None, min_length=1)
    """What makes an operator of whoever brings it to `/sign-in`; the demo model makes one up."""
    developer_token: SecretStr | None = Field(default=None, min_length=1)
    """The same for developers, where the developer view is on."""
    trusted_user_header: str | None = Field(default=None, pattern=HEADER_NAME)
    """Header in which a trusted proxy names the person; then nobody is anonymous."""
    trusted_groups_header: str | None = Field(default=None, pattern=HEADER_NAME)
    """Header in which it names their groups, parted by commas."""
    trusted_proxies: tuple[IPvAnyNetwork, ...] = (
        IPv4Network("127.0.0.0/8"),
        IPv6Network("::1/128"),
    )
    """Addresses and networks whose headers count, parted by commas."""
    operators: tuple[str, ...] = ()
    """Who is an operator by that header: users, and groups as `group:name`, parted by commas."""
    developers: tuple[str, ...] = ()
    """Who is a developer by it."""
    developer_view: bool = False
    """Keep everything that happens in a turn, for developers at `/developer`."""
    developer_turn_bytes: int = Field(default=64 * 1024 * 1024, ge=1)
    """The most that is kept of one turn for them, and the largest recording they may upload."""
    developer_hours: float = Field(default=24.0, gt=0, allow_inf_nan=False)
    """How long it is kept."""
    developer_recordings: Path | None = None
    """Folder of recordings that developers may replay."""

    # Limits on a turn
    call_bytes: int = Field(default=1024 * 1024, ge=1)
    """Argument bytes of one call."""
    turn_bytes: int = Field(default=4 * 1024 * 1024, ge=1)
    """Argument bytes of one turn."""
    turn_calls: int = Field(default=32, ge=1)
    """Calls in one turn."""
    depth: int = Field(default=64, ge=1, le=500)
    """Nesting of arguments."""
    number_chars: int = Field(default=1000, ge=1, le=4000)
    """Characters of one number."""
    message_chars: int = Field(default=32_000, ge=1)
    """Characters of one message a person sends."""

    # Limits on an exchange
    regenerations: int = Field(default=2, ge=0, le=2)
    """How often a turn that was cut off or malformed is asked for again."""
    api_retries: int = Field(default=3, ge=0, le=10)
    """How often a request that the API did not serve is repeated."""
    retry_wait_s: float = Field(default=60.0, ge=0, allow_inf_nan=False)
    """The longest wait before a repeated request, whatever `retry-after` asks."""
    exchange_turns: int = Field(default=24, ge=1)
    """Turns in one exchange."""
    first_byte_s: float = Field(default=120.0, gt=0)
    """Silence before a turn's first byte."""
    between_bytes_s: float = Field(default=60.0, gt=0)
    """Silence within a turn."""
    whole_turn_s: float = Field(default=900.0, gt=0)
    """Length of a whole turn."""
    parallel_calls: int = Field(default=4, ge=1)
    """Calls of one turn that run side by side."""
    running_calls: int = Field(default=16, ge=1)
    """Calls that run side by side in this process."""
    result_chars: int = Field(default=50_000, ge=200)
    """Characters of a result that the model is sent; the whole stays on record."""
    stop_grace_s: float = Field(default=5.0, ge=0, allow_inf_nan=False)
    """How long a running tool is waited for after a stop, before its outcome counts as unknown."""
    unwatched_stop_s: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """Stop an exchange that nobody has watched for so long; default: never."""
    deleted_days: float = Field(default=7, gt=0)
    """Days for which a deleted conversation can be brought back; then it is removed for good."""
    retention_days: float | None = Field(default=None, gt=0)
    """Delete conversations that were last used longer ago; default: never."""

    # The channel
    flush_ms: int = Field(default=100, ge=0, le=1000)
    """The least time between two updates of growing text."""
    heartbeat_s: int = Field(default=15, ge=1)
    """Seconds between heartbeats on a viewer's stream."""
    telemetry: Literal["off", "prometheus", "otlp"] = "off"
    """Where traces and metrics go; `prometheus` serves `/metrics`, `otlp` heeds OTEL_ variables."""


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of an environment; raises :class:`BadSetting`."""
    environment = os.environ if environment is None else environment
    given = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(PREFIX) and name not in NOT_OURS
    }
    _refuse_unknown(given)
    if "port" not in given and environment.get("PORT"):
        given["port"] = environment["PORT"]
    try:
        settings = _parse(given)
    except ValidationError as error:
        raise BadSetting(_one_line(error)) from None
    _refuse_useless(settings)
    return settings


def _parse(given: dict[str, str]) -> Settings:
    values: dict[str, object] = dict(given)
    for name, mark in LISTS.items():
        if name in given:
            values[name] = [part.strip() for part in given[name].split(mark) if part.strip()]
    return Settings.model_validate(values)


def _refuse_unknown(given: Mapping[str, str]) -> None:
    for name in given:
        if name not in Settings.model_fields:
            near = difflib.get_close_matches(name, Settings.model_fields, 1)
            hint = f"; did you mean {PREFIX}{near[0].upper()}?" if near else ""
            raise BadSetting(f"{PREFIX}{name.upper()} is no setting{hint}")


def _refuse_useless(settings: Settings) -> None:
    """A rule of who may do what that can never hold is no rule that somebody meant."""
    if settings.trusted_user_header is None:
        for name in ("trusted_groups_header", "operators", "developers"):
            if getattr(settings, name):
                needs = f"{PREFIX}TRUSTED_USER_HEADER"
                raise BadSetting(f"{PREFIX}{name.upper()} says nothing without {needs}")
    if settings.trusted_groups_header is None:
        for name in ("operators", "developers"):
            if any(entry.startswith("group:") for entry in getattr(settings, name)):
                needs = f"{PREFIX}TRUSTED_GROUPS_HEADER"
                raise BadSetting(f"{PREFIX}{name.upper()} names a group, which needs {needs}")


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "?"
    return f"{PREFIX}{name.upper()}: {first['msg']}"


def settings_table() -> str:
    """The settings as text: name, default, meaning."""
    rows = [
        (f"{PREFIX}{name.upper()}", shown_default(name), field.description or "")
        for name, field in Settings.model_fields.items()
    ]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(
        f"  {name:<{widths[0]}}  {default:<{widths[1]}}  {text}" for name, default, text in rows
    )


def shown_default(name: str) -> str:
    """A setting's default as it would be written, or nothing."""
    default = Settings.model_fields[name].default
    if name in LISTS:
        return LISTS[name].join(str(part) for part in default)
    return "" if default is None else str(default)
