"""Which addresses in running text are links, and where they end."""

import pytest

from app.display.markdown import markdown_parser

PARSER = markdown_parser()


def links(text: str) -> list[tuple[str, str]]:
    """Where links lead, and what they show."""
    inline = [token for token in PARSER.parse(text) if token.type == "inline"]
    children = inline[-1].children or []
    return [
        (str(token.attrs["href"]), children[at + 1].content)
        for at, token in enumerate(children)
        if token.type == "link_open"
    ]


PLACES = (
    *(
        "{}",
        "see {}.",
        "({})",
        "\u201c{}\u201d",
        "'{}'",
        "**{}**",
        "*{}*",
        "~~{}~~",
        "_{}_",
        "[{}]",
    ),
    *("{}, and", "{}!?", "{}:", "a\n{}\nb", "\\*{}", "{} {}", "<{}>", "{}\u200b", "{}\u202e"),
    *("漢字{}。漢字", "{}\uff09", "\u00ab{}\u00bb", "| a |\n|---|\n| {} |"),
)


@pytest.mark.parametrize(
    "address", ["http://a.example", "https://a.example/x?y=1&z=2", "HTTPS://A"]
)
@pytest.mark.parametrize("place", PLACES)
def test_an_address_ends_before_what_is_the_sentence_s(address: str, place: str) -> None:
    assert links(place.replace("{}", address)) == [(address, address)] * place.count("{}")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://a.example/(b)", "https://a.example/(b)"),
        ("(https://a.example/(b))", "https://a.example/(b)"),
        ("(https://a.example/b).", "https://a.example/b"),
        ("https://a.example/*b*_c_d", "https://a.example/*b*_c_d"),
        ("http://localhost:8000/x", "http://localhost:8000/x"),
        ("https://a.example/a~b/@c", "https://a.example/a~b/@c"),
        ("https://xn--pypal-4ve.com", "https://xn--pypal-4ve.com"),
        ("<https://xn--pypal-4ve.com>", "https://xn--pypal-4ve.com"),
    ],
)
def test_what_belongs_to_an_address_stays_in_it_and_shows_as_written(
    text: str, address: str
) -> None:
    assert links(text) == [(address, address)]


def test_letters_of_every_script_lead_where_a_browser_would_go() -> None:
    [(target, shown)] = links("https://пример.example/ü")
    assert shown == "https://пример.example/ü"
    assert target.isascii()


@pytest.mark.parametrize(
    "text",
    [
        *("http://", "https:// a", "http:///x", "http://?x", "http:// ", "://a.example", "http:/a"),
        *("www.a.example", "a.example", "ada@a.example", "mailto:ada@a.example", "ftp://a.example"),
        *(
            "//a.example",
            "xhttps://a.example",
            "git+https://a.example",
            "javascript://a%0aalert(1)",
        ),
        *("https://bank.example@evil.example", "https://a:b@evil.example/", "http://[::1]/"),
        *(
            "`https://a.example`",
            "http://.",
            "http://-x",
            "https://\u202ea.example",
            "\\http://a.example",
        ),
    ],
)
def test_what_is_no_explicit_address_is_text(text: str) -> None:
    assert links(text) == []


def test_a_link_within_a_link_is_its_text() -> None:
    assert links("[https://a.example x](https://b.example)") == [
        ("https://b.example", "https://a.example x")
    ]


@pytest.mark.parametrize(
    "hostile", ["http://a", "http://", "http://[", "http://a@", "http://(", "://"]
)
def test_no_text_is_read_again_and_again(hostile: str) -> None:
    """Within the limit of a test; what reads an address from each place in it takes minutes."""
    text = hostile * 10_000
    [inline] = [token for token in PARSER.parse(text) if token.type == "inline"]
    assert "".join(child.content for child in inline.children or ()) == text
