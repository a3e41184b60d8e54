"""The reader: what a workspace states, and on whose word. Nothing is followed, nothing is guessed, nothing takes long."""

from __future__ import annotations

import os
import time
from datetime import date
from pathlib import Path

import pytest

from conftest import NOW, Make, answering, end, memory_of, review, tonight
from reverie.archive.ledger import block_text, entry_of, read_ledger
from reverie.errors import BadSettings, Unreadable
from reverie.night import read_memory
from reverie.settings import Dream, Memory, Settings, load_settings, owner_rules
from reverie.text.lines import line_ending, split_lines
from reverie.text.markdown import Block, Kind, blocks, without_bullet
from reverie.text.terms import key, numbers, plain, stems, terms
from reverie.workspace import read as reader
from reverie.workspace.layout import LONG_TERM, FileKind, layout_of, note_day
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_protected, section_key
from reverie.workspace.read import read
from reverie.workspace.sections import body_end, dream_reserve, front_matter, section_end, slug
from reverie.workspace.snapshot import File, Statement
from reverie.workspace.statements import parse

NOTE, JSONL = "memory/2026-10-20.md", "memory/self-improving/lessons.jsonl"
KINDS = {"MEMORY.md": FileKind.MEMORY, NOTE: FileKind.NOTE}

# fmt: off
SHAPES = [  # a line alone, what it is, its words
    ("# Title", Kind.HEADING, "Title"), ("###### six", Kind.HEADING, "six"), ("## closed ##", Kind.HEADING, "closed"), ("## C#", Kind.HEADING, "C#"), ("#", Kind.HEADING, ""),
    ("#hashtag", Kind.TEXT, "#hashtag"), ("####### seven", Kind.TEXT, "####### seven"), ("\ufeff# Title", Kind.HEADING, "Title"), ("\ufeff- tea", Kind.ITEM, "tea"),
    ("- tea", Kind.ITEM, "tea"), ("* tea", Kind.ITEM, "tea"), ("+ tea", Kind.ITEM, "tea"), ("• tea", Kind.ITEM, "tea"), ("1. one", Kind.ITEM, "one"), ("12) twelve", Kind.ITEM, "twelve"), ("1、先备份", Kind.ITEM, "先备份"),
    ("-tea", Kind.TEXT, "-tea"), ("-5 °C at night", Kind.TEXT, "-5 °C at night"), ("*emphasis* first", Kind.TEXT, "*emphasis* first"), ("**Key:** value", Kind.TEXT, "**Key:** value"),
    ("3.5 mm thick", Kind.TEXT, "3.5 mm thick"), ("2026-10-20 a day", Kind.TEXT, "2026-10-20 a day"), ("a | b without a rule", Kind.TEXT, "a | b without a rule"), ("--", Kind.TEXT, "--"),
    ("> quoted", Kind.QUOTE, "quoted"), ("    indented", Kind.CODE, ""), ("```", Kind.CODE, ""), ("---", Kind.OTHER, ""), ("* * *", Kind.OTHER, ""), ("<!-- note -->", Kind.OTHER, ""), ("<<<<<<< HEAD", Kind.OTHER, ""),
]
BOXES = [
    ("- [ ] open", False, "open"), ("- [x] shut", True, "shut"), ("- [X] shut", True, "shut"), ("- [✓] shut", True, "shut"), ("- [-] dropped", False, "dropped"), ("- [~] half", False, "half"), ("1. [x] step", True, "step"), ("- [x]", True, ""),
    ("- [x](https://example.com)", None, "[x](https://example.com)"), ("- [note] text", None, "[note] text"), ("- [xx] text", None, "[xx] text"), ("- plain", None, "plain"),
]
TREES = [  # lines, and each block's words with the number of the one it hangs under
    ("- a\n  more of a\n  - child\n    more of child\n- b\n", [("a more of a", None), ("child more of child", 0), ("b", None)]),
    ("- a\n - b\n   - c\n", [("a", None), ("b", None), ("c", 1)]), ("- a\n\t- b\n\t\t- c\n", [("a", None), ("b", 0), ("c", 1)]), ("1. a\n   - b\n2. c\n", [("a", None), ("b", 0), ("c", None)]),
    ("- 货款七成等\n  装船前付\n  by mail\n", [("货款七成等装船前付 by mail", None)]), ("text\n---\n", [("text", None), ("", None)]), ("Title\n=====\ntext\n", [("Title", None), ("text", None)]),
    ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", [("a b", None), ("1 | 2", 0), ("3 | 4", 0)]), ("a|b\n-|-\n1|2\n- item\nbass | treble\n", [("a b", None), ("1|2", 0), ("item", None), ("bass | treble", None)]),
    ("**Kiln:** 1,040\n**Clay:** from Ulm\n**釉料：** 周二到\n", [("**Kiln:** 1,040", None), ("**Clay:** from Ulm", None), ("**釉料：** 周二到", None)]),
    ("slept badly\ndropped Fern at clarinet\n", [("slept badly", None), ("dropped Fern at clarinet", None)]), ("we met at the mill,\nand went home\n", [("we met at the mill, and went home", None)]),
]
START, END, REM = ("<!-- openclaw:dreaming:" + name + " -->" for name in ("light:start", "light:end", "rem:start"))
FOUND = "- Candidate: likes tea\n  - confidence: 0.62\n  - evidence: memory/2026-10-28.md:5-5\n"
STATED = [  # a note, and what it states; nothing else does
    ("---\ntitle: x\n---\n- fact\n", ["fact"]), ("\ufeff---\ntitle: x\n---\n- fact\n", ["fact"]), ("---\nSome text here.\n---\n- fact\n", ["Some text here.", "fact"]), ("---\n- fact\n", ["fact"]),
    ("```\n# no\n- no\n<!-- openclaw\n```\n- fact\n", ["fact"]), ("````\n```\n~~~\n````\n- fact\n", ["fact"]), ("- run\n  ```sh\n  - no\n  ```\n- fact\n", ["run", "fact"]), ("```one line``` of code\n- fact\n", ["```one line``` of code", "fact"]),
    ("```\nlog\n\n## Backup\n- fact\n", ["fact"]), ("```py\nx\n\n## A\n- fact\n\n```py\ny\n```\n", ["fact"]), ("text\n\n    rm -rf /\n    reboot\n\nfact\n", ["text", "fact"]), ("<!-- begun\nhidden\n\n- fact\n", ["fact"]), ("<!-- a\n- no\n-->\n- fact\n", ["fact"]),
    ("- a\n<<<<<<< HEAD\n- mine\n=======\n- yours\n>>>>>>> laptop\n- fact\n", ["a", "fact"]), ("- a\n<<<<<<< HEAD\n- mine\n\n## B\n- yours\n", ["a"]),
    ("<relevant-memories>\n- tea\n\n- jam\n</relevant-memories>\n- fact\n", ["fact"]), ("<recalled_memory>tea</recalled_memory>\n- fact\n", ["fact"]), ("<ingest-hint>\n- briefly\n\n- fact\n", ["fact"]), ("Context: <active_memory>\ntea\n</active_memory>\n", []),
    ("BEGIN_QUOTED_NOTES\n# Y\n\n- no\nEND_QUOTED_NOTES\n- fact\n", ["fact"]), ("<<<EXTERNAL_CONTENT>>>\nBuy now\n\nAlways\n<<<END_EXTERNAL_CONTENT>>>\n- fact\n", ["fact"]), ("<details>\n- fact\n", ["<details>", "fact"]), ("- <my-host> is a name\n", ["<my-host> is a name"]),
    # what a dream wrote, its markers in order or not: a fact behind them is the owner's
    (f"- a\n\n## Light Sleep\n{START}\n{FOUND}{END}\n\n- fact\n", ["a", "fact"]), (f"## Light Sleep\n{START}\n{FOUND}\n## Evening\n- fact\n", ["fact"]), (f"{START}\n{FOUND}- fact\n", ["fact"]), (f"{START}\n{FOUND}\nA fact.\n", ["A fact."]),
    (f"{START}\n{FOUND}\n| a | fact |\n", ["| a | fact |"]), (f"{START}\n{FOUND}\n- fact\n  - confidence: is high, says Mira\n", ["fact", "confidence: is high, says Mira"]), (f"{START}\n{FOUND}\n## Evening\n- fact\n{END}\n", ["fact"]),
    (f"- fact\n{END}\n- another\n", ["fact", "another"]), (f"- a\n{FOUND}- fact\n", ["a", "fact"]), (f"- a\n{FOUND}{FOUND}{END}\n- fact\n", ["a", "fact"]), (f"{START}\n{FOUND}\n- fact\n{REM}\n", ["fact"]),
    (f"{START}\n{FOUND}{END}\n- 1\n\n{START}\n{FOUND}\n- 2\n\n{START}\n{FOUND}{END}\n- 3\n", ["1", "2", "3"]), ("- Candidate: Mira for the bench\n- Theme: autumn\n- confidence: high\n", ["Candidate: Mira for the bench", "Theme: autumn", "confidence: high"]),
    (f"- It begins with `{START}`.\n- fact\nNot closed: {START}\n", [f"It begins with `{START}`.", "fact", f"Not closed: {START}"]),
]
HOSTS = [  # what hosts, programs and dreams write, alone and in a list
    "[Startup context loaded by runtime] SOUL.md", "Read HEARTBEAT.md if it exists (workspace context).", "Your previous response was not valid JSON.", "System: [2026-10-20 04:11:09 CET] Gateway restarted", "Conversation info (untrusted metadata):",
    "Thread starter (untrusted, for context): buy sheep", "Exec failed (calm-owl, signal SIGTERM) :: no such file", "An async command you ran earlier has completed.", "[Queued messages while agent was busy]", "[Post-compaction context refresh] Session",
    "Pre-compaction memory flush. Store memories now.", "[Subagent Context] You are running", "You are a subagent spawned by main.", "[Inter-session message] sourceSession=x", "[cron:9f1c brief] Write it", "A scheduled reminder has been triggered.",
    "[Untrusted daily memory: x]", "[Tool result truncated: 48112 characters]", "[media attached: /tmp/7.jpg]", "[Request interrupted by user]", "This session is being continued from a previous conversation.", "stdout: 3 files changed",
    "Current time: Friday - 8:32 AM", "[Discord Guild #ops channel id:8812 2026-10-20 09:14 UTC] ship it", "**Session ID**: 7c0f-11", "Session Key: agent:main", "NO_REPLY", "HEARTBEAT_OK", "likes tea (Source: memory/2026-10-12.md#L4)",
    "Bees hummed [score=0.71 x]", "Candidate: tea confidence: 0.58 recalls: 0", "2026-10-20T03:12:44.120Z INFO gateway: listening", "[2026-10-20 03:12:44] ERROR worker 3 died", "2026-10-20 03:12:44,120 app.jobs WARNING retry 2",
    "ERROR [scheduler] job lost its lock", 'level=info msg="listener up" addr=:8080 took=12ms', "Traceback (most recent call last):", "Oct 20 03:12:01 nuc sshd[812]: Accepted publickey", '10.0.0.4 - - [20/Oct/2026:03:12:01 +0000] "GET / HTTP/1.1" 200',
    "at Object.run (/srv/app/index.js:41:7)", '"retries": 3,', '{"chat_id": 5, "type": "voice"}', '[{"role": "user"}, {"role": "assistant"}]', "## Dream diary\n- The hive folded itself.", "## 梦境日记\n蜂箱在夜里自己写信。", "> said a stranger", "Last updated: 2026-10-20",
]
OWNERS = [  # what looks like them and is the owner's
    "System: Debian 13 since November", "**Tool:** the band saw stays in the lift room", "User: Marta, landscape architect", "user: keep thirty days of backups", "[Garden] tomatoes need 2 l a day", "[scheduled] dentist on 3 May",
    "[cron] the backup now runs at 04:00", "[Signal] group of the parents is called Igel", "[Heartbeat] every 45 minutes from now on", "[INFO] the pharmacy closes at 18:00", "[2026] was a good year", "[2026-10-20 14:30] Decided against the second hive",
    "[Discord](https://example.org/x) is where the club meets", "HEARTBEAT_OK must never reach me as a message", "Read HEARTBEAT.md before you change the schedule", "Your previous response style was fine, keep it", "Cron: backup moved to 04:00",
    "Pre-compaction of the soil is done by Ole", "Exec board meets on the first Monday", "Error 428 means that the phone was offline", "ERROR pages should be in Danish", "WARN Peter about the dog", "Oct 20: hay delivered, 12 bales", "Current time zone is Oslo",
    "Message id on the invoice has 7 digits", "Context: we rent", "confidence: high, recalls of the pump happened twice", "Everything is running normally again", "Set TZ=Europe/Oslo and LANG=nb_NO on the new box", "`make release` is the only way to publish",
    "Use `<my-host>` as the placeholder", '"Sunday" means no calls at all', "Confidence is 0.7 that the house sells", "The conversation history shows that Ole agreed", "Source: memory of Hedda, not written down", "## Deep sleep talk\n- 1 h 40 since the new mattress", "## Cron jobs\n- 04:00 backup",
]
NOTES = [  # a path, and the day of the note
    ("memory/2026-10-20.md", True), ("memory/2026-10-20-varnish-supplier.md", True), ("memory/2026-10-20-0915.md", True), ("memory/2026-10-20 walk.md", True), ("memory/2026-10-20_a.MD", True), ("memory/2026/10/2026-10-20.md", True),
    ("memory/2026-02-30.md", False), ("memory/2026-13-01.md", False), ("memory/2026-10-20x.md", False), ("memory/2026-10-20.txt", False), ("2026-10-20.md", False), ("memory/.trash/2026-10-20.md", False), ("memory/a/b/c/d/2026-10-20.md", False), ("memory/walk.md", False),
]
PIECES = ["a", " ", "\t", "- ", "> ", "1. ", "#", " #", "*", "**a", "`", "```", "~", "<!--", "<!-- ", "-->", "<a-b ", "<a_", "a <a-", "BEGIN_A", "<<<A_", "<<<<<<< ", "[", "](", "[a](", "[重要", "|", "-|", "=", "a=b ", "key: ", "[confidence=", "- Candidate: ", "  - note: ",
          "last updated ", "session ", "user: ", "2026-10-20 ", "2026-10-", "1,000", "[telegram ", "[a ", "system: [", "*_`", '"a": ', '{"', "[{", "at a (", 'File "', "ERROR [", "📌", "memory/", "a.b", "(done ", "密", "\r", "\x00", "summary ", "---", "* "]  # fmt: skip
