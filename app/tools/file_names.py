"""Which names a file may be given by a model.

A pure check of the text, for the gate; what is really there is checked when the file is opened.
A name must be one that a person can read off the screen and tell from every other.
"""

import re
import unicodedata

MOST_NAME_BYTES = 255
"""What common file systems take for one name."""

MOST_PATH_BYTES = 1000

_DRIVE = re.compile(r"[A-Za-z]:")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_HIDDEN_FILLERS = "\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5"
"""Letters and marks that show as nothing."""


def name_fault(path: str) -> str | None:
    """Why a path must not be written to, as a sentence; None where its text is in order."""
    if not path:
        return "The file needs a name."
    if path.startswith(("/", "\\", "~")) or _DRIVE.match(path):
        return "The path must be relative to the folder for files."
    if "\\" in path:
        return "The path's parts must be parted by /."
    if any(_is_hidden(char) for char in path):
        return "The path has a character that cannot be seen."
    if unicodedata.normalize("NFC", path) != path:
        return "The path has letters that are written in an unusual way."
    if len(path.encode()) > MOST_PATH_BYTES:
        return f"The path is longer than {MOST_PATH_BYTES} bytes."
    return next((fault for part in path.split("/") if (fault := _part_fault(part))), None)


def _part_fault(part: str) -> str | None:
    if part in {".", ".."}:
        return "The path must not step out of its folder."
    if not part:
        return "The path has an empty part."
    if part.endswith((".", " ")) or part.startswith(" "):
        return "No part of the path may begin with a space or end with a dot or a space."
    if unicodedata.category(part[0]).startswith("M"):
        return "The path has a mark without a letter."
    if len(part.encode()) > MOST_NAME_BYTES:
        return f"A part of the path is longer than {MOST_NAME_BYTES} bytes."
    return None


def _is_hidden(char: str) -> bool:
    category = unicodedata.category(char)
    if category in _HIDDEN_CATEGORIES or char in _HIDDEN_FILLERS:
        return True
    return (category == "Zs" and char != " ") or unicodedata.name(char, "").startswith("VARIATION")
