"""How a projection looks in each host: plain Markdown, blocks between §, a chapter of somebody else's AGENTS.md.

One memory for another host: its budget, its form, and what finds room there.

What does not fit is left out whole, by worth: what is pinned or protected stays first, then corrections and rules, then
what was asked for and what is newest. A line that another one corrects enters only together with its correction, and below
it. What holds a secret or personal data stays where it is.

The order of a projection: which lines correct others, and how a correction comes to stand above what it corrects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reverie.core.settings import Project, Settings
from reverie.features.classify.memories import FEEDBACK, headed
from reverie.judge.relation import Kind, relation
from reverie.lang.detect import language_of
from reverie.privacy.redact import findings, holds_mask
from reverie.text.comparing import bag
from reverie.text.lines import bare, count_units
from reverie.text.markdown import STATEMENTS, Document, Shape
from reverie.text.marks import days_in, is_done, is_pinned
from reverie.text.protect import protected_blocks
from reverie.text.sections import OURS, own_lines
from reverie.workspace.openclaw_format import words_of
from reverie.workspace.projection import END, START, marked
from reverie.workspace.values import File, to_bytes

Lines = Mapping[int, tuple[str, ...]]
Measure = Callable[[str], int]
_APART = frozenset({Shape.PARAGRAPH, Shape.QUOTE, Shape.CODE, Shape.HEADER})  # would run into what stands above them
MEMORY = {
    "en": "Memory", "zh": "记忆", "de": "Gedächtnis", "es": "Memoria", "fr": "Mémoire", "pt": "Memória", "ru": "Память",
    "ja": "記憶", "ko": "기억",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """How a host counts, what a block costs at most (size and lines), and how the whole text is put together."""

    measure: Measure
    cost: Callable[[int, tuple[str, ...]], tuple[int, int]]
    whole: Callable[[Sequence[int], Lines, str], str]


def plain_form(document: Document, measure: Measure, head: Sequence[str] = (), deeper: int = 0) -> Form:
    """Markdown as it stands in memory, `deeper` levels further down, below a head of its own."""

    def cost(index: int, lines: tuple[str, ...]) -> tuple[int, int]:
        told = [*([""] if _is_apart(document, index) else []), *_block_lines(document, index, lines, deeper)]
        return measure("".join(f"{line}\n" for line in told)), len(told)

    def whole(order: Sequence[int], kept: Lines, note: str) -> str:
        out: list[str] = list(head)
        above = -1
        for index in order:
            block = document.blocks[index]
            touches = above >= 0 and document.blocks[above].end == block.first
            if out and _is_apart(document, index) and not (touches and not _blank_above(document, index)):
                out.append("")
            out += _block_lines(document, index, kept.get(index, ()), deeper)
            above = index
        out += ["", note] if note else []
        return "".join(f"{line}\n" for line in out)

    return Form(measure, cost, whole)


def agents_form(document: Document) -> Form:
    """A chapter: its title is of the second level, and the memory's own headings begin at the third."""
    levels = [block.level for block in document.blocks if block.shape is Shape.HEADING]
    title = MEMORY[language_of(block.text for block in document.blocks)]
    return plain_form(document, len, (f"## {title}",), max(0, 3 - min(levels, default=3)))


def blocks_form(document: Document) -> Form:
    """Hermes: an entry for every section, its headings in one line, entries apart by §. No blank lines: each costs one.

    A line that is nothing but § would divide an entry and says nothing; it is left out.
    """

    def cost(index: int, lines: tuple[str, ...]) -> tuple[int, int]:
        block = document.blocks[index]
        if block.shape is Shape.HEADING:
            return len(f"§\n{_path(document, index)}\n"), 2
        told = _dense(document, index, lines)
        return sum(len(line) + 1 for line in told), len(told)

    def whole(order: Sequence[int], kept: Lines, note: str) -> str:
        out: list[str] = [] if order else ["§"]
        due = ["§"]  # what the next statement needs above it: a section that says nothing itself gets no entry
        for index in order:
            if document.blocks[index].shape is Shape.HEADING:
                due = ["§", _path(document, index)]
                continue
            out += [*due, *_dense(document, index, kept.get(index, ()))]
            due = []
        out += ["§", note] if note else []
        return "".join(f"{line}\n" for line in out)

    return Form(len, cost, whole)


def _dense(document: Document, index: int, lines: tuple[str, ...]) -> list[str]:
    return [line for line in _block_lines(document, index, lines, 0) if line.strip() not in ("", "§")]


def _path(document: Document, index: int) -> str:
    """The headings of a section in one line, without the title of the file."""
    block = document.blocks[index]
    above = [text for text in document.headings_of(block)[1:] if text]
    return " › ".join((*above, block.text))


