"""Whether a new line says what an old one says, in these or in other words. Value-aware: another number is another fact."""

from __future__ import annotations

from reverie.change_words import MOVED, REPEATED, says_any
from reverie.cues import says
from reverie.phases.near import Near, other_subject
from reverie.sense import bag, in_order, is_negated, same_sense, shared, values_in
from reverie.terms import plain

# Two lines about one thing: how well their words meet, and how many rare words they share. Chosen by reading the nearest
# pairs of the example and of the development nights; a line that says of itself that it repeats needs less.
MET, RARE = 0.55, 0.5
MET_AGAIN, RARE_AGAIN, SURELY_MET = 0.45, 0.3, 0.65
LONG = 6  # telling words
ALL_TOLD = 1.55  # the three measures together: no single one decides


def is_repeated(text: str) -> bool:
    return says_any(text, REPEATED)


def says_again(near: Near) -> bool:
    """The new line says what the old one says: the same values, no other sense, in these or other words."""
    old, new, chance = near.old, near.new, near.chance
    if plain(old) == plain(new) or same_sense(old, new, near.cosine):
        return True
    if values_in(new) - values_in(old) or is_negated(old) != is_negated(new):
        return False
    if chance["coexist"] >= 0.4 or chance["update"] + chance["correction"] >= 0.5 or near.cosine < 0.5:
        return False
    alike = shared(old, new)
    told = bag(new) <= bag(old) and len(bag(new)) >= 3 and in_order(old, bag(new)) == in_order(new, bag(new))
    again = is_repeated(new) and near.anchors >= 2 and alike >= 0.2 and not says_any(new, MOVED)
    return told or again


def repeats(near: Near) -> bool:
    """Of two new lines the later one brings nothing that the first has not said. A mistake here costs a line that the
    notes still have, so other words are enough: it says so itself, or nearly every word is met.
    """
    if says_again(near):
        return True
    old, new = near.old, near.new
    other, common = values_in(new) - values_in(old), values_in(new) & values_in(old)
    if says_any(new, MOVED) or near.chance["coexist"] >= 0.4 or other_subject(old, new):
        return False
    if is_repeated(new) and near.anchors >= 2 and near.met >= MET_AGAIN and near.rare >= RARE_AGAIN:
        return not other or (near.met >= SURELY_MET and bool(common))
    long = min(len(bag(old)), len(bag(new))) >= LONG  # in a short line one word more or less is another fact
    if long and near.anchors >= 2 and near.cosine + near.met + near.rare >= ALL_TOLD and not says("correction", new):
        return not (other and values_in(old) - values_in(new))  # each has a number that the other lacks: two facts
    if other or is_negated(old) != is_negated(new) or near.anchors < 4 or near.cosine < 0.6:
        return False
    return near.met >= MET and near.rare >= RARE
