"""Whether a wording has its source's marks: commas, brackets, what glues a number together, capitals. Words alone do not tell.

“Used no longer for glaze, firings only” has every word of “no longer used for glaze firings, only …” where it should be, and an
ornament that only a machine reads (a marker, a pin, a character without width) is no word at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W_]+|[%€$£¥°<>≤≥≠=→←±~]|(?<!\w)[-−](?=\d)")
_CLAUSE = re.compile(r"(?<!\d),|,(?!\d)|[，;；。！？!?、()（）「」『』\[\]]|[.:：](?=\s|$)|\s[–—-]\s|\n")
_WIDE = str.maketrans("，；：！？（）。、“”„‘’", ',;:!?().,"""\'\'')
_PARTS = frozenset(",;:.!?()-–—")  # marks that part clauses
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written, where it stands, and in which clause."""

    written: str
    first: int
    end: int
    clause: int

    @property
    def plain(self) -> str:
        return self.written.casefold()


@lru_cache(maxsize=4_096)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text. Clauses are counted from one mark that parts them to the next, empty ones not at all."""
    ends = [found.end() for found in _CLAUSE.finditer(text)]
    found: list[Word] = []
    clause, passed = 0, 0
    for token in _TOKEN.finditer(text):
        before = sum(1 for end in ends if end <= token.start())
        clause += bool(found) and before > passed
        passed = before
        found.append(Word(token[0], token.start(), token.end(), clause))
    return tuple(found)


def other_marks(text: str, source: str, pairs: Sequence[tuple[int, int]], lead: str) -> bool:
    """Whether the marks or capitals of the text are not its source's. `pairs` are places of words that both have.

    With a `lead`, the heading that lends a subject, a colon parts it from what is said.
    """
    mine, its = words_of(text), words_of(source)
    (first, start), (last, end) = pairs[0], pairs[-1]
    before, behind = _marks(text[: mine[first].first], mine[:first]), text[mine[last].end :]
    opening = _marks(source[: its[start].first]) if start == 0 else ""
    lent = [f"{mark}:" for mark in ("", _marks(lead, words_of(lead)))]
    return (
        before not in (lent if lead else ("", opening))
        or _ends_otherwise(_marks(behind, words_of(behind)), _marks(source[its[end].end :]), whole=end == len(its) - 1)
        or any(_parted(text, source, one, other) for one, other in pairwise(pairs))
        or any(_cased(mine, its, at, to, first) for at, to in pairs)
    )


def _marks(text: str, words: Sequence[Word] = ()) -> str:
    """What is neither a word nor a space, in order."""
    for word in words:
        text = text.replace(word.written, " ", 1)
    return "".join(text.translate(_WIDE).split())


def _ends_otherwise(mine: str, its: str, *, whole: bool) -> bool:
    if "?" in its:  # a question without its mark is a statement
        return mine != its
    return mine not in ("", ".", *([its] if whole else []))


def _parted(text: str, source: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether something else stands between two words than in the source."""
    mine, its = words_of(text), words_of(source)
    gap, was = text[mine[one[0]].end : mine[other[0]].first], source[its[one[1]].end : its[other[1]].first]
    added, left = mine[one[0] + 1 : other[0]], its[one[1] + 1 : other[1]]
    marks, had = _marks(gap, added), _marks(was, left)
    if not added and not left:
        east = _EAST.match(mine[one[0]].written) or _EAST.match(mine[other[0]].written)
        return marks != had or (bool(gap) != bool(was) and not east)
    if added and had == ":":  # “supplier: Brandner” may become “the supplier is Brandner”
        return marks not in ("", ":")
    had = had.replace("()", "")
    if "?" in had and "?" not in marks:
        return True
    return not set(marks) <= set(had) or bool(set(had) & _PARTS) != bool(set(marks) & _PARTS)


def _cased(mine: Sequence[Word], its: Sequence[Word], at: int, to: int, first: int) -> bool:
    """Whether a word has another case: only the first letter, and only where a sentence or a clause begins."""
    one, other = mine[at].written, its[to].written
    if one == other:
        return False
    begins = at == first or to == 0 or its[to].clause != its[to - 1].clause
    return not begins or one[1:] != other[1:]
