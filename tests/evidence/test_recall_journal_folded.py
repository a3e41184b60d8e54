"""Journal → checkpoints in the peer's formats: each line counted once, the least valuable leave first, nothing of the peer's is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import JOURNAL, PEER_JOURNAL, PEER_RECALLS, RECALLS, SIGNALS
from reverie.core.ports import HashEmbedder, fixed
from reverie.evidence import recall_store as room
from reverie.evidence.journal import append, record_search
from reverie.evidence.recall_store import LONG_JOURNAL, MOST_DAYS, MOST_ENTRIES, MOST_HASHES, Folded, fold
from reverie.evidence.search import Hit
from reverie.evidence.state_files import Steps
from reverie.features.search import ask
from reverie.night.live_lines import recall_state
from reverie.night.remember import sweep
from reverie.workspace.values import stated
from talk import CutSteps, PowerCut

NOW = fixed(NIGHT).now()
PEER = Path(__file__).parents[1] / "peer/2026.5.7-backfilled/memory/.dreams"
NOTE = "memory/2026-11-01.md"
FIELDS = {
    "key", "path", "startLine", "endLine", "source", "snippet", "recallCount", "dailyCount", "groundedCount", "totalScore", "maxScore",
    "firstRecalledAt", "lastRecalledAt", "queryHashes", "recallDays", "conceptTags",
}  # fmt: skip


def hit(line: int = 3, text: str = "likes tea", path: str = NOTE, score: float = 0.5) -> Hit:
    return Hit(stated(path, line, line, text, day="2026-11-01"), score, 1.0, 0.0, "")


def recall(root: Path, query: str = "tea?", *hits: Hit, days: int = 0) -> None:
    record_search(root, query, hits or [hit()], NOW + timedelta(days=days))


def folded(root: Path, steps: Steps | None = None) -> Folded:
    return fold(root, NOW, steps)


def store(root: Path, path: str = RECALLS) -> dict[str, Any]:
    value = json.loads((root / path).read_text("utf-8"))
    assert isinstance(value, dict)
    return value


def entries(root: Path) -> dict[str, Any]:
    found = store(root)["entries"]
    assert isinstance(found, dict)
    return found


# What an entry says


def test_a_recall_becomes_an_entry_in_the_peers_format(tmp_path: Path) -> None:
    recall(tmp_path, " Tea? ")
    recall(tmp_path, "tea?", days=1)

    assert folded(tmp_path) == Folded(2, 1, 0)

    key = f"memory:{NOTE}:3:3:{hit().claim.key[:12]}"
    assert entries(tmp_path) == {
        key: {
            "key": key, "path": NOTE, "startLine": 3, "endLine": 3, "source": "memory", "snippet": "",
            "recallCount": 2, "dailyCount": 0, "groundedCount": 0, "totalScore": 1.0, "maxScore": 0.5,
            "firstRecalledAt": "2026-11-15T02:00:00.000Z", "lastRecalledAt": "2026-11-16T02:00:00.000Z",
            "queryHashes": ["0561a9191d2e"], "recallDays": ["2026-11-15", "2026-11-16"], "conceptTags": [],
            "userQueryHashes": ["0561a9191d2e"], "claimHash": hit().claim.key[:12],
        }
    }  # fmt: skip


def test_the_fields_are_those_of_the_peer(tmp_path: Path) -> None:
    peer = json.loads((PEER / "short-term-recall.json").read_text())
    recall(tmp_path)
    folded(tmp_path)

    (entry,) = entries(tmp_path).values()
    assert set(peer) <= set(store(tmp_path))
    for theirs in peer["entries"].values():
        assert set(theirs) >= FIELDS and set(theirs) - {"promotedAt"} <= set(entry)
        shared = set(theirs) & set(entry)
        assert {name: number(theirs[name]) for name in shared} == {name: number(entry[name]) for name in shared}


def number(value: object) -> str:
    return "number" if isinstance(value, (int, float)) else type(value).__name__


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "knowledge/x.md", "vault:ledger.md", "../../etc/passwd", "memory/palace/x.md"]
)
def test_only_short_term_memory_is_counted(tmp_path: Path, path: str) -> None:
    recall(tmp_path, "tea?", hit(path=path))
    folded(tmp_path)

    assert entries(tmp_path) == {}


def test_an_entry_is_bounded(tmp_path: Path) -> None:
    for n in range(60):
        recall(tmp_path, f"question {n}", days=n)
    folded(tmp_path)

    (entry,) = entries(tmp_path).values()
    assert (len(entry["queryHashes"]), len(entry["recallDays"])) == (MOST_HASHES, MOST_DAYS)
    assert entry["recallDays"][-1] == "2027-01-13"


# Exactly once


def test_folding_again_counts_nothing_twice(tmp_path: Path) -> None:
    for n in range(5):
        recall(tmp_path, f"q{n}")
        folded(tmp_path)
        before = (tmp_path / RECALLS).read_bytes()
        assert folded(tmp_path).events == 0
        assert (tmp_path / RECALLS).read_bytes() == before

    assert [entry["recallCount"] for entry in entries(tmp_path).values()] == [5]


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("long", [False, True])
def test_a_power_cut_between_any_two_steps_counts_every_recall_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, torn: bool, long: bool
) -> None:
    monkeypatch.setattr(room, "LONG_JOURNAL", 100 if long else LONG_JOURNAL)
    at, finished = 0, False
    while not finished:
        at += 1
        root = tmp_path / f"cut-{at}"
        (root / "memory/.dreams").mkdir(parents=True)
        recall(root)
        folded(root)
        for n in range(3):
            recall(root, f"q{n}")
        try:
            folded(root, CutSteps(at, torn=torn))
            finished = True
        except PowerCut:
            pass
        recall(root, "after")
        folded(root)

        assert [entry["recallCount"] for entry in entries(root).values()] == [5]
    assert at >= 4


@pytest.mark.parametrize("torn", [b'{"type":"memory.recall.rec', b'{"type": 3}\n', b"[]\n", b"garbage\n", b"\n\n"])
def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path, torn: bytes) -> None:
    recall(tmp_path)
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(torn)

    assert folded(tmp_path) == Folded(1, 1, 0)
    assert folded(tmp_path).events == 0


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"path": NOTE},
        {"path": NOTE, "startLine": "x", "endLine": 1, "score": 1},
        {"path": NOTE, "startLine": 1, "endLine": 1, "score": None},
        {"path": 7, "startLine": 1, "endLine": 1, "score": 1},
        "text",
    ],
)
def test_a_result_that_is_none_does_no_harm(tmp_path: Path, result: object) -> None:
    at = "2026-11-15T02:00:00.000Z"
    append(tmp_path, {"type": "memory.recall.recorded", "timestamp": at, "query": "q", "results": [result]})
    recall(tmp_path)
    folded(tmp_path)

    assert [entry["recallCount"] for entry in entries(tmp_path).values()] == [1]


# The peer's own


def peers(count: int, recalls: int = 0, start: int = 0) -> dict[str, Any]:
    at = "2026-11-10T00:00:00.000Z"
    keys = [f"memory:memory/2026-10-01.md:{n}:{n}" for n in range(start, start + count)]
    return {
        key: dict.fromkeys(FIELDS, 0)
        | {"key": key, "path": "memory/2026-10-01.md", "source": "memory", "snippet": "theirs", "recallCount": recalls}
        | {"queryHashes": [], "recallDays": [], "conceptTags": ["tea"], "firstRecalledAt": at, "lastRecalledAt": at}
        for key in keys
    }


def write_store(root: Path, found: object, path: str = RECALLS) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(json.dumps(found))


def test_the_peers_store_and_journal_keep_every_byte(tmp_path: Path) -> None:
    (tmp_path / PEER_RECALLS).parent.mkdir(parents=True)
    for path in (PEER_RECALLS, PEER_JOURNAL):
        (tmp_path / path).write_bytes((PEER / Path(path).name).read_bytes())
    recall(tmp_path)
    folded(tmp_path)

    assert len(entries(tmp_path)) == 1
    for path in (PEER_RECALLS, PEER_JOURNAL):
        assert (tmp_path / path).read_bytes() == (PEER / Path(path).name).read_bytes()


@pytest.mark.parametrize("data", [b"", b"garbage", b"[]", b'{"entries": []}', b"[" * 100_000, b"\xff\xfe"])
def test_a_store_that_is_none_is_begun_anew(tmp_path: Path, data: bytes) -> None:
    recall(tmp_path)
    (tmp_path / RECALLS).write_bytes(data)

    assert folded(tmp_path) == Folded(1, 1, 0)


# Bounds


def test_six_hundred_that_were_never_recalled_do_not_evict_one_that_was(tmp_path: Path) -> None:
    recall(tmp_path)
    folded(tmp_path)
    (ours,) = entries(tmp_path)
    for night in range(3):
        value = store(tmp_path)
        value["entries"] |= peers(600, start=600 * night)
        write_store(tmp_path, value)
        recall(tmp_path, f"another {night}", hit(9 + night, f"other {night}"))
        done = folded(tmp_path)
        assert (done.entries, done.evicted > 0) == (MOST_ENTRIES, True)

    assert ours in entries(tmp_path)
    assert sum(entry["recallCount"] > 0 for entry in entries(tmp_path).values()) == 4


def test_the_least_recalled_leave_first_and_never_simply_the_oldest(tmp_path: Path) -> None:
    write_store(tmp_path, {"version": 1, "entries": peers(10, 5) | peers(MOST_ENTRIES, 1, start=100)})
    recall(tmp_path, days=30)
    folded(tmp_path)

    kept = entries(tmp_path)
    assert len(kept) == MOST_ENTRIES
    assert set(peers(10, 5)) <= set(kept)


@pytest.mark.parametrize("bad", [{"recallCount": None}, {"recallCount": "many"}, {"recallDays": None}, "text", None])
def test_a_damaged_entry_leaves_first_and_breaks_nothing(tmp_path: Path, bad: Any) -> None:
    whole = peers(MOST_ENTRIES, 1)
    damaged = {"bad": peers(1)[next(iter(peers(1)))] | bad} if isinstance(bad, dict) else {"bad": bad}
    write_store(tmp_path, {"version": 1, "entries": whole | damaged})
    recall(tmp_path)

    assert folded(tmp_path).entries == MOST_ENTRIES


def test_signals_of_entries_that_left_leave_too_and_those_of_the_peers_entries_stay(tmp_path: Path) -> None:
    write_store(tmp_path, {"version": 1, "entries": peers(MOST_ENTRIES, 5) | {"weak": peers(1)[next(iter(peers(1)))]}})
    write_store(tmp_path, {"entries": {"weak": {"lightHits": 1}, "the peer's": {"lightHits": 9}}}, SIGNALS)
    recall(tmp_path)
    folded(tmp_path)

    assert "weak" not in entries(tmp_path)
    assert store(tmp_path, SIGNALS)["entries"] == {"the peer's": {"lightHits": 9}}


def fill(root: Path) -> int:
    """A journal over its limit; returns how many lines."""
    record_search(root, "x" * 400, [hit(n) for n in range(1, 11)], NOW)
    line = (root / JOURNAL).read_bytes()
    count = LONG_JOURNAL // len(line) + 2
    (root / JOURNAL).write_bytes(line * count)
    return count


def test_a_long_journal_is_set_aside_and_the_next_begins(tmp_path: Path) -> None:
    count = fill(tmp_path)

    assert folded(tmp_path).events == count
    assert not (tmp_path / JOURNAL).exists()
    assert folded(tmp_path).events == 0
    recall(tmp_path)
    assert folded(tmp_path).events == 1
    fill(tmp_path)
    folded(tmp_path)
    assert sorted(path.name for path in (tmp_path / "memory/.dreams").glob("*events*")) == ["reverie-events.1.jsonl"]


class Busy(Steps):
    """A search ends just before the journal is moved."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def move(self, source: Path, target: Path) -> None:
        if target.name.startswith("reverie-events"):
            recall(self.root, "at the last moment", hit(99, "just in time"))
        super().move(source, target)


