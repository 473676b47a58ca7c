"""The style sheet asks little of each change.

A browser looks up what depends on a change by names: those in the arguments of :has(), those that
follow a sibling. What is not there, any element at all, and any class at all, have no name: with
one such selector every change of a class or child is looked into, up to the whole page's styles.
"""

import re
from collections.abc import Iterator

from app.web.assets import data_directory

SIBLINGS = re.compile(r"[~+]\s*\*|\[class")
AROUND = re.compile(r"(?:^|[\s,{}])(?:html|body|main|#log|article)[^\s,{}]*:has\((?!\s*\+)")
"""All of what grows is within these: each change would be one of what they hold."""
NAMELESS = re.compile(r":not\(|(?:^|[\s>+~,(])\*")


def arguments(selectors: str) -> Iterator[str]:
    """What stands within each :has( ), to the bracket that closes it."""
    for start in re.finditer(r":has\(", selectors):
        depth, end = 1, start.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(selectors[end], 0)
            end += 1
        yield selectors[start.end() : end - 1]


def test_what_depends_on_a_part_of_the_page_names_it() -> None:
    folder = data_directory("static")
    for sheet in sorted(folder.glob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.S)
        nameless = [found for found in arguments(text) if NAMELESS.search(found)]
        assert not nameless, f"{sheet.name}: {nameless}"
        assert not SIBLINGS.findall(text), sheet.name
        assert not AROUND.findall(text), sheet.name
    assert [*arguments("a:has(> b:is(c, d)) e:not(:has(~ f))")] == ["> b:is(c, d)", "~ f"]
    assert all(SIBLINGS.search(one) for one in ("a ~ *", "a + *", "p:not([class])"))
    assert all(
        AROUND.search(one) for one in ("html:has(b)", "a, main:has(> b) c", "#log:not(:has(b))")
    )
    assert not AROUND.search("main:has(+ a) b")
    assert all(NAMELESS.search(one) for one in ("> b:not(c)", "~ * d", "*", "> *"))
