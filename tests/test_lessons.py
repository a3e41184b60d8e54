"""Lessons: what went wrong twice becomes one rule, in the owner's words and only once."""

from __future__ import annotations

import json

import pytest

from conftest import Build
from reverie.model import Does, Finding
from reverie.phases.lessons import find_lessons, same_lesson
from reverie.phases.telling import in_common
from reverie.remember import evidence_of
from reverie.sections import LESSONS
from reverie.workspace.reader import read_workspace

ERRORS, CORRECTIONS = "memory/self-improving/errors.jsonl", "memory/self-improving/corrections.jsonl"


def log(kind: str, *records: tuple[str, str, str]) -> str:
    lines = [{"ts": f"{day}T10:00:00Z", "type": kind, "text": text, "context": where} for day, text, where in records]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def lessons(build: Build, files: dict[str, str], so_far: tuple[Finding, ...] = ()) -> tuple[Finding, ...]:
    snapshot = read_workspace(build(dict(files)))
    return find_lessons(snapshot, evidence_of(snapshot), so_far)


SAME = [
    ("Kiln opened too early, the glaze cracked", "Glaze cracked again: the kiln was opened while hot"),
    ("Published the episode without chapter marks", "Chapter marks were missing when the episode went out"),
    ("Forgot index hint idx_ward, report took an hour", "Report on wards without idx_ward ran into the limit"),
    ("出车前忘了检查胎压，半路爆胎", "又没检查胎压，轮胎在高速上爆了"),
    ("Ofen vor dem Backen nicht vorgeheizt, Brot blieb flach", "Brot wieder flach, Ofen war nicht vorgeheizt"),
    ("Отправил смету без подписи директора", "Смета снова ушла без подписи директора"),
    ("領収書のスキャンを忘れて精算が遅れた", "精算でまた領収書のスキャンが抜けていた"),
]
OTHER = [
    ("Kiln opened too early, the glaze cracked", "Kiln ordered from the wrong supplier"),
    ("pip install timed out, worked after a retry", "Upload timed out, worked after a retry"),
    ("忘了检查胎压", "忘了检查邮箱"),
    ("Sent the invoice to the wrong client", "Sent the invoice without a number"),
    ("Vergessen, den Ofen auszuschalten", "Vergessen, den Kalender zu pflegen"),
    ("Забыл закрыть окно", "Забыл ответить на письмо"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_mistake_told_in_other_words_is_the_same_lesson(one: str, other: str) -> None:
    assert same_lesson(one, other, 0.5)
    assert in_common(one, other) == in_common(other, one)


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_two_mistakes_in_the_same_frame_are_two(one: str, other: str) -> None:
    assert not same_lesson(one, other, 0.45)


def test_an_error_seen_twice_becomes_one_rule_with_both_as_its_sources(build: Build) -> None:
    first, second = SAME[0]
    (rule,) = lessons(build, {ERRORS: log("error", ("2026-11-02", first, "bowls"), ("2026-11-09", second, "vases"))})

    assert (rule.does, rule.tag, rule.section, rule.text) == (Does.ADD, "lesson", LESSONS, first)
    assert list(map(str, rule.sources)) == [f"{ERRORS}:1", f"{ERRORS}:2"]


def test_a_correction_gives_the_words_and_its_speaker_is_left_out(build: Build) -> None:
    files = {
        ERRORS: log("error", ("2026-11-02", "Published the episode without chapter marks", "podcast")),
        CORRECTIONS: log("correction", ("2026-11-05", "Mara corrected: every episode needs chapter marks", "podcast")),
    }

    assert [rule.text for rule in lessons(build, files)] == ["every episode needs chapter marks"]


def test_once_is_no_lesson_and_neither_is_one_occasion_written_down_twice(build: Build) -> None:
    once = ("2026-11-02", SAME[3][0], "出车")

    assert lessons(build, {ERRORS: log("error", once)}) == ()
    assert lessons(build, {ERRORS: log("error", once, once)}) == ()


def test_what_the_memory_says_already_is_not_said_again(build: Build) -> None:
    logs = {ERRORS: log("error", ("2026-11-02", SAME[3][0], "出车"), ("2026-11-09", SAME[3][1], "回程"))}
    told = {"MEMORY.md": "# 我\n\n## 经验教训\n- 出车前检查胎压，防止爆胎\n"}
    fact = {"MEMORY.md": "# 我\n\n## 车\n- 胎压表在后备箱\n"}

    assert lessons(build, logs | told) == ()
    assert len(lessons(build, logs | fact)) == 1


def test_a_lesson_that_left_for_the_archive_does_not_come_back_by_itself(build: Build) -> None:
    first, second = SAME[0]
    logs = {ERRORS: log("error", ("2026-11-02", first, "bowls"), ("2026-11-09", second, "vases"))}
    block = (
        f"---\nID: 00000000\nArchived: 2026-11-10 03:00\nCategory: [over budget]\nContent: - {first}\nNote: x\n---\n"
    )

    assert lessons(build, logs | {"dream-vault/ledger.md": block}) == ()


def test_secrets_questions_and_words_of_one_day_make_no_rule(build: Build) -> None:
    said = ["Deploy key AKIAIOSFODNN7EXAMPLE was printed in the log", "Why was the kiln opened so early?", "Will fix the kiln door tomorrow"]  # fmt: skip
    for text in said:
        files = {ERRORS: log("error", ("2026-11-02", text, "a"), ("2026-11-09", f"{text} ", "b"))}
        assert lessons(build, files) == (), text


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

    assert (rule.text, rule.why) == ("Open the kiln only below 80 degrees", "learnt 3 times")


def test_without_a_new_log_nothing_is_learnt(build: Build) -> None:
    assert lessons(build, {"memory/2026-11-02.md": "- the glaze cracked\n- the glaze cracked again\n"}) == ()


def test_the_same_switch_of_the_same_program_is_one_lesson_however_it_is_told() -> None:
    assert same_lesson("docker 没带 --rm，盘又满了", "docker 缺 --rm，清了一上午容器", 0.3)
    assert not same_lesson("docker 没带 --rm，盘又满了", "docker 没带 --pull，用了旧镜像", 0.3)
