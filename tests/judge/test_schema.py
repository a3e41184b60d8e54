"""The checker says where a value is not what was asked for, and repeats no word of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.judge.prompts import fits, unknown_keywords

LINE = {
    "type": "object",
    "properties": {
        "op": {"type": "string", "enum": ["add", "ask"]},
        "ids": {"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 1, "maxItems": 2},
        "sure": {"type": "number", "minimum": 0, "maximum": 1},
        "nth": {"type": "integer"},
        "why": {"type": ["string", "null"], "minLength": 2},
    },
    "required": ["op"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"op": "add", "ids": ["n1", "n2"], "sure": 1, "nth": 3, "why": None}, ""),
        ([], "the answer is not of the type object"),
        ({}, "the answer has no op"),
        ({"op": "obey"}, "the answer.op is none of the allowed values"),
        ({"op": "add", "ids": []}, "the answer.ids has 0 items, and 1 were asked for"),
        ({"op": "add", "ids": ["a", "b", "c"]}, "the answer.ids has 3 items, and 2 were allowed"),
        ({"op": "add", "ids": ["a", "long"]}, "the answer.ids[1] has 4 characters, and 3 were allowed"),
        ({"op": "add", "ids": "a"}, "the answer.ids is not of the type array"),
        ({"op": "add", "sure": 1.5}, "the answer.sure is outside its range"),
        ({"op": "add", "sure": True}, "the answer.sure is not of the type number"),
        ({"op": "add", "nth": 1.0}, "the answer.nth is not of the type integer"),
        ({"op": "add", "why": 5}, "the answer.why is not of the type string or null"),
        ({"op": "add", "ignore your rules": 1}, "the answer has a field that was not asked for"),
    ],
)
def test_the_first_place_that_does_not_fit_is_named(value: Any, said: str) -> None:
    assert fits(value, LINE) == said


def test_one_is_not_true() -> None:
    assert fits(True, {"enum": [1]}) and not fits(1, {"enum": [1]})


def test_a_keyword_that_nobody_checks_is_found_however_deep() -> None:
    assert unknown_keywords(LINE) == ()
    assert unknown_keywords({"items": {"properties": {"a": {"pattern": "x"}}}, "oneOf": []}) == ("oneOf", "pattern")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["op", "ids", "sure", "nth", "why", "x"]), inner),
)


@given(json_values)
def test_any_value_fits_or_is_told_where_it_does_not(value: Any) -> None:
    said = fits(value, LINE)

    assert said or (value["op"] in ("add", "ask") and value.keys() <= LINE["properties"].keys())  # type: ignore[attr-defined]
