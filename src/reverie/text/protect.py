"""Which lines of MEMORY.md no dream may move: pinned, marked by the owner, or under a guarded heading.

Asked twice on purpose: the reader asks in order not to propose such an edit, the promises ask again before
every write, whoever proposed it.
"""

from __future__ import annotations

from collections.abc import Iterable

from reverie.text.managed import is_promotion_mark
from reverie.text.markdown import Document, Shape
from reverie.text.marks import is_marked, is_marked_heading, same_heading


def protected_blocks(document: Document, guarded: Iterable[str] = ()) -> frozenset[int]:
    """Blocks that are marked themselves, stand under a marked or guarded heading, or hang on a marked item.

    A parent of a marked sub-item is protected too: moving it would move the child.
    """
    names = tuple(guarded)
    found: set[int] = set()
    heirs: set[int] = set()  # protected blocks that protect what stands below them
    for index, block in enumerate(document.blocks):
        named = block.shape is Shape.HEADING and any(same_heading(block.text, name) for name in names)
        inherited = block.parent in heirs or block.heading in heirs
        if named or inherited or _is_marked(document, index):
            found.add(index)
            # `# Memory (IMPORTANT)` is a title: it would freeze the whole file.
            if named or inherited or not (block.shape is Shape.HEADING and block.level == 1):
                heirs.add(index)
    for index in sorted(found, reverse=True):
        parent = document.blocks[index].parent
        while parent is not None and parent not in found:
            found.add(parent)
            parent = document.blocks[parent].parent
    return frozenset(found)


def protected_lines(document: Document, guarded: Iterable[str] = ()) -> tuple[str, ...]:
    """The lines themselves, in order, with their endings; blank ones left out."""
    found = protected_blocks(document, guarded)
    indexes = sorted({i for index in found for i in range(document.blocks[index].first, document.blocks[index].end)})
    return tuple(document.lines[i] for i in indexes if document.lines[i].strip())


def _is_marked(document: Document, index: int) -> bool:
    block = document.blocks[index]
    if block.shape is Shape.HEADING:
        return is_marked_heading(block.text)
    raw = "".join(document.lines[block.first : block.end])
    return is_marked(raw) or is_marked(block.text) or is_promotion_mark(raw)