def _block_lines(document: Document, index: int, lines: tuple[str, ...], deeper: int) -> Sequence[str]:
    block = document.blocks[index]
    if block.shape is Shape.HEADING:
        return [f"{'#' * min(6, block.level + deeper)} {block.text}"]
    if block.shape is Shape.HEADER:
        return [bare(line).rstrip() for line in document.lines[block.first : block.end]]
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def _is_apart(document: Document, index: int) -> bool:
    """Whether a blank line may have to stand above it."""
    block = document.blocks[index]
    return block.shape in _APART or block.shape is Shape.HEADING or _blank_above(document, index)


def _blank_above(document: Document, index: int) -> bool:
    first = document.blocks[index].first
    return first > 0 and not document.lines[first - 1].strip()


LEFT_OUT = {
    "en": "Memories left out here for want of room: {n}", "zh": "因篇幅所限，此处省略的记忆：{n} 条",
    "de": "Hier aus Platzgründen ausgelassene Erinnerungen: {n}", "es": "Recuerdos omitidos aquí por falta de espacio: {n}",
    "fr": "Souvenirs omis ici faute de place : {n}", "pt": "Memórias omitidas aqui por falta de espaço: {n}",
    "ru": "Здесь не хватило места для записей: {n}", "ja": "紙幅の都合で省いた記憶：{n} 件", "ko": "자리가 부족해 여기서 뺀 기억: {n}",
}  # fmt: skip
SIZES = {"claude-code": 25_000, "hermes": 2_200, "agents-md": 8_000}  # in the host's own measure; OpenClaw's is set
LINES = {"claude-code": 200}
_SAID = STATEMENTS | {Shape.HEADING, Shape.HEADER}


@dataclass(frozen=True, slots=True)
class Projection:
    """The text for a host, its marker included, and what found no room in it."""

    text: str
    size: int
    limit: int
    lines: int
    entries: int
    omitted: int
    withheld: int


def project_memory(
    memory: File | None,
    target: Project,
    settings: Settings,
    of: str,
    asked: Mapping[int, int],
) -> Projection:
    """MEMORY.md as this host gets it. `asked` says how often the statement at a line (from zero) was recalled."""
    document = memory.document if memory else Document((), ())
    form = _form(target.host, document)
    limit = target.chars or SIZES.get(target.host) or settings.memory.truncation
    most_lines = target.lines or LINES.get(target.host) or 10**9
    kept, private = _kept(document, settings.privacy.kinds)
    withheld = sum(1 for i in private if document.blocks[i].shape in STATEMENTS)
    corrected = corrections_in(document, kept)
    order = sorted(kept, key=_rank(document, kept, settings.protected_sections, corrected, asked))
    said = LEFT_OUT[language_of(document.blocks[i].text for i in kept)]
    around, around_lines = (len(START) + len(END) + 2, 2) if target.host == "agents-md" else (0, 0)
    empty = marked(form.whole((), {}, ""), of)
    for note in ("", said.format(n=len(kept))):  # room for the last line is only kept when it is needed
        frame = marked(form.whole((), {}, note), of)
        room = (limit - form.measure(frame) - around, most_lines - frame.count("\n") - around_lines)
        chosen = _chosen(document, kept, private, order, corrected, form, room)
        if len(chosen & kept.keys()) == len(kept):
            break
    entries = len(chosen & kept.keys())
    omitted = len(kept) - entries
    lines = in_order(document, chosen, corrected)
    body = form.whole(lines, kept, said.format(n=omitted) if omitted else "")
    text = marked(body, of) if lines or omitted else empty
    size, height = form.measure(text) + around, text.count("\n") + around_lines
    return Projection(text, size, limit, height, entries, omitted, withheld)


def _form(host: str, document: Document) -> Form:
    if host == "hermes":
        return blocks_form(document)
    if host == "agents-md":
        return agents_form(document)
    return plain_form(document, count_units if host == "openclaw" else lambda text: len(to_bytes(text)))


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
        if block.shape not in _SAID or ours.intersection(range(block.first, block.end)):
            continue
        first, end = starts[block.first], starts[block.end]
        lines = tuple(_told(line) for line in document.lines[block.first : block.end])
        if any(start < end and first < stop for start, stop in secret) or holds_mask(text[first:end]):
            private.add(index)
        elif block.shape in STATEMENTS and any(line.strip() for line in lines):
            kept[index] = lines
    return kept, private


def _told(line: str) -> str:
    """A line without what only machines read."""
    return words_of(OURS.sub("", bare(line))).rstrip()


def _rank(
    document: Document,
    kept: Mapping[int, tuple[str, ...]],
    guarded: Sequence[str],
    corrected: Mapping[int, int],
    asked: Mapping[int, int],
) -> Callable[[int], tuple[int, int, int, int]]:
    """What goes first: pinned, protected, corrections, rules, all else, what is done; then what was asked for, then new."""
    protected, corrections = protected_blocks(document, guarded), set(corrected.values())

    def rank(index: int) -> tuple[int, int, int, int]:
        block, raw = document.blocks[index], "\n".join(kept[index])
        done = is_done(block.text, checked=block.checked)
        kind = (
            0 if is_pinned(raw)
            else 1 if index in protected
            else 2 if index in corrections and not done
            else 3 if any(headed(heading) == FEEDBACK for heading in document.headings_of(block))
            else 5 if done
            else 4
        )  # fmt: skip
        newest = max((day.toordinal() for day in days_in(raw)), default=0)
        return kind, -asked.get(block.first, 0), -newest, index

    return rank


