import threading
from functools import partial
from typing import Any, cast

import pytest

from app.tools.registry import CallContext
from app.tools.signature import Signature, SignatureFault, UnfitArguments


async def without_context() -> None: ...


async def without_type(_: CallContext, a) -> None: ...  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]


async def many(_: CallContext, *a: int) -> None: ...


async def named(_: CallContext, **a: int) -> None: ...


async def positional(_: CallContext, a: int, /) -> None: ...


async def unreadable(_: CallContext, a: threading.Event) -> None: ...


async def keyword_context(*, ctx: CallContext) -> None: ...


@pytest.mark.parametrize(
    "function",
    [
        without_context,
        cast("Any", without_type),
        many,
        named,
        positional,
        unreadable,
        keyword_context,
    ],
)
def test_a_callable_whose_arguments_have_no_name_or_type_is_refused(function: Any) -> None:
    with pytest.raises(SignatureFault):
        Signature(function)


class Callable:
    def __call__(self, _: CallContext, n: int) -> None: ...


async def two(_: CallContext, n: int, more: str = "") -> None: ...


@pytest.mark.parametrize("function", [two, partial(two, more="x"), Callable()])
def test_any_callable_with_typed_parameters_will_do(function: Any) -> None:
    assert Signature(function).coerce({"n": 5}) == {"n": 5}
    with pytest.raises(UnfitArguments, match="n: missing"):
        Signature(function).coerce({})


def test_what_was_left_out_is_left_to_the_callable() -> None:
    assert Signature(two).coerce({"n": 5}) == {"n": 5}
    assert Signature(two).coerce({"n": 5, "more": "x"}) == {"n": 5, "more": "x"}
