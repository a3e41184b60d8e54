"""What `dream classify --apply` writes: a file for each memory, tasks into todos.md, states into the tracker.

Only the owner's words: a reason is one that the memory gives; where it gives none, nothing is said. Files are created and
never changed. In the index shape links take the place of what has a file, and what leaves MEMORY.md is in the ledger, byte for
byte, in the same plan; in every shape, what is protected, refused or in doubt stays in MEMORY.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import count
from types import MappingProxyType

from reverie.core.layout import LEDGER, LEDGER_INDEX, TODOS, TRACKER, TYPES, USER_PAGE, classified
from reverie.features.classify.memories import (
    FEEDBACK,
    KINDS,
    PROJECT,
    USER,
    MemoryItem,
    columns_of,
    cut,
    is_labelled,
    key_of,
    name_of,
    project_name,
    reason_in,
    slug_of,
    speaks_of_answers,
    spoken_of,
    without_lead,
)
from reverie.features.classify.sorting import Placement, Sort
from reverie.features.palace.quotes import page_words, page_words_in
from reverie.judge.relation import says_the_same
from reverie.lang.detect import language_of
from reverie.lang.lexicon import any_of
from reverie.lang.messages import say
from reverie.plan.build import plan_of
from reverie.plan.ledger import Archived, array_text, block, indexed, read_array
from reverie.plan.quoting import CLASSIFY, FACTS, HOW, WHY, Chapter, Page, Quote, block_edits, chapters_in, line_of
from reverie.plan.splices import VIEW, difference
from reverie.privacy.names import path_spans
from reverie.privacy.redact import holds_mask, holds_secret
from reverie.text.lines import appended, bare, count_units, ending_of, split_lines, with_frame
from reverie.text.markdown import MIXED_ENDINGS
from reverie.text.marks import is_generic
from reverie.text.sections import OURS, area_of
from reverie.text.terms import bag
from reverie.workspace.values import ABSENT, Edit, File, Intent, Plan, Snapshot, Source, Statement, lettered, short_id

LONGEST_LINK = 149  # characters of a line of the index: seed 003 wants them under 150
_LONGEST_DESCRIPTION = 150
_SHORT_TITLE = 24  # characters of the title of a memory that is one clause
_SAME_TASK = 0.8  # share of the shorter task's words that the longer one must hold
# The word under which the archive keeps what leaves MEMORY.md in the index shape.
_CATEGORIES = {Sort.MEMORY: "classified", Sort.STATE: "todo", Sort.FINISHED: "completed", Sort.KNOWN: "duplicate"}
_PLAIN_YAML = re.compile(r"[^\W\d_][^:#\[\]{}&*!|>'\"%@`\n]*")
_LINKED = re.compile(r"\]\((memory/[^)\s]+)\)")
_BOX = re.compile(r"\s*[-*+]\s+(?:\[.\]\s+)?")
_KEY = re.compile(r"- [*_]*(?P<key>[^:：*_]{1,30}?)[*_]*\s*[:：]")


@dataclass(frozen=True, slots=True)
class Memo:
    """What a classified file says; each line a quotation."""

    kind: str
    name: str
    description: str
    facts: tuple[str, ...]
    why: tuple[str, ...] = ()
    how: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Filing:
    """A memory, and the file that says it: a new one, or one that is there already."""

    placement: Placement
    memo: Memo | None = None
    path: str = ""

    @property
    def is_new(self) -> bool:
        return self.placement.sort is Sort.MEMORY

    @property
    def category(self) -> str:
        """Under which word the archive keeps it when MEMORY.md becomes an index; empty: it stays."""
        one = self.placement
        unsafe = one.sort is Sort.KNOWN and (not one.certain or one.tasks or one.states)
        return "" if one.item.protected or unsafe else _CATEGORIES.get(one.sort, "")


def classify_plan(
    snapshot: Snapshot,
    placements: Sequence[Placement],
    now: datetime,
    longest: int = LONGEST_LINK,
    *,
    user: bool = False,
) -> Plan:
    """Everything that `dream classify --apply` would write. Nothing is written twice. Links have `longest` characters at most.

    With `user` also what memory says of the owner, into USER.md.
    """
    filings = _filings(snapshot, placements)
    edits = [_file(filing, now.date()) for filing in filings if filing.is_new]
    edits += _types_page(snapshot) if edits else []
    edits += _todo_edits(snapshot, [task for one in placements for task in _quotes(one.item, one.tasks)])
    edits += _user_edits(snapshot, about_the_user(snapshot, placements)) if user else []
    others = page_words(snapshot)["open"]
    states = [state for one in placements for state in _quotes(one.item, one.states, _project(one, others))]
    memory = snapshot.files.get(snapshot.memory_path)
    if memory and snapshot.workspace.settings.memory.shape == "index" and MIXED_ENDINGS not in memory.document.doubts:
        leaving = [filing for filing in filings if filing.category]
        shorter, moved = _index_edits(snapshot, memory, leaving, now, longest)
        edits += shorter
        states = [_read_at(state, moved.get(state.source, state.source)) for state in states]
    edits += tracker_edits(snapshot, states, CLASSIFY, say("classify.states_move"))
    plan = plan_of(snapshot, Intent.CLASSIFY, edits, now)
    files = sum(1 for edit in plan.edits if edit.tag == CLASSIFY and edit.path.startswith("memory/"))
    return replace(plan, counts=MappingProxyType({**plan.counts, "files": files}))


def _filings(snapshot: Snapshot, placements: Sequence[Placement]) -> list[_Filing]:
    """Where each memory has its file. A name that is taken gets more of the memory's words, then a few digits of them."""
    taken = {path.casefold() for path in snapshot.files}
    found = []
    for one in placements:
        if one.sort is Sort.MEMORY:
            memo = memo_of(one)
            path = next(path for path in _names(memo) if path.casefold() not in taken)
            taken.add(path.casefold())
            found.append(_Filing(one, memo, path))
        elif one.certain and one.said_by.startswith("memory/"):
            found.append(_Filing(one, memo_of(one), one.said_by))
        else:
            found.append(_Filing(one))
    return found


