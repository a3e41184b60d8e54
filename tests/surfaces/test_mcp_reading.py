"""Reading a file a few lines at a time: line numbers hold, secrets are hidden, and only notes of the workspace are read."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie.core.errors import BadInput
from reverie.surfaces.mcp import reading
from reverie.workspace.values import Workspace

KEY = "\n".join(
    [
        "-----BEGIN " + "PRIVATE KEY-----",
        *(f"{'MIIEvQIBADANBgkqhkiG9w0BAQEF' * 2}{n}" for n in range(4)),
        "-----END " + "PRIVATE KEY-----",
    ]
)
NOTE = f"# Notes\n{KEY}\nafter the key\r\nlast"


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build(
        {"memory/2026-11-14.md": NOTE, "MEMORY.md": "# Me\n" + "- 喝茶\n" * 300, "reverie.toml": "timezone = 'UTC'\n"}
    )


def test_a_key_of_six_lines_is_hidden_and_leaves_six_lines(workspace: Workspace) -> None:
    found = reading.passage(workspace, "memory/2026-11-14.md", 8, 1)

    assert (found["text"], found["from"], found["to"], found["nextFrom"]) == ("after the key", 8, 8, 9)
    for first in range(2, 8):  # asked for line by line, nothing of it can be put together again
        assert "MII" not in reading.passage(workspace, "memory/2026-11-14.md", first, 1)["text"]


@pytest.mark.parametrize(
    ("first", "lines", "last", "more"), [(1, 120, 120, 121), (281, 120, 301, 0), (301, 1, 301, 0), (400, 5, 399, 0)]
)
def test_where_to_go_on(workspace: Workspace, first: int, lines: int, last: int, more: int) -> None:
    found = reading.passage(workspace, "MEMORY.md", first, lines)

    assert (found["status"], found["to"], found["nextFrom"]) == ("ok", last, more or None)
    assert len(found["text"].split("\n")) == max(1, last - first + 1)


def test_a_passage_has_an_end_whatever_the_lines(build: Build) -> None:
    workspace = build({"MEMORY.md": "x" * 50_000 + "\n" + ("y" * 5_000 + "\n") * 5})

    first = reading.passage(workspace, "MEMORY.md")
    second = reading.passage(workspace, "MEMORY.md", first["nextFrom"])

    assert (first["to"], len(first["text"])) == (1, reading.CHARACTERS)  # a line that is too long alone is cut
    assert (second["from"], second["to"], second["nextFrom"]) == (2, 3, 4)


@pytest.mark.parametrize(
    "path", ["reverie.toml", "memory/.dreams/events.jsonl", "/etc/hostname", "../x.md", "", "memory", "vault:../x.md"]
)
def test_what_is_no_note_is_not_found(workspace: Workspace, path: str) -> None:
    found = reading.passage(workspace, path)

    assert (found["status"], found["text"], bool(found["notice"])) == ("not_found", "", True)


def test_the_vaults_ledger_is_read_by_the_path_a_search_names(build: Build) -> None:
    workspace = build({"dream-vault/ledger.md": "# Ledger\n"})

    assert reading.passage(workspace, "vault:ledger.md")["text"] == "# Ledger"


def test_views_and_lines_that_do_not_exist_are_named(workspace: Workspace) -> None:
    assert reading.palace_text(workspace, "timeline").startswith("# 时间线")  # in the language of the memory
    assert reading.file_text(workspace, "DREAMS.md") == ""
    with pytest.raises(BadInput, match="no view"):
        reading.palace_text(workspace, "cellar")
    with pytest.raises(BadInput, match="counted from one"):
        reading.passage(workspace, "MEMORY.md", 0)


def test_a_file_of_windows_line_ends_is_read_as_lines(build: Build) -> None:
    assert "\\x0d" not in reading.file_text(build({"MEMORY.md": "# Me\r\n- likes tea\r\n"}), "MEMORY.md")


def test_a_page_that_is_read_whole_has_an_end_too(build: Build) -> None:
    text = reading.file_text(build({"DREAMS.md": "- a night like any other\n" * 9_000}), "DREAMS.md")

    assert len(text) < 50_000 and text.endswith("are left out here; memory_search finds them)")
