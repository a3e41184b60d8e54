"""`dream questions` and `dream answer`: asked once, answered once, through the one writer, and undone if wanted."""

from __future__ import annotations

import json

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadInput, RefusedPlan
from reverie.core.layout import QUESTIONS
from reverie.core.ports import FixedClock, fixed
from reverie.judge.operation import Op, Operation, Question, as_record, question_id
from reverie.night import commands
from reverie.plan.asked import asked_before, question_edits
from reverie.plan.ledger import array_text, read_ledger
from reverie.plan.splices import spliced
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace
from terminal import call
from wishes import claim

FIRST, SECOND = "The office says the pass costs 41 €.", "The website shows 45 € for the same pass."
ID = question_id(FIRST, SECOND)
NOTE = "memory/2026-11-14.md"
ASKED = Question(ID, FIRST, SECOND, "needs human review", f"{NOTE}:1", f"{NOTE}:2", "2026-11-14 03:00")


def made(build: Build, *lines: str) -> Workspace:
    memory = "# Me\n\n## Stable Knowledge\n" + "".join(f"- {line}\n" for line in (*lines, "lives in Bern"))
    files = {
        "MEMORY.md": memory,
        NOTE: f"- {FIRST}\n- {SECOND}\n",
        "dream-vault/meta/questions.json": array_text([as_record(ASKED)]),
    }
    return build(dict(files))


def memory(workspace: Workspace) -> list[str]:
    text = (workspace.root / "MEMORY.md").read_text("utf-8")
    return [line[2:].split(" <!--")[0] for line in text.split("\n") if line.startswith("- ")]


@pytest.mark.parametrize(
    ("there", "choice", "text", "after", "archived"),
    [
        ((FIRST, SECOND), "keep-first", "", [FIRST], [SECOND]),
        ((FIRST, SECOND), "keep-second", "", [SECOND], [FIRST]),
        ((FIRST,), "keep-second", "", [SECOND], [FIRST]),
        ((), "keep-first", "", [FIRST], []),
        ((FIRST, SECOND), "both", "", [FIRST, SECOND], []),
        ((FIRST, SECOND), "edit", "The pass costs 43 €.", ["The pass costs 43 €."], [FIRST, SECOND]),
        ((), "edit", "The pass costs 43 €.", ["The pass costs 43 €."], []),
    ],
)
def test_an_answer_leaves_what_was_chosen_and_archives_the_rest(
    build: Build,
    clock: FixedClock,
    there: tuple[str, ...],
    choice: str,
    text: str,
    after: list[str],
    archived: list[str],
) -> None:
    workspace = made(build, *there)

    commands.answer(workspace, clock, ID, choice, text)

    assert sorted(memory(workspace)) == sorted([*after, "lives in Bern"])
    ledger = workspace.vault / "ledger.md"
    blocks = read_ledger(ledger.read_text("utf-8")) if ledger.exists() else ()
    assert sorted(entry.content[0][2:] for entry in blocks) == sorted(archived)
    assert [entry.category for entry in blocks] == ["superseded"] * len(archived)


def test_what_is_answered_does_not_come_back_and_is_still_listed(build: Build, clock: FixedClock) -> None:
    workspace = made(build, FIRST, SECOND)
    assert [question.id for question in commands.questions(workspace)] == [ID]

    commands.answer(workspace, clock, ID[:5], "both")

    assert commands.questions(workspace) == ()
    (known,) = commands.questions(workspace, everything=True)
    assert (known.status, known.answer, known.answered) == ("answered", "both", "2026-11-15 03:00")
    assert asked_before(read_workspace(workspace)) == {ID}


def test_both_after_another_answer_brings_back_the_line_that_left(build: Build, clock: FixedClock) -> None:
    workspace = made(build, FIRST, SECOND)

    commands.answer(workspace, clock, ID, "keep-second")
    commands.answer(workspace, clock, ID, "both")

    assert sorted(memory(workspace)) == sorted([FIRST, SECOND, "lives in Bern"])


def test_a_night_says_that_a_question_waits_and_the_list_asks_it_in_a_sentence(build: Build) -> None:
    workspace = made(build, FIRST, SECOND)
    where = ("--workspace", workspace.root, "--now", NIGHT)

    assert "1 question waits for you: `dream questions`." in call("review", *where).out
    assert "1 question waits for you: `dream questions`." in call("plan", *where).out
    assert "  needs human review\n  first:  The office" in call("questions", *where).out
    assert call("answer", ID, "later", *where).out.startswith(f"{ID}: later. It is asked again in a week.")
    assert "question" not in call("review", *where).out
    assert "|later|" in call("answer", "--help").out


def test_an_answer_can_be_undone(build: Build, clock: FixedClock) -> None:
    workspace = made(build, FIRST, SECOND)
    before = tree(workspace.root)

    commands.answer(workspace, clock, ID, "edit", "The pass costs 43 €.")
    commands.undo(workspace, clock)

    assert tree(workspace.root) == before


@pytest.mark.parametrize(
    ("its_id", "choice", "text"),
    [("ffffffff", "both", ""), ("", "both", ""), (ID, "perhaps", ""), (ID, "edit", " "), (ID, "both", "more words")],
)
def test_what_makes_no_sense_is_refused(build: Build, clock: FixedClock, its_id: str, choice: str, text: str) -> None:
    workspace = made(build, FIRST, SECOND)

    with pytest.raises(BadInput):
        commands.answer(workspace, clock, its_id, choice, text)


def test_a_pinned_line_does_not_give_way(build: Build, clock: FixedClock) -> None:
    workspace = made(build, f"📌 {FIRST}", SECOND)
    before = tree(workspace.root)

    with pytest.raises(RefusedPlan, match="protected"):
        commands.answer(workspace, clock, ID, "edit", "The pass costs 43 €.")
    assert tree(workspace.root) == before


def test_a_night_adds_its_questions_to_the_list_once(build: Build) -> None:
    snapshot = read_workspace(made(build))
    seats = "18 seats, says Kim", "the plan shows 22 seats"
    other, same = (
        Operation(
            Op.ASK, "two notes of one day say different things", (claim(one), claim(two, 2)), text=f"{one} / {two}?"
        )
        for one, two in (seats, (SECOND, FIRST))
    )

    (edit,) = question_edits(snapshot, (same, other, other), fixed(NIGHT).now())

    found = json.loads(spliced(snapshot.text_of(QUESTIONS), [edit]))
    assert [record["first"] for record in found] == [FIRST, "18 seats, says Kim"]
    assert question_edits(snapshot, (same,), fixed(NIGHT).now()) == []
