"""Where a new line enters MEMORY.md, and how it is written: as a bullet among the owner's, with our mark at its end.

No byte of the owner's changes. A line goes behind the last statement of its section. No section is invented where the owner has
one that may take it; where there is none, one is made at the end, before the `## Dream` section and a last-updated line. In the `append` shape every
new line goes under the heading of its night, as OpenClaw writes it: its marker above it, its numbers behind its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date, datetime

from reverie.core.layout import Kind
from reverie.judge.leaving import end_of
from reverie.judge.operation import Op, Operation
from reverie.judge.written_dates import days_in as written_days
from reverie.lang import ENGLISH, table
from reverie.lang.messages import say, say_in, spoken
from reverie.plan.splices import FOOTER, VIEW
from reverie.text.lines import BOM, SEPARATOR, bare, ending_of, split_lines
from reverie.text.markdown import Document, Shape
from reverie.text.marks import dated_footer, days_in, is_footer, protected_blocks
from reverie.text.sections import (
    AREAS,
    CURRENT,
    DREAM_HEADING,
    OURS,
    PEOPLE,
    STABLE,
    Section,
    area_of,
    dream_section,
    is_title,
    name_of,
    sections_of,
    statements_under,
)
from reverie.text.terms import stop_words, terms
from reverie.workspace.claude_topics import front_matter, topic_name
from reverie.workspace.openclaw_format import (
    TITLE,
    Promoted,
    claim_key,
    concept_tags,
    heading_of,
    is_key,
    key_in,
    mark_of,
    numbers_of,
)
from reverie.workspace.values import Edit, File, Snapshot, Statement, short_id

QUESTIONS = (("tools", STABLE), ("environment", STABLE), ("project", CURRENT), ("values", STABLE), ("people", PEOPLE))
SECTIONS = (CURRENT, STABLE, PEOPLE, "dream")


def first_memory(answers: Mapping[str, str], language: str = "") -> str:
    """MEMORY.md in seed 000's four sections, with the owner's answers where they belong, in the language that is spoken."""
    language = frame_language(language or spoken())
    parts = [f"# {say_in(language, 'first_memory.title')}"]
    for section in SECTIONS:
        lines = [_heading(section, language), f"<!-- {say_in(language, f'first_memory.about_{section}')} -->"]
        for name, home in QUESTIONS:
            label = say_in(language, f"first_memory.{name}")
            said = [" ".join(line.split()) for line in answers.get(name, "").split("\n") if line.strip()]
            if home == section and len(said) == 1:
                lines.append(f"- **{label}:** {said[0]}")
            elif home == section and said:
                lines += [f"- **{label}:**", *(f"  - {line}" for line in said)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def frame_language(language: str) -> str:
    """The language itself where its file has words for the frame of a first memory; else English, headings too."""
    return language if table(language, "say.first_memory") else ENGLISH


def _heading(section: str, language: str) -> str:
    return f"## {name_of(section, language) if section in AREAS else DREAM_HEADING.title()}"


def in_peers_shape(snapshot: Snapshot, operation: Operation) -> list[str]:
    """A new line in OpenClaw's shape. One that no recall led in has its worth for a score, and its words for a key."""
    source = operation.sources[0] if operation.sources else None
    paths = {one.path for one in operation.sources}
    one = operation.promoted or Promoted(claim_key(operation.text), operation.worth, len(paths))
    key = one.key if is_key(one.key, paths) else claim_key(operation.text)
    tags = _triggers(operation.text)
    place = f"{source.path}:{source.first}-{source.last}" if source else ""
    about = numbers_of(
        Promoted(key, one.score, one.signals, one.recalls, one.average, tags), place, before_2026_8=_is_old(snapshot)
    )
    return [mark_of(key), f"- {operation.text} {about} <!-- dream:{short_id(operation.text)} -->"]


def first_night(snapshot: Snapshot, operations: Sequence[Operation], night: date) -> list[Edit]:
    """A MEMORY.md that says nothing yet gets OpenClaw's title and the section of the night."""
    path, before = snapshot.memory_path, snapshot.text_of(snapshot.memory_path)
    start, old = BOM if before.startswith(BOM) else "", split_lines(before)
    edits: list[Edit] = []
    head = [start + TITLE, "", f"## {heading_of(night)}", ""]
    for operation in operations:
        new = tuple(line + "\n" for line in (*head, *in_peers_shape(snapshot, operation)))
        edits.append(Edit(short_id(operation.text), path, 0, old, new, operation.tag, operation.why, operation.sources))
        head, old = [], ()
    return edits


