"""What people said is told from what machines said, whoever wrapped it; what is left out is counted by reason."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from reverie.evidence.session_corpus import append_turns
from reverie.workspace.origins import heard
from reverie.workspace.transcripts import turns_of_dump
from reverie.workspace.values import Origin
from talk import BERLIN, METADATA, NOW, corpus, jsonl, message, read, session, words

# What is left out, and what stays of a wrapped message


@pytest.mark.parametrize(
    ("role", "text", "why"),
    [
        ("user", "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.", "heartbeat"),
        ("assistant", "HEARTBEAT_OK", "heartbeat"),
        ("assistant", "All quiet, nothing due. HEARTBEAT_OK", "heartbeat"),
        ("user", "[cron:6f1a daily digest] Summarise the inbox", "cron"),
        ("user", "System: [2026-03-18 22:49:37 EDT] Exec completed (mild-emb, code 1) :: Traceback", "exec"),
        ("user", "System: [2026-03-18 22:49:37 EDT] Node connected", "system"),
        ("user", "A new session was started via /new or /reset. Greet the user.", "system"),
        ("user", "[Inter-session message] sourceSession=agent:main:x\nresult follows", "inter-session"),
        ("user", "[Subagent Context] You are running as a subagent", "sub-agent"),
        ("user", "__openclaw_memory_core_short_term_promotion_dream__", "dreaming"),
        ("assistant", "NO_REPLY", "silent"),
        ("assistant", "**NO_REPLY**", "silent"),
        ("user", "Context:\n<active_memory_plugin>likes tea</active_memory_plugin>", "recalled"),
        ("user", "<relevant-memories>\n1. likes tea\n2. lives in Bern", "recalled"),
        ("user", "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>", "empty"),
        ("user", METADATA, "empty"),
        ("user", "/status", "command"),
        ("user", "System (untrusted): Exec completed (code 0) :: df -h", "exec"),
        ("user", "Your previous response was only an acknowledgement. Go on.", "system"),
        ("user", "Pre-compaction memory flush. Store durable memories now.", "system"),
        ("user", "<ingest-reply-assist>\nBe brief.\n\nAlways.\n</ingest-reply-assist>", "system"),
        ("user", "[Queued messages while agent was busy]", "system"),
        ("user", "log line\n" * 10_000, "huge"),
    ],
)
def test_what_machines_say_is_left_out_with_its_reason(role: str, text: str, why: str) -> None:
    assert heard(role, text).why == why


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (METADATA + "I moved to Bern", "I moved to Bern"),
        (METADATA.replace("\n", "\r\n") + "I moved to Bern", "I moved to Bern"),
        (
            'Conversation info (untrusted metadata):\n{"sender": "ui"}\n[Tue 2026-02-17 21:30 UTC] 我搬到伯尔尼了',
            "我搬到伯尔尼了",
        ),
        ("[Telegram Elsa id:42 +1m 2026-01-31 05:46 UTC] I moved to Bern\n[message_id: 2098]", "I moved to Bern"),
        (
            "System: [2026-01-31 05:44:57 UTC] Exec completed (x, code 0)\n\n[WhatsApp +49 151 2026-01-31] I moved",
            "I moved",
        ),
        ("Context:\n<active_memory_plugin>likes tea</active_memory_plugin>\n\nI moved to Bern", "I moved to Bern"),
        ("what does a <system-reminder> tag do?", "what does a <system-reminder> tag do?"),
        ("[x] done with the shed", "[x] done with the shed"),
        ("Your previous response was too long, keep it short", "Your previous response was too long, keep it short"),
        ("the name goes into <my-host>, always", "the name goes into <my-host>, always"),
        ("<<<MY_MARK>>> is what the printer prints", "<<<MY_MARK>>> is what the printer prints"),
        ("I moved to Bern\n\n[Replying to Ole id:8]\nwhere?\n[/Replying]", "I moved to Bern"),
        ("<hook-context>\nlikes tea\n</hook-context>\nI moved to Bern", "I moved to Bern"),
        ('<<<EXTERNAL_CONTENT id="7">>>\nbuy\n<<<END_EXTERNAL_CONTENT id="7">>>\nI moved', "I moved"),
        (METADATA + "[message_id: om_x1]\nElsa: I moved to Bern", "I moved to Bern"),
        (
            "[media attached: /in/7.jpg (image/jpeg)]\nTo send an image back, use the tool.\nthe new flat",
            "the new flat",
        ),
        (
            f"[Queued messages while agent was busy]\n\n---\nQueued #1\n{METADATA}I moved\n\n---\nQueued #2\n{METADATA}to Bern",
            "I moved\n\nto Bern",
        ),
        (
            "[Chat messages since your last reply - for context]\nOle: I moved to Rome\n\n"
            "[Current message - respond to this]\nI moved to Bern",
            "I moved to Bern",
        ),
        (
            "The heartbeat of the pump is fine; System: [A] failed",
            "The heartbeat of the pump is fine; System: [A] failed",
        ),
        ("/etc/hosts is the file to edit", "/etc/hosts is the file to edit"),
    ],
)
def test_the_words_behind_an_envelope_are_kept(text: str, kept: str) -> None:
    assert heard("user", text).text == kept


STARTUP = """[Startup context loaded by runtime]
Bootstrap files like SOUL.md are already provided separately.

