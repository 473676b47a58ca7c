"""The incremental argument parser: text in, in any pieces; what became true out.

The rules (design, section 2):

- A value is reported as settled once no continuation of the text can change it: a string at its
  closing quote, ``true``, ``false`` and ``null`` at their last letter, a number at a delimiter
  that its container allows, a container at its closer. A settled value is never taken back.
- A member opens at its key's closing quote, so that no key is seen half-written.
- A string being written grows by decoded text, never by half of a surrogate pair.
- A number is kept as its literal text.
- The first character that no JSON document can have at its place breaks the document, and so does
  a second equal key, and a breach of a limit. Nothing is reported of that character or of any
  after it. The result does not depend on where the text was cut.
- n characters cost O(n), however they are cut, and what came before makes no fragment dearer: a
  string is a list of pieces that are joined when it closes (in between by the hundred, which
  keeps them small); a path is built once, from its container's; nothing is read twice.

Any root value is parsed; that arguments are an object is for the strict parse to say.

Each state is a method that reads from a position of the fragment and returns the position to go
on from. States are kept as plain functions: a bound method would make each parser a cycle that
only the garbage collector could free.
"""

from collections.abc import Callable
from re import compile as compile_pattern
from typing import ClassVar, TypeAlias, cast

from app.calls.argument_changes import Change, Grew, Opened, Settled, SettledValue
from app.calls.argument_faults import Break, Fault, FaultCode, Status
from app.calls.json_types import Path
from app.calls.limits import DEFAULT_LIMITS, Limits
from app.calls.open_number import NUMBER_STARTS, OpenNumber
from app.calls.open_string import OpenString
from app.calls.surrogates import utf8_length

_State: TypeAlias = "Callable[[ArgumentParser, str, int], int]"
_Container: TypeAlias = "list[SettledValue] | dict[str, SettledValue] | None"

_SPACE = " \t\n\r"
_match_spaces = compile_pattern(r"[ \t\n\r]*").match

_LITERALS: dict[str, tuple[str, bool | None]] = {
    "t": ("true", True),
    "f": ("false", False),
    "n": ("null", None),
}

_NUMBER_ENDS: dict[type[object], str] = {
    dict: ",}" + _SPACE,
    list: ",]" + _SPACE,
    type(None): _SPACE,
}


