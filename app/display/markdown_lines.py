"""Single lines of Markdown: whether one is blank, begins fenced code or ends it."""

import re
from dataclasses import dataclass

_FENCE = re.compile(r"(`{3,}|~{3,})(.*)", re.DOTALL)
_MAY_BECOME_FENCE = re.compile(r"[ \t]*|(?:`{1,2}|~{1,2}|`{3}.*|~{3}.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fence:
    """The line that begins fenced code."""

    mark: str
    language: str


def is_blank(line: str) -> bool:
    return not line.strip(" \t")


def fence_of(line: str) -> Fence | None:
    """The fence that a complete line is, if it stands at the margin.

    An indented one takes as much off the lines within it; that is left to the parser.
    """
    found = _FENCE.fullmatch(line)
    if found is None or (found[1][0] == "`" and "`" in found[2]):
        return None
    return Fence(found[1], found[2].strip().partition(" ")[0])


def may_become_fence(line: str) -> bool:
    """Whether a line of which more may come can still turn out to be a fence, or blank."""
    return _MAY_BECOME_FENCE.fullmatch(line) is not None


def closes(line: str, fence: Fence) -> bool:
    """Whether a complete line ends the fenced code."""
    bare = line.strip(" \t")
    return (
        len(bare) >= len(fence.mark)
        and not bare.strip(fence.mark[0])
        and len(line) - len(line.lstrip(" \t")) <= 3
    )


def may_close(line: str, fence: Fence) -> bool:
    """Whether a line of which more may come can still end the fenced code."""
    return not line.lstrip(" \t").rstrip(" \t").strip(fence.mark[0])
