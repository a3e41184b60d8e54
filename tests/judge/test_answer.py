"""From an answer to operations: lenient about form, strict about lines, and one bad operation never costs another."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from briefs import WORKSHOP, brief, memory, notes, operations_in
from hypothesis import given
from hypothesis import strategies as st

from reverie.judge.brief import MemoryLine, prose_in
from reverie.judge.operation import Op, Operation

M = {line.id: line.entry for line in WORKSHOP.memory}
N = {line.id: line.claim for line in WORKSHOP.notes}


def read(*operations: Any) -> tuple[list[Operation], list[str]]:
    found, refused = operations_in({"operations": list(operations)}, WORKSHOP, "tester")
    return list(found), [one.why for one in refused]


def test_the_five_operations() -> None:
    found, refused = read(
        {"op": "add", "from": ["n4"], "section": "Workshop", "text": "Ilka comes on 2026-05-08 at 9:30.", "expires": "2026-05-08", "why": "to come"},
        {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "1,040 °C", "new": "1,060 °C", "why": "raised"},
        {"op": "end", "memory": ["m4"], "because": "done", "why": "over"},
        {"op": "merge", "memory": ["m2", "m3"], "text": "The lathe runs at 900 rpm, belt changed in March.", "why": "one thing"},
        {"op": "ask", "memory": ["m5"], "from": ["n5"], "question": "Are the fees waived?"},
    )  # fmt: skip

    assert refused == [] and found == [
        Operation(Op.ADD, "to come", (N["n4"],), text="Ilka comes on 2026-05-08 at 9:30.", section="Workshop", by="tester", tag="added", expires=date(2026, 5, 8)),
        Operation(Op.UPDATE, "raised", (N["n1"],), (M["m1"],), old="1,040 °C", new="1,060 °C", by="tester", tag="superseded"),
        Operation(Op.END, "over", (), (M["m4"],), by="tester", tag="completed"),
        Operation(Op.MERGE, "one thing", (), (M["m2"], M["m3"]), "The lathe runs at 900 rpm, belt changed in March.", by="tester", tag="merged"),
        Operation(Op.ASK, "it stands in your note of 2026-05-05", (N["n5"],), (M["m5"],), "Are the fees waived?", by="tester", tag="question"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "ids", ["m1", "[m1]", ["m1"], ["[m1]"], "M1", 1, "1", ["m1 fixed"], {"id": 1}], ids=lambda ids: json.dumps(ids)
)
def test_an_id_is_known_however_it_is_written(ids: Any) -> None:
    found, refused = read({"op": "end", "memory": ids, "cites": "[n1], n2"})

    if isinstance(ids, dict):
        assert refused == ["`memory` names no line"]
    else:
        assert [(one.memory, one.cites) for one in found] == [((M["m1"],), (N["n1"], N["n2"]))]


@pytest.mark.parametrize("form", ["{}", "```json\n{}\n```", "Here it is:\n{}\nGood night!"])
def test_an_answer_is_found_in_what_stands_around_it(form: str) -> None:
    text = form.replace("{}", json.dumps({"operations": [{"op": "end", "memory": "m4"}], "diary": " A quiet\nnight. "}))

    assert [one.op for one in operations_in(text, WORKSHOP, "tester")[0]] == [Op.END]


def test_a_list_or_a_single_operation_is_an_answer_too() -> None:
    one = {"op": "end", "memory": "m4"}

    assert [operations_in(given, WORKSHOP, "t")[0] for given in ([one], one)] == [
        operations_in({"operations": [one]}, WORKSHOP, "t")[0]
    ] * 2
    assert operations_in("no idea", WORKSHOP, "t") == operations_in(None, WORKSHOP, "t") == ((), ())


def test_the_words_become_one_line_without_marks() -> None:
    found, _ = read(
        {
            "op": "add",
            "from": "n1",
            "text": " - [m1] The kiln\n  fires  at 1,060 °C. <!-- dream:a3f8c201 -->",
            "section": "Workshop",
        }
    )

    assert found[0].text == "The kiln fires at 1,060 °C."


def test_a_sign_that_was_taken_out_of_a_tag_stands_there_again() -> None:
    board = brief(memory("## Workshop", "The key is <name>."), notes("## 2026-05-04", "it is <id> now"))

    found, _ = operations_in(
        [{"op": "update", "memory": "m1", "from": "n1", "old": "‹name>", "new": "‹id>"}], board, "t"
    )

    assert [(one.old, one.new) for one in found] == [("<name>", "<id>")]


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        ("end m4", "it is no object with an `op`"),
        ({"op": "bless", "memory": "m1"}, "`op` is none of add, update, end, merge and ask"),
        ({"op": "end", "memory": "m99"}, "m99 is the id of no line"),
        ({"op": "end", "memory": "the kiln"}, "the kiln is the id of no line"),
        ({"op": "end"}, "`memory` names no line"),
        ({"op": "add", "from": "n1", "section": "Workshop"}, "`text` is missing"),
        ({"op": "add", "text": "The kiln fires."}, "it cites no note: give the ids in `from`"),
        ({"op": "add", "from": "n1", "text": "Hot.", "section": "Rules"}, "`section` is no heading that takes new lines: copy one of the file"),
        ({"op": "update", "memory": "m1", "old": "1,050 °C", "new": "1,060 °C"}, "the words of `old` do not stand in m1"),
        ({"op": "update", "memory": "m1", "old": "1,040 °C"}, "`new` is missing"),
        ({"op": "update", "memory": "m1", "old": "e", "new": "a"}, "the words of `old` stand in m1 more than once: give more of the line"),
        ({"op": "update", "memory": "m2", "from": "n1"}, "it gives neither `old` and `new` nor `text`"),
        ({"op": "update", "memory": "m2", "text": "The lathe runs at 900 rpm."}, "it changes nothing"),
        ({"op": "merge", "memory": "m2", "text": "One."}, "`memory` names fewer than two lines"),
        ({"op": "ask", "memory": "m2", "question": "Well?"}, "it names neither a note nor two lines of memory that contradict each other"),
        ({"op": "expires", "memory": "m2", "date": "2026-09-01"}, "only an add can expire later: give `expires` with it, or end the line when it is over"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_alone(operation: Any, why: str) -> None:
    found, refused = read(operation, {"op": "end", "memory": "m4"})

    assert ([one.op for one in found], refused) == ([Op.END], [why])


def test_a_refusal_knows_its_place_and_what_was_given() -> None:
    odd = {"op": "end", "memory": "m99"}

    (one,) = operations_in([{"op": "end", "memory": "m4"}, odd], WORKSHOP, "t")[1]

    assert (one.place, one.given) == (2, odd)


def test_two_values_of_a_line_may_change_and_a_line_that_leaves_changes_no_more() -> None:
    first = {"op": "update", "memory": "m1", "old": "1,040 °C", "new": "1,060 °C"}
    second = {"op": "update", "memory": "m1", "old": "Maren Holt", "new": "Ilka"}

    assert [len(read(first, second)[0]), read(first, {"op": "end", "memory": "m1"})[1]] == [
        2, ["another operation of this answer is already about m1"],
    ]  # fmt: skip


def test_lines_that_end_together_are_judged_apart() -> None:
    assert [one.memory for one in read({"op": "end", "memory": ["m2", "m4"]})[0]] == [(M["m2"],), (M["m4"],)]


def test_an_item_takes_the_sub_items_along_that_are_named_with_it() -> None:
    entries = [
        replace(entry, block=replace(entry.block, tail=4)) if entry is M["m2"] else entry for entry in M.values()
    ]
    told = replace(WORKSHOP, memory=tuple(MemoryLine(f"m{n}", entry) for n, entry in enumerate(entries, 1)))

    found, _ = operations_in([{"op": "end", "memory": ["m3", "m2", "m4"]}], told, "t")

    assert [tuple(entry.text[:9] for entry in one.memory) for one in found] == [
        ("The lathe", "Belt chan"),
        ("Order cla",),
    ]


def test_the_words_that_change_are_found_across_a_line_break() -> None:
    told = brief(memory("## Workshop", "The oven\n  is blue."))

    (one,) = operations_in([{"op": "update", "memory": "m1", "old": "oven is", "new": "oven was"}], told, "t")[0]

    assert one.old == "oven\n  is"


def test_what_came_back_rests_on_the_note_and_names_what_the_archive_has() -> None:
    (one,) = read({"op": "add", "from": ["a1"], "section": "## Workshop", "text": "Ilka likes tea.", "why": "again"})[0]

    assert (one.tag, one.text, one.cites) == ("re-emerged", "[re-emerged] Ilka likes tea.", (N["n3"],))
    assert one.why == "again; it had left on 2026-03-01 (stale) as [1f]"


def test_a_day_that_is_over_ends_a_line_and_words_for_silence_are_silence() -> None:
    found, refused = read({"op": "expires", "memory": "m4", "date": "2026-04-30"}, {"op": "ignore", "from": "n2"})

    assert [one.op for one in found] == [Op.END] and refused == []


def test_the_diary_is_one_paragraph_or_nothing() -> None:
    told = [prose_in(answer, WORKSHOP).diary for answer in ({"diary": "Quiet.\n\nGood."}, {"diary": 3}, [])]

    assert told == ["Quiet. Good.", "", ""]


def test_a_reflection_speaks_of_two_notes_or_is_none() -> None:
    good, alone = (
        {"text": "The kiln again.", "from": ["n1", "[n2]"]},
        {"text": "The kiln.", "from": ["n1", "n1", "m1", "n99"]},
    )

    found = prose_in(
        {"reflections": [alone, "kiln", {"text": 3, "from": ["n1", "n2"]}, good, {"from": "n1"}]}, WORKSHOP
    )

    assert [(one.text, one.cites) for one in found.reflections] == [("The kiln again.", (N["n1"], N["n2"]))]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["m1", "n1", "add", "end", "update", "merge"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["op", "memory", "from", "text", "old", "new", "section", "drops", "expires", "operations"]), inner, max_size=6),
    max_leaves=30,
)  # fmt: skip


@given(JUNK)
def test_nothing_that_a_model_says_raises(answer: Any) -> None:
    operations_in(answer, WORKSHOP, "t")
