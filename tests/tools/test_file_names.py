import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.file_names import name_fault


@pytest.mark.parametrize(
    "path",
    [
        "notes.txt",
        "drafts/2026/answer.md",
        ".hidden",
        "a b.txt",
        "Grüße.txt",
        "東京/メモ.txt",
        "..a",
        "a..b",
        "...x",
        "x" * 255,
        "-rf",
        "CON",
        "note: a.txt",
        "notes~",
    ],
)
def test_ordinary_names_are_in_order(path: str) -> None:
    assert name_fault(path) is None


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "//host/share",
        "\\\\host\\share",
        "C:\\x",
        "c:x",
        "~/x",
        "..",
        "../x",
        "a/../x",
        "a/../../x",
        "a/..",
        ".",
        "./x",
        "a/./x",
        "a//x",
        "a/",
        "a\\b",
        "..\\x",
        "a\x00b",
        "a\nb",
        "a\rb",
        "a\x1bb",
        "a\x7fb",
        "a\x85b",
        "txt.\u202efdp.exe",
        "a\u2066b\u2069",
        "a\u200bb",
        "a\u200db",
        "a\u00adb",
        "a\ufeffb",
        "a\u2028b",
        "a\u00a0b",
        "a\u3000b",
        "a\u3164b",
        "a\ufe0fb",
        "a\U000e0061b",
        "a\ud800b",
        "a\ue000b",
        "a\u0378b",
        "cafe\u0301.txt",
        "\u0301a",
        "a.",
        "a..",
        "...",
        "a ",
        " a",
        "a /b",
        "a./b",
        "x" * 256,
        "\u00e9" * 128,
        "a/" * 600 + "a",
    ],
)
def test_names_that_lead_away_or_cannot_be_read_are_refused(path: str) -> None:
    fault = name_fault(path)
    assert fault is not None
    assert fault.isascii()
    assert "\x00" not in fault


@given(st.text(), st.text(), st.sampled_from(["..", "."]))
def test_no_step_out_is_in_order(before: str, after: str, step: str) -> None:
    assert name_fault(f"{before}/{step}/{after}")
    assert name_fault(f"{before}/{step}")
    assert name_fault(f"{step}/{after}")
