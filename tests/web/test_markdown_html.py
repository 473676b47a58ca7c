"""What becomes of a Markdown text on the page, and that none of it can do anything there."""

import pytest

from app.display.view import TextView
from app.web.page_ids import ItemIds
from app.web.render import Renderer
from tests.web.dom import Node, parse
from tests.web.markdown_attacks import ATTACKS
from tests.web.wording import prompts, templates, words

IDS = ItemIds(0, 0, 0)
TAGS = {
    *(
        "div",
        "p",
        "a",
        "em",
        "strong",
        "s",
        "code",
        "pre",
        "figure",
        "figcaption",
        "button",
        "span",
    ),
    *("ul", "ol", "li", "blockquote", "hr", "h3", "h4", "h5", "h6"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"id", "class", "href", "rel", "target", "start", "title", "tabindex", "type"} | {
    "data-copy"
}


@pytest.fixture(scope="module")
def render() -> Renderer:
    return Renderer(templates(), words(), prompts())


def html(render: Renderer, text: str) -> str:
    return str(render.item(IDS, TextView("t", text)))


def every(node: Node) -> list[Node]:
    inner = [child for child in node.children if isinstance(child, Node)]
    return [*inner, *(found for child in inner for found in every(child))]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_text(render: Renderer, attack: str):
    shown = html(render, attack)
    assert "<hx-" not in shown
    for node in every(parse(shown)):
        assert node.tag in TAGS
        assert set(node.attributes) <= ATTRIBUTES
        href = node.attributes.get("href")
        assert href is None or href.lower().startswith(("http://", "https://", "mailto:"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "<p id=w0-0-0>plain</p>"),
        ("a\nb", "<p id=w0-0-0>a\nb</p>"),
        ("**b**", "<p><strong>b</strong></p>\n"),
        ("# H", "<h3>H</h3>\n"),
        ("###### H", "<h3>H</h3>\n"),
        ("## a\n### b\n# c\n###### d", "<h3>a</h3>\n<h4>b</h4>\n<h3>c</h3>\n<h4>d</h4>\n"),
        ("a\n===\n\nb\n---", "<h3>a</h3>\n<h4>b</h4>\n"),
        ("<b>", "<p id=w0-0-0>&lt;b&gt;</p>"),
        ("~~x~~", "<p><s>x</s></p>\n"),
    ],
)
def test_blocks(render: Renderer, text: str, shown: str):
    assert html(render, text) == f"<div class=text id=c0-0-0>{shown}</div>"


def test_a_link_opens_elsewhere_and_tells_nothing(render: Renderer):
    for written in ("[a](http://b.example)", "<http://b.example>", "see http://b.example."):
        [link] = [x for x in every(parse(html(render, written))) if x.tag == "a"]
        assert link.attributes["rel"] == "noopener noreferrer nofollow"
        assert link.attributes["target"] == "_blank"


@pytest.mark.parametrize("scheme", ["javascript:x", "data:text/html,x", "/c/1", "ftp://a", "x:y"])
def test_a_link_of_another_scheme_is_text(render: Renderer, scheme: str):
    for text in (f"[a]({scheme})", f"![a]({scheme})", f"<{scheme}>", f"[a]\n\n[a]: {scheme}"):
        assert "<a" not in html(render, text)


def test_an_image_is_a_link_that_names_its_host(render: Renderer):
    shown = html(render, "![chart](https://evil.example/p?d=1)")
    assert "<img" not in shown
    assert '<a href="https://evil.example/p?d=1"' in shown
    assert ">chart (evil.example)</a>" in shown


def test_an_image_in_a_link_is_its_text(render: Renderer):
    shown = html(render, "[![i](http://e.example/i)](http://b.example)")
    assert shown.count("<a ") == 1
    assert "i (e.example)</a>" in shown


def test_code_has_its_language_and_colours(render: Renderer):
    shown = html(render, "```python\nif x: return 'a'  # c\n```\n")
    assert "<figcaption>python" in shown
    assert "<span class=k>if</span>" in shown
    assert "<span class=s>&#39;a&#39;</span>" in shown


@pytest.mark.parametrize("language", ["", "nosuch", "../etc", "text", "x" * 5000, "\ud800"])
def test_code_of_an_unknown_language_is_shown_as_it_is(render: Renderer, language: str):
    shown = parse(html(render, f"```{language}\na <b>\n  c\n```\n"))
    [code] = [node for node in every(shown) if node.tag == "code"]
    assert code.text() == "a <b>\n  c"


def test_alignment_is_a_class(render: Renderer):
    shown = html(render, "| a | b |\n| --: | :-: |\n| 1 | 2 |\n")
    assert '<td class="right">1</td>' in shown
    assert '<th class="center">b</th>' in shown
    assert "style" not in shown