def _triggers(text: str) -> tuple[str, ...]:
    """Words of the line that may call it up again: its own, since a store may come from a stranger.

    Pairs of Han characters are no words where one of them is a particle, and a common word calls up everything.
    """
    return tuple(
        tag
        for tag in concept_tags("", text)
        if tag not in stop_words() and not (tag[0] >= "\u3040" and any(char in stop_words() for char in tag))
    )


def _is_old(snapshot: Snapshot) -> bool:
    """Whether the lines are those of OpenClaw before 2026.8, which has no signals and no remarks."""
    return snapshot.workspace.settings.dreaming.profile == "openclaw-2026.4"


_BULLET = re.compile(r"[ \t]*(?P<mark>[-*+])[ \t]+")
_LEAD = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


def written(text: str) -> str:
    """A line of ours as it stands in MEMORY.md, without its bullet."""
    return f"{text} <!-- dream:{short_id(text)} -->"


def entering(
    snapshot: Snapshot,
    operations: Sequence[Operation],
    names: Mapping[str, str],
    leaving: Set[tuple[str, int]] = frozenset(),
    night: date | None = None,
) -> list[Edit]:
    """The edits that bring new lines in; `names` says what our own areas are called here.

    `leaving` are lines that other edits take out: a new line enters above them, so that no two edits want the same line.
    A `night` lets lines enter under its own heading, where the owner wants that shape.
    """
    memory, guarded = snapshot.files.get(snapshot.memory_path), snapshot.workspace.settings.protected_sections
    if not operations:
        return []
    if snapshot.workspace.settings.memory.shape == "entries":
        return _as_entries(snapshot, operations, leaving)
    if snapshot.workspace.home is not None:
        names = {}  # a host's own file gets no sections of ours
    if topics := {file.path: file for file in snapshot.memories if file.place.kind is Kind.MEMORY_TOPIC}:
        homes = [(one, topics.get(home_of(snapshot, one, night))) for one in operations]
        inside = {file.path: file for _, file in homes if file is not None}
        edits = [
            edit
            for path, file in inside.items()
            for edit in _in_topic(file, [one for one, its in homes if its is file], leaving)
        ]
        operations = [one for one, file in homes if file is None]
        if not operations or (memory and memory.text.removeprefix(BOM).strip()):
            return [*edits, *(_in_memory(memory, operations, names, leaving, guarded) if memory else [])]
        return [*edits, *(_first_line(snapshot, one) for one in operations)]
    append = night is not None and snapshot.workspace.settings.memory.shape == "append"
    if (memory is None or not memory.text.removeprefix(BOM).strip()) and snapshot.workspace.home is not None:
        return [_first_line(snapshot, one) for one in operations]
    if memory is None or not memory.text.removeprefix(BOM).strip():
        return first_night(snapshot, operations, night) if append and night else _first_lines(snapshot, operations)
    if append and night:
        at, heading = _place_of_night(memory.document, heading_of(night))
        while at and (memory.path, at - 1) in leaving:
            at -= 1
        return _group(
            memory, at, heading, operations, [in_peers_shape(snapshot, one) for one in operations], closed=False
        )
    return _in_memory(memory, operations, names, leaving, guarded)


def home_of(snapshot: Snapshot, operation: Operation, today: date | None = None) -> str:
    """The file of memory that an operation is about: where its line stands, or where a new line goes.

    Where a host keeps topic files, a section is a topic or a heading in one, of several the one that shares most words with
    the line, and none that is over; any other section means the index.
    """
    if operation.target is not None:
        return operation.target.path
    named = [
        file
        for file in (snapshot.memories if operation.op is Op.ADD else ())
        if file.place.kind is Kind.MEMORY_TOPIC
        and operation.section in (topic_name(file.path, file.text), *(s.heading for s in sections_of(file.document)))
        and not (today and is_over_topic(file, today))
    ]
    mine = set(terms(operation.text))
    return max(named, key=lambda file: len(mine & set(terms(file.text)))).path if named else snapshot.memory_path


def topic_end(file: File) -> date | None:
    """The last day of a host's topic, where its description names one and no later day. It may be a tale of the past, or of a part of
    it: this is no certainty."""
    about = front_matter(file.text).get("description", "")
    parts = (about, *(about[: one.end] for one in written_days(about)))
    ends = [end for part in parts if (end := end_of(part))]
    return max(ends) if ends and max((*days_in(about), *ends)) == max(ends) else None


