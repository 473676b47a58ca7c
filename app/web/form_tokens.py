"""A token in a form that decides something, beside the check of where a request came from.

It is made from the session and what the form is for, so that a page has nothing to keep, and a
fragment that comes by a stream holds the same as the page.
"""

import hashlib
import hmac


class FormTokens:
    """Makes and checks tokens with the key that signs sessions."""

    def __init__(self, secret_key: str) -> None:
        self._key = hashlib.sha256(b"form:" + secret_key.encode()).digest()

    def make(self, session: str, purpose: str) -> str:
        """The token of one session for one purpose."""
        text = f"{len(session)}:{session}{purpose}"
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()[:32]

    def fits(self, token: str, session: str, purpose: str) -> bool:
        return hmac.compare_digest(token.encode(), self.make(session, purpose).encode())
