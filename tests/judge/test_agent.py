"""The host agent judges: one text in, one answer back, corrections taken, and kept by words until a night uses it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from briefs import WORKSHOP, memory, notes

from reverie.judge.brief import Brief, Prose, Reflection
from reverie.judge.by_agent import AgentJudge, hash_of, record_of, take, text_for_agent
from reverie.judge.operation import AGENT, Op, Operation
from reverie.lang.messages import say

END = {"op": "end", "memory": ["m4"], "because": "done", "why": "over"}
RAISE = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "1,040 °C", "new": "1,060 °C", "why": "raised"}
VISIT = {"op": "add", "from": ["n4"], "section": "Workshop", "text": "Ilka comes on 2026-05-08.", "expires": "2026-05-08", "why": "to come"}  # fmt: skip
TEA = {"op": "add", "from": ["n3", "a1"], "section": "Workshop", "text": "Ilka likes tea.", "why": "she is back"}


def anything(operation: Operation, brief: Brief) -> str:
    return ""


def taken(*operations: Any, check: Any = anything) -> tuple[list[Operation], list[str]]:
    good, refused = take(json.dumps({"operations": list(operations)}), WORKSHOP, check)
    return good, [one.why for one in refused]


def test_an_agent_gets_instructions_brief_and_how_to_answer_in_one_text() -> None:
    text = text_for_agent(WORKSHOP)

    assert (
        text.index("long-term memory")
        < text.index("`dream answer --json FILE`")
        < text.index("[n1] raised")
        < text.rindex("</data>")
    )


def test_what_passes_is_taken_and_the_rest_is_named() -> None:
    good, refused = taken(END, {"op": "end", "memory": "m7"}, RAISE, check=lambda one, _: "too hot" if one.old else "")

    assert [(one.op, one.by) for one in good] == [(Op.END, AGENT)] and refused == ["m7 is the id of no line", "too hot"]
    assert take("Good night!", WORKSHOP)[1][0].why == "the answer is not JSON"
    assert take("{}", WORKSHOP)[1][0].why == "the answer has no list `operations`"


def test_a_night_does_what_was_handed_in() -> None:
    good, _ = taken(END, RAISE, VISIT, TEA)

    told = Prose("A warm night.", (Reflection("Tea returns.", tuple(note.claim for note in WORKSHOP.notes[:2])),))

    verdict = AgentJudge(record_of(good, WORKSHOP, prose=told), anything).judge(WORKSHOP)

    assert list(verdict.operations) == good and verdict.unread == () and verdict.prose == told


def test_notes_and_lines_that_come_later_cost_nothing_and_only_they_are_unread() -> None:
    record = record_of(taken(END, RAISE, TEA)[0], WORKSHOP)
    grown = replace(
        WORKSHOP,
        memory=memory("## Workshop", "Something new at the top.", *(line.entry.text for line in WORKSHOP.memory)),
        notes=notes(
            "## 2026-05-03", "a new first note", "## 2026-05-04", *(line.claim.text for line in WORKSHOP.notes[:3])
        ),
    )

    verdict = AgentJudge(record, anything).judge(grown)

    assert [(one.op, one.memory[0].text[:5] if one.memory else "") for one in verdict.operations] == [
        (Op.END, "Order"), (Op.UPDATE, "Kiln:"), (Op.ADD, ""),
    ]  # fmt: skip
    assert verdict.unread == ("n1",) and not verdict.ignored


def test_what_speaks_of_lines_that_are_gone_is_dropped_and_counted() -> None:
    record = record_of(taken(END, RAISE)[0], WORKSHOP)

    verdict = AgentJudge(record, anything).judge(replace(WORKSHOP, memory=WORKSHOP.memory[1:]))

    assert [one.op for one in verdict.operations] == [Op.END] and dict(verdict.ignored) == {say("refused.gone"): 1}


def test_the_checks_are_asked_again_at_night() -> None:
    record = record_of(taken(END, RAISE)[0], WORKSHOP)

    verdict = AgentJudge(record, lambda one, _: "not tonight" if one.op is Op.END else "").judge(WORKSHOP)

    assert [one.op for one in verdict.operations] == [Op.UPDATE] and dict(verdict.ignored) == {"not tonight": 1}


def test_a_correction_joins_what_was_taken_and_replaces_what_is_about_the_same() -> None:
    first = record_of(taken(END, RAISE, VISIT)[0], WORKSHOP)
    again = record_of(
        taken({**VISIT, "text": "Ilka comes on 2026-05-08 at 9:30."}, {**RAISE, "old": "Maren Holt", "new": "Ilka"})[0],
        WORKSHOP,
        first,
    )

    operations = AgentJudge(again, anything).judge(WORKSHOP).operations

    assert [one.old or one.text for one in operations] == [
        "",
        "1,040 °C",
        "Ilka comes on 2026-05-08 at 9:30.",
        "Maren Holt",
    ]
    back = record_of(taken({**END, "memory": ["m1"]})[0], WORKSHOP, again)
    assert [one.op for one in AgentJudge(back, anything).judge(WORKSHOP).operations] == [Op.END, Op.ADD, Op.END]


def test_nothing_handed_in_is_nothing_read() -> None:
    verdict = AgentJudge(None).judge(WORKSHOP)

    assert (verdict.operations, verdict.unread, verdict.use) == ((), ("n1", "n2", "n3", "n4", "n5"), None)


def test_a_brief_has_the_same_name_on_another_day_and_another_one_with_another_line() -> None:
    tomorrow = replace(WORKSHOP, today=WORKSHOP.today.replace(day=7))

    assert hash_of(tomorrow) == hash_of(WORKSHOP) != hash_of(replace(WORKSHOP, notes=WORKSHOP.notes[1:]))
