"""The page's messages as code and templates have them; ``python -m tests.catalogue`` brings every
catalogue up to date: new messages come in empty, those that are no longer used go."""

from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from app.web.language import DOMAIN, LOCALES

REPOSITORY = Path(__file__).parents[1]
SOURCES = [("app/web/**.py", "python"), ("templates/**.html", "jinja2")]
KEYWORDS: dict[str, tuple[int, ...] | None] = {
    "_": None,
    "ngettext": (1, 2),
    "phrase": None,
    "plural_phrase": (1, 2),
}
COMMENTS = ("NOTE:",)
HEADER = r"""msgid ""
msgstr ""
"Language: {language}\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=utf-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: {plural}\n"

"""
"""Without dates, which would make every run a change."""


def extracted() -> Catalog:
    """Every message, with the files that use it and the notes for translators."""
    catalogue = Catalog(project=DOMAIN, charset="utf-8")
    options = {"templates/**.html": {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "0"}}
    found = extract_from_dir(
        REPOSITORY,
        SOURCES,
        options,
        KEYWORDS,
        COMMENTS,
        strip_comment_tags=True,
        directory_filter=lambda _: True,
    )
    for file, _, message, comments, context in found:
        catalogue.add(message, None, [(file, 0)], auto_comments=comments, context=context)
    return catalogue


def catalogues() -> list[Path]:
    """The catalogues that are shipped."""
    return sorted(LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def brought_up_to_date(file: Path) -> bytes:
    """What the catalogue should hold: its translations, under the messages of today."""
    with file.open("rb") as text:
        catalogue = read_po(text, locale=file.parts[-3], domain=DOMAIN, abort_invalid=True)
    catalogue.update(extracted(), no_fuzzy_matching=True)
    written = BytesIO()
    written.write(HEADER.format(language=catalogue.locale, plural=catalogue.plural_forms).encode())
    write_po(
        written,
        catalogue,
        width=96,
        omit_header=True,
        sort_by_file=True,
        include_lineno=False,
        ignore_obsolete=True,
    )
    return written.getvalue()


def main() -> None:
    """Bring every catalogue up to date, and tell what it lacks."""
    for file in catalogues():
        file.write_bytes(brought_up_to_date(file))
        with file.open("rb") as text:
            lacking = [message for message in read_po(text) if message.id and not message.string]
        print(f"{file.relative_to(REPOSITORY)}: {len(lacking)} to translate")


if __name__ == "__main__":
    main()
