"""Chinese words of a set of lines, cut by how freely they stand: no dictionary, so new names are found too.

A string of two to six characters is a word when what stands left and right of it varies (branching entropy) while its
own characters hold together, and when no longer string explains it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log

from reverie.phases.theme_words import EVERYDAY, HAN_EDGES

LONGEST_WORD = 6
_FREE = 0.6  # nats on each side; two different neighbours in two places are 0.69
_EXPLAINED = 0.75  # a longer string in so many of its lines, and the shorter one is only its part
_EVERYDAY_HAN = frozenset(word for word in EVERYDAY if "\u4e00" <= word[0] <= "\u9fff")


def chinese_words(lines: Mapping[int, Sequence[str]], least: int) -> dict[str, set[int]]:
    """Every word that stands in at least `least` lines (numbers of lines → their runs of characters), with its lines."""
    places, left, right, single = _counted(lines, least)
    free = {
        gram: where
        for gram, where in places.items()
        if _entropy(left[gram]) >= _FREE and _entropy(right[gram]) >= _FREE and _holds_together(gram, places, single)
    }
    return {gram: where for gram, where in free.items() if not _explained(gram, where, free)}


def _counted(
    lines: Mapping[int, Sequence[str]], least: int
) -> tuple[dict[str, set[int]], dict[str, Counter[str]], dict[str, Counter[str]], Counter[str]]:
    places: dict[str, set[int]] = defaultdict(set)
    single: Counter[str] = Counter()
    for number, runs in lines.items():
        for run in runs:
            single.update(run)
            for gram, _, _ in _grams(run):
                places[gram].add(number)
    places = {gram: where for gram, where in places.items() if len(where) >= least}
    left: dict[str, Counter[str]] = defaultdict(Counter)
    right: dict[str, Counter[str]] = defaultdict(Counter)
    for number, runs in lines.items():
        for run in runs:
            for gram, start, stop in _grams(run):
                if gram in places:  # an edge of the run is a neighbour of its own each time: nothing binds there
                    left[gram][run[start - 1] if start else f"^{number}"] += 1
                    right[gram][run[stop] if stop < len(run) else f"${number}"] += 1
    return places, left, right, single


def _grams(run: str) -> list[tuple[str, int, int]]:
    return [
        (run[start:stop], start, stop)
        for start in range(len(run))
        if run[start] not in HAN_EDGES
        for stop in range(start + 2, min(start + LONGEST_WORD, len(run)) + 1)
        if run[stop - 1] not in HAN_EDGES and not _everyday(run[start:stop])
    ]


def _everyday(gram: str) -> bool:
    """An everyday word, or one that begins or ends with one and has nothing but a single character besides."""
    if _EVERYDAY_HAN.intersection((gram, gram[:-1], gram[1:])):
        return True
    return any(gram[:cut] in _EVERYDAY_HAN and gram[cut:] in _EVERYDAY_HAN for cut in range(2, len(gram) - 1))


def _entropy(neighbours: Counter[str]) -> float:
    total = neighbours.total()
    return -sum(n / total * log(n / total) for n in neighbours.values())


def _holds_together(gram: str, places: Mapping[str, set[int]], single: Counter[str]) -> bool:
    """Its first and last character meet far more often than chance would have it."""
    by_chance = single[gram[0]] * single[gram[-1]] / single.total()
    return len(places[gram]) > 3 * by_chance


def _explained(gram: str, where: set[int], free: Mapping[str, set[int]]) -> bool:
    return any(
        gram in longer and len(longer) > len(gram) and len(others & where) >= _EXPLAINED * len(where)
        for longer, others in free.items()
    )
