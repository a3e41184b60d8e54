"""What a night asks, and what it does not: a card changes the line it is about, exchanges whole names, and never turns on its own source."""

from __future__ import annotations

import pytest

from conftest import NIGHT, Build
from reverie import dream, open_workspace, search
from reverie.core.ports import FixedClock, fixed
from reverie.features.note import note
from reverie.features.why_not import why_not
from reverie.judge.operation import Op
from reverie.night.suggesting import Card, accept, suggestions
from reverie.workspace.values import Author, Workspace
from terminal import call

ME = Author("owner", "cli")
NEXT = fixed("2026-11-16T03:00:00+01:00")


def asked(build: Build, line: str, said: str) -> list[str]:
    """The cards of the night after a note, each as the line would read then; what leaves is struck out."""
    workspace = opened(build, f"# M\n\n## Notes\n- {line}\n- The boat is blue\n", f"# 2026-11-14\n\n- {said}\n")
    dream(workspace, clock=fixed(NIGHT))
    return [_read(card) for card in suggestions(workspace, fixed(NIGHT))]


def _read(card: Card) -> str:
    if card.op is Op.END:
        return f"~~{card.lines[0].text}~~"
    return card.lines[0].text.replace(card.old, card.new) if card.old else card.text


def opened(build: Build, memory: str, said: str = "") -> Workspace:
    notes = {"memory/2026-11-14.md": said} if said else {}
    return open_workspace(build({"MEMORY.md": memory, **notes}).root)


def memory_of(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text("utf-8")


# --- a line and its own source -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("memory", "said"),
    [
        ("# M\n\n## Notes\n- Rye bread is baked on Mondays\n", "I have decided to give up the allotment in March"),
        ("# 记忆\n\n## 笔记\n- 周一烤黑麦面包\n", "我决定三月退掉菜园"),
    ],
)
def test_a_decision_is_not_taken_back_by_the_note_that_brought_it(
    build: Build, clock: FixedClock, memory: str, said: str
) -> None:
    workspace = opened(build, memory)
    assert note(workspace, clock, said, by=ME).line

    dream(workspace, clock=NEXT)

    assert said in memory_of(workspace) and suggestions(workspace, NEXT) == ()


# --- names that look like secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [("Office database: MariaDB", "Office database: ScyllaDB"), ("Router model: AX3000", "Router model: AX5400")],
)
def test_another_name_under_a_key_that_memory_keeps_openly_is_a_card(
    build: Build, clock: FixedClock, before: str, after: str
) -> None:
    workspace = opened(build, f"# M\n\n## Tech\n- {before}\n", f"## Tech\n- {after}\n")
    night = dream(workspace, clock=clock)

    (card,) = suggestions(workspace, clock)
    accept(workspace, clock, card.id)

    assert night.plan.flags == () and after in memory_of(workspace) and before not in memory_of(workspace)


def test_a_word_that_opens_a_door_stays_in_its_note_and_why_not_says_so(build: Build, clock: FixedClock) -> None:
    workspace = opened(build, "# M\n\n## House\n- Front door: ask Noor\n", "## House\n- Front door: Marigold7\n")
    night = dream(workspace, clock=clock)

    assert [flag.text for flag in night.plan.flags] == ["Front door: ask Noor"] and not suggestions(workspace, clock)
    assert [one.verdict for one in why_not(workspace, clock, "Front door: Marigold7")] == ["secret or personal data"]


# --- one card, and the right one ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said", "after"),
    [
        ("客服经理是欧阳明先生", "客服经理换成了司马琳女士", "客服经理换成了司马琳女士"),
        ("物业是法尔克先生在管", "物业现在是彼得洛娃女士在管", "物业现在是彼得洛娃女士在管"),
        ("Our dentist is Falk in Turku", "Our dentist is now Petrova", "Our dentist is Petrova in Turku"),
    ],
)
def test_a_name_is_exchanged_whole_or_not_at_all(build: Build, line: str, said: str, after: str) -> None:
    assert set(asked(build, line, said)) <= {after}


def test_a_street_never_takes_the_place_of_a_name(build: Build) -> None:
    cards = asked(build, "Our florist is Sandell", "Our florist is Sandell on Drottninggatan, closed at noon")

    assert cards and all("Sandell on Drottninggatan" in card for card in cards)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("灯塔导览：测试中", "记住：灯塔钥匙放在乌拉那里"),
        ("The launch slipped because the printer was ill", "The Heron app is finished"),
    ],
)
def test_what_is_about_something_else_ends_nothing(build: Build, line: str, said: str) -> None:
    assert not any(line in card or card.startswith("~~") for card in asked(build, line, said))


@pytest.mark.parametrize(
    ("line", "said", "after"),
    [
        ("The choir starts at 18:15", "The choir moved to 18:45", "The choir starts at 18:45"),
        ("合唱团 18:15 开始", "合唱团改到 18:45 开始", "合唱团 18:45 开始"),
        ("Invoices API uses Flask", "Invoices API was migrated to FastAPI", "Invoices API was migrated to FastAPI"),
    ],
)
def test_a_new_value_changes_the_line_and_does_not_end_it(build: Build, line: str, said: str, after: str) -> None:
    assert asked(build, line, said) == [after]


@pytest.mark.parametrize(
    ("line", "said", "after"),
    [
        (
            "The lamp burns every night",
            "The lamp does not burn every night any more, only on Fridays",
            "The lamp does not burn every night any more, only on Fridays",
        ),
        (
            "The mast is 740 cm tall",
            "the mast height is 720 cm after all, the 740 was a typo",
            "The mast is 720 cm tall",
        ),
    ],
)
def test_one_fact_is_one_card_that_changes_the_line_it_stands_against(
    build: Build, line: str, said: str, after: str
) -> None:
    assert asked(build, line, said) == [after]


