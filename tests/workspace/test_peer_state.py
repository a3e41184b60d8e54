"""What OpenClaw left behind is read as it stands, bounded, and never a reason to stop."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from reverie.core.layout import PEER_JOURNAL, PEER_RECALLS, PEER_SIGNALS
from reverie.workspace.openclaw_format import PeerOrigin, PeerRecall, PeerSignal, PeerState
from reverie.workspace.openclaw_state import path_of, read_peer_state, recall_of, workspace_key

PEER = Path(__file__).parents[1] / "peer"
JSON_ERA = PEER / "2026.5.7-backfilled"
SQLITE_ERA = PEER / "2026.9.6-state" / "openclaw.sqlite"
ENTRY = {
    "key": "memory:memory/2026-11-06.md:1:7", "path": "memory/2026-11-06.md", "startLine": 1, "endLine": 7,
    "source": "memory", "snippet": "Prefer Signal  over e-mail", "recallCount": 7, "dailyCount": 0, "groundedCount": 0,
    "totalScore": 5.5, "maxScore": 0.9, "firstRecalledAt": "2026-11-11T09:00:00Z", "lastRecalledAt": "2026-11-14T09:00:00Z",
    "queryHashes": ["ddf671495620"], "recallDays": ["2026-11-11"], "conceptTags": ["signal"], "claimHash": "03f150d523cf",
    "provenance": {"originClass": "agent", "sessionKind": "unknown", "observedAt": 1794731998826}, "projectKey": "house",
    "promotedAt": "2026-11-15T09:00:00Z",
}  # fmt: skip


def left_behind(root: Path, **files: object) -> Path:
    """A workspace with these files of the peer: `RECALLS={…}`, `SIGNALS_migrated={…}`."""
    paths = {
        "RECALLS": PEER_RECALLS,
        "SIGNALS": PEER_SIGNALS,
        "JOURNAL": PEER_JOURNAL,
    }
    for name, content in files.items():
        target = root / (paths[name.removesuffix("_migrated")] + (".migrated" if name.endswith("_migrated") else ""))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content if isinstance(content, str) else json.dumps(content))
    return root


def database(path: Path, root: Path, rows: list[tuple[str, str, Any]], *, wal: bool = False) -> sqlite3.Connection:
    """The peer's SQLite state with these (namespace, key, value) for one workspace."""
    key = workspace_key(root)
    connection = sqlite3.connect(path)
    if wal:
        connection.execute("PRAGMA journal_mode=wal")
    connection.execute(
        "CREATE TABLE plugin_state_entries (plugin_id, namespace, entry_key, value_json, created_at, expires_at)"
    )
    for n, (space, logical, value) in enumerate(rows):
        stored = json.dumps({"version": 1, "workspaceKey": key, "key": logical, "value": value})
        connection.execute(
            "INSERT INTO plugin_state_entries VALUES ('memory-core', ?, ?, ?, 0, NULL)", (space, f"{key}:{n}", stored)
        )
    connection.commit()
    return connection


def test_every_field_of_an_entry_is_read(tmp_path: Path) -> None:
    found = read_peer_state(left_behind(tmp_path, RECALLS={"version": 1, "entries": {ENTRY["key"]: ENTRY}}), None)

    assert found.recalls[str(ENTRY["key"])] == PeerRecall(
        key="memory:memory/2026-11-06.md:1:7", path="memory/2026-11-06.md", first=1, last=7,
        snippet="Prefer Signal over e-mail", recalls=7, total_score=5.5, max_score=0.9,
        first_recalled=datetime(2026, 11, 11, 9, tzinfo=UTC), last_recalled=datetime(2026, 11, 14, 9, tzinfo=UTC),
        promoted=datetime(2026, 11, 15, 9, tzinfo=UTC), queries=("ddf671495620",), user_queries=("ddf671495620",),
        days=(date(2026, 11, 11),), tags=("signal",), claim="03f150d523cf",
        origin=PeerOrigin("agent", "unknown"), project="house",
    )  # fmt: skip


