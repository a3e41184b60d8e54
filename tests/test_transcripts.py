"""What is said in conversations is heard once, by night, and nothing is heard that was not said to the agent by its owner."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW, Make, review, write
from reverie import night
from reverie.store import corpus
from reverie.store.disk import Disk
from reverie.workspace.layout import Layout, layout_of
from reverie.workspace.origins import Origin, words_of
from reverie.workspace.transcripts import LARGEST_LINE, Cursor, Turn, new_turns

VALVE = "The pump valve comes from Kern now."
ANSWER = "Noted: Kern delivers the valve."
KEY = "The key is sk-ant-" + "api03-Qz7Xw2Lk9Vb4Nm1Pt6Rs8Yd3Fg5Hj0" * 2
DAY = "memory/.dreams/session-corpus/reverie/2026-03-30.txt"


def said(role: str, text: Any, **more: Any) -> bytes:
    message = {"role": role, "content": text}
    return (
        json.dumps({"type": "message", "message": message, "timestamp": "2026-03-30T09:00:00Z", **more}).encode()
        + b"\n"
    )


TALK = said("user", VALVE) + said(
    "assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": ANSWER}]
)


def heard(data: bytes, cursor: Cursor | None = None) -> tuple[list[str], Cursor]:
    turns, cursor = new_turns(BytesIO(data), "main/sessions/a.jsonl", cursor or Cursor(), UTC)
    return [f"{turn.speaker}: {turn.text}" for turn in turns], cursor


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: Make) -> tuple[Layout, Path]:
    """A workspace of OpenClaw's agent `main`, and the folder of its sessions."""
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(tmp_path / "claw"))
    sessions, root = tmp_path / "claw/agents/main/sessions", workspace().root
    sessions.mkdir(parents=True)
    (tmp_path / "claw/openclaw.json").write_text(f"{{agents: {{defaults: {{workspace: '{root}'}}}}}}")
    return layout_of(root), sessions


def keep(sessions: Path, data: bytes, name: str = "a.jsonl") -> None:
    """A session that was changed a while ago."""
    (sessions / name).write_bytes(data)
    at = (NOW - timedelta(hours=2)).timestamp()
    os.utime(sessions / name, (at, at))


def lines(layout: Layout) -> list[str]:
    file = layout.real(DAY)
    return file.read_text("utf-8").splitlines() if file.exists() else []


def test_each_side_is_heard_with_its_day_and_line() -> None:
    turns, cursor = new_turns(BytesIO(TALK), "main/sessions/a.jsonl", Cursor(), UTC)
    place = (date(2026, 3, 30), "main/sessions/a.jsonl")
    assert turns == [Turn(Origin.OWNER, VALVE, *place, 1), Turn(Origin.AGENT, ANSWER, *place, 2)]
    assert (cursor.size, cursor.lines) == (len(TALK), 2)


def test_a_growing_file_is_heard_once_wherever_it_was_torn() -> None:
    talk = TALK + said("user", "Ütersen bekommt am Freitag Besuch") + TALK.replace(b"Kern", b"Voss")
    whole, _ = heard(talk)
    for cut in range(0, len(talk), 7):
        first, cursor = heard(talk[:cut])
        second, _ = heard(talk, cursor)
        assert first + second == whole


def test_a_shortened_or_rewritten_file_is_read_from_its_start() -> None:
    _, cursor = heard(TALK * 3)
    assert heard(TALK, cursor)[0] == heard(TALK)[0]
    assert heard(TALK.replace(b"Kern", b"Voss") * 4, cursor)[0] == heard(TALK.replace(b"Kern", b"Voss") * 4)[0]


@pytest.mark.parametrize("zone_hours, day", [(-10, date(2026, 3, 29)), (14, date(2026, 3, 30))])
def test_the_zone_of_the_owner_decides_the_day(zone_hours: int, day: date) -> None:
    from datetime import timezone

    turns, _ = new_turns(BytesIO(TALK), "a", Cursor(), timezone(timedelta(hours=zone_hours)))
    assert turns[0].day == day