def test_a_second_allergy_is_offered_beside_the_first(build: Build) -> None:
    said = "Tove is allergic to lupins, never bake with them"

    assert said in asked(build, "Tove is allergic to sesame", said)


# --- what the night does and says --------------------------------------------------------------------------------------


@pytest.mark.parametrize("heading", ["Tasks", "待办"])
def test_one_ticked_task_alone_in_its_list_leaves(build: Build, clock: FixedClock, heading: str) -> None:
    workspace = opened(build, f"# M\n\n## {heading}\n- [x] Varnish the rudder\n\n## Passport\n- [x] renewed\n")
    dream(workspace, clock=clock)

    assert "rudder" not in memory_of(workspace) and "- [x] renewed" in memory_of(workspace)


def test_the_receipt_counts_what_waits_for_a_yes_as_that(build: Build, clock: FixedClock) -> None:
    workspace = opened(build, "# M\n\n## Notes\n- The choir starts at 18:15\n", "- The choir moved to 18:45\n")
    told = call("review", "--now", NIGHT, "--workspace", str(workspace.root)).out

    assert "left out: 1 waiting for your yes" in told and "judged" not in told


@pytest.mark.parametrize(
    "line",
    [
        "The swimming pass expires on 12 November 2026",
        "The ski locker pass holds until 2026-11-10",
        "The towing permit works through 10 November 2026",
        "月票 2026年11月14日前有效",
        "车险 2026年11月10日到期",
    ],
)
def test_what_search_calls_expired_the_night_archives(build: Build, clock: FixedClock, line: str) -> None:
    workspace = opened(build, f"# M\n\n## Notes\n- {line}\n- Keep the stove swept until 2030-01-01\n")
    (hit,) = [hit for hit in search(workspace, line, clock=clock).hits if hit.claim.text == line]
    dream(workspace, clock=clock)

    assert hit.expired and line not in memory_of(workspace)


@pytest.mark.parametrize("line", ["Finish the sails until 2026-11-10", "Ove sailed here until 2026-11-01"])
def test_a_missed_day_and_a_tale_are_neither_expired_nor_archived(build: Build, clock: FixedClock, line: str) -> None:
    workspace = opened(build, f"# M\n\n## Notes\n- {line}\n")
    (hit,) = search(workspace, line, clock=clock).hits
    dream(workspace, clock=clock)

    assert not hit.expired and line in memory_of(workspace)


def test_a_small_night_gives_every_reason_and_a_quiet_plan_says_that_it_is_quiet(build: Build) -> None:
    tasks = "".join(f"- [x] {task}\n" for task in ("Caulk the hull", "Fold the sails", "Oil the winch"))
    busy = opened(build, f"# M\n\n## Tasks\n{tasks}")
    quiet = opened(build, "# M\n\n## Notes\n- The boat is blue\n", "- lunch was fine\n")

    told = call("review", "--now", NIGHT, "--workspace", str(busy.root)).out
    assert told.count("its owner ticked it off") == 3
    assert call("plan", "--prose", "--now", NIGHT, "--workspace", str(quiet.root)).out.strip()


def test_the_warning_counts_the_lines_that_stand_there(build: Build, clock: FixedClock) -> None:
    lines = "".join(f"- The hook {number} holds a rope\n" for number in range(225))
    workspace = opened(build, f"# M\n\n## Notes\n{lines}\n## Dream\n", "- lunch was fine\n")
    night = dream(workspace, clock=clock)

    (flag,) = [flag for flag in night.plan.flags if "lines" in flag.text]
    assert f" {len(memory_of(workspace).splitlines())} lines" in flag.text


def test_no_relative_day_enters_a_line(build: Build) -> None:
    found = asked(build, "The hedge is cut by the landlord", "as of today the hedge is cut by the tenants")

    assert found == ["as of 2026-11-14 the hedge is cut by the tenants"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Letters stay below one page", "yes exactly, keep the short letters like this one"),
        ("信件不超过一页", "对，就是这样，信件保持简短"),
    ],
)
def test_a_confirmation_is_offered_and_takes_nothing_back(build: Build, line: str, said: str) -> None:
    assert asked(build, line, said) == [said]


def test_a_yes_before_a_denial_still_takes_a_line_back(build: Build) -> None:
    assert asked(build, "Owner has a cabin at the lake", "yes, I do not have a cabin any more") == [
        "~~Owner has a cabin at the lake~~"
    ]


# --- why-not ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked_for", "is_there"),
    [
        ("The tuner of the old organ in Hallein is Reiter", True),
        ("Reiter tuner", True),
        ("The tuner of the old organ in Hallein is Gruber", False),
        ("Reiter lent the organ in Hallein to the old tuner", False),
    ],
)
def test_why_not_calls_in_memory_only_what_memory_says(
    build: Build, clock: FixedClock, asked_for: str, is_there: bool
) -> None:
    workspace = opened(build, "# M\n\n## Notes\n- The tuner of the old organ in Hallein is Reiter\n")

    assert (why_not(workspace, clock, asked_for)[0].verdict == "in memory") is is_there


def test_why_not_names_no_card_that_would_only_take_a_line_out(build: Build, clock: FixedClock) -> None:
    memory = "# M\n\n## Notes\n- Owner drives a Saab 900\n- The boat is blue\n"
    workspace = opened(build, memory, "# 2026-11-14\n\n- sold the Saab\n")
    dream(workspace, clock=fixed(NIGHT))

    assert [card.op for card in suggestions(workspace, fixed(NIGHT))] == [Op.END]
    assert "suggested" not in {one.verdict for one in why_not(workspace, clock, "sold the Saab")}
