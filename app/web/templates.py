"""The template environment: everything escaped, nothing undefined passed over.

One source of escaping for pages and streams, so that a text reads the same in both: a carriage
return would be turned into a line feed by the one way and doubled by the other, and a lone
surrogate cannot be sent at all.
"""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from app.web.contexts import Context, values
from app.web.language import Language

_SURROGATE = re.compile("[\ud800-\udfff]")


def template_environment(directory: Path, language: Language) -> Environment:
    """Templates are compiled once and not looked up again on disk.

    ``_`` and ``ngettext`` give plain text, which is escaped like any other: with Jinja's own
    extension for it, what a catalogue holds would count as HTML.
    """
    environment = Environment(
        loader=FileSystemLoader(directory),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
        finalize=_sendable,
    )
    words: dict[str, Any] = {
        "_": language.gettext,
        "ngettext": language.ngettext,
        "lang": language.tag,
        "dir": language.direction,
    }
    environment.globals.update(words)
    return environment


class Templates:
    """Renders contexts."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def render(self, context: Context) -> Markup:
        """The HTML of one context; raises ``UndefinedError`` where template and context differ."""
        template = self._environment.get_template(context.TEMPLATE)
        return Markup(template.render(values(context)))  # noqa: S704 - the template escaped it


def sendable(text: str) -> str:
    """A text that has an encoding: a lone surrogate becomes U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _sendable(value: object) -> object:
    if type(value) is not str or (value.isascii() and "\r" not in value):
        return value
    text = sendable(value)
    return Markup(str(escape(text)).replace("\r", "&#13;"))  # noqa: S704 - escaped just before
