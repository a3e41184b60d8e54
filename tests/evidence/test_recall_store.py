"""Light's part of the recall store: each line once a day, in the peer's format, for a while, and never at a recall's cost."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build
from reverie.core.layout import RECALLS, SIGNALS
from reverie.core.ports import HashEmbedder, fixed
from reverie.core.settings import Dreaming, Settings
from reverie.evidence.journal import record_search
from reverie.evidence.recall_store import MOST_ENTRIES, Staged, fold, mark_promoted, reinforce, stage, words_hash
from reverie.evidence.search import Hit
from reverie.evidence.state_files import Steps
from reverie.features.search import ask
from reverie.judge import worth
from reverie.night.commands import undo
from reverie.night.live_lines import recall_state
from reverie.night.remember import sweep
from reverie.openclaw import deep
from reverie.openclaw.promotions import Gates, promote
from reverie.workspace.openclaw_format import DAILY_QUERY, PeerSignal, claim_hash, query_hash
from reverie.workspace.values import Statement, stated
from talk import CutSteps, PowerCut

NOW = fixed(NIGHT).now()
PEER = Path(__file__).parents[1] / "peer/2026.5.7-backfilled/memory/.dreams/short-term-recall.json"
TEA = "Noor drinks green tea only"


def said(text: str = TEA, day: str = "2026-11-13", line: int = 1, **more: str) -> Statement:
    return stated(f"memory/{day}.md", line, line, text, day=day, **more)


def staged(root: Path, *claims: Statement, nights: int = 0, steps: Steps | None = None, most: int = 400) -> Staged:
    return stage(root, claims or (said(),), NOW + timedelta(days=nights), ttl_days=14, most=most, steps=steps)


def entries(root: Path, path: str = RECALLS) -> dict[str, Any]:
    value = json.loads((root / path).read_text("utf-8"))["entries"]
    assert isinstance(value, dict)
    return value


def recall(root: Path, claim: Statement, query: str = "tea?") -> None:
    record_search(root, query, [Hit(claim, 0.7, 1.0, 0.0, "")], NOW)
    fold(root, NOW)


# What an entry says


def test_a_line_of_a_note_is_staged_as_the_peer_stages_it(tmp_path: Path) -> None:
    assert staged(tmp_path) == Staged(counted=1)

    key = f"memory:claim:{claim_hash(TEA)}"
    assert entries(tmp_path) == {
        key: {
            "key": key, "path": "memory/2026-11-13.md", "startLine": 1, "endLine": 1, "source": "memory", "snippet": "",
            "recallCount": 0, "dailyCount": 1, "groundedCount": 0, "totalScore": 0.62, "maxScore": 0.62,
            "firstRecalledAt": "2026-11-15T02:00:00.000Z", "lastRecalledAt": "2026-11-15T02:00:00.000Z",
            "queryHashes": [query_hash(f"{DAILY_QUERY}2026-11-13")], "recallDays": ["2026-11-13"],
            "conceptTags": [], "userQueryHashes": [], "claimHash": claim_hash(TEA), "wordsHash": words_hash(TEA),
        }
    }  # fmt: skip
    theirs = next(iter(json.loads(PEER.read_text("utf-8"))["entries"].values()))
    assert set(theirs) - {"promotedAt"} <= set(entries(tmp_path)[key])


@pytest.mark.parametrize("text", ["小明对花生过敏", "Нур пьёт только зелёный чай", "ヌールは緑茶だけを飲む", TEA])
def test_the_same_words_are_one_entry_in_any_language(tmp_path: Path, text: str) -> None:
    staged(tmp_path, said(text), said(text, "2026-11-14"), said(f"  **{text}**! ", "2026-11-14", 7))

    (entry,) = entries(tmp_path).values()
    assert (entry["dailyCount"], entry["recallDays"]) == (2, ["2026-11-13", "2026-11-14"])


@pytest.mark.parametrize(
    "claim",
    [
        said(origin="machine"),
        said(origin="quoted"),
        said(origin="dream"),
        said("short"),
        said(day="2026-10-30"),
        stated("MEMORY.md", 1, 1, TEA, day="2026-11-13"),
        stated("memory/dreaming/light/2026-11-13.md", 1, 1, TEA, day="2026-11-13"),
    ],
)
def test_what_is_not_the_owners_or_not_recent_is_not_staged(tmp_path: Path, claim: Statement) -> None:
    assert staged(tmp_path, claim) == Staged()
    assert not (tmp_path / RECALLS).exists()


# Exactly once


def test_staging_again_changes_no_byte(tmp_path: Path) -> None:
    staged(tmp_path)
    before = (tmp_path / RECALLS).read_bytes()

    for night in range(3):
        assert staged(tmp_path, nights=night) == Staged()

    assert (tmp_path / RECALLS).read_bytes() == before


@pytest.mark.parametrize("torn", [False, True])
def test_a_power_cut_between_any_two_steps_counts_every_line_once(tmp_path: Path, *, torn: bool) -> None:
    at, finished = 0, False
    while not finished:
        at += 1
        root = tmp_path / f"cut-{at}"
        root.mkdir()
        staged(root)
        try:
            staged(root, said(), said(day="2026-11-14"), steps=CutSteps(at, torn=torn))
            finished = True
        except PowerCut:
            pass
        staged(root, said(), said(day="2026-11-14"))

        assert [entry["dailyCount"] for entry in entries(root).values()] == [2]
    assert at >= 3


# One claim, one entry


@pytest.mark.parametrize("recalled_first", [False, True])
def test_a_line_that_is_staged_and_recalled_is_one_entry(tmp_path: Path, *, recalled_first: bool) -> None:
    claim = said("descale it every eight weeks", parents="Espresso machine")
    for step in (recall, staged) if recalled_first else (staged, recall, staged):
        step(tmp_path, claim)  # type: ignore[operator]

    (entry,) = entries(tmp_path).values()
    assert (entry["recallCount"], entry["dailyCount"], len(entry["userQueryHashes"])) == (1, 1, 1)
    assert entry["recallDays"] == ["2026-11-13", "2026-11-15"]


@pytest.mark.parametrize("bad", [None, "text", {"key": 7}, {"snippet": TEA, "dailyCount": "many"}])
def test_a_damaged_entry_is_left_as_it_is(tmp_path: Path, bad: Any) -> None:
    (tmp_path / RECALLS).parent.mkdir(parents=True)
    (tmp_path / RECALLS).write_text(json.dumps({"version": 1, "entries": {"bad": bad}, "extra": 1}))

    staged(tmp_path)

    assert entries(tmp_path)["bad"] == bad and len(entries(tmp_path)) == 2


# For a while


def test_what_nobody_asks_for_leaves_after_its_time_and_what_was_asked_for_stays(tmp_path: Path) -> None:
    recall(tmp_path, said("Noor has a cat called Miso"))
    staged(tmp_path)

    assert staged(tmp_path, nights=11) == Staged()
    assert staged(tmp_path, nights=12) == Staged(expired=1)
    assert [entry["recallCount"] for entry in entries(tmp_path).values()] == [1]


def test_six_hundred_new_lines_a_night_never_evict_what_was_recalled(tmp_path: Path) -> None:
    recall(tmp_path, said())
    (ours,) = entries(tmp_path)

    for night in range(4):
        day = (NOW + timedelta(days=night)).date().isoformat()
        lines = [said(f"line {n} of night {night}, nothing special", day, n + 1) for n in range(600)]
        done = staged(tmp_path, *lines, nights=night, most=1000)

    assert done.evicted > 0 and len(entries(tmp_path)) == MOST_ENTRIES
    assert entries(tmp_path)[ours]["recallCount"] == 1


def test_a_night_counts_the_newest_lines_first(tmp_path: Path) -> None:
    lines = [said(f"line {n}, nothing special", f"2026-11-{3 + n:02}") for n in range(10)]

    assert staged(tmp_path, *lines, most=4) == Staged(counted=4)
    assert sorted(entry["recallDays"][0] for entry in entries(tmp_path).values())[0] == "2026-11-09"


# Marks


def test_a_phase_meets_an_entry_once_a_night(tmp_path: Path) -> None:
    staged(tmp_path)
    (key,) = entries(tmp_path)
    known: dict[str, PeerSignal] = {}

    assert reinforce(tmp_path, known, [key], [key], NOW) == 1
    known = {key: PeerSignal(key, 1, 1, NOW, NOW)}
    assert reinforce(tmp_path, known, [key], [key], NOW + timedelta(hours=2)) == 0
    assert reinforce(tmp_path, known, [key], [], NOW + timedelta(days=1)) == 1

    (signal,) = entries(tmp_path, SIGNALS).values()
    assert (signal["lightHits"], signal["remHits"], signal["lastLightAt"]) == (2, 1, "2026-11-16T02:00:00.000Z")


def test_a_promotion_is_noted_and_taken_back(tmp_path: Path) -> None:
    staged(tmp_path)
    (key,) = entries(tmp_path)

    mark_promoted(tmp_path, {key: "2026-11-15T02:00:00.000Z", "unknown": "x"})
    assert entries(tmp_path)[key]["promotedAt"] == "2026-11-15T02:00:00.000Z"

    mark_promoted(tmp_path, {key: ""})
    assert "promotedAt" not in entries(tmp_path)[key] and len(entries(tmp_path)) == 1


# In a sweep


def test_a_sweep_stages_and_reinforces_once_a_night_and_a_look_by_day_does_not(build: Build) -> None:
    workspace = replace(build({"memory/2026-11-14.md": f"- {TEA}\n- heartbeat ok\n"}), embedder=HashEmbedder())
    sweep(workspace, fixed(NIGHT), asleep=False)
    assert not (workspace.root / RECALLS).exists()

    sweep(workspace, fixed(NIGHT))
    sweep(workspace, fixed(NIGHT))

    assert [entry["claimHash"] for entry in entries(workspace.root).values()] == [claim_hash(TEA)]
    (read,) = recall_state(workspace).recalls.values()
    assert (read.snippet, read.tags) == (TEA, ("noor", "drinks", "green", "tea", "only"))
    assert [signal["lightHits"] for signal in entries(workspace.root, SIGNALS).values()] == [1]


def test_a_lane_that_is_off_leaves_no_trace(build: Build) -> None:
    off = Settings(dreaming=Dreaming(enabled=False))
    workspace = replace(build({"memory/2026-11-14.md": f"- {TEA}\n"}, off), embedder=HashEmbedder())

    sweep(workspace, fixed(NIGHT))

    assert not (workspace.root / RECALLS).exists() and not (workspace.root / SIGNALS).exists()


def test_an_undo_gives_the_mark_of_a_promotion_back(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "worth_of", lambda lines, embed: [worth.Worth(1.0, "fact") for _ in lines])
    workspace = replace(build({"MEMORY.md": "# Me\n", "memory/2026-11-14.md": f"- {TEA}\n"}), embedder=HashEmbedder())
    for question in ("green tea", "who drinks tea", "Noor's favourite drink"):
        ask(workspace, workspace.embedder, fixed(NIGHT), question, limit=1)
    promote(workspace, fixed(NIGHT), Gates(min_recall_count=1, min_unique_queries=1))
    assert all("promotedAt" in entry for entry in entries(workspace.root).values())

    undo(workspace, fixed(NIGHT))
    sweep(workspace, fixed(NIGHT))

    assert not any("promotedAt" in entry for entry in entries(workspace.root).values())