@pytest.mark.parametrize(
    "record",
    [
        said("user", "[cron:7 digest] Write the digest of today, please"),
        said("user", "Read HEARTBEAT.md if it exists and follow it"),
        said("user", "System: [2026-03-30 09:00:00 UTC] Exec completed (code 0)"),
        said("user", "[Telegram Chess club id:-100222 2026-03-30 09:00 UTC] Ole: who has the key"),
        said("user", "<task-notification>\nthe build is done\n</task-notification>"),
        said("user", "A stranger says the valve is free", senderIsOwner=False),
        said("user", "Report to the other session", provenance={"kind": "inter_session"}),
        said("user", "/status"),
    ],
)
def test_what_no_owner_said_is_not_heard_nor_what_answers_it(record: bytes) -> None:
    assert heard(record + said("assistant", ANSWER) + TALK)[0] == heard(TALK)[0]


@pytest.mark.parametrize(
    "record",
    [
        said("toolResult", "a long listing of files"),
        said("user", [{"type": "tool_result", "content": "a long listing of files"}]),
        said("user", "Caveat: the messages below", isMeta=True),
        said("user", "What the helper was asked to do", isSidechain=True),
        said("user", "This session goes on from another one", isCompactSummary=True),
        b"{torn\n\n[1]\n" + b"[" * 5_000 + b"\n" + b'{"type":"message","message":7}\n\xff\xfe\n',
        said("user", "x" * (LARGEST_LINE + 9)),
    ],
)
def test_what_is_no_turn_stands_between_nobody_and_his_answer(record: bytes) -> None:
    question, answer = TALK.splitlines(keepends=True)
    assert heard(question + record + answer)[0] == heard(TALK)[0]


@pytest.mark.parametrize(
    "message",
    [
        f"[Telegram Elsa id:42 2026-03-30 05:46 UTC] {VALVE}\n[message_id: 88]",
        f"[Mon 2026-03-30 09:00 UTC] {VALVE}\r\n<system-reminder>\r\nBe brief.\r\n\r\nAlways.\r\n</system-reminder>",
        f"<relevant-memories>The valve is Voss'.</relevant-memories>{VALVE}",
        f'Conversation info (untrusted metadata):\n```json\n{{"message_id": "7"}}\n```\n{VALVE}',
        f"System: [2026-03-30 09:00:00 UTC] Node connected\n\n{VALVE}",
        f"[Replying to Ole id:88]\nis it Voss?\n[/Replying]\n{VALVE}\n```\nlog = 7\n```",
    ],
)
def test_envelopes_and_what_hosts_put_in_are_taken_off(message: str) -> None:
    assert words_of(message) == VALVE
    assert heard(said("user", message))[0] == [f"owner: {VALVE}"]


def test_hostile_messages_cost_no_more_than_their_length() -> None:
    for text in (
        "<a-b " * 3_000,
        "[telegram " * 1_600,
        "[Replying to " * 1_200,
        "<!-- " * 3_000,
        "`" * 15_000,
        "a=b " * 4_000,
    ):
        words_of(text)
        list(corpus.lines_of([Turn(Origin.OWNER, text, date(2026, 3, 30), "a", 1)]))


def test_secrets_and_numbers_of_people_stay_where_they_are() -> None:
    def kept(*texts: str) -> list[str]:
        turns = (Turn(Origin.OWNER, text, date(2026, 3, 30), "a", 1) for text in texts)
        return [f"{place} {words}" for _, place, words in corpus.lines_of(turns)]

    assert kept(f"{VALVE}\n{KEY}", "Call Ole at +49 170 1234567 on Friday") == [f"[a#L1] User: {VALVE}"]
    assert kept("What is the password of the router?", "it is: Heron-quiet-77") == [
        "[a#L1] User: What is the password of the router?"
    ]
    assert kept("ok, thanks", "好的谢谢你们了") == ["[a#L1] User: 好的谢谢你们了"]


def test_a_night_reads_what_was_said_and_the_next_one_nothing_twice(home: tuple[Layout, Path]) -> None:
    layout, sessions = home
    keep(sessions, TALK)
    expected = [f"[main/sessions/a.jsonl#L1] User: {VALVE}", f"[main/sessions/a.jsonl#L2] Assistant: {ANSWER}"]
    dry = review(layout, dry_run=True).brief
    assert not layout.real("memory/.dreams").exists()
    notes = [(line.statement.place, line.statement.text, line.statement.origin) for line in review(layout).brief.notes]
    assert notes[1:] == [(f"{DAY}:1", VALVE, Origin.OWNER), (f"{DAY}:2", ANSWER, Origin.AGENT)]
    assert [line.statement.raw for line in dry.notes[1:]] == lines(layout) == expected
    assert review(layout, NOW + timedelta(days=1)).brief.notes == ()
    keep(
        sessions, b"\n" + TALK + said("user", "The valve goes to Bergen"), "b.jsonl"
    )  # the same talk goes on elsewhere
    shown = [line.statement.text for line in review(layout, NOW + timedelta(days=2)).brief.notes]
    assert shown == ["The valve goes to Bergen"] and lines(layout)[2:] == [
        "[main/sessions/b.jsonl#L4] User: The valve goes to Bergen"
    ]


