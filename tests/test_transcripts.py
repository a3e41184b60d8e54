"""What is said in conversations is heard once, by night, and nothing is heard that its owner did not say to the agent."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, date, timedelta, timezone
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import reverie
from conftest import NOW, Make, review, write
from reverie.night import read_memory
from reverie.store import corpus
from reverie.store.disk import Disk
from reverie.workspace.layout import Layout, layout_of
from reverie.workspace.origins import Origin
from reverie.workspace.transcripts import LARGEST_LINE, Cursor, Turn, new_turns

VALVE, ANSWER = "The pump valve comes from Kern now.", "Noted: Kern delivers the valve."
DAY, CURSORS = "memory/.dreams/session-corpus/reverie/2026-03-30.txt", "memory/.dreams/sessions.json"


def said(role: str, text: Any, **more: Any) -> bytes:
    message = {"role": role, "content": text}
    return json.dumps({"type": "message", "message": message, "timestamp": "2026-03-30T09:00:00Z", **more}).encode() + b"\n"  # fmt: skip


THOUGHT = {"type": "thinking", "thinking": "hm"}
TALK = said("user", VALVE) + said("assistant", [THOUGHT, {"type": "text", "text": ANSWER}])
TALK_LINES = [f"[main/sessions/a.jsonl#L1] User: {VALVE}", f"[main/sessions/a.jsonl#L2] Assistant: {ANSWER}"]


def heard(data: bytes, cursor: Cursor | None = None) -> tuple[list[Turn], Cursor]:
    return new_turns(BytesIO(data), "main/sessions/a.jsonl", cursor or Cursor(), UTC)


def words(data: bytes) -> list[str]:
    return [turn.text for turn in heard(data)[0]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: Make) -> tuple[Layout, Path]:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "claw"))
    sessions, root = tmp_path / "claw/agents/main/sessions", workspace().root
    sessions.mkdir(parents=True)
    (tmp_path / "claw/openclaw.json").write_text(f"{{agents: {{defaults: {{workspace: '{root}'}}}}}}")
    return layout_of(root), sessions


def keep(sessions: Path, data: bytes, name: str = "a.jsonl", days: int = 0) -> None:
    (sessions / name).write_bytes(data)
    at = (NOW + timedelta(days=days, hours=-2)).timestamp()
    os.utime(sessions / name, (at, at))


def lines(layout: Layout) -> list[str]:
    return layout.real(DAY).read_text("utf-8").splitlines() if layout.real(DAY).exists() else []


def test_the_zone_of_its_owner_decides_the_day() -> None:
    hawaii, place = timezone(timedelta(hours=-10)), (date(2026, 3, 29), "a")
    turns = new_turns(BytesIO(TALK), "a", Cursor(), hawaii)[0]
    assert turns == [Turn(Origin.OWNER, VALVE, *place, 1), Turn(Origin.AGENT, ANSWER, *place, 2)]


def test_a_growing_file_is_heard_once_wherever_it_was_torn_and_a_rewritten_one_again() -> None:
    talk = TALK + said("user", "Ütersen bekommt am Freitag Besuch") + TALK.replace(b"Kern", b"Voss")
    for cut in range(0, len(talk), 7):
        first, cursor = heard(talk[:cut])
        assert first + heard(talk, cursor)[0] == heard(talk)[0]
    for other in (TALK, TALK.replace(b"Kern", b"Voss") * 4):
        assert heard(other, heard(TALK * 3)[1]) == heard(other)


FOREIGN = [
    said("user", "[cron:7 digest] Write the digest of today, please"),
    said("user", "Read HEARTBEAT.md if it exists and follow it"),
    said("user", "System: [2026-03-30 09:00:00 UTC] Exec completed (code 0)"),
    said("user", "[Telegram Chess club id:-100222 2026-03-30 09:00 UTC] Ole: who has the key"),
    said("user", "<task-notification>\nthe build is done\n</task-notification>"),
    said("user", "A stranger says the valve is free", senderIsOwner=False),
    said("user", "Report to the other session", provenance={"kind": "inter_session"}),
    said("user", "/status"),
]
NO_TURNS = [
    said("toolResult", "a long listing of files") + said("assistant", "HEARTBEAT_OK, nothing to do"),
    said("user", [{"type": "tool_result", "content": "a long listing of files"}]),
    said("user", "Caveat: the messages below", isMeta=True),
    said("user", "What the helper was asked to do", isSidechain=True),
    said("user", "This session goes on from another one", isCompactSummary=True),
    said(["user"], "odd") + said("user", 7) + said("user", "no day", timestamp=[]),  # type: ignore[arg-type]
    b"{torn\n\n[1]\n" + b"[" * 5_000 + b"\n" + b'{"type":"message","message":7}\n\xff\xfe\n',
    said("user", "x" * (LARGEST_LINE * 2 + 9)),
]


@pytest.mark.parametrize("foreign, nothing", [*zip(FOREIGN, NO_TURNS, strict=True)])
def test_what_no_owner_said_is_not_heard_nor_what_answers_it(foreign: bytes, nothing: bytes) -> None:
    question, answer = TALK.splitlines(keepends=True)
    assert words(foreign + nothing + said("assistant", ANSWER) + question + nothing + answer) == words(TALK)


MESSAGES = [
    f"[Telegram Elsa id:42 2026-03-30 05:46 UTC] {VALVE}\n[message_id: 88]",
    f"[Mon 2026-03-30 09:00 UTC] {VALVE}\r\n<system-reminder>\r\nBe brief.\r\n\r\nAlways.\r\n</system-reminder>",
    f"<relevant-memories>The valve is Voss'.</relevant-memories>{VALVE}",
    f'Conversation info (untrusted metadata):\n```json\n{{"message_id": "7"}}\n```\n{VALVE}',
    f"System: [2026-03-30 09:00:00 UTC] Node connected\n\n{VALVE}",
    f"[Replying to Ole id:88]\nis it Voss?\n[/Replying]\n{VALVE}\n```\nlog = 7\n```",
]


def test_envelopes_and_what_hosts_put_in_are_taken_off() -> None:
    assert [words(said("user", message)) for message in MESSAGES] == [[VALVE]] * len(MESSAGES)


def test_secrets_and_numbers_of_people_stay_where_they_are() -> None:
    def kept(*texts: str) -> list[str]:
        turns = (Turn(Origin.OWNER, text, date(2026, 3, 30), "a", 1) for text in texts)
        return [words for _, _, words in corpus.lines_of(turns)]

    key = "The key is sk-ant-" + "api03-Qz7Xw2Lk9Vb4Nm1Pt6Rs8Yd3Fg5Hj0" * 2
    assert kept(f"{VALVE}\n{key}", "Call Ole at +49 170 1234567 on Friday", "ok, thanks") == [f"User: {VALVE}"]
    assert len(kept("What is the password of the router?", "it is: Heron-quiet-77")) == 1
    assert kept("好的谢谢你们了 \ud83d", "w " * 500) == ["User: 好的谢谢你们了", f"User: {'w ' * 299}w", f"User: {'w ' * 199}w"]  # fmt: skip


def test_a_night_reads_what_was_said_and_the_next_one_nothing_twice(home: tuple[Layout, Path]) -> None:
    layout, sessions = home
    keep(sessions, TALK)
    dry = review(layout, dry_run=True).brief
    assert not layout.real("memory/.dreams").exists()
    notes = [(line.statement.place, line.statement.text, line.statement.origin) for line in review(layout).brief.notes]
    assert notes[1:] == [(f"{DAY}:1", VALVE, Origin.OWNER), (f"{DAY}:2", ANSWER, Origin.AGENT)]
    assert [line.statement.raw for line in dry.notes[1:]] == lines(layout) == TALK_LINES
    assert review(layout, NOW + timedelta(days=1)).brief.notes == ()
    keep(sessions, b"\n" + TALK + said("user", "The valve goes to Bergen"), "b.jsonl")  # the same talk goes on here
    name = re.search(r"\[(n\d+)\] The valve goes to Bergen", reverie.brief(layout, NOW))
    assert name and lines(layout) == TALK_LINES
    wish = {"op": "add", "text": "The valve goes to Bergen.", "from": [name[1]], "section": "A", "why": "said"}
    assert [done.text for done in reverie.answer(layout, NOW, json.dumps({"operations": [wish]})).done] == [
        wish["text"]
    ]
    assert len(lines(layout)) == 3 and review(layout, NOW + timedelta(days=2)).brief.notes == ()


def test_a_crash_at_any_byte_loses_and_doubles_nothing(home: tuple[Layout, Path]) -> None:
    class Crash(Disk):
        """Dies when it has appended so many bytes, or before it keeps how far it read."""

        def append(self, path: Path, data: bytes) -> None:
            super().append(path, data[:most])
            if most < len(data):
                raise KeyboardInterrupt

        def replace(self, path: Path, data: bytes) -> None:
            raise KeyboardInterrupt

    layout, sessions = home
    keep(sessions, TALK + said("user", "Ünlü kommt am Freitag nach Bergen 🌊"))
    for most in range(0, 240, 3):  # noqa: B007
        layout.real(DAY).unlink(missing_ok=True)
        layout.real(CURSORS).unlink(missing_ok=True)
        with pytest.raises(KeyboardInterrupt):
            corpus.with_sessions(read_memory(layout), NOW, Crash())
        corpus.with_sessions(read_memory(layout), NOW, Disk())
        assert lines(layout) == [*TALK_LINES, "[main/sessions/a.jsonl#L3] User: Ünlü kommt am Freitag nach Bergen 🌊"]


def test_sessions_of_programs_of_groups_and_of_other_agents_are_not_opened(home: tuple[Layout, Path]) -> None:
    layout, sessions = home
    listed = {"agent:main:cron:7": {"sessionId": "c"}, "agent:main:telegram:group:-1": {"sessionId": "g"},
              "agent:main:x": {"sessionFile": "/home/s.jsonl", "spawnedBy": "agent:main:subagent:1"},
              "agent:main:y": {"sessionId": "i", "incognito": True}, "agent:main:z": {"sessionId": "r", "chatType": "channel"},
              "agent:main:main": {"sessionId": "a"}, "odd": 7}  # fmt: skip
    (sessions / "sessions.json").write_text(json.dumps(listed))
    for name in ("c", "g", "s", "i", "r", "agent-7", "a.checkpoint.1"):
        keep(sessions, TALK, f"{name}.jsonl")
    other = sessions.parents[1] / "alma/sessions"
    other.mkdir(parents=True)
    keep(other, TALK)
    (sessions / "link.jsonl").symlink_to(other / "a.jsonl")
    review(layout)
    write(layout, "reverie.toml", "[dream]\nsessions = false\n")
    keep(sessions, TALK)
    review(layout)
    assert lines(layout) == []


def test_claude_code_keeps_its_folder_as_it_is(tmp_path: Path) -> None:
    root = tmp_path / ".claude/projects/-home-ole/memory"
    root.mkdir(parents=True)
    (root / "MEMORY.md").write_text("- a\n")
    keep(root.parent, TALK.replace(b'"type": "message"', b'"type": "user"', 1))
    layout = layout_of(root)
    assert [line.statement.text for line in review(layout).brief.notes] == [VALVE, ANSWER]
    assert os.listdir(root) == ["MEMORY.md"] and lines(layout)[0] == f"[claude-code/a.jsonl#L1] User: {VALVE}"


def test_what_was_said_can_be_forgotten_brought_back_and_purged(home: tuple[Layout, Path]) -> None:
    layout, sessions = home
    keep(sessions, TALK)
    review(layout)
    reverie.forget(layout, NOW, "pump valve Kern")
    assert lines(layout) == TALK_LINES[1:]
    reverie.undo(layout, NOW)
    assert lines(layout) == TALK_LINES
    reverie.forget(layout, NOW, "pump valve Kern", purge=True)
    review(layout, NOW + timedelta(days=1))
    assert lines(layout) == TALK_LINES[1:]


def test_a_place_in_a_file_that_is_gone_is_forgotten_after_90_days(home: tuple[Layout, Path]) -> None:
    layout, sessions = home
    for days, known in ((0, {"0"}), (89, {"0", "89"}), (95, {"89", "95"})):
        keep(sessions, TALK, f"{days}.jsonl", days)
        review(layout, NOW + timedelta(days=days))
        assert set(json.loads(layout.real(CURSORS).read_bytes())) == {f"main/sessions/{name}.jsonl" for name in known}
        (sessions / "0.jsonl").rename(sessions / "0.jsonl.reset") if not days else None
