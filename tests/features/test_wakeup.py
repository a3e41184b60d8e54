"""`dream wakeup`: what was archived, what is remembered, what is new; awake again, and nothing is lost."""

from __future__ import annotations

import json

import pytest

from conftest import Build, tree
from reverie.core.ports import FixedClock
from reverie.features.recall.recall import recall
from reverie.features.sessions import begin
from reverie.features.wakeup import SectionShown, days_of, remembered, wakeup
from reverie.night import commands
from reverie.surfaces.cli import asks_for_memory
from reverie.surfaces.hooks import as_context
from reverie.workspace.values import Workspace
from terminal import call

MEMORY = """# Mira

## Current State
- moving to Porto in March
- moving to Porto in March
- 正在学葡萄牙语

## Stable Knowledge
- drinks tea
- reads at night
- plays the viola
- 📌 allergic to nuts

## Dream
"""
STATE = "dream-vault/meta/dream-state.txt"


@pytest.fixture
def asleep(build: Build, clock: FixedClock) -> Workspace:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "- ok\n"})
    commands.review(workspace, clock)
    (workspace.root / STATE).write_text("hibernating\n")
    (workspace.root / "memory/2026-11-20.md").write_text("- back again\n")
    (workspace.root / "memory/2026-11-21.md").write_text("- 又一天\n")
    return workspace


def test_it_restores_the_active_state_and_touches_nothing_else(asleep: Workspace) -> None:
    before = tree(asleep.root, without=())

    seen = wakeup(asleep)

    assert (seen.state, seen.restored) == ("hibernating", True)
    assert tree(asleep.root, without=()) == before | {STATE: b"active\n"}


def test_the_first_conversation_wakes_it_and_says_so_once(asleep: Workspace, clock: FixedClock) -> None:
    first, second = (as_context(begin(asleep, clock), clock.now()) for _ in range(2))

    assert "is awake again; nothing was deleted." in first and "[" in first.partition("Archived last:")[2]
    assert (asleep.root / STATE).read_text() == "active\n" and "awake again" not in second


def test_a_message_to_a_host_without_session_start_wakes_it_too(asleep: Workspace, clock: FixedClock) -> None:
    first, second = (recall(asleep, clock, "what do I drink?").text for _ in range(2))

    assert "awake again" in first and "awake again" not in second


@pytest.mark.parametrize("phrase", ["organize memory", "consolidate memory", "整理记忆"])
def test_the_seeds_words_for_a_night_are_understood(build: Build, phrase: str) -> None:
    assert call(*phrase.split(), "--workspace", build({}).root).out.startswith("There was nothing to read yet.")


def test_twice_awake_changes_nothing(asleep: Workspace) -> None:
    wakeup(asleep)

    assert not wakeup(asleep).restored


def test_it_tells_what_is_held_what_left_and_what_is_new(asleep: Workspace) -> None:
    seen = wakeup(asleep)

    assert seen.sections == (
        SectionShown("Current State", ("moving to Porto in March", "正在学葡萄牙语"), 0),
        SectionShown("Stable Knowledge", ("drinks tea", "reads at night", "📌 allergic to nuts"), 1),
    )
    assert [(one.category, one.content) for one in seen.archived] == [("duplicate", ("- moving to Porto in March",))]
    assert seen.new_notes == ("memory/2026-11-20.md", "memory/2026-11-21.md")
    assert [str(day) for day in days_of(seen.new_notes)] == ["2026-11-20", "2026-11-21"]
    assert seen.last_night.startswith("2026-11-15 03:00: Updated: 0 | Added: 0 | Archived: 1")
    assert not seen.edited


def test_an_edit_by_hand_is_noticed(asleep: Workspace) -> None:
    (asleep.root / "MEMORY.md").write_text(MEMORY + "- more\n")

    assert remembered(asleep).edited


def test_a_sentence_prints_the_snapshot_and_leaves_the_state(asleep: Workspace) -> None:
    spoken = call("what", "do", "you", "remember", "about", "me?", "--workspace", asleep.root)
    quoted = call("你记得我什么", "--workspace", asleep.root)

    assert spoken.out == quoted.out
    assert spoken.out.startswith("Current State\n  moving to Porto in March\n")
    assert (asleep.root / STATE).read_text() == "hibernating\n"


def test_the_command_tells_it_in_words_and_in_json(asleep: Workspace) -> None:
    told = json.loads(call("wakeup", "--snapshot", "--json", "--workspace", asleep.root).out)
    out = call("wakeup", "--workspace", asleep.root).out

    assert told["state"] == {"before": "hibernating", "restored": False}
    assert told["since"]["new_notes"] == ["memory/2026-11-20.md", "memory/2026-11-21.md"]
    assert "🌙 Awake" in out
    assert "  2 new files, 2026-11-20 to 2026-11-21" in out
    assert "[duplicate] - moving to Porto in March" in out


def test_an_empty_folder_says_so(build: Build) -> None:
    assert "holds nothing yet" in call("wakeup", "--workspace", build({}).root).out


@pytest.mark.parametrize(
    "sentence",
    [
        "What do you remember about me?", "what do you know about me", "tell me what you remember", "what's in your memory",
        "你记得我什么", "你还记得我哪些事情？", "你都知道我什么", "关于我，你记得什么", "你对我了解多少", "was weißt du über mich?",
        "¿Qué sabes de mí?", "que sais-tu de moi ?", "O que você lembra sobre mim?", "Что ты помнишь обо мне?",
        "私のことを何を覚えていますか", "나에 대해 뭘 기억하고 있어?",
    ],
)  # fmt: skip
def test_asking_for_all_that_is_remembered(sentence: str) -> None:
    assert asks_for_memory(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "what do you remember about my bike", "reveiw", "remember me", "", "你记得我的自行车吗", "记住我喜欢茶", "statsu --deep",
        "was weißt du über meinen Hund", "qué recuerdas de la reunión", "you remember nothing about me",
    ],
)  # fmt: skip
def test_what_is_more_particular_or_something_else_is_not(sentence: str) -> None:
    assert not asks_for_memory(sentence)


def test_a_misspelt_command_is_still_told(build: Build) -> None:
    done = call("statsu")

    assert done.code == 2
    assert "Did you mean `dream status`?" in done.err


def test_what_stands_under_no_heading_is_told_by_the_name_of_the_file(build: Build) -> None:
    workspace = build({"MEMORY.md": "- keeps bees\n"})

    assert remembered(workspace).sections == (SectionShown("MEMORY.md", ("keeps bees",), 0),)


def test_a_chinese_memory_wakes_in_chinese(asleep: Workspace) -> None:
    (asleep.root / "reverie.toml").write_text('language = "zh"\n')

    told = call("wakeup", "--workspace", asleep.root).out

    assert "归档: 1" in told and "Archived" not in told and "[duplicate]" not in told
