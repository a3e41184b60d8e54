"""`dream import`: what other systems kept becomes notes of their own; nothing of the owner's is touched, and all of it can go again."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadInput
from reverie.core.ports import fixed
from reverie.core.settings import Settings
from reverie.features.imports import import_from
from reverie.features.recall.recall import recall
from reverie.judge.checks import refusal
from reverie.judge.compose import composed
from reverie.judge.operation import Op, Operation
from reverie.lang.messages import say, speaking
from reverie.night import commands
from reverie.night.briefing import make_brief
from reverie.night.remember import evidence_of
from reverie.plan.authors import author_of, authors_in
from reverie.workspace import exports
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, stated
from terminal import TOKEN, call

CLOCK, OWNER, BERLIN = fixed(NIGHT), Author("owner", "cli"), Settings(timezone="Europe/Berlin")
MEMORY = {"MEMORY.md": "# Ada\n\n## Stable Knowledge\n- keeps bees\n", "memory/2024-05-03.md": "- my own note\n"}
CHAT = "memory/2024-05-03-import-chatgpt.md"


def message(role: str, text: str, to: str = "all", at: float = 1714740000.0) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"message": {"author": {"role": role}, "create_time": at, "recipient": to, "content": content}}


def chatgpt(*messages: dict[str, Any], title: str = "A move") -> str:
    mapping = {"root": {"message": None}} | {str(nth): one for nth, one in enumerate(messages)}
    return json.dumps([{"title": title, "create_time": 1714740000.0, "mapping": mapping}])


def saved(folder: Path, text: str, name: str = "conversations.json") -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return folder / name


TALK = (
    message("user", f"I moved\ud800 to \0Lisbon in April.\nok, thanks\nThe deploy token is {TOKEN}"),
    message("assistant", "Lisbon has many hills, so bring good shoes."),
    message("assistant", "User lives in Lisbon.", to="bio"),
)


def test_messages_and_saved_memories_become_a_note_of_their_day_and_nothing_else_changes(
    build: Build, tmp_path: Path
) -> None:
    workspace = build(dict(MEMORY), BERLIN)
    before = tree(workspace.root)

    done = import_from(workspace, CLOCK, saved(tmp_path, chatgpt(*TALK)), by=OWNER)

    assert (done.notes, done.left_out) == ({CHAT: 2}, {"reply": 1, "secret": 1, "short": 1})
    assert (workspace.root / CHAT).read_text("utf-8") == (
        "# 2024-05-03 · imported from chatgpt\n\n## A move\n\n- 14:40 I moved to Lisbon in April.\n"
        "\n## Saved memories\n\n- User lives in Lisbon.\n"
    )
    assert tree(workspace.root) == before | {CHAT: (workspace.root / CHAT).read_bytes()}
    assert TOKEN not in "".join(path.read_text("utf-8") for path in workspace.root.rglob("*.json"))


def test_a_second_import_adds_nothing_and_undo_takes_the_first_one_back(build: Build, tmp_path: Path) -> None:
    workspace, export = build(dict(MEMORY), BERLIN), saved(tmp_path, chatgpt(*TALK))
    before = tree(workspace.root)
    import_from(workspace, CLOCK, export, by=OWNER)
    whole = tree(workspace.root)

    again = import_from(workspace, CLOCK, export, by=OWNER)
    assert (again.lines, again.already, again.run) == (0, 2, "")
    assert import_from(workspace, CLOCK, export, by=OWNER, replies=True, dry_run=True).lines == 1
    assert tree(workspace.root) == whole

    undone = commands.undo(workspace, CLOCK)
    assert tree(workspace.root) == before

    assert undone.run
    commands.undo(workspace, CLOCK, undone.run.id)
    assert tree(workspace.root) == whole


def test_the_owners_messages_are_the_owners_word_and_what_an_assistant_said_is_not(
    build: Build, tmp_path: Path
) -> None:
    workspace = build(dict(MEMORY), BERLIN)
    import_from(workspace, CLOCK, saved(tmp_path, chatgpt(*TALK)), by=OWNER, replies=True)

    snapshot = read_workspace(workspace)
    judged = {one.claim.text: one.claim for one in evidence_of(snapshot).fresh if one.claim.path == CHAT}
    assert {text: claim.origin.value for text, claim in judged.items()} == {
        "14:40 I moved to Lisbon in April.": "owner",
        "User lives in Lisbon.": "owner",  # as every note of an agent; its run names who wrote it
        "Lisbon has many hills, so bring good shoes.": "session",
    }
    authors = authors_in(commands.runs(workspace))
    assert [author_of(snapshot, claim.source, authors) for claim in judged.values()] == [
        "owner (import)",
        "agent (import)",
        "agent (import)",
    ]


def test_what_was_said_elsewhere_before_the_last_night_is_no_newer_word_on_memory(build: Build, tmp_path: Path) -> None:
    memory = "# Ada\n\n## Ferry\n- Ferry: leaves at 10:00\n"
    export = chatgpt(message("user", "Ferry: leaves at 9:00"), title="Ferry")
    for last_night, newer in (("", False), ("2026-11-14T02:00:00Z", False), ("2024-05-01T02:00:00Z", True)):
        workspace = build({"MEMORY.md": memory, "memory/.last_dream": last_night}, BERLIN)
        import_from(workspace, CLOCK, saved(tmp_path, export), by=OWNER)
        snapshot = read_workspace(workspace)
        brief = make_brief(snapshot, evidence_of(snapshot), CLOCK.now())

        (note,), (line,) = brief.notes, brief.memory
        update = Operation(Op.UPDATE, "another hour", (note.claim,), (line.entry,), old="10:00", new="9:00")
        told = recall(workspace, CLOCK, "When does the ferry leave?").summary

        assert (refusal(update, brief) == "") is newer
        assert told.startswith("2024-05-03" if newer else "Ferry: leaves at 10:00")


CLAUDE = [
    {"uuid": "1", "name": "Garden", "created_at": "2025-01-02T10:00:00Z", "chat_messages": [
        {"sender": "human", "text": "", "content": [{"type": "text", "text": "The beds face south."}], "created_at": "2025-01-02T10:00:00Z"},
        {"sender": "assistant", "text": "South is good for tomatoes.", "created_at": "2025-01-02T10:01:00Z"},
    ]},
    {"conversations_memory": "**Work**\n\nAda runs a bakery in Porto.\n", "project_memories": {"p": "- The oven is a Rofco B40\n"}},
    {"uuid": "p", "name": "Bakery", "description": "Plans for the second bakery", "prompt_template": "You are", "docs": [], "created_at": "2025-02-03T10:00:00Z"},
]  # fmt: skip
GEMINI = [
    {"header": "Gemini-Apps", "title": "Eingegebener Prompt: Mia &amp; ich singen dienstags", "time": "2025-03-04T10:00:00Z", "products": ["Gemini-Apps"], "safeHtmlItem": [{"html": "Schön"}]},
    {"header": "Gemini Apps", "title": "Created Gemini Canvas titled Choir plan", "time": "2025-03-04T10:00:00Z", "products": ["Gemini Apps"], "safeHtmlItem": [{"html": "plan"}]},
    {"header": "Gemini Apps", "title": "Prompted my train leaves Basel at nine", "time": "2025-03-04T10:00:00Z", "products": ["Gemini Apps"], "safeHtmlItem": [{"html": "<p>Have a <b>good</b> trip</p>"}]},
    {"header": "Gemini Apps", "title": "Gave feedback: Good response", "time": "2025-03-04T10:00:00Z", "products": ["Gemini Apps"]},
]  # fmt: skip
MEM0 = {"results": [{"id": "1", "memory": "Ada is allergic to walnuts", "created_at": "2025-04-05T10:00:00-07:00"}]}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (CLAUDE, [("claude", "owner", "The beds face south."), ("claude", "reply", "South is good for tomatoes."), ("claude", "saved", "**Work**"),
                  ("claude", "saved", "Ada runs a bakery in Porto."), ("claude", "saved", "The oven is a Rofco B40"), ("claude", "owner", "Plans for the second bakery")]),
        (GEMINI, [("gemini", "owner", "Mia & ich singen dienstags"), ("gemini", "reply", "Schön"), ("gemini", "owner", "my train leaves Basel at nine"), ("gemini", "reply", "Have a  good  trip")]),
        (MEM0, [("mem0", "saved", "Ada is allergic to walnuts")]),
    ],
)  # fmt: skip
def test_a_record_is_known_by_its_own_keys(tmp_path: Path, record: Any, told: list[tuple[str, str, str]]) -> None:
    file = saved(tmp_path, json.dumps(record), "whatever.json")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(file, "inside/whatever.json")

    found = [(one.kind, one.whose, one.text.strip()) for one in exports.read_export(file)]

    assert found == told
    assert [one.text for one in exports.read_export(tmp_path / "all.zip")] == [
        one.text for one in exports.read_export(file)
    ]


def test_folders_of_markdown_and_copied_lists_are_read_too(tmp_path: Path) -> None:
    basic = "---\ntitle: Coffee\npermalink: coffee\ncreated: 2025-01-02\n---\n# Coffee\n\n- [preference] Beans from Huila #beans\n- [fact] The roaster closes in July #town #2025\n- [fact] The mill is a Comandante #grinder (a gift)\n- relates_to [[Tea]]\n"
    saved(tmp_path / "basic", basic, "coffee.md")
    saved(tmp_path / "claude", "- [Release](release.md) — how we ship\n- Tests run in Docker\n", "MEMORY.md")
    saved(tmp_path / "claude", "---\nname: Release\n---\n- Ships on Tuesdays\n", "release.md")
    copied = saved(tmp_path, "- [2025-06-07] - Has two cats\n\nPlays the cello\n", "memories.txt")

    found = [one for path in ("basic", "claude") for one in exports.read_export(tmp_path / path)]
    listed = list(exports.read_export(copied, "chatgpt"))

    assert [(one.kind, one.text, one.title) for one in found] == [
        ("basic-memory", "preference: Beans from Huila", "Coffee"),
        ("basic-memory", "The roaster closes in July", "Coffee"),
        ("basic-memory", "The mill is a Comandante (a gift)", "Coffee"),
        ("claude-code", "Tests run in Docker", "MEMORY"),
        ("claude-code", "Ships on Tuesdays", "Release"),
    ]
    assert [(one.text, str(one.at)[:10]) for one in listed] == [
        ("Has two cats", "2025-06-07"),
        ("Plays the cello", "None"),
    ]


def test_what_has_no_day_is_filed_once_whenever_its_file_was_copied(build: Build, tmp_path: Path) -> None:
    workspace, copied = build(dict(MEMORY), BERLIN), saved(tmp_path, "Plays the cello every evening\n", "memories.txt")
    assert import_from(workspace, CLOCK, copied, "chatgpt", by=OWNER).lines == 1

    later = saved(tmp_path, "Plays the cello every evening\n", "copy/memories.txt")
    os.utime(later, (1_700_000_000, 1_700_000_000))
    assert import_from(workspace, CLOCK, later, "chatgpt", by=OWNER).already == 1


def test_a_list_larger_than_a_chunk_is_read_record_by_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "CHUNK", 64)
    memories = [{"memory": f"fact number {nth} " + "long " * nth, "created_at": "2025-01-02"} for nth in range(40)]
    file = saved(tmp_path, json.dumps(memories, indent=1))

    assert [one.text for one in exports.read_export(file)] == [one["memory"] for one in memories]

    monkeypatch.setattr(exports, "LARGEST", 100)
    with pytest.raises(BadInput, match="larger than"):
        list(exports.read_export(file))


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("cut.json", '[{"mapping": {', "is damaged or cut off"),
        ("deep.json", "[" * 100_000, "is damaged or cut off"),
        ("other.json", '[{"a": 1}]', "holds nothing that is known"),
        ("memories.txt", "Has two cats", "Say whose memories"),
        ("cut.zip", "PK\x03\x04 the rest is gone", "is damaged or cut off"),
        ("bad.zip", "PK\x05\x06" + "\0" * 18, "holds nothing that is known"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_and_nothing_is_written(
    build: Build, tmp_path: Path, name: str, text: str, sentence: str
) -> None:
    workspace = build(dict(MEMORY), BERLIN)
    before = tree(workspace.root)

    done = call("import", saved(tmp_path, text, name), "--workspace", workspace.root)

    assert (done.code, sentence in done.err, done.err.count("\n")) == (14, True, 1)
    assert tree(workspace.root) == before
    assert call("import", workspace.root, "--workspace", workspace.root).code == 14  # a memory is no export of itself


def test_the_command_says_what_was_taken_and_what_was_not(build: Build, tmp_path: Path) -> None:
    workspace, export = build(dict(MEMORY), BERLIN), saved(tmp_path, chatgpt(*TALK))

    told = call("import", export, "--workspace", workspace.root, "--now", NIGHT).out
    value = json.loads(call("import", export, "--workspace", workspace.root, "--now", NIGHT, "--json").out)

    assert "2 lines in 1 note (2024-05-03); the next night judges them." in told
    assert "Left out: 1 answer, 1 with a secret, 1 too short." in told
    assert "Only your own messages and saved memories are taken" in told
    assert (value["lines"], value["already"], value["run"]) == (0, 2, "")


def test_one_line_is_judged_alone_and_who_has_no_answers_hears_of_none(build: Build, tmp_path: Path) -> None:
    workspace, export = build(dict(MEMORY), BERLIN), saved(tmp_path, json.dumps([{"memory": "Lives in Lisbon now"}]))

    told = call("import", export, "--from", "mem0", "--workspace", workspace.root, "--now", NIGHT).out

    assert "1 line in 1 note" in told and "the next night judges it." in told and "--replies" not in told


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_frame_of_an_import_is_no_subject_of_its_lines(language: str) -> None:
    with speaking(language):
        frames = say("imports.saved"), say("imports.untitled")

    told = [
        composed(stated("memory/2026-11-14-import-chatgpt.md", 3, 3, "Keeps a sledge in Inari", one)) for one in frames
    ]

    assert told == ["Keeps a sledge in Inari"] * 2


MAIL = """Can you answer this letter?
> I am vegan and my tax adviser is Runa Holm.
  > She signs everything above 900 crowns.