LINES = ["x\n", "\n", "<!-- a\n", "<!-- a\n\n", "```py\n", "```py\n\n## A\n~~~sh\n\n## B\n", f"{START}\n", f"{START}\n\n\n\n", f"{START}\n## A\n", FOUND, "<<<<<<< a\n", ">>>>>>> a\n", "<memory-context>\n\n", "<a-b>\n", "BEGIN_X_Y\n", "---\nk: v\n", "a|b\n-|-\nc|d\n", "- a\n  - b\n\n  text\n\n",
         "user: a\nassistant: b\n", "# Session: a\nuser: b\n", "- NEVER 📌\n  - a\n", '"k": \n', "a,\n", "1. a\n", "> a\n", "    a\n", "a\n===\n", "last updated a\n"]  # fmt: skip
# fmt: on


def file_of(text: str, path: str = NOTE) -> File:
    return File(path, KINDS.get(path, FileKind.LOG), "", lambda _: text.encode("utf-8", "surrogatepass"), parse)


def stated(text: str, path: str = NOTE) -> tuple[Statement, ...]:
    return file_of(text, path).statements


def tree(text: str) -> list[Block]:
    return blocks(split_lines(text))


@pytest.mark.parametrize(("line", "kind", "words"), SHAPES)
def test_a_line_alone_is_read_for_what_it_is(line: str, kind: Kind, words: str) -> None:
    assert [(block.kind, block.text, block.start, block.end) for block in tree(f"{line}\n")] == [(kind, words, 0, 1)]