def is_over_topic(file: File, today: date) -> bool:
    return (end := topic_end(file)) is not None and end < today


def _in_topic(file: File, operations: Sequence[Operation], leaving: Set[tuple[str, int]]) -> list[Edit]:
    """New lines of a topic file: in the section that is named, else behind its last line."""
    placed: dict[int, list[Operation]] = {}
    for one in operations:
        section = next((s for s in sections_of(file.document) if s.heading == one.section), None)
        at = _behind_last(file.document, section) if section else _before_the_end(file.document)
        while at and (file.path, at - 1) in leaving:
            at -= 1
        placed.setdefault(at, []).append(one)
    edits: list[Edit] = []
    for at, group in placed.items():
        mark, closed = _mark(file.document, at), any(edit.old for edit in edits)
        edits += _group(file, at, "", group, [[f"{mark} {written(one.text)}"] for one in group], closed=closed)
    return edits


def _in_memory(
    memory: File,
    operations: Sequence[Operation],
    names: Mapping[str, str],
    leaving: Set[tuple[str, int]],
    guarded: Iterable[str],
) -> list[Edit]:
    placed: dict[tuple[int, str], list[Operation]] = {}
    for operation in operations:
        at, heading = _place(memory, operation.section, names, guarded)
        while at and (memory.path, at - 1) in leaving:
            at -= 1
        placed.setdefault((at, heading), []).append(operation)
    edits: list[Edit] = []
    closed = False  # only one edit may close a last line without an ending
    # Where the last section ends, a new one may begin: what belongs to the last one stands before that heading.
    for (at, heading), group in sorted(placed.items(), key=lambda item: bool(item[0][1])):
        mark = _mark(memory.document, at)
        edits += _group(memory, at, heading, group, [[f"{mark} {written(one.text)}"] for one in group], closed=closed)
        closed = closed or any(edit.old for edit in edits)
    return edits


def _as_entries(snapshot: Snapshot, operations: Sequence[Operation], leaving: Set[tuple[str, int]]) -> list[Edit]:
    """Behind the last entry, each below a line of its own that is nothing but §; a blank line there Hermes takes for damage."""
    path = snapshot.memory_path
    lines = split_lines(snapshot.text_of(path))
    ending, at = ending_of(lines), len(lines)
    while at and ((path, at - 1) in leaving or not lines[at - 1].strip()):
        at -= 1
    edits: list[Edit] = []
    for one in operations:
        start = at
        old: tuple[str, ...] = ()
        new: tuple[str, ...] = (written(one.text) + ending,)
        if at and lines[at - 1].strip() == SEPARATOR:  # the entry below it changes
            new = (*new, SEPARATOR + ending)
        elif at or edits:
            new = (SEPARATOR + ending, *new)
        if not edits and at and lines[at - 1] == bare(lines[at - 1]):  # a last line without an ending
            start, old, new = at - 1, (lines[at - 1],), (lines[at - 1] + ending, *new)
        edits.append(_entered(one, path, start, old, new))
    return edits


def changed(memory: File, entry: Statement, operations: Sequence[Operation]) -> Edit:
    """The line with these updates made in it, in their order: each swaps a value, or tells the whole line anew.

    Whatever an update does not name stays to the byte, indent, bullet and box included. A line of ours gets the mark of its
    new words; a line of the owner's stays the owner's.
    """
    block = entry.block
    old = memory.document.lines[block.first : block.end]
    new = old
    for one in operations:
        new = _swapped(new, one.old, one.new) if one.old else _told_anew(new, one.text)
    first = operations[0]
    why = "; ".join(dict.fromkeys(one.why for one in operations))
    detail = "; ".join(dict.fromkeys(one.detail for one in operations if one.detail))
    sources = tuple(dict.fromkeys(source for one in operations for source in one.sources))
    its_id = short_id("\n".join(map(bare, old)))
    return Edit(
        its_id, memory.path, block.first, old, _remarked(new), first.tag, why, sources, op=str(first.op), by=first.by,
        detail=detail, drops=tuple(dict.fromkeys(drop for one in operations for drop in one.drops)),
    )  # fmt: skip


