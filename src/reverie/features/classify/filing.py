"""A memory that gets a file of its own: what the file says, what becomes of the lines, and how names are made.

Values and words; `phases/` fills them, `plan/` writes them down.

From a verdict to what is written down: a memory's own file, its tasks, its states, and whether its lines may leave.

Only the owner's words. A reason is one that the entry gives; where it gives none, nothing is said.

`dream classify`: a file for each memory, tasks into todos.md, states into the tracker; in the index shape links in MEMORY.md.

Files are created and never changed. What leaves MEMORY.md is in the ledger, byte for byte, in the same plan.

knowledge/project-tracker.md: how far each project has come. What a line says replaces what it said; nothing is lost.

In the index shape the states leave MEMORY.md for this page, so it is never made anew from memory alone: chapters and lines
that memory does not mention any more stay as they were.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from types import MappingProxyType

from reverie.core.layout import LEDGER, LEDGER_INDEX, TODOS, TRACKER, classified
from reverie.features.classify.memories import Unit, is_labelled, key_of, reason_in
from reverie.features.classify.sorting import Sort, Sorted
from reverie.judge.compose import plain_line
from reverie.lang.detect import language_of
from reverie.lang.notes_words import LABELLED, MARKED
from reverie.plan.build import plan_of
from reverie.plan.composed import CLASSIFY
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array
from reverie.plan.quoting import Chapter, Page, Quote, block_edits, chapters_in, line_of
from reverie.plan.splices import difference
from reverie.plan.views import TAG as VIEW
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.comparing import bag
from reverie.text.lines import appended, bare, count_units, ending_of, split_lines
from reverie.text.markdown import MIXED_ENDINGS
from reverie.text.sections import OURS
from reverie.text.terms import STOP_WORDS
from reverie.workspace.values import Edit, File, Intent, Plan, Snapshot, Source, Statement, short_id

LONGEST_LINK = 149  # characters of a line of the index: seed 003 wants them under 150
# A comma between digits belongs to a number, a stop after a short word may belong to it ("no. 3", "Dr. …"), a colon between
# digits to a time.
CLAUSE = re.compile(
    r"(?<=[\w)）])\s*(?:,(?!\d)|[，;；。！？!?(（])\s*|[—–](?!\d)\s*|\s*[:：](?!\d)\s*|(?<=\w{4})[.](?:\s+|$)|\s+[-–—]\s+"
)


@dataclass(frozen=True, slots=True)
class Memo:
    """What a classified file says; each line a quotation."""

    kind: str
    name: str
    description: str
    facts: tuple[str, ...]
    why: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    under: str = ""  # the heading it stood under


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model thinks of a memory in doubt: its drawer, and which of its own clauses give the reason and the way to act."""

    kind: str
    why: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True)
class Filing:
    """What becomes of one memory of MEMORY.md: its lines (from zero, end excluded) and where their words go."""

    first: int
    end: int
    source: Source
    why: str
    memo: Memo | None = None
    known: str = ""  # the classified file that says it already, in the same words
    hook: Memo | None = None  # what a link to its file says, new or known
    tasks: tuple[Quote, ...] = ()
    states: tuple[Quote, ...] = ()
    leaves: str = ""  # the word under which the archive keeps it, when MEMORY.md becomes an index; empty: it stays


