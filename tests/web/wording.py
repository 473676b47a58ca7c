"""Words and templates of one language, made once."""

from functools import cache

from app.web.assets import data_directory
from app.web.language import Language
from app.web.templates import Templates, template_environment
from app.web.words import Words


@cache
def words(locale: str = "en") -> Words:
    return Words(Language(locale))


@cache
def templates(locale: str = "en") -> Templates:
    environment = template_environment(data_directory("templates"), words(locale).language)
    return Templates(environment)
