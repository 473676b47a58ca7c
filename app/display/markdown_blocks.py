"""A text that grows, as Markdown blocks: those that have ended, and the open one as plain text.

A block has ended when no continuation can change it. The judge of that is the parser itself: it
reads lines from left to right, and a block that it closed in view of a complete line is closed
whatever follows. Only a few kinds need more: see :func:`_ends`.

Blocks are parsed one by one. A link definition therefore serves the blocks from its own on, and
never changes an earlier one: what has been read stays as it was read. Without definitions the
blocks together are what the parser makes of the whole text.

Cost: a look at the open lines is paid for by the text that has come since the last one, so all
looks together cost O(n). A long list may so be known to have ended a little later than it did.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from app.display.markdown_lines import (
    Fence,
    closes,
    fence_of,
    is_blank,
    may_become_fence,
    may_close,
)

LOOKS = 8
"""How often a character of the open lines may be looked at."""
_ENDS_ITSELF = frozenset({"heading_open", "hr"})
_ENDS_AT_TEXT = frozenset({"bullet_list_open", "ordered_list_open", "code_block"})


class BlockKind(StrEnum):
    TEXT = "text"
    CODE = "code"
    """Fenced code; its fences are no part of it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The block after all that have ended shows. ``language`` is the fence's first word, or ""."""

    kind: BlockKind
    language: str = ""


@dataclass(frozen=True, slots=True)
class Grew:
    """Text to append to the open block, as it was written."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The next block has ended; it takes the place of the open one, if that shows.

    ``plain`` is what an open block of ``kind`` and ``language`` shows at its end, where that is
    all there is to the block: a paragraph without markup, or the content of fenced code.
    """

    tokens: tuple[Token, ...]
    kind: BlockKind = BlockKind.TEXT
    language: str = ""
    plain: str | None = None


Step: TypeAlias = Opened | Grew | Ended


class MarkdownBlocks:
    """Feed text in, drain steps out; ``finish`` once nothing more will come."""

    def __init__(self, parser: MarkdownIt) -> None:
        self._parser = parser
        self._env: dict[str, Any] = {}
        self._carriage_return = False
        self._lines: list[str] = []
        """Complete lines since the last block that ended; the first of them is not blank."""
        self._size = 0
        self._credit = 0
        self._partial: list[str] = []
        self._steps: list[Step] = []
        self._open = _OpenBlock()

    def feed(self, text: str) -> None:
        if self._carriage_return:
            text = "\r" + text
        self._carriage_return = text.endswith("\r")
        text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        *complete, rest = text.replace("\0", "\ufffd").split("\n")
        for end in complete:
            self._open.more(end)
            self._complete("".join((*self._partial, end)))
            self._partial = []
        if rest:
            self._partial.append(rest)
            self._open.more(rest)
        self._steps += self._open.steps()

    def finish(self) -> None:
        """The text has ended, and with it every block."""
        if self._partial or self._carriage_return:
            self._complete("".join(self._partial))
            self._partial, self._carriage_return = [], False
        if self._lines:
            self._end_blocks(over=True)

    def steps(self) -> list[Step]:
        """What has happened since the last call, in order."""
        done, self._steps = self._steps, []
        return done

    def _complete(self, line: str) -> None:
        if not self._lines and is_blank(line):
            self._open = _OpenBlock()
            return
        self._add(line)
        fence = self._open.fence
        if fence is not None and (len(self._lines) == 1 or not closes(line, fence)):
            return  # within a fence nothing else ends the block
        if self._credit >= self._size:
            self._credit -= self._size
            self._end_blocks(over=False)

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._size += len(line) + 1
        self._credit += LOOKS * (len(line) + 1)
        self._open.line_ended(line)

    def _end_blocks(self, *, over: bool) -> None:
        """Take off the open lines every block that has ended."""
        lines, begin = self._lines, 0
        for end in _ends(self._parser, lines, over=over):
            self._steps.append(_ended(self._parser, lines[begin:end], self._env))
            begin = end
        if not begin:
            return
        while begin < len(lines) and is_blank(lines[begin]):
            begin += 1
        self._lines, self._size, self._credit = [], 0, 0
        self._open = _OpenBlock()
        for line in lines[begin:]:
            self._open.more(line)
            self._add(line)


