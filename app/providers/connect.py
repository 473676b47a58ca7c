"""A provider by the name of its dialect; its SDK is imported only when it is asked for."""

from importlib import import_module
from typing import Protocol, cast

import httpx2

from app.providers.provider import MissingLibrary, Provider
from app.providers.spec import ProviderSpec

KNOWN_DIALECTS = ("anthropic-messages", "openai-chat", "openai-responses", "gemini", "ollama")

_MODULES = {
    "anthropic-messages": ("app.providers.anthropic_messages", "anthropic", None),
    "openai-chat": ("app.providers.openai_chat", "openai", "openai"),
    "openai-responses": ("app.providers.openai_responses", "openai", "openai"),
    "gemini": ("app.providers.gemini", "google", "gemini"),
    "ollama": ("app.providers.ollama", "ollama", "ollama"),
}
"""Dialect -> (module, top-level package of its SDK, extra that installs it)."""


class UnknownDialect(Exception):
    """A dialect that nobody here speaks; the message names those that are spoken."""


class _Module(Protocol):
    def make(self, spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None) -> Provider: ...


def connect(spec: ProviderSpec, transport: httpx2.AsyncBaseTransport | None = None) -> Provider:
    """The provider that ``spec`` names. ``transport`` stands in for the network.

    Raises :class:`UnknownDialect` and :class:`~app.providers.provider.MissingLibrary`.
    """
    if spec.dialect not in _MODULES:
        known = ", ".join(KNOWN_DIALECTS)
        raise UnknownDialect(f"unknown dialect {spec.dialect!r}; the known ones are {known}")
    path, package, extra = _MODULES[spec.dialect]
    try:
        module = cast(_Module, import_module(path))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package:
            raise
        wanted = f"formwork[{extra}]" if extra else "formwork"
        raise MissingLibrary(
            f"the dialect {spec.dialect} needs the library {error.name!r}: "
            f'install it with  pip install "{wanted}"'
        ) from error
    return module.make(spec, transport)