def test_a_box_is_open_shut_or_none() -> None:
    found = [(line, block.ticked, block.text) for line, *_ in BOXES for block in tree(f"{line}\n")]
    assert found == BOXES
    assert [without_bullet(line) for line in ("- [x] a", "1. a", "• a", "a", "- [x](a)")] == ["a", "a", "a", "a", "[x](a)"]  # fmt: skip


@pytest.mark.parametrize(("text", "found"), TREES)
def test_a_block_hangs_under_the_item_or_the_head_it_belongs_to(text: str, found: list[tuple[str, int | None]]) -> None:
    assert [(block.text, block.parent) for block in tree(text)] == found


def test_a_statement_carries_all_that_stands_over_it() -> None:
    text = "# A\n## B\n- a\n  - b\n\n    | x | y |\n    |---|---|\n    | 1 | 2 |\n## C\n- c\n"
    found = [(one.text, one.headings, one.parents, one.head, one.is_row, one.tail) for one in stated(text, "MEMORY.md")]

    assert found == [
        ("a", ("A", "B"), (), "", False, 8),
        ("b", ("A", "B"), ("a",), "", False, 8),
        ("1 | 2", ("A", "B"), ("a", "b"), "x y", True, 8),
        ("c", ("A", "C"), (), "", False, 10),
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "facts"), STATED)
def test_what_nobody_stated_is_left_out_and_costs_no_fact(text: str, facts: list[str], ending: str) -> None:
    assert [one.text for one in stated(text.replace("\n", ending))] == facts
    assert "".join(split_lines(text)) == text and line_ending(split_lines(text)) == "\n"