def _names(memo: Memo) -> Iterator[str]:
    """Names for a file, the plainest first; whatever is taken, one is left. A project is called what its owner calls it."""
    content = "" if memo.kind == PROJECT else memo.description
    slug = slug_of(memo.name, content)
    yield classified(memo.kind, slug)
    yield classified(memo.kind, slug_of(f"{memo.name} {memo.description}", most=8))
    for length in count(4):
        its = (short_id("".join(memo.facts)) * length)[:length]
        yield classified(memo.kind, f"{slug}-{lettered(its) if path_spans(f'{slug}-{its}') else its}")


def _quotes(item: MemoryItem, lines: Sequence[Statement], name: str = "") -> list[Quote]:
    """Lines with what they hang on; a state always names its project, a task of its own says what it is about."""
    found = []
    for one in lines:
        text = OURS.sub("", " ".join(one.text.split())).strip()
        if not holds_secret(text) and not holds_mask(text):
            found.append(Quote(text, one, subject=name or ("" if one is item.statement else name_of(item))))
    return found


def _project(one: Placement, others: str) -> str:
    """The chapter of the tracker for the states of a memory: its project, or the owner's heading, or one for all others."""
    if one.item.statement not in one.states:
        return name_of(one.item)
    under = one.item.under
    return project_name(one.item) or (others if is_generic(under) or area_of(under) else under or others)


def _read_at(quote: Quote, source: Source) -> Quote:
    return replace(quote, statement=replace(quote.statement, source=source))


def memo_of(placement: Placement) -> Memo:
    """The memory without its tasks and states, which live elsewhere."""
    item, opinion = placement.item, placement.opinion
    why, how = _labelled(placement, "why"), _labelled(placement, "how")
    why = why or [reason_in(item.plain) or (opinion.why if opinion else "")]
    how = how or [opinion.how if opinion else ""]
    below = [part for part in placement.kept if not is_labelled(part.text, "why", "how")]
    facts = (f"- {' '.join(item.text.split())}", *(f"  - {' '.join(part.text.split())}" for part in below))
    return Memo(
        placement.kind,
        name_of(item),
        _described(item),
        item.lines if item.is_table else facts,
        tuple(filter(None, why)),
        tuple(filter(None, how)),
    )


def _labelled(placement: Placement, group: str) -> list[str]:
    return [key_of(part.text)[1] for part in placement.kept if is_labelled(part.text, group)]


def _described(item: MemoryItem) -> str:
    """One line by which to judge whether the file matters: the statement itself, without its name before a colon."""
    text, name = columns_of(item) if item.is_table else item.plain, name_of(item)
    if item.statement.block.key and not item.is_table and text.casefold().startswith(name.casefold()):
        rest = text[len(name) :].lstrip(" :：-–—")
        text = rest if len(rest) > 3 else text
    return cut(without_lead(text) or text, _LONGEST_DESCRIPTION)


def _file(filing: _Filing, day: date) -> Edit:
    """A classified file, as seed 003 wants it. A reason that nobody gave leaves its heading empty."""
    memo, item = filing.memo, filing.placement.item
    assert memo is not None
    lines = (
        "---",
        f"name: {_scalar(memo.name)}",
        f"description: {_scalar(memo.description)}",
        f"type: {memo.kind}",
        f"created: {day}",
        "---",
        "",
        FACTS,
        *memo.facts,
        "",
        WHY,
        *memo.why,
        "",
        HOW,
        *(f"- {line}" for line in memo.how),
    )
    new = tuple(line + "\n" for line in lines)
    return Edit(short_id(memo.name), filing.path, 0, (), new, CLASSIFY, filing.placement.why, (item.source,))


