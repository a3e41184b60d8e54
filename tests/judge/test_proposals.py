"""What is likely: swaps inside the line, ends and new lines in one ranked list; nothing of it happens by itself."""

from __future__ import annotations

from dataclasses import replace

from conftest import Build
from reverie.core.ports import FixedClock
from reverie.features.search import default_embedder
from reverie.judge.changes import Pair, clauses_of, effects_of, swaps, weights
from reverie.judge.forms import by_form
from reverie.judge.operation import Level, Op, Operation
from reverie.judge.proposals import LEAST, likely, weigh
from reverie.night.briefing import brief_of
from reverie.workspace.values import Workspace

DAY = "2026-11-14"
STACK = "**Harbour:** Postgres 15, Caddy in front, 40 gates, rent 310 EUR a month"


def cards(workspace: Workspace, clock: FixedClock) -> list[Operation]:
    brief = brief_of(workspace, clock)
    told = by_form(brief).known
    return likely(brief, [one for one in weigh(brief) if one.note.id not in told])


def built(build: Build, *notes: str) -> Workspace:
    memory = f"# Memory\n\n## Systems\n\n- {STACK}\n- 📌 Harbour backups run at 03:00\n\n## Open\n\n- Waiting for the permit of the new quay\n"
    made = build({"MEMORY.md": memory, f"memory/{DAY}.md": f"# {DAY}\n\n" + "".join(f"- {note}\n" for note in notes)})
    return replace(made, embedder=default_embedder(None))


def test_a_value_told_in_passing_is_proposed_as_a_swap_inside_its_line(build: Build, clock: FixedClock) -> None:
    made = built(build, "The rent of the harbour is 335 EUR a month from January on, says the port")

    found = [one for one in cards(made, clock) if one.op is Op.UPDATE]

    assert [(one.old, one.new) for one in found] == [("310", "335")]
    assert all(one.level is Level.LIKELY and one.detail.count("chance") == 1 for one in found)


def test_every_card_says_how_likely_a_yes_is_and_the_best_stands_first(build: Build, clock: FixedClock) -> None:
    made = built(
        build, "The permit for the new quay came this morning", "Decision: deploys only on Tuesdays, never on Fridays"
    )

    found = cards(made, clock)

    assert [one.worth for one in found] == sorted((one.worth for one in found), reverse=True)
    assert all(one.worth >= LEAST * 0.6 and f"chance of a yes {one.worth:.2f}"[:-1] in one.detail for one in found)


def test_nothing_is_proposed_for_a_line_that_its_owner_pinned(build: Build, clock: FixedClock) -> None:
    made = built(build, "Harbour backups run at 04:30 since the update")

    assert not [one for one in cards(made, clock) if one.memory and one.memory[0].text.startswith("📌")]


def test_no_swap_loses_another_value_of_the_line(build: Build, clock: FixedClock) -> None:
    made = built(build, "The rent of the harbour is 335 EUR a month from January on, says the port")

    for one in cards(made, clock):
        if one.op is Op.UPDATE:
            after = one.memory[0].text.replace(one.old, one.new, 1)
            assert all(value in after for value in ("Postgres 15", "Caddy", "40 gates"))


def test_a_value_gives_way_to_one_of_its_kind() -> None:
    found = swaps("Stand-up 09:30 in #deck, at most 8 lines", "stand-up is at 09:10 these days", "en", weights())

    assert (found[0].old, found[0].new) == ("09:30", "09:10")
    assert found[0].chance > found[-1].chance


def test_a_number_that_no_blank_parts_from_its_words_gives_way_too() -> None:
    found = swaps("宠物托管费每晚80元，接送另算", "托管费从下周起是每晚95元", "zh", weights())

    assert (found[0].old, found[0].new) == ("80", "95")


def test_what_changes_together_is_exchanged_together() -> None:
    found = swaps("Rowing is on Mondays at 19:30", "Rowing is now on Fridays at 18:00", "en", weights())
    chinese = swaps("合唱排练在每周二下午三点", "合唱排练改到周四上午十点", "zh", weights())

    assert {("Mondays at 19:30", "Fridays at 18:00")} == {(one.old, one.new) for one in found if one.family != "clause"}
    assert (chinese[0].old, chinese[0].new) == ("周二下午三", "周四上午十")


def test_no_swap_takes_half_of_a_change() -> None:
    lines = [
        ("The kiln stands in Sund, Strandvej 12", "The kiln moved to Nyby, Havnegade 3"),
        ("Odo plays a Steinway 4", "Odo bought himself a Yamaha 7"),
    ]

    for line, note in lines:
        found = [one for one in swaps(line, note, "en", weights()) if one.family != "clause"]
        assert all(any(word in one.new for word in ("Havnegade", "Yamaha")) and "," not in one.old for one in found)


def test_a_value_that_the_note_repeats_gives_way_to_none() -> None:
    found = swaps("The loom runs Alder 11 with Birch 14", "The loom runs Alder 12 now, Birch 14 stays", "en", weights())

    assert {(one.old, one.new) for one in found if one.family == "number"} == {("11", "12")}


def test_where_a_line_ends_the_name_behind_its_own_takes_its_place() -> None:
    line, note = "The choir rehearses with Bertil", "The choir went from Bertil to Solveig"

    assert not [one for one in swaps(line, note, "en", weights()) if one.family == "name"]
    (found,) = [one for one in swaps(line, note, "en", weights(), ended=True) if one.family == "name"]
    assert (found.old, found.new) == ("Bertil", "Solveig")
    apart = swaps(line, "Bertil has left the choir, says Solveig", "en", weights(), ended=True)
    assert not [one for one in apart if one.family == "name"]


def test_a_short_form_ends_no_clause() -> None:
    text = "The vet is Dr. Aalto, on Mondays"

    assert [text[one.start : one.end] for one in clauses_of(text)] == ["The vet is Dr. Aalto", "on Mondays", text]


def test_clauses_end_at_commas_and_not_inside_numbers() -> None:
    text = "Rent: 1,250 EUR, due on the 5th; paid by Noor"

    assert [text[one.start : one.end] for one in clauses_of(text)][1:4] == [
        "1,250 EUR",
        "due on the 5th",
        "paid by Noor",
    ]


def test_what_was_waited_for_and_came_ends_rather_than_a_standing_rule() -> None:
    open_matter, rule = effects_of(
        [
            Pair("Waiting for the permit of the new quay", "Open", "The permit for the new quay came this morning"),
            Pair("The new quay is open to members only", "Rules", "The permit for the new quay came this morning"),
        ]
    )

    assert open_matter.ends > 3 * rule.ends