def test_a_recall_at_the_moment_of_setting_aside_is_not_lost(tmp_path: Path) -> None:
    fill(tmp_path)

    folded(tmp_path, Busy(tmp_path))
    folded(tmp_path)

    assert any(entry["startLine"] == 99 for entry in entries(tmp_path).values())


# In a sweep


def lines(count: int) -> Iterator[str]:
    return (f"- thing {n} of the day\n" for n in range(count))


def test_a_sweep_folds_what_was_searched_and_its_words_are_read_from_the_note(build: Build) -> None:
    workspace, clock = build({NOTE: "# Day\n- Marta is allergic to hazelnuts\n" + "".join(lines(5))}), fixed(NIGHT)
    ask(workspace, HashEmbedder(), clock, "hazelnuts", limit=1)

    swept = sweep(replace(workspace, embedder=HashEmbedder()), clock)

    assert (swept.folded, swept.trouble) == (Folded(1, 1, 0), "")
    (entry,) = entries(workspace.root).values()
    assert (entry["snippet"], entry["recallCount"]) == ("", 1)
    (read,) = recall_state(workspace).recalls.values()
    assert (read.snippet, read.recalls) == ("Marta is allergic to hazelnuts", 1)
    assert sweep(replace(workspace, embedder=HashEmbedder()), clock).folded == Folded(0, 1, 0)


