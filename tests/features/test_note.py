"""`dream note`: a statement is never lost, and only what must not wait enters MEMORY.md at once."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadInput
from reverie.core.ports import FixedClock, fixed
from reverie.core.settings import Memory, Settings
from reverie.features.forget.forget import forget
from reverie.features.note import kind_at_once, note
from reverie.judge.descriptions import KEEP, NEVER, rule_for, unclear_rules, understood_rules
from reverie.judge.worth import LineToWeigh, worth_of
from reverie.night import commands
from reverie.night.suggesting import suggestions
from reverie.workspace.values import Author, Workspace
from terminal import TOKEN, call

CLOCK = fixed(NIGHT)
OWNER = Author("owner", "cli")
TODAY = "memory/2026-11-15.md"
MEMORY = "# Ada\n\n## Current State\n- Ferry: leaves at 10:00\n\n## Stable Knowledge\n- keeps bees\n"


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY})


def text(workspace: Workspace, path: str = "MEMORY.md") -> str:
    return (workspace.root / path).read_bytes().decode()


AT_ONCE = [
    ("Decision: the newsletter is sent by Buttondown", "decision"),
    ("决定：每周一休息", "decision"),
    ("the grant deadline is 2026-12-15, not 2026-12-01", "correction"),
    ("船票是 12 号，不是 10 号", "correction"),
    ("I've decided to sell the blue boat", "decision"),
    ("We have decided to close the shop on Mondays", "decision"),
    ("我决定把旧船卖掉", "decision"),
    ("Ich habe beschlossen, das Boot zu verkaufen", "decision"),
    ("j'ai décidé de vendre le bateau", "decision"),
    ("No, actually the ferry leaves at 9:30", "correction"),
    ("不对，应该是周四出发", "correction"),
    ("Nein, eigentlich heißt der Hund Balu", "correction"),
    ("We started a new project: a map of the harbour", "project"),
    ("新项目：给码头画一张地图", "project"),
    ("новый проект: карта гавани", "project"),
    ("新しいプロジェクト：港の地図", "project"),
    ("새 프로젝트: 항구 지도", "project"),
]
WAITS = [
    "we met 3 people, not one of them from here", "A decision on the boat is due",
    "tired but content", "I prefer rye bread", "Did we decide about the boat?", "Maybe we decide about the boat tomorrow",
    "We haven't decided about the boat", "还没决定要不要卖船", "She said he decided to leave", "actually a lovely evening", "lunch by the water",
]  # fmt: skip


@pytest.mark.parametrize(("said", "kind"), AT_ONCE)
def test_corrections_decisions_and_new_projects_do_not_wait(said: str, kind: str) -> None:
    assert kind_at_once(said, worth_of([LineToWeigh(said)], None)[0]) == kind


@pytest.mark.parametrize("said", WAITS)
def test_everything_else_waits_for_the_night(workspace: Workspace, said: str) -> None:
    noted = note(workspace, CLOCK, said)

    assert (noted.line, text(workspace)) == ("", MEMORY)
    assert text(workspace, TODAY) == f"# 2026-11-15\n\n- 03:00 {said}\n"


def test_a_decision_is_in_memory_and_in_todays_note(workspace: Workspace) -> None:
    note(workspace, CLOCK, "I've decided to sell the blue boat")

    lines = text(workspace).split("\n")
    assert lines[4].startswith("- I've decided to sell the blue boat <!-- dream:")
    assert text(workspace, TODAY).endswith("- 03:00 I've decided to sell the blue boat\n")


def test_a_correction_that_names_the_wrong_value_swaps_it_at_once(workspace: Workspace) -> None:
    noted = note(workspace, CLOCK, "Correction: the ferry leaves at 9:30, not 10:00", by=OWNER)

    assert (noted.replaced, noted.line) == ("Ferry: leaves at 10:00", "Ferry: leaves at 9:30")
    assert "- Ferry: leaves at 9:30\n" in text(workspace)


@pytest.mark.parametrize(
    ("line", "said", "after"),
    [
        ("Ferry: leaves at 10:00", "No, actually the ferry leaves at 9:30, not 10:00", "Ferry: leaves at 9:30"),
        ("Rent of the loft: 380 EUR", "Correction: the loft rent is 410 EUR", "Rent of the loft: 410 EUR"),
        ("Rent of the loft: 380 EUR", "No, the rent of the loft is 410 EUR", "Rent of the loft: 410 EUR"),
        ("阁楼租金：380 欧元", "不对，阁楼租金是 410 欧元", "阁楼租金：410 欧元"),
    ],
)
def test_a_correction_takes_the_place_of_the_wrong_value_however_it_begins(
    build: Build, line: str, said: str, after: str
) -> None:
    workspace = build({"MEMORY.md": f"# M\n\n## Notes\n- {line}\n- The boat is blue\n"})
    noted = note(workspace, CLOCK, said, by=OWNER)
    commands.review(workspace, FixedClock(CLOCK.now() + timedelta(hours=20)))

    assert noted.replaced == line and text(workspace) == f"# M\n\n## Notes\n- {after}\n- The boat is blue\n"
    assert not suggestions(workspace, CLOCK)


def test_a_correction_that_may_mean_a_longer_line_waits_for_a_yes_and_never_stands_against_it(build: Build) -> None:
    memory = "# M\n\n## Notes\n- The loft rent for guests in summer: 380 EUR\n"
    workspace = build({"MEMORY.md": memory})
    noted = note(workspace, CLOCK, "Correction: the loft rent is 410 EUR", by=OWNER)

    assert (text(workspace), noted.line, noted.why) == (memory, "", "it may correct MEMORY.md:4; the night asks you")
    commands.review(workspace, CLOCK)
    assert [(card.old, card.new) for card in suggestions(workspace, CLOCK)] == [("380 EUR", "410 EUR")]


def test_a_no_that_corrects_nothing_that_memory_knows_waits(workspace: Workspace) -> None:
    assert note(workspace, CLOCK, "No, the swim was lovely", by=OWNER).line == "" and text(workspace) == MEMORY


def test_the_same_statement_enters_memory_once(workspace: Workspace) -> None:
    note(workspace, CLOCK, "I've decided to sell the blue boat")
    again = note(workspace, CLOCK, "I’ve decided to sell the blue boat!")

    assert again.line == "" and "already" in again.why
    assert text(workspace).count("blue boat") == 1 and text(workspace, TODAY).count("blue boat") == 2


def test_the_night_finds_nothing_to_add_to_what_was_noted(workspace: Workspace) -> None:
    note(workspace, CLOCK, "I've decided to sell the blue boat")
    commands.review(workspace, FixedClock(CLOCK.now() + timedelta(hours=20)))

    assert text(workspace).count("blue boat") == 1


def test_undo_takes_a_note_back_whole(workspace: Workspace) -> None:
    before = tree(workspace.root)
    note(workspace, CLOCK, "I've decided to sell the blue boat")
    commands.undo(workspace, CLOCK)

    assert tree(workspace.root) == before


def test_a_note_that_is_there_grows_at_its_end_and_keeps_its_endings(build: Build) -> None:
    workspace = build({"MEMORY.md": MEMORY, TODAY: "# Sunday\r\n- fed the bees"})
    note(workspace, CLOCK, "lunch\nby the <!-- dream:00000000 --> water")

    assert text(workspace, TODAY) == "# Sunday\r\n- fed the bees\r\n- 03:00 lunch by the water\r\n"


def test_a_memory_that_is_full_keeps_the_statement_in_todays_note(build: Build) -> None:
    workspace = build({"MEMORY.md": "- 📌 " + "bees " * 240 + "\n"}, Settings(memory=Memory(truncation=1_200)))
    noted = note(workspace, CLOCK, "I've decided to sell the blue boat")

    assert noted.why == "MEMORY.md is full" and "blue boat" in text(workspace, TODAY)


@pytest.mark.parametrize("said", ["", " \n ", "<!-- only a comment -->", f"my key is {TOKEN}", "x" * 2_001])
def test_nothing_a_secret_and_a_document_are_refused_and_nothing_is_written(workspace: Workspace, said: str) -> None:
    with pytest.raises(BadInput):
        note(workspace, CLOCK, said)

    assert tree(workspace.root) == {"MEMORY.md": MEMORY.encode()}


def test_what_other_programs_append_meanwhile_is_never_lost(workspace: Workspace) -> None:
    path = workspace.root / TODAY
    path.parent.mkdir(parents=True)
    path.write_text("# 2026-11-15\n")

    def other() -> None:
        for number in range(60):
            with path.open("a") as file:
                file.write(f"- heard {number}\n")

    thread = threading.Thread(target=other)
    thread.start()
    for number in range(8):
        note(workspace, CLOCK, f"seen {number} by the water")
    thread.join()

    note(workspace, CLOCK, "the last word by the water")  # its start looks once more at what was displaced
    lines = text(workspace, TODAY).split("\n")
    assert [line for line in lines if line.startswith("- heard")] == [f"- heard {number}" for number in range(60)]
    assert sum("seen" in line for line in lines) == 8


def test_what_is_gone_for_good_or_ruled_out_stays_out_of_memory(build: Build) -> None:
    workspace = build({"MEMORY.md": MEMORY}, Settings(custom_rules=("Never store anything about boats",)))
    assert note(workspace, CLOCK, "I've decided to sell the blue boat").why == "a rule of DREAM.md keeps it out"

    forget(workspace, CLOCK, "keeps bees", forever=True)
    assert "boat" not in text(workspace)


RULES = [
    ("Always keep pricing/billing related entries", KEEP, "the price of oak rose", "weather was fine"),
    ("Never remove entries about clients", KEEP, "a client called", "a friend called"),
    ("Never store medical information", NEVER, "medical report arrived", "tax report arrived"),
    ("Ignore weather", NEVER, "the weather was fine", "the water was fine"),
    ("始终保留合同相关的内容", KEEP, "合同在五月签了", "船在五月漆了"),
    ("不要记录医疗信息", NEVER, "医疗费报销了", "船票报销了"),
    ("Preise immer behalten", KEEP, "Preise steigen", "Reisen kosten"),
    ("Lösche nie Einträge über Kunden", KEEP, "Kunden zahlen spät", "Hunde bellen"),
    ("Nunca guardes datos médicos", NEVER, "informe médico", "informe fiscal"),
    ("Toujours garder les prix", KEEP, "le prix du bois", "le poids du bois"),
    ("Nunca guarde dados médicos", NEVER, "relatório médico", "relatório fiscal"),
    ("Не удаляй записи о клиентах", KEEP, "клиент звонил", "друг звонил"),
    ("価格は必ず残す", KEEP, "価格が上がった", "気温が上がった"),
    ("의료 정보는 저장하지 마세요", NEVER, "의료 기록", "여행 기록"),
]


@pytest.mark.parametrize(("rule", "does", "about", "other"), RULES)
def test_rules_are_obeyed_in_many_languages(rule: str, does: str, about: str, other: str) -> None:
    rules = understood_rules([rule])

    assert (rule_for(about, rules), rule_for(other, rules)) == (does, "")


@pytest.mark.parametrize(
    "rule",
    [
        "Keep MEMORY.md short",
        "Write in German",
        "Never keep prices older than 30 days",
        "如果价格变了就更新",
        "Be kind",
        "Keep all",
    ],
)
def test_a_rule_that_is_not_understood_is_reported_and_not_half_obeyed(rule: str) -> None:
    assert understood_rules([rule]) == ()
    assert [flag.text for flag in unclear_rules([rule])] == [rule]


def test_two_rules_that_contradict_each_other_decide_nothing() -> None:
    rules = understood_rules(["Always keep all prices", "Never store medical data"])

    assert rule_for("the price of the medical report", rules) == ""


def test_the_command_tells_where_it_went(workspace: Workspace) -> None:
    asked = ("note", "--workspace", workspace.root, "--now", NIGHT)

    assert call(*asked, "lunch by the water").out.startswith(f"In {TODAY} (it waits for the night).\n")
    told = json.loads(call(*asked, "--json", "-", stdin="I've decided to sell the blue boat\n").out)
    assert (told["kind"], told["memory"], told["note"]) == ("decision", "I've decided to sell the blue boat", TODAY)
