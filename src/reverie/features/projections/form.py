"""How a projection looks in each host: plain Markdown, blocks between §, a chapter of somebody else's AGENTS.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reverie.lang.detect import language_of
from reverie.text.lines import bare
from reverie.text.markdown import Document, Shape

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
        told = [*([""] if _is_apart(document, index) else []), *_told(document, index, lines, deeper)]
        return measure("".join(f"{line}\n" for line in told)), len(told)

    def whole(order: Sequence[int], kept: Lines, note: str) -> str:
        out: list[str] = list(head)
        above = -1
        for index in order:
            block = document.blocks[index]
            touches = above >= 0 and document.blocks[above].end == block.first
            if out and _is_apart(document, index) and not (touches and not _blank_above(document, index)):
                out.append("")
            out += _told(document, index, kept.get(index, ()), deeper)
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
    return [line for line in _told(document, index, lines, 0) if line.strip() not in ("", "§")]


def _path(document: Document, index: int) -> str:
    """The headings of a section in one line, without the title of the file."""
    block = document.blocks[index]
    above = [text for text in document.headings_of(block)[1:] if text]
    return " › ".join((*above, block.text))


def _told(document: Document, index: int, lines: tuple[str, ...], deeper: int) -> Sequence[str]:
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


__all__ = ["Form", "agents_form", "blocks_form", "plain_form"]
