"""The arguments of a dialect that sends an object, whole or member by member.

Reports the same changes as the parser of text, so that nobody above tells the two apart. What
arrives in one piece opens and settles at once, in the order of the wire. Of what arrives member
by member, a container settles when the call is complete: until then one more member may come.
"""

from decimal import Decimal
from typing import cast

from app.calls.argument_changes import Change, Grew, NumberText, Opened, Settled, SettledValue
from app.calls.argument_faults import Fault, FaultCode, Status
from app.calls.json_types import JsonObject, JsonValue, Path
from app.calls.limits import DEFAULT_LIMITS, Limits
from app.calls.reasons import Reason
from app.calls.strict import StrictFault, measure
from app.calls.surrogates import join_pairs


class _Growing:
    """A string whose later pieces are still to come."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._high = ""

    def add(self, text: str, continues: bool) -> str:
        """What can be shown of it more; half of a surrogate pair waits for the other."""
        text = join_pairs(self._high + text)
        self._high = ""
        if continues and "\ud800" <= text[-1:] <= "\udbff":
            text, self._high = text[:-1], text[-1]
        self.pieces.append(text)
        return text


class _Container:
    """An open container, as what has settled of it and as what was sent of it."""

    def __init__(self, first_key: str | int) -> None:
        self.settled: dict[str, SettledValue] | list[SettledValue]
        self.sent: dict[str, JsonValue] | list[JsonValue]
        if isinstance(first_key, str):
            self.settled, self.sent = {}, {}
        else:
            self.settled, self.sent = [], []

    def accepts(self, key: str | int) -> bool:
        """Whether a new value can stand there: a new key, or the index behind the last one."""
        if isinstance(self.settled, dict):
            return isinstance(key, str) and key not in self.settled
        return key == len(self.settled)

    def put(self, key: str | int, settled: SettledValue, sent: JsonValue) -> None:
        if isinstance(key, str):
            cast("dict[str, SettledValue]", self.settled)[key] = settled
            cast("dict[str, JsonValue]", self.sent)[key] = sent
        else:
            cast("list[SettledValue]", self.settled).append(settled)
            cast("list[JsonValue]", self.sent).append(sent)


class ObjectArguments:
    """Collects one call's arguments as they are sent.

    A fault's ``offset`` is always 0: there is no text that it could count.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._bytes = 0
        self._status = Status.OPEN
        self._fault: Fault | None = None
        self._changes: list[Change] = []
        self._open: dict[Path, _Container] = {}
        self._growing: dict[Path, _Growing] = {}
        self._open_path: Path | None = None
        self._settled: SettledValue = None
        self._value: JsonObject = {}

    def whole(self, value: JsonObject) -> None:
        """The whole object. Sent again, or after its parts, it must be the same."""
        if self._fault is not None or not self._admit((), value):
            return
        if self._settled is None:
            self._settled = self._report((), value)
            self._value = value
            self._status = Status.COMPLETE
        elif not _same(value, self._value) or self._growing:
            self._break(FaultCode.INVALID, "the whole differs from what was sent before it")
        else:
            self.finish()

    def patch(self, path: Path, value: JsonValue, continues: bool = False) -> None:
        """One value; with ``continues``, a piece of a string whose next one follows.

        Containers on the way to it open by themselves. A path that has its value already, an
        index that leaves a gap, or a member of what is no container breaks the arguments.
        """
        if self._fault is not None:
            return
        if self._status is Status.COMPLETE:
            self._break(FaultCode.TRAILING_TEXT, "a value came after the call was complete")
        elif not path:
            self._break(FaultCode.INVALID, "a value without a path")
        elif self._admit(path, value):
            self._take(path, value, continues)

    def finish(self) -> None:
        """No more values will come. Nothing sent counts as ``{}``; an open string is a fault."""
        if self._status is not Status.OPEN:
            return
        if self._growing:
            self._break(FaultCode.INCOMPLETE, "the last piece of a string did not come")
            return
        self._open_root()
        for path, container in reversed(self._open.items()):
            self._changes.append(Settled(path, container.settled))
        self._open.clear()
        self._open_path = None
        self._status = Status.COMPLETE

    def changes(self) -> list[Change]:
        """What became true since the last time this was asked, in order."""
        drained = self._changes
        self._changes = []
        return drained

    @property
    def status(self) -> Status:
        return self._status

    @property
    def fault(self) -> Fault | None:
        return self._fault

    @property
    def settled(self) -> SettledValue:
        """The live tree of what has settled, numbers as text. None until something was sent."""
        return self._settled

    @property
    def value(self) -> JsonObject:
        """The object as far as it was sent, without strings whose last piece is to come."""
        return self._value

    @property
    def open_path(self) -> Path | None:
        """The value, or else the container, that was written last; None before and after."""
        return self._open_path

    @property
    def open_text(self) -> str | None:
        """The text so far of the string at ``open_path``; None where that is no string."""
        growing = self._growing.get(self._open_path) if self._open_path else None
        return None if growing is None else "".join(growing.pieces)

    def _admit(self, path: Path, value: JsonValue) -> bool:
        """Whether the value is within the limits; breaks the arguments where not."""
        try:
            size = measure(value, self._limits, len(path))
        except StrictFault as fault:
            too_large = fault.reason is Reason.TOO_LARGE
            self._break(FaultCode.TOO_LARGE if too_large else FaultCode.INVALID, fault.detail)
            return False
        if path in self._growing:
            size -= len('""')  # counted with the first piece
        if path:
            self._bytes += size
        if self._bytes > self._limits.call_bytes:
            limit = self._limits.call_bytes
            message = f"the arguments are longer than {limit} bytes: {self._bytes} so far"
            self._break(FaultCode.TOO_LARGE, message)
            return False
        return True

    def _take(self, path: Path, value: JsonValue, continues: bool) -> None:
        self._open_root()
        if path in self._growing or continues:
            if isinstance(value, str) and (path in self._growing or self._has_room(path)):
                self._grow(path, value, continues)
                return
        elif self._has_room(path):
            self._open_containers(path)
            self._put(path, self._report(path, value), value)
            return
        self._break(FaultCode.INVALID, "a value came for a place that cannot take it")

    def _grow(self, path: Path, piece: str, continues: bool) -> None:
        growing = self._growing.get(path)
        if growing is None:
            self._open_containers(path)
            self._changes.append(Opened(path))
            self._growing[path] = growing = _Growing()
        text = growing.add(piece, continues)
        if text:
            self._changes.append(Grew(path, text))
        self._open_path = path
        if not continues:
            whole = "".join(growing.pieces)
            del self._growing[path]
            self._changes.append(Settled(path, whole))
            self._put(path, whole, whole)

    def _put(self, path: Path, settled: SettledValue, sent: JsonValue) -> None:
        self._open[path[:-1]].put(path[-1], settled, sent)
        self._open_path = path[:-1]

    def _open_root(self) -> None:
        if self._settled is None:
            root = _Container("")
            self._open[()] = root
            self._settled = root.settled
            self._value = cast("JsonObject", root.sent)
            self._changes.append(Opened(()))

    def _has_room(self, path: Path) -> bool:
        """Whether a new value can stand at the path, with new containers around it if need be."""
        known = max(end for end in range(len(path)) if path[:end] in self._open)
        if path[: known + 1] in self._growing or not self._open[path[:known]].accepts(path[known]):
            return False
        return all(isinstance(key, str) or key == 0 for key in path[known + 1 :])

    def _open_containers(self, path: Path) -> None:
        for end in range(1, len(path)):
            inner = path[:end]
            if inner not in self._open:
                container = _Container(path[end])
                self._open[path[: end - 1]].put(inner[-1], container.settled, container.sent)
                self._open[inner] = container
                self._changes.append(Opened(inner))

    def _report(self, path: Path, value: JsonValue) -> SettledValue:
        self._changes.append(Opened(path))
        settled: SettledValue
        if isinstance(value, dict):
            settled = {key: self._report((*path, key), member) for key, member in value.items()}
        elif isinstance(value, list):
            settled = [self._report((*path, index), each) for index, each in enumerate(value)]
        elif value is None or isinstance(value, str | bool):
            settled = value
            if isinstance(value, str) and value:
                self._changes.append(Grew(path, value))
        else:
            settled = NumberText(Decimal(value))  # str(int) is bounded by the interpreter
        self._changes.append(Settled(path, settled))
        return settled

    def _break(self, code: FaultCode, message: str) -> None:
        self._status = Status.BROKEN
        self._fault = Fault(code, message, 0)


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Equality that does not take ``1`` for ``true``."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and one == other
