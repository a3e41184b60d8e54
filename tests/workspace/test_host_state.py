"""What a host wrote keeps every byte, an undo brings the rest back, and a receipt names whatever was written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.errors import RefusedFile, ReverieError
from reverie.core.layout import (
    ATTEMPTS,
    CORPUS,
    JOURNAL,
    LOCK,
    PEER_JOURNAL,
    PEER_RECALLS,
    PEER_SESSIONS,
    PEER_SIGNALS,
    RECALLS,
    RUNS,
    SIGNALS,
)
from reverie.core.ports import HashEmbedder, fixed
from reverie.evidence.recall_store import MOST_ENTRIES
from reverie.evidence.session_corpus import append_turns
from reverie.features.doctor.doctor import examine
from reverie.features.schedule import recorded
from reverie.features.search import ask
from reverie.night.commands import undo
from reverie.night.live_lines import recall_state
from reverie.workspace.openclaw_format import claim_hash
from reverie.workspace.openclaw_state import peer_state
from reverie.workspace.values import Workspace
from talk import BERLIN, NOW, corpus, transcript, turn
from terminal import call

CLOCK = fixed(NIGHT)
TEA = "Noor drinks green tea only"
KEY = "memory:memory/2026-11-13.md:1:1"


def entry(key: str = KEY, **more: Any) -> dict[str, Any]:
    return {
        "key": key, "path": "memory/2026-11-13.md", "startLine": 1, "endLine": 1, "source": "memory", "snippet": TEA,
        "recallCount": 3, "dailyCount": 0, "groundedCount": 0, "totalScore": 2.4, "maxScore": 0.9,
        "firstRecalledAt": "2026-11-11T09:00:00Z", "lastRecalledAt": "2026-11-14T09:00:00Z", "queryHashes": ["aaaaaaaaaaaa"],
        "recallDays": ["2026-11-11", "2026-11-14"], "conceptTags": ["tea"], "theirs": {"own": ["field", 1.50]}, **more,
    }  # fmt: skip


def many(count: int) -> dict[str, Any]:
    """More entries than we would keep ourselves, in an order of the host's own."""
    keys = [f"memory:memory/2026-11-01.md:{n}:{n}" for n in range(count, 0, -1)]
    return {key: entry(key, recallCount=0, snippet=f"line {n}") for n, key in enumerate(keys)}


@pytest.fixture
def hosted(build: Build) -> Workspace:
    """A workspace that OpenClaw lives in: a full store, signals, cursors, a journal and a corpus, all its own."""
    store = {"version": 1, "their": "key", "entries": {KEY: entry(), **many(MOST_ENTRIES + 88)}}
    files = {
        "MEMORY.md": "# Ada\n\n- likes tea\n",
        "memory/2026-11-13.md": f"- {TEA}\n",
        "memory/2026-11-14.md": f"- {TEA}\n- We decided: from now on the staging port is 4600\n",
        PEER_RECALLS: json.dumps(store, indent=4) + "\n\n",
        PEER_SIGNALS: json.dumps(
            {"entries": {KEY: {"lightHits": 2, "lastLightAt": "2026-11-12T02:00:00Z"}, "gone": {}}}
        ),
        PEER_SESSIONS: '{"files": {}, "seenMessages": {"main:x": ["00ff"]}, "version": 3}',
        PEER_JOURNAL: '{"type":"memory.recall.recorded","timestamp":"2026-11-14T09:00:00Z","query":"tea?","results":[]}\n{"torn',
        f"{CORPUS}/2026-11-14.txt": "[main/sessions/x.jsonl#L1] User: the boat is sold",
    }
    return replace(build(files), embedder=HashEmbedder())


def everything(root: Path) -> dict[str, bytes]:
    """Every byte of a workspace; a lock that is open says nothing."""
    return {path: data for path, data in tree(root, without=("none",)).items() if data or not path.endswith("lock")}


def without_ours(root: Path) -> dict[str, bytes]:
    return {
        path: data for path, data in everything(root).items() if not path.startswith(("memory/.dreams/", "dream-vault"))
    }


def of_the_host(root: Path) -> dict[str, bytes]:
    paths = (PEER_RECALLS, PEER_SIGNALS, PEER_SESSIONS, PEER_JOURNAL, f"{CORPUS}/2026-11-14.txt")
    return {path: (root / path).read_bytes() for path in paths}


# The host's files


def test_nights_searches_and_promotions_change_no_byte_of_the_hosts_state(hosted: Workspace) -> None:
    theirs = of_the_host(hosted.root)

    for night in (15, 16, 17):
        clock = fixed(f"2026-11-{night}T03:00:00+01:00")
        ask(hosted, hosted.embedder, clock, "which port has staging")
        recorded.review(hosted, clock)
        assert of_the_host(hosted.root) == theirs
    call("promote", "--apply", "--workspace", hosted.root, "--now", NIGHT)
    call("doctor", "--fix", "--workspace", hosted.root, "--now", NIGHT)

    assert of_the_host(hosted.root) == theirs
    assert len(json.loads((hosted.root / RECALLS).read_text())["entries"]) <= MOST_ENTRIES


