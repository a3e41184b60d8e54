"""The built-in judge: no model, no network. It acts on what is certain by its form (`forms`) and ranks the rest.

New lines are few: the best that the learned judge is sure of. Everything likely waits in the list of suggestions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np

from reverie.headings import plain_heading
from reverie.judge.brief import Brief, MemoryLine, NoteLine
from reverie.judge.compose import composed, plain_line
from reverie.judge.expired import is_over
from reverie.judge.forms import SPOKEN, against, by_form
from reverie.judge.operation import BUILT_IN, Level, Op, Operation
from reverie.judge.place import Homes
from reverie.judge.port import Verdict
from reverie.judge.relation import Kind, handles, key_of, relation
from reverie.judge.vetoes import is_statement
from reverie.judge.worth import THRESHOLDS, Line, Worth, about_same, worth_of
from reverie.layout import place_of
from reverie.routine import frame_of
from reverie.terms import plain

MOST_SUGGESTIONS = 40  # new ones a night; more is a list that nobody reads
NEAREST = 3  # lines of memory that each note is looked at with
NEAR = 0.45  # cosine from which a line of memory may be concerned
COMMON_DAYS = 4  # a heading of so many days is the frame of a day
SAME_THING = THRESHOLDS["about"]  # chance from which a note may be about what a line of memory is about


@dataclass(frozen=True, slots=True)
class Weighed:
    """A note line with all that the judge knows of it: its line for MEMORY.md, its worth, and the lines it may concern."""

    note: NoteLine
    line: str  # empty when it cannot stand alone
    worth: Worth
    near: tuple[MemoryLine, ...] = ()
    same_thing: float = 0.0  # how likely it is about what one of those lines is about
    against: str = ""  # one of the four vetoes


class BuiltIn:
    """Implements the port `Judge`."""

    name = BUILT_IN

    def judge(self, brief: Brief) -> Verdict:
        formed = by_form(brief)
        weighed = weigh(brief)
        added = {plain(one.text) for one in formed.operations if one.op is Op.ADD and one.level is Level.CERTAIN}
        entering = [one for one in _entering(brief, weighed, formed.told) if plain(one.text) not in added]
        heard = {claim.key for one in entering for claim in one.cites}  # it knows their worth, a form does not
        by_forms = [one for one in formed.operations if not (_is_guess(one) and heard & {c.key for c in one.cites})]
        ignored = Counter(
            one.against or f"judged {one.worth.kind}" for one in weighed if one.note.id not in formed.told
        )
        return Verdict((*by_forms, *entering), ignored)


def _is_guess(one: Operation) -> bool:
    return one.op is Op.ADD and one.level is Level.LIKELY


def weigh(brief: Brief) -> tuple[Weighed, ...]:
    """Every note line with its worth, beside the lines of memory that are nearest to it."""
    notes = [note for note in brief.notes if place_of(note.claim.path).kind in SPOKEN]
    near = _nearest(brief, notes)
    lines = [
        Line(
            plain_line(note.claim.text),
            note.claim.context,
            note.claim.day,
            tuple(plain_line(m.entry.text) for m in its),
        )
        for note, its in zip(notes, near, strict=True)
    ]
    embed = brief.embedder.embed if brief.embedder else None
    common = frozenset(_common_headings(brief))
    pairs = [(plain_line(m.entry.text), line.text) for line, its in zip(lines, near, strict=True) for m in its]
    chances = iter(about_same(pairs, embed))
    return tuple(
        Weighed(
            note,
            composed(note.claim, common),
            worth,
            its,
            max((next(chances) for _ in its), default=0.0),
            against(note),
        )
        for note, worth, its in zip(notes, worth_of(lines, embed), near, strict=True)
    )


def _entering(brief: Brief, weighed: Sequence[Weighed], taken: Set[str]) -> Iterator[Operation]:
    """New lines, best first: certain above the bar at which hardly any is wrong, likely above the one where most are right."""
    homes = Homes(brief)
    seen: set[str] = {frame_of(plain_line(memory.entry.text)) for memory in brief.memory}
    chosen: list[str] = []
    most = MOST_SUGGESTIONS
    ranked = sorted((one for one in weighed if _may_enter(one, brief, taken)), key=lambda one: -_value(one))
    for one in _newest(ranked):
        frame = frame_of(one.line or plain_line(one.note.claim.text))
        if frame in seen:  # it differs in digits alone from a line that stands, or from a better one
            continue
        level = _level(one)
        if level is Level.CERTAIN and _is_told(brief, chosen, one):
            level = Level.LIKELY  # a better line of tonight is about the same thing: somebody should look at both
        most -= level is Level.LIKELY
        if level is Level.UNLIKELY or most < 0:
            continue
        seen.add(frame)
        chosen += [plain_line(one.note.claim.text)] if level is Level.CERTAIN else []
        text = one.line or plain_line(one.note.claim.text)
        section = homes.home_of(text, one.worth.kind, one.note.claim.heading)
        yield Operation(
            Op.ADD, _why(one), (one.note.claim,), text=text, section=section, level=level, worth=_value(one), tag="added",
            promoted=one.note.promoted,
        )  # fmt: skip


def _is_told(brief: Brief, chosen: Sequence[str], one: Weighed) -> bool:
    embed = brief.embedder.embed if brief.embedder else None
    pairs = [(text, plain_line(one.note.claim.text)) for text in chosen]
    return any(chance >= SAME_THING for chance in about_same(pairs, embed)) if pairs else False


def _may_enter(one: Weighed, brief: Brief, taken: Set[str]) -> bool:
    if one.against or one.note.id in taken or not plain_line(one.note.claim.text):
        return False
    if one.note.claim.origin != "owner":
        return False  # what an assistant said in a conversation is not remembered as the owner's
    return not is_over(one.line, (), brief.today)


def _level(one: Weighed) -> Level:
    """Certain needs a line that stands alone, a sure judge, and no line of memory that is about the same thing."""
    alone = bool(one.line) and one.same_thing < SAME_THING and is_statement(plain_line(one.note.claim.text))
    bar = THRESHOLDS["sure"] if not one.note.promoted else THRESHOLDS["recalled"]
    if alone and one.worth.keep >= bar:
        return Level.CERTAIN
    return Level.LIKELY if one.worth.keep >= THRESHOLDS["likely"] else Level.UNLIKELY


def _value(one: Weighed) -> float:
    """The worth, a little more for every further day on which it was said and every question that led to it."""
    return one.worth.keep + 0.02 * min(len(one.note.days) - 1, 5) + 0.02 * min(one.note.queries, 5)


def _newest(ranked: Sequence[Weighed]) -> Iterator[Weighed]:
    """Without those that a later note says with another value."""
    alike: dict[str, list[Weighed]] = {}
    for one in ranked:
        for handle in handles(one.note.claim.text):
            alike.setdefault(handle, []).append(one)
    for one in ranked:
        near = (other for handle in handles(one.note.claim.text) for other in alike[handle])
        later = (other for other in near if other.note.claim.day > one.note.claim.day)
        if not any(
            relation(one.note.claim.text, other.note.claim.text).kind in (Kind.UPDATE, Kind.TURNED) for other in later
        ):
            yield one


def _why(one: Weighed) -> str:
    days = one.note.days
    said = f"said on {len(days)} days" if len(days) > 1 else f"said on {days[0]}" if days else "said once"
    recalled = f"; {one.note.told}" if one.note.told else ""
    return f"{one.worth.kind}, {said}; worth keeping {one.worth.keep:.2f}{recalled}"


def _nearest(brief: Brief, notes: Sequence[NoteLine]) -> list[tuple[MemoryLine, ...]]:
    """For each note the lines of memory that may be concerned: near in meaning, or with the same key."""
    olds = list(brief.memory)
    if not olds or not notes:
        return [() for _ in notes]
    keys: dict[str, list[int]] = {}
    for at, line in enumerate(olds):
        if key := key_of(line.entry.text):
            keys.setdefault(key, []).append(at)
    if brief.embedder is None:
        near = np.zeros((len(notes), len(olds)), dtype=np.float32)
    else:
        texts = [[plain_line(x.entry.text) for x in olds], [plain_line(x.claim.text) for x in notes]]
        rows = [np.asarray(brief.embedder.embed(part)) for part in texts]
        near = rows[1] @ rows[0].T
    found = []
    for i, note in enumerate(notes):
        ranked = [int(j) for j in np.argsort(-near[i])[:NEAREST] if near[i, j] >= NEAR]
        same = keys.get(key_of(note.claim.text), ())
        words = (
            [j for j, old in enumerate(olds) if plain(old.entry.text) == plain(note.claim.text)] if not ranked else []
        )
        found.append(tuple(olds[j] for j in dict.fromkeys((*ranked, *same, *words))))
    return found


def _common_headings(brief: Brief) -> Iterator[str]:
    """Headings of several days: the frame of a day, no subject."""
    days: dict[str, set[str]] = {}
    for note in brief.notes:
        for heading in note.claim.heading.split(" > "):
            days.setdefault(plain_heading(heading), set()).add(note.claim.day)
    yield from (heading for heading, seen in days.items() if len(seen) >= COMMON_DAYS)