@pytest.mark.parametrize("text", HOSTS)
def test_what_a_host_writes_is_never_the_owners(text: str) -> None:
    as_item = f"- {text}\n" if text[0] not in "#>" else ""
    assert {one.origin for one in stated(f"{text}\n") + stated(as_item)} & {Origin.OWNER, Origin.AGENT} == set()


@pytest.mark.parametrize("text", OWNERS)
def test_what_looks_like_a_host_and_is_the_owners_stays_theirs(text: str) -> None:
    assert {one.origin for one in stated(f"{text}\n") + stated(f"- {text}\n")} == {Origin.OWNER}


def test_a_conversation_is_told_apart_turn_by_turn() -> None:
    text = "user: we moved to Bern\nassistant: Noted.\n\n- it is in Switzerland\n\nuser: good\n\n## Evening\n- bought bread\n"
    dump = (
        "# Session: 1\n- **Session Key**: main\nx\n## Conversation Summary\nuser: hi\nassistant: ho\n\nSystem: Debian\n"
    )

    assert [(one.text, one.origin.value) for one in stated(text)] == [
        ("we moved to Bern", "owner"),
        ("Noted.", "agent"),
        ("it is in Switzerland", "agent"),
        ("good", "owner"),
        ("bought bread", "owner"),
    ]
    assert [(one.text, one.origin.value) for one in stated(dump)] == [
        ("**Session Key**: main", "machine"),
        ("x", "machine"),
        ("hi", "owner"),
        ("ho", "agent"),
        ("Debian", "machine"),
    ]
    assert [one.text for one in stated("- System: Debian\n- user: hi\n- assistant: ho\n", "MEMORY.md")] == [
        "System: Debian",
        "user: hi",
        "assistant: ho",
    ]


