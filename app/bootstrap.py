"""The one place that names concrete parts and puts them together."""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2

from app.calls.limits import Limits
from app.developer.recorder import Recorder, WireTap
from app.developer.replaying import Replayer
from app.developer.turn_log import Terms
from app.developer.viewing import DeveloperView, Gating
from app.display.field_map import FieldMap
from app.display.formats import Formats
from app.exchange.approvals import Approvals
from app.exchange.conversations import Conversations
from app.exchange.exchanges import Exchanges
from app.exchange.parts import Bounds, Parts
from app.exchange.replay import MapRules, Recut
from app.exchange.rules import Person
from app.exchange.telemetry import SCOPE, Telemetry
from app.feed.memory import MemoryFeed
from app.housekeeping import keep_fresh, keep_house, recover
from app.providers.connect import UnknownDialect, connect
from app.providers.demo import make_demo
from app.providers.demo_script import playable
from app.providers.provider import MissingLibrary, Provider, Timeouts
from app.providers.spec import ProviderSpec
from app.providers.transports import RecordedBody, Tap
from app.records.errors import DatabaseRefused
from app.records.ids import Kind, new_id
from app.records.store import Records
from app.records.worker_locks import WorkerLocks
from app.settings import BadSetting, Settings
from app.telemetry.outlet import MissingExtra, Outlet, open_outlet
from app.tools.live_maps import LiveMaps
from app.tools.map_files import MapFileFault, load_field_maps, shipped_maps
from app.tools.registry import Registry, RegistryFault, load_registry
from app.tools.shipped import shipped_tools
from app.web.access import Access, Role
from app.web.language import Language
from app.web.service import WebServices
from app.web.words import Words


class StartRefused(Exception):
    """The program cannot start as it is configured; the message is one line."""


@asynccontextmanager
async def assemble(settings: Settings) -> AsyncGenerator[WebServices, None]:
    """Everything that a running server is made of, opened and closed in order.

    Raises :class:`StartRefused` and :class:`~app.settings.BadSetting`.
    """
    _make_folder("FORMWORK_DATA", settings.data)
    maps = _maps(settings.field_maps)
    registry = tools_of(settings)
    _refuse_maps_without_tools(maps, registry)
    live = _live_maps(settings, maps, registry)
    async with AsyncExitStack() as stack:
        outlet = _outlet(settings)
        if outlet is not None:
            stack.push_async_callback(asyncio.to_thread, outlet.close)
        telemetry = _telemetry(outlet, registry)
        wire = WireTap()
        provider = _provider(settings, wire.tap if settings.developer_view else None)
        stack.push_async_callback(provider.close)
        records = await _open_records(settings)
        stack.push_async_callback(records.close)
        parts = _parts(settings, provider, records, registry, live or maps, telemetry)
        if settings.developer_view:
            parts = replace(parts, observe=_recorder(settings, parts, wire).observe)
        locks = WorkerLocks(settings.data / "workers")
        stack.enter_context(locks.held(parts.worker))
        await records.heartbeat(parts.worker)
        await recover(records, locks, telemetry.counts)
        exchanges = Exchanges(parts, settings.unwatched_stop_s)
        stack.push_async_callback(exchanges.close)
        conversations = Conversations(parts, exchanges, _suggestions(settings, registry))
        approvals = Approvals(parts, conversations, exchanges)
        await approvals.expire()
        await exchanges.take_up()
        housekeeping = asyncio.create_task(keep_house(exchanges, approvals, parts, locks, settings))
        stack.push_async_callback(_end, housekeeping)
        if live is not None:
            stack.push_async_callback(_end, asyncio.create_task(keep_fresh(live)))
        yield WebServices(
            conversations=conversations,
            approvals=approvals,
            running=nullcontext,
            secret_key=_secret_key(settings),
            access=_access(settings),
            max_message_chars=settings.message_chars,
            locale=settings.locale,
            zone=settings.time_zone,
            heartbeat_s=settings.heartbeat_s,
            metrics=None if outlet is None else outlet.page,
            developer=_developer_view(settings, parts) if settings.developer_view else None,
        )


def _access(settings: Settings) -> Access:
    """Who may do what. The demo model makes up an operator's token where none is set."""
    tokens: dict[Role, str] = {}
    if settings.operator_token is not None:
        tokens[Role.OPERATOR] = settings.operator_token.get_secret_value()
    elif settings.model == "demo" and settings.trusted_user_header is None:
        tokens[Role.OPERATOR] = secrets.token_urlsafe(12)
    if settings.developer_view and settings.developer_token is not None:
        tokens[Role.DEVELOPER] = settings.developer_token.get_secret_value()
    elif settings.developer_view and settings.model == "demo":
        tokens[Role.DEVELOPER] = secrets.token_urlsafe(12)
    members = {
        Role.OPERATOR: frozenset(settings.operators),
        Role.DEVELOPER: frozenset(settings.developers if settings.developer_view else ()),
    }
    return Access(
        tokens=tokens,
        user_header=settings.trusted_user_header,
        groups_header=settings.trusted_groups_header,
        members=members,
        proxies=settings.trusted_proxies,
    )


