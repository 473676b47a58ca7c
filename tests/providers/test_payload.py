"""Look-ups that may be answered with nothing, and the JSON they look into."""

import pytest

from app.calls.json_types import JsonValue
from app.providers.payload import as_integer, as_list, as_name, as_object, as_text
from app.providers.wire_json import UnreadableJson, read

OTHERS: list[JsonValue] = [None, "", 0, True, [], {}]


@pytest.mark.parametrize("value", OTHERS)
def test_what_is_not_there_is_nothing(value: JsonValue) -> None:
    assert as_object(value) == {}
    assert list(as_list(value)) == []
    assert as_text(value) == ""
    assert as_name(value) is None
    assert as_integer(value) == (0 if value == 0 and value is not False else None)


def test_what_is_there_is_given() -> None:
    assert as_object({"a": 1}) == {"a": 1}
    assert list(as_list([1])) == [1]
    assert as_text("a\ud83d") == "a\ud83d", "argument text is the model's, to the character"
    assert as_name("a\ud83d") == "a\ufffd", "a name must be text that can be encoded"
    assert as_integer(7) == 7


def test_a_key_twice_is_refused_where_the_arguments_are_an_object() -> None:
    assert read('{"a":1,"a":2}') == {"a": 2}
    with pytest.raises(UnreadableJson, match="twice"):
        read('{"b":{"a":1,"a":2}}', unique_keys=True)
