"""A provider by its dialect's name, with or without its SDK."""

import subprocess
import sys

import pytest

from app.providers import connect as connecting
from app.providers.connect import KNOWN_DIALECTS, UnknownDialect, connect
from app.providers.provider import MissingLibrary
from app.providers.spec import ProviderSpec
from app.providers.transports import RecordedBody

SDKS = {
    "anthropic-messages": "anthropic",
    "openai-chat": "openai",
    "openai-responses": "openai",
    "gemini": "google.genai",
    "ollama": "ollama",
}


@pytest.mark.parametrize("dialect", KNOWN_DIALECTS)
async def test_each_dialect_has_a_provider(dialect: str) -> None:
    provider = connect(ProviderSpec(dialect, "m", api_key="k"), RecordedBody(b""))
    assert provider.dialect == dialect
    await provider.close()


def test_another_name_is_refused_by_naming_the_five() -> None:
    with pytest.raises(UnknownDialect) as caught:
        connect(ProviderSpec("openai", "m"))
    assert all(dialect in str(caught.value) for dialect in KNOWN_DIALECTS)
    assert "'openai'" in str(caught.value)


@pytest.mark.parametrize("dialect", KNOWN_DIALECTS)
def test_a_missing_sdk_is_told_with_the_line_that_installs_it(dialect: str) -> None:
    package = SDKS[dialect].split(".")[0]
    script = f"""
import sys
sys.modules[{package!r}] = None
from app.providers.connect import connect
from app.providers.provider import MissingLibrary
from app.providers.spec import ProviderSpec
try:
    connect(ProviderSpec({dialect!r}, "m"))
except MissingLibrary as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert f"the dialect {dialect} needs the library" in ran.stdout
    assert 'pip install "formwork' in ran.stdout


def test_a_bug_in_an_adapter_is_not_a_missing_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: str) -> None:
        raise ModuleNotFoundError("No module named 'app.gone'", name="app.gone")

    monkeypatch.setattr(connecting, "import_module", broken)
    with pytest.raises(ModuleNotFoundError) as caught:
        connect(ProviderSpec("ollama", "m"))
    assert not isinstance(caught.value, MissingLibrary)


def test_no_sdk_is_imported_before_it_is_asked_for() -> None:
    script = (
        "import sys, app.providers.connect;"
        f"print([sdk for sdk in {sorted(set(SDKS.values()))!r} if sdk in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_spec_does_not_show_its_key() -> None:
    spec = ProviderSpec("gemini", "m", api_key="k-secret")
    assert "k-secret" not in repr(spec)
    assert spec.secrets == ("k-secret",)
    assert ProviderSpec("gemini", "m").secrets == ()
