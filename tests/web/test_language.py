"""Every message of the page is in every catalogue, whole, and claims no more than the English."""

import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from string import Formatter
from zoneinfo import ZoneInfo

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from starlette.testclient import TestClient

from app.calls.states import FINAL_STATES, CallState
from app.web import words
from app.web.application import create_app
from app.web.approval_words import (
    APPROVED,
    APPROVED_AT,
    APPROVED_EDITED,
    APPROVED_HEADING,
    OUTCOMES,
)
from app.web.language import Language, catalogue_file
from app.web.words import ANNOUNCEMENTS, APPROVED_HEAD, HEADS, Words
from tests.catalogue import brought_up_to_date, catalogues, extracted
from tests.web.clients import begin, client
from tests.web.scripted import OPERATOR_TOKEN, ScriptedConversations
from tests.web.scripted_approvals import ScriptedApprovals, asked
from tests.web.wording import words as words_in

TIMES = re.compile(r"<time datetime=\"?([^\s\">]+)\"?>([^<]*)</time>")
EARLY = (
    CallState.QUEUED,
    CallState.PREPARING,
    CallState.READY,
    CallState.AWAITING_APPROVAL,
    CallState.RUNNING,
)
ENDED = {
    "en": r"\b(done|completed?|succe\w+|created?|sent|finished|ran)\b|%",
    "de": r"\b(erledigt|abgeschlossen|erfolg\w*|erstellt|gesendet|fertig|ausgeführt)\b|%",
}
"""What no call may be said to be before it has ended."""
BEGUN = {
    "en": r"\b(running|started|executing)\b",
    "de": r"\b(läuft|laufend|gestartet|begonnen|wird|werden)\b",
}
"""What no call may be said to be before it was dispatched. German says a deed under way with
``wird``: "wird erstellt" is its gerund."""
DENIED = {"en": "not started", "de": "nicht begonnen"}
GERUNDS = {"en": r"\b(?!preparing|waiting|running)\w+ing\b", "de": r"\b\w+end(e[rns]?)?\b"}
"""The deed's own gerund, such as "creating" or "sendend"."""
STALE = {"en": r"\b(not|is|yet)\b", "de": r"\b(nicht|läuft|wird|noch)\b"}
"""What may be false by the time it is read, where more happens on another server."""
LANGUAGES = sorted({"en", *(file.parts[-3] for file in catalogues())})


def catalogue(file: Path) -> Catalog:
    with file.open("rb") as text:
        return read_po(text, abort_invalid=True)


def forms(message: Message) -> list[str]:
    texts = [message.string] if isinstance(message.string, str) else [*(message.string or ())]
    assert texts
    assert all(texts), f"not translated: {message.id!r}"
    return texts


def names(pattern: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(pattern) if name is not None}


def originals(message: Message) -> list[str]:
    return [message.id] if isinstance(message.id, str) else [*message.id]


MESSAGES = [
    pytest.param(message, id=f"{file.parts[-3]}: {originals(message)[0][:40]}")
    for file in catalogues()
    for message in catalogue(file)
    if message.id
]


def test_german_is_shipped() -> None:
    assert catalogue_file("de") in catalogues()


@pytest.mark.parametrize("file", catalogues(), ids=lambda file: file.parts[-3])
def test_a_catalogue_has_the_messages_of_today_and_no_others(file: Path) -> None:
    assert file.read_bytes() == brought_up_to_date(file), "run `make words`"


@pytest.mark.parametrize("message", MESSAGES)
def test_a_translation_is_whole(message: Message) -> None:
    assert not message.fuzzy
    given = set[str]().union(*(names(original) for original in originals(message)))
    assert set[str]().union(*(names(text) for text in forms(message))) == given
    for text in forms(message):
        assert text == text.strip()
        assert text[-1:] in ".?!" or originals(message)[0][-1:] not in ".?!"
        assert not re.search(r"[<>&]", text), "a translation is text, not HTML"


def test_every_word_of_the_templates_is_in_the_catalogue() -> None:
    """Text between tags, and attributes that are read out, must come from an expression."""
    directory = Path(__file__).parents[2] / "templates"
    for file in directory.glob("*.html"):
        source = re.sub(r"(?s)\{#.*?#\}", "", file.read_text())
        source = re.sub(r"(?s)\{\{.*?\}\}|\{%.*?%\}", "", source)
        spoken = re.findall(r'(?:aria-label|placeholder|title|alt)="([^"]+)"', source)
        source = re.sub(r' class="[^"]*"', "", source)  # also where a block is that alone
        text = re.sub(r"(?s)<[^>]*>", "", source).replace("Formwork", "")
        assert not re.findall(r"[^\W\d_]+", " ".join([text, *spoken])), file.name


