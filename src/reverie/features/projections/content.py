"""One memory for another host: what finds room there, in which order, and how it looks.

What does not fit is left out whole, by worth: what is pinned or protected stays first, then corrections and rules, then
what was asked for and what is newest. A line that another one corrects enters only together with its correction, and below
it. What holds a secret or personal data stays where it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reverie.core.settings import OtherHost, Settings
from reverie.features.classify.memories import FEEDBACK, USER, headed
from reverie.judge.relation import CHANGING, relation
from reverie.lang.detect import language_of
from reverie.lang.messages import say_in
from reverie.privacy.redact import findings, holds_mask
from reverie.text.lines import bare, count_units
from reverie.text.markdown import STATEMENTS, Document, Shape
from reverie.text.marks import days_in, is_done, is_pinned, protected_blocks
from reverie.text.sections import OURS, own_lines
from reverie.text.terms import bag
from reverie.workspace.openclaw_format import words_of
from reverie.workspace.projection import END, SECTIONS, START, WRITTEN, Projected, marked
from reverie.workspace.values import File, to_bytes

# In the host's own measure; OpenClaw's is set. For files of rules there is no limit but the reader's patience.
_SIZES = {
    "claude-code": 25_000,
    "hermes": 2_200,
    "hermes-user": 1_375,
    "agents-md": 8_000,
    "gemini-md": 8_000,
    "cursor": 8_000,
}
_LINES = {"claude-code": 200, "cursor": 500}
_IMPORT = re.compile(r"(?<![\w`])@(?=[\w./~-])[^\s`]*")  # Gemini CLI reads a file in its place, unless it is code
_FEW = 8  # lines that have a telling word, all versions of a fact counted
_TOLD = STATEMENTS | {Shape.HEADING, Shape.HEADER}
_APART = frozenset({Shape.PARAGRAPH, Shape.QUOTE, Shape.CODE, Shape.HEADER})  # would run into what stands above them
Kept = Mapping[int, tuple[str, ...]]  # the lines of each statement that may be told, by its block


def project_memory(
    memory: File | None, target: OtherHost, settings: Settings, of: str, asked: Mapping[int, int]
) -> Projected:
    """MEMORY.md as this host gets it. `asked` says how often the statement at a line (from zero) was recalled."""
    document = memory.document if memory else Document((), ())
    form = _form(target.host, document)
    limit = target.chars or _SIZES.get(target.host) or settings.memory.truncation
    most_lines = target.lines or _LINES.get(target.host) or 10**9
    kept, private = _kept(document, settings.privacy.kinds)
    if target.host == "hermes-user" or (
        target.host == "hermes" and any(h.host == "hermes-user" for h in settings.project)
    ):
        of_person = {i for i in kept if _is_of_person(document, i)}
        kept = {i: lines for i, lines in kept.items() if (i in of_person) == (target.host == "hermes-user")}
    if target.host == "gemini-md":
        kept = {i: tuple(_IMPORT.sub(r"`\g<0>`", line) for line in lines) for i, lines in kept.items()}
    corrected = _corrections_in(document, kept)
    order = sorted(kept, key=_rank(document, kept, settings.protected_sections, corrected, asked))
    language = language_of(document.blocks[i].text for i in kept)
    around, around_lines = (len(START) + len(END) + 2, 2) if target.host in SECTIONS else (0, 0)
    front = _front(language) if target.host == "cursor" else ""
    for note in (
        "",
        say_in(language, "projection.left_out", n=len(kept)),
    ):  # room for it is only kept when it is needed
        frame = front + marked(form.whole((), {}, note), of)
        room = (limit - form.measure(frame) - around, most_lines - frame.count("\n") - around_lines)
        chosen = _chosen(document, kept, private, order, corrected, form, room)
        entries = len(chosen & kept.keys())
        if entries == len(kept):
            break
    omitted = len(kept) - entries
    note = say_in(language, "projection.left_out", n=omitted) if omitted else ""
    text = front + marked(form.whole(_in_order(document, chosen, corrected), kept, note), of)
    return Projected(
        target.path,
        target.host,
        WRITTEN,
        size=form.measure(text) + around,
        limit=limit,
        lines=text.count("\n") + around_lines,
        entries=entries,
        omitted=omitted,
        withheld=sum(1 for i in private if document.blocks[i].shape in STATEMENTS),
        text=text,
    )


# What may be told, and what goes first


def _kept(document: Document, kinds: frozenset[str]) -> tuple[dict[int, tuple[str, ...]], set[int]]:
    """The statements that may be told elsewhere, by their block, with their lines; and the blocks that may not."""
    text = "".join(document.lines)
    starts = [0]
    for line in document.lines:
        starts.append(starts[-1] + len(line))
    secret = [(start, end) for _, start, end in findings(text, kinds)]
    ours = set(own_lines(document))
    kept: dict[int, tuple[str, ...]] = {}
    private: set[int] = set()
    for index, block in enumerate(document.blocks):
        if block.shape not in _TOLD or ours.intersection(range(block.first, block.end)):
            continue
        first, end = starts[block.first], starts[block.end]
        # Without what only machines read.
        lines = tuple(words_of(OURS.sub("", bare(line))).rstrip() for line in document.lines[block.first : block.end])
        if any(start < end and first < stop for start, stop in secret) or holds_mask(text[first:end]):
            private.add(index)
        elif block.shape in STATEMENTS and any(line.strip() for line in lines):
            kept[index] = lines
    return kept, private


def _is_of_person(document: Document, index: int) -> bool:
    """Whether it stands under a heading that speaks of the owner: who they are, and how they want things done."""
    return any(headed(heading) in (USER, FEEDBACK) for heading in document.headings_of(document.blocks[index]))


def _rank(
    document: Document, kept: Kept, guarded: Sequence[str], corrected: Mapping[int, int], asked: Mapping[int, int]
) -> Callable[[int], tuple[int, int, int, int]]:
    """What goes first: pinned, protected, corrections, rules, all else, what is done; then what was asked for, then new."""
    protected, corrections = protected_blocks(document, guarded), set(corrected.values())

    def rank(index: int) -> tuple[int, int, int, int]:
        block, raw = document.blocks[index], "\n".join(kept[index])
        done = is_done(block.text, checked=block.checked)
        first = (
            is_pinned(raw) and index in protected,  # a pin that a program brought is a word
            index in protected,
            index in corrections and not done,
            any(headed(heading) == FEEDBACK for heading in document.headings_of(block)),
            not done,
            True,
        ).index(True)
        newest = max((day.toordinal() for day in days_in(raw)), default=0)
        return first, -asked.get(block.first, 0), -newest, index

    return rank


def _chosen(
    document: Document,
    kept: Kept,
    private: set[int],
    order: Sequence[int],
    corrected: Mapping[int, int],
    form: Form,
    room: tuple[int, int],
) -> set[int]:
    """The blocks that find room, each with the headings and items it hangs on; statements and what carries them."""
    chosen: set[int] = set()
    size, lines = room

    def enters(index: int) -> bool:
        nonlocal size, lines
        needed = [i for i in (index, *_carriers(document, index)) if i not in chosen]
        if any(i in private or (i not in kept and document.blocks[i].shape in STATEMENTS) for i in needed):
            return False  # it hangs on what is not told
        costs = [form.cost(i, kept.get(i, ())) for i in needed]
        more, more_lines = sum(cost for cost, _ in costs), sum(height for _, height in costs)
        if more > size or more_lines > lines:
            return False
        size, lines = size - more, lines - more_lines
        chosen.update(needed)
        return True

    for index in order:
        correction = corrected.get(index)
        if index not in chosen and (correction is None or correction in chosen or enters(correction)):
            enters(index)
    return chosen


def _carriers(document: Document, index: int) -> Iterator[int]:
    """What a block hangs on: list items, the header of its table, the headings above."""
    yield from _parents_of(document, index)
    heading = document.blocks[index].heading
    while heading is not None:
        yield heading
        heading = document.blocks[heading].heading


def _parents_of(document: Document, index: int) -> list[int]:
    found: list[int] = []
    parent = document.blocks[index].parent
    while parent is not None:
        found.append(parent)
        parent = document.blocks[parent].parent
    return found


# Corrections above what they correct


def _corrections_in(document: Document, kept: Mapping[int, Any]) -> dict[int, int]:
    """Which statement a later one gives another value or turns round, and which one that is, both by their blocks."""
    texts = {i: words_of(document.blocks[i].text) for i in kept}
    words = {i: bag(text) for i, text in texts.items()}
    often = Counter(term for terms in words.values() for term in terms)
    where: dict[str, list[int]] = {}
    for i, terms in words.items():
        for term in terms:
            if often[term] <= _FEW:  # only what few lines say can show that two of them are about the same thing
                where.setdefault(term, []).append(i)
    corrected: dict[int, int] = {}
    for new in sorted(texts):
        common = Counter(i for term in words[new] for i in where.get(term, ()) if i < new)
        for old, times in common.items():
            if times > 1 and relation(texts[old], texts[new]).kind in CHANGING:
                corrected[old] = new
    return corrected


def _in_order(document: Document, chosen: set[int], corrected: Mapping[int, int]) -> tuple[int, ...]:
    """The blocks as they stand in the file, except that a correction stands above what it corrects."""
    order = sorted(chosen)
    for old, new in sorted(corrected.items()):
        if old not in chosen or order.index(new) < order.index(old):
            continue
        apart = _apart(document, new, old)
        if apart is not None:
            below, above = apart
            moving = [i for i in order if i == below or below in _parents_of(document, i)]
            order = [i for i in order if i not in moving]
            at = order.index(above)
            order[at:at] = moving
    return _without_empty_sections(document, order)


def _apart(document: Document, new: int, old: int) -> tuple[int, int] | None:
    """The item to move and the one to move it before: siblings, or the outermost items of two lists."""
    mine, theirs = [new, *_parents_of(document, new)], [old, *_parents_of(document, old)]
    common = next((i for i in mine if i in theirs), None)
    if common in (new, old):  # the one hangs on the other: they are read together
        return None
    if common is not None:
        return mine[mine.index(common) - 1], theirs[theirs.index(common) - 1]
    rows = Shape.ROW in (document.blocks[new].shape, document.blocks[old].shape)
    return None if rows else (mine[-1], theirs[-1])  # a row cannot leave its table


def _without_empty_sections(document: Document, order: Sequence[int]) -> tuple[int, ...]:
    """A heading from which its only line moved away says nothing any more."""
    kept: list[int] = []  # from the end
    for index in reversed(order):
        block, below = document.blocks[index], document.blocks[kept[-1]] if kept else None
        ended = below is None or (below.shape is Shape.HEADING and below.level <= block.level)
        if block.shape is not Shape.HEADING or not ended:
            kept.append(index)
    return tuple(reversed(kept))


# How it looks


@dataclass(frozen=True, slots=True)
class MarkdownForm:
    """Markdown as it stands in memory, `deeper` levels further down, below a head of its own."""

    document: Document
    measure: Callable[[str], int]
    head: tuple[str, ...] = ()
    deeper: int = 0

    def cost(self, index: int, lines: tuple[str, ...]) -> tuple[int, int]:
        """The size and the lines that a block takes at most."""
        apart = [""] if self._is_apart(index) else []
        return _cost([*apart, *_block_lines(self.document, index, lines, self.deeper)], self.measure)

    def whole(self, order: Sequence[int], kept: Kept, note: str) -> str:
        out = list(self.head)
        blocks = self.document.blocks
        above = -1
        for index in order:
            touches = above >= 0 and blocks[above].end == blocks[index].first and not self._blank_above(index)
            if out and self._is_apart(index) and not touches:
                out.append("")
            out += _block_lines(self.document, index, kept.get(index, ()), self.deeper)
            above = index
        return _joined([*out, "", note] if note else out)

    def _is_apart(self, index: int) -> bool:
        """Whether a blank line may have to stand above it."""
        shape = self.document.blocks[index].shape
        return shape in _APART or shape is Shape.HEADING or self._blank_above(index)

    def _blank_above(self, index: int) -> bool:
        first = self.document.blocks[index].first
        return first > 0 and not self.document.lines[first - 1].strip()


@dataclass(frozen=True, slots=True)
class SectionsForm:
    """Hermes: an entry for every section, its headings in one line, entries apart by §. No blank lines: each costs one.

    A line that is nothing but § would divide an entry and says nothing; it is left out.
    """

    document: Document

    def measure(self, text: str) -> int:
        return len(text)

    def cost(self, index: int, lines: tuple[str, ...]) -> tuple[int, int]:
        """The size and the lines that a block takes at most."""
        heading = self.document.blocks[index].shape is Shape.HEADING
        return _cost(["§", self._headings(index)] if heading else self._dense(index, lines), len)

    def whole(self, order: Sequence[int], kept: Kept, note: str) -> str:
        out: list[str] = [] if order else ["§"]
        due = ["§"]  # what the next statement needs above it: a section that says nothing itself gets no entry
        for index in order:
            if self.document.blocks[index].shape is Shape.HEADING:
                due = ["§", self._headings(index)]
            else:
                out += [*due, *self._dense(index, kept.get(index, ()))]
                due = []
        return _joined([*out, "§", note] if note else out)

    def _dense(self, index: int, lines: tuple[str, ...]) -> list[str]:
        return [line for line in _block_lines(self.document, index, lines, 0) if line.strip() not in ("", "§")]

    def _headings(self, index: int) -> str:
        """The headings of a section in one line, without the title of the file."""
        block = self.document.blocks[index]
        return " › ".join((*filter(None, self.document.headings_of(block)[1:]), block.text))


Form = MarkdownForm | SectionsForm


_MEASURES: Mapping[str, Callable[[str], int]] = {
    "openclaw": count_units,
    "claude-code": lambda text: len(to_bytes(text)),
}


def _form(host: str, document: Document) -> Form:
    if host in ("hermes", "hermes-user"):
        return SectionsForm(document)
    if (
        host in SECTIONS
    ):  # a chapter: its title is of the second level, and the memory's own headings begin at the third
        levels = [block.level for block in document.blocks if block.shape is Shape.HEADING]
        title = say_in(language_of(block.text for block in document.blocks), "projection.title")
        return MarkdownForm(document, len, (f"## {title}",), max(0, 3 - min(levels, default=3)))
    return MarkdownForm(document, _MEASURES.get(host, len))


def _front(language: str) -> str:
    """What tells Cursor that a rule is for every conversation."""
    return f"---\ndescription: {say_in(language, 'projection.title')}\nalwaysApply: true\n---\n"


def _block_lines(document: Document, index: int, lines: tuple[str, ...], deeper: int) -> Sequence[str]:
    block = document.blocks[index]
    if block.shape is Shape.HEADING:
        return [f"{'#' * min(6, block.level + deeper)} {block.text}"]
    if block.shape is Shape.HEADER:
        return [bare(line).rstrip() for line in document.lines[block.first : block.end]]
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _cost(lines: Sequence[str], measure: Callable[[str], int]) -> tuple[int, int]:
    return measure(_joined(lines)), len(lines)


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
