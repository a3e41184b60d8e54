"""The small readings behind a model's advice: whether two lines are about one thing, whether one says that the other changed.

Each is a necessary sign, and none decides alone: `advice` puts them together, and what lacks its sign is asked of the owner.
"""

from __future__ import annotations

from datetime import date

from reverie.claim import Claim
from reverie.dates import absolute
from reverie.marks import is_footer, is_marked
from reverie.model import Entry, Origin, Snapshot, Source, short_id
from reverie.phases.compose import plain_line
from reverie.phases.near import Near, other_subject, same_key
from reverie.phases.relate import ENDS, Pair, is_over, is_pending, relation, says_otherwise
from reverie.sense import bag, is_negated, other_names, shared, values_in
from reverie.told import time_in


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
    old, new = near.old, near.new
    other = bool(values_in(old)) and bool(values_in(new) - values_in(old))
    return says_otherwise(new) or (other and shared(old, new) >= 0.3) or (is_pending(old) and not is_pending(new))


def says_over(near: Near) -> bool:
    return is_over(near.new) or relation(near)[0] == ENDS


def same_fact(one: str, other: str) -> bool:
    """Nothing of the one is missing from the other: its values, its names, whether it is so; and most of its words."""
    if is_negated(one) != is_negated(other) or values_in(other) - values_in(one) or other_names(one, other):
        return False
    return not other_subject(one, other) and shared(one, other) >= 0.45


def contradict(one: str, other: str) -> bool:
    """They have a word in common, and another value or a "not"."""
    if one == other or not bag(one) & bag(other):
        return False
    return values_in(one) != values_in(other) or is_negated(one) != is_negated(other) or shared(one, other) >= 0.3
