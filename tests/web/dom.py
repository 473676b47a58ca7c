"""A small model of a page: enough HTML to apply the stream's partials as htmx does.

Targets are resolved before anything is swapped, an unknown one is an error here (htmx drops the
partial silently), and a page is compared in a canonical form.
"""

from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser

from app.web.fragments import PARTIAL_END

VOID = frozenset({"wbr", "meta", "link", "input", "br"})
OWN = frozenset({"open", "checked", "data-past", "data-head", "class"})
"""``open``, ``checked`` and ``data-past`` are the reader's, ``data-head`` stays from a morph; an
older exchange has its class."""


class Node:
    def __init__(self, tag: str, attributes: dict[str, str], parent: "Node | None" = None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Node | str] = []

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def by_id(self, identity: str) -> "Node":
        found = [node for node in self.walk() if node.attributes.get("id") == identity]
        assert len(found) == 1, f"{len(found)} elements have the id {identity!r}"
        return found[0]

    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def adopt(self, children: list["Node | str"]) -> None:
        self.children.extend(children)
        for child in children:
            if isinstance(child, Node):
                child.parent = self

    @property
    def is_of_the_past(self) -> bool:
        """Whether it is there since the conversation went on: the copy button of a message, which
        below the last one stands outside of the log."""
        at = self.parent
        return "data-copy" in self.attributes and at is not None and at.tag == "article"

    def canonical(self) -> str:
        attributes = "".join(
            f' {name}="{escape(value)}"'
            for name, value in sorted(self.attributes.items())
            if name not in OWN
        )
        inner: list[str] = []
        text = ""
        for child in self.children:
            if isinstance(child, str):
                text += child
            elif not child.is_of_the_past:
                inner += [escape(text, quote=False), child.canonical()]
                text = ""
        inner.append(escape(text, quote=False))
        return f"<{self.tag}{attributes}>{''.join(inner)}</{self.tag}>"


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("root", {})
        self._at = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute is given twice: {names}"
        node = Node(tag, {name: value or "" for name, value in attrs}, self._at)
        self._at.children.append(node)
        if tag not in VOID:
            self._at = node

    def handle_endtag(self, tag: str) -> None:
        assert self._at.tag == tag, f"</{tag}> closes <{self._at.tag}>"
        assert self._at.parent is not None
        self._at = self._at.parent

    def handle_data(self, data: str) -> None:
        self._at.children.append(data)


def parse(html: str) -> Node:
    """The root that holds what the HTML holds; every tag must be closed in order."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert builder._at is builder.root, "a tag was left open"  # pyright: ignore[reportPrivateUsage]
    return builder.root


def apply_message(page: Node, message: str) -> None:
    """Apply one message of partials, the last of them not closed, to a page."""
    if not message:
        return
    swaps: list[tuple[Node, Node]] = []
    for partial in list(parse(message + PARTIAL_END).children):
        assert isinstance(partial, Node), f"loose text in a message: {partial!r}"
        assert partial.tag == "hx-partial"
        swaps.append((partial, page.by_id(partial.attributes["id"])))
    for partial, target in swaps:
        _swap(partial, target)


def _swap(partial: Node, target: Node) -> None:
    match partial.attributes.get("hx-swap", "beforeend"):
        case "beforeend":
            target.adopt(partial.children)
        case "afterbegin":
            held, target.children = target.children, []
            target.adopt([*partial.children, *held])
        case "innerHTML":
            target.children = []
            target.adopt(partial.children)
        case "delete":
            _replace(target, [])
        case "outerHTML":
            _replace(target, partial.children)
        case "outerMorph":
            _morph(partial, target)
        case swap:
            raise AssertionError(f"an unknown swap: {swap}")


def _morph(partial: Node, target: Node) -> None:
    (new,) = partial.children
    assert isinstance(new, Node)
    assert (new.tag, new.attributes["id"]) == (target.tag, target.attributes["id"])
    target.attributes = new.attributes
    if "data-head" not in new.attributes:
        target.children = []
        target.adopt(new.children)


def _replace(target: Node, children: list[Node | str]) -> None:
    parent = target.parent
    assert parent is not None
    at = parent.children.index(target)
    parent.children[at : at + 1] = children
    for child in children:
        if isinstance(child, Node):
            child.parent = parent