[Untrusted daily memory: memory/2026-10-19.md]
BEGIN_QUOTED_NOTES
```text
user: I moved to Rome

assistant: Noted.
```
END_QUOTED_NOTES

"""


def test_notes_that_a_host_injects_at_the_start_are_nobodys_words() -> None:
    dump = f"# Session: x\n\n## Conversation Summary\n\nuser: {STARTUP}I moved to Bern\nassistant: Good.\nuser: {STARTUP}A new session was started via /new.\n"

    found = turns_of_dump(dump, "memory/2026-10-20-move.md", date(2026, 10, 20))

    assert [(turn.text, turn.origin) for turn in found.turns] == [
        ("I moved to Bern", Origin.OWNER),
        ("Good.", Origin.SESSION),
    ]


def test_of_an_article_that_was_pasted_only_the_owners_own_words_stay() -> None:
    article = "The council voted on Tuesday to close the old harbour to cargo after a debate of many years. " * 4
    text = "\n\n".join(["I want to go there: https://example.org/harbour", article, article, article, "book it in May"])

    assert heard("user", text).text == "I want to go there: https://example.org/harbour\n\nbook it in May"


def test_a_long_answer_that_mentions_the_heartbeat_token_is_an_answer() -> None:
    assert heard("assistant", "HEARTBEAT_OK is a token. " + "It means nothing is due. " * 20).why == ""


@pytest.mark.parametrize("tag", ["<relevant-memories>", "x <system-reminder>", "\n\n<command-name>", "[[reply_to"])
def test_many_unclosed_marks_cost_no_more_than_reading(tag: str) -> None:
    heard("user", tag * 100_000)  # a quadratic search would take minutes


def test_a_reply_to_a_machine_is_left_out_even_when_it_arrives_in_the_next_reading(tmp_path: Path) -> None:
    real = session(tmp_path, message("user", "Read HEARTBEAT.md if it exists"))
    first = read(real)

    with real.open("ab") as file:
        file.write(jsonl(message("assistant", "Disk 40 % full, backups fine"), message("user", "I moved to Bern")))
        file.write(jsonl(message("assistant", "Good to know")))
    second = read(real, first.cursor)

    assert words(second) == ["I moved to Bern", "Good to know"]
    assert second.left_out == {"heartbeat": 1}


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("agent:main:cron:job-1:run:run-1", "cron"),
        ("agent:main:subagent:child", "sub-agent"),
        ("agent:main:dreaming-narrative-light-abc-1", "dreaming"),
    ],
)
def test_sessions_of_machines_are_left_out_whole_by_the_key_their_host_gave_them(
    tmp_path: Path, key: str, why: str
) -> None:
    real = session(tmp_path / "by-list", message("user", "summarise the inbox"))
    real.with_name("sessions.json").write_text(json.dumps({key: {"sessionId": "abc", "sessionFile": "abc.jsonl"}}))
    marked = session(
        tmp_path / "by-mark", message("user", "hello"), {"type": "session-meta", "data": {"sessionKey": key}}
    )

    for found in (read(real), read(marked)):
        assert (words(found), dict(found.left_out)) == ([], {why: 1})
        assert found.cursor is not None
        assert found.cursor.excluded == why


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("abc.jsonl.deleted.2026-02-16T22-27-33.000Z", "deleted"),
        ("abc.jsonl.reset.2026-02-16T22-26-33.000Z", "reset"),
        ("abc.jsonl.bak.2026-02-16T22-28-33.000Z", "backup"),
        ("abc.checkpoint.11111111-1111-4111-8111-111111111111.jsonl", "checkpoint"),
        ("agent-1f2e.jsonl", "sub-agent"),
        ("dreaming-narrative-rem-1.jsonl", "dreaming"),
    ],
)
def test_a_file_can_be_left_out_by_its_name(tmp_path: Path, name: str, why: str) -> None:
    found = read(session(tmp_path, message("user", "hello there"), name=name))

    assert (found.turns, dict(found.left_out), found.cursor) == ((), {why: 1}, None)


# Who is speaking


@pytest.mark.parametrize(
    ("record", "origin"),
    [
        (message("user", "I moved"), Origin.OWNER),
        (message("user", "I moved", senderIsOwner=False), Origin.QUOTED),
        (message("user", "[Telegram Family id:-100123 2026-01-31] I moved"), Origin.QUOTED),
        (message("user", METADATA.replace('"7"', '"7", "is_group_chat": true') + "I moved"), Origin.QUOTED),
        (message("user", "[Telegram Family id:-100123 2026-01-31] I moved", senderIsOwner=True), Origin.OWNER),
    ],
)
def test_only_the_owner_speaks_for_the_owner(tmp_path: Path, record: object, origin: Origin) -> None:
    found = read(session(tmp_path, record, message("assistant", "I see")))

    assert found.turns[0].origin is origin
    assert found.turns[1].origin is (Origin.SESSION if origin is Origin.OWNER else Origin.QUOTED)


def test_three_senders_are_kept_apart(tmp_path: Path) -> None:
    room = [message("user", METADATA.replace("Elsa", name) + f"{name} was here") for name in ("Elsa", "Henrik", "Kim")]
    real = session(tmp_path, *room)
    real.with_name("sessions.json").write_text('{"agent:main:telegram:group:-100": {"sessionId": "abc"}}')

    turns = read(real).turns

    assert [(turn.sender, turn.text) for turn in turns] == [(n, f"{n} was here") for n in ("Elsa", "Henrik", "Kim")]
    assert {turn.origin for turn in turns} == {Origin.QUOTED}


def test_ninety_percent_of_noise_leaves_the_ten_percent_that_were_said(tmp_path: Path) -> None:
    noise = [
        message("user", "Read HEARTBEAT.md if it exists (workspace context)."), message("assistant", "HEARTBEAT_OK"),
        message("user", "[cron:1 digest] go"), message("assistant", "Digest: 14 mails"),
        message("toolResult", "drwxr-xr-x"), message("assistant", [{"type": "toolCall", "name": "exec"}]),
        message("user", "System: [2026-11-14 01:00:00 UTC] Exec failed (a, code 1)"), message("assistant", "NO_REPLY"),
        message("user", "task done", provenance={"kind": "inter_session"}),
    ]  # fmt: skip
    facts = [message("user", f"fact number {n}") for n in range(20)]
    real = session(tmp_path, *(record for fact in facts for record in (*noise, fact)))

    found = read(real)
    append_turns(tmp_path, [found], BERLIN, now=NOW)

    assert [line.partition(" User: ")[2] for line in corpus(tmp_path)["2026-11-14"]] == words(found)
    assert words(found) == [f"fact number {n}" for n in range(20)]
    assert sum(found.left_out.values()) == 9 * 20


# Dumps


DUMP = """# Session: 2026-03-14 01:37:20 UTC

