"""Words and templates of one language, made once."""

from functools import cache

from app.display.formats import Formats
from app.web.approval_render import ApprovalRenderer
from app.web.assets import data_directory
from app.web.language import Language
from app.web.prompts import Prompts, Viewer
from app.web.templates import Templates, template_environment
from app.web.words import Words


@cache
def words(locale: str = "en") -> Words:
    return Words(Language(locale))


@cache
def templates(locale: str = "en") -> Templates:
    environment = template_environment(data_directory("templates"), words(locale).language)
    return Templates(environment)


@cache
def prompts(locale: str = "en") -> Prompts:
    """Requests of a viewer of tests."""
    formats = Formats(locale, words(locale).yes_no)
    requests = ApprovalRenderer(templates(locale), words(locale), formats)
    return Prompts(templates(locale), requests, Viewer("c", lambda approval: f"token {approval}"))
