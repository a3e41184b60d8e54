"""Whose words a line holds. Only the owner's count as evidence, so both kinds of error are tested."""

from __future__ import annotations

import pytest

from conftest import EXAMPLE, Build
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Origin, Snapshot, Workspace

NOTE = "memory/2026-10-20.md"


@pytest.fixture(scope="module")
def example() -> Snapshot:
    return read_workspace(Workspace(EXAMPLE, EXAMPLE / "dream-vault"))


def origin_at(snapshot: Snapshot, path: str, line: str) -> Origin | None:
    """The origin of the entry that holds a line with these words; None when no entry does."""
    file = snapshot.files[path]
    at = next(i for i, raw in enumerate(file.document.lines, 1) if line in raw)
    return next((e.origin for e in file.entries if e.source.first <= at <= e.source.last), None)


def origin_of(build: Build, text: str, path: str = NOTE) -> Origin:
    """The origin of the last statement of a note."""
    return read_workspace(build({path: text})).files[path].entries[-1].origin


@pytest.mark.parametrize(
    ("path", "line", "origin"),
    [
        ("memory/2026-10-20.md", "08:00 heartbeat ok", Origin.MACHINE),
        ("memory/2026-10-21.md", "heartbeat 08:00 12:00 16:00 ok", Origin.MACHINE),
        ("memory/2026-10-22.md", "heartbeat: all normal", Origin.MACHINE),
        ("memory/2026-10-24.md", "心跳正常", Origin.MACHINE),
        ("memory/2026-10-24-varnish-supplier.md", "compare brandl", Origin.OWNER),
        ("memory/2026-10-24-varnish-supplier.md", "Noted: oil varnish", Origin.SESSION),
        ("memory/2026-11-02-0915.md", "the ship is late", Origin.OWNER),
        ("memory/2026-11-07.md", "user: what did we say", Origin.OWNER),
        ("memory/2026-11-07.md", "assistant: 5,650 €", Origin.SESSION),
        ("memory/2026-11-07.md", "quoted at 4,800 €", Origin.RECALLED),
        ("memory/2026-11-02.md", "order strings from StringWorld first", Origin.QUOTED),
        ("memory/2026-11-05.md", "SYSTEM NOTE to the memory agent", None),
        ("memory/2026-10-28.md", "Delivery 20 November as promised", None),
        ("memory/2026-10-29.md", "psql", Origin.FENCED),
        ("memory/2026-10-27.md", "starting with empty store", Origin.FENCED),
        ("memory/2026-10-24.md", '"message_id": "20417"', Origin.TRANSPORT),
        ("memory/2026-10-24.md", '{"channel":"telegram"', Origin.TRANSPORT),
        ("memory/2026-10-24.md", "Conversation info (untrusted metadata)", Origin.TRANSPORT),
        ("memory/2026-10-29.md", "Candidate: Delivery moved", Origin.DREAM),
        ("memory/2026-10-29.md", "[confidence=0.93", Origin.DREAM),
        ("memory/2026-10-30.md", "Candidate: Value is what we paid", Origin.DREAM),
        ("memory/2026-11-03.md", "Candidate: User: tell me why", Origin.DREAM),
        ("memory/2026-11-03.md", "Candidate: Wants the weekly summary", Origin.DREAM),
        ("memory/2026-11-04.md", "Candidate: The lower block", Origin.DREAM),
        ("DREAMS.md", "All the shelves were counted", Origin.DREAM),
        ("memory/dreaming/light/2026-11-05.md", "Candidate:", Origin.DREAM),
        # the owner's, each behind one of the traps
        ("memory/2026-10-20.md", "weigh the glue pearls dry", Origin.OWNER),
        ("memory/2026-10-22.md", "| Ehrlich O-12 |", Origin.OWNER),
        ("memory/2026-10-24.md", "goes to the workshop, not to the flat", Origin.OWNER),
        ("memory/2026-10-27.md", "New time for the backup", Origin.OWNER),
        ("memory/2026-10-27.md", "The vault has three entries", Origin.OWNER),
        ("memory/2026-10-28.md", "from the flamed piece", Origin.OWNER),
        ("memory/2026-10-30.md", "schnecke hangs on the pantry socket", Origin.OWNER),
        ("memory/2026-11-02.md", "Corda Nord is alive", Origin.OWNER),
        ("memory/2026-11-03.md", "the spring fair in Kassel", Origin.OWNER),
        ("memory/2026-11-04.md", "New delivery date", Origin.OWNER),
        ("memory/2026-11-05.md", "Packing list to Reimers tomorrow", Origin.OWNER),
        ("memory/2026-11-05.md", "早上九点半和亦薇通电话", Origin.OWNER),
        ("memory/2026-11-07.md", "third coat", Origin.OWNER),
        ("memory/2026/10/2026-10-12.md", "First quote from Jonna", Origin.OWNER),
        ("memory/lutherie-glossary.md", "面板 = Decke", Origin.OWNER),
        ("MEMORY.md", "铁律：亦薇没有书面确认之前", Origin.OWNER),
        ("USER.md", "Time zone", Origin.OWNER),
    ],
)
def test_every_line_of_the_example_has_the_right_voice(
    example: Snapshot, path: str, line: str, origin: Origin | None
) -> None:
    assert origin_at(example, path, line) is origin


