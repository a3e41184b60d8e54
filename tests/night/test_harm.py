"""Do no harm: what memory and archive could answer before a night, they answer after it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Build
from reverie.core.errors import RefusedPlan
from reverie.core.layout import LEDGER
from reverie.core.ports import FixedClock
from reverie.judge.operation import Operation
from reverie.night.probing import Library, ProbeLine, ProbeQuestions, Where, weigh
from reverie.night.promising import promised
from reverie.night.proposing import asked_of, probed
from reverie.plan.build import build_plan
from reverie.text.terms import terms
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Plan, Snapshot, Workspace, stated
from wishes import NOTE, add, end, line_of, retell, update

MEMORY = """# Mira
## Flat
- Rent: 890 Euro a month
- The landlord is Herr Kolb
## Servers
- Postgres runs on port 5432
- The backup runs at 02:00
"""
NOW = datetime.fromisoformat("2026-11-15T03:00:00+01:00")


def snapshot_of(build: Build, memory: str = MEMORY, **more: str) -> Snapshot:
    return read_workspace(build({"MEMORY.md": memory, **more}))


def test_a_fact_that_moves_to_the_archive_is_still_answered(build: Build) -> None:
    snapshot = snapshot_of(build)
    plan = build_plan(snapshot, [end(line_of(snapshot, "backup"))], NOW)

    verdict = weigh(snapshot, plan, ProbeQuestions())

    assert (verdict.before, verdict.after, dict(verdict.at_fault)) == (1, 1, {})


def test_a_line_that_would_be_nowhere_is_at_fault(build: Build) -> None:
    """No plan of ours forgets the archive, but a plan may be anybody's."""
    snapshot = snapshot_of(build)
    whole = build_plan(snapshot, [end(line_of(snapshot, "backup"))], NOW)
    plan = replace(whole, edits=tuple(edit for edit in whole.edits if edit.path != LEDGER))

    verdict = weigh(snapshot, plan, ProbeQuestions())

    assert (verdict.before, verdict.after) == (1, 0)
    assert [edit.id for edit in plan.edits if edit.path == "MEMORY.md"] == list(verdict.at_fault)


def test_a_new_value_is_one_answer_more(build: Build) -> None:
    snapshot = snapshot_of(build)
    plan = build_plan(snapshot, [update(line_of(snapshot, "Rent"), "890", "935")], NOW)

    verdict = weigh(snapshot, plan, ProbeQuestions())

    assert (verdict.before, verdict.after, dict(verdict.at_fault)) == (1, 2, {})


def test_an_outdated_line_that_would_stand_before_the_new_one_stops_the_change(build: Build) -> None:
    snapshot = snapshot_of(build, MEMORY + "## Money\n- Rent 890 Euro month\n")
    new = "From December the new rent is 935 Euro a month, said the letter of the house management"
    plan = build_plan(snapshot, [retell(line_of(snapshot, "Rent: 890"), new)], NOW)

    verdict = weigh(snapshot, plan, ProbeQuestions())

    assert list(verdict.at_fault.values()) == ["an outdated line would stand before the new one"]
    with pytest.raises(RefusedPlan, match="do no harm"):
        probed(snapshot, plan)


def test_a_value_that_a_later_note_contradicts_does_not_enter(build: Build) -> None:
    snapshot = snapshot_of(build)
    plan = build_plan(snapshot, [update(line_of(snapshot, "Rent"), "890", "935")], NOW)
    later = stated("memory/2026-11-15.md", 3, 3, "Rent: 960 Euro a month", day="2026-11-15")

    assert list(weigh(snapshot, plan, ProbeQuestions(notes=(later,))).at_fault.values()) == [
        "memory/2026-11-15.md:3 says otherwise on 2026-11-15"
    ]
    for harmless in (
        replace(later, day="2026-11-13"),
        replace(later, text="Rent: 935 Euro a month"),
        replace(later, text="The deposit was 960 Euro"),
        replace(later, origin="quoted"),
    ):
        assert not weigh(snapshot, plan, ProbeQuestions(notes=(harmless,))).at_fault, harmless


def test_questions_really_asked_are_asked_again(build: Build) -> None:
    snapshot = snapshot_of(build)
    plan = build_plan(snapshot, [end(line_of(snapshot, "Kolb"))], NOW)
    asked = ProbeQuestions(questions=("which port does Postgres use", "who is the landlord", "the colour of the moon"))

    verdict = weigh(snapshot, plan, asked)

    assert (verdict.before, verdict.after) == (3, 3)  # the fact itself and two of the questions; nobody knows the third


def test_new_lines_that_crowd_an_answer_out_are_left_out(build: Build) -> None:
    snapshot = snapshot_of(build)
    plan = build_plan(snapshot, [add(f"Postgres port number {n}", "Servers") for n in range(9)], NOW)
    asked = ProbeQuestions(questions=("number of the Postgres port",))

    verdict = weigh(snapshot, plan, asked)

    assert (verdict.before, verdict.after) == (1, 0) and verdict.at_fault.keys() <= {e.id for e in plan.edits}


