"""The second look: what drifted from its source, was made up, lost its source or was said otherwise is found and named.

What is certain is mended at the owner's word, and only that: lines that somebody changed, the owner's own lines and lines
whose note was only tidied away stay as they are.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NIGHT, Build, tree
from reverie.core.layout import RUNS
from reverie.core.ports import fixed
from reverie.core.settings import Refine, Settings
from reverie.features.note import note
from reverie.features.refine.findings import missing_from
from reverie.features.refine.mistakes import Mistake
from reverie.features.refine.refine import Refined, refine
from reverie.features.schedule import recorded
from reverie.judge.brief import Brief, Verdict
from reverie.judge.operation import Op, Operation
from reverie.judge.relation import says_otherwise
from reverie.night import commands
from reverie.night.suggesting import suggestions
from reverie.workspace.statements import logged_statements
from reverie.workspace.values import Workspace
from terminal import call

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from planted import KINDS, Score, clean, dreamt, planted
from refine import counted, nights_of, workspace_of

CLOCK, LATER = fixed(NIGHT), fixed("2026-11-15T13:00:00+01:00")
TODAY, TOMORROW, REPORT = "memory/2026-11-15.md", "memory/2026-11-16.md", "memory/dreaming/verify/2026-11-15.md"
MEMORY = "# Ada\n\n## Stable Knowledge\n- The lighthouse has 99 steps\n- keeps bees\n"
SAID = "We have decided to rent berth 17 from Ilse Harms for 240 euro a month"


@pytest.fixture
def workspace(build: Build) -> Workspace:
    """A memory with one line of ours, said in today's note."""
    workspace = build({"MEMORY.md": MEMORY})
    assert note(workspace, CLOCK, SAID).line
    return workspace


def change(workspace: Workspace, path: str, old: str, new: str) -> None:
    target = workspace.root / path
    text = target.read_text("utf-8")
    assert old in text
    target.write_text(text.replace(old, new), "utf-8")


def seen(found: Refined) -> list[tuple[str, str]]:
    return [(one.tag, str(one.op) if isinstance(one, Operation) else "notice") for one in found.findings]


