"""Takes keys and credentials out of a text that a developer will read."""

import re
from collections.abc import Sequence

HIDDEN = "[hidden]"

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    # user:password@ in an address
    (re.compile(r"(?<=://)[^\s/@?#]+@"), f"{HIDDEN}@"),
    # secrets in a query or a form
    (
        re.compile(
            r"(?i)([?&;](?:[\w.-]*(?:key|token|secret|password|passwd|signature|credential)"
            r"|sig|code|auth)=)[^\s&;\"'#]+"
        ),
        rf"\1{HIDDEN}",
    ),
    # a header, or a field of a structure, that carries one
    (
        re.compile(
            r"(?i)\b((?:proxy-)?authorization|(?:x-)?(?:goog-)?api[-_ ]?key|access[-_]?token"
            r"|client[-_]?secret|cookie|password)(\\?[\"']?\s*[:=]\s*\\?[\"']?)"
            r"(?:(?:bearer|basic)\s+)?[^\s\"',;}\\]+"
        ),
        rf"\1\2{HIDDEN}",
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=*-]{8,}"), rf"\1 {HIDDEN}"),
    # keys by the shape that their makers gave them, also half masked ("sk-ab***yz")
    (re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|r8|AIza)[-_][\w*.-]{6,}"), HIDDEN),
    (re.compile(r"\bAIza[\w*-]{10,}"), HIDDEN),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"), HIDDEN),
)


def redact(text: str, secrets: Sequence[str] = ()) -> str:
    """``text`` without keys; ``secrets`` are hidden wherever they stand, whatever their shape."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, HIDDEN)
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
