"""The host agent as the judge: what it reads, what becomes of its answer, and the night that does it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from briefs import WORKSHOP, memory, notes

from conftest import NIGHT, Build
from reverie.core.layout import MODEL_LOG
from reverie.core.ports import FixedClock, fixed
from reverie.judge.brief import Brief, Prose, Reflection
from reverie.judge.by_agent import AgentJudge, hash_of, record_of, take, text_for_agent
from reverie.judge.operation import AGENT, Op, Operation
from reverie.lang.messages import say
from reverie.night.agent import agent_judge, answer_used, keep_answer, kept_answer
from reverie.night.briefing import brief_of
from reverie.surfaces.configure import configured
from reverie.surfaces.mcp.server import Tools
from reverie.surfaces.mcp.serving import Door
from reverie.workspace.values import Workspace
from terminal import TOKEN, call, dream

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


CLOCK: FixedClock = fixed(NIGHT)
MEMORY = "# Me\n\n## Workshop\n\n- The lathe runs at 900 rpm.\n- The kiln is serviced by Maren Holt.\n"
NOTE = f"""# 2026-11-13

## Workshop

- The lathe runs at 1,100 rpm since the new belt.
- Swept the floor and emptied the bins.
- Johann prefers to be called in the morning.
- The relay token is {TOKEN}
"""
FASTER = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "900 rpm", "new": "1,100 rpm", "why": "new belt"}
JOHANN = {"op": "add", "from": ["n3"], "section": "Workshop", "text": "Johann prefers to be called in the morning.", "why": "a wish"}  # fmt: skip


@pytest.fixture
def workspace(build: Build, tmp_path: Path) -> Workspace:
    root = build({"MEMORY.md": MEMORY, "memory/2026-11-13.md": NOTE}).root
    return configured(root, {"HOME": str(tmp_path / "nobody"), "DREAM_MODEL": "agent"})


def said(*operations: Any) -> str:
    return json.dumps({"operations": list(operations)})


def test_an_agent_reads_answers_corrects_and_the_night_does_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_MODEL", "agent")
    here = ("--workspace", workspace.root, "--now", NIGHT)

    text = call("brief", *here).out
    assert (
        "[m1] The lathe runs at 900 rpm." in text and "[n1] The lathe runs at 1,100 rpm" in text and TOKEN not in text
    )

    (workspace.root.parent / "a.json").write_text(said({**FASTER, "new": "1,200 rpm"}, JOHANN))
    first = call("answer", "--json", workspace.root.parent / "a.json", *here)
    told = json.loads(first.out)
    assert first.code == 14 and (told["taken"], told["waiting"], told["refused"][0]["operation"]) == (1, 1, 1)
    assert "1,200" in told["refused"][0]["why"]

    (workspace.root.parent / "b.json").write_text(said(FASTER))
    assert json.loads(dream("answer", "--json", workspace.root.parent / "b.json", *here).out)["waiting"] == 2
    assert (workspace.root / "MEMORY.md").read_text() == MEMORY

    dream("review", *here)
    after = (workspace.root / "MEMORY.md").read_text()
    assert "- The lathe runs at 1,100 rpm.\n" in after and "- Johann prefers to be called in the morning." in after
    assert "emptied" not in after and TOKEN not in after


def test_what_is_handed_in_waits_until_it_is_used(workspace: Workspace) -> None:
    taken = keep_answer(workspace, CLOCK, said(FASTER))

    assert (len(taken.taken), taken.waiting, taken.notice) == (1, 1, "")
    tomorrow = fixed("2026-11-16T03:00:00+01:00")
    verdict = agent_judge(workspace, tomorrow).judge(brief_of(workspace, tomorrow))
    assert [one.new for one in verdict.operations] == ["1,100 rpm"] and verdict.unread == ()
    answer_used(workspace, tomorrow)
    assert kept_answer(workspace, tomorrow) is None
    assert agent_judge(workspace, tomorrow).judge(brief_of(workspace, tomorrow)).unread == ("n1", "n2", "n3")


def test_an_answer_that_is_no_json_changes_nothing_that_waits(workspace: Workspace) -> None:
    keep_answer(workspace, CLOCK, said(FASTER))

    taken = keep_answer(workspace, CLOCK, "Good night!")

    assert ([one.why for one in taken.refused], taken.waiting) == (["the answer is not JSON"], 1)


def test_an_empty_answer_says_that_nothing_is_to_be_done(workspace: Workspace) -> None:
    keep_answer(workspace, CLOCK, said())

    verdict = agent_judge(workspace, CLOCK).judge(brief_of(workspace, CLOCK))
    assert (verdict.operations, verdict.unread) == ((), ())


def test_no_secret_is_kept_and_the_others_are(workspace: Workspace) -> None:
    taken = keep_answer(workspace, CLOCK, said({**JOHANN, "why": f"token {TOKEN}"}, FASTER))

    assert [one.old for one in taken.taken] == ["900 rpm"] and len(taken.refused) == 1
    kept = json.dumps(kept_answer(workspace, CLOCK)) + (workspace.root / MODEL_LOG).read_text()
    assert TOKEN not in kept


def test_where_no_night_would_use_it_the_agent_hears_so(workspace: Workspace) -> None:
    off = replace(workspace, settings=replace(workspace.settings, model=replace(workspace.settings.model, kind="off")))

    assert 'model.kind is "off"' in keep_answer(off, CLOCK, said(FASTER)).notice


def test_the_tools_give_the_same_and_only_the_owner_may_answer(workspace: Workspace) -> None:
    tools = Tools(lambda: workspace, lambda _: CLOCK, Door())

    assert "[n1]" in tools.dream_brief()["text"]
    assert tools.dream_answer(None, [FASTER])["taken"] == 1
    with pytest.raises(Exception, match="Only the owner"):
        Tools(lambda: workspace, lambda _: CLOCK, Door(untrusted=True)).dream_answer(None, [FASTER])