def test_the_journal_gives_each_question_once_the_latest_fifty(build: Build) -> None:
    lines = [f'{{"type":"memory.recall.recorded","query":"question {n % 70}?"}}' for n in range(90)]
    workspace = build({"MEMORY.md": MEMORY, "memory/.dreams/events.jsonl": "\n".join([*lines, "{torn"])})

    asked = asked_of(read_workspace(workspace))

    assert len(asked.questions) == len(set(asked.questions)) == 50 and asked.questions[-1] == "question 19?"


def test_what_harms_leaves_the_plan_and_the_owner_is_told(build: Build) -> None:
    note = "From December the new rent is 935 Euro a month, said the letter of the house management"
    snapshot = snapshot_of(build, MEMORY + "## Money\n- Rent 890 Euro month\n", **{NOTE: f"- {note}\n"})
    new = note
    harmful, harmless = retell(line_of(snapshot, "Rent: 890"), new), end(line_of(snapshot, "backup"))

    def plan(chosen: Sequence[Operation], *, told: bool = True) -> Plan:
        return build_plan(snapshot, chosen, NOW)

    found = promised(snapshot, [harmful, harmless], plan, ProbeQuestions())

    assert found.operations == (harmless,) and found.plan.probes == (1, 1)
    assert [(one.operation, one.why) for one in found.dropped] == [
        (harmful, "an outdated line would stand before the new one")
    ]


def test_it_holds_in_chinese(build: Build) -> None:
    snapshot = snapshot_of(build, "# 我\n- 房租每月 890 元\n- 数据库端口 5432\n- 备份在凌晨两点\n")
    plan = build_plan(snapshot, [update(line_of(snapshot, "房租"), "890", "935")], NOW)
    later = stated("memory/2026-11-15.md", 3, 3, "房租每月 960 元", day="2026-11-15")

    assert (weigh(snapshot, plan, ProbeQuestions(questions=("端口是多少",))).after) == 3
    assert weigh(snapshot, plan, ProbeQuestions(notes=(later,))).at_fault


def test_an_embedder_that_fails_leaves_the_words() -> None:
    def broken(_texts: Sequence[str]) -> object:
        raise OSError("no server")

    library = Library([ProbeLine("the kettle is red", "", Where.MEMORY)], broken)

    assert library.nearness(["kettle"]) is None
    assert [one.text for _, one in library.hits(library.scores(terms("kettle")), after=True)] == ["the kettle is red"]


WORDS = ("rent", "port", "backup", "landlord", "kettle", "Kolb", "Postgres", "890", "935", "not", "房租", "端口")
LINES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=25)


@settings(max_examples=60)
@given(LINES, LINES, st.lists(st.integers(0, 99), max_size=12), LINES)
def test_no_plan_that_passes_the_gate_answers_less(
    memory: list[str], news: list[str], picked: list[int], questions: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "MEMORY.md").write_text("# Me\n" + "".join(f"- {line}\n" for line in memory), "utf-8")
        (root / "memory").mkdir()
        (root / NOTE).write_text("".join(f"{line} " for line in news), "utf-8")
        snapshot = read_workspace(Workspace(root, root / "dream-vault"))
        entries = snapshot.files["MEMORY.md"].entries
        operations = [
            end(entries[n % len(entries)]) if n % 2 else retell(entries[n % len(entries)], news[n % len(news)])
            for n in {n % len(entries): n for n in picked if entries}.values()
        ]
        operations += [add(text) for text in dict.fromkeys(news)]
        asked = ProbeQuestions(tuple(questions))

        def build(chosen: Sequence[Operation], *, told: bool = True) -> Plan:
            """A hostile plan besides: every other time what leaves is not archived at all."""
            plan = build_plan(snapshot, chosen, NOW)
            return replace(plan, edits=tuple(edit for edit in plan.edits if edit.path != LEDGER or len(picked) % 2))

        found = promised(snapshot, operations, build, asked)

        verdict = weigh(snapshot, found.plan, asked)
        assert verdict.after >= verdict.before and not verdict.at_fault


def test_two_hundred_probes_over_a_full_memory_are_fast(build: Build) -> None:
    """The bound is far above what it takes (about 50 ms), so that a busy machine does not fail it."""
    lines = "".join(f"- The {kind} of room {n} is number {n * 7}\n" for n in range(60) for kind in "abcd")
    snapshot = snapshot_of(build, "# House\n" + lines)
    entries = snapshot.files["MEMORY.md"].entries
    plan = build_plan(snapshot, [end(entry) for entry in entries[:150]], NOW)
    asked = ProbeQuestions(questions=tuple(f"number of room {n}" for n in range(50)))

    start = time.process_time()
    verdict = weigh(snapshot, plan, asked)

    assert verdict.after >= verdict.before >= 150
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize("tag", ["view", "init"])
def test_what_decides_nothing_needs_no_probe(build: Build, clock: FixedClock, tag: str) -> None:
    snapshot = snapshot_of(build)
    edit = Edit("x", "MEMORY.md", 0, (), ("<!-- a comment -->\n",), tag, "w")
    plan = replace(build_plan(snapshot, [], clock.now()), edits=(edit,))

    assert probed(snapshot, plan).probes is None