def cut(text: str, limit: int) -> str:
    """At most so many characters, ended where a clause or at least a word ends."""
    text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if count_units(text) <= limit:
        return text
    ends = [found.start() for found in CLAUSE.finditer(text) if limit // 3 < found.start() < limit]
    if ends:
        return text[: ends[-1]]
    short = text[: limit - 1]
    while count_units(short) > limit - 1:
        short = short[:-1]
    at_word = short.rpartition(" ")[0]
    return (at_word if len(at_word) > limit // 2 else short).rstrip(" ,，;；、") + "…"


def is_clause(part: str, line: str) -> bool:
    """Whether a part of a line is one of its clauses or several in a row, word for word; not half of one, and not all of it."""
    whole = line.rstrip(" .。!！")
    marks = list(CLAUSE.finditer(whole))
    begins, ends = {0, *(mark.end() for mark in marks)}, {len(whole), *(mark.start() for mark in marks)}
    at = whole.find(part) if part else -1
    return at >= 0 and len(part) < len(whole) and at in begins and at + len(part) in ends


def slug_of(name: str) -> str:
    """A name for a file, in the owner's script: Latin letters without accents, words joined by hyphens."""
    folded = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(char for char in folded if not "\u0300" <= char <= "\u036f")
    words: list[str] = []
    for word in re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", letters)):
        if words and len("-".join((*words, word))) > 40:
            break
        words.append(word[:40])
    while len(words) > 1 and words[-1] in STOP_WORDS:  # a name does not end in the middle of a phrase
        words.pop()
    return "-".join(words) or "memory"


def link_line(memo: Memo, path: str, longest: int = LONGEST_LINK) -> str:
    """The line of the index: `- [Title](path) — hook`, under 150 characters whatever the names are."""
    room = longest - count_units(f"- []({path}) — ")
    name = re.sub(r"[\[\]]", "", memo.name)
    rest = memo.description
    if rest.casefold().startswith(name.rstrip("…").casefold()):
        rest = rest[len(name.rstrip("…")) :].lstrip(" :：,，;；.。-–—")
    hook = rest if len(rest) > 3 else memo.under or memo.description
    name = cut(name, max(12, min(60, room - 12)))
    return f"- [{name}]({path}) — {cut(hook, max(8, room - count_units(name)))}"


LONGEST_NAME = 60
LONGEST = 150  # characters of a description
_labels = "|".join(map(re.escape, (*LABELLED, *MARKED)))
_LEAD = re.compile(
    rf"^[\W_]*(?:(?:[A-Z]{{4,}}|{_labels})\s*[:：]\s*|\(?\d{{4}}-\d{{2}}(?:-\d{{2}})?\)?\s*[:：]?\s+)?[📌⚠️❗🔒🚨\s]*"
)
_BOLD = re.compile(r"\*\*(?P<name>[^*\n]{2,60})\*\*")
_LEAVES = {Sort.MEMORY: "classified", Sort.STATE: "todo", Sort.FINISHED: "completed", Sort.KNOWN: "duplicate"}


def filing_of(verdict: Sorted) -> Filing:
    """What becomes of a memory. What is protected, refused or in doubt stays in MEMORY.md in any shape."""
    unit = verdict.unit
    leaves = "" if unit.protected else _LEAVES.get(verdict.sort, "")
    if verdict.sort is Sort.KNOWN and (not verdict.certain or verdict.tasks or verdict.states):
        leaves = ""
    known = verdict.said_by if verdict.certain and verdict.said_by.startswith("memory/") else ""
    name = name_of(unit)
    hook = memo_of(verdict) if verdict.sort is Sort.MEMORY or known else None
    return Filing(
        unit.first, unit.end, unit.source, verdict.why, hook if verdict.sort is Sort.MEMORY else None,
        known, hook, _quotes(verdict.tasks, unit), _quotes(verdict.states, unit, name), leaves,
    )  # fmt: skip


def _quotes(entries: tuple[Statement, ...], unit: Unit, name: str = "") -> tuple[Quote, ...]:
    """Lines with what they hang on; a state always names its project, a task of its own says what it is about."""
    said = ((entry, OURS.sub("", " ".join(entry.text.split())).strip()) for entry in entries)
    return tuple(
        Quote(text, entry.source, subject=name or ("" if entry is unit.entry else name_of(unit)))
        for entry, text in said
        if not holds_secret(text) and not holds_mask(text)
    )


def memo_of(verdict: Sorted) -> Memo:
    """The memory without its tasks and states, which live elsewhere."""
    unit, parts = verdict.unit, verdict.kept
    why = [key_of(part.text)[1] for part in parts if is_labelled(part.text, "why")]
    how = [key_of(part.text)[1] for part in parts if is_labelled(part.text, "how")]
    if not why and (reason := reason_in(unit.plain)):
        why = [reason]
    opinion = verdict.opinion
    if opinion and not why and opinion.why:
        why = [opinion.why]
    if opinion and not how and opinion.how:
        how = [opinion.how]
    told = [part for part in parts if not is_labelled(part.text, "why", "how")]
    below = (f"  - {' '.join(part.text.split())}" for part in told)
    facts = unit.lines if unit.is_table else (f"- {' '.join(unit.text.split())}", *below)
    under = plain_line(unit.entry.headings[-1]) if unit.entry.headings else ""
    name = name_of(unit)
    return Memo(verdict.kind, name, described(unit, name), facts, tuple(why), tuple(how), under)


def name_of(unit: Unit) -> str:
    """What the owner calls it: its key, its bold beginning, else its first clause; of a table, its heading."""
    if unit.is_table:
        return plain_line(unit.entry.headings[-1]) if unit.entry.headings else "Table"
    bold = _BOLD.match(unit.text)
    named = unit.entry.block.key or (bold["name"] if bold else "")
    if named.rstrip(":： "):
        return plain_line(named).rstrip(":： ")
    text = _LEAD.sub("", unit.plain, count=1).strip()
    first = next((part for part in CLAUSE.split(text) if count_units(part) >= 4), text)
    return cut(first, LONGEST_NAME).rstrip(".。 ")


def described(unit: Unit, name: str) -> str:
    """One line by which to judge whether the file matters: the statement itself, without its name before a colon."""
    text = unit.plain
    if unit.is_table:
        text = ", ".join(filter(None, (cell.strip() for cell in unit.lines[0].split("|"))))
    elif text.casefold().startswith(name.casefold()):
        rest = text[len(name) :].lstrip(" :：-–—")
        text = rest if len(rest) > 3 and unit.entry.block.key else text
    return cut(_LEAD.sub("", text, count=1).strip() or text, LONGEST)


_KEPT = "what leaves MEMORY.md is kept"
_TASKS = {
    "en": "From memory", "zh": "来自记忆", "de": "Aus dem Gedächtnis", "es": "De la memoria", "fr": "De la mémoire", "pt": "Da memória",
    "ru": "Из памяти", "ja": "記憶から", "ko": "기억에서",
}  # fmt: skip
_PLAIN = re.compile(r"[^\W\d_][^:#\[\]{}&*!|>'\"%@`\n]*")
_LINKED = re.compile(r"\]\((memory/[^)\s]+)\)")
_BOX = re.compile(r"\s*[-*+]\s+(?:\[.\]\s+)?")
_SAME = 0.8  # share of the shorter task's words that the longer one must hold to be the same task


def classify_plan(snapshot: Snapshot, filings: Sequence[Filing], now: datetime, longest: int = LONGEST_LINK) -> Plan:
    """Everything that `dream classify --apply` would write. Nothing is written twice. Links have `longest` characters at most."""
    paths = _paths(snapshot, filings)
    edits = [_file(filing, paths[i], now.date()) for i, filing in enumerate(filings) if filing.memo]
    edits += _todo_edits(snapshot, [task for filing in filings for task in filing.tasks])
    states = [state for filing in filings for state in filing.states]
    memory = snapshot.files.get(snapshot.memory_path)
    if memory and snapshot.workspace.settings.memory.shape == "index" and MIXED_ENDINGS not in memory.document.doubts:
        leaving = [(filing, paths.get(i, "")) for i, filing in enumerate(filings) if filing.leaves]
        shorter, moved = _index_edits(snapshot, memory, leaving, now, longest)
        edits += shorter
        states = [replace(state, source=moved.get(state.source, state.source)) for state in states]
    edits += tracker_edits(snapshot, states, CLASSIFY, "work in progress is no memory")
    plan = plan_of(snapshot, Intent.CLASSIFY, edits, now)
    files = sum(1 for edit in plan.edits if edit.tag == CLASSIFY and edit.path.startswith("memory/"))
    return replace(plan, counts=MappingProxyType({**plan.counts, "files": files}))


def _paths(snapshot: Snapshot, filings: Sequence[Filing]) -> dict[int, str]:
    """Where each memory has its file: names that are taken get a few digits of the words behind them."""
    taken = {path.casefold() for path in snapshot.files}
    found: dict[int, str] = {}
    for i, filing in enumerate(filings):
        if filing.memo:
            slug = slug_of(filing.memo.name)
            path = classified(filing.memo.kind, slug)
            for digits in (4, 8):
                if path.casefold() in taken:
                    path = classified(filing.memo.kind, f"{slug}-{short_id(''.join(filing.memo.facts))[:digits]}")
            taken.add(path.casefold())
            found[i] = path
        elif filing.known:
            found[i] = filing.known
    return found


def _file(filing: Filing, path: str, day: date) -> Edit:
    assert filing.memo is not None
    lines = tuple(line + "\n" for line in file_lines(filing.memo, day))
    return Edit(short_id(filing.memo.name), path, 0, (), lines, CLASSIFY, filing.why, (filing.source,))


def file_lines(memo: Memo, day: date) -> list[str]:
    """A classified file, as seed 003 wants it. A reason that nobody gave leaves its heading empty."""
    why = list(memo.why)
    how = [f"- {line}" for line in memo.how]
    return [
        "---", f"name: {_scalar(memo.name)}", f"description: {_scalar(memo.description)}", f"type: {memo.kind}", f"created: {day}", "---",
        "", "## Rule / Fact", *memo.facts, "", "## Why", *why, "", "## How to apply", *how,
    ]  # fmt: skip


def _scalar(text: str) -> str:
    """A value of YAML front matter: plain where that is safe, else in double quotes, which JSON writes the same way."""
    return text if _PLAIN.fullmatch(text) and text == text.strip() else json.dumps(text, ensure_ascii=False)


def _todo_edits(snapshot: Snapshot, tasks: Sequence[Quote]) -> list[Edit]:
    """The tasks that todos.md does not name yet, under a heading of their own at its end."""
    before = snapshot.text_of(TODOS)
    known = [bag(_BOX.sub("", line)) for line in before.split("\n") if _BOX.match(line)]
    fresh: list[Quote] = []
    for task in tasks:
        words = bag(_task(task))
        if words and not any(_same(words, other) for other in known):
            fresh.append(task)
            known.append(words)
    if not fresh:
        return []
    heading = f"## {_TASKS[language_of([before, *(task.text for task in fresh)])]}"
    lines = split_lines(before)
    titled = any(bare(line) == heading for line in lines)
    gap = [""] if before.strip() and bare(lines[-1]).strip() else []
    head = [] if titled and bare(lines[-1]).strip().startswith("-") else [*gap, heading]
    at, old, new = appended(lines, [*head, *(f"- [ ] {_task(task)}" for task in fresh)])
    sources = tuple(task.source for task in fresh)
    return [Edit(short_id(fresh[0].text), TODOS, at, old, new, CLASSIFY, "a task is no memory", sources)]


def _task(task: Quote) -> str:
    return f"{task.subject}: {task.text}" if task.subject else task.text


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    fewer, more = sorted((one, other), key=len)
    return len(fewer) > 1 and len(fewer & more) >= _SAME * len(fewer)


def _index_edits(
    snapshot: Snapshot, memory: File, leaving: Sequence[tuple[Filing, str]], now: datetime, longest: int
) -> tuple[list[Edit], dict[Source, Source]]:
    """MEMORY.md with links in the place of what has a file now; and where in the ledger each line stands from now on."""
    if not leaving:
        return [], {}
    lines, ledger = memory.document.lines, split_lines(snapshot.text_of(LEDGER))
    edits: list[Edit] = []
    archived: list[Archived] = []
    moved: dict[Source, Source] = {}
    linked = set(_LINKED.findall(memory.text))
    at = len(ledger) + 1
    for filing, path in leaving:
        old = lines[filing.first : filing.end]
        entry = _archived(old, filing, now)
        for i in range(len(old)):  # four lines of a block stand above its content
            here = Source(memory.path, filing.first + i + 1, filing.first + i + 1)
            moved[here] = Source(LEDGER, at + 4 + i, at + 4 + i)
        at += len(block(entry))
        archived.append(entry)
        new = (link_line(filing.hook, path, longest) + ending_of(lines),) if filing.hook and path not in linked else ()
        linked.add(path)
        edits.append(_replaced(memory, filing, new, entry.id))
    records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
    for entry in archived:
        records = indexed(records, entry)
    first, gone, kept = appended(ledger, [line for entry in archived for line in block(entry)])
    edits.append(Edit(archived[0].id, LEDGER, first, gone, kept, CLASSIFY, _KEPT))
    index = array_text(records)
    edits += difference(LEDGER_INDEX, snapshot.text_of(LEDGER_INDEX), index, id="index", tag=VIEW, why=_KEPT)
    return edits, moved


def _archived(old: Sequence[str], filing: Filing, now: datetime) -> Archived:
    content = tuple(bare(line) for line in old)
    its_id = short_id("\n".join(content))
    return Archived(its_id, f"{now:%Y-%m-%d %H:%M}", filing.leaves, content, str(filing.source), filing.why)


def _replaced(memory: File, filing: Filing, new: tuple[str, ...], its_id: str) -> Edit:
    """The link in the place of the memory; where none comes, one of two blank lines that would meet goes too."""
    lines, end = memory.document.lines, filing.end
    blank_above = filing.first == 0 or not lines[filing.first - 1].strip()
    if not new and blank_above and end < len(lines) and not lines[end].strip():
        end += 1
    old = lines[filing.first : end]
    return Edit(its_id, memory.path, filing.first, old, new, filing.leaves, filing.why, (filing.source,))


TITLE = "Project tracker"
_KEY = re.compile(r"- [*_]*(?P<key>[^:：*_]{1,30}?)[*_]*\s*[:：]")


def tracker_edits(snapshot: Snapshot, states: Sequence[Quote], tag: str, why: str) -> list[Edit]:
    """The edit that brings these states into the tracker; none when it says them already."""
    if not states:
        return []
    before = snapshot.text_of(TRACKER)
    chapters = {name: list(lines) for name, lines in chapters_in(before)}
    for quote in states:
        line = line_of(Quote(quote.text, quote.source), TRACKER, snapshot.workspace)
        kept = chapters.setdefault(quote.subject, [])
        old = next((i for i, one in enumerate(kept) if _key(one) == _key(line)), None)
        if old is None:
            kept.append(line)
        else:
            kept[old] = line
    body = [line for name, lines in chapters.items() for line in (f"## {name}", "", *lines, "")]
    page = Page(TRACKER, TITLE, (Chapter("", tuple(states)),))
    return list(block_edits(before, page, body, tag, why))


def _key(line: str) -> str:
    """What a line says something about; the one line without a key tells the project as a whole."""
    found = _KEY.match(line)
    return found["key"].strip().casefold() if found else ""
