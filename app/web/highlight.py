"""Code in the five colours that the style sheet knows."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Token
from pygments.util import ClassNotFound

from app.web.templates import sendable

MOST_CHARACTERS = 20_000
"""Longer code is shown without colours: a lexer takes up to a microsecond for each character."""
CLASSES = (
    (Token.Comment, "c"),
    (Token.Keyword, "k"),
    (Token.Literal.String, "s"),
    (Token.Literal, "m"),
    (Token.Name.Function, "f"),
    (Token.Name.Class, "f"),
    (Token.Name.Tag, "k"),
    (Token.Generic.Deleted, "c"),
    (Token.Generic.Inserted, "s"),
)
"""The first that a token belongs to gives its class."""


def highlighted(code: str, language: str) -> Markup | None:
    """The code with its colours; None where the language is unknown, or nothing has a colour."""
    if not language or len(code) > MOST_CHARACTERS:
        return None
    try:
        lexer: Any = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    tokens: Iterator[tuple[Any, str]] = lexer.get_tokens(code)
    runs = [
        (name, "".join(text for _, text in run))
        for name, run in groupby(tokens, lambda token: _class_of(token[0]))
    ]
    if not any(name for name, _ in runs) or "".join(text for _, text in runs) != code:
        return None
    return Markup().join(_run(name, text) for name, text in runs)


def _class_of(kind: Any) -> str:
    return next((name for parent, name in CLASSES if kind in parent), "")


def _run(name: str, text: str) -> Markup:
    shown = escape(sendable(text))
    return Markup("<span class={}>{}</span>").format(name, shown) if name else shown
