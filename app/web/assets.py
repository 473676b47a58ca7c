"""Scripts, style and icon: read once, named by content, cached for good.

The scripts at load are htmx, a file of our own and htmx's SSE extension, in this order: our file
hands htmx a Trusted Types policy before anything is swapped. Apart from that it holds only what
htmx has no means for:

- Enter sends and Shift+Enter breaks the line, but not while an input method composes (Safari
  ends a composition before the key event, whose key code alone is then not that of Enter);
- the page stays at its end while the person is there and selects nothing, and else tells that there
  is something new below (by the length of its text: heights change when what is far above is seen);
- a call that is done folds to its summary line when the person goes on with another message, once:
  whoever opens it again keeps it open;
- a message that was taken is cleared from its box, unless it was edited meanwhile; one that was
  not stays, and a line says so (one that is too long is not cut where it is pasted);
- of a double click on what sends a message, the second is none;
- a line tells that the connection is interrupted;
- a draft survives a reload, each page and each message that is edited its own, and the message box
  keeps the focus after a first message and, but for touch and selections, after a stop;
- a copy button brings the script that copies (without script there is no such button);
- text that grew in pieces is one piece before it is morphed, so that a selection in it outlasts it.

Its spaces are counted: the scripts of a page have a limit.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HTMX = "node_modules/htmx.org/dist"
FILES: Mapping[str, tuple[str, str]] = {
    "htmx.js": (f"{HTMX}/htmx.min.js", "text/javascript; charset=utf-8"),
    "formwork.js": ("formwork.js", "text/javascript; charset=utf-8"),
    "approvals.js": ("approvals.js", "text/javascript; charset=utf-8"),
    "decide.js": ("decide.js", "text/javascript; charset=utf-8"),
    "copying.js": ("copying.js", "text/javascript; charset=utf-8"),
    "hx-sse.js": (f"{HTMX}/ext/hx-sse.min.js", "text/javascript; charset=utf-8"),
    "formwork.css": ("formwork.css", "text/css; charset=utf-8"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
}
STYLES = "formwork.css"
SCRIPTS = ("htmx.js", "formwork.js", "hx-sse.js")
"""In the order of loading."""


class MissingAsset(Exception):
    """A file of the page is not there; for htmx, ``npm ci`` was not run in ``static``."""


@dataclass(frozen=True, slots=True)
class Asset:
    name: str
    media_type: str
    content: bytes
    compressed: bytes
    version: str
    place: str = "/static"

    @property
    def url(self) -> str:
        """Where it is; another content has another address."""
        return f"{self.place}/{self.name}?v={self.version}"


class Assets:
    """The files under ``static``, held in memory."""

    def __init__(
        self,
        directory: Path,
        words: Mapping[str, str],
        files: Mapping[str, tuple[str, str]] = FILES,
        place: str = "/static",
    ) -> None:
        """``words`` are custom properties of the style sheet, in the language of the page.

        ``files`` are served below ``place``.
        """
        self._assets = {
            name: _read(directory / path, name, media_type, words, place)
            for name, (path, media_type) in files.items()
        }

    def find(self, name: str) -> Asset | None:
        """The asset of a name, or None."""
        return self._assets.get(name)

    def url(self, name: str) -> str:
        """The address of an asset that exists."""
        return self._assets[name].url

    @property
    def scripts(self) -> list[str]:
        """Addresses of the scripts, in the order of loading."""
        return [self.url(name) for name in SCRIPTS]


def data_directory(name: str) -> Path:
    """A folder of the distribution: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).parent.parent
    installed = package / "_data" / name
    return installed if installed.is_dir() else package.parent / name


def _read(file: Path, name: str, media_type: str, words: Mapping[str, str], place: str) -> Asset:
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        raise MissingAsset(f"{file} is missing; run npm ci in static") from error
    if name == STYLES:
        content += style_words(words).encode()
    version = hashlib.sha256(content).hexdigest()[:12]
    return Asset(name, media_type, content, gzip.compress(content, mtime=0), version, place)


def style_words(words: Mapping[str, str]) -> str:
    """A rule that gives a style sheet its words: strings of CSS, with nothing that ends one."""
    given = "".join(f"{name}:{_css_string(text)};" for name, text in words.items())
    return f":root{{{given}}}\n"


def _css_string(text: str) -> str:
    return '"' + re.sub(r'["\\\s<]', lambda found: f"\\{ord(found[0]):x} ", text) + '"'