def test_records_in_json_lines_are_read_in_their_common_spellings() -> None:
    lines = '{"text": "a", "ts": "2026-10-20T08:00", "type": "rule"}\n{"message": "b", "fix": "c"}\nno\n[1]\n{"text": 5}\n{"date": "2026"}\n'
    found = [(one.start, one.text, one.parents, one.day) for one in stated(lines, JSONL)]
    assert found == [(0, "a", ("rule",), date(2026, 10, 20)), (1, "b → c", (), None)]
    assert stated("## [ERR-20260310-001]\n- x\n## [ERR-20260309-1]\n", ".learnings/ERRORS.md")[0].day == date(
        2026, 3, 10
    )


@pytest.mark.parametrize(("path", "is_note"), NOTES)
def test_a_note_is_known_by_a_day_of_the_calendar_in_its_name(path: str, is_note: bool) -> None:
    assert note_day(path) == (date(2026, 10, 20) if is_note else None)


def test_what_is_no_plain_text_file_is_left_alone_and_named(workspace: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader.read_bytes, "__defaults__", (2_000,))
    large, topic = "memory/project/b.md", "memory/user/"
    layout = workspace("- a\rb\n", {large: "x" * 2_001, f"{topic}latin.md": "x", f"{topic}ok.md": "- a\r\n- b\n"})
    (layout.root / f"{topic}latin.md").write_bytes(b"caf\xe9\n")
    os.symlink("/etc/passwd", layout.root / "memory/2026-03-29.md")
    os.mkfifo(layout.root / "memory/2026-03-28.md")
    found = read(layout)

    assert list(found.files) == ["memory/2026-03-30.md", f"{topic}ok.md"]
    assert found.unread == {
        "MEMORY.md": "some of its lines end in a lone carriage return, and editors differ about those",
        "memory/2026-03-28.md": "it is no plain file",
        "memory/2026-03-29.md": "a link is not followed",
        large: "it is larger than 2,000 bytes",
        f"{topic}latin.md": "byte 3 is not UTF-8",
    }
    for ask in (found.file, lambda path: reader.read_bytes(layout.root / path)):
        with pytest.raises(Unreadable, match="a link is not followed"):
            ask("memory/2026-03-29.md")


