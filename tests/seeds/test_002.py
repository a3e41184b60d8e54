"""Seed 002, dreaming in OpenClaw's words: rows of `requirements.tsv` that no other file holds, through the command."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from test_commands import dream, made

from reverie.features.when import Do
from reverie.features.schedule import due
from reverie.settings import load_settings
from reverie.signals import score
from reverie.signals.score import Entry, Signal
from reverie.workspace.layout import layout_of

NIGHT = datetime(2026, 3, 31, 3, 30)
ASKED = {  # a line, and three questions that it answers
    "en": ("the ferry to Holm leaves from the north pier", ("ferry to Holm", "which pier has the ferry", "north pier")),
    "zh": ("去霍尔姆的渡轮从北码头出发", ("去霍尔姆的渡轮", "渡轮从哪个码头出发", "北码头")),
}
languages = pytest.mark.parametrize("language", ASKED)


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def asked(root: Path, language: str, questions: int = 3, **files: str) -> str:
    """A workspace in which a line was looked for, a question a day."""
    line, wanted = ASKED[language]
    made(root, {"MEMORY.md": "## A\n- x\n", "memory/2026-03-27.md": f"- {line}\n- soup again\n", **files})
    for number, question in enumerate(wanted[:questions]):
        assert line in dream(root, "search", question, now=NIGHT - timedelta(days=3 - number)).out
    return line


def said(root: Path, words: str, now: datetime = NIGHT) -> Any:
    return json.loads(dream(root, f"{words} --json", now=now).out)


@languages
def test_what_three_questions_found_enters_by_promote_as_by_the_night(tmp_path: Path, language: str) -> None:
    line = asked(tmp_path / "a", language)
    asked(tmp_path / "b", language, **{"dreams.md": "# mine\n"})
    notes = (tmp_path / "a/memory/2026-03-27.md").read_bytes()
    explained = said(tmp_path / "a", f"memory promote-explain {ASKED[language][1][2]}")
    assert explained["passes"] == dict.fromkeys(("score", "recallCount", "uniqueQueries", "maxAge"), True)
    assert [c["enters"] for c in said(tmp_path / "a", "memory promote")["candidates"]] == [line]
    assert said(tmp_path / "a", "memory promote --limit 0")["candidates"][0]["refusedFor"] == "limit"
    assert "x\n" == (tmp_path / "a/MEMORY.md").read_text()[-2:]
    applied = said(tmp_path / "a", "memory promote --apply")["apply"]
    assert (applied["applied"], applied["rejectedCandidates"]) == (1, [])
    dream(tmp_path / "b", "review", now=NIGHT)
    memories = [(tmp_path / root / "MEMORY.md").read_text() for root in "ab"]
    assert memories == [f"## A\n- x\n- {line}\n"] * 2 and (tmp_path / "a/memory/2026-03-27.md").read_bytes() == notes
    diary = (tmp_path / "b/dreams.md").read_text()
    assert "# mine\n" in diary and not (tmp_path / "b/DREAMS.md").exists()
    assert "## Deep Sleep\n<!-- openclaw:dreaming:deep:start -->\n" in diary and "Promoted 1 candidate(s)" in diary
    dream(tmp_path / "a", "undo", now=NIGHT)
    assert (tmp_path / "a/MEMORY.md").read_text() == "## A\n- x\n"


@languages
def test_each_gate_alone_keeps_a_line_out_and_a_line_that_left_its_note_is_skipped(tmp_path: Path, language: str) -> None:
    line = asked(tmp_path, language)
    for gate in ("--min-score 0.99", "--min-recall-count 9", "--min-unique-queries 9"):
        assert said(tmp_path, f"memory promote {gate}")["candidates"] == []
    made(tmp_path, {"memory/2026-03-27.md": "- the day was long\n"})
    assert [c["refusedFor"] for c in said(tmp_path, "memory promote")["candidates"]] in ([], ["gone"])
    dream(tmp_path, "review", now=NIGHT)
    assert line not in (tmp_path / "MEMORY.md").read_text()


@languages
def test_light_and_rem_stage_and_reflect_and_never_touch_memory(tmp_path: Path, language: str) -> None:
    line = asked(tmp_path, language, 2, **{"reverie.toml": "[dream]\nphases = 'separate'\n[deep]\nmin_score = 0.99\n", "dreams.md": "# mine\n"})
    made(tmp_path, {f"memory/2026-03-{day}.md": f"- {line}\n" for day in (28, 29, 30)})
    before = (tmp_path / "MEMORY.md").read_bytes()
    dream(tmp_path, "review", now=NIGHT)
    assert (tmp_path / "MEMORY.md").read_bytes() == before and not (tmp_path / "DREAMS.md").exists()
    store = json.loads((tmp_path / "memory/.dreams/reverie-recall.json").read_text())
    assert [signal["lightHits"] for signal in store["signals"].values()] == [1] and line not in json.dumps(store, ensure_ascii=False)
    reports = {path.parent.name: path.read_text() for path in (tmp_path / "memory/dreaming").glob("*/2026-03-31.md")}
    assert line in reports["light"] and "deep" not in reports
    status = said(tmp_path, "memory status --deep")
    assert status["lastLightAt"] and status["signals"] == 1 and status["promotedToday"] == 0
    assert said(tmp_path, "memory rem-harness")["rem"]["bodyLines"]


AXES: dict[str, Callable[[Entry], Entry]] = {
    "frequency": lambda e: score.changed(e, recalls=8, total_score=8 * e.average),
    "relevance": lambda e: score.changed(e, total_score=2 * e.total_score, max_score=0.9),
    "diversity": lambda e: score.changed(e, queries=("a", "b", "c", "d")),
    "recency": lambda e: score.changed(e, last_recalled=datetime(2026, 3, 31, tzinfo=UTC)),
    "consolidation": lambda e: score.changed(e, days=tuple(datetime(2026, 3, day).date() for day in (10, 20))),
    "conceptual": lambda e: score.changed(e, tags=("ferry", "pier", "holm")),
}  # fmt: skip


@pytest.mark.parametrize(("axis", "weight"), list(zip(AXES, (0.24, 0.30, 0.15, 0.15, 0.10, 0.06), strict=True)))
def test_each_signal_counts_with_the_weight_of_the_seed(axis: str, weight: float) -> None:
    now, day = datetime(2026, 3, 31, tzinfo=UTC), datetime(2026, 3, 20, tzinfo=UTC)
    entry = Entry("memory/2026-03-20.md", 1, 1, "k", "words", 2, total_score=0.8, max_score=0.4, last_recalled=day, queries=("a",), days=(day.date(),))
    low, high = (score.scored(e, None, score.DEFAULT, now) for e in (entry, AXES[axis](entry)))
    gained = getattr(high.components, axis) - getattr(low.components, axis)
    others = [name for name in AXES if name not in (axis, "diversity", "relevance") and getattr(high.components, name) != getattr(low.components, name)]
    assert gained > 0 and getattr(score.WEIGHTS, axis) == weight and not others
    assert score.phase_boost(Signal("k", 3, 3, now, now), now) > score.phase_boost(Signal("k", 3, 3, day, day), now) > 0


def test_dreaming_is_switched_and_told_as_openclaw_spells_it(tmp_path: Path) -> None:
    made(tmp_path, {"MEMORY.md": "## A\n- x\n", "memory/2026-03-30.md": "- Decision: parcels go by rail\n"})
    assert [line.split(":")[0] for line in dream(tmp_path, "dreaming help").out.splitlines()] == [f"dreaming {word}" for word in ("status", "on", "off", "help")]
    states = [said(tmp_path, f"dreaming {word}")["dreaming"] for word in ("status", "off", "status", "on", "status")]
    assert states == ["enabled", "disabled", "disabled", "enabled", "enabled"]
    assert "Dreaming status: enabled\nNext night: the night of 2026-03-31 03:30 has come" in dream(tmp_path, "memory dreaming status", now=NIGHT).out
    dream(tmp_path, "review", now=NIGHT)
    assert said(tmp_path, "memory status", NIGHT + timedelta(hours=6))["next"] == "2026-04-01 03:30"
    made(tmp_path, {"memory/2026-04-01.md": "- Decision: the yard opens at six\n"})
    assert said(tmp_path, "memory status", NIGHT + timedelta(hours=50))["dreaming"] == "enabled"
    late = dream(tmp_path, "memory status --deep", now=NIGHT + timedelta(hours=51)).out
    assert "Dreaming status: blocked - 1 notes wait, and no night was called since 2026-03-31" in late
    assert dream(tmp_path, "dreaming nonsense").code == 2 and "Manually" not in dream(tmp_path, "memory dream --dry-run", now=NIGHT).err


def test_frequency_timezone_and_gates_of_openclaw_json_are_ours_too(tmp_path: Path) -> None:
    def settings(**dreaming: object) -> Any:
        made(tmp_path, {"openclaw.json": json.dumps({"plugins": {"entries": {"memory-core": {"config": {"dreaming": dreaming}}}}})})
        return load_settings(tmp_path)

    assert settings(enabled=True).schedule.cron == "30 3 * * *" and settings(enabled=True).openclaw_dreams
    found = settings(frequency="0 */6 * * *", timezone="America/Los_Angeles", limit=4)
    assert (found.schedule.cron, found.schedule.timezone, found.deep.limit) == ("0 */6 * * *", "America/Los_Angeles", 4)
    odd = settings(frequency="every night", timezone="../../etc/passwd", limit="many")
    assert (odd.schedule.cron, odd.schedule.timezone, odd.deep.limit, odd.openclaw_dreams) == ("30 3 * * *", "", None, False)
    made(tmp_path, {"MEMORY.md": "## A\n- x\n", "memory/2026-03-30.md": "- y\n"})
    settings(frequency="0 3 * * *")
    os.utime(tmp_path / "memory/2026-03-30.md", (0, 0))
    assert [due(layout_of(tmp_path), datetime(2026, 3, 31, 3, minute)).night.hour for minute in (0, 59)] == [3, 3]  # type: ignore[union-attr]
    assert due(layout_of(tmp_path), datetime(2026, 3, 31, 3)).do is Do.DREAM