def _types_page(snapshot: Snapshot) -> list[Edit]:
    """What the four kinds are and what goes elsewhere (seed 003's memory-types.md), once; then it is the owner's."""
    if snapshot.hash_of(TYPES) != ABSENT:
        return []
    lines = [f"# {say('types.title')}", "", *(f"- `memory/{kind}/` — {say(f'types.{kind}')}" for kind in KINDS)]
    lines += [f"- `{TRACKER}` — {say('types.state')}", f"- `{TODOS}` — {say('types.task')}", "", say("types.left_out")]
    new = tuple(line + "\n" for line in lines)
    return [Edit(short_id(TYPES), TYPES, 0, (), new, CLASSIFY, say("types.why"))]


def _scalar(text: str) -> str:
    """A value of YAML front matter: plain where that is safe, else in double quotes, which JSON writes the same way."""
    return text if _PLAIN_YAML.fullmatch(text) and text == text.strip() else json.dumps(text, ensure_ascii=False)


def link_line(memo: Memo, path: str, longest: int = LONGEST_LINK) -> str:
    """The line of the index: `- [Title](path) — hook`, under 150 characters whatever the names are.

    The hook is what the memory says; where the title says it all already, the title is shortened.
    """
    room = longest - count_units(f"- []({path}) — ")
    name = re.sub(r"[\[\]]", "", memo.name)
    rest = memo.description
    if rest.casefold().startswith(name.rstrip("…").casefold()):
        rest = rest[len(name.rstrip("…")) :].lstrip(" :：,，;；.。-–—")
    hook = rest if len(rest) > 3 else memo.description
    name = name if len(rest) > 3 else spoken_of(name) or cut(name, _SHORT_TITLE)
    name = cut(name, max(12, min(60, room - 12)))
    return f"- [{name}]({path}) — {cut(hook, max(8, room - count_units(name)))}"


def about_the_user(snapshot: Snapshot, placements: Sequence[Placement]) -> tuple[Quote, ...]:
    """What memory says of the owner and USER.md does not."""
    refused = any(one.path == USER_PAGE for one in snapshot.refused)
    twin = any(path != USER_PAGE and path.lower() == USER_PAGE.lower() for path in snapshot.files)
    file = snapshot.files.get(USER_PAGE)
    known = [one.text for one in file.entries] if file else []
    found = []
    for one in placements:
        for quote in _quotes(one.item, (one.item.statement,)) if _is_of_the_user(one) and not (refused or twin) else ():
            if not any(says_the_same(other, quote.text) or bag(quote.text) <= bag(other) for other in known):
                found.append(quote)
                known.append(quote.text)
    return tuple(found)


def _is_of_the_user(one: Placement) -> bool:
    """Who somebody is; and how somebody says of themselves that they like to be answered, which is a rule for the agent besides."""
    wish = one.kind == FEEDBACK and speaks_of_answers(one.item.plain)
    return one.kind == USER or (wish and any_of("person.self").match(one.item.plain) is not None)


def _user_edits(snapshot: Snapshot, said: Sequence[Quote]) -> list[Edit]:
    """These lines at the end of USER.md, under a heading of their own."""
    lines, heading = split_lines(snapshot.text_of(USER_PAGE)), f"## {say('types.user_heading')}"
    if not said:
        return []
    last = next((bare(line) for line in reversed(lines) if bare(line).startswith("#")), "")
    gap = [""] if lines and bare(lines[-1]).strip() else []
    head = [] if last == heading else [*gap, heading]
    at, old, new = appended(lines, [*head, *(f"- {one.text}" for one in said)])
    sources = tuple(one.source for one in said)
    return [Edit(short_id(said[0].text), USER_PAGE, at, old, new, CLASSIFY, say("types.user_move"), sources)]


