import pytest

from app.display.look_alikes import MANY, holds_punycode, suspects

CYRILLIC_A, GREEK_O, CYRILLIC_APPLE = "\u0430", "\u03bf", "\u0430\u0440\u0440\u04cf\u0435"


def pointed_at(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in suspects(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"p{CYRILLIC_A}ypal@example.com", [CYRILLIC_A]),
        (f"ada@ex{CYRILLIC_A}mple.com", [CYRILLIC_A]),
        (f"https://g{GREEK_O}{GREEK_O}gle.com/sign-in", [GREEK_O * 2]),
        (f"https://example.com/p{CYRILLIC_A}y?to=b{GREEK_O}b", [CYRILLIC_A, GREEK_O]),
        (f"Write to (ad{CYRILLIC_A}@example.com), please.", [CYRILLIC_A]),
        (f"go to www.ex{CYRILLIC_A}mple.com.", [CYRILLIC_A]),
        (f"https://{CYRILLIC_APPLE}.com", [CYRILLIC_APPLE]),
        (f"{CYRILLIC_APPLE}@example.com", [CYRILLIC_APPLE]),
        ("https://bank.com\u2044login.example.org", ["\u2044"]),
        ("https://bank\uff0ecom", ["\uff0e"]),
        ("https://\uff42ank.com", ["\uff42"]),
        ("\U0001d41aank@example.com", ["\U0001d41a"]),
        (f"Your p{CYRILLIC_A}ssword", [CYRILLIC_A]),
    ],
)
def test_letters_of_a_further_script_are_pointed_at(text: str, found: list[str]) -> None:
    assert pointed_at(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "ada@example.com",
        "Grüße an jürgen@müller.example, Æsir@example.is",
        "\u043f\u0440\u0438\u0432\u0435\u0442, \u0442.\u0435. \u0434\u0430, \u0441.\u0440.",
        "https://\u043e\u0441\u0430.\u0440\u0444/\u0441\u043e\u0440",
        "10 \u03bcs, 5 k\u03a9, \u0394t",
        "\u4f8b\u3048\u3070ABC\u306eTシャツ",
        "https://例えば.example.jp",
        "\uc0bc\uc131SDS",
        "“ada@example.com”, «www.example.com»",
        "IT-\u043e\u0442\u0434\u0435\u043b",
        "x \u2192 y \u20ac5",
    ],
)
def test_ordinary_writing_is_not(text: str) -> None:
    assert pointed_at(text) == []


def test_a_word_that_is_riddled_with_scripts_is_one_finding() -> None:
    word = f"{CYRILLIC_A}a" * 5_000
    assert [script for _, _, script in suspects(word)] == [MANY]


def test_punycode_is_noticed() -> None:
    assert holds_punycode("see https://xn--pple-43d.com/")
    assert not holds_punycode("see https://example.com/xn--")
    assert holds_punycode("mail.XN--pple-43d.com, a.b")
    assert not holds_punycode("axn--b.com xn--.com xn--")


def test_a_name_without_end_is_looked_at_once() -> None:
    """Looked at anew from each of its beginnings, this one would take most of an hour."""
    name = "xn---" * 200_000
    assert not holds_punycode(name)
    assert holds_punycode(f"{name}.com")
