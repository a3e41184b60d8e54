"""Whose words a line holds. Only the owner's count as evidence, so both kinds of error are tested."""

from __future__ import annotations

import pytest

from conftest import EXAMPLE, Build
from reverie.model import Origin, Snapshot, Workspace
from reverie.workspace.reader import read_workspace

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
        ("memory/2026-11-07.md", "user: what did we say", Origin.SESSION),
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
        ("## 定时任务\n- 湿度 48\n", Origin.MACHINE),
        ("user: hello\n", Origin.SESSION),
        ("**assistant**: hello\n", Origin.SESSION),
        ("> said a stranger\n", Origin.QUOTED),
        ("- see:\n  > said a stranger\n", Origin.QUOTED),
        ("```\nlog\n```\n", Origin.FENCED),
        ("text\n\n    indented\n", Origin.FENCED),
        ("text\n\n    indented\n    further\n", Origin.FENCED),
        ("- Session Key: agent:main\n", Origin.TRANSPORT),
        ("[Telegram Jonna id:612 2026-10-24 12:51] hello\n", Origin.TRANSPORT),
        ("System: [2026-10-24] gateway restarted\n", Origin.TRANSPORT),
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