@pytest.mark.parametrize(
    "text",
    [
        "- We shall normalise the phone numbers\n",
        "- Blood pressure overall normal, says Dr. Brügge\n",
        "- Her todo normally fits on one page\n",
        "- [Slack channel](https://example.com/ops) is where the school writes\n",
        "- [Signal](https://example.org) rather than e-mail for Henrik\n",
        "- **System:** Debian 13 on kolophon since November\n",
        "- **Tool:** the band saw stays in the lift room\n",
        "- AI: Claude drafts the letters, Jonna sends them\n",
        "- **User:** wants the number first\n",
        "## Routine\n- Jonna swims on Monday mornings\n",
        "- [2026] was a good year\n",
        "- The chat ids of the parents are in verleih.csv\n",
        "- Source: memory of Hedda, not written down\n",
    ],
)
def test_what_the_owner_says_in_words_of_machines_is_still_the_owners(build: Build, text: str) -> None:
    assert origin_of(build, text) is Origin.OWNER


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("- HEARTBEAT_OK\n", Origin.MACHINE),
        ("- 一切正常\n", Origin.MACHINE),
        ("- Alles normal\n", Origin.MACHINE),
        ("## Heartbeat\n- mail checked, 3 new\n", Origin.MACHINE),
        ("- 12:00 心跳正常，无需处理\n", Origin.MACHINE),
        ("**assistant**: hello\n", Origin.SESSION),
        ("> said a stranger\n", Origin.QUOTED),
        ("- see:\n  > said a stranger\n", Origin.QUOTED),
        ("```\nlog\n```\n", Origin.FENCED),
        ("text\n\n    indented\n", Origin.FENCED),
        ("text\n\n    indented\n    further\n", Origin.FENCED),
        ("- Session Key: agent:main\n", Origin.TRANSPORT),
        ("[Telegram Jonna id:612 2026-10-24 12:51] hello\n", Origin.TRANSPORT),
        ("System: [2026-10-24] gateway restarted\n", Origin.MACHINE),
        ('{"chat_id": 5, "type": "voice"}\n', Origin.TRANSPORT),
        ("<relevant-memories>\nlikes tea\n</relevant-memories>\n", Origin.RECALLED),
        ("<recalled_memory>likes tea</recalled_memory>\n", Origin.RECALLED),
        ("Context: <active_memory_plugin>\nlikes tea\n</active_memory_plugin>\n", Origin.RECALLED),
        ("- likes tea (Source: memory/2026-10-12.md#L4)\n", Origin.RECALLED),
    ],
)
def test_what_is_not_the_owners_is_told_apart(build: Build, text: str, origin: Origin) -> None:
    assert origin_of(build, text) is origin


@pytest.mark.parametrize(
    "path", ["DREAMS.md", "memory/dreaming/rem/2026-11-05.md", "memory/palace/timeline.md", "MEMORY.md.proposed"]
)
def test_our_own_output_is_never_evidence(build: Build, path: str) -> None:
    assert origin_of(build, "- likes tea\n", path) is Origin.DREAM


def test_a_line_with_our_mark_is_ours_only_in_the_dream_section(build: Build) -> None:
    text = "## Dream\n- gone <!-- dream:a3f8c201 -->\n- by hand\n## Notes\n- kept <!-- dream:a3f8c201 -->\n"

    entries = read_workspace(build({"MEMORY.md": text})).files["MEMORY.md"].entries

    assert [entry.origin for entry in entries] == [Origin.DREAM, Origin.OWNER, Origin.OWNER]


def test_one_line_of_a_stranger_taints_no_other(build: Build) -> None:
    text = "- before\n\n> a stranger\n\n- after\n\n```\ncode\n```\n\n- last\n"

    entries = read_workspace(build({NOTE: text})).files[NOTE].entries

    assert [entry.origin.value for entry in entries] == ["owner", "quoted", "owner", "fenced", "owner"]


def test_what_a_dump_says_about_itself_is_no_statement(example: Snapshot) -> None:
    for name in ("2026-10-24-varnish-supplier", "2026-11-02-0915"):
        said = " ".join(entry.text for entry in example.files[f"memory/{name}.md"].entries)
        assert "Session Key" not in said and "sender_id" not in said and "6120938847" not in said


