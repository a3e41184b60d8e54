"""Adding to TOML and YAML files of somebody else's: what stands there stays, byte for byte, and unclear files are left alone."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.hosts import toml_splice, yaml_splice

SERVER = {"command": "C:\\Program Files\\dream.exe", "args": ["mcp", "--workspace", 'a "b" é']}
NAME = ("mcp_servers", "reverie")


@pytest.mark.parametrize(
    "mine",
    ["", "# nothing\n", 'model = "x"', "[mcp_servers.other]\r\ncommand = 'y' # keep\r\n", "[[profiles]]\na = 1\n\n\n"],
)
def test_a_table_enters_a_toml_file_and_is_one_piece(mine: str) -> None:
    text, piece = toml_splice.added(mine, NAME, SERVER)

    assert text == mine + piece and tomllib.loads(text)["mcp_servers"]["reverie"] == SERVER


@pytest.mark.parametrize(
    "mine",
    [
        "mcp_servers = {}\n",
        "[mcp_servers.reverie]\nurl = 'x'\n",
        "[[mcp_servers]]\na = 1\n",
        "mcp_servers.reverie = 1\n",
        "= broken",
    ],
)
def test_toml_that_cannot_take_it_is_refused(mine: str) -> None:
    with pytest.raises(toml_splice.NoToml):
        toml_splice.added(mine, NAME, SERVER)


@given(st.lists(st.text("ab\"'\\é 🌙", max_size=8), max_size=4))
def test_any_words_come_back_from_toml(words: list[str]) -> None:
    text, _ = toml_splice.added("", ("project",), {"path": "".join(words), "all": words}, array=True)

    assert tomllib.loads(text) == {"project": [{"path": "".join(words), "all": words}]}


@pytest.mark.parametrize(
    ("mine", "then"),
    [
        ("", "servers:\n  reverie: [1]\n"),
        ("model: x", "model: x\nservers:\n  reverie: [1]\n"),
        ("a: 1\nservers:  # mine\n    b:\n      c: 2\nd: 3\n", "a: 1\nservers:  # mine\n    reverie: [1]\n    b:\n      c: 2\nd: 3\n"),
        ("servers:\r\n\r\n  # c\r\n  b: 1\r\n", "servers:\r\n  reverie: [1]\r\n\r\n  # c\r\n  b: 1\r\n"),
        ("servers: {}  # none\nb: 1\n", "servers: {reverie: [1]}  # none\nb: 1\n"),
        ('"servers": { }\n', '"servers": {reverie: [1] }\n'),
    ],
)  # fmt: skip
def test_a_key_enters_a_yaml_file_below_its_section(mine: str, then: str) -> None:
    text, piece = yaml_splice.added(mine, "servers", "reverie", [1])

    assert text == then and text.count(piece) == 1 and text.replace(piece, "") == mine


@pytest.mark.parametrize(
    "mine",
    [
        "servers:\n  reverie: 1\n",
        "servers: {a: 1}\n",
        "servers: null\n",
        "servers:\n",
        "servers:\n  - a\n",
        "servers:\n- a\n",
        "servers: &x\n  a: 1\n",
        "a: 1\n---\nservers:\n  a: 1\n",
        "servers:\n  a: 1\nservers:\n  b: 1\n",
    ],
)
def test_yaml_of_which_the_lines_do_not_tell_enough_is_refused(mine: str) -> None:
    with pytest.raises(yaml_splice.NoYaml):
        yaml_splice.added(mine, "servers", "reverie", [1])
