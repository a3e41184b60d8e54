"""The night around its judge: windows, a second chance, doubts, the brake, what comes back, what leads into topic files."""

from __future__ import annotations

from datetime import timedelta

import pytest

from conftest import NOW, Make, answering, end, memory_of, tonight, write
from reverie.judge.brief import brief_text, estimated_tokens, windows
from reverie.judge.model import ScriptedModel, model_judge
from reverie.night import answer, brief, run_night
from reverie.store.undo import undo

VALVE = {"memory/2026-03-30.md": "- valve came, number 31\n"}


def days_of_notes(first: int, last: int) -> dict[str, str]:
    """Eighty lines a day, no two of one form."""
    lines = [
        "".join(
            f"- fact {'abcdefghij'[n // 10]}{'klmnopqrst'[n % 10]}{'uvwxyzabcd'[d % 10]} about the wall\n"
            for n in range(80)
        )
        for d in range(31)
    ]
    return {f"memory/2026-03-{day}.md": lines[day] for day in range(first, last)}


def test_a_long_brief_is_shown_in_windows_with_the_whole_memory_in_each(workspace: Make) -> None:
    settings = {"reverie.toml": "[brief]\ntokens = 3000\n"}
    layout = workspace("## A\n- rent is 1200\n", {**days_of_notes(20, 30), **settings})
    parts = windows(tonight(layout))
    assert len(parts) > 2 and all(estimated_tokens(brief_text(part)) < 3_600 for part in parts)
    assert all("rent is 1200" in brief_text(part) for part in parts)
    assert sorted(mark for part in parts for mark in part.reading) == sorted(tonight(layout).reading)
    swap = {"op": "update", "memory": "m1", "from": ["n1"], "old": "1200", "new": "dear"}
    model = ScriptedModel([swap], *([[]] * (len(parts) - 2)), [swap | {"new": "cheap"}])
    run_night(layout, NOW, model_judge(model))
    assert memory_of(layout) == "## A\n- rent is cheap\n" and tonight(layout).notes == ()


def test_an_answer_to_one_window_leaves_the_others_to_be_read(workspace: Make) -> None:
    layout = workspace("## A\n- x\n", {**days_of_notes(26, 30), "reverie.toml": "[brief]\ntokens = 2500\n"})
    assert "More notes wait" in brief(layout, NOW)
    answer(layout, NOW, '{"operations": []}')
    assert 0 < len(tonight(layout).notes) < 320


def test_what_was_refused_goes_back_once(workspace: Make) -> None:
    layout = workspace("## A\n- pump came\n", VALVE)
    wrong = {"op": "add", "from": ["n1"], "section": "A", "text": "the valve is number 77"}
    model = ScriptedModel([wrong, end("m9")], [wrong | {"text": "the valve is number 31"}])
    night = run_night(layout, NOW, model_judge(model))
    assert memory_of(layout) == "## A\n- pump came\n- the valve is number 31\n"
    assert len(model.prompts) == 2 and "77 stands in none of the cited lines" in model.prompts[1]
    assert not night.plan.refused and not night.plan.waiting


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ({"op": "add", "from": ["n1"], "section": "A", "text": "the valve is number 77"}, "77 stands in none"),
        (
            {"op": "add", "from": ["n1"], "section": "A", "text": "Eva loves the valve and wants nine more"},
            "Most of its words",
        ),
        ({"op": "update", "memory": "m1", "from": ["n1"], "text": "the pump came"}, "leaves out 12, 2019, 240"),
        (end("m1"), "say that this is over"),
    ],
)
def test_a_doubt_becomes_a_card_and_no_loss(workspace: Make, wish: dict[str, object], why: str) -> None:
    layout = workspace("## A\n- the pump: number 12, since 2019, 240 litres\n", VALVE)
    night = run_night(layout, NOW, model_judge(ScriptedModel([wish])))
    assert memory_of(layout) == "## A\n- the pump: number 12, since 2019, 240 litres\n"
    assert [why in card.why for card in night.plan.waiting] == [True]


def test_a_night_that_would_change_very_much_waits_for_a_yes(workspace: Make) -> None:
    memory = "## A\n" + "".join(f"- [x] boat {n} is sold\n" for n in range(20))
    layout = workspace(memory)
    night = run_night(layout, NOW, answering(*(end(f"m{n}") for n in range(1, 13))))
    assert memory_of(layout) == memory and len(night.plan.waiting) == 12
    run_night(layout, NOW, answering(*(end(f"m{n}") for n in range(1, 13))), accept=True)
    assert memory_of(layout).count("\n") == 9


def test_what_was_archived_and_is_said_again_comes_back_with_a_mark(workspace: Make) -> None:
    layout = workspace("## Boats\n- [x] Anna likes the blue dory\n- [x] b\n- c is here\n")
    run_night(layout, NOW)
    assert "dory" not in memory_of(layout)
    write(layout, "memory/2026-04-02.md", "- Anna likes the blue dory.\n")
    run_night(layout, NOW + timedelta(days=3))
    assert memory_of(layout) == "## Boats\n- c is here\n- Anna likes the blue dory. [re-emerged]\n"
    ledger = (layout.vault / "ledger.md").read_text()
    assert (
        ledger.count("Event: re-emerged") == 1
        and '"status":"re-emerged"' in (layout.vault / "ledger-index.json").read_text()
    )
    assert run_night(layout, NOW + timedelta(days=3, hours=1)).run is None