- **Session Key**: agent:alma:main
- **Session ID**: 4713cb38
- **Source**: webchat

## Conversation Summary

user: Conversation info (untrusted metadata):
```json
{"message_id": "10285", "sender": "Elsa"}
```

The party is on Saturday,
at two.
assistant: Noted:

- Saturday, 14:00
user: Read HEARTBEAT.md if it exists.
assistant: Nothing is due.
user: 蛋糕里不要放榛子
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_dumped_conversation_gives_its_turns_and_counts_the_rest(ending: str) -> None:
    found = turns_of_dump(DUMP.replace("\n", ending), "memory/2026-03-14-0137.md", date(2026, 3, 14))

    assert [(turn.line, turn.role, turn.text) for turn in found.turns] == [
        (9, "user", "The party is on Saturday,\nat two."),
        (16, "assistant", "Noted:\n\n- Saturday, 14:00"),
        (21, "user", "蛋糕里不要放榛子"),
    ]
    assert (found.agent, found.day, found.turns[0].sender) == ("alma", date(2026, 3, 14), "Elsa")
    assert found.left_out == {"heartbeat": 2, "metadata": 5}


def test_a_dump_of_a_machine_session_holds_no_turns() -> None:
    found = turns_of_dump(DUMP.replace("agent:alma:main", "agent:alma:cron:1:run:2"), "memory/2026-03-14.md", None)

    assert (found.turns, found.left_out["cron"]) == ((), 5)


def test_a_dump_without_its_heading_begins_with_the_first_turn() -> None:
    found = turns_of_dump("# Session: x\n\nuser: I moved to Bern", "memory/2026-03-14.md", None)

    assert words(found) == ["I moved to Bern"]