def test_a_crash_between_any_two_steps_loses_and_doubles_nothing(home: tuple[Layout, Path]) -> None:
    class Crash(Disk):
        """Stops before its step number `left`, an append in its middle."""

        def __init__(self, left: int) -> None:
            self.left = left

        def append(self, path: Path, data: bytes) -> None:
            self._step()
            super().append(path, data[: len(data) // 2])
            self._step()
            super().append(path, data[len(data) // 2 :])

        def sync_folder(self, path: Path) -> None:
            self._step()
            super().sync_folder(path)

        def rename(self, source: Path, target: Path) -> None:
            self._step()
            super().rename(source, target)

        def _step(self) -> None:
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt

    layout, sessions = home
    keep(sessions, said("user", "Ünlü kommt am Freitag nach Bergen 🌊") + TALK)
    for left in range(40):
        layout.real(DAY).unlink(missing_ok=True)
        layout.real("memory/.dreams/sessions.json").unlink(missing_ok=True)
        try:
            corpus.with_sessions(night.read_memory(layout), NOW, Crash(left))
        except KeyboardInterrupt:
            corpus.with_sessions(night.read_memory(layout), NOW, Disk())
        else:
            assert left >= 5
            break
        assert [line.partition("] ")[2] for line in lines(layout)] == [
            "User: Ünlü kommt am Freitag nach Bergen 🌊", f"User: {VALVE}", f"Assistant: {ANSWER}"
        ]  # fmt: skip


def test_sessions_of_programs_of_groups_and_of_other_agents_are_not_opened(home: tuple[Layout, Path]) -> None:
    layout, sessions = home
    listed = {"agent:main:cron:7": {"sessionId": "c"}, "agent:main:telegram:group:-1": {"sessionId": "g"},
              "agent:main:x": {"sessionFile": "/home/s.jsonl", "spawnedBy": "agent:main:subagent:1"},
              "agent:main:y": {"sessionId": "i", "incognito": True}, "agent:main:main": {"sessionId": "a"}, "odd": 7}  # fmt: skip
    (sessions / "sessions.json").write_text(json.dumps(listed))
    for name in ("c", "g", "s", "i", "agent-7", "a.checkpoint.1"):
        keep(sessions, TALK, f"{name}.jsonl")
    other = sessions.parents[1] / "alma/sessions"
    other.mkdir(parents=True)
    keep(other, TALK)
    (sessions / "link.jsonl").symlink_to(other / "a.jsonl")
    review(layout)
    assert lines(layout) == []
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


def test_what_was_said_can_be_forgotten_purged_and_brought_back(home: tuple[Layout, Path]) -> None:
    import reverie

    layout, sessions = home
    keep(sessions, TALK)
    review(layout)
    before = lines(layout)
    reverie.forget(layout, NOW, "pump valve Kern")
    assert lines(layout) == before[1:]
    reverie.undo(layout, NOW)
    assert lines(layout) == before
    reverie.forget(layout, NOW, "pump valve Kern", purge=True)
    review(layout, NOW + timedelta(days=1))
    assert lines(layout) == before[1:]


def test_a_place_in_a_file_that_is_gone_is_forgotten_after_90_days(home: tuple[Layout, Path]) -> None:
    layout, sessions = home
    keep(sessions, TALK)
    review(layout)
    (sessions / "a.jsonl").rename(sessions / "old.jsonl.reset.1")
    for days, known in ((89, {"a", "b89"}), (95, {"b89", "b95"})):
        (sessions / f"b{days}.jsonl").write_bytes(said("user", "x"))
        review(layout, NOW + timedelta(days=days))
        assert set(json.loads(layout.real("memory/.dreams/sessions.json").read_bytes())) == {
            f"main/sessions/{n}.jsonl" for n in known
        }