def _chosen(
    document: Document,
    kept: Mapping[int, tuple[str, ...]],
    private: set[int],
    order: Sequence[int],
    corrected: Mapping[int, int],
    form: Form,
    room: tuple[int, int],
) -> set[int]:
    """The blocks that find room, each with the headings and items it hangs on; statements and what carries them."""
    chosen: set[int] = set()
    units, lines = room

    def enters(index: int) -> bool:
        nonlocal units, lines
        needed = [i for i in (index, *_carriers(document, index)) if i not in chosen]
        if private.intersection(needed) or any(
            i not in kept and document.blocks[i].shape in STATEMENTS for i in needed
        ):
            return False  # it hangs on what is not told
        cost = [form.cost(i, kept.get(i, ())) for i in needed]
        if sum(c[0] for c in cost) > units or sum(c[1] for c in cost) > lines:
            return False
        units, lines = units - sum(c[0] for c in cost), lines - sum(c[1] for c in cost)
        chosen.update(needed)
        return True

    for index in order:
        correction = corrected.get(index)
        if index in chosen or (correction is not None and correction not in chosen and not enters(correction)):
            continue
        enters(index)
    return chosen


def _carriers(document: Document, index: int) -> list[int]:
    """What a block hangs on: list items, the header of its table, the headings above."""
    found = parents_of(document, index)
    heading = document.blocks[index].heading
    while heading is not None:
        found.append(heading)
        heading = document.blocks[heading].heading
    return found


FEW = 8  # lines that have a telling word, all versions of a fact counted


def corrections_in(document: Document, kept: Mapping[int, Any]) -> dict[int, int]:
    """Which statement a later one gives another value or turns round, and which one that is, both by their blocks."""
    texts = {i: words_of(document.blocks[i].text) for i in kept}
    words = {i: bag(text) for i, text in texts.items()}
    often = Counter(term for terms in words.values() for term in terms)
    where: dict[str, list[int]] = {}
    for i, terms in words.items():
        for term in terms:
            if often[term] <= FEW:  # only what few lines say can show that two of them are about the same thing
                where.setdefault(term, []).append(i)
    corrected: dict[int, int] = {}
    for new in sorted(texts):
        common = Counter(i for term in words[new] for i in where.get(term, ()) if i < new)
        for old, times in common.items():
            if times > 1 and relation(texts[old], texts[new]).kind in (Kind.UPDATE, Kind.TURNED):
                corrected[old] = new
    return corrected


def in_order(document: Document, chosen: set[int], corrected: Mapping[int, int]) -> tuple[int, ...]:
    """The blocks as they stand in the file, except that a correction stands above what it corrects."""
    order = sorted(chosen)
    for old, new in sorted(corrected.items()):
        if old not in chosen or order.index(new) < order.index(old):
            continue
        below, above = _apart(document, new, old)
        if below is None or above is None:
            continue
        moving = [i for i in order if i == below or below in parents_of(document, i)]
        order = [i for i in order if i not in moving]
        at = order.index(above)
        order[at:at] = moving
    return _without_empty_sections(document, order)


def _without_empty_sections(document: Document, order: Sequence[int]) -> tuple[int, ...]:
    """A heading from which its only line moved away says nothing any more."""
    kept: list[int] = []  # from the end
    for index in reversed(order):
        block, below = document.blocks[index], document.blocks[kept[-1]] if kept else None
        if block.shape is Shape.HEADING and (
            below is None or (below.shape is Shape.HEADING and below.level <= block.level)
        ):
            continue
        kept.append(index)
    return tuple(reversed(kept))


def _apart(document: Document, new: int, old: int) -> tuple[int | None, int | None]:
    """The item to move and the one to move it before: siblings, or the outermost items of two lists."""
    mine, theirs = [new, *parents_of(document, new)], [old, *parents_of(document, old)]
    common = next((i for i in mine if i in theirs), None)
    if common in (new, old):  # the one hangs on the other: they are read together
        return None, None
    if common is not None:
        return mine[mine.index(common) - 1], theirs[theirs.index(common) - 1]
    rows = Shape.ROW in (document.blocks[new].shape, document.blocks[old].shape)
    return (None, None) if rows else (mine[-1], theirs[-1])  # a row cannot leave its table


def parents_of(document: Document, index: int) -> list[int]:
    found: list[int] = []
    parent = document.blocks[index].parent
    while parent is not None:
        found.append(parent)
        parent = document.blocks[parent].parent
    return found


__all__ = [
    "Form",
    "Projection",
    "agents_form",
    "blocks_form",
    "corrections_in",
    "in_order",
    "parents_of",
    "plain_form",
    "project_memory",
]
