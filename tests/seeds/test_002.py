"""Seed 002, dreaming in OpenClaw's words: rows of `requirements.tsv` that no other file holds, through the command."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from place import Place, here, items

from reverie.features.schedule import due
from reverie.features.when import Do
from reverie.settings import load_settings
from reverie.signals import score
from reverie.signals.score import Entry, Signal
from reverie.workspace.layout import layout_of
from test_commands import made

__all__ = ["here"]
ASKED = {  # a line, and three questions that it answers
    "en": ("the ferry to Holm leaves from the north pier", ("ferry to Holm", "which pier has the ferry", "north pier")),
    "zh": ("去霍尔姆的渡轮从北码头出发", ("去霍尔姆的渡轮", "渡轮从哪个码头出发", "北码头")),
}
languages = pytest.mark.parametrize("language", ASKED)


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def asked(place: Place, language: str, questions: int = 3, files: dict[str, str] | None = None) -> str:
    """A workspace in which a line was looked for, a question a day."""
    line, wanted = ASKED[language]
    place.put("## A\n- x\n", files={"memory/2026-03-27.md": items(line, "soup again"), **(files or {})})
    assert all(line in place.run("search", text, days=n - 3).out for n, text in enumerate(wanted[:questions]))
    return line


@languages
def test_what_three_questions_found_enters_by_promote_as_by_the_night(tmp_path: Path, language: str) -> None:
    mine, other = Place(tmp_path / "a"), Place(tmp_path / "b")
    line = asked(mine, language)
    asked(other, language, files={"dreams.md": "# mine\n"})
    explained = mine.value(f"memory promote-explain {ASKED[language][1][2]}")
    assert explained["passes"] == dict.fromkeys(("score", "recallCount", "uniqueQueries", "maxAge"), True)
    assert [c["enters"] for c in mine.value("memory promote")["candidates"]] == [line]
    assert mine.value("memory promote --limit 0")["candidates"][0]["refusedFor"] == "limit"
    assert mine.memory == "## A\n- x\n"
    applied = mine.value("memory promote --apply")["apply"]
    assert (applied["applied"], applied["rejectedCandidates"]) == (1, [])
    assert other.night() and mine.memory == other.memory == f"## A\n- x\n- {line}\n"
    diary = other.read("dreams.md")
    assert "# mine\n" in diary and "## Deep Sleep\n<!-- openclaw:dreaming:deep:start -->\n" in diary
    assert "Promoted 1 candidate(s)" in diary and not other.read("DREAMS.md")
    assert mine.run("undo").code == 0 and mine.memory == "## A\n- x\n"


@languages
def test_each_gate_alone_keeps_a_line_out_and_a_line_that_left_its_note_is_skipped(here: Place, language: str) -> None:
    line = asked(here, language)
    for gate in ("--min-score 0.99", "--min-recall-count 9", "--min-unique-queries 9"):
        assert here.value(f"memory promote {gate}")["candidates"] == []
    here.note("03-27", "- the day was long\n")
    assert [c["enters"] for c in here.value("memory promote")["candidates"] if c["enters"]] == []
    assert here.night() and line not in here.memory


@languages
def test_light_and_rem_stage_and_reflect_and_never_touch_memory(here: Place, language: str) -> None:
    line = asked(here, language, 2, {"reverie.toml": "[dream]\nphases = 'separate'\n[deep]\nmin_score = 0.99\n"})
    for day in ("03-28", "03-29", "03-30"):
        here.note(day, items(line))
    assert here.night() and here.memory == "## A\n- x\n" and not here.read("DREAMS.md")
    store = here.read("memory/.dreams/reverie-recall.json")
    assert [signal["lightHits"] for signal in json.loads(store)["signals"].values()] == [1] and line not in store
    assert line in here.read("memory/dreaming/light/2026-03-31.md") and not here.read(
        "memory/dreaming/deep/2026-03-31.md"
    )
    status = here.value("memory status --deep")
    assert status["lastLightAt"] and (status["signals"], status["promotedToday"], status["grounded"]) == (1, 0, 0)
    assert here.value("memory rem-harness")["rem"]["bodyLines"]


DAYS = tuple(datetime(2026, 3, day, tzinfo=UTC) for day in (10, 20, 31))
AXES: dict[str, tuple[float, Callable[[Entry], Entry]]] = {
    "frequency": (0.24, lambda e: score.changed(e, recalls=8, total_score=8 * e.average)),
    "relevance": (0.30, lambda e: score.changed(e, total_score=2 * e.total_score, max_score=0.9)),
    "diversity": (0.15, lambda e: score.changed(e, queries=("a", "b", "c", "d"))),
    "recency": (0.15, lambda e: score.changed(e, last_recalled=DAYS[2])),
    "consolidation": (0.10, lambda e: score.changed(e, days=(DAYS[0].date(), DAYS[1].date()), queries=("a", "b"))),
    "conceptual": (0.06, lambda e: score.changed(e, tags=("ferry", "pier", "holm"))),
}


@pytest.mark.parametrize("axis", AXES)
def test_each_signal_counts_with_the_weight_of_the_seed(axis: str) -> None:
    weight, better = AXES[axis]
    more: Any = {"last_recalled": DAYS[1], "queries": ("a", "b"), "days": (DAYS[1].date(),)}
    entry = Entry("memory/2026-03-20.md", 1, 1, "k", "words", 2, total_score=0.8, max_score=0.4, **more)
    low, high = (score.scored(e, None, score.DEFAULT, DAYS[2]) for e in (entry, better(entry)))
    gained = getattr(high.components, axis) - getattr(low.components, axis)
    assert gained > 0 and high.total - low.total == pytest.approx(weight * gained)
    fresh, old = (score.phase_boost(Signal("k", 3, 3, day, day), DAYS[2]) for day in (DAYS[2], DAYS[1]))
    assert fresh > old > 0


def test_dreaming_is_switched_and_told_as_openclaw_spells_it(here: Place) -> None:
    here.put("## A\n- x\n", "- Decision: parcels go by rail\n")
    words = [line.split(":")[0] for line in here.run("dreaming help").out.splitlines()]
    assert words == [f"dreaming {word}" for word in ("status", "on", "off", "help")]
    states = [here.value(f"dreaming {word}")["dreaming"] for word in ("status", "off", "status", "on", "status")]
    assert states == ["enabled", "disabled", "disabled", "enabled", "enabled"]
    ready = "Dreaming status: enabled\nNext night: the night of 2026-03-31 03:30 has come"
    assert ready in here.run("memory dreaming status").out and here.run("memory dream").code == 0
    assert here.value("memory status", 0.25)["next"] == "2026-04-01 03:30"
    here.note("04-01", "- Decision: the yard opens at six\n")
    assert here.value("memory status", 2.05)["dreaming"] == "enabled"
    blocked = "Dreaming status: blocked - 1 notes wait, and no night came since 2026-03-31"
    assert blocked in here.run("memory status --deep", days=2.2).out and here.run("dreaming nonsense").code == 2


def test_frequency_timezone_and_gates_of_openclaw_json_are_ours_too(tmp_path: Path) -> None:
    def settings(**dreaming: object) -> Any:
        config = {"plugins": {"entries": {"memory-core": {"config": {"dreaming": dreaming}}}}}
        made(tmp_path, {"openclaw.json": json.dumps(config)})
        return load_settings(tmp_path)

    assert settings(enabled=True).schedule.cron == "30 3 * * *" and settings(enabled=True).openclaw_dreams
    found = settings(frequency="0 */6 * * *", timezone="America/Los_Angeles", limit=4)
    assert (found.schedule.cron, found.schedule.timezone, found.deep.limit) == ("0 */6 * * *", "America/Los_Angeles", 4)
    odd = settings(frequency="every night", timezone="../../etc/passwd", limit="many")
    assert (odd.schedule.cron, odd.schedule.timezone, odd.deep.limit) == ("30 3 * * *", "", None)
    made(tmp_path, {"MEMORY.md": "## A\n- x\n", "memory/2026-03-30.md": "- y\n"})
    os.utime(tmp_path / "memory/2026-03-30.md", (0, 0))
    assert settings(frequency="0 3 * * *") and due(layout_of(tmp_path), datetime(2026, 3, 31, 3)).do is Do.DREAM
