"""The small readings behind a model's advice: whether two lines are about one thing, whether one says that the other changed.

Each is a necessary sign, and none decides alone: `advice` puts them together, and what lacks its sign is asked of the owner.
"""

from __future__ import annotations

import re
from datetime import date

from reverie.change_words import TENTATIVE, says_any
from reverie.claim import Claim
from reverie.dates import absolute
from reverie.marks import is_footer, is_marked
from reverie.model import Entry, Origin, Snapshot, Source, short_id
from reverie.phases.compose import plain_line
from reverie.phases.near import Near, key_of, other_subject, same_key
from reverie.phases.relate import Pair, is_over, is_pending, says_otherwise
from reverie.sense import bag, in_order, is_negated, shared, values_in
from reverie.told import time_in
from reverie.wording import overreach
from reverie.wording_marks import words_of

CLOSE = 0.25  # of their words in common, from which a word of change may be about the old line
_WOULD = re.compile(
    r"\b(?:if|unless|in case|wenn|falls|sofern|si|à moins|a menos|se|caso|если)\b|如果|要是|除非|假如|万一|もし|場合|만약|경우",
    re.I,
)


def entry_id(entry: Entry) -> str:
    """The name of a line of MEMORY.md in a question: its place and its words."""
    return short_id(f"{entry.block.first}\n{entry.text}")


def may_leave(entry: Entry) -> bool:
    """Whether a dream may take this line of MEMORY.md out at all."""
    plain_end = entry.block.tail == entry.block.end
    return (
        entry.origin is Origin.OWNER
        and plain_end
        and not (entry.protected or is_marked(entry.text) or is_footer(entry.text))
    )


def lines_by_id(snapshot: Snapshot) -> dict[str, Entry]:
    memory = snapshot.files.get(snapshot.memory_path)
    return {entry_id(entry): entry for entry in (memory.entries if memory else ())}


def sources_of(pair: Pair) -> tuple[Source, ...]:
    return pair.entry.source, pair.new.claim.source


def dated(claim: Claim) -> list[str]:
    """The claim's own words with its days written out, by each hour that it names."""
    if not claim.day:
        return []
    hours = {None, *(time_in(part) for part in (claim.text, *claim.heading.split(" > ")))}
    return [absolute(plain_line(claim.text), date.fromisoformat(claim.day), time=hour) for hour in hours]


def about_the_same(near: Near) -> bool:
    """The two lines have a telling word in common, and their subjects are not two things that look alike."""
    old, new = near.old, near.new
    if other_subject(old, new):
        return False
    return (
        same_key(old, new) or near.anchors >= 2 or (near.anchors >= 1 and near.cosine >= 0.4) or shared(old, new) >= 0.4
    )


def says_changed(near: Near) -> bool:
    """The new line says for certain that its subject is otherwise now, or exchanges the one value that the old line has."""
    old, new = near.old, near.new
    if _leaves_open(new) or not _begin_alike(old, new):
        return False
    told = says_otherwise(new) or (is_pending(old) and not is_pending(new))
    return (told and shared(old, new) >= CLOSE) or _exchanges(old, new)


def says_over(near: Near) -> bool:
    """The new line says for certain that something is gone, and most likely just what the old line speaks of."""
    old, new = near.old, near.new
    other = values_in(old) and values_in(new) - values_in(old)  # in 2022 we sold lamps, and in 2023 again
    sure = not other and not _leaves_open(new) and _begin_alike(old, new)
    return sure and is_over(new) and shared(old, new) >= CLOSE


def _leaves_open(new: str) -> bool:
    """It only tries, doubts, asks or says what would be."""
    return says_any(new, TENTATIVE) or bool(_WOULD.search(new)) or new.rstrip().endswith(("?", "？"))


def _begin_alike(old: str, new: str) -> bool:
    """What both speak of comes first in both: Ada lent it to Ben, and Ben owes Ada, are two things."""
    common = bag(old) & bag(new)
    return in_order(old, common)[:1] == in_order(new, common)[:1]


def _exchanges(old: str, new: str) -> bool:
    """The new line is all of the old one with one value exchanged: no word lost, nobody changing places, not in its name."""
    gone, come = values_in(old) - values_in(new), values_in(new) - values_in(old)
    if len(gone) != 1 or len(come) != 1 or not bag(old) <= bag(new) or gone & values_in(key_of(old)):
        return False  # Sensor 1 at 19 and Sensor 2 at 23 exchange two; Room 5 is not Room 6
    figures = [any(map(str.isdigit, value)) for value in (*gone, *come)]
    return figures[0] == figures[1] and _names(old, new) == _names(new, old)


def _names(text: str, other: str) -> list[str]:
    """What both write with a capital or without spaces, in the order of the first: from Ulm to Brenz is not from Brenz to Ulm."""
    known = {word.plain for word in words_of(other)}
    return [word.plain for word in words_of(text) if word.plain in known and not word.written[:1].islower()]


def same_fact(one: str, other: str) -> bool:
    """Nothing is lost with the other: the one has every word of it in its order, and no condition more."""
    return not overreach(other, [one])


def contradict(one: str, other: str) -> bool:
    """They have a word in common, and another value or a "not"."""
    if one == other or not bag(one) & bag(other):
        return False
    return values_in(one) != values_in(other) or is_negated(one) != is_negated(other) or shared(one, other) >= 0.3
