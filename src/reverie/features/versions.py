"""Versions of one fact among the lines that were found: the newest stands first, the older ones say what took their place.

Search and recall ask the same. Whether two lines are about the same thing the learned judge says (`judge/worth.py`), what the form shows
`judge/relation.py`, which of them is newer the days of what they say, never those of files: a line of memory, which has no day, is older than any
note that says otherwise, unless a newer note says the same again. What the form shows a night would have changed, so there memory is as new as the last night.
`training/asking.py` fits the weights.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import numpy as np

from reverie.core.layout import imports_of
from reverie.evidence.encoder import encode
from reverie.evidence.index import spoken
from reverie.evidence.ranking import asked_for, held_by, is_memory
from reverie.evidence.search import Hit
from reverie.judge.compose import plain_line
from reverie.judge.relation import handles, says_otherwise, says_the_same
from reverie.judge.worth import about_same
from reverie.lang.lexicon import any_of
from reverie.text.terms import bag, plain, values_in, without_calendar
from reverie.workspace.values import Origin, Statement

OLDER, NEWER = 2, 10  # of the best lines those that may be outdated, and those that may have taken their place
BEFORE = 0.35  # chance from which a newer line stands before the older one,
ANSWERS = 0.02  # chance of a line that may stand before another
_TIME = re.compile(r"(?<!\d)\d{1,2}[:：]\d\d(?!\d)")
REPLACED = 0.9  # and from which the older one is marked as outdated


def newest_first(
    question: str, hits: Sequence[Hit], limit: int, since: str = "", valid: Container[Statement] | None = None
) -> tuple[Hit, ...]:
    """The order as it was, but the newest version of a fact stands before the older ones, which are marked.

    `since`: the day of the last night; none if there was none. `valid`: the lines in force; no other takes the place of one.
    """
    newer = _newer(question, hits, since, [hit for hit in hits if valid is None or hit.claim in valid])
    out: dict[Statement, Hit] = {}
    for hit in hits:
        if hit.claim in newer:
            new = newer[hit.claim][0]  # what took a line's place answers as likely as that did
            out.setdefault(new.claim, replace(new, score=max(new.score, hit.score), chance=max(new.chance, hit.chance)))
        out.setdefault(hit.claim, hit)
    outdated = {claim: new.place for claim, (new, chance) in newer.items() if chance >= REPLACED}
    return tuple(_marked(hit, outdated) for hit in list(out.values())[:limit])


def _marked(hit: Hit, outdated: Mapping[Statement, str]) -> Hit:
    if hit.claim in outdated:
        return replace(hit, current=False, superseded_by=outdated[hit.claim])
    return replace(hit, current=True) if hit.place in outdated.values() else hit


def _newer(question: str, hits: Sequence[Hit], since: str, newest: Sequence[Hit]) -> dict[Statement, tuple[Hit, float]]:
    """For each line that a newer one may have replaced, the newest that may, and how likely that is.

    Invoice 12 is no newer word on invoice 11 for somebody who asked for 11.
    """
    named = {value for value in values_in(question) if any(map(str.isdigit, value))}
    asked = [
        (old, new)
        for old in hits
        for new in newest
        if not named & values_in(old.claim.text) - values_in(new.claim.text)
        and not is_old_import(old.claim, new.claim, since)
    ]
    shown = [(old, new) for old, new in asked if _shows(old, new, since)]
    pairs = [(old, new) for old, new in asked if old in hits[:OLDER] and new in hits[:NEWER] and may_replace(old, new)]
    chances = chances_of(np.array(figures(question, pairs)), _weights()).tolist() if pairs else ()
    likely = [(*pair, one) for pair, one in zip(pairs, chances, strict=True)]
    likely = [one for one in likely if one[2] >= BEFORE and one[1].chance >= ANSWERS]
    again: dict[Statement, str] = {}  # the last day on which a line was said again
    same = {(old.claim, new.claim) for old, new in asked if new is not old and _repeats(old, new)}
    same |= {(old.claim, new.claim) for old, new, _ in likely if _confirms(old, new)}
    for one, other in same:
        again[one] = max(other.day, again.get(one, ""))
    changes = [*likely, *((old, new, 1.0) for old, new in shown)]
    changes = [one for one in changes if (one[0].claim, one[1].claim) not in same]
    found: dict[Statement, tuple[Hit, float]] = {}
    for old, new, chance in sorted(changes, key=lambda one: (_day(one[1], since), one[1].claim.first)):
        if _day(new, since) >= again.get(old.claim, ""):
            found[old.claim] = new, max(chance, found.get(old.claim, (new, 0.0))[1])
    return found


def is_old_import(old: Statement, new: Statement, since: str) -> bool:
    """Whether this was said in another system, and not after the last night: then it is no newer word on a line of memory."""
    return is_memory(old) and bool(imports_of(new.path)) and not "" < since < new.day


def _day(hit: Hit, since: str) -> str:
    return hit.claim.day or (since if is_memory(hit.claim) else "")


def _shows(old: Hit, new: Hit, since: str) -> bool:
    """Whether the form alone shows that the newer line is the older one with another value, or turned round."""
    one, other = new.claim, old.claim
    if not _day(new, since) > _day(old, since) or one.origin is not Origin.OWNER or one.parents != other.parents:
        return False
    if _moved(other.text, one.text):
        return True
    if handles(other.text).isdisjoint(handles(one.text)):
        return False  # cheap, and most pairs of results are strangers
    subjects = _subject(one.heading), _subject(other.heading)
    if all(subjects) and subjects[0] != subjects[1] and one.day and other.day:
        return False
    return says_otherwise(other.text, one.text)


def _moved(old: str, new: str) -> bool:
    """Whether a line only says what the older one speaks of, that it changed, and to which other time."""
    times = _TIME.findall(old), _TIME.findall(new)
    changed = any_of("specifics.changed")
    if not (len(times[0]) == len(times[1]) == 1 and times[0] != times[1] and changed.search(new)):
        return False
    words = {word for word in bag(_TIME.sub(" ", changed.sub(" ", new))) if len(word) > 1}
    return bool(words) and words <= bag(old)


@lru_cache(maxsize=1_000)
def _subject(heading: str) -> str:
    """The nearest heading without its date: nothing, if it only says which day it is."""
    return plain(without_calendar(heading.rpartition(" > ")[2]))


def may_replace(old: Hit, new: Hit) -> bool:
    """Whether days and origin allow it, and no form shows it."""
    if not new.claim.day > old.claim.day or new.claim.group is not old.claim.group:
        return False
    if new.claim.origin not in (Origin.OWNER, Origin.SESSION):  # a stranger's word never takes the place of the owner's
        return False
    return not says_otherwise(old.claim.text, new.claim.text)  # what the form shows is decided by it


def _repeats(old: Hit, new: Hit) -> bool:
    """Whether a line says what the older one says, whatever the time at which it was noted."""
    return says_the_same(plain_line(old.claim.text), plain_line(new.claim.text))


def _confirms(old: Hit, new: Hit) -> bool:
    """Whether a line says values and no other than the older one has."""
    values = values_in(plain_line(new.claim.text))
    return bool(values) and new is not old and values <= values_in(plain_line(old.claim.text))


def figures(question: str, pairs: Sequence[tuple[Hit, Hit]]) -> list[tuple[float, ...]]:
    """By what (older, newer) pairs are told from pairs about two things, on scales of about one."""
    said = [(spoken(old.claim), spoken(new.claim)) for old, new in pairs]
    lines = list(dict.fromkeys(hit.claim.text for pair in pairs for hit in pair))
    *known, asked = encode([*lines, question])
    vectors = dict(zip(lines, (one.sentence for one in known), strict=True))
    about = zip(about_same(said, None), about_same(said, encode), strict=True)
    wanted, words = asked_for(question), bag(question)
    return [
        (*_figures(old, new, wanted), *_met(old.claim, new.claim, words), *map(_root, chances), *chances, *_cosines(vectors[old.claim.text], vectors[new.claim.text], asked.sentence))
        for (old, new), chances in zip(pairs, about, strict=True)
    ]  # fmt: skip


def _figures(old: Hit, new: Hit, wanted: frozenset[str]) -> tuple[float, ...]:
    """How likely each of the two answers, whether both hold what is asked for, and where they stand."""
    one, other = old.claim, new.claim
    held = held_by(one.text) & held_by(other.text)
    return (
        1.0, math.tanh((_odds(new) - _odds(old)) / 2), new.chance, old.chance, len(wanted & held) / len(wanted) if wanted else 0.0,
        float(bool(wanted & held_by(one.text)) and not wanted & held_by(other.text)), float(is_memory(one)),
        float(one.heading.rpartition(" > ")[2] == other.heading.rpartition(" > ")[2]), float("?" in other.text or "？" in other.text),
    )  # fmt: skip


def _met(old: Statement, new: Statement, asked: frozenset[str]) -> tuple[float, ...]:
    """What the two share: words of the question, other words, and values."""
    one, other = bag(f"{old.context} {old.text}"), bag(f"{new.context} {new.text}")
    values = values_in(old.text), values_in(new.text)
    return (
        len(asked & one & other) / max(len(asked & one), 1), len((one & other) - asked) / max(len(one), 1),
        len(one & other) / max(len(one | other), 1), float(all(values) and not values[0] & values[1]),
        float(bool(values[0] & values[1])), min(len(values[1]), 4) / 4,
    )  # fmt: skip


def _cosines(old: Any, new: Any, asked: Any) -> tuple[float, ...]:
    return float(old @ new), float(old @ asked), float(new @ asked)


def chances_of(rows: Any, weights: Mapping[str, Any]) -> Any:
    """How likely the newer line of each pair has taken the older one's place."""
    return 1 / (1 + np.exp(-(np.tanh(rows @ weights["into"]) @ weights["out"])))


def _root(chance: float) -> float:
    return math.sqrt(max(chance, 0.0))


def _odds(hit: Hit) -> float:
    chance = min(max(hit.chance, 1e-6), 1 - 1e-6)
    return math.log(chance / (1 - chance))


@cache
def _weights() -> Mapping[str, Any]:
    stored = json.loads((resources.files("reverie.evidence") / "data" / "newer.json").read_text("utf-8"))
    return {name: np.array(stored[name]) for name in ("into", "out")}