def test_signals_and_events_are_read(tmp_path: Path) -> None:
    root = left_behind(
        tmp_path,
        SIGNALS={
            "entries": {"k": {"key": "k", "lightHits": 3, "remHits": 20_000, "lastRemAt": "2026-11-14T09:00:00Z"}}
        },
        JOURNAL='{"type": "memory.recall.recorded", "timestamp": "2026-11-14T09:00:00Z", "query": "tea"}\n{"torn',
    )

    found = read_peer_state(root, None)

    assert found.signals == {"k": PeerSignal("k", 3, 9_999, None, datetime(2026, 11, 14, 9, tzinfo=UTC))}
    assert [(event.kind, event.about["query"]) for event in found.events] == [("memory.recall.recorded", "tea")]
    assert found.doubts == (f"1 damaged line of {PEER_JOURNAL} was left out",)


# What the peer really wrote


def test_a_real_store_of_files_is_read_whole() -> None:
    found = read_peer_state(JSON_ERA, None)
    kept = json.loads((JSON_ERA / PEER_RECALLS).read_text())["entries"]

    assert {key: one.recalls for key, one in found.recalls.items()} == {k: v["recallCount"] for k, v in kept.items()}
    assert all(one.last_recalled and one.snippet and one.user_queries == one.queries for one in found.recalls.values())
    assert [event.kind for event in found.events].count("memory.recall.recorded") > 10
    assert found.doubts == ()


def test_a_real_database_is_read_whole_and_not_touched(tmp_path: Path) -> None:
    copy = tmp_path / "openclaw.sqlite"
    shutil.copy(SQLITE_ERA, copy)

    found = read_peer_state(tmp_path, copy, every_workspace=True)

    assert len(found.recalls) >= 14
    assert found.recalls["memory:memory/2026-11-14.md:1:7"].user_queries[0] == "ddf671495620"
    assert {event.kind for event in found.events} == {"memory.recall.recorded", "memory.promotion.applied"}
    assert (found.doubts, copy.read_bytes()) == ((), SQLITE_ERA.read_bytes())
    assert [path.name for path in tmp_path.iterdir()] == ["openclaw.sqlite"]


def test_another_workspace_of_the_same_database_is_not_ours(tmp_path: Path) -> None:
    assert read_peer_state(tmp_path, SQLITE_ERA) == PeerState()


@pytest.mark.parametrize("wal", [False, True])
def test_a_workspace_finds_its_own_rows_even_while_the_peer_writes(tmp_path: Path, wal: bool) -> None:
    rows = [
        ("short-term-recall", str(ENTRY["key"]), ENTRY),
        ("short-term-phase-signals", "k", {"lightHits": 2}),
    ]
    with closing(database(tmp_path / "state.sqlite", tmp_path, rows, wal=wal)):
        found = read_peer_state(tmp_path, tmp_path / "state.sqlite")

    assert list(found.recalls) == [ENTRY["key"]]
    assert (found.signals["k"].light, found.doubts) == (2, ())


# Several sources


@pytest.mark.parametrize(
    ("live", "migrated", "count"), [("2026-11-14", "2026-11-10", 1), ("2026-11-09", "2026-11-10", 2)]
)
def test_the_newest_of_two_records_wins(tmp_path: Path, live: str, migrated: str, count: int) -> None:
    def store(day: str, recalls: int) -> object:
        return {"entries": {ENTRY["key"]: {**ENTRY, "lastRecalledAt": f"{day}T09:00:00Z", "recallCount": recalls}}}

    root = left_behind(tmp_path, RECALLS=store(live, 1), RECALLS_migrated=store(migrated, 2))

    assert [one.recalls for one in read_peer_state(root, None).recalls.values()] == [count]


def test_a_migrated_log_is_not_counted_twice(tmp_path: Path) -> None:
    line = '{"type": "memory.recall.recorded", "timestamp": "2026-11-14T09:00:00Z", "query": "tea"}\n'

    assert len(read_peer_state(left_behind(tmp_path, JOURNAL=line, JOURNAL_migrated=line), None).events) == 1


# Damage and strangers


