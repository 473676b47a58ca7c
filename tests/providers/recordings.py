"""Recorded response bodies: a folder of real ones beside the checkout, and our own in it.

The real ones are not part of the repository. Where the folder is missing their tests are skipped,
visibly, and our own hand-written ones still cover every kind.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
OWN = REPOSITORY / "tests" / "recordings"

FOLDERS = {
    "anthropic-messages": ("anthropic-messages",),
    "openai-chat": ("openai-chat", "mistral", "other-openai-compatible"),
    "openai-responses": ("openai-responses",),
    "gemini": ("gemini",),
    "ollama": ("ollama",),
}
"""Dialect -> the folders of the collection whose bodies speak it."""

CLIENT_KINDS = (None, "tool_use", "function_call")
"""``kind`` of a call that is ours to run; any other is the provider's own work."""


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    id: str | None
    name: str
    arguments_text: str
    kind: str | None
    raw: dict[str, Any]
    """The manifest's own entry."""

    @property
    def ours(self) -> bool:
        return self.kind in CLIENT_KINDS


@dataclass(frozen=True, slots=True)
class Recording:
    """One response body and what the manifest says of it."""

    dialect: str
    path: Path
    stop_reason: str | None
    expected: tuple[ExpectedCall, ...]
    entry: dict[str, Any]

    @property
    def body(self) -> bytes:
        return self.path.read_bytes()

    @property
    def ours(self) -> tuple[ExpectedCall, ...]:
        """The calls that are ours to run."""
        return tuple(call for call in self.expected if call.ours)

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"


def folder() -> Path:
    named = os.environ.get("FORMWORK_RECORDINGS")
    return Path(named) if named else REPOSITORY.parent / "shared" / "captures"


@cache
def all_recordings(dialect: str) -> tuple[Recording, ...]:
    """The real recordings of a dialect; none where the folder is missing."""
    manifest = folder() / "MANIFEST.json"
    if not manifest.is_file():
        return ()
    entries: list[dict[str, Any]] = json.loads(manifest.read_text())  # noqa: TID251 - a manifest
    return tuple(_recordings(entries, dialect))


def _recordings(entries: Sequence[dict[str, Any]], dialect: str) -> Iterator[Recording]:
    for entry in entries:
        path = folder() / entry["file"]
        if path.parent.name in FOLDERS[dialect]:
            calls = tuple(
                ExpectedCall(
                    call.get("id"), call["name"], call["arguments_text"], call.get("kind"), call
                )
                for call in entry["expected_calls"]
            )
            yield Recording(dialect, path, entry["stop_reason"], calls, entry)


def parameters(dialect: str) -> list[Any]:
    """For ``pytest.mark.parametrize``: each recording, or one skip that says what is missing."""
    found = all_recordings(dialect)
    if found:
        return [pytest.param(recording, id=str(recording)) for recording in found]
    absent = pytest.mark.skip(reason=f"no recordings at {folder()} (FORMWORK_RECORDINGS)")
    return [pytest.param(None, id="no-recordings", marks=absent)]


def own(dialect: str, name: str) -> bytes:
    """One of our own hand-written bodies."""
    return (OWN / dialect / name).read_bytes()