def test_every_state_has_a_note_for_translators() -> None:
    found = {message.id: message.auto_comments for message in extracted()}
    for pattern in (*HEADS.values(), *ANNOUNCEMENTS.values()):
        note = " ".join(found[pattern])
        assert re.search(r"[Mm]ay (not (claim|sound)|claim neither)", note), pattern


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("table", [HEADS, ANNOUNCEMENTS], ids=["heads", "announcements"])
@pytest.mark.parametrize("state", CallState)
def test_no_state_word_claims_what_has_not_occurred(
    language: str, table: dict[CallState, str], state: CallState
) -> None:
    said = words_in(language).language.gettext(table[state])
    assert said.count("{label}") == 1
    said = said.replace("{label}", "").lower()
    assert not re.search(GERUNDS[language], said)
    if state in EARLY:
        assert not re.search(ENDED[language], said)
    if state in EARLY and state is not CallState.RUNNING:
        assert not re.search(BEGUN[language], said.replace(DENIED[language], ""))
    if state in (CallState.READY, CallState.NOT_RUN):
        assert re.search(r"\b(not|nicht)\b", said)
    if state is CallState.UNKNOWN:
        assert not re.search(f"{ENDED[language]}|{BEGUN[language]}|fail|fehl", said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_of_an_approved_call_stays_true_whatever_happens_next(language: str) -> None:
    gettext = words_in(language).language.gettext
    passing = [said for state, said in OUTCOMES.items() if state not in FINAL_STATES]
    approved = (APPROVED, APPROVED_EDITED, APPROVED_HEADING, APPROVED_AT, APPROVED_HEAD)
    for said in map(gettext, (*passing, *approved)):
        assert not re.search(STALE[language], said), said


@pytest.mark.parametrize("language", LANGUAGES)
def test_states_are_told_apart(language: str) -> None:
    gettext = words_in(language).language.gettext
    for table in (HEADS, ANNOUNCEMENTS):
        assert len({gettext(pattern) for pattern in table.values()}) == len(CallState)


@pytest.mark.parametrize(
    ("locale", "tag", "direction", "yes"),
    [
        ("en", "en", "ltr", "Yes"),
        ("en_GB", "en-GB", "ltr", "Yes"),
        ("de", "de", "ltr", "Ja"),
        ("de-AT", "de-AT", "ltr", "Ja"),
        ("fr", "en", "ltr", "Yes"),
        ("ar", "en", "rtl", "Yes"),
        ("he_IL", "en", "rtl", "Yes"),
    ],
)
def test_a_locale_without_a_catalogue_reads_english_and_says_so(
    locale: str, tag: str, direction: str, yes: str
) -> None:
    language = Language(locale)
    assert (language.tag, language.direction) == (tag, direction)
    assert Words(language).yes_no[0] == yes


@pytest.mark.parametrize("locale", ["xx_nowhere", "", "../en", "e" * 200])
def test_an_unknown_locale_is_refused(locale: str) -> None:
    with pytest.raises(ValueError, match="unknown locale"):
        Language(locale)


def test_every_time_on_a_page_is_in_the_zone_and_told_to_programs_in_utc() -> None:
    """In the chat, in the side list, among hits, and where operators decide, who are told it."""
    scripted = ScriptedConversations({}, approvals=ScriptedApprovals([asked(1, {"amount": 1})]))
    services = replace(scripted.services(), zone=ZoneInfo("Asia/Kathmandu"))
    with TestClient(create_app(services)) as session:
        session.post("/sign-in", data={"token": OPERATOR_TOKEN})
        place = str(session.post("/", data={"message": "Hello"}).url)
        for path in (place, "/search?q=hello", "/approvals"):
            shown = TIMES.findall(session.get(path).text)
            assert shown
            for at, text in shown:
                there = datetime.fromisoformat(at).astimezone(services.zone)
                assert at.endswith("Z")
                assert f"{there:%-I:%M}\u202f{there:%p}" in text
                assert ("GMT+05:45" in text) == (path == "/approvals")


def test_a_word_that_is_fuzzy_counts_as_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "de" / "LC_MESSAGES" / "formwork.po"
    file.parent.mkdir(parents=True)
    text = catalogue_file("de").read_text()
    file.write_text(text.replace('msgid "Yes"', '#, fuzzy\nmsgid "Yes"'))
    monkeypatch.setattr("app.web.language.LOCALES", tmp_path)
    assert Words(Language("de")).yes_no == ("Yes", "Nein")


def test_a_page_is_in_the_language_of_its_locale() -> None:
    with client(ScriptedConversations({}), locale="de") as session:
        page = session.get("/").text
        style = session.get("/static/formwork.css").text
        missing = session.get("/nowhere").text
        place = begin(session, "Hallo")
        assert "<h2>Sie</h2>" in session.get(place).text
    assert '<html lang="de" dir="ltr">' in page
    assert "Nachricht schreiben" in page
    assert "Hier ist nichts" in missing
    assert '--word-writing:"wird\\20 geschrieben";' in style


def test_a_page_from_right_to_left_says_so() -> None:
    with client(ScriptedConversations({}), locale="ar") as session:
        assert '<html lang="en" dir="rtl">' in session.get("/").text


def test_a_word_of_the_style_sheet_cannot_end_its_string(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = {"--word-writing": '"; } body { display: none } </style> \\'}
    monkeypatch.setattr(words.Words, "style_words", property(lambda _: hostile))
    with client() as session:
        style = session.get("/static/formwork.css").text
    (rule,) = [line for line in style.splitlines() if line.startswith(":root{--word")]
    assert re.fullmatch(r':root\{--word-writing:"[^"\s<]*( [^"\s<]*)*";\}', rule)
    assert "</style" not in rule