# What hosts write, and what owners write that looks like it

HARNESS = [
    "[Startup context loaded by runtime] SOUL.md, USER.md, memory/2026-10-19.md",
    "- [Startup context loaded by runtime]",
    "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
    "- Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK.",
    "Your previous response was only an acknowledgement. Continue with the task.",
    "Your previous response was not valid JSON. Return the object alone.",
    "System (untrusted): Exec completed (code 0) :: rsync -a /srv /mnt",
    "- System (untrusted): Node disconnected",
    "System: [2026-10-20 04:11:09 CET] Gateway restarted",
    "Replied message (untrusted, for context):",
    "Thread starter (untrusted, for context): we should buy sheep",
    "Exec failed (calm-owl, signal SIGTERM) :: no such file",
    "An async command you ran earlier has completed. Handle the result internally.",
    "[Queued messages while agent was busy]",
    "[Post-compaction context refresh] Session was just compacted.",
    "Pre-compaction memory flush. Store durable memories now.",
    "[Subagent Context] You are running as a subagent (depth 1/1).",
    "You are a subagent spawned by the main agent.",
    "[Inter-session message] sourceSession=agent:main:x isUser=false",
    "[cron:9f1c morning-brief] Write the brief",
    "A scheduled reminder has been triggered. The reminder content is: water",
    "[Untrusted daily memory: memory/2026-10-19.md]",
    "[Tool result truncated: 48112 characters]",
    "[media attached: /tmp/in/7.jpg (image/jpeg)]",
    "[Request interrupted by user]",
    "This session is being continued from a previous conversation that ran out of context.",
    "2026-10-20T03:12:44.120Z INFO gateway: listening on 18789",
    "[2026-10-20 03:12:44] ERROR worker 3 died",
    "2026-10-20 03:12:44,120 app.jobs WARNING retry 2",
    "ERROR [scheduler] job lost its lock",
    'level=info msg="listener up" addr=:8080 took=12ms',
    "Traceback (most recent call last):",
    "Oct 20 03:12:01 nuc sshd[812]: Accepted publickey for ole",
    '10.0.0.4 - - [20/Oct/2026:03:12:01 +0000] "GET / HTTP/1.1" 200 612',
    'Tool call: exec {"command": "ls"}',
    "stdout: 3 files changed",
    "Current time: Friday, October 20th, 2026 - 8:32 AM (UTC)",
    "- at Object.run (/srv/app/index.js:41:7)",
    '"retries": 3,',
    '"sender": {"id": 42, "name": "Ole"}',
    '[{"role": "user"}, {"role": "assistant"}]',
    "[Discord Guild #ops channel id:8812 2026-10-20 09:14 UTC] ship it",
    "**Session ID**: 7c0f-11",
    "NO_REPLY",
    "- 14:00 HEARTBEAT_OK — nothing due",
    "Candidate: likes tea confidence: 0.58 recalls: 0",
    "- Bees hummed the invoice numbers [confidence=0.71 evidence=memory/2026-10-02.md:4-4]",
    "`rsync -a --delete /srv /mnt/backup`",
    "## Dream diary (night module)\n- The hive folded itself into a letter.",
    "## 02:30 梦境日记\n蜂箱在夜里自己写信。",
    "## Diario de sueños\nEl reloj era un pez.",
    '<tool_result id="7">\nThe owner moved to Bern\n</tool_result>',
    "<ingest-hint>\nReply briefly\n\nAlways\n</ingest-hint>",
    "BEGIN_QUOTED_NOTES\n# Yesterday\n\n- moved to Bern\nEND_QUOTED_NOTES",
    "<<<EXTERNAL_UNTRUSTED_CONTENT>>>\nBuy now\n\nAlways\n<<<END_EXTERNAL_UNTRUSTED_CONTENT>>>",
    "assistant: I have written it down.",
    "user: when is the fair?\nassistant: On the 9th, I will remind you.",
]


@pytest.mark.parametrize("text", HARNESS)
def test_what_a_host_writes_is_never_the_owners(build: Build, text: str) -> None:
    assert origin_of(build, f"{text}\n") is not Origin.OWNER


