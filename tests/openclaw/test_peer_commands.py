"""An owner who comes from OpenClaw with its recalls in SQLite: the commands read them, and never write there."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, tree
from reverie.core.layout import RECALLS
from reverie.workspace.openclaw_state import workspace_key
from terminal import Done, call

PEER = Path(__file__).parents[1] / "peer"
SQLITE = PEER / "2026.9.6-state" / "openclaw.sqlite"
PRINTED = json.loads((PEER / "printed.json").read_text("utf-8"))["2026.9.6"]["promote"]
THEIRS = "00268c5d4b7ff825581af614abc428104acfab86f9dea91a41f194f29fc7428f"  # the key of the workspace it was made for


@pytest.fixture(autouse=True)
def words_alone(hermetic: None) -> None:
    home = Path(os.environ["HOME"]) / ".config/reverie"
    home.mkdir(parents=True)
    (home / "reverie.toml").write_text('[search]\nembedder = "off"\n')


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """OpenClaw's own notes of that workspace, moved to a new place; no files under `memory/.dreams`."""
    root = tmp_path / "ws"
    shutil.copytree(PEER / "2026.9.6-sweep", root)
    shutil.rmtree(root / "memory/.dreams", ignore_errors=True)
    (root / "MEMORY.md").write_text("# Ada\n\n- likes tea\n")
    (root / "reverie.toml").write_text('[dreaming]\nprofile = "openclaw-2026.9"\n')
    return root


@pytest.fixture
def database(root: Path) -> Path:
    """The host's state folder with what was recalled in that place."""
    path = Path(os.environ["HOME"]) / ".openclaw/state/openclaw.sqlite"
    path.parent.mkdir(parents=True)
    shutil.copy(SQLITE, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        ours = workspace_key(root)
        connection.execute(
            "UPDATE plugin_state_entries SET value_json = replace(value_json, ?1, ?2), entry_key ="
            " replace(replace(entry_key, ?1, ?2), ?3, ?4)",
            (THEIRS, ours, THEIRS[:24], ours[:24]),
        )
    return path


def dream(root: Path, *args: str, now: str = NIGHT) -> Done:
    return call(*args, "--workspace", root, "--now", now)


def value(root: Path, *args: str, now: str = NIGHT) -> Any:
    done = dream(root, *args, "--json", now=now)
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


@pytest.mark.parametrize("nth", range(4))
def test_promote_gives_what_the_peer_gave(root: Path, database: Path, nth: int) -> None:
    printed = PRINTED[nth]
    gates = () if printed["gates"] else ("--min-score", "0", "--min-recall-count", "0", "--min-unique-queries", "0")
    shown = () if printed["promotedLeftOut"] else ("--include-promoted",)

    found = value(root, "promote", *gates, *shown, now=printed["now"])

    ours = [(one["key"], round(one["score"], 3)) for one in found["candidates"]]
    assert ours == [(one["key"], round(one["score"], 3)) for one in printed["candidates"]]
    assert found["storePath"] == f"plugin-state:memory-core/short-term-recall/{workspace_key(root)}"


def test_every_command_reads_it_and_none_writes_there(root: Path, database: Path) -> None:
    before, key = database.read_bytes(), "memory:memory/2026-11-14.md:1:7"

    explained = value(root, "promote-explain", key)
    harness = value(root, "rem-harness", "--include-promoted")
    deep = value(root, "status", "--deep")["deep"]["recall"]
    dream(root, "review")
    dream(root, "promote", "--apply")

    assert explained["candidate"]["recallCount"] == 12
    assert key in {one["key"] for one in harness["deep"]["candidates"]}
    assert (deep["entryCount"], deep["exists"], deep["issues"]) == (10, True, [])
    assert value(root, "promote", "--include-promoted", "--min-score", "0")["audit"]["entryCount"] >= 10
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == ["openclaw.sqlite"]


@pytest.mark.parametrize("place", ["openclaw.sqlite", "state/openclaw.sqlite", "../state/openclaw.sqlite"])
def test_it_is_found_in_the_workspace_and_beside_it(root: Path, database: Path, place: str) -> None:
    (root / place).parent.mkdir(exist_ok=True)
    database.rename(root / place)

    assert value(root, "status", "--deep")["deep"]["recall"]["entryCount"] == 10


def test_a_link_to_a_database_is_not_followed(root: Path, database: Path) -> None:
    elsewhere = database.rename(root.parent / "elsewhere.sqlite")
    (root / "openclaw.sqlite").symlink_to(elsewhere)

    assert value(root, "status", "--deep")["deep"]["recall"]["entryCount"] == 0


@pytest.mark.parametrize("how", ["damaged", "locked", "no table"])
def test_a_database_that_cannot_be_read_is_one_sentence_and_the_night_goes_on(
    root: Path, database: Path, how: str
) -> None:
    connection = sqlite3.connect(database, isolation_level=None)
    if how == "locked":
        connection.execute("PRAGMA locking_mode=exclusive")
        connection.execute("BEGIN EXCLUSIVE")
    elif how == "damaged":
        database.write_bytes(b"not a database " * 100)
    else:
        connection.execute("DROP TABLE plugin_state_entries")
    notes = {path: data for path, data in tree(root).items() if path.startswith("memory/2026")}

    with closing(connection):
        told = [
            dream(root, *command) for command in (("status", "--deep"), ("promote",), ("rem-harness",), ("review",))
        ]

    for done in told:
        assert (done.code, done.err, done.out.count("openclaw.sqlite cannot be read")) == (0, "", 1)
    assert {path: data for path, data in tree(root).items() if path.startswith("memory/2026")} == notes


def test_what_we_recall_ourselves_is_added_to_it(root: Path, database: Path) -> None:
    dream(root, "search", "when are the drawings due")
    dream(root, "review")

    assert (root / RECALLS).is_file()
    found = value(root, "promote", "--include-promoted", "--min-score", "0", "--min-recall-count", "0")
    assert {"memory:memory/2026-11-14.md:1:7"} < {one["key"] for one in found["candidates"]}