**Rehearsals:** we sing on Tuesdays, never on Sundays
**Rehearsal plan**
1. Soprano starts at 18:00 in the chapel
2) Alto comes at 18:30, by the side door
3. November is when the concert takes place
- *Requiem* by Fauré is the second piece
2019 was the year of our first concert"""


def test_a_message_keeps_its_words_and_loses_only_marks_of_lists_and_what_others_wrote(
    build: Build, tmp_path: Path
) -> None:
    workspace = build(dict(MEMORY), BERLIN)

    done = import_from(workspace, CLOCK, saved(tmp_path, chatgpt(message("user", MAIL))), by=OWNER)

    assert done.left_out == {"quoted": 2}
    assert (workspace.root / CHAT).read_text("utf-8").split("\n\n")[-1] == (
        "- 14:40 Can you answer this letter?\n- 14:40 **Rehearsals:** we sing on Tuesdays, never on Sundays\n"
        "- 14:40 Soprano starts at 18:00 in the chapel\n- 14:40 Alto comes at 18:30, by the side door\n"
        "- 14:40 November is when the concert takes place\n- 14:40 *Requiem* by Fauré is the second piece\n"
        "- 14:40 2019 was the year of our first concert\n"
    )


def test_a_number_that_counts_nothing_stays(build: Build, tmp_path: Path) -> None:
    workspace = build(dict(MEMORY), BERLIN)
    import_from(workspace, CLOCK, saved(tmp_path, chatgpt(message("user", "3. November: Konzert im Dom"))), by=OWNER)

    assert "- 14:40 3. November: Konzert im Dom\n" in (workspace.root / CHAT).read_text("utf-8")


def test_of_a_message_that_was_edited_the_last_version_counts_and_voice_and_saved_memories_are_taken(
    build: Build, tmp_path: Path
) -> None:
    voice = message("user", "")
    voice["message"]["content"] = {"content_type": "multimodal_text", "parts": [
        {"content_type": "audio_transcription", "text": "My aunt lives in Narvik since May."}, {"content_type": "audio_asset_pointer"},
    ]}  # fmt: skip
    kept = message("system", "")
    kept["message"]["content"] = {
        "content_type": "model_editable_context",
        "model_set_context": "# Model Set Context\n\n1. [2024-05-02]. Has a dog\n\n2. [2024-05-03]. Sings alto",
    }
    picture = message("user", "")
    picture["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "image_asset_pointer"}],
    }
    nodes = {
        "kept": kept | {"parent": None},
        "old": message("user", "I play the oboe in a band.") | {"parent": "kept"},
        "new": message("user", "I play the tuba in a band.") | {"parent": "kept"},
        "voice": voice | {"parent": "new"},
        "picture": picture | {"parent": "voice"},
    }
    conversation = {"title": "Band", "create_time": 1714740000.0, "mapping": nodes, "current_node": "picture"}
    workspace = build(dict(MEMORY), BERLIN)

    done = import_from(workspace, CLOCK, saved(tmp_path, json.dumps([conversation])), by=OWNER)

    assert done.left_out == {"edited": 1, "wordless": 1}
    assert "- Has a dog\n" in (workspace.root / CHAT.replace("05-03", "05-02")).read_text("utf-8")
    assert (workspace.root / CHAT).read_text("utf-8").endswith(
        "## Band\n\n- 14:40 I play the tuba in a band.\n- 14:40 My aunt lives in Narvik since May.\n\n"
        "## Saved memories\n\n- Sings alto\n"
    )  # fmt: skip
    conversation.pop("current_node")
    assert import_from(workspace, CLOCK, saved(tmp_path, json.dumps([conversation])), by=OWNER).lines == 1


def test_a_saved_memory_may_be_short_and_each_heading_stands_apart(build: Build, tmp_path: Path) -> None:
    memories = [{"memory": one, "created_at": "2024-05-03T10:00:00Z"} for one in ("Likes tea", "不吃香菜")]
    workspace = build(dict(MEMORY), BERLIN)
    import_from(workspace, CLOCK, saved(tmp_path, json.dumps(memories)), by=OWNER)
    talk = [{"name": name, "chat_messages": [{"sender": "human", "text": f"The {name} is in the shed.", "created_at": "2024-05-03T10:00:00Z"}]} for name in ("saw", "axe")]  # fmt: skip
    import_from(workspace, CLOCK, saved(tmp_path, json.dumps(talk)), by=OWNER)

    assert "- Likes tea\n- 不吃香菜\n" in (workspace.root / "memory/2024-05-03-import-mem0.md").read_text("utf-8")
    told = (workspace.root / "memory/2024-05-03-import-claude.md").read_text("utf-8")
    assert told.endswith("## saw\n\n- 12:00 The saw is in the shed.\n\n## axe\n\n- 12:00 The axe is in the shed.\n")