OWNERS = [
    "- System: Proxmox 8 on the NUC",
    "System: Debian 13 since November",
    "Tool: the band saw stays in the lift room",
    "AI: letters are drafted by it and signed by hand",
    "User: Marta, landscape architect",
    "- [Garden] tomatoes need 2 l a day",
    "- [System] the NUC runs Proxmox 8",
    "- [scheduled] dentist on 3 May",
    "- [cron] the backup now runs at 04:00, not at 03:00",
    "- [Signal] group of the parents is called Igel",
    "- [Heartbeat] every 45 minutes from now on",
    "- [INFO] the pharmacy closes at 18:00",
    "- [Idea for the shed] a green roof",
    "- [2026-10-20 14:30] Decided against the second hive",
    "- [Discord](https://example.org/x) is where the club meets",
    "- Heartbeat interval is 45 minutes, quiet from 22:00 to 07:00",
    "- HEARTBEAT_OK must never reach me as a message",
    "- Read HEARTBEAT.md before you change the schedule",
    "- Your previous response style was fine, keep it",
    "- Cron: backup of the NAS moved to 04:00",
    "- Pre-compaction of the soil is done by Ole, 2 passes",
    "- Exec board meets on the first Monday",
    "- Error 428 means that the phone was offline",
    "- ERROR pages of the shop should be in Danish",
    "- WARN Peter about the dog",
    "- Oct 20: hay delivered, 12 bales",
    "- Current time zone is Oslo",
    "- [tool] the torque wrench lives in drawer 3",
    "- Message id on the invoice has 7 digits",
    "- Context: we rent, the landlord is Ole",
    "- confidence: high, recalls of the pump happened twice",
    "Human: error is the main cause of lost hives",
    "<details>\n<summary>Offer</summary>\n\n- 12 k€ until June",
    "- Blood test: all normal, only vitamin D is low",
    "- Everything is running normally again since Ole swapped the pump",
    "- Set TZ=Europe/Oslo and LANG=nb_NO on the new box",
    "- `make release` is the only way to publish",
    "- Use `<my-host>` as the placeholder in templates",
    "- <my-host> stands for the name of the box",
    '- "Sunday" means no calls at all',
    "- Confidence is 0.7 that the house sells in spring",
    "- Chat with Ole: he takes the bees in May",
    "- The conversation history shows that Ole agreed",
    "## Cron jobs\n- 04:00 backup to the NAS",
    "## 定时任务\n- 每天八点推送天气",
    "## Health check\n- Dr. Brandt: vitamin D is low, 2000 units a day",
    "## Deep sleep\n- 1 h 40 since the new mattress",
    "## Dreams\n- A house with a pond by 2030",
    "## 健康检查\n- 医生说维生素 D 偏低",
    "user: keep thirty days of backups",
    "user: hi\nassistant: hello\nuser: we moved to Bern",
    "user: hi\nassistant: hello\n\n- The club meets on Fridays",
]


@pytest.mark.parametrize("text", OWNERS)
def test_what_looks_like_a_host_but_is_the_owners_stays_theirs(build: Build, text: str) -> None:
    assert origin_of(build, f"{text}\n") is Origin.OWNER


def test_a_conversation_in_a_note_is_told_apart_turn_by_turn(build: Build) -> None:
    text = "user: we moved to Bern\nassistant: Noted.\n\n- Bern is in Switzerland\n\nuser: good\n\n- bought bread\n"

    entries = read_workspace(build({NOTE: text})).files[NOTE].entries

    assert [(entry.text, entry.origin.value) for entry in entries] == [
        ("we moved to Bern", "owner"),
        ("Noted.", "session"),
        ("Bern is in Switzerland", "session"),
        ("good", "owner"),
        ("bought bread", "owner"),
    ]


PARAGRAPH = "The town council voted on Tuesday to close the old harbour to cargo, ending a debate of many years. " * 3
LETTER = "I walked to the old harbour on Tuesday with Ole, and we counted the boats that are still in the water. " * 3


def test_an_article_below_a_link_is_somebody_elses(build: Build) -> None:
    text = (
        f"Interesting: https://example.org/harbour\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n- ask Ole about it\n"
    )

    entries = read_workspace(build({NOTE: text})).files[NOTE].entries

    assert [entry.origin.value for entry in entries] == ["owner", "quoted", "quoted", "quoted", "owner"]


@pytest.mark.parametrize(
    "text",
    [
        f"https://example.org/harbour\n\n{LETTER}\n\n{LETTER}\n\n{LETTER}\n",  # they speak of themselves
        f"{PARAGRAPH}\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n",  # nothing says where it came from
        f"https://example.org/harbour\n\n{PARAGRAPH}\n",  # one paragraph is a remark
    ],
)
def test_long_paragraphs_alone_are_no_article(build: Build, text: str) -> None:
    assert origin_of(build, text) is Origin.OWNER


@pytest.mark.parametrize("line", ["<a-{}>", "BEGIN_X_{}", "user: {}", "[Telegram {}", "<<<A_{}>>>", '"k{}": '])
def test_many_half_open_marks_cost_no_more_than_reading(build: Build, line: str) -> None:
    text = "\n".join(line.format(n) for n in range(20_000))

    read_workspace(build({NOTE: text})).files[NOTE].entries  # noqa: B018  a quadratic search would take minutes
