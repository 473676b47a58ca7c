"""Pictures of times, as shapes on lanes: to scale, and small however much happened.

A lane is 1000 wide and 20 high. What stands too close to be told apart is drawn once, higher the
more of it there is.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

WIDTH = 1000
HEIGHT = 20
COLUMNS = 500
"""Places on a lane that can be told apart."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A rectangle; ``kind`` is a word for the style sheet, ``title`` what it says of itself."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class Lane:
    label: str
    shapes: Sequence[Shape]


@dataclass(frozen=True, slots=True)
class Scale:
    """From ``start`` to ``end``, in microseconds."""

    start: int
    end: int

    def x(self, at: int) -> float:
        span = max(1, self.end - self.start)
        return round(min(max(at - self.start, 0), span) * WIDTH / span, 2)

    @property
    def ticks(self) -> list[int]:
        """Five times, evenly over the whole."""
        return [self.start + (self.end - self.start) * quarter // 4 for quarter in range(5)]


@dataclass(slots=True)
class Picture:
    """``summary`` says in words what the lanes show."""

    scale: Scale
    summary: str
    lanes: list[Lane] = field(default_factory=list[Lane])


def density(label: str, times: Sequence[int], scale: Scale, kind: str) -> Lane:
    """Many moments of one kind: each where it is, the higher the more stand there."""
    start, span = scale.start, max(1, scale.end - scale.start)
    # Not by Scale.x: there may be a quarter of a million of them.
    places = Counter((at - start) * COLUMNS // span for at in times)
    columns: Counter[int] = Counter()
    for place, count in places.items():
        columns[min(max(place, 0), COLUMNS)] += count
    most = max(columns.values(), default=1)
    shapes: list[Shape] = []
    for column, count in sorted(columns.items()):
        height = round(HEIGHT * (0.4 + 0.6 * count / most), 2)
        x = min(column * WIDTH / COLUMNS, WIDTH - 2)
        shapes.append(Shape(x, HEIGHT - height, 2, height, kind, f"{count}"))
    return Lane(label, shapes)


def moments(label: str, marks: Iterable[tuple[int, str, str]], scale: Scale) -> Lane:
    """A few moments, each with its kind and title."""
    return Lane(
        label,
        [
            Shape(min(scale.x(at), WIDTH - 4), 2, 4, HEIGHT - 4, kind, title)
            for at, kind, title in marks
        ],
    )


def spans(label: str, parts: Sequence[tuple[int, str, str]], scale: Scale, end: int) -> Lane:
    """Parts that follow on one another, the last until ``end``; time, kind and title of each."""
    shapes: list[Shape] = []
    for number, (at, kind, title) in enumerate(parts):
        until = parts[number + 1][0] if number + 1 < len(parts) else end
        x = scale.x(at)
        width = max(2.0, round(scale.x(until) - x, 2))
        shapes.append(Shape(min(x, WIDTH - 2), 2, width, HEIGHT - 4, kind, title))
    return Lane(label, shapes)