def test_a_correction_is_believed_and_a_stated_end_ends(workspace: Make) -> None:
    memory = "## A\n| shop | opens |\n|---|---|\n| chandler | 09:00 |\n\n- trial of the sail until 2026-03-05\n- lived in Bern until 2019\n"
    layout = workspace(memory, {"memory/2026-03-30.md": "- Correction: the chandler opens at 08:30, not 09:00\n"})
    run_night(layout, NOW)
    assert (
        memory_of(layout) == "## A\n| shop | opens |\n|---|---|\n| chandler | 08:30 |\n\n- lived in Bern until 2019\n"
    )


def test_a_new_line_says_its_day_and_finds_its_section(workspace: Make) -> None:
    memory = "# M\n## House\n- a\n### Slip rails\n- greased in spring\n## People\n- Ilka\n"
    note = {"memory/2026-03-30.md": "## Slip rails\n- Decision: the rails are changed tomorrow\n"}
    layout = workspace(memory, note)
    run_night(layout, NOW)
    assert (
        "### Slip rails\n- greased in spring\n- Decision: the rails are changed on 2026-03-31\n## People"
        in memory_of(layout)
    )


def test_a_model_reaches_farther_back_in_its_first_night(workspace: Make) -> None:
    layout = workspace("## A\n- x\n", {"memory/2026-03-03.md": "- the boat is called Ilka\n"})
    assert "Ilka" not in brief_text(tonight(layout)) and "Ilka" in brief(layout, NOW)


TOPIC = "---\nname: tea\ndescription: kinds of tea\ntype: user\n---\n\n- black\n- green\n"


@pytest.fixture
def index(workspace: Make):  # type: ignore[no-untyped-def]
    memory = "# Index\n\n- [tea](memory/user/tea.md) — kinds of tea\n"
    return workspace(memory, {"memory/user/tea.md": TOPIC, **VALVE})


def test_a_line_may_go_into_a_topic_or_make_a_new_one_with_its_index_line(index) -> None:  # type: ignore[no-untyped-def]
    wishes = [
        {"op": "add", "from": ["n1"], "section": "tea", "text": "the valve came"},
        {
            "op": "add",
            "from": ["n1"],
            "section": "new: Pumps: and valves",
            "kind": "reference",
            "text": "valve number 31",
        },
    ]
    run_night(index, NOW, answering(*wishes))
    assert (index.root / "memory/user/tea.md").read_text() == TOPIC + "- the valve came\n"
    made = (index.root / "memory/reference/pumps_and_valves.md").read_text()
    assert (
        made
        == '---\nname: "Pumps: and valves"\ndescription: valve number 31\ntype: reference\n---\n\n- valve number 31\n'
    )
    assert memory_of(index).endswith(
        "tea\n- [Pumps: and valves](memory/reference/pumps_and_valves.md) — valve number 31\n"
    )
    undo(index, NOW)
    assert not (index.root / "memory/reference/pumps_and_valves.md").exists() and memory_of(index).count("\n") == 3


def test_a_topic_all_of_whose_lines_end_goes_with_its_index_line_and_comes_back(index) -> None:  # type: ignore[no-untyped-def]
    night = run_night(index, NOW, answering(end("m2", "m3") | {"from": ["n1"]}), accept=True)
    assert night.run and not (index.root / "memory/user/tea.md").exists()
    assert memory_of(index) == "# Index\n\n"
    undo(index, NOW)
    assert (index.root / "memory/user/tea.md").read_text() == TOPIC and "[tea]" in memory_of(index)


def test_what_tells_of_a_topic_changes_with_a_value_in_it_and_comes_back(workspace: Make) -> None:
    memory = (
        "# Index\n- [pump](pump.md) — the pump runs at 12 bar; 900 l a day\n- [12 rules](rules.md) — the 12 rules\n"
    )
    topic = '---\nname: {}\ndescription: "pump: 12 bar"\ntype: project\n---\n- the pump runs at 12 bar: slowly\n- spare seals in bay 12\n'
    files = {"pump.md": topic.format("pump"), "rules.md": topic.format("12 rules").replace("pump", "cart")}
    layout = workspace(memory, files | {"memory/2026-03-30.md": "- 14 bar it is\n- bay 31\n"})
    wishes = [
        {"op": "update", "memory": m, "from": n, "old": "12", "new": v}
        for m, n, v in (("m3", "n1", "14"), ("m4", "n2", "31"))
    ]
    run_night(layout, NOW, answering(*wishes))
    assert memory_of(layout) == memory.replace("12 bar", "14 bar")
    now = topic.format("pump").replace("12 bar", "14 bar").replace("bay 12", "bay 31")
    assert (layout.root / "pump.md").read_text() == now
    undo(layout, NOW)
    assert (memory_of(layout), (layout.root / "pump.md").read_text()) == (memory, topic.format("pump"))


def test_index_lines_and_files_stay_in_step(workspace: Make) -> None:
    memory = "# Index\n\n- [gone](memory/user/gone.md) — was here\n"
    layout = workspace(memory, {"memory/user/tea.md": TOPIC})
    night = run_night(layout, NOW)
    assert memory_of(layout) == memory + "- [tea](memory/user/tea.md) — kinds of tea\n"
    assert ["is not there" in card.why for card in night.plan.waiting] == [True]
    assert "fixed" in brief_text(tonight(layout)).split("[tea]")[0].rsplit("[m", 1)[1]
