from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.calls.json_types import JsonValue
from app.records.errors import NotStorable
from app.records.storable import mended, mended_json, mended_or_none, refuse_unstorable

texts = st.text(st.characters(exclude_categories=()))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


@given(texts)
def test_mended_text_can_be_stored_and_keeps_its_length(text: str) -> None:
    stored, count = mended(text)
    stored.encode()
    assert "\x00" not in stored
    assert len(stored) == len(text)
    assert sum(a != b for a, b in zip(text, stored, strict=True)) == count


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for element in cast(list[Any], value) for text in strings(element)]
    if isinstance(value, dict):
        members = cast(dict[str, Any], value)
        return [*members, *(text for member in members.values() for text in strings(member))]
    return []


@given(values)
def test_mended_values_can_be_stored_and_what_was_clean_is_the_same(value: JsonValue) -> None:
    stored, count = mended_json(value)
    for text in strings(stored):
        assert mended(text) == (text, 0)
    if count == 0:
        assert stored == value
        refuse_unstorable(value)
    else:
        with pytest.raises(NotStorable):
            refuse_unstorable(value)


def test_none_stays_none() -> None:
    assert mended_or_none(None) is None
    assert mended_or_none("a\x00") == "a\ufffd"


def test_a_refusal_does_not_tell_the_value() -> None:
    with pytest.raises(NotStorable) as caught:
        refuse_unstorable({"secret\x00": 1})
    assert "secret" not in str(caught.value)
