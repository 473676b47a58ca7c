from hypothesis import given
from hypothesis import strategies as st

from app.records.wire_ids import unique_wire_ids

ids = st.none() | st.text("a_2", max_size=5)


@given(st.lists(ids), st.sets(st.text("a_2", max_size=5)))
def test_every_id_is_new_and_begins_as_it_was_given(
    given_ids: list[str | None], used: set[str]
) -> None:
    made = unique_wire_ids(given_ids, used)
    named = [wire_id for wire_id in made if wire_id is not None]
    assert len(set(named)) == len(named)
    assert not used & set(named)
    for provider_id, wire_id in zip(given_ids, made, strict=True):
        assert (provider_id is None) == (wire_id is None)
        assert wire_id is None or wire_id.startswith(provider_id or "")


def test_a_first_use_stays_as_it_is() -> None:
    assert unique_wire_ids(["a", None, "a", "a_2"], {"b"}) == ("a", None, "a_2", "a_2_2")
