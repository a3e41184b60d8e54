"""Articles that somebody pasted: long paragraphs below a link in which nobody says I or you.

Two signs together, because each alone is a person's: owners write at length about themselves, and owners keep links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from reverie.lang import words
from reverie.text.markdown import Document, Shape

_FEWEST = 3  # paragraphs of an article
_LONG = 240  # characters of one; a script without spaces needs a third
_PERSONAL = 4  # one paragraph in so many may speak of a person: "I was there", said the mayor
_LINK = re.compile(r"https?://\S")
_SAID = re.compile(r"\"[^\"\n]{0,600}\"|“[^”\n]{0,600}”|„[^“\n]{0,600}“|«[^»\n]{0,600}»|「[^」\n]{0,600}」")
_WORD = re.compile(r"[^\W\d_]+")


def pasted_blocks(document: Document) -> frozenset[int]:
    """The paragraphs of a note that were pasted below a link."""
    found: set[int] = set()
    for is_prose, run in groupby(enumerate(document.blocks), key=lambda item: item[1].shape is Shape.PARAGRAPH):
        if not is_prose:
            continue
        indexed = list(run)
        before = document.blocks[indexed[0][0] - 1].text if indexed[0][0] else ""
        found.update(indexed[i][0] for i in pasted([block.text for _, block in indexed], before))
    return frozenset(found)


def pasted(paragraphs: Sequence[str], before: str = "") -> frozenset[int]:
    """Which paragraphs are an article's: those that follow one with a link (or `before`, if it has one)."""
    links = [i for i, text in enumerate((before, *paragraphs)) if _LINK.search(text)]
    if not links or len(paragraphs) < _FEWEST:
        return frozenset()
    return frozenset(
        i for run in _long_runs(paragraphs) if links[0] <= run[0] and _is_article(paragraphs, run) for i in run
    )


def _long_runs(paragraphs: Sequence[str]) -> Iterator[range]:
    at = 0
    for is_long, run in groupby(paragraphs, key=lambda text: _length(text) >= _LONG):
        count = sum(1 for _ in run)
        if is_long and count >= _FEWEST:
            yield range(at, at + count)
        at += count


def _length(text: str) -> int:
    wide = sum("\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
    return len(text) + 2 * wide


def _is_article(paragraphs: Sequence[str], run: range) -> bool:
    return sum(_is_personal(paragraphs[i]) for i in run) * _PERSONAL <= len(run)


def _is_personal(text: str) -> bool:
    """Whether a paragraph speaks of its author or to its reader, outside of what it quotes."""
    bare = _SAID.sub(" ", text).casefold()
    spaced = set(_WORD.findall(bare))
    return any(
        word in bare if not word.isascii() and word[0] >= "\u2e80" else word in spaced for word in words("person.self")
    )
