import re

import pytest

from app.calls.call_ids import call_id
from app.records.ids import Kind, new_id


@pytest.mark.parametrize("kind", Kind)
def test_an_id_can_stand_in_a_url_an_element_and_a_selector(kind: Kind) -> None:
    made = {new_id(kind) for _ in range(200)}
    assert len(made) == 200
    for one in made:
        assert re.fullmatch(r"[a-z][0-9a-f]{20}", one)
        assert re.fullmatch(r"[a-z][0-9a-f]{20}-31", call_id(one, 31))


def test_kinds_are_told_apart_by_one_letter() -> None:
    assert all(re.fullmatch("[a-z]", kind) for kind in Kind)