def test_a_byte_order_mark_hides_no_heading(workspace: Make) -> None:
    assert read(workspace("\ufeff## A\n- x\n")).memory[0].headings == ("A",)


def test_system_is_a_word_in_memory(workspace: Make) -> None:
    assert len(tonight(workspace("## Setup\n- System: Debian 13\n- likes tea\n")).memory) == 2


def test_a_note_with_a_broken_byte_is_still_read(workspace: Make) -> None:
    layout = workspace()
    (layout.root / "memory/2026-03-30.md").write_bytes(b"- caf\xe9\n- tea\n")
    assert [line.statement.text for line in tonight(layout).notes] == ["caf�", "tea"]


def test_the_memory_of_claude_code_is_memory_and_gets_no_files_of_ours(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    root.mkdir()
    (root / "MEMORY.md").write_text("- [Testing](feedback_testing.md) — how to test\n")
    (root / "feedback_testing.md").write_text(
        "---\nname: testing\ndescription: how\ntype: feedback\n---\n- use pytest\n- use nose\n"
    )
    layout = layout_of(root)
    snapshot = read_memory(layout)
    assert [file.kind for file in snapshot.files.values()] == [FileKind.MEMORY, FileKind.TOPIC]
    assert front_matter(snapshot.topics[0]) == {"name": "testing", "description": "how", "type": "feedback"}
    review(layout, NOW, answering(end("m3")))
    assert (root / "feedback_testing.md").read_text().endswith("---\n- use pytest\n")
    assert sorted(path.name for path in root.iterdir()) == ["MEMORY.md", "feedback_testing.md"]


def test_topic_files_are_memory_too(workspace: Make) -> None:
    layout = workspace("- a\n", {"memory/user/tea.md": "---\nname: tea\n---\n- black\n- green\n"})
    review(layout, NOW, answering(end("m3")))
    assert (layout.root / "memory/user/tea.md").read_text() == "---\nname: tea\n---\n- black\n"
    assert memory_of(layout) == "- a\n"
    assert [slug("Tea, & Jam", taken) for taken in ([], ["tea_jam"])] == ["tea_jam", "tea_jam_2"]


@pytest.mark.parametrize("name", ["lookback_days", "lookbackDays", "lookback-days", "**LOOKBACK_DAYS**", "`lookbackdays`"])  # fmt: skip
def test_a_setting_of_dream_md_is_known_in_any_spelling(tmp_path: Path, name: str) -> None:
    text = f"Be brief.\n## Settings\n- {name}: 7 # days\n- max_memory_lines = 1,200\n- colour: red\n## Protected Sections\n- House\n- (none)\n"
    found = load_settings(tmp_path, text)

    assert (found.dream, found.memory) == (Dream(lookback_days=7, protected=("House",)), Memory(lines=1200))
    assert found.notices == ("DREAM.md: the setting “- colour: red” was not understood and passed over.",)
    assert owner_rules(text) == "Be brief."


def test_a_key_of_reverie_toml_that_nobody_knows_is_refused_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "reverie.toml").write_text("[memory]\nlimits = 9_000\n")
    with pytest.raises(BadSettings, match=r"`memory\.limits`\. Did you mean `memory\.limit`\?"):
        load_settings(tmp_path)
    (tmp_path / "reverie.toml").write_text('[memory]\nlimit = "much"\n')
    with pytest.raises(BadSettings, match="Correct the value"):
        load_settings(tmp_path)
    for words in ("[memory]\nlimit = -4\n", "[dream]\nbrake = 7\n", "[dream]\nlookback_days = -3\n"):
        (tmp_path / "reverie.toml").write_text(words)
        with pytest.raises(BadSettings, match="it lies between"):
            load_settings(tmp_path)


