"""The Markdown that assistants may write: CommonMark, tables, strikethrough, addresses; no HTML."""

from urllib.parse import urlsplit

from markdown_it import MarkdownIt

from app.display.bare_links import bare_link

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
"""A link of another scheme, or of none, stays the text that it was written as."""


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        try:
            return super().validateLink(url) and urlsplit(url).scheme.lower() in LINK_SCHEMES
        except ValueError:  # an address that cannot be taken apart
            return False

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the library's name
        """As it was written: decoded, ``xn--`` would show as letters that look like others."""
        return link


def markdown_parser() -> MarkdownIt:
    """A parser whose raw HTML is text and whose links lead to allowed schemes alone."""
    parser = _Parser("commonmark", {"html": False, "xhtmlOut": False})
    parser.inline.ruler.after("text", "bare_link", bare_link)
    return parser.enable(["table", "strikethrough"])
