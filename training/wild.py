"""Pairs as they meet in a notebook, where most lines have nothing to do with each other: made from the labelled texts.

A text is only paired with texts of its own fold, so that what is tried on a fold was never seen on either side. A few are
nearest neighbours rather than strangers; some of those are in truth related, so they count less.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from reverie.phases.pair_features import RARITIES, bucket, trimmed
from reverie.terms import terms

STRANGERS, NEIGHBOURS = 20, 4  # for each labelled pair
_PERSON = re.compile(
    r"(?<![.!?] )(?<!^)\b[A-ZА-Я][a-zа-яäöüéñ]{2,}\b|(?<![\w])小[\u4e00-\u9fff]|老[\u4e00-\u9fff](?=[的在住喜要对])"
)


def wild_pairs(
    pairs: list[dict[str, Any]], lines: Sequence[dict[str, Any]], folds: tuple[Any, Any], embed: Any
) -> list[dict[str, Any]]:
    """For each labelled pair, one of its lines beside strangers and near neighbours in the same language."""
    pool = defaultdict(list)
    for row, fold in zip(pairs, folds[0], strict=True):
        pool[_lang(row), int(fold)] += [(row["old"], row["place"]), (row["new"], row["place"])]
    for row, fold in zip(lines, folds[1], strict=True):
        pool[_lang(row), int(fold)].append((row["text"], -1))
    rows = {key: embed([trimmed(text) for text, _ in texts]) for key, texts in pool.items()}
    chosen = np.random.RandomState(7)
    found = []
    for number, (row, fold) in enumerate(zip(pairs, folds[0], strict=True)):
        key, side = (_lang(row), int(fold)), ("old", "new")[number % 2]
        near = np.argsort(-(rows[key] @ embed([trimmed(row[side])])[0]), kind="stable")
        others = [at for at in near if pool[key][at][1] != row["place"] and pool[key][at][0] != row[side]]
        for count, at in enumerate([*others[:NEIGHBOURS], *chosen.choice(others, STRANGERS)]):
            text = pool[key][at][0]
            old, new = (row["old"], text) if side == "old" else (text, row["new"])
            found.append(
                {**row, "old": old, "new": new, "relation": "unrelated", "fold": int(fold), "near": count < NEIGHBOURS}
            )
    return found


def others_of_a_frame(pairs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same sentence about somebody else: both are true."""
    people: dict[str, list[str]] = defaultdict(list)
    for row in pairs:
        people[row["lang"]] += _PERSON.findall(row["old"])
    found = []
    for number, row in enumerate(pairs):
        names = _PERSON.findall(row["old"])
        other = people[row["lang"]][number * 7 % len(people[row["lang"]])] if people[row["lang"]] else ""
        if len(names) == 1 and other and other != names[0]:
            found.append({**row, "new": row["old"].rstrip(".。").replace(names[0], other), "relation": "coexist"})
    return found


def rarity(texts: list[str]) -> Any:
    """How rare each term is in these texts, from 0 to 1, by bucket; a term never seen is the rarest."""
    seen = Counter(bucket(term) for text in set(texts) for term in set(terms(trimmed(text))))
    count = np.array([seen.get(at, 0) for at in range(RARITIES)])
    size = len(set(texts))
    return (np.log(size / (count + 1)) / np.log(size)).astype(np.float32)


def _lang(row: dict[str, Any]) -> str:
    return "zh" if row["lang"] == "zh-en" else str(row["lang"])
