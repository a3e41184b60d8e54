"""Room in MEMORY.md: over its limit it gets smaller, by a few lines a night, what is worth least first; protected text stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conftest import Build
from reverie.core.ports import fixed
from reverie.core.settings import Memory, Settings
from reverie.judge.operation import Op, Operation
from reverie.night.briefing import make_brief
from reverie.night.fit import Fitted, fit, next_to_leave
from reverie.night.night import review
from reverie.night.remember import evidence_of
from reverie.text.lines import count_units
from reverie.text.sections import DREAM_LINE_UNITS, DREAM_LINES, measured
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace
from wishes import add, end

FACTS = [f"The {what} stands in room {n} of the north wing" for n, what in enumerate(("loom", "kiln", "lathe", "press", "anvil", "wheel", "bench", "saw", "drill", "oven"))]  # fmt: skip
TEXT = "# Me\n\n## Stable Knowledge\n" + "".join(f"- {fact}\n" for fact in FACTS)


def limit(units: int, **more: object) -> Settings:
    """Settings whose hard limit is so many characters."""
    return Settings(memory=Memory(truncation=units, target=0.9, hard=1.0, **more))  # type: ignore[arg-type]


def fitted(
    build: Build, text: str, settings: Settings, wishes: Sequence[Operation] = (), *, share: float = 0.15, gone: int = 0
) -> Fitted:
    snapshot = read_workspace(build({"MEMORY.md": text}, settings))
    brief = make_brief(snapshot, evidence_of(snapshot), fixed("2026-11-15T03:00:00+01:00").now())
    return fit(brief, wishes, share=share, gone_today=gone)


def leaving(found: Fitted) -> list[str]:
    return [one.memory[0].text for one in found.operations if one.op is Op.END]


def test_while_it_fits_nothing_leaves(build: Build) -> None:
    assert fitted(build, TEXT, limit(count_units(TEXT) + 1_000)) == Fitted(())


def test_over_the_limit_a_share_of_the_lines_leaves_and_the_rest_waits_for_later_nights(build: Build) -> None:
    found = fitted(build, TEXT, limit(200))

    assert len(leaving(found)) == 2  # of ten
    assert {one.tag for one in found.operations} == {"over budget"}
    assert [notice.tag for notice in found.notices] == ["limit"]


def test_no_more_leaves_than_is_too_much(build: Build) -> None:
    size = measured(read_workspace(build({"MEMORY.md": TEXT})).files["MEMORY.md"].document)[0]

    assert len(leaving(fitted(build, TEXT, limit(size - 1), share=1.0))) == 1


def test_what_leaves_with_another_line_is_not_counted_twice(build: Build) -> None:
    snapshot = read_workspace(build({"MEMORY.md": "# Me\n- the boat\n  - it is blue\n"}, limit(4)))
    brief = make_brief(snapshot, evidence_of(snapshot), fixed("2026-11-15T03:00:00+01:00").now())
    boat = end(snapshot.files["MEMORY.md"].entries[0])

    assert fit(brief, [boat], share=1.0).operations == (boat,)


def test_what_left_earlier_today_counts(build: Build) -> None:
    assert leaving(fitted(build, TEXT, limit(200), gone=2)) == []


def test_too_many_lines_make_lines_leave_as_well(build: Build) -> None:
    assert len(leaving(fitted(build, TEXT, limit(18_000, max_lines=8)))) == 2


@pytest.mark.parametrize(
    "text",
    [
        "- 📌 pinned\n",
        "- a fact\n  - 📌 pinned below it\n",
        "## House rules\n- never before noon\n",
        "- IMPORTANT: the gate\n",
        "- admin password=Ahorn-1887!\n",
        "> says a stranger\n",
        "```\nsays a log\n```\n",
        "| a | b |\n|---|---|\n| c | d |\n",
        "<<<<<<< HEAD\n- a fact\n=======\n>>>>>>> x\n",
        "**Tools:**\n",
    ],
)
def test_what_is_protected_secret_a_frame_or_not_the_owners_never_leaves(build: Build, text: str) -> None:
    assert leaving(fitted(build, "# Me\n" + text, limit(4), share=1.0)) == []


def test_what_would_leave_next_is_only_suggested(build: Build) -> None:
    snapshot = read_workspace(build({"MEMORY.md": TEXT}, limit(200)))
    brief = make_brief(snapshot, evidence_of(snapshot), fixed("2026-11-15T03:00:00+01:00").now())
    found = fit(brief, (), share=0.15)

    rest = [one.memory[0].text for one in next_to_leave(brief, found.operations, 20)]

    assert sorted([*rest, *leaving(found)]) == sorted(FACTS)


def test_protected_text_alone_over_the_limit_is_said(build: Build) -> None:
    found = fitted(build, "# Me\n" + "".join(f"- 📌 {fact}\n" for fact in FACTS), limit(200))

    assert leaving(found) == []
    assert "What is protected in MEMORY.md has" in found.notices[0].text


def test_a_new_line_for_which_there_is_no_room_waits_and_nothing_leaves_for_it(build: Build) -> None:
    size = measured(read_workspace(build({"MEMORY.md": TEXT})).files["MEMORY.md"].document)[0]
    wish = replace(add("Odo brings bread"), worth=0.0)

    found = fitted(build, TEXT, limit(size + 10), [wish])

    assert (found.operations, found.waiting) == ((), (wish,))


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("abc\n", 4),
        ("中文\n", 3),
        ("📌\n", 3),
        ("👩‍🚀\n", 6),
        ("é\n", 2),
        ("a\r\n", 3),
        ("\udcfc\n", 2),
        ("\ufeff", 1),
        ("𠀀𠀀", 4),
        ("", 0),
    ],
)
def test_characters_are_counted_as_the_host_counts_them(text: str, units: int) -> None:
    assert count_units(text) == units


def test_our_own_section_is_measured_at_its_full_size_whatever_it_holds_now(build: Build) -> None:
    own = "- gone <!-- dream:a3f8c201 -->\n"
    sizes = {
        measured(read_workspace(build({"MEMORY.md": "# Me\n## Dream\n" + own * n})).files["MEMORY.md"].document)
        for n in range(6)
    }

    assert sizes == {(count_units("# Me\n## Dream\n") + DREAM_LINES * DREAM_LINE_UNITS, 2 + DREAM_LINES)}


def test_night_by_night_a_memory_over_its_limit_gets_smaller_and_then_rests(build: Build) -> None:
    workspace = build({"MEMORY.md": TEXT}, limit(400))
    sizes = [_size(workspace)]
    for day in range(15, 22):
        review(workspace, fixed(f"2026-11-{day}T03:00:00+01:00"), force=True)
        sizes.append(_size(workspace))

    assert sizes == sorted(sizes, reverse=True), sizes
    assert sizes[-1] == sizes[-2] <= 400


def _size(workspace: Workspace) -> int:
    return count_units((workspace.root / "MEMORY.md").read_text("utf-8"))


PLAIN = ["Geese crossed the yard", "The radio hummed at noon", "Somebody hung a coat on the gate", "A crow sat on the mast", "The bell rang twice", "Wet boots dried by the stove"]  # fmt: skip


def test_copies_leave_before_single_facts_and_one_wording_of_each_fact_stays(build: Build) -> None:
    wordings = ["The cellar is opened with the green token", "You open the cellar with the green token, always", "With the green token the cellar opens"]  # fmt: skip
    text = "# Me\n\n## Notes\n" + "".join(f"- {line}\n" for line in (*wordings, *PLAIN))

    assert set(leaving(fitted(build, text, limit(100), share=0.2))) < set(wordings)
    near = ["The bakery closes at 18:00 on Fridays", "On Fridays the bakery shuts at 18:00"]
    told = "# Me\n\n## Notes\n" + "".join(f"- {line}\n" for line in (*near, *PLAIN))
    assert leaving(fitted(build, told, limit(100), share=0.1))[0] in near
    everything = leaving(fitted(build, text, limit(10), share=1.0))
    assert set(PLAIN) < set(everything) and len(set(wordings) - set(everything)) == 1


@pytest.mark.parametrize(
    "done", ["[x] Paint store: new shelves", "Rope locker: done", "✅ The mast got its second coat", "仓库（已完成）"]
)
def test_what_says_that_it_is_finished_leaves_before_all_else(build: Build, done: str) -> None:
    other = ["Status: done", "Gate: closed", "Winter rope: blue"]  # they say something of what they stand under
    text = "# Me\n\n## Yard\n" + "".join(f"- {line}\n" for line in (*PLAIN, *other, done, "[ ] Oil the winch"))

    gone = leaving(fitted(build, text, limit(10), share=1.0))

    assert gone[0] == done.removeprefix("[x] ") and not set(other) & set(gone)


def test_the_same_sentence_of_another_thing_is_no_wording_of_it(build: Build) -> None:
    pairs = [
        "hay comes from the lower farm",
        "milk comes from the lower farm",
        "仓库钥匙在蓝色盒子里",
        "车库钥匙在红色盒子里",
    ]
    text = "# Me\n\n## Notes\n" + "".join(f"- {line}\n" for line in (*pairs, *PLAIN))

    assert set(leaving(fitted(build, text, limit(10), share=1.0))) == {*pairs, *PLAIN}


def test_two_facts_with_other_values_are_no_copies(build: Build) -> None:
    text = "# Me\n\n## Notes\n- Bus 12 goes to the harbour\n- Bus 14 goes to the harbour\n- Geese crossed the yard\n"

    assert len(leaving(fitted(build, text, limit(10), share=1.0))) == 3


@pytest.mark.parametrize("open_end", ["Jetty: waiting for the building permit", "栈桥延长工程还在等待施工许可"])
def test_what_waits_for_something_leaves_last(build: Build, open_end: str) -> None:
    text = "# Me\n\n## Notes\n" + "".join(f"- {line}\n" for line in (open_end, *PLAIN))

    assert leaving(fitted(build, text, limit(10), share=1.0))[-1] == open_end


def test_what_hangs_on_a_person_leaves_after_what_stands_alone_and_the_archive_says_whose_it_was(build: Build) -> None:
    text = "# Me\n\n## People\n- **Omar**, from the yard\n  - sails on Sundays\n" + "".join(
        f"- {fact}\n" for fact in FACTS
    )
    last = fitted(build, text, limit(60), share=1.0).operations[-1]

    assert last.memory[0].text == "sails on Sundays" and "it stood under “Omar, from the yard”" in last.why
