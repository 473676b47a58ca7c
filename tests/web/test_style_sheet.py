"""The style sheet asks little of each change.

A browser looks up what depends on a change by the names in the arguments of :has(). What is not
there, and any element at all, has no name: one such argument, and every change of any class or
child is looked into, in the whole page.
"""

import re
from collections.abc import Iterator

from app.web.assets import data_directory

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
    assert [*arguments("a:has(> b:is(c, d)) e:not(:has(~ f))")] == ["> b:is(c, d)", "~ f"]
    assert all(NAMELESS.search(one) for one in ("> b:not(c)", "~ * d", "*", "> *"))
