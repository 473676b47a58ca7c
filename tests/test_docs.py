"""What the documents say is what the program does."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from app.calls.reasons import Reason
from app.calls.states import CallState
from app.providers.connect import KNOWN_DIALECTS
from app.settings import PREFIX, Settings
from tests.readme_parts import settings_list, states_picture

REPOSITORY = Path(__file__).parents[1]
README = (REPOSITORY / "README.md").read_text()


def section(name: str) -> str:
    return README.split(f"<!-- {name} -->")[1].split(f"<!-- /{name} -->")[0].strip()


def test_the_picture_of_states_is_that_of_the_table() -> None:
    assert section("states") == f"```mermaid\n{states_picture()}\n```"


def test_the_list_of_settings_is_that_of_the_program() -> None:
    assert section("settings") == settings_list()


@pytest.mark.parametrize("word", [*CallState, *Reason, *KNOWN_DIALECTS])
def test_every_state_reason_and_dialect_is_explained(word: str) -> None:
    assert f"`{word}`" in README


def test_every_setting_that_is_named_exists() -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields} | {"FORMWORK_RECORDINGS"}
    for document in REPOSITORY.glob("*.md"):
        assert set(re.findall(r"FORMWORK_[A-Z_]+", document.read_text())) <= known, document.name


def test_every_key_of_a_map_is_named() -> None:
    schema = json.loads((REPOSITORY / "field_maps" / "field-map.schema.json").read_text())  # noqa: TID251 - a file of ours
    for key in schema["properties"]:
        if key != "$schema":
            assert f"`{key}`" in README, key


def test_the_version_of_htmx_is_the_locked_one() -> None:
    package = json.loads((REPOSITORY / "static" / "package.json").read_text())  # noqa: TID251 - a file of ours
    lock = json.loads((REPOSITORY / "static" / "package-lock.json").read_text())  # noqa: TID251 - a file of ours
    version = package["dependencies"]["htmx.org"]
    assert lock["packages"]["node_modules/htmx.org"]["version"] == version
    assert f"htmx {version}" in README


def test_every_custom_property_that_is_named_exists() -> None:
    styles = (REPOSITORY / "static" / "formwork.css").read_text()
    looks = README.split("## Looks and languages")[1].split("\n## ")[0]
    named = re.findall(r"`(--[a-z-]+)`", looks)
    assert named
    for name in named:
        assert f"  {name}: " in styles, name


def test_every_make_target_that_is_named_exists() -> None:
    makefile = (REPOSITORY / "Makefile").read_text()
    for document in REPOSITORY.glob("*.md"):
        for target in re.findall(r"(?m)(?:`|^ +)make ([a-z]+)", document.read_text()):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), (document.name, target)


def test_the_lock_files_name_no_host_and_hash_everything() -> None:
    for lock in REPOSITORY.glob("*.lock"):
        text = lock.read_text()
        assert "://" not in text
        for block in re.split(r"^(?=[a-zA-Z0-9])", text, flags=re.MULTILINE):
            assert not block.strip() or block.startswith("#") or "--hash=sha256:" in block


def test_the_python_that_is_named_is_the_one_that_is_required() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11"
    assert "Python 3.11 or newer" in README