class ArgumentParser:
    """Parses one call's arguments as they are written."""

    __slots__ = (
        "_after",
        "_beginnings",
        "_changes",
        "_container",
        "_extra_bytes",
        "_fault",
        "_key",
        "_key_text",
        "_literal",
        "_matched",
        "_max_bytes",
        "_max_depth",
        "_number",
        "_path",
        "_received",
        "_root",
        "_stack",
        "_state",
        "_status",
        "_string",
        "_within",
        "_word",
        "_writing",
    )

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._max_bytes = limits.call_bytes
        self._max_depth = limits.depth
        self._status = Status.OPEN
        self._fault: Fault | None = None
        self._received = 0
        self._extra_bytes = 0  # UTF-8 bytes beyond one for each character
        self._changes: list[Change] = []
        self._state: _State = ArgumentParser._at_root

        self._root: SettledValue = None
        self._writing = False
        self._path: Path = ()
        # The innermost open container, its path, and the state that follows a value in it.
        self._container: _Container = None
        self._within: Path = ()
        self._after: _State = ArgumentParser._at_end
        # What a value may begin with; at the deepest level no container.
        self._beginnings = self._VALUES if limits.depth else self._SCALARS
        self._stack: list[tuple[_Container, Path, _State]] = []
        self._key = ""

        self._key_text = OpenString()
        self._string = OpenString()
        self._number = OpenNumber(limits.number_chars)
        self._word = ""
        self._literal: bool | None = None
        self._matched = 0

    # What a caller does.

    def feed(self, text: str) -> None:
        """Read the next piece of the text. A broken document only counts it."""
        start = self._received
        self._received = start + len(text)
        if self._fault is not None:
            return
        if not text.isascii():
            self._extra_bytes += utf8_length(text) - len(text)
        if self._received + self._extra_bytes > self._max_bytes:
            self._read_what_fits(text, start)
        else:
            self._read(text, start)

    def finish(self) -> None:
        """No more text will come: the call's completion event has arrived.

        Text that is empty or only white space counts as ``{}``. A number at the root settles.
        Any other open document is broken as incomplete. Text that comes later breaks any.
        """
        if self._fault is not None:
            return
        if self.is_blank:
            self._changes.append(Opened(()))
            self._settle({})
        elif self._state is ArgumentParser._in_number and self._is_lone_number():
            self._settle(self._number.take())
        if self._status is Status.OPEN:
            self._break(FaultCode.INCOMPLETE, "the text ends inside a value", self._received)
        elif self._status is Status.COMPLETE:
            self._state = ArgumentParser._after_completion

    def changes(self) -> list[Change]:
        """What became true since the last time this was asked, in order."""
        string = self._string
        if len(string.pieces) > string.reported:
            self._changes.append(Grew(self._path, string.growth()))
        drained = self._changes
        self._changes = []
        return drained

    @property
    def status(self) -> Status:
        return self._status

    @property
    def fault(self) -> Fault | None:
        """Why the document is broken; None while it is not."""
        return self._fault

    @property
    def is_blank(self) -> bool:
        """Whether nothing but white space has come: what :meth:`finish` takes for ``{}``."""
        return self._state is ArgumentParser._at_root and self._fault is None

    @property
    def settled(self) -> SettledValue:
        """The tree of what has settled; open containers hold only their settled members.

        It is the live tree, not a copy, and must not be changed. None until the root is open.
        """
        return self._root

    @property
    def open_path(self) -> Path | None:
        """Where the text is being written now: a value, or a container between its values.

        None before the root's first character and after its last. Stays put when the text breaks.
        """
        return self._path if self._writing else None

    @property
    def open_text(self) -> str | None:
        """The decoded text so far of the string at ``open_path``; None where that is no string.

        It is joined at each call: ask rarely, follow :class:`Grew` otherwise.
        """
        if self._state is not ArgumentParser._in_string:
            return None
        return self._string.text()

    @property
    def received(self) -> int:
        """Characters fed, those after a break included."""
        return self._received

    # Reading and breaking.

    def _read(self, text: str, start: int) -> None:
        position = 0
        end = len(text)
        try:
            while position < end:
                position = self._state(self, text, position)
        except Break as stop:
            self._break(stop.code, stop.message, start + stop.position)

    def _read_what_fits(self, text: str, start: int) -> None:
        """Read up to the limit, so that a breach tells the same however the text was cut."""
        size = self._received + self._extra_bytes
        fitting = _prefix_of_bytes(text, self._max_bytes - (size - utf8_length(text)))
        self._read(fitting, start)
        if self._fault is None:
            message = f"the arguments are longer than {self._max_bytes} bytes: {size} so far"
            self._break(FaultCode.TOO_LARGE, message, start + len(fitting))

    def _break(self, code: FaultCode, message: str, offset: int) -> None:
        self._status = Status.BROKEN
        self._fault = Fault(code, message, offset)

    # Where a value begins.

    def _at_root(self, text: str, position: int) -> int:
        char = text[position]
        if char in _SPACE:
            return _after_spaces(text, position)
        begin = self._beginnings.get(char)
        if begin is None:
            raise self._no_beginning(char, position)
        self._writing = True
        self._changes.append(Opened(()))
        return begin(self, text, position)

    def _at_member_value(self, text: str, position: int) -> int:
        char = text[position]
        if char in _SPACE:
            return _after_spaces(text, position)
        begin = self._beginnings.get(char)
        if begin is None:
            raise self._no_beginning(char, position)
        return begin(self, text, position)

    def _at_first_element(self, text: str, position: int) -> int:
        if text[position] == "]":
            return self._close(text, position)
        return self._at_element(text, position)

    def _at_element(self, text: str, position: int) -> int:
        char = text[position]
        if char in _SPACE:
            return _after_spaces(text, position)
        begin = self._beginnings.get(char)
        if begin is None:
            raise self._no_beginning(char, position)
        index = len(cast("list[SettledValue]", self._container))
        self._path = (*self._within, index)
        self._changes.append(Opened(self._path))
        return begin(self, text, position)

    def _no_beginning(self, char: str, position: int) -> Break:
        if char not in self._CONTAINERS:
            return Break(FaultCode.INVALID, "expected a value", position)
        depth = len(self._stack)
        message = f"containers are nested deeper than {depth}: {depth + 1}"
        return Break(FaultCode.TOO_LARGE, message, position)

    # Where a value ends.

    def _settle(self, value: SettledValue) -> None:
        """A scalar has ended. (``finish`` settles the ``{}`` of a blank text the same way.)"""
        container = self._container
        self._changes.append(Settled(self._path, value))
        self._path = self._within
        self._state = self._after
        if type(container) is dict:
            container[self._key] = value
        elif type(container) is list:
            container.append(value)
        else:
            self._settle_root(value)

    def _settle_root(self, value: SettledValue) -> None:
        self._root = value
        self._status = Status.COMPLETE
        self._writing = False

    def _at_end(self, text: str, position: int) -> int:
        if text[position] not in _SPACE:
            raise Break(FaultCode.TRAILING_TEXT, "text follows the value", position)
        return _after_spaces(text, position)

    def _after_completion(self, text: str, position: int) -> int:
        raise Break(FaultCode.TRAILING_TEXT, "text came after the call was complete", position)

    # Containers.

    def _open_object(self, text: str, position: int) -> int:
        self._enter({})
        self._after = ArgumentParser._after_member
        self._state = ArgumentParser._at_first_key
        return position + 1

    def _open_array(self, text: str, position: int) -> int:
        self._enter([])
        self._after = ArgumentParser._after_element
        self._state = ArgumentParser._at_first_element
        return position + 1

    def _enter(self, inner: "list[SettledValue] | dict[str, SettledValue]") -> None:
        container = self._container
        if type(container) is dict:
            container[self._key] = inner
        elif type(container) is list:
            container.append(inner)
        else:
            self._root = inner
        self._stack.append((container, self._within, self._after))
        self._container = inner
        self._within = self._path
        if len(self._stack) >= self._max_depth:
            self._beginnings = self._SCALARS

    def _close(self, text: str, position: int) -> int:
        closed = self._container
        self._changes.append(Settled(self._within, closed))
        self._container, self._within, self._after = self._stack.pop()
        self._beginnings = self._VALUES
        self._path = self._within
        self._state = self._after
        if not self._stack:
            self._settle_root(closed)
        return position + 1

    def _after_member(self, text: str, position: int) -> int:
        char = text[position]
        if char == ",":
            self._state = ArgumentParser._at_key
            return position + 1
        if char == "}":
            return self._close(text, position)
        if char in _SPACE:
            return _after_spaces(text, position)
        raise Break(FaultCode.INVALID, "expected a comma or the object's end", position)

    def _after_element(self, text: str, position: int) -> int:
        char = text[position]
        if char == ",":
            self._state = ArgumentParser._at_element
            return position + 1
        if char == "]":
            return self._close(text, position)
        if char in _SPACE:
            return _after_spaces(text, position)
        raise Break(FaultCode.INVALID, "expected a comma or the array's end", position)

    # Keys.

    def _at_first_key(self, text: str, position: int) -> int:
        if text[position] == "}":
            return self._close(text, position)
        return self._at_key(text, position)

    def _at_key(self, text: str, position: int) -> int:
        char = text[position]
        if char == '"':
            self._state = ArgumentParser._in_key
            return position + 1
        if char in _SPACE:
            return _after_spaces(text, position)
        raise Break(FaultCode.INVALID, "expected a key", position)

    def _in_key(self, text: str, position: int) -> int:
        key_text = self._key_text
        end = key_text.read(text, position)
        if key_text.closed:
            key = key_text.take()
            if key in cast("dict[str, SettledValue]", self._container):
                raise Break(FaultCode.DUPLICATE_KEY, "a key occurs twice in one object", end - 1)
            self._key = key
            self._path = (*self._within, key)
            self._changes.append(Opened(self._path))
            self._state = ArgumentParser._at_colon
        return end

    def _at_colon(self, text: str, position: int) -> int:
        char = text[position]
        if char == ":":
            self._state = ArgumentParser._at_member_value
            return position + 1
        if char in _SPACE:
            return _after_spaces(text, position)
        raise Break(FaultCode.INVALID, "expected a colon", position)

    # Scalars.

    def _begin_string(self, text: str, position: int) -> int:
        self._state = ArgumentParser._in_string
        return position + 1

    def _in_string(self, text: str, position: int) -> int:
        string = self._string
        end = string.read(text, position)
        if string.closed:
            if len(string.pieces) > string.reported:
                self._changes.append(Grew(self._path, string.growth()))
            self._settle(string.take())
        return end

    def _begin_number(self, text: str, position: int) -> int:
        self._state = ArgumentParser._in_number
        return self._in_number(text, position)

    def _in_number(self, text: str, position: int) -> int:
        end = self._number.read(text, position)
        if end < len(text):
            if not self._number.is_whole:
                raise Break(FaultCode.INVALID, "expected a digit", end)
            if text[end] not in _NUMBER_ENDS[type(self._container)]:
                raise Break(FaultCode.INVALID, "expected the number's end", end)
            self._settle(self._number.take())
        return end

    def _is_lone_number(self) -> bool:
        return self._container is None and self._number.is_whole

    def _begin_literal(self, text: str, position: int) -> int:
        self._word, self._literal = _LITERALS[text[position]]
        self._matched = 1
        self._state = ArgumentParser._in_literal
        return position + 1

    def _in_literal(self, text: str, position: int) -> int:
        if text[position] != self._word[self._matched]:
            raise Break(FaultCode.INVALID, f"expected {self._word}", position)
        self._matched += 1
        if self._matched == len(self._word):
            self._settle(self._literal)
        return position + 1

    _SCALARS: ClassVar[dict[str, _State]] = {
        '"': _begin_string,
        **dict.fromkeys(NUMBER_STARTS, _begin_number),
        **dict.fromkeys(_LITERALS, _begin_literal),
    }
    _CONTAINERS: ClassVar[dict[str, _State]] = {"{": _open_object, "[": _open_array}
    _VALUES: ClassVar[dict[str, _State]] = {**_SCALARS, **_CONTAINERS}


def _after_spaces(text: str, position: int) -> int:
    """Where the run of white space that begins at ``position`` ends."""
    position += 1
    if position < len(text) and text[position] in _SPACE:
        run = _match_spaces(text, position)
        return run.end() if run else position
    return position


def _prefix_of_bytes(text: str, room: int) -> str:
    """The longest prefix of at most ``room`` UTF-8 bytes."""
    encoded = text.encode("utf-8", "surrogatepass")
    end = max(room, 0)
    while end and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return encoded[:end].decode("utf-8", "surrogatepass")