def _swapped(lines: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    """The lines with one value in another's place; where it runs over the end of a line, the item becomes one line."""
    for at, line in enumerate(lines):
        if old in line:
            return (*lines[:at], line.replace(old, new, 1), *lines[at + 1 :])
    whole = " ".join(bare(line).strip() for line in lines)
    lead = _LEAD.match(lines[0])
    return _told_anew(lines, whole[len((lead[0] if lead else "").strip()) :].strip().replace(old, new, 1))


def _told_anew(lines: tuple[str, ...], text: str) -> tuple[str, ...]:
    """One line with other words behind the same indent, bullet and box."""
    first, last = lines[0], lines[-1]
    start = BOM if first.startswith(BOM) else ""
    lead = _LEAD.match(first.removeprefix(BOM))
    mark = OURS.search(bare(first)) or OURS.search(bare(last))
    return (f"{start}{lead[0] if lead else ''}{text}{' ' + mark[0].strip() if mark else ''}{last[len(bare(last)) :]}",)


def _remarked(lines: tuple[str, ...]) -> tuple[str, ...]:
    """With our mark renewed where there is one: it names the words that it stands behind."""
    out = []
    for line in lines:
        if mark := OURS.search(bare(line)):
            words = OURS.sub("", _LEAD.sub("", bare(line.removeprefix(BOM)), count=1)).strip()
            line = line.replace(mark[1], short_id(words), 1)
        out.append(line)
    return tuple(out)


def _place(memory: File, wanted: str, names: Mapping[str, str], guarded: Iterable[str]) -> tuple[int, str]:
    """(line to enter at, heading to make there if there is none). `guarded` are headings that the owner protects."""
    document, sections = memory.document, sections_of(memory.document)
    home = next((section for section in sections if section.heading == wanted), None)
    if home is None and wanted in AREAS:
        called = names.get(wanted, "")
        home = next((section for section in sections if section.heading == called), None) or next(
            (section for section in sections if area_of(section.heading) == wanted), None
        )
    if home is None:
        shielded = protected_blocks(document, guarded)
        taking = [one for one in sections if one.index not in shielded and not is_title(document, one)]
        nearest = (one for area in (STABLE, CURRENT, PEOPLE) for one in taking if area_of(one.heading) == area)
        home = next(nearest, taking[-1] if taking else None)
    if home is None:
        return _before_the_end(document), names.get(wanted) or names.get(AREAS[1], "")
    return _behind_last(document, home), ""


def _behind_last(document: Document, section: Section) -> int:
    """Behind the last statement, never behind something that may be open (a fence, a managed block)."""
    said = [block for block in statements_under(document, section) if not is_footer(block.text)]
    outer = [block for block in said if block.shape is not Shape.ROW] or said
    if not outer:
        at = section.first
        comments = [b for b in document.blocks if b.shape is Shape.COMMENT and b.first == at]
        return comments[0].end if comments else at
    last = max(outer, key=lambda block: block.tail or block.end)
    rows = [block for block in said if block.shape is Shape.ROW]
    at = max([last.tail or last.end, *(row.end for row in rows if row.first >= last.first)])
    return at - is_footer(bare(document.lines[at - 1]))  # it stays last, though no blank line parts it from an item


def _before_the_end(document: Document) -> int:
    """The end of the file, before our `## Dream` section and a last-updated line."""
    lines = document.lines
    section = dream_section(document)
    at = section[0] - 1 if section else len(lines)
    while at > 0 and (
        not lines[at - 1].strip() or is_footer(bare(lines[at - 1])) or bare(lines[at - 1]).strip() == "---"
    ):
        at -= 1
    return at


def footer_edit(memory: File, now: datetime) -> list[Edit]:
    """The last line of the file, or the last before our `## Dream` section, with the day of the night, if it is the owner's “last updated”."""
    lines, section = memory.document.lines, dream_section(memory.document)
    for end in (len(lines), section[0] - 1 if section else len(lines)):
        at = next((i for i in reversed(range(end)) if lines[i].strip()), 0)
        if lines and is_footer(bare(lines[at])) and (new := dated_footer(lines[at], now)) != lines[at]:
            return [Edit(FOOTER, memory.path, at, (lines[at],), (new,), VIEW, say("upkeep.footer"))]
    return []


def _group(
    memory: File, at: int, heading: str, group: Sequence[Operation], texts: Sequence[Sequence[str]], *, closed: bool
) -> list[Edit]:
    """One edit for each operation, with its lines; the first and the last care for the blank lines around them."""
    document, lines = memory.document, memory.document.lines
    ending = ending_of(lines)
    above = lines[at - 1] if at else ""
    before = [] if not above.strip() or _is_item(document, at) or _is_heading(above) else [""]
    if heading:
        before = ["", f"## {heading}", ""] if above.strip() else [f"## {heading}", ""]
    after = [""] if at < len(lines) and lines[at].strip() and not _is_item_line(lines[at]) else []
    edits = []
    for number, (operation, text) in enumerate(zip(group, texts, strict=True)):
        new = [*(before if number == 0 else []), *text, *(after if number == len(group) - 1 else [])]
        old: tuple[str, ...] = ()
        full, start = tuple(line + ending for line in new), at
        if number == 0 and not closed and above and not above.endswith(("\n", "\r")):
            start, old, full = at - 1, (above,), (above + ending, *full)
        edits.append(_entered(operation, memory.path, start, old, full))
    return edits


def _place_of_night(document: Document, wanted: str) -> tuple[int, str]:
    """Behind the last line of the night's section, or where it is to be made."""
    home = next((section for section in sections_of(document) if section.heading == wanted), None)
    if home is None:
        return _before_the_end(document), wanted
    if statements_under(document, home):
        return _behind_last(document, home), ""
    marks = [i for i in range(home.first, home.end) if key_in(bare(document.lines[i]))]  # whose lines have left since
    blank = home.first < home.end and not document.lines[home.first].strip()
    return (marks[-1] + 1 if marks else home.first + blank), ""


def _first_line(snapshot: Snapshot, one: Operation) -> Edit:
    line = (f"- {written(one.text)}\n",)
    return _entered(one, snapshot.memory_path, 0, (), line)


def _entered(one: Operation, path: str, at: int, old: tuple[str, ...], new: tuple[str, ...]) -> Edit:
    return Edit(one.id, path, at, old, new, one.tag, one.why, one.sources, op=str(one.op), by=one.by, detail=one.detail)


def _first_lines(snapshot: Snapshot, operations: Sequence[Operation]) -> list[Edit]:
    """A MEMORY.md that says nothing yet gets seed 000's four sections and the new lines in them."""
    path, before = snapshot.memory_path, snapshot.text_of(snapshot.memory_path)
    language = frame_language(spoken())
    lines = first_memory({}, language).split("\n")[:-1]
    ends = {one: lines.index(_heading(one, language)) + 2 for one in SECTIONS}  # the heading and what belongs there
    edits: list[Edit] = []
    done = 0
    template = say("why.first_sections")
    for section in SECTIONS:
        part = tuple(line + "\n" for line in lines[done : ends[section]])
        edits.append(Edit("init", path, 0, (), part, "init", template))
        done = ends[section]
        for operation in operations:
            wanted = operation.section if operation.section in AREAS else area_of(operation.section)
            if (wanted if wanted in SECTIONS else STABLE) == section:
                line = f"- {written(operation.text)}\n"
                edits.append(
                    Edit(
                        operation.id,
                        path,
                        0,
                        (),
                        (line,),
                        operation.tag,
                        operation.why,
                        operation.sources,
                        op=str(operation.op),
                        by=operation.by,
                    )
                )
    edits.append(Edit("init", path, 0, (), tuple(line + "\n" for line in lines[done:]), "init", template))
    edits = [edit for edit in edits if edit.new]
    if before:  # blank lines, or a byte order mark: one edit takes them along
        start = BOM if before.startswith(BOM) else ""
        whole = [line for edit in edits for line in edit.new]
        sources = tuple(source for edit in edits for source in edit.sources)
        return [Edit("init", path, 0, split_lines(before), (start + whole[0], *whole[1:]), "init", template, sources)]
    return edits


def _mark(document: Document, at: int) -> str:
    """The bullet that the owner uses here."""
    for block in sorted(document.blocks, key=lambda block: abs(block.first - at)):
        if block.shape is Shape.BULLET and (found := _BULLET.match(document.lines[block.first])):
            return found["mark"]
    return "-"


def _is_item(document: Document, at: int) -> bool:
    return any(
        block.shape in (Shape.BULLET, Shape.NUMBERED) and at in (block.end, block.tail) for block in document.blocks
    )


def _is_item_line(line: str) -> bool:
    return bool(_LEAD.match(line))


def _is_heading(line: str) -> bool:
    return line.lstrip().startswith("#")
