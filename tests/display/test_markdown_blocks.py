"""A text cut anywhere ends up as the same blocks, and a block that has ended never changes."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.display.markdown import markdown_parser
from app.display.markdown_blocks import (
    BlockKind,
    Ended,
    Grew,
    MarkdownBlocks,
    Opened,
    Step,
)

PARSER = markdown_parser()
LINES = (
    "", "", "text", "**bold** and `code`", "- item", "  more of it", "- ", "-", "* other", "+ x",
    "1. one", "2. two", "7) seven", "   under it", "    code", "\tcode", "# Head", "  ## Sub",
    "===", "---", "***", "- - -", "```", "```python", "~~~", "~~~~", "   ```", "  ~~~ a", "``",
    "> quote", ">", "> - in", ">> deep", "> ```", "| a | b |", "| --- | :-: |", "|---|", "| 1 |",
    "a | b", "--- | ---", "<div>", "</div>", "<!-- c", "[a][x] and [y]", "\\", "line  ", "\ttab",
    "- ```", "- # h", "-     code in item", "10. ten", "- > q", "      - far", "&amp; \\* <b>",
    "![i](http://e/i.png)", "<http://a.example>", "~~no~~", "* * *", "_ _ _", "\x0b",
    "see http://a.example/x.", "\xa0", "a\x0c",
)  # fmt: skip
DEFINITIONS = ("[x]: /u", "[y]: http://y 'title'", "'title", "rest'", "[x]:", "http://later", "[x")
PLAIN = st.lists(st.sampled_from(LINES), max_size=14)
ANY = st.lists(st.sampled_from((*LINES, *DEFINITIONS)), max_size=14)
ENDS = st.sampled_from(("", "\n", "\r\n", "\r", "\n\n"))
SETTINGS = settings(deadline=None)


def steps_of(pieces: list[str]) -> list[Step]:
    blocks = MarkdownBlocks(PARSER)
    for piece in pieces:
        blocks.feed(piece)
    blocks.finish()
    return blocks.steps()


def ended_of(steps: list[Step]) -> list[Ended]:
    return [step for step in steps if isinstance(step, Ended)]


def html(ended: Ended) -> str:
    return str(PARSER.renderer.render(ended.tokens, PARSER.options, {}))


def rendered(pieces: list[str]) -> list[str]:
    return [html(ended) for ended in ended_of(steps_of(pieces))]


def cut(text: str, places: list[int]) -> list[str]:
    at = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[a:b] for a, b in pairwise(at)]


@SETTINGS
@given(PLAIN, ENDS)
def test_blocks_together_are_what_the_parser_makes_of_the_whole(lines: list[str], end: str) -> None:
    text = "\n".join(lines) + end
    # Code whose fence was never closed would else differ by the line end that it may lack.
    whole = PARSER.render(text if text.endswith(("\n", "\r")) else text + "\n")
    assert "".join(rendered([text])) == whole
    assert "".join(rendered(list(text))) == whole


@SETTINGS
@given(st.text("ab `~*_#>-+=|1.)[]()!<&\\\t\n\r:'\"", max_size=60))
@example("[a]: /x\n'b\nc'\n\n[a]")
def test_any_characters_whole_and_one_by_one(text: str) -> None:
    assert rendered([text]) == rendered(list(text))


@SETTINGS
@given(ANY, ENDS, st.lists(st.integers(0, 10_000), max_size=12))
def test_a_cut_changes_nothing(lines: list[str], end: str, places: list[int]) -> None:
    text = "\n".join(lines) + end
    assert rendered(cut(text, places)) == rendered([text])


@SETTINGS
@given(ANY, PLAIN, st.lists(st.integers(0, 10_000), max_size=6))
def test_what_has_ended_stays_whatever_follows(
    lines: list[str], more: list[str], places: list[int]
) -> None:
    text = "\n".join(lines) + "\n"
    blocks = MarkdownBlocks(PARSER)
    for piece in cut(text, places):
        blocks.feed(piece)
    before = [html(ended) for ended in ended_of(blocks.steps())]
    assert rendered([text + "\n".join(more)])[: len(before)] == before


@SETTINGS
@given(ANY, ENDS, st.lists(st.integers(0, 10_000), max_size=12))
def test_an_open_block_shows_what_was_written_and_only_grows(
    lines: list[str], end: str, places: list[int]
) -> None:
    text = "\n".join(lines) + end
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    opened: Opened | None = None
    shown = ""
    for step in steps_of(cut(text, places)):
        match step:
            case Opened():
                assert opened is None
                opened, shown = step, ""
            case Grew(text=piece):
                assert opened is not None
                shown += piece
                assert shown in plain
                assert opened.kind is BlockKind.CODE or shown == shown.rstrip()
            case Ended(kind=kind, language=language, plain=whole):
                if opened == Opened(kind, language) and whole is not None and shown:
                    assert whole.startswith(shown) or shown.startswith(whole)
                opened = None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One.\n\n", 1),
        ("One.\n", 0),
        ("# Head\n", 1),
        ("Head\n===\n", 1),
        ("One\n# Head\n", 2),
        ("---\n", 1),
        ("```py\nx = 1\n", 0),
        ("```py\nx = 1\n\n# no head\n```", 0),
        ("```py\nx = 1\n\n# no head\n```\n", 1),
        ("```py\nx\n```\nnext", 1),
        ("- a\n- b\n\n", 0),
        ("- a\n- b\n\nnext\n", 1),
        ("- a\n- b\n\n  still b\n\n- c\n", 0),
        ("    code\n\n", 0),
        ("    code\n\nnext\n", 1),
        ("> quote\n\n", 1),
        ("> quote\nlazy\n", 0),
        ("| a |\n|---|\n| 1 |\n", 0),
        ("| a |\n|---|\n| 1 |\n\n", 1),
        ("[a]: /x\n", 0),
        ("[a]: /x\n'title\n", 0),
        ("[a]: /x\n\n", 1),
    ],
)
def test_a_block_has_ended_when_nothing_can_change_it(text: str, count: int) -> None:
    blocks = MarkdownBlocks(PARSER)
    blocks.feed(text)
    assert len(ended_of(blocks.steps())) == count


def test_a_definition_serves_from_its_own_block_on() -> None:
    before, _, after = rendered(["[a]\n\n[a]: http://x.example\n\n[a]"])
    assert before == "<p>[a]</p>\n"
    assert after == '<p><a href="http://x.example">a</a></p>\n'


def test_a_fence_is_never_shown() -> None:
    shown = steps_of(list("```py\na\n``\nb\n```\nend"))
    assert shown[0] == Opened(BlockKind.CODE, "py")
    assert "".join(step.text for step in shown if isinstance(step, Grew)) == "a\n``\nbend"


@pytest.mark.parametrize("unit", ["word ", "- item\n", "```\n\n", "a\n", "> q\n", "[", "**a", "\n"])
def test_cost_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    """Counted in the lines that the parser is given, not in time."""
    looked: list[int] = []

    def cost(times: int) -> int:
        looked.clear()
        blocks = MarkdownBlocks(PARSER)
        original = blocks._end_blocks  # pyright: ignore[reportPrivateUsage]

        def counted(*, over: bool) -> None:
            looked.append(blocks._size)  # pyright: ignore[reportPrivateUsage]
            original(over=over)

        blocks._end_blocks = counted  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
        for character in unit * times:
            blocks.feed(character)
        return sum(looked)

    assert cost(800) <= 2.5 * cost(400) + 200