@pytest.mark.parametrize("text", ["", "{", "[]", '{"entries": []}', '{"version": 1}', "null", "[" * 100_000, "\0\0\0"])
@pytest.mark.parametrize("name", ["RECALLS", "SIGNALS"])
def test_a_damaged_file_is_an_empty_part_and_a_word(tmp_path: Path, name: str, text: str) -> None:
    found = read_peer_state(left_behind(tmp_path, **{name: text}), None)

    assert found == PeerState(doubts=found.doubts)
    assert len(found.doubts) == 1
    assert "damaged" in found.doubts[0]


@pytest.mark.parametrize("what", ["text", "no table", "nothing", "link", "folder", "cut short"])
def test_a_damaged_database_is_an_empty_part_and_a_word(tmp_path: Path, what: str) -> None:
    path = tmp_path / "state.sqlite"
    bytes_of = {"no table": b"", "text": b"not a database " * 100, "cut short": SQLITE_ERA.read_bytes()[:9000]}
    if what in bytes_of:
        path.write_bytes(bytes_of[what])
    elif what == "link":
        path.symlink_to(SQLITE_ERA)
    elif what == "folder":
        path.mkdir()

    found = read_peer_state(tmp_path, path, every_workspace=True)

    assert found == PeerState(doubts=found.doubts)
    assert len(found.doubts) == 1


@pytest.mark.parametrize("how", ["link", "pipe", "linked folder"])
def test_a_file_that_is_not_one_is_not_read(tmp_path: Path, how: str) -> None:
    elsewhere = left_behind(tmp_path / "elsewhere", RECALLS={"entries": {ENTRY["key"]: ENTRY}})
    root = tmp_path / "workspace"
    (root / PEER_RECALLS).parent.parent.mkdir(parents=True)
    if how == "linked folder":
        (root / PEER_RECALLS).parent.symlink_to((elsewhere / PEER_RECALLS).parent)
    else:
        (root / PEER_RECALLS).parent.mkdir()
        (root / PEER_RECALLS).symlink_to(elsewhere / PEER_RECALLS) if how == "link" else os.mkfifo(root / PEER_RECALLS)

    found = read_peer_state(root, None)

    assert (dict(found.recalls), len(found.doubts)) == ({}, 1)


def test_a_workspace_without_a_peer_has_no_state_and_no_doubts(tmp_path: Path) -> None:
    assert read_peer_state(tmp_path, None) == PeerState()


@pytest.mark.parametrize("source", ["sessions", "wiki", None, 3])
def test_entries_from_elsewhere_are_dropped(source: object) -> None:
    assert recall_of("k", {**ENTRY, "source": source}) is None


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.md", "memory/../../x", "C:\\x.md", "", "a\nb.md", 3, "x" * 2000])
def test_a_path_that_leads_out_of_the_workspace_is_no_path(path: object) -> None:
    assert path_of(path) == ""
    assert recall_of("k", {**ENTRY, "path": path}) is None


def test_numbers_and_lists_are_bounded() -> None:
    wild = {
        **ENTRY, "recallCount": -4, "dailyCount": 1e300, "groundedCount": float("nan"), "maxScore": 7, "totalScore": float("inf"),
        "startLine": 0, "endLine": -3, "queryHashes": [f"{n:012x}" for n in range(99)] + [None, "no hash!"],
        "recallDays": ["2026-11-11", "2026-11-11", "soon"], "conceptTags": [f"t{n}" for n in range(50)],
        "snippet": "😀 " * 5000, "claimHash": "../..", "provenance": {"originClass": "root"},
    }  # fmt: skip

    found = recall_of("k", wild)

    assert found is not None
    assert (found.recalls, found.daily, found.grounded, found.signals) == (0, 1_000_000, 0, 1_000_000)
    assert (found.max_score, found.total_score, found.first, found.last) == (1.0, 0.0, 1, 1)
    assert (len(found.queries), found.queries[-1], found.days) == (32, f"{98:012x}", (date(2026, 11, 11),))
    assert (len(found.tags), found.claim, found.user_queries) == (8, "", ())
    assert found.origin == PeerOrigin("untrusted")
    assert len(found.snippet.encode("utf-16-le")) <= 1600


def test_a_secret_in_the_peers_store_is_masked_when_it_is_read() -> None:
    assert "a1B2" not in str(recall_of("k", {**ENTRY, "snippet": "token: ghp_" + "a1B2" * 9}))
