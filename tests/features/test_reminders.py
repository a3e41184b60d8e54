"""Reminders: asked for once, given once, then archived; recall stays a read."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from conftest import Build, tree
from reverie.core.ports import FixedClock, fixed
from reverie.features.note import note
from reverie.features.recall.recall import recall
from reverie.features.reminders import give
from reverie.features.sessions import begin
from reverie.judge.brief import Verdict
from reverie.judge.operation import Op
from reverie.judge.reminders import reminder_in, with_whole_day
from reverie.night import commands
from reverie.night.briefing import brief_of
from reverie.night.judging import _rest
from reverie.night.night import review
from reverie.surfaces.hooks import answered
from reverie.workspace.values import Author, Workspace
from terminal import call

OWNER = Author("owner", "cli")
SAID = date(2026, 11, 16)  # a Monday
BOAT = "Remind me when we talk about the boat: the hull paint is in the shed"
MEMORY = "# Ada\n\n## Current State\n- Ferry: leaves at 10:00\n\n## Stable Knowledge\n- keeps bees\n"
TOPICS = [
    (BOAT, "Shall we paint our boats this weekend?"),
    ("Remind me to call the notary when we talk about the trip to Oslo", "the Oslo trip is booked"),
    ("When we talk about the boat, remind me that the paint is in the shed", "the boat leaks"),
    ("Remind me next time the bakery comes up that they owe us two trays", "the bakery called"),
    ("Please remind me if Yusuf is mentioned: he has our ladder", "Is Yusuf coming too?"),
    ("Whenever the vet is brought up, remind me to ask for the chip number", "we see the vet on Monday"),
    ("Next time I bring up the roof, remind me that the slates are in the barn", "what does the roof cost?"),
    ("Could you remind me to bring the map when you hear of Narvik?", "We go to Narvik"),
    ("麻烦你下次提到蜂箱时提醒我买糖", "蜂箱空了"),
    ("我一说到烟囱就提醒我给老李打电话", "烟囱堵了"),
    ("聊到船的时候提醒我防水漆在棚里", "那条船漏水了"),
    ("聊到锅炉的时候提醒我：滤网在地下室", "明天检查锅炉吧"),
    ("下次聊温室时提醒我玻璃还没付钱", "温室漏雨了"),
    ("如果面包房被提到，提醒我他们欠两个托盘", "面包房来电话了"),
    ("下次谈到公证人时提醒我带护照", "公证人来电话了"),
    ("Erinnere mich, wenn wir über das Boot sprechen, dass die Farbe im Schuppen steht", "Wo liegt das Boot?"),
]
DATED = [
    ("Remind me on 2026-12-01 to call the notary", date(2026, 12, 1)),
    ("Remind me tomorrow to call the notary", date(2026, 11, 17)),
    ("Please remind me to call the notary on Friday", date(2026, 11, 20)),
    ("Remind me on 5 January to pay the mooring", date(2027, 1, 5)),
    ("明天提醒我给公证人打电话", date(2026, 11, 17)),
    ("12月1日提醒我给公证人打电话", date(2026, 12, 1)),
    ("Remind me tomorrow morning to air the cellar", date(2026, 11, 17)),
    ("Tomorrow at 8:30, please remind me of the chimney sweep", date(2026, 11, 17)),
    ("Would you remind me on 2 December to order the wood?", date(2026, 12, 2)),
    ("Don't forget to remind me to thaw the fish tomorrow at 5 pm", date(2026, 11, 17)),
    ("Rappelle-moi demain matin d'appeler le notaire", date(2026, 11, 17)),
    ("提醒我在2026年12月3日还书", date(2026, 12, 3)),
    ("到了12月8号下午三点记得提醒我去接人", date(2026, 12, 8)),
    ("能不能在12月9日提醒我换机油？", date(2026, 12, 9)),
]
OTHERS = [
    "Remind me to buy milk", "Remind me every Friday to water the plants", "Anna said remind me on 2026-12-01",
    "The app can remind me on 2026-12-01", "Remind me if I forget the milk", "Remind me when we talk about it", "我提醒他明天带护照",
    "Tomorrow Anna will remind me to sing", "Do not remind me on 2026-12-01", "You forgot to remind me on 2026-12-01", "Remind me that the 2026-12-01 lease is void",
    "不要在12月1日提醒我", "医生12月1日会提醒我复查",
]  # fmt: skip


def at(day: int, hour: int = 12) -> FixedClock:
    return fixed(f"2026-11-{day}T{hour:02}:00:00+01:00")


def memory(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text()


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY})


@pytest.mark.parametrize(("line", "message"), TOPICS)
def test_a_topic_is_met_by_its_words(line: str, message: str) -> None:
    reminder = reminder_in(line)

    assert reminder and reminder.is_due(message, SAID)
    assert not reminder.is_due("what shall we cook tonight?", SAID) and not reminder.is_due(line, SAID)


@pytest.mark.parametrize(("line", "day"), DATED)
def test_a_day_is_the_one_that_was_meant_when_it_was_said(line: str, day: date) -> None:
    reminder = reminder_in(with_whole_day(line, SAID))

    assert reminder and reminder.day == day


@pytest.mark.parametrize("line", OTHERS)
def test_everything_else_is_no_reminder(line: str) -> None:
    assert reminder_in(with_whole_day(line, SAID)) is None


def test_noted_once_given_once_then_archived_and_undone_to_be_given_again(workspace: Workspace) -> None:
    noted = note(workspace, at(16), BOAT, by=OWNER)
    before = tree(workspace.root)
    messages = ("what is for lunch?", "the boat needs paint", "the boat again")

    given = [recall(workspace, at(16), message).reminders for message in messages]

    assert noted.kind == "reminder" and BOAT in memory(workspace)
    assert given == [(), (BOAT,), ()]
    assert tree(workspace.root) == before  # nothing of the owner's was written
    review(workspace, at(17, 3))
    assert BOAT not in memory(workspace) and BOAT in (workspace.vault / "ledger.md").read_text()
    commands.undo(workspace, at(17))
    assert BOAT in memory(workspace) and give(workspace, "the boat", SAID) == (BOAT,)


def test_of_many_conversations_at_once_one_is_told(workspace: Workspace) -> None:
    note(workspace, at(16), BOAT, by=OWNER)

    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda _: give(workspace, "the boat", SAID), range(32)))

    assert sorted(given)[-1] == (BOAT,) and given.count(()) == 31


def test_a_day_that_has_come_is_told_at_the_start_of_the_next_session(workspace: Workspace) -> None:
    note(workspace, at(16), "Remind me on Friday to call the notary", by=OWNER)
    line = "Remind me on 2026-11-20 to call the notary"

    early, guest = begin(workspace, at(19)), begin(workspace, at(20), remind=False)
    start = {"hook_event_name": "SessionStart"}
    told = [line in json.dumps(answered(workspace, at(21), start)).partition("MEMORY.md")[0] for _ in range(2)]

    assert f"- {line}" in memory(workspace)
    assert (early.reminders, guest.reminders, told) == ((), (), [True, False])


def test_the_night_takes_it_over_from_a_note_once_and_not_again_after_it_was_given(build: Build) -> None:
    path = "memory/2026-11-15.md"
    workspace = build({"MEMORY.md": MEMORY, path: f"- {BOAT}\n"})
    review(workspace, at(16, 3))
    assert BOAT in memory(workspace)
    give(workspace, "the boat", SAID)
    review(workspace, at(17, 3))

    with (workspace.root / path).open("a") as file:
        file.write("- the mooring costs 40\n")  # the note is judged again
    review(workspace, at(18, 3))

    assert BOAT not in memory(workspace)


def test_whoever_leads_the_night_the_owner_is_reminded(build: Build) -> None:
    brief = brief_of(build({"MEMORY.md": MEMORY, "memory/2026-11-15.md": f"- {BOAT}\n"}), at(16, 3))

    beside = _rest(brief, Verdict(()))  # a model that read the note and wants nothing of it

    assert [(one.op, one.text) for one in beside.operations] == [(Op.ADD, BOAT)]


def test_a_guest_and_a_look_without_record_give_nothing_away(workspace: Workspace) -> None:
    note(workspace, at(16), BOAT, by=OWNER)

    assert recall(workspace, at(16), "the boat needs paint", record=False).reminders == ()
    told = call("recall", "the boat needs paint", "--json", "--workspace", workspace.root, "--now", "2026-11-16")
    value = json.loads(told.out)
    assert value["reminders"] == [BOAT] and BOAT in value["context"] and value["status"] == "ok"
    assert Path(workspace.root, "memory/.dreams/reminded").is_dir()


@pytest.mark.parametrize("line", ["Could you remind me on 3 December to post the parcel?", "请在12月3日提醒我寄包裹"])
def test_a_reminder_that_is_asked_for_politely_is_no_order(build: Build, line: str) -> None:
    noted = note(build({"MEMORY.md": MEMORY}), at(16), line, by=OWNER)
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-15.md": f"- {line}\n- Could you post the parcel to Bo?\n"})
    review(workspace, at(16, 3))

    assert noted.kind == "reminder" and "2026-12-03" in noted.line
    assert "2026-12-03" in memory(workspace) and "to Bo" not in memory(workspace)


def test_who_asks_for_a_reminder_without_a_day_or_a_topic_is_told_that_none_comes(workspace: Workspace) -> None:
    assert "will not remind you" in note(workspace, at(16), "Remind me to buy milk", by=OWNER).why
    assert "remind" not in note(workspace, at(16), "The mill grinds again", by=OWNER).why
    told = note(workspace, at(16), "Yesterday my phone reminded me; 昨天提醒我带伞", by=OWNER)
    assert not told.kind and not told.line