def _parts(
    settings: Settings,
    provider: Provider,
    records: Records,
    registry: Registry,
    maps: Mapping[str, FieldMap],
    telemetry: Telemetry,
) -> Parts:
    return Parts(
        provider=provider,
        records=records,
        feed=_feed(settings),
        registry=registry,
        maps=maps,
        formats=_formats(settings),
        worker=new_id(Kind.WORKER),
        running=asyncio.Semaphore(settings.running_calls),
        model=settings.model,
        system=settings.system,
        assign_missing_ids=settings.missing_ids == "assign",
        bounds=Bounds(
            calls=limits_of(settings),
            max_tokens=settings.max_tokens,
            regenerations=settings.regenerations,
            api_retries=settings.api_retries,
            retry_wait_s=settings.retry_wait_s,
            exchange_turns=settings.exchange_turns,
            parallel_calls=settings.parallel_calls,
            result_chars=settings.result_chars,
            stop_grace_s=settings.stop_grace_s,
            flush_s=settings.flush_ms / 1000,
        ),
        telemetry=telemetry,
    )


KEY_VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OLLAMA_API_KEY",
)
"""Where the SDKs look for a key that the settings do not give."""


def _recorder(settings: Settings, parts: Parts, wire: WireTap) -> Recorder:
    given = None if settings.api_key is None else settings.api_key.get_secret_value()
    keys = [given, *(os.environ.get(name) for name in KEY_VARIABLES)]
    return Recorder(
        parts.records,
        wire,
        parts.provider.dialect,
        parts.model,
        settings.developer_turn_bytes,
        [key for key in keys if key],
    )


def _developer_view(settings: Settings, parts: Parts) -> DeveloperView:
    terms = Terms(parts.maps, parts.formats, parts.bounds.calls)
    gating = Gating(parts.registry, parts.bounds.max_tokens, parts.assign_missing_ids)
    return DeveloperView(
        parts.records,
        terms,
        Replayer(recorded_provider, terms),
        gating,
        settings.developer_recordings,
        settings.developer_turn_bytes,
    )


def recorded_provider(dialect: str, transport: httpx2.AsyncBaseTransport) -> Provider:
    """The dialect's own adapter over a recorded body."""
    return connect(ProviderSpec(dialect=dialect, model="recorded", api_key="unused"), transport)