def _todo_edits(snapshot: Snapshot, tasks: Sequence[Quote]) -> list[Edit]:
    """The tasks that todos.md does not name yet, under a heading of their own at its end."""
    before = snapshot.text_of(TODOS)
    known = [bag(_BOX.sub("", line)) for line in before.split("\n") if _BOX.match(line)]
    fresh: list[Quote] = []
    for task in tasks:
        words = bag(_task(task))
        if words and not any(_is_same_task(words, other) for other in known):
            fresh.append(task)
            known.append(words)
    if not fresh:
        return []
    language = language_of([before, *(task.text for task in fresh)])
    heading = f"## {page_words_in(language)['tasks']}"
    lines = split_lines(before)
    titled = any(bare(line) == heading for line in lines)
    gap = [""] if before.strip() and bare(lines[-1]).strip() else []
    head = [] if titled and bare(lines[-1]).strip().startswith("-") else [*gap, heading]
    at, old, new = appended(lines, [*head, *(f"- [ ] {_task(task)}" for task in fresh)])
    sources = tuple(task.source for task in fresh)
    return [Edit(short_id(fresh[0].text), TODOS, at, old, new, CLASSIFY, say("classify.tasks_move"), sources)]


def _task(task: Quote) -> str:
    return f"{task.subject}: {task.text}" if task.subject else task.text


def _is_same_task(one: frozenset[str], other: frozenset[str]) -> bool:
    fewer, more = sorted((one, other), key=len)
    return len(fewer) > 1 and len(fewer & more) >= _SAME_TASK * len(fewer)


def _index_edits(
    snapshot: Snapshot, memory: File, leaving: Sequence[_Filing], now: datetime, longest: int
) -> tuple[list[Edit], dict[Source, Source]]:
    """MEMORY.md with links in the place of what has a file now; and where in the ledger each line stands from now on."""
    if not leaving:
        return [], {}
    lines, ledger = memory.document.lines, split_lines(snapshot.text_of(LEDGER))
    records = read_array(snapshot.text_of(LEDGER_INDEX), LEDGER_INDEX, dict)
    edits: list[Edit] = []
    kept: list[str] = []
    moved: dict[Source, Source] = {}
    linked = set(_LINKED.findall(memory.text))
    for filing in leaving:
        item = filing.placement.item
        archived = _archived(filing, now)
        records = indexed(records, archived)
        first = len(ledger) + len(kept) + 5  # four lines of a block stand above its content
        for at, line in enumerate(range(item.first + 1, item.end + 1), first):
            moved[Source(memory.path, line, line)] = Source(LEDGER, at, at)
        kept += block(archived)
        new: tuple[str, ...] = ()
        if filing.memo and filing.path not in linked:
            new = (link_line(filing.memo, filing.path, longest) + ending_of(lines),)
        linked.add(filing.path)
        edits.append(_replaced(memory, filing, new, archived.id))
    why = say("classify.ledger_keeps")
    edits.append(Edit(edits[0].id, LEDGER, *appended(ledger, kept), CLASSIFY, why))
    before = snapshot.text_of(LEDGER_INDEX)
    edits += difference(LEDGER_INDEX, before, array_text(records), id="index", tag=VIEW, why=why)
    return edits, moved


def _archived(filing: _Filing, now: datetime) -> Archived:
    item, why = filing.placement.item, filing.placement.why
    its_id = short_id("\n".join(item.lines))
    return Archived(its_id, f"{now:%Y-%m-%d %H:%M}", filing.category, item.lines, str(item.source), why)


def _replaced(memory: File, filing: _Filing, new: tuple[str, ...], its_id: str) -> Edit:
    """The link in the place of the memory; where none comes, one of two blank lines that would meet goes too."""
    item, lines = filing.placement.item, memory.document.lines
    first, end = (item.first, item.end) if new else with_frame(lines, item.first, item.end)
    return Edit(
        its_id, memory.path, first, lines[first:end], new, filing.category, filing.placement.why, (item.source,)
    )


def tracker_edits(snapshot: Snapshot, states: Sequence[Quote], tag: str, why: str) -> list[Edit]:
    """The edit that brings these states into knowledge/project-tracker.md; none when it says them already.

    In the index shape the states leave MEMORY.md for this page, so it is never made anew from memory alone: what a line says
    replaces what it said, and chapters and lines that memory does not mention any more stay as they were.
    """
    if not states:
        return []
    before = snapshot.text_of(TRACKER)
    chapters = {name: list(lines) for name, lines in chapters_in(before)}
    for quote in states:
        line = line_of(replace(quote, subject=""), TRACKER, snapshot.workspace, dated=False)
        kept = chapters.setdefault(quote.subject, [])
        old = next((i for i, one in enumerate(kept) if _key(one) == _key(line)), None)
        if old is None:
            kept.append(line)
        else:
            kept[old] = line
    body = [line for name, lines in chapters.items() for line in (f"## {name}", "", *lines, "")]
    page = Page(TRACKER, page_words(snapshot)["tracker"], (Chapter("", tuple(states)),))
    return list(block_edits(before, page, body, tag, why))


def _key(line: str) -> str:
    """What a line says something about; the one line without a key tells the project as a whole."""
    found = _KEY.match(line)
    return found["key"].strip().casefold() if found else ""