def test_the_size_at_which_openclaw_cuts_is_a_limit(tmp_path: Path) -> None:
    pytest.importorskip("pyjson5")
    (tmp_path / "openclaw.json").write_text("{agents: {defaults: {bootstrapMaxChars: 10000, /* more */}}}")
    assert load_settings(tmp_path).memory == Memory(limit=9_000, target=7_500, note_limit=8_000)
    (tmp_path / "openclaw.json").write_text("{agents: {defaults: {bootstrapMaxChars: true}}}")
    assert load_settings(tmp_path).memory == Memory()


def test_the_ledger_is_read_from_both_ends(workspace: Make) -> None:
    entries = [
        entry_of("- a\n---\nNote: not a field\nID: 7", "ended", "x:1", "why\nnot", NOW),
        entry_of("- b", "merged", "", "", NOW),
    ]
    text = block_text(entries) + "---\nID: 1\nUpdated: 2026-01-01 00:00\nEvent: re-emerged\n---\n"
    assert [(one.content, one.source, one.note) for one in read_ledger("\ufeff" + text.replace("\n", "\r\n"))] == [
        ("- a\n---\nNote: not a field\nID: 7", "x:1", "why not"),
        ("- b", "", ""),
    ]


def test_words_that_differ_in_a_sign_differ() -> None:
    assert len({key(words) for words in ("off below -5", "off below 5", "C++", "C#", "C")}) == 5
    assert key("**Tea**, please.") == key("tea please")
    assert terms("门禁密码 web-03.local") == ["门禁", "禁密", "密码", "web-03.local", "web", "03", "local"]


def look(text: str, path: str) -> None:
    """Everything that is asked of a file and of its lines."""
    file = file_of(text, path)
    for one in file.statements:
        assert one.start < one.end <= one.tail
    for one in file.statements[:5]:
        is_protected(one, Settings())
        for ask in (plain, key, stems, numbers, section_key, without_bullet):
            ask(one.raw)
    if file.kind in LONG_TERM:
        body_end(file), dream_reserve(file), section_end(file, ["A"]), front_matter(file)


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_line_of_a_megabyte_takes_no_time(piece: str) -> None:
    line, start = (piece * 1_000_000)[:1_000_000], time.process_time()
    for text in (line, f"## A{line}b\n", f"a{line}"):
        look(text, "MEMORY.md")
        look(text, NOTE)
    assert time.process_time() - start < 4


@pytest.mark.parametrize("lines", LINES)
def test_hostile_lines_by_the_thousand_take_no_time(lines: str) -> None:
    text, start = lines * (60_000 // (lines.count("\n"))), time.process_time()
    look(text, NOTE)
    assert time.process_time() - start < 8
