"""What two real OpenClaw installations printed about their own stores, computed again from those stores.

`tests/peer/printed.json` holds what `memory promote --json`, `memory rem-harness --json` and `memory promote --apply` said.
The stores beside it are those of the same workspaces after the last command; nothing but the marks of promotion changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import peer_format
import peer_notes
import peer_promotion
import pytest

from ranking import ranked
from reverie.openclaw import phases
from reverie.openclaw.score import OPENCLAW_2026_4, OPENCLAW_2026_9, Profile, with_gates
from reverie.workspace.openclaw_format import PeerRecall, PeerState, claim_key, concept_tags
from reverie.workspace.openclaw_state import read_peer_state

PEER = Path(__file__).parents[1] / "peer"
PRINTED = json.loads((PEER / "printed.json").read_text("utf-8"))
SQLITE = PEER / "2026.9.6-state" / "openclaw.sqlite"
# 2026.5.7 ranks as 2026.4 did, and already leaves out what is contaminated. The command has no limit of its own.
PROFILES = {
    "2026.5.7": replace(OPENCLAW_2026_4, filters=True, limit=None),
    "2026.9.6": replace(OPENCLAW_2026_9, limit=None),
}
VERSIONS = tuple(PROFILES)
COMMANDS = [(version, nth) for version in VERSIONS for nth in range(4)]


def left_by(version: str) -> PeerState:
    if version == "2026.5.7":
        return read_peer_state(PEER / "2026.5.7-backfilled", None)
    return read_peer_state(Path("/home/user/ws"), SQLITE)


def before_promotion(version: str) -> list[PeerRecall]:
    return [replace(one, promoted=None) for one in left_by(version).recalls.values()]


@pytest.mark.parametrize(("version", "nth"), COMMANDS)
def test_promote_prints_the_same_candidates_in_the_same_order_with_the_same_scores(version: str, nth: int) -> None:
    printed = PRINTED[version]["promote"][nth]
    profile = PROFILES[version]
    if not printed["gates"]:
        profile = with_gates(profile, min_score=0, min_signals=0, min_queries=0)

    state = left_by(version)
    found = ranked(
        state.recalls.values(), state.signals, profile, datetime.fromisoformat(printed["now"]),
        include_promoted=not printed["promotedLeftOut"],
    )  # fmt: skip

    names = printed["candidates"][0]["components"]
    ours = [(one.entry.key, one.score, *(getattr(one.components, name) for name in names)) for one in found]
    theirs = [(one["key"], one["score"], *one["components"].values()) for one in printed["candidates"]]
    assert rounded(ours) == rounded(theirs)


def rounded(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(round(one, 6) if isinstance(one, float) else one for one in row) for row in rows]


@pytest.mark.parametrize("version", VERSIONS)
def test_rem_finds_the_same_themes_and_the_same_truths(version: str) -> None:
    entries = before_promotion(version)

    themes = [line for line in phases.theme_lines(phases.tag_themes(entries)) if "evidence" not in line]
    truths = [[one.place, one.confidence] for one in phases.truths(entries, PROFILES[version])]

    assert themes == PRINTED[version]["rem"]["themes"]
    assert truths == [[place, pytest.approx(sure)] for place, sure in PRINTED[version]["rem"]["truths"]]


@pytest.mark.parametrize("version", VERSIONS)
def test_memory_md_after_a_promotion_is_the_same_to_the_byte(version: str) -> None:
    profile: Profile = PROFILES[version]
    at = datetime.fromisoformat(PRINTED[version]["promotedAt"])
    candidates = [
        peer_promotion.Candidate(one.entry, one.score) for one in ranked(before_promotion(version), {}, profile, at)
    ]

    found = peer_promotion.promote(PRINTED[version]["before"], candidates, profile, at)

    assert found.text == PRINTED[version]["after"]


def test_every_line_the_peer_ingested_from_the_notes_is_a_chunk_with_the_same_key_place_and_tags() -> None:
    state = read_peer_state(Path("/home/user/ws"), SQLITE, every_workspace=True)
    ingested = {key: one for key, one in state.recalls.items() if key.startswith("memory:claim:")}
    chunks = {}
    for note in sorted((PEER / "2026.5.7-backfilled" / "memory").glob("2026-*.md")):
        lines = peer_notes.without_blocks(note.read_text("utf-8").split("\n"))
        for one in peer_notes.daily_chunks(lines, OPENCLAW_2026_9, limit=100):
            path = f"memory/{note.name}"
            place = f"{path}:{one.first}-{one.last}"
            chunks[claim_key(one.text)] = place, concept_tags(path, one.text)

    assert len(ingested) == 38
    assert {key: (one.place, one.tags) for key, one in ingested.items()}.items() <= chunks.items()


def test_the_diary_of_a_sweep_is_written_the_same_to_the_byte() -> None:
    written = (PEER / "2026.9.6-sweep" / "DREAMS.md").read_text("utf-8")
    diary = written.partition("\n\n## Deep Sleep")[0] + "\n"

    told = ""
    for entry in peer_format.entries_of(diary):
        when, _, text = entry.partition("\n")
        told = peer_format.with_entry(told, text, when.strip("*"))

    assert told == diary


def test_a_backfilled_diary_can_be_written_again_and_taken_back() -> None:
    diary = (PEER / "2026.5.7-backfilled" / "DREAMS.md").read_text("utf-8")

    assert peer_format.with_backfill(diary, peer_format.entries_of(diary)) == (diary, 14)
    assert peer_format.without_backfill(diary) == (peer_format.with_diary(""), 14)
