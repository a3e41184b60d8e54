"""Memories that belong together: about how answers look, about one word, or under one heading of the owner's.

Words decide, because a cluster that a person cannot name is no cluster. A memory stands in one group only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reverie.headings import plain_heading
from reverie.lang.lexicon import valued
from reverie.marks import is_generic
from reverie.phases.labels import speaks_of_answers
from reverie.quoted import Said
from reverie.sense import bag, values_in
from reverie.stopwords import STOP_WORDS
from reverie.terms import stem

DENSE = 3  # memories that make a group worth a page of its own
COMMON = 0.5  # a word in more than this share of all says nothing about any of them
_FRAMES = frozenset(("rule / fact", "why", "how to apply"))
Group = tuple[str, tuple[Said, ...]]


def related(lines: Sequence[Said], answers: str) -> list[Group]:
    """Groups of three and more with their names; `answers` names the one about how they look. What is left alone is left out."""
    left = list(lines)
    groups: list[Group] = []
    _take(groups, left, answers, [one for one in left if speaks_of_answers(one.text)])
    while word := _commonest(left, len(lines)):
        _take(groups, left, _spelt(word, left), [one for one in left if word in bag(one.text)])
    for heading in dict.fromkeys(one.headings[-1] for one in left if one.headings):
        if plain_heading(heading) not in _FRAMES and not is_generic(heading):
            _take(groups, left, heading, [one for one in left if one.headings and one.headings[-1] == heading])
    return groups


def _take(groups: list[Group], left: list[Said], name: str, found: list[Said]) -> None:
    if len(found) >= DENSE:
        groups.append((name, tuple(found)))
        left[:] = [one for one in left if one not in found]


def _commonest(lines: Sequence[Said], all_of_them: int) -> str:
    """The word that most of these share, if three do; the longer one of two, then the first in the alphabet."""
    counts = Counter(word for one in lines for word in bag(one.text) if _names(word))
    dense = [word for word, count in counts.items() if DENSE <= count <= max(DENSE, COMMON * all_of_them)]
    return max(dense, key=lambda word: (counts[word], len(word), word), default="")


def _names(word: str) -> bool:
    """Whether a word can be what something is about: no function word, no numeral, no single character."""
    wide = any("\u3040" <= char <= "\u9fff" for char in word)
    counts = values_in(word) or any(word == stem(said) for said, _ in valued("hints"))  # four, fourth
    return (len(word) == 2 if wide else len(word) > 3) and word not in STOP_WORDS and not counts


def _spelt(word: str, lines: Sequence[Said]) -> str:
    """A word as the owner writes it where it stands first."""
    for one in lines:
        for said in one.text.replace("/", " ").split():
            bare = said.strip(".,;:!?()[]\"'“”„`*—–").casefold()
            if stem(bare) == word:
                return bare[:1].upper() + bare[1:]
    return word
