"""Adding to somebody's settings: JSON or JSON5, every byte that stood there stays, and what was added comes out again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.hosts.json_splice import NoJson, added, taken_out, without

VALUE = {"command": "dream hook", "timeout": 20}
SHAPES = {
    "empty": "{}",
    "empty lines": "{\n}\n",
    "one line": '{"theme": "dark"}',
    "an array to add to": '{\n  "hooks": {\n    "Stop": [\n      { "command": "mine" }\n    ]\n  }\n}\n',
    "an empty array": '{"hooks": {"Stop": []}}',
    "tabs and CRLF and a mark": '\ufeff{\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}\r\n',
    "JSON5": "{\n  // mine\n  theme: 'dark', /* stays */\n  hooks: { 'Start': [1,], },\n}\n",
    "braces in words": '{"a": "}{][,:\\"", "b": "// no comment"}',
    "中文": '{"主题": "深色"}',
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_what_is_added_is_there_and_comes_out_to_the_byte(text: str) -> None:
    pyjson5 = pytest.importorskip("pyjson5")
    before = pyjson5.loads(text.lstrip("\ufeff"))

    one, first = added(text, ("hooks", "Stop"), VALUE, append=True)
    two, second = added(one, ("plugins", "entries", "reverie"), VALUE)

    after = pyjson5.loads(two.lstrip("\ufeff"))
    assert after["hooks"]["Stop"][-1] == after["plugins"]["entries"]["reverie"] == VALUE
    assert {key: value for key, value in after.items() if key not in ("hooks", "plugins")} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    assert taken_out(two, [first, second]) == text


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=5), values, max_size=4),
    st.sampled_from([None, 0, 2, "\t"]),
    st.lists(st.sampled_from(["a", "b", "reverie"]), min_size=1, max_size=3),
)
def test_any_json_takes_a_new_key_and_gives_it_back(
    whole: dict[str, Any], indent: int | str | None, path: list[str]
) -> None:
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    try:
        more, piece = added(text, path, VALUE)
    except NoJson:
        assert path[0] in whole  # something else stands there already
        return

    found = json.loads(more)
    for key in path:
        found = found[key]
    assert found == VALUE and taken_out(more, [piece]) == text


def test_what_the_owner_wrote_since_stays_when_ours_goes() -> None:
    text = '{\n  "theme": "dark"\n}\n'
    more, piece = added(text, ("hooks", "Stop"), VALUE, append=True)
    edited = more.replace('"dark"', '"light"')

    assert taken_out(edited, [piece]) == text.replace('"dark"', '"light"')


def test_a_piece_that_was_edited_is_not_guessed_at() -> None:
    more, piece = added("{}", ("hooks", "Stop"), VALUE, append=True)

    assert taken_out(more.replace("20", "30"), [piece]) is None
    assert taken_out(more.replace("}\n}", '},\n  "mine": 1\n}'), [piece]) is None


def test_two_pieces_that_say_the_same_both_come_out() -> None:
    text = '{\n  "a": [\n    1\n  ],\n  "b": [\n    1\n  ]\n}\n'
    one, first = added(text, ("a",), VALUE, append=True)
    two, second = added(one, ("b",), VALUE, append=True)

    assert first == second and taken_out(two, [first, second]) == text
    assert taken_out(one, [first, second]) is None


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a" 1}', '{"a": 1 "b": 2}', "{} {}", '{"a": }', '{"a": "\n'])
def test_what_is_no_object_is_left_alone(text: str) -> None:
    with pytest.raises(NoJson):
        added(text, ("hooks",), VALUE)


@pytest.mark.parametrize(("path", "append"), [(("a",), False), (("a",), True), (("a", "b"), False), (("l",), False)])
def test_what_is_there_already_is_not_touched(path: tuple[str, ...], append: bool) -> None:
    with pytest.raises(NoJson):
        added('{"a": 1, "l": []}', path, VALUE, append=append)


@pytest.mark.parametrize(
    ("text", "path", "append", "rest"),
    [
        ('{"a": 1, "r": {"x": [1]}, "b": 2}', ("r",), False, '{"a": 1, "b": 2}'),
        ('{"a": 1, "r": {"x": [1]}}', ("r",), False, '{"a": 1}'),
        ('{"p": {"r": {"x": [1]}}}', ("p", "r"), False, '{"p": {}}'),
        ('{l: [0, {"x": [1]}, 2,],}', ("l",), True, "{l: [0, 2,],}"),
        ('{"l": [{"x": [1]}]}', ("l",), True, '{"l": []}'),
        ('{"r": {"x": [2]}}', ("r",), False, None),
        ('{"l": {"x": [1]}}', ("l",), True, None),
        ('{"a": 1}', ("p", "r"), False, None),
    ],
)
def test_a_value_is_found_wherever_its_host_put_it(
    text: str, path: tuple[str, ...], append: bool, rest: str | None
) -> None:
    assert without(text, path, {"x": [1]}, append=append) == rest
