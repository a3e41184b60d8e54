"""Lines that leave by their own form: what names its own end and is past it, and exact copies."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from conftest import Build
from reverie.core.settings import Settings
from reverie.judge.leaving import end_of, find_duplicates, find_expired, is_over, missing_files
from reverie.judge.operation import Op, Operation, leaving_lines
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Snapshot, Source, Workspace

TODAY = date(2026, 3, 15)
OVER = [
    "Trial of the transcription service runs until 2026-02-28",
    "Corridor closed for painting until 28 February 2026",
    "Voucher for the pottery course, valid until Feb 28, 2026",
    "Probeabo der Zeitung bis 28.02.2026",
    "Elternzeit von Kai bis zum 28. Februar 2026",
    "健身房优惠到2026年2月28日",
    "冰场租期到 2026-02-28 为止",
    "Museo cerrado hasta el 28 de febrero de 2026",
    "Essai gratuit jusqu'au 28 février 2026",
    "Loja fechada até 28 de fevereiro de 2026",
    "Акция на билеты действует до 28 февраля 2026",
    "社員割引は2026年2月28日まで有効",
    "체험 기간은 2026년 2월 28일까지",
    "Until 2026-02-28 we use the temporary gate",
    "Der Hof ist bis 28.02.2026 gesperrt",
    "Mixer lent to Kim until 2026-01-31, voucher for it until 2026-02-28 <!-- dream:a3f8c201 -->",
]
STAYS = [
    "Trial of the scanner runs until 2026-04-30",
    "Lived in the yellow house until 2019-05-01 and was happy there",
    "2026-02-01: trial agreed until 2026-02-28",
    "Trial until 2026-02-28, then the yearly plan from 2026-06-01 on",
    "📌 Voucher valid until 2026-02-28",
    "Bakery opens at 7, closed until noon on Sundays",
    "The bakery was closed until 2026-02-28",  # it tells of the past
    "Bought the bike on 2019-02-28",
    "Trial until the end of winter",
    "The river path reaches up to 28 bends",
    "Passport number is in the safe until 31.02.2026",
]


GOES_ON = [
    "Phone plan: discount until 2026-02-28, afterwards 24 EUR",
    "Phone plan: discount until 2026-02-28 then the full price",
    "Archive server valid until 2026-02-28; backups move to vault3",
    "Mixer lent out until 2026-02-28 (then it is ours again)",
    "the flat is rented to Kim (valid until 2026-02-28, then to Ola)",
    "Hof A gesperrt bis 28.02.2026, ab da Hof B nutzen",
    "Oferta hasta el 28 de febrero de 2026. Después 30 EUR",
    "会员优惠到2026年2月28日，以后原价",
    "会员优惠到2026年2月28日之后原价",
    "Until 2026-02-28 reduced to 12 EUR then 20 EUR",
    "Ada lives in Bern; her parking permit is valid until 2026-02-28",
    "The proxy listens on 8443, certificate valid until 2026-02-28",
]


@pytest.mark.parametrize("line", GOES_ON)
def test_a_line_of_which_something_may_hold_after_its_end_is_not_over(line: str) -> None:
    assert end_of(line) is None and not is_over(line, ("Current State",), TODAY)


@pytest.mark.parametrize("line", OVER)
def test_what_names_its_own_end_leaves_when_it_is_past(build: Build, line: str) -> None:
    memory = read_workspace(build({"MEMORY.md": f"# Me\n- {line}\n- lives in Bern\n"})).files["MEMORY.md"]

    (end,) = find_expired(memory, TODAY)

    assert (end.op, end.tag, [entry.text for entry in end.memory]) == (Op.END, "stale", [line])
    assert "2026-02-28" in end.why
    assert find_expired(memory, date(2026, 2, 28)) == ()  # the last day still counts
    assert end_of(line) == date(2026, 2, 28)


@pytest.mark.parametrize("line", STAYS)
def test_everything_else_stays(build: Build, line: str) -> None:
    memory = read_workspace(build({"MEMORY.md": f"# Me\n- {line}\n"})).files["MEMORY.md"]

    assert find_expired(memory, TODAY) == ()


def test_an_item_with_lines_below_it_and_a_protected_one_stay(build: Build) -> None:
    text = "# Me\n- Trial until 2026-02-28\n  - the password is with Kai\n\n## House rules\n- Pool closed until 2026-02-28\n"

    assert find_expired(read_workspace(build({"MEMORY.md": text})).files["MEMORY.md"], TODAY) == ()


def test_a_note_that_is_gone_is_pointed_out_and_nothing_moves(build: Build) -> None:
    text = "# Me\n- recipes in `memory/recipes.md`\n- plans in `memory/plans.md`\n- code in `src/main.md`\n"

    snapshot = read_workspace(build({"MEMORY.md": text, "memory/plans.md": "- a plan\n"}))

    assert find_expired(snapshot.files["MEMORY.md"], TODAY) == ()
    assert [notice.why for notice in missing_files(snapshot)] == [
        "it names memory/recipes.md, which is not there any more"
    ]


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("Vacation until 2026-02-05", True),
        ("Bis 05.02.2026 ist nur das Seitentor geöffnet, danach beide", False),
        ("Until 2026-02-05, only the side gate is open", True),
        ("试用有效期到2026年2月5日", True),
        ("Vacation until 2026-12-05", False),
        ("Ada lived in Bern until 2019-05-01", False),
        ("Plays the cello", False),
    ],
)
def test_what_is_over_by_its_own_word_need_not_enter(said: str, over: bool) -> None:
    assert is_over(said, ("Stable Knowledge",), TODAY) is over


CASES = Path(__file__).parents[1] / "cases" / "duplicates"
MARK = " ⟵"
_CASE = re.compile(r"^## ([^\n]+)\n~~~memory\n(.*?)^~~~$", re.M | re.S)


def cases(name: str) -> list[object]:
    text = (CASES / name).read_text(encoding="utf-8")
    found = [pytest.param(memory, id=title) for title, memory in _CASE.findall(text)]
    assert len(found) == text.count("~~~memory")
    return found


def copies(snapshot: Snapshot) -> tuple[Operation, ...]:
    return find_duplicates(snapshot.files.get("MEMORY.md"))


def found(build: Build, text: str | bytes) -> tuple[Operation, ...]:
    return copies(read_workspace(build({"MEMORY.md": text})))


def leaving(found: tuple[Operation, ...]) -> list[int]:
    """The indexes of the lines that leave, in order."""
    return sorted(line for _, line in leaving_lines(found))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("case", [*cases("leaves.md"), *cases("stays.md")])
def test_exactly_the_marked_lines_leave(build: Build, case: str, ending: str) -> None:
    lines = case.split("\n")
    text = ending.join(line.removesuffix(MARK) for line in lines)

    assert leaving(found(build, text)) == [i for i, line in enumerate(lines) if line.endswith(MARK)]


def test_a_copy_that_leaves_is_named_and_so_is_the_one_that_stays(build: Build) -> None:
    (copy,) = found(build, "- tea\n- Bern\n- tea\n")

    assert (copy.op, copy.tag, copy.sources) == (Op.END, "duplicate", (Source("MEMORY.md", 3, 3),))
    assert copy.why == "the same words stand in MEMORY.md:1"


@pytest.mark.parametrize(
    "item",
    ["- Server\n  - admin password=Ahorn-1887!\n", "## Server\n- a\n- b\n- admin password=Ahorn-1887!\n"],
    ids=["below an item", "in a section"],
)
def test_no_copy_carries_a_secret_into_the_archive(build: Build, item: str) -> None:
    workspace = build({"MEMORY.md": item + "- between\n" + item})
    lines = read_workspace(workspace).files["MEMORY.md"].document.lines

    assert not [i for i in leaving(copies(read_workspace(workspace))) if "Ahorn" in lines[i]]


def test_copies_of_copies_leave_once_and_do_not_overlap(build: Build) -> None:
    text = "- A\n  - x\n- A\n  - x\n  - y\n- A\n  - x\n  - y\n"

    assert leaving(found(build, text)) == [5, 6, 7]


def test_of_a_plain_and_a_protected_copy_the_plain_one_leaves_even_if_it_came_first(build: Build) -> None:
    text = "## Notes\n- no calls before ten\n## Preferences\n- no calls before ten\n"
    guarded = build({"MEMORY.md": text}, Settings(protected_sections=("Preferences",)))

    assert leaving(copies(read_workspace(guarded))) == [1]
    assert leaving(found(build, text)) == [3]


def test_without_a_memory_there_is_nothing_to_find(build: Build) -> None:
    assert copies(read_workspace(build({"USER.md": "- a\n- a\n"}))) == ()


def test_only_memory_is_looked_at(build: Build) -> None:
    snapshot = read_workspace(build({"MEMORY.md": "- a\n", "memory/2026-10-20.md": "- a\n- b\n- b\n"}))

    assert copies(snapshot) == ()


@pytest.fixture
def example(lived_in: Workspace) -> Snapshot:
    return read_workspace(lived_in)


def test_in_the_example_four_pairs_and_one_section_are_found_and_no_look_alike(example: Snapshot) -> None:
    assert [copy.memory[0].text for copy in copies(example)] == [
        "Shop hours",
        "Frau Lott (tax) wants documents as one PDF per month, named YYYY-MM.",
        "A fresh soundpost settles for a week, so no final voice before that.",
        "Proxmox updates only on Mondays, when no customer is in the shop.",
        "汉堡收到货以后三天内拍照，超过三天琴坊不认。",
    ]


def test_the_pasted_section_of_the_example_leaves_the_footer_behind(example: Snapshot) -> None:
    section = next(copy.memory[0] for copy in copies(example) if copy.memory[0].text == "Shop hours")
    lines = example.files["MEMORY.md"].document.lines

    assert lines[section.block.first] == "## Shop hours\n"
    assert lines[section.block.tail - 1].startswith("- Trying instruments")


def test_what_openclaw_promoted_besides_our_own_line_is_a_copy_of_it(build: Build) -> None:
    ours = "## Stable Knowledge\n- Invoices go out in euros, never in dollars. <!-- dream:abcd1234 -->\n"
    mark = "<!-- openclaw-memory-promotion:memory:claim:0123456789ab -->\n"
    numbers = "[score=0.912 signals=9 recalls=4 avg=0.915 source=memory/2026-02-13.md:1-1] <!-- importance: 9 -->"
    theirs = f"## Promoted From Short-Term Memory (2026-02-14)\n{mark}- Invoices go out in euros, never in dollars. {numbers}\n"
    memory = read_workspace(build({"MEMORY.md": f"# Me\n{ours}{theirs}"})).files["MEMORY.md"]

    (end,) = find_duplicates(memory)

    assert list(leaving_lines([end])) == [
        ("MEMORY.md", 5)
    ]  # its marker stays, by which OpenClaw knows that it was promoted
