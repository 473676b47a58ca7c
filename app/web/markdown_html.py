"""Markdown blocks as HTML of ours.

Nothing is loaded from elsewhere: an image is a link that names its host. Headings go on from
those of the page without leaving out a level, whatever an answer begins with. A table scrolls
within its own box, and alignment is a class, since the page policy allows no style of an
element's own.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from app.display.markdown_blocks import BlockKind, Ended, Opened, language_of
from app.web.contexts import CodeContext, LinkContext, ParagraphContext
from app.web.highlight import highlighted
from app.web.page_ids import ItemIds
from app.web.templates import Templates, sendable

PAGE_HEADINGS = 2
"""The level of the heading that an answer stands under."""
LOWEST_HEADING = 6

Outline: TypeAlias = dict[str, int]
"""The level of the last heading of a text, by the key ``level``; the library's environment."""
_Rest: TypeAlias = Any
"""Options and environment, which the library hands to every rule."""


class MarkdownHtml:
    """Blocks in, HTML out."""

    def __init__(self, templates: Templates, parser: MarkdownIt) -> None:
        self._templates = templates
        self._options = parser.options
        self._rules = _Rules(templates)

    def opened(self, ids: ItemIds, number: int, opened: Opened, text: str) -> Markup:
        """The open block, with what shows of it."""
        if opened.kind is BlockKind.CODE:
            return self._code(ids, number, opened.language, text)
        return self._templates.render(ParagraphContext(ids.text(number), text))

    def ended(self, ids: ItemIds, number: int, block: Ended, outline: Outline) -> Markup:
        """A block that has ended: as it showed while it was open, where that is all of it."""
        if self.shows_as_written(block):
            assert block.plain is not None
            return self.opened(ids, number, Opened(block.kind, block.language), block.plain)
        html = self._rules.render(block.tokens, self._options, outline)
        return Markup(sendable(html))  # noqa: S704 - the library's rules and ours escaped it

    def shows_as_written(self, block: Ended) -> bool:
        """Whether the block needs no more than an open one shows."""
        if block.plain is None:
            return False
        return block.kind is BlockKind.TEXT or highlighted(block.plain, block.language) is None

    def place(self, ids: ItemIds, number: int, opened: Opened) -> str:
        """The id of the element that holds the text of an open block."""
        return ids.code(number) if opened.kind is BlockKind.CODE else ids.text(number)

    def _code(self, ids: ItemIds, number: int, language: str, code: str) -> Markup:
        return self._templates.render(
            CodeContext(ids.text(number), ids.code(number), language, code)
        )


class _Rules(RendererHTML):
    """The library's renderer with rules of ours; each gets all tokens and the place of its own."""

    def __init__(self, templates: Templates) -> None:
        super().__init__()
        self._templates = templates
        self.rules |= {
            "fence": self._fence,
            "code_block": self._fence,
            "image": self._image,
            "link_open": self._link,
            "heading_open": self._heading,
            "heading_close": self._heading,
            "table_open": self._table,
            "table_close": self._table,
            "th_open": self._cell,
            "td_open": self._cell,
        }

    def _fence(self, tokens: Sequence[Token], at: int, *_: _Rest) -> str:
        code = tokens[at].content.removesuffix("\n")
        language = language_of(tokens[at])
        shown = highlighted(code, language)
        return self._templates.render(
            CodeContext("", "", language, code if shown is None else shown)
        )

    def _image(self, tokens: Sequence[Token], at: int, *_: _Rest) -> str:
        image = tokens[at]
        source = str(image.attrs["src"])
        text = f"{image.content} ({urlsplit(source).hostname or source})".strip()
        # Within a link an image is its text: a link cannot hold another.
        if any(before.type == "link_open" for before in _open_links(tokens[:at])):
            return self._templates.render(LinkContext("", text))
        return self._templates.render(LinkContext(source, text))

    def _link(self, tokens: Sequence[Token], at: int, *rest: _Rest) -> str:
        link = tokens[at]
        link.attrs["rel"] = "noopener noreferrer nofollow"
        link.attrs["target"] = "_blank"
        return self.renderToken(tokens, at, *rest)

    def _heading(self, tokens: Sequence[Token], at: int, options: _Rest, outline: Outline) -> str:
        above = outline.get("level", PAGE_HEADINGS)
        if tokens[at].nesting == 1:
            written = int(tokens[at].tag.removeprefix("h")) + PAGE_HEADINGS
            outline["level"] = above = min(written, above + 1, LOWEST_HEADING)
        return f"<h{above}>" if tokens[at].nesting == 1 else f"</h{above}>\n"

    def _table(self, tokens: Sequence[Token], at: int, *rest: _Rest) -> str:
        if tokens[at].nesting == 1:
            return '<div class="wide" tabindex="0">' + self.renderToken(tokens, at, *rest)
        return self.renderToken(tokens, at, *rest).rstrip() + "</div>\n"

    def _cell(self, tokens: Sequence[Token], at: int, *rest: _Rest) -> str:
        style = str(tokens[at].attrs.pop("style", ""))
        if style:
            tokens[at].attrs["class"] = style.removeprefix("text-align:")
        return self.renderToken(tokens, at, *rest)


def _open_links(tokens: Sequence[Token]) -> list[Token]:
    links: list[Token] = []
    for token in tokens:
        if token.type == "link_open":
            links.append(token)
        elif token.type == "link_close":
            links.pop()
    return links