def test_what_the_host_counted_and_what_we_counted_add_up(hosted: Workspace) -> None:
    ours = entry(
        recallCount=2, dailyCount=1, totalScore=1.5, queryHashes=["bbbbbbbbbbbb"], promotedAt="2026-11-15T02:00:00Z"
    )
    (hosted.root / RECALLS).write_text(json.dumps({"entries": {KEY: ours, "memory:claim:1": entry("memory:claim:1")}}))
    (hosted.root / SIGNALS).write_text(json.dumps({"entries": {KEY: {"lightHits": 1, "remHits": 1}}}))

    state = peer_state(hosted)

    both = state.recalls[KEY]
    assert (both.recalls, both.daily, both.total_score) == (5, 1, pytest.approx(3.9))
    assert both.queries == ("aaaaaaaaaaaa", "bbbbbbbbbbbb") and both.promoted
    assert (state.signals[KEY].light, state.signals[KEY].rem) == (3, 1)
    assert len(state.recalls) == MOST_ENTRIES + 88 + 2


def test_a_day_that_the_host_has_counted_is_not_counted_again(hosted: Workspace) -> None:
    recorded.review(hosted, CLOCK)
    theirs = json.loads((hosted.root / RECALLS).read_text())["entries"]
    staged = next(one for one in theirs.values() if one["claimHash"] == claim_hash(TEA) and one["dailyCount"] == 2)
    staged["snippet"] = TEA
    (hosted.root / RECALLS).unlink()
    (hosted.root / PEER_RECALLS).write_text(json.dumps({"entries": {staged["key"]: staged}}))

    recorded.review(hosted, CLOCK)

    counted = [one.daily for one in recall_state(hosted).recalls.values() if one.snippet == TEA]
    assert counted == [2]


def test_what_the_host_heard_is_not_heard_again_and_its_last_line_stays_open(hosted: Workspace) -> None:
    theirs = of_the_host(hosted.root)
    said = [transcript(turn(n, text)) for n, text in ((1, "I moved to Bern"), (2, "the boat is sold"))]

    append_turns(hosted.root, said, BERLIN, now=NOW)
    append_turns(hosted.root, said, BERLIN, now=NOW)

    assert [line.partition("User: ")[2] for line in corpus(hosted.root)["2026-11-14"]] == [
        "I moved to Bern",
        "the boat is sold",
    ]
    assert of_the_host(hosted.root) == theirs


# Undo


def test_an_undo_brings_every_byte_back_that_was_there_before(hosted: Workspace) -> None:
    before = everything(hosted.root)
    assert recorded.review(hosted, CLOCK).run

    undo(hosted, CLOCK)

    after = everything(hosted.root)
    assert {path: after.get(path) for path in before} == before
    assert without_ours(hosted.root).keys() == {path for path in before if not path.startswith("memory/.dreams/")}


# Words and bytes


@pytest.mark.parametrize(
    "command", [("plan",), ("plan", "--json"), ("review", "--dry-run"), ("forget", TEA, "--dry-run")]
)
def test_a_look_leaves_every_byte_as_it_was(hosted: Workspace, command: tuple[str, ...]) -> None:
    for _ in range(2):  # without any state of ours, and with a night's
        before = everything(hosted.root)
        done = call(*command, "--workspace", hosted.root, "--now", NIGHT)
        assert done.code == 0, done.err
        assert everything(hosted.root) == before
        recorded.review(hosted, CLOCK)


def test_a_night_without_a_run_names_everything_it_wrote(hosted: Workspace) -> None:
    for night in range(15, 19):
        before = everything(hosted.root)
        done = call("review", "--workspace", hosted.root, "--now", f"2026-11-{night}T03:00:00+01:00")
        after = everything(hosted.root)
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        if not any(path.startswith(RUNS) for path in changed):
            assert "MEMORY.md stays as it is." in done.out and "othing was written" not in done.out
            said = done.out.partition("Brought up to date under memory/.dreams: ")[2].partition("\n")[0]
            named = tuple(f"memory/.dreams/{name.rstrip('*')}" for name in said.rstrip(".").split(", "))
            assert [path for path in changed if not path.startswith(named)] == []
            return
    raise AssertionError("there was always something to do")


def unreadable(root: Path) -> None:
    (root / "MEMORY.md").rename(root / "elsewhere.md")
    (root / "MEMORY.md").symlink_to(root / "elsewhere.md")


def test_a_refused_night_changes_nothing_but_the_record_of_the_try(hosted: Workspace) -> None:
    unreadable(hosted.root)
    before = everything(hosted.root)

    with pytest.raises(RefusedFile):
        recorded.review(hosted, CLOCK)

    after = everything(hosted.root)
    assert after.pop(ATTEMPTS)
    assert after == before


def test_a_refusal_is_not_told_as_a_death(hosted: Workspace) -> None:
    unreadable(hosted.root)
    with pytest.raises(ReverieError):
        recorded.review(hosted, CLOCK)

    chart, signs = examine(hosted, CLOCK)

    assert (hosted.root / LOCK).read_bytes() == b""
    assert chart.killed == "" and not any("killed" in sign.says for sign in signs)
    assert any(sign.status == "failed: RefusedFile" for sign in signs)


def test_a_damaged_store_of_the_host_is_named_and_left_alone(hosted: Workspace) -> None:
    (hosted.root / PEER_RECALLS).write_text("{half")

    told = call("doctor", "--fix", "--workspace", hosted.root, "--now", NIGHT).out
    recorded.review(hosted, CLOCK)

    assert f"{PEER_RECALLS} is damaged; it belongs to the host and was left alone." in told
    assert (hosted.root / PEER_RECALLS).read_text() == "{half"
    assert not (hosted.root / JOURNAL).exists()
