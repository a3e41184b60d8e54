"""`dream classify`: a file for each memory, tasks into todos.md, states into the tracker; in the index shape links in MEMORY.md.

Files are created and never changed. What leaves MEMORY.md is in the ledger, byte for byte, in the same plan.

knowledge/project-tracker.md: how far each project has come. What a line says replaces what it said; nothing is lost.

In the index shape the states leave MEMORY.md for this page, so it is never made anew from memory alone: chapters and lines
that memory does not mention any more stay as they were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from types import MappingProxyType

from reverie.core.layout import LEDGER, LEDGER_INDEX, TODOS, TRACKER, classified
from reverie.features.classify.drawers import LONGEST_LINK, Filing, Memo, link_line, slug_of
from reverie.lang.detect import language_of
from reverie.plan.build import plan_of
from reverie.plan.composed import CLASSIFY
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array
from reverie.plan.quoting import Chapter, Page, Quote, block_edits, chapters_in, line_of
from reverie.plan.splices import difference
from reverie.plan.views import TAG as VIEW
from reverie.text.comparing import bag
from reverie.text.lines import appended, bare, ending_of, split_lines
from reverie.text.markdown import MIXED_ENDINGS
from reverie.workspace.values import Edit, File, Intent, Plan, Snapshot, Source, short_id

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
