"""Letters that stand for others: mixed scripts in addresses, links and words.

The rules follow Unicode's UTS 39 (restriction level "highly restrictive") and what browsers do
with international domain names; a character's script is the first word of its Unicode name.

- In an address or a link, each part between its dots, slashes and signs is written in one script
  (or in one of the few mixtures that languages have). Letters of any further one are suspect, and
  so is a part wholly of letters that look Latin, unless the top-level domain is of its script, and
  so is any sign or letter that is only another form of a plain one (a full-width dot, a slash for
  fractions).
- In any other word, letters that look Latin beside Latin ones are suspect; units such as "μs"
  are not.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

_LATIN = "LATIN"
_MIXTURES = (
    frozenset({_LATIN, "CJK", "HIRAGANA", "KATAKANA"}),
    frozenset({_LATIN, "CJK", "BOPOMOFO"}),
    frozenset({_LATIN, "CJK", "HANGUL"}),
)
"""How Japanese, Chinese and Korean are written."""

_LATIN_LIKE = frozenset(
    # Cyrillic
    "\u0430\u0441\u0501\u0435\u04bb\u0456\u0458\u04cf\u043e\u0440\u051b\u0455\u051d\u0445\u0443"
    "\u044c\u04bd\u043f\u0433\u0475\u0461\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c"
    "\u041e\u0420\u0405\u0422\u0425\u0423\u0417\u04c0\u0454\u0457\u0451"
    # Greek
    "\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03b3\u03c9\u0391\u0392\u0395\u0396"
    "\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03f2\u03f3"
    # Armenian
    "\u0561\u0570\u0563\u0575\u0578\u057d\u0585\u0566\u0581\u057c\u054d\u0555\u053f\u0548"
)
"""Letters of other scripts that most typefaces draw like Latin ones."""

_NO_SCRIPT = frozenset({"MODIFIER", "MICRO", "MASCULINE", "FEMININE", "MATHEMATICAL", "FULLWIDTH"})
"""First words of letters that name no script: they are other forms of plain ones."""

_TOKENS = re.compile(r"\S+")
_WORDS = re.compile(r"[^\W\d_]+")
_PARTS = re.compile(r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")
_ADDRESS = re.compile(r"@|://|(?i:\bwww\.|\bmailto:|\bxn--)|\w\.[A-Za-z]{2,63}(?!\w)")
_LABELS = re.compile(r"(?i)(?<![a-z0-9-])[a-z0-9-]++(?=\.)")
"""Parts of a host's name that another follows: each is looked at once, however long it is."""

_PUNYCODE = re.compile(r"(?i)(?<![a-z0-9])xn--[a-z0-9-]")
_AROUND = frozenset({"Ps", "Pe", "Pi", "Pf", "Po", "Pd"})

MANY = "SEVERAL SCRIPTS"
"""Stands for the script where a word changes it more than :data:`MOST_RANGES` times."""

MOST_RANGES = 16

Suspects = Iterator[tuple[int, int, str]]
"""Start, end, and the script or form that the characters there are of."""


def suspects(text: str) -> Suspects:
    """Where the text holds letters that could be taken for others, in order."""
    if text.isascii():
        return
    for token in _TOKENS.finditer(text):
        if not token[0].isascii():
            find = _in_address if _ADDRESS.search(token[0]) else _in_words
            for start, end, script in find(token[0]):
                yield token.start() + start, token.start() + end, script


def holds_punycode(text: str) -> bool:
    """Whether an address in it hides letters of another script behind ``xn--``."""
    return any(_PUNYCODE.search(label[0]) for label in _LABELS.finditer(text))


def _in_address(token: str) -> Suspects:
    first, last = _core(token)
    domain_script = _top_level_script(token[first:last])
    found: set[int] = set()
    for part in _PARTS.finditer(token, first, last):
        if not part[0].isascii():
            found.update(part.start() + at for at in _foreign(part[0], domain_script))
    for at in range(first, last):
        char = token[at]
        if not char.isascii() and _is_other_form(char):
            found.add(at)
    yield from _runs(token, sorted(found))


def _in_words(token: str) -> Suspects:
    found: list[int] = []
    for word in () if _LATIN_LIKE.isdisjoint(token) else _WORDS.finditer(token):
        if word[0].isascii() or _LATIN not in map(_script, word[0]):
            continue
        odd = _minority(Counter(script for char in word[0] if (script := _script(char))))
        if odd and not _LATIN_LIKE.isdisjoint(word[0]):
            found += [word.start() + at for at, char in enumerate(word[0]) if _script(char) in odd]
    yield from _runs(token, found)


def _foreign(part: str, domain_script: str) -> Iterator[int]:
    """Indexes of letters that do not belong into a part of an address."""
    scripts = Counter(script for char in part if (script := _script(char)))
    odd = _minority(scripts)
    if not odd and len(scripts) == 1 and domain_script not in scripts:
        letters = [char for char in part if _script(char)]
        if all(char in _LATIN_LIKE for char in letters):
            odd = set(scripts)
    return (at for at, char in enumerate(part) if _script(char) in odd)


def _minority(scripts: Counter[str]) -> set[str]:
    """The scripts beside the chief one; none where all are written together."""
    if len(scripts) < 2 or any(mixture.issuperset(scripts) for mixture in _MIXTURES):
        return set()
    # Of scripts with as many letters, Latin is what the reader takes the word for.
    chief = max(scripts, key=lambda script: (scripts[script], script == _LATIN))
    return set(scripts) - {chief}


def _core(token: str) -> tuple[int, int]:
    """The token without the quotes, brackets and stops of the sentence around it."""
    first, last = 0, len(token)
    while first < last and unicodedata.category(token[first]) in _AROUND:
        first += 1
    while last > first and unicodedata.category(token[last - 1]) in _AROUND:
        last -= 1
    return first, last


def _top_level_script(address: str) -> str:
    host = re.split(r"[/?#]", address.rpartition("://")[2], maxsplit=1)[0].rpartition("@")[2]
    labels = host.partition(":")[0].rstrip(".").split(".")
    return next((script for char in labels[-1] if (script := _script(char))), _LATIN)


def _is_other_form(char: str) -> bool:
    """Whether it is a sign beyond ASCII, or only another way to write another character."""
    kind = unicodedata.category(char)[0]
    if kind in "PS":
        return True
    return kind in "LN" and unicodedata.normalize("NFKC", char) != unicodedata.normalize(
        "NFC", char
    )


@lru_cache(maxsize=8192)
def _script(char: str) -> str:
    """The script of a letter; empty for what has none."""
    if unicodedata.category(char)[0] != "L":
        return ""
    script = unicodedata.name(char, "").partition(" ")[0]
    return "" if script in _NO_SCRIPT else script


def _runs(token: str, found: list[int]) -> Suspects:
    """Neighbouring indexes of one script as ranges; of a word that is riddled with them, one."""
    ranges: list[tuple[int, int, str]] = []
    for at in found:
        script = _script(token[at])
        if ranges and ranges[-1][1:] == (at, script):
            ranges[-1] = (ranges[-1][0], at + 1, script)
        else:
            ranges.append((at, at + 1, script))
    if len(ranges) > MOST_RANGES:
        yield found[0], found[-1] + 1, MANY
    else:
        yield from ranges
