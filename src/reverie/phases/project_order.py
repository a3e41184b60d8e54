"""The order of a projection: which lines correct others, and how a correction comes to stand above what it corrects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from reverie.judge.relation import Kind, relation
from reverie.markdown import Document, Shape
from reverie.promoted import words_of
from reverie.sense import bag

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


__all__ = ["corrections_in", "in_order", "parents_of"]
