"""The built-in judge: no model, no network. It acts on what is certain by its form (`forms`) and ranks the rest.

New lines are few: the best that the learned judge is sure of. Everything likely waits in the list of suggestions (`proposals`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set

from reverie.evidence.claims import frame_of
from reverie.judge.brief import Brief, Verdict
from reverie.judge.compose import Homes, plain_line
from reverie.judge.forms import by_form
from reverie.judge.leaving import is_over
from reverie.judge.operation import BUILT_IN, Level, Op, Operation
from reverie.judge.proposals import WeighedNote, likely, numbers_of, weigh, why_new
from reverie.judge.relation import handles, says_otherwise
from reverie.judge.vetoes import is_statement
from reverie.judge.worth import THRESHOLDS, about_same
from reverie.text.terms import plain

ASKED = "asked"  # a code, counted among what did not enter: it waits for a yes
SAME_THING = THRESHOLDS["about"]  # chance from which a note may be about what a line of memory is about


class BuiltIn:
    """Implements the port `Judge`."""

    name = BUILT_IN

    def judge(self, brief: Brief) -> Verdict:
        formed = by_form(brief)
        weighed = weigh(brief)
        may = list(_newest([one for one in weighed if _may_enter(one, brief, formed.known)]))
        adds = [one for one in formed.operations if one.op is Op.ADD]
        added = {plain(one.text) for one in adds}
        certain = {claim.key for one in adds if one.level is Level.CERTAIN for claim in one.cites}
        # What came back is not asked for besides; what was labelled may still change the line it is about.
        back = {claim.key for one in adds if one.level is Level.CERTAIN and one.tag != "added" for claim in one.cites}
        may = [one for one in may if one.note.claim.key not in back]
        labelled = [one for one in adds if one.level is Level.CERTAIN]
        sure = list(_entering(brief, [one for one in may if one.note.claim.key not in certain]))
        entering = {claim.key for one in sure for claim in one.cites}
        doubled = [one for one in adds if one.level is Level.LIKELY and one.cites[0].key in entering]
        # A note that swaps a value by its form is no second card beside it.
        entering |= {one.cites[0].key for one in formed.operations if one.op is Op.UPDATE and not _is_turned(one)}
        waiting = [
            one for one in may
            if one.note.claim.key not in entering and (one.note.claim.key in certain or plain(one.line) not in added)
        ]  # fmt: skip
        asked = likely(brief, waiting, [*sure, *labelled])
        pairs = {(one.cites[0].key, one.memory[0].source) for one in asked if one.memory}
        doubled += [
            one for one in formed.operations if _is_turned(one) and (one.cites[0].key, one.memory[0].source) in pairs
        ]
        formed_ones = [one for one in formed.operations if one not in doubled]  # what is sure need not be asked
        operations = (*formed_ones, *sure, *asked)
        return Verdict(operations, _ignored([one for one in weighed if one.note.id not in formed.known], operations))


def _ignored(weighed: Sequence[WeighedNote], operations: Sequence[Operation]) -> Counter[str]:
    """The notes that nothing came of, by the reason; those that wait for a yes apart."""
    levels = {claim.key: one.level for one in operations for claim in one.cites}
    left = [(one, levels.get(one.note.claim.key)) for one in weighed]
    return Counter(
        ASKED if level is Level.LIKELY else one.against or f"judged {one.worth.kind}"
        for one, level in left
        if level is not Level.CERTAIN
    )


def _is_turned(one: Operation) -> bool:
    """A card that swaps a whole line for the note that turns it round: what the learned judge makes of the two goes first."""
    return one.op is Op.UPDATE and one.level is Level.LIKELY and one.old == one.memory[0].text


def _entering(brief: Brief, may: Sequence[WeighedNote]) -> Iterator[Operation]:
    """New lines that the judge is sure of, best first, each about something else."""
    homes = Homes(brief)
    seen: set[str] = {frame_of(plain_line(memory.text)) for memory in brief.memory}
    chosen: list[str] = []
    for one in sorted((one for one in may if _is_sure(one, brief)), key=lambda one: -_value(one)):
        # It may differ in digits alone from a line that stands, or be about what a better one of tonight is about:
        # then somebody should look at both.
        if (frame := frame_of(one.line)) in seen or _is_about_chosen(brief, chosen, one):
            continue
        seen.add(frame)
        chosen.append(plain_line(one.note.text))
        section = homes.home_of(one.line, one.worth.kind, one.note.claim.heading)
        yield Operation(
            Op.ADD, why_new(one), (one.note.claim,), text=one.line, section=section, worth=_value(one), tag="added",
            promoted=one.note.promoted, detail=numbers_of(one, new=True),
        )  # fmt: skip


def _is_about_chosen(brief: Brief, chosen: Sequence[str], one: WeighedNote) -> bool:
    embed = brief.embedder.embed if brief.embedder else None
    pairs = [(text, plain_line(one.note.text)) for text in chosen]
    return any(chance >= SAME_THING for chance in about_same(pairs, embed)) if pairs else False


def _may_enter(one: WeighedNote, brief: Brief, taken: Set[str]) -> bool:
    if one.against or one.note.id in taken or not plain_line(one.note.text):
        return False
    if one.note.claim.origin != "owner":
        return False  # what an assistant said in a conversation is not remembered as the owner's
    return not is_over(one.line, (), brief.today)


def _is_sure(one: WeighedNote, brief: Brief) -> bool:
    """It stands alone, no line of memory is about the same thing, and the judge is sure: a little sooner or later by your answers."""
    alone = bool(one.line) and one.same_thing < SAME_THING and is_statement(plain_line(one.note.text))
    bar = THRESHOLDS["sure"] if not one.note.promoted else THRESHOLDS["recalled"]
    return alone and one.worth.keep + brief.leaning.get(one.worth.kind, 0.0) >= bar


def _value(one: WeighedNote) -> float:
    """The worth, a little more for every further day on which it was said and every question that led to it."""
    return one.worth.keep + 0.02 * min(len(one.note.days) - 1, 5) + 0.02 * min(one.note.queries, 5)


def _newest(found: Sequence[WeighedNote]) -> Iterator[WeighedNote]:
    """Without those that a later note says with another value."""
    alike: dict[str, list[WeighedNote]] = {}
    for one in found:
        for handle in handles(one.note.text):
            alike.setdefault(handle, []).append(one)
    for one in found:
        near = (other for handle in handles(one.note.text) for other in alike[handle])
        later = (other for other in near if other.note.claim.day > one.note.claim.day)
        if not any(says_otherwise(one.note.text, other.note.text) for other in later):
            yield one
