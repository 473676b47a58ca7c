"""Pictures are to scale, stay within their lane, and stay small however much happened."""

import pytest

from app.developer.pictures import COLUMNS, HEIGHT, WIDTH, Lane, Scale, density, moments, spans

TIMES = [0, 1, 999, 500_000, 500_001, 999_999, 1_000_000, 5_000_000, -3]


def within(lane: Lane) -> bool:
    return all(
        shape.x >= 0 and shape.x + shape.width <= WIDTH + 2 and 0 <= shape.y <= HEIGHT
        for shape in lane.shapes
    )


@pytest.mark.parametrize("scale", [Scale(0, 1_000_000), Scale(7, 7), Scale(0, 1)])
def test_nothing_stands_outside_of_its_lane(scale: Scale) -> None:
    assert within(density("x", TIMES, scale, "k"))
    assert within(moments("x", [(at, "k", "t") for at in TIMES], scale))
    assert within(spans("x", [(at, "k", "t") for at in sorted(TIMES)], scale, scale.end))


def test_a_moment_stands_where_it_was() -> None:
    scale = Scale(1_000, 5_000)
    assert [scale.x(at) for at in (1_000, 2_000, 3_000, 5_000)] == [0, 250, 500, 1000]
    assert scale.ticks == [1_000, 2_000, 3_000, 4_000, 5_000]
    lane = density("x", [1_000, 3_000, 3_001], scale, "k")
    assert [(shape.x, shape.title) for shape in lane.shapes] == [(0.0, "1"), (500.0, "2")]
    assert lane.shapes[1].height > lane.shapes[0].height


def test_however_many_there_are_a_lane_stays_small() -> None:
    lane = density("x", range(250_000), Scale(0, 250_000), "k")
    assert len(lane.shapes) <= COLUMNS + 1
    assert sum(int(shape.title) for shape in lane.shapes) == 250_000
