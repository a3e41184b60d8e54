"""The order of a projection: which lines correct others, and how a correction comes to stand above what it corrects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reverie.markdown import Document, Shape
from reverie.phases.current import FEW, Said, overtaken, tells_change
from reverie.promoted import words_of
from reverie.sense import bag

Embed = Callable[[Sequence[str]], Any]


def corrections_in(document: Document, kept: Mapping[int, Any], embed: Embed | None) -> dict[int, int]:
    """Which statement another one corrects, and which one that is, both by their blocks."""
    indexes = list(kept)
    texts = {i: words_of(document.blocks[i].text) for i in indexes}
    telling = [i for i in indexes if tells_change(texts[i])]
    if not telling:
        return {}
    words = {i: bag(text) for i, text in texts.items()}
    often = Counter(term for terms in words.values() for term in terms)
    where: dict[str, list[int]] = {}
    for i, terms in words.items():
        for term in terms:
            if often[term] <= FEW:  # only what few lines say can show that two of them are about the same thing
                where.setdefault(term, []).append(i)
    corrected: dict[int, int] = {}
    for new in telling:
        common = Counter(i for term in words[new] for i in where.get(term, ()) if i != new)
        near = sorted(i for i, times in common.items() if times > 1)
        facts = [Said(texts[i], "", "MEMORY.md", i, memory=True) for i in near]
        found = overtaken(facts, [Said(texts[new], "", "MEMORY.md", new, memory=True)], often.__getitem__, embed)
        corrected.update({near[at]: new for at in found})
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


__all__ = ["Embed", "corrections_in", "in_order", "parents_of"]
