"""A second opinion on where a JSON text breaks: recursive descent over the whole text.

It shares nothing with the parser under test and says only one of three things of a text: that
it is complete, that it is open (some continuation is valid), or at which character it breaks.
"""

from app.calls.surrogates import join_pairs

SPACE = " \t\n\r"


class Open(Exception):
    """The text ran out inside a value."""


class Wrong(Exception):
    def __init__(self, offset: int) -> None:
        self.offset = offset


def verdict(text: str) -> str | int:
    """``"complete"``, ``"open"``, or the offset of the first character that cannot be there."""
    reader = _Reader(text)
    try:
        reader.skip()
        reader.value(end_ends_numbers=True)
        reader.skip()
    except Open:
        return "open"
    except Wrong as wrong:
        return wrong.offset
    return "complete" if reader.at == len(text) else reader.at


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        if self.at == len(self.text):
            raise Open
        return self.text[self.at]

    def take(self, allowed: str) -> str:
        char = self.peek()
        if char not in allowed:
            raise Wrong(self.at)
        self.at += 1
        return char

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in SPACE:
            self.at += 1

    def value(self, follow: str = "", end_ends_numbers: bool = False) -> None:
        char = self.peek()
        if char == "{":
            self.object()
        elif char == "[":
            self.array()
        elif char == '"':
            self.string()
        elif char in "tfn":
            for letter in {"t": "true", "f": "false", "n": "null"}[char]:
                self.take(letter)
        else:
            self.number(follow + SPACE, end_ends_numbers)

    def object(self) -> None:
        self.take("{")
        self.skip()
        keys: set[str] = set()
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            key = self.string()
            if key in keys:
                raise Wrong(self.at - 1)
            keys.add(key)
            self.skip()
            self.take(":")
            self.skip()
            self.value(",}")
            self.skip()
            if self.take(",}") == "}":
                return
            self.skip()

    def array(self) -> None:
        self.take("[")
        self.skip()
        if self.peek() == "]":
            self.at += 1
            return
        while True:
            self.value(",]")
            self.skip()
            if self.take(",]") == "]":
                return
            self.skip()

    def string(self) -> str:
        decoded = ""
        self.take('"')
        while True:
            char = self.peek()
            if char < " ":
                raise Wrong(self.at)
            self.at += 1
            if char == '"':
                return join_pairs(decoded)
            if char != "\\":
                decoded += char
            elif (escape := self.take('"\\/bfnrtu')) == "u":
                digits = "".join(self.take("0123456789abcdefABCDEF") for _ in range(4))
                decoded += chr(int(digits, 16))
            else:
                decoded += '"\\/\b\f\n\r\t'['"\\/bfnrt'.index(escape)]

    def number(self, follow: str, end_ends: bool) -> None:
        if self.peek() == "-":
            self.at += 1
        if self.take("0123456789") != "0":
            self.digits()
        if self.more("."):
            self.take("0123456789")
            self.digits()
        if self.more("eE"):
            if self.peek() in "+-":
                self.at += 1
            self.take("0123456789")
            self.digits()
        if self.at == len(self.text) and end_ends:
            return
        if self.peek() not in follow:
            raise Wrong(self.at)

    def more(self, chars: str) -> bool:
        if self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1
            return True
        return False

    def digits(self) -> None:
        while self.more("0123456789"):
            pass