def memory(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text("utf-8")


def test_a_memory_that_says_what_its_sources_say_is_left_in_peace(workspace: Workspace) -> None:
    found = refine(workspace, LATER)

    assert (found.looked, found.findings) == (1, ())
    assert "Findings: 0" in (workspace.root / REPORT).read_text("utf-8")


def test_looking_twice_writes_the_report_once(workspace: Workspace) -> None:
    refine(workspace, LATER)

    assert refine(workspace, LATER).run is None


def test_a_line_whose_note_was_corrected_becomes_what_the_note_says(workspace: Workspace) -> None:
    change(workspace, TODAY, "240 euro", "265 euro")
    assert seen(refine(workspace, LATER)) == [("drifted", "update")]
    assert "240 euro" in memory(workspace)  # a report is only text

    refine(workspace, LATER, apply=True)

    assert "265 euro" in memory(workspace) and "240 euro" not in memory(workspace)
    assert "240 euro" in (workspace.vault / "ledger.md").read_text("utf-8")
    assert refine(workspace, LATER).findings == ()


def test_a_statement_that_was_taken_out_of_its_note_leaves_memory_and_comes_back_by_undo(workspace: Workspace) -> None:
    change(workspace, TODAY, SAID, "a quiet day")
    before = tree(workspace.root)

    found = refine(workspace, LATER, apply=True)

    assert seen(found) == [("dead source", "end")] and "berth 17" not in memory(workspace)
    commands.undo(workspace, LATER)
    assert tree(workspace.root) == before


def test_a_note_that_was_tidied_away_takes_no_memory_along(workspace: Workspace) -> None:
    (workspace.root / TODAY).unlink()
    before = memory(workspace)

    found = refine(workspace, LATER, apply=True)

    assert seen(found) == [("dead source", "notice")] and memory(workspace) == before


def test_what_the_owner_hung_on_a_line_of_ours_is_not_taken_along(workspace: Workspace) -> None:
    text = memory(workspace).split("\n")
    at = next(i for i, line in enumerate(text) if SAID in line)
    (workspace.root / "MEMORY.md").write_text(
        "\n".join((*text[: at + 1], "  - the key hangs in the shed", *text[at + 1 :]))
    )
    change(workspace, TODAY, SAID, "a quiet day")

    assert seen(refine(workspace, LATER, apply=True)) == [("dead source", "notice")]
    assert "the key hangs in the shed" in memory(workspace)


def test_a_note_that_only_moved_is_no_finding(workspace: Workspace) -> None:
    (workspace.root / TODAY).rename(workspace.root / "memory/2026-11-15-harbour.md")

    assert refine(workspace, LATER).findings == ()


def test_what_somebody_changed_in_a_line_is_named_and_stays(workspace: Workspace) -> None:
    change(workspace, "MEMORY.md", "Ilse Harms", "Ilse Petersen")
    before = memory(workspace)

    found = refine(workspace, LATER, apply=True)

    assert seen(found) == [("drifted", "notice")] and "“Petersen”" in found.findings[0].why
    assert memory(workspace) == before


def test_a_line_that_lost_its_not_is_found(build: Build) -> None:
    workspace = build({"MEMORY.md": MEMORY})
    note(workspace, CLOCK, "We have decided not to sell the blue boat to Ilse Harms")

    change(workspace, "MEMORY.md", "decided not to", "decided to")

    assert seen(refine(workspace, LATER)) == [("drifted", "notice")]


def test_the_owners_own_lines_are_never_doubted(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n- My aunt Elfriede lives at /home/elf, number 12, since 1988-02-03\n"})

    assert refine(workspace, LATER).findings == ()


def test_a_later_note_that_gives_another_value_is_pointed_out(workspace: Workspace) -> None:
    (workspace.root / TOMORROW).write_text(f"- {SAID.replace('240', '310')} from now\n")

    found = refine(workspace, fixed("2026-11-16T13:00:00+01:00"), apply=True)

    assert seen(found) == [("contradicted", "notice")] and "310 euro" in found.findings[0].why
    assert "240 euro" in memory(workspace)  # the night decides


def test_what_an_earlier_note_said_is_no_news(workspace: Workspace) -> None:
    (workspace.root / "memory/2026-11-14.md").write_text("- We rent berth 17 from Ilse Harms for 310 euro a month\n")

    assert refine(workspace, LATER).findings == ()


def test_two_lines_of_memory_that_contradict_each_other_are_named(workspace: Workspace) -> None:
    change(workspace, "MEMORY.md", f"- {SAID}", f"- {SAID.replace('240', '199')}\n- {SAID}")

    assert seen(refine(workspace, LATER)) == [("conflict", "notice")]


def test_what_has_ended_by_its_own_word_is_told_and_left_to_the_night(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Me\n\n## Current State\n- Trial of the chart plotter until 2026-10-31\n"})

    assert seen(refine(workspace, LATER, apply=True)) == [("stale", "notice")]


def test_the_report_names_what_the_nights_could_not_settle(build: Build) -> None:
    asked = [{"id": "ab12cd34", "first": "berth 17", "second": "berth 71", "status": "open"}]
    workspace = build({"MEMORY.md": MEMORY, "dream-vault/meta/questions.json": json.dumps(asked)})

    refine(workspace, LATER)

    assert "- ab12cd34: berth 17 / berth 71\n" in (workspace.root / REPORT).read_text("utf-8")


def test_a_dry_run_writes_nothing(workspace: Workspace) -> None:
    change(workspace, TODAY, "240 euro", "265 euro")
    before = tree(workspace.root)

    assert refine(workspace, LATER, apply=True, dry_run=True).findings and tree(workspace.root) == before


def test_undo_without_a_name_passes_over_a_report(workspace: Workspace) -> None:
    looked = refine(workspace, LATER).run
    assert looked is not None

    said = call("undo", "--workspace", workspace.root, "--now", "2026-11-16T03:00:00+01:00").out

    assert memory(workspace) == MEMORY and (workspace.root / REPORT).exists()
    assert f"took back 0001-2026-11-15 and passed over {looked.id} (no line of memory changed there)" in said


def test_a_night_is_followed_by_the_second_look_where_the_owner_wants_it(build: Build) -> None:
    twice = {"MEMORY.md": "# Me\n- likes tea\n- likes tea\n"}
    silent, telling = build(twice), build(twice, Settings(refine=Refine(after_night=True)))

    recorded.review(silent, CLOCK)
    recorded.review(telling, CLOCK)

    assert [(one.root / REPORT).exists() for one in (silent, telling)] == [False, True]


def test_the_command_says_what_it_found_and_what_it_would_do(workspace: Workspace) -> None:
    change(workspace, TODAY, "berth 17", "berth 71")
    arguments = ("refine", "--workspace", str(workspace.root), "--now", "2026-11-15T13:00:00+01:00")

    told, value = call(*arguments, "--dry-run"), json.loads(call(*arguments, "--json").out)

    assert "drifted" in told.out and "berth 71" in told.out and "--apply" in told.out
    assert [(one["tag"], one["certain"]) for one in value["findings"]] == [("drifted", True)]


SPECIFICS = [
    ("The port is 4610.", "The port is 4600.", ("4610",)),
    ("The port is 80.", "The port is 8080.", ("80",)),
    ("Costs 4800 euro.", "Costs 4,800 euro.", ()),
    ("Ilse called on 2026-03-14.", "2026-03-15\nIlse called yesterday.", ("2026-03-14",)),
    ("Backups in /srv/backup/old", "Backups in /srv/backup", ("/srv/backup/old",)),
    ("Die Werft gehört Frau Vidales.", "Die Werft gehört Frau Vidal.", ("Vidales",)),
    ("端口改成4610了", "端口改成4600了", ("4610",)),
    ("和欧阳彬约在码头", "和司徒敏约在码头", ("和欧阳彬约",)),
    ("会议改到周五", "会议改到周四", ("五", "周五")),
    ("東雲さんに鍵を渡した", "赤嶺さんに鍵を渡した", ("東雲さ",)),
    ("Договор с Полуэктовым", "Договор с Чуйковой", ("Полуэктовым",)),
    ("El barco sale en marzo", "El barco sale en mayo", ("marzo",)),
    ("키는 김민서가 갖고 있다", "키는 박지우가 갖고 있다", ("김민서가",)),
]


@pytest.mark.parametrize(("line", "told", "expected"), SPECIFICS)
def test_numbers_names_days_and_paths_must_stand_in_the_source(line: str, told: str, expected: tuple[str, ...]) -> None:
    assert missing_from(line, told).specifics == expected


@pytest.mark.parametrize(
    "line", ["The boat is not for sale", "船不卖", "Das Boot ist nicht zu haben", "лодка не продаётся"]
)
def test_a_not_must_stand_in_the_source_too(line: str) -> None:
    assert missing_from(line, "The boat is for sale, 船卖, Das Boot ist zu haben, лодка продаётся").turned


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40))
def test_a_text_says_every_line_that_stands_in_it(line: str, before: str, after: str) -> None:
    assert not missing_from(line, f"{before}\n{line}\n{after}")


HOLDS = [
    ("The ferry to Amrum takes 90 minutes", "Correction: the ferry to Amrum takes 115 minutes", True),
    ("去阿姆鲁姆的船要 90 分钟", "去阿姆鲁姆的船要 115 分钟", True),
    ("The ferry to Amrum takes 90 minutes", "The ferry to Föhr takes 45 minutes and sells good cake on board", False),
    ("Ilse pays the berth", "Ilse pays the berth, as ever", False),
]


@pytest.mark.parametrize(("old", "new", "expected"), HOLDS)
def test_only_the_same_sentence_with_another_value_overtakes_a_line(old: str, new: str, expected: bool) -> None:
    assert says_otherwise(old, new) is expected


TUNED = Path(__file__).parents[2] / "benchmarks" / "second-look" / "tuned"


def test_what_a_night_got_wrong_is_named_with_the_command_that_takes_it_back(tmp_path: Path) -> None:
    """One labelled case of benchmarks/refine.py: a supplier they went back to, an oven man who comes after all, …"""
    labelled = json.loads((TUNED / "en-bakery" / "operations.json").read_text("utf-8"))["operations"]
    workspace = workspace_of(TUNED / "en-bakery", tmp_path / "bakery")
    list(nights_of(workspace, labelled))

    found = [one for one in refine(workspace, fixed("2026-05-30T13:00:00+00:00")).findings if isinstance(one, Mistake)]

    assert {one.tag: one.text for one in found} == {
        "again": "Flour comes from Kessel in 20 kg sacks",
        "removed": "The deck oven is serviced every March by Torben",
        "expired": "Spring raffle until 2026-05-04, prize is a basket of rolls",
        "lost": "Coffee machine descaled on the first Sunday, filter C4",
    }
    assert "Torben" not in memory(workspace)  # nothing happens by itself
    told = call("refine", "--workspace", str(workspace.root), "--now", "2026-05-30T13:30:00+00:00").out
    assert all(f"    {one.command}\n" in told for one in found) and "memory/dreaming/verify/2026-05-30.md" in told
    arguments = next(one.command for one in found if one.tag == "removed").split()[1:]
    call(*arguments, "--workspace", str(workspace.root), "--now", "2026-05-30T14:00:00+00:00")
    assert "- The deck oven is serviced every March by Torben\n" in memory(workspace)
    again = refine(workspace, fixed("2026-05-30T15:00:00+00:00")).findings
    assert "removed" not in [one.tag for one in again]  # what was taken back is nobody's concern


def test_a_value_that_a_night_exchanged_is_looked_at_and_its_correction_found(build: Build) -> None:
    old = "# Ada\n\n## Facts\n- **Mast height:** 11 m, spruce\n"
    workspace = build({"MEMORY.md": old, "memory/2026-11-13.md": "## Facts\n- **Mast height:** 14 m\n"})
    commands.review(workspace, fixed("2026-11-14T03:00:00+01:00"))
    assert "14 m, spruce" in memory(workspace)
    wrong = "# 2026-11-14\n\n- Correction: the mast height is 11 m after all, the 14 was misread\n"
    (workspace.root / "memory/2026-11-14.md").write_text(wrong)

    found = refine(workspace, fixed("2026-11-15T03:00:00+01:00"))

    assert found.looked == 1
    assert [(one.tag, one.text) for one in found.findings] == [("again", "Mast height: 14 m, spruce")]


class Shortening:
    """A judge that tells a line shorter, and says what it leaves out or not."""

    name = "shortening"

    def __init__(self, text: str, *drops: str) -> None:
        self.text, self.drops = text, drops

    def judge(self, brief: Brief) -> Verdict:
        cites, lines = tuple(one.claim for one in brief.notes), (brief.memory[0].entry,)
        told = Operation(Op.UPDATE, "shorter", cites, lines, self.text, drops=self.drops, tag="superseded", by="model")
        return Verdict((told,))


def test_what_a_judge_left_out_on_purpose_is_no_loss(build: Build) -> None:
    line, shorter = (
        "The winch was made by Anderson, model 46, painted red",
        "The winch was made by Anderson, painted red",
    )
    workspace = build(
        {"MEMORY.md": f"# Ada\n\n## Boat\n- {line}\n", "memory/2026-11-13.md": "- The winch has no model number\n"}
    )
    commands.review(workspace, fixed("2026-11-14T03:00:00+01:00"), judge=Shortening(shorter, "model 46"))
    assert shorter in memory(workspace)

    assert refine(workspace, fixed("2026-11-15T03:00:00+01:00")).findings == ()
    run, *_ = commands.runs(workspace)
    assert [edit.drops for edit in run.plan.edits if edit.path == "MEMORY.md" and edit.op] == [("model 46",)]
    record = workspace.root / RUNS / run.id / "plan.json"
    record.write_text(record.read_text().replace('"model 46"', '"another thing"'))
    assert [one.tag for one in refine(workspace, fixed("2026-11-15T04:00:00+01:00")).findings] == ["lost"]


def test_of_right_decisions_none_is_doubted(tmp_path: Path) -> None:
    counts = [counted(TUNED / case) for case in ("en-lab", "zh-studio")]

    assert [(one.wrong, one.found, one.right, one.false) for one in counts] == [(3, 3, 4, 0), (4, 4, 3, 0)]


def test_planted_faults_are_found_and_clean_lines_raise_no_alarm(tmp_path: Path) -> None:
    """The small version of benchmarks/planted.py: two nights, three faults of each kind."""
    total = Score()
    for case in ("en", "zh"):
        night = dreamt(Path(__file__).parents[2] / "benchmarks" / "nights" / case, tmp_path / case)
        total.add(clean(night, tmp_path / "copy", moved=True))
        for kind in KINDS:
            total.add(planted(night, kind, 3, tmp_path / "copy"))

    assert total.planted >= 20 and total.found >= 0.95 * total.planted, total.missed
    assert total.false <= 0.01 * total.clean, total.alarms


def test_a_log_is_cited_line_by_line_and_named_once_when_it_is_gone(build: Build) -> None:
    rows = [
        ("2026-11-10", "error", "Left the hatch open", "Always close the fore hatch before sailing"),
        ("2026-11-12", "error", "Left the hatch open", "Always close the fore hatch before sailing"),
        ("2026-11-12", "error", "Wrong flag on the stern", ""),
        ("2026-11-13", "error", "Wrong flag on the stern", ""),
    ]
    named = ("timestamp", "type", "message", "fix")
    log = "".join(
        json.dumps({key: value for key, value in zip(named, row, strict=True) if value}) + "\n" for row in rows
    )
    workspace = build({"MEMORY.md": "# Ada\n\n## Lessons\n- Back up first\n", "memory/self-improving/log.jsonl": log})

    commands.review(workspace, CLOCK)

    (card,) = [one for one in suggestions(workspace, CLOCK) if "flag" in one.text]
    assert [one.place.rpartition(":")[2] for one in card.said] == ["3", "4"]
    (workspace.root / "memory/self-improving/log.jsonl").unlink()
    gone = [one.why for one in refine(workspace, CLOCK).findings if "hatch" in one.text]
    assert gone == ["memory/self-improving/log.jsonl does not exist any more"]


@pytest.mark.parametrize("said", ["User: never moor at night", "用户：夜里不要靠岸", "**用户**：夜里不要靠岸"])
def test_who_said_a_logged_rule_is_no_part_of_it(said: str) -> None:
    (one,) = logged_statements("memory/self-improving/log.jsonl", json.dumps({"type": "correction", "message": said}))

    assert one.text in ("never moor at night", "夜里不要靠岸")
