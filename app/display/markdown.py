"""The Markdown that assistants may write: CommonMark, tables, strikethrough; no HTML."""

from urllib.parse import urlsplit

from markdown_it import MarkdownIt

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
"""A link of another scheme, or of none, stays the text that it was written as."""


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        try:
            return super().validateLink(url) and urlsplit(url).scheme.lower() in LINK_SCHEMES
        except ValueError:  # an address that cannot be taken apart
            return False


def markdown_parser() -> MarkdownIt:
    """A parser whose raw HTML is text and whose links lead to allowed schemes alone."""
    parser = _Parser("commonmark", {"html": False, "xhtmlOut": False})
    return parser.enable(["table", "strikethrough"])