def _make_folder(name: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartRefused(f"{name}: cannot make the folder {folder}: {error.strerror}") from error


def _formats(settings: Settings) -> Formats:
    try:
        return Formats(settings.locale, Words(Language(settings.locale)).yes_no)
    except ValueError as error:
        raise BadSetting(f"FORMWORK_LOCALE: {error}") from error


def limits_of(settings: Settings) -> Limits:
    """The limits on one turn's calls."""
    return Limits(
        call_bytes=settings.call_bytes,
        turn_bytes=settings.turn_bytes,
        turn_calls=settings.turn_calls,
        depth=settings.depth,
        number_chars=settings.number_chars,
    )


def _provider(settings: Settings, tap: Tap | None) -> Provider:
    if settings.model == "demo":
        seed = secrets.randbits(32) if settings.demo_seed is None else settings.demo_seed
        return make_demo(seed, settings.demo_pace, tap=tap)
    dialect, colon, model = settings.model.partition(":")
    if not colon or not model:
        raise BadSetting("FORMWORK_MODEL: either `demo`, or `<dialect>:<model name>`")
    key = settings.api_key
    spec = ProviderSpec(
        dialect=dialect,
        model=model,
        base_url=settings.base_url,
        api_key=None if key is None else key.get_secret_value(),
        timeouts=Timeouts(
            first_byte=settings.first_byte_s,
            between_bytes=settings.between_bytes_s,
            whole_turn=settings.whole_turn_s,
        ),
        eager_input_streaming=settings.eager_input_streaming,
        tap=tap,
    )
    try:
        return connect(spec)
    except (UnknownDialect, MissingLibrary) as error:
        raise StartRefused(f"FORMWORK_MODEL: {error}") from error


def _outlet(settings: Settings) -> Outlet | None:
    if settings.telemetry == "off":
        return None
    try:
        return open_outlet(settings.telemetry, SCOPE)
    except MissingExtra as error:
        raise StartRefused(f"FORMWORK_TELEMETRY: {error}") from error


def _telemetry(outlet: Outlet | None, registry: Registry) -> Telemetry:
    if outlet is None:
        return Telemetry.off()
    return Telemetry(outlet.tracer, outlet.meter, registry.names)


def _maps(folder: Path | None) -> dict[str, FieldMap]:
    try:
        return load_field_maps(shipped_maps() if folder is None else folder)
    except MapFileFault as fault:
        raise StartRefused(fault) from fault


def _live_maps(
    settings: Settings, maps: Mapping[str, FieldMap], registry: Registry
) -> LiveMaps | None:
    if not settings.reload_maps:
        return None
    folder = shipped_maps() if settings.field_maps is None else settings.field_maps
    return LiveMaps(folder, maps, registry.names)


def tools_of(settings: Settings) -> Registry:
    """The tools that the settings name. Raises :class:`StartRefused`."""
    if settings.tools == "shipped":
        root = settings.write_root or settings.data / "files"
        _make_folder("FORMWORK_WRITE_ROOT", root)
        return shipped_tools(settings.data, root)
    try:
        return load_registry(settings.tools)
    except RegistryFault as fault:
        raise StartRefused(f"FORMWORK_TOOLS: {fault}") from fault


def _refuse_maps_without_tools(maps: Mapping[str, FieldMap], registry: Registry) -> None:
    """A map of no tool is most likely a misspelt one, whose fields would then stay hidden."""
    for name in sorted(set(maps) - set(registry.names)):
        known = ", ".join(sorted(registry.names)) or "none"
        raise StartRefused(f"the field map {name!r} belongs to no tool; the tools: {known}")


async def records_of(settings: Settings) -> Records:
    """The store of a server that has run before. Raises :class:`StartRefused`."""
    if settings.database_url is None and not _store_file(settings).exists():
        raise StartRefused(f"there is no database in {settings.data}")
    return await _open_records(settings)


def _store_file(settings: Settings) -> Path:
    return settings.data.resolve() / "formwork.sqlite3"


async def _open_records(settings: Settings) -> Records:
    url = settings.database_url or f"sqlite:///{_store_file(settings)}"
    try:
        return await Records.open(url)
    except DatabaseRefused as refused:
        raise StartRefused(f"FORMWORK_DATABASE_URL: {refused}") from refused


def _feed(settings: Settings) -> MemoryFeed:
    if settings.events_url != "memory:":
        raise BadSetting("FORMWORK_EVENTS_URL: only `memory:` is served")
    return MemoryFeed()


def _secret_key(settings: Settings) -> str:
    """The given key, or one made at the first start and kept where only this user reads it."""
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value()
    file = settings.data / "secret_key"
    if not file.exists():
        made = settings.data / f"secret_key.{secrets.token_hex(4)}"
        made.touch(mode=0o600)
        made.write_text(secrets.token_urlsafe(32))
        with suppress(FileExistsError):  # another server on this folder was faster
            os.link(made, file)
        made.unlink()
    return file.read_text()


def _suggestions(settings: Settings, registry: Registry) -> Sequence[str]:
    if settings.suggestions or settings.model != "demo":
        return settings.suggestions
    return tuple(scenario.suggestion for scenario in playable(registry.names))


async def _end(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait: one that still held the store when that is closed would hang."""
    task.cancel()
    await asyncio.wait({task})


@dataclass(frozen=True, slots=True)
class ReplayParts:
    """What a replay of one recording needs."""

    provider: Provider
    rules: MapRules
    maps: Mapping[str, FieldMap]
    formats: Formats
    limits: Limits


def replay_parts(
    settings: Settings, dialect: str, body: bytes, size: int | None, maps: Path | None
) -> ReplayParts:
    """The parts of a replay: the dialect's own adapter over a recorded body.

    ``size`` cuts the body into so many bytes and the argument fragments into so many characters;
    None leaves both as they are. Raises :class:`StartRefused`.
    """
    loaded = _maps(settings.field_maps if maps is None else maps)
    registry = Registry() if maps is not None else tools_of(settings)
    try:
        provider = recorded_provider(dialect, RecordedBody(body, chunk=size))
    except MissingLibrary as error:
        raise StartRefused(error) from error
    return ReplayParts(
        provider=provider if size is None else Recut(provider, size),
        rules=MapRules(registry, loaded, Person("replay")),
        maps=loaded,
        formats=_formats(settings),
        limits=limits_of(settings),
    )
