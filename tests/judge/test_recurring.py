"""Lessons: what went wrong twice becomes one rule, in the owner's words and only once."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from conftest import NIGHT, Build
from reverie.core.ports import Embedder, fixed
from reverie.features.search import default_embedder
from reverie.judge.operation import Level, Op, Operation
from reverie.judge.recurring import lessons as lessons_of
from reverie.night.briefing import make_brief
from reverie.night.night import review
from reverie.night.remember import evidence_of
from reverie.night.suggesting import suggestions
from reverie.workspace.reader import read_workspace

ERRORS, CORRECTIONS = "memory/self-improving/errors.jsonl", "memory/self-improving/corrections.jsonl"


def log(kind: str, *records: tuple[str, str, str]) -> str:
    lines = [{"ts": f"{day}T10:00:00Z", "type": kind, "text": text, "context": where} for day, text, where in records]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return default_embedder(tmp_path_factory.mktemp("cache"))


def lessons(build: Build, files: dict[str, str], embedder: Embedder | None = None) -> tuple[Operation, ...]:
    snapshot = read_workspace(replace(build(dict(files)), embedder=embedder))
    return tuple(lessons_of(make_brief(snapshot, evidence_of(snapshot), fixed(NIGHT).now())))


TOLD = "Kiln opened too early, the glaze cracked"
SAME = [
    (TOLD, "The kiln was opened too early, the glaze cracked again"),
    ("Published the episode without chapter marks", "The episode was published without its chapter marks"),
    ("出车前忘了检查胎压，半路爆胎", "出车前又忘了检查胎压"),
    ("Ofen vor dem Backen nicht vorgeheizt, Brot blieb flach", "Brot wieder flach, Ofen war nicht vorgeheizt"),
]
OTHER = [
    (TOLD, "Kiln ordered from the wrong supplier"),
    ("pip install timed out, worked after a retry", "Upload timed out, worked after a retry"),
    ("忘了检查胎压", "忘了检查邮箱"),
    ("Sent the invoice to the wrong client", "Sent the invoice without a number"),
    ("Vergessen, den Ofen auszuschalten", "Vergessen, den Kalender zu pflegen"),
    ("Забыл закрыть окно", "Забыл ответить на письмо"),
]


def twice(one: str, other: str) -> dict[str, str]:
    return {ERRORS: log("error", ("2026-11-02", one, "bowls"), ("2026-11-09", other, "vases"))}


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_mistake_told_in_other_words_is_the_same_lesson(
    build: Build, embedder: Embedder, one: str, other: str
) -> None:
    assert len(lessons(build, twice(one, other), embedder)) == 1


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_two_mistakes_in_the_same_frame_are_two(build: Build, embedder: Embedder, one: str, other: str) -> None:
    assert lessons(build, twice(one, other), embedder) == ()


def test_an_error_seen_twice_becomes_one_rule_with_both_as_its_sources(build: Build) -> None:
    (rule,) = lessons(build, twice(TOLD, TOLD))

    assert (rule.op, rule.tag, rule.section, rule.text) == (Op.ADD, "lesson", "Lessons Learned", TOLD)
    assert list(map(str, rule.sources)) == [f"{ERRORS}:1", f"{ERRORS}:2"]


def test_the_fix_of_an_error_is_the_rule_and_a_mistake_without_one_is_only_suggested(build: Build) -> None:
    record = (
        '{"ts": "2026-11-%s", "type": "error", "message": "Glaze cracked", "fix": "Open the kiln only below 80 °C"}\n'
    )
    workspace = build({ERRORS: record % "02" + record % "09"})
    review(workspace, fixed(NIGHT))
    (wish,) = lessons(build, twice("Typo in the invoice header", "Typo in the invoice header"))

    assert "- Open the kiln only below 80 °C" in (workspace.root / "MEMORY.md").read_text("utf-8")
    assert wish.level is Level.LIKELY


def test_among_lessons_that_the_owner_protects_a_new_one_waits_for_a_yes(build: Build) -> None:
    kept = {"MEMORY.md": "# Me\n\n## Lessons\n- 📌 never lend the saw\n"}
    files = {ERRORS: twice(TOLD, TOLD)[ERRORS].replace('"error"', '"correction"')}

    assert [rule.level for rule in lessons(build, files | kept)] == [Level.LIKELY]


def test_the_name_of_the_speaker_is_no_part_of_a_correction(build: Build) -> None:
    said = ("User: always answer in German", "Always answer in German")
    files = {CORRECTIONS: log("correction", ("2026-11-02", said[0], "mail"), ("2026-11-09", said[1], "chat"))}

    assert [rule.text for rule in lessons(build, files)] == ["always answer in German"]


@pytest.mark.parametrize("field", ["text", "decision"])
def test_a_decision_of_the_log_waits_as_a_suggestion(build: Build, field: str) -> None:
    decision = "Decided to host the booking site in Frankfurt"
    logged = log("decision", ("2026-11-02", decision, "hosting")).replace('"text"', f'"{field}"')
    workspace = build({"memory/self-improving/decisions.jsonl": logged})
    review(workspace, fixed(NIGHT))

    assert [card.text for card in suggestions(workspace, fixed(NIGHT))] == [decision]


def test_a_correction_gives_the_words(build: Build, embedder: Embedder) -> None:
    files = {
        ERRORS: log("error", ("2026-11-02", "Published the episode without chapter marks", "podcast")),
        CORRECTIONS: log("correction", ("2026-11-05", "Never publish an episode without chapter marks", "podcast")),
    }

    assert [rule.text for rule in lessons(build, files, embedder)] == ["Never publish an episode without chapter marks"]


def test_once_is_no_lesson_and_neither_is_one_occasion_written_down_twice(build: Build) -> None:
    once = ("2026-11-02", TOLD, "bowls")

    assert lessons(build, {ERRORS: log("error", once)}) == ()
    assert lessons(build, {ERRORS: log("error", once, once)}) == ()


def test_what_the_memory_says_already_is_not_said_again(build: Build) -> None:
    told = {"MEMORY.md": f"# Me\n\n## Lessons\n- {TOLD}\n"}

    assert lessons(build, twice(TOLD, TOLD) | told) == ()


def test_a_lesson_that_the_owner_took_out_does_not_come_back_by_itself(build: Build) -> None:
    log_twice = {ERRORS: twice(TOLD, TOLD)[ERRORS].replace('"error"', '"correction"')}
    workspace = build(log_twice)
    review(workspace, fixed(NIGHT))
    memory = workspace.root / "MEMORY.md"
    assert TOLD in memory.read_text("utf-8")
    kept = [line for line in memory.read_text("utf-8").split("\n") if TOLD not in line]
    memory.write_text("\n".join(kept), "utf-8")
    more = log("error", ("2026-11-10", TOLD, "cups"))
    (workspace.root / ERRORS).write_text(log_twice[ERRORS] + more, "utf-8")

    review(workspace, fixed("2026-11-17T03:00:00+01:00"))

    assert TOLD not in memory.read_text("utf-8")


def test_a_secret_makes_no_rule(build: Build) -> None:
    text = "Deploy key AKIAIOSFODNN7EXAMPLE was printed in the log"

    assert lessons(build, twice(text, text)) == ()


LEARNINGS = """# Errors

## [ERR-20261102-001] kiln
**Logged**: 2026-11-02T10:00:00Z
**Priority**: high

### Summary
Kiln opened too early, the glaze cracked

### Suggested Fix
Open the kiln only below 80 degrees

### Metadata
- Recurrence-Count: 3
- Related Files: firing.md

## [ERR-20261103-002] printer

### Summary
The printer was out of paper
"""


def test_an_entry_of_learnings_that_counts_itself_gives_its_own_advice(build: Build) -> None:
    (rule,) = lessons(build, {".learnings/ERRORS.md": LEARNINGS})

    assert (rule.text, rule.why) == ("Open the kiln only below 80 degrees", "it was logged 3 times, last on 2026-11-02")


def test_without_a_new_log_nothing_is_learnt(build: Build) -> None:
    assert lessons(build, {"memory/2026-11-02.md": "- the glaze cracked\n- the glaze cracked again\n"}) == ()