@pytest.mark.parametrize("moved", ["# Day\n- new\n- {}\n", "# Day\n\n\n- **{}**!\n"])
def test_an_entry_says_what_stands_in_its_note_wherever_the_line_moved(build: Build, moved: str) -> None:
    workspace, clock = build({NOTE: "# Day\n- Marta is allergic to hazelnuts\n"}), fixed(NIGHT)
    ask(workspace, HashEmbedder(), clock, "hazelnuts", limit=1)
    sweep(replace(workspace, embedder=HashEmbedder()), clock)

    (workspace.root / NOTE).write_text(moved.format("Marta is allergic to hazelnuts"))
    assert "Marta is allergic to hazelnuts" in [
        one.snippet.strip("*!") for one in recall_state(workspace).recalls.values()
    ]

    (workspace.root / NOTE).write_text("# Day\n- Marta likes hazelnuts\n")
    assert recall_state(workspace).recalls == {}


def test_the_words_that_an_older_version_kept_leave_its_store(build: Build) -> None:
    workspace, clock = build({NOTE: "# Day\n- likes tea\n"}), fixed(NIGHT)
    recall(workspace.root)
    folded(workspace.root)
    old = store(workspace.root)
    for entry in old["entries"].values():
        entry["snippet"], entry["conceptTags"] = "likes tea", ["likes", "tea"]
    (workspace.root / RECALLS).write_text(json.dumps(old))

    sweep(workspace, clock)

    assert b"likes" not in (workspace.root / RECALLS).read_bytes()
    assert [one.snippet for one in recall_state(workspace).recalls.values()] == ["likes tea"]