def _ends(parser: MarkdownIt, lines: Sequence[str], *, over: bool) -> Iterator[int]:
    """Where blocks have ended: each time the number of lines up to there.

    A heading and a rule end with their own line, and fenced code with its fence. A list and
    indented code go on after blank lines, so only a line of text ends them. All others end at any
    line that they leave alone. A link definition (a block without tokens) may yet turn out to
    have a title, or to be none, as long as its paragraph goes on; it ends with what follows it.
    """
    tokens: list[Token] = []
    state = StateBlock(_source(lines), parser, {}, tokens)
    count = len(lines)
    last_text = max(number for number in range(count) if not is_blank(lines[number]))
    rules = parser.block.ruler.getRules("")
    line = 0
    while line <= last_text:
        tokens.clear()
        line = state.skipEmptyLines(line)
        begin = state.line = line
        any(rule(state, line, count, False) for rule in rules)
        line = state.line
        kind = tokens[0].type if tokens else ""
        if over or kind in _ENDS_ITSELF:
            ended = True
        elif kind == "fence":
            ended = line < count or _is_closed(lines[begin:line])
        elif kind in _ENDS_AT_TEXT:
            ended = line <= last_text
        else:
            ended = line < count and (bool(kind) or is_blank(lines[line]))
        if ended:
            yield line
        elif kind:
            return


def _is_closed(lines: Sequence[str]) -> bool:
    fence = fence_of(lines[0])
    return fence is not None and len(lines) > 1 and closes(lines[-1], fence)


def _ended(parser: MarkdownIt, lines: Sequence[str], env: dict[str, Any]) -> Ended:
    source = _source(lines)
    tokens = tuple(parser.parse(source, env))
    match tokens:
        case (Token(type="fence") as code,):
            plain = code.content.removesuffix("\n")
            return Ended(tokens, BlockKind.CODE, language_of(code), plain)
        case (Token(type="paragraph_open"), inline, _) if _is_plain(inline, source.rstrip()):
            return Ended(tokens, plain=inline.content)
        case _:
            return Ended(tokens)


def _source(lines: Sequence[str]) -> str:
    return "\n".join((*lines, ""))


def language_of(code: Token) -> str:
    """The language that a fence names, or ""."""
    return code.info.strip().partition(" ")[0]


def _is_plain(inline: Token, source: str) -> bool:
    """Whether a paragraph shows the very characters that it was written in."""
    shown = ""
    for child in inline.children or ():
        if child.type not in ("text", "softbreak"):
            return False
        shown += "\n" if child.type == "softbreak" else child.content
    return shown == inline.content == source


class _OpenBlock:
    """What shows of the lines since the last block that ended.

    Nothing shows before its kind is known, nor a line that may turn out to be the fence which
    ends it, nor white space at its end.
    """

    def __init__(self) -> None:
        self.fence: Fence | None = None
        self._kind: BlockKind | None = None
        self._told = False
        self._line: list[str] = []
        """The pieces of the line being written, as long as it is not known what it is."""
        self._doubtful = True
        self._ready: list[str] = []
        """Text that shows as soon as something follows it that is not white space."""
        self._has_text = False

    def more(self, piece: str) -> None:
        """A piece of the line being written."""
        if not piece:
            return
        if not self._doubtful:
            self._put(piece)
            return
        self._line.append(piece)
        line = "".join(self._line)
        if self._kind is None:
            if may_become_fence(line):
                return
            self._kind = BlockKind.TEXT
        elif self.fence is not None and may_close(line, self.fence):
            return
        self._sure(line)

    def line_ended(self, line: str) -> None:
        if self._kind is None:
            self.fence = fence_of(line)
            if self.fence is not None:
                self._kind, self._line = BlockKind.CODE, []
                return
            self._kind = BlockKind.TEXT
        if self._doubtful:
            self._sure(line)
        self._put("\n")
        self._doubtful = self.fence is not None

    def steps(self) -> Iterator[Step]:
        if self._kind is None:
            return
        if not self._told and (self._has_text or self.fence is not None):
            self._told = True
            language = "" if self.fence is None else self.fence.language
            yield Opened(self._kind, language)
        if not self._has_text:
            return
        text = "".join(self._ready)
        shown = text.rstrip() if self.fence is None else text.removesuffix("\n")
        self._ready, self._has_text = [text[len(shown) :]], False
        if shown:
            yield Grew(shown)

    def _sure(self, line: str) -> None:
        self._doubtful, self._line = False, []
        self._put(line)

    def _put(self, text: str) -> None:
        self._ready.append(text)
        self._has_text = self._has_text or self.fence is not None or not text.isspace()
