"""What becomes of a model's advice: each operation is taken, dropped for a reason that is counted, or asked of the owner.

A model moves the bar for a line that the rules are unsure of, and may say what a new line does to an old one where the two
are about the same thing. It never overrules what is certain: what must not enter does not, what is protected stays. Where
it and the rules disagree strongly, the rules' result stands and a person is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from reverie.claim import Claim
from reverie.counsel import REASON, Counsel, Op, Operation, Status
from reverie.model import Does, Entry, Finding, Origin, Snapshot, Source
from reverie.phases.compose import LONGEST, plain_line
from reverie.phases.consider import Considered
from reverie.phases.judge import SURE
from reverie.phases.near import Near
from reverie.phases.relate import AGAIN, ENDS, UPDATES, Pair, relation, says_otherwise
from reverie.phases.requests import is_request
from reverie.phases.signs_of_change import (
    about_the_same,
    contradict,
    dated,
    entry_id,
    lines_by_id,
    may_leave,
    same_fact,
    says_changed,
    says_over,
    sources_of,
)
from reverie.phases.worthy import reason_against
from reverie.question import BETWEEN, TAG, question_id
from reverie.sense import bag
from reverie.wording import overreach

UNLIKELY = 0.05  # by the judge: below it, a model that wants the line disagrees strongly
STRONG = 2.5  # of a relation: from here on the structure of the two lines speaks, and a model that denies it disagrees
BOTH_TRUE = 0.8  # the judge of pairs is sure that two lines stand side by side
MOST_QUESTIONS = 5  # a night; a model that asks about everything has said nothing
UNDOUBTED = (0.03, 0.95)  # by the judge: at or below it no line matters, at or above it nearly every one does
FEWEST_CERTAIN, MOST_WRONG = 3, 1 / 3  # of such lines, before a model is thought to be no judge
DECIDED = "; a model agrees"
BY_MODEL = "a model"


class Advice:
    """The operations of one night, asked line by line and pair by pair; what became of each is counted."""

    def __init__(self, counsel: Counsel) -> None:
        self.refused: Counter[str] = Counter()
        self.questions: dict[str, Finding] = {}
        self._lines: dict[str, Operation] = {}
        self._pairs: dict[tuple[str, str], Operation] = {}
        self._merges: list[Operation] = []
        self._asks: list[Operation] = []
        self._held: dict[
            str, str
        ] = {}  # a line of memory → the day of the newest line that would change it and was ignored
        self._rules, self._count = counsel.rules_read, len(counsel.operations)
        self._read(counsel)

    def _read(self, counsel: Counsel) -> None:
        if counsel.strangers:
            self.refused[REASON + "cites what it was not shown"] += counsel.strangers
        contradicted: set[str] = set()
        for one in counsel.operations:
            if one.op in (Op.ADD, Op.IGNORE) and len(one.new) == 1 and not one.old:
                if self._lines.get(one.new[0], one).op is not one.op:
                    contradicted.add(one.new[0])
                self._lines[one.new[0]] = one
            elif one.op in (Op.UPDATE, Op.SUPERSEDE, Op.RETIRE) and len(one.new) == 1 and len(one.old) == 1:
                self._pairs[one.old[0], one.new[0]] = one
            elif one.op is Op.MERGE and (len(one.old) >= 2) != (len(one.new) >= 2) and not (one.old and one.new):
                self._merges.append(one)
            elif one.op is Op.ASK and len(one.new) + len(one.old) == 2:
                self._asks.append(one)
            else:
                self.drop("cites the wrong number of lines")
        for key in contradicted:  # one answer that says yes and no says nothing
            del self._lines[key]
            self.drop("contradicts itself")

    @property
    def wanted_pairs(self) -> frozenset[tuple[str, str]]:
        """(line of memory, claim) that must be looked at, however far apart they are."""
        return frozenset(self._pairs)

    def drop(self, why: str) -> None:
        self.refused[REASON + why] += 1

    # --- lines ---------------------------------------------------------------------------------------------------

    def heeded(self, considered: Sequence[Considered]) -> list[Considered]:
        """The lines with what the model thinks of them, as far as it may decide. One that errs where nobody can is not heard."""
        if self._errs(considered):
            self.refused[REASON + "is wrong about what is certain"] += self._count
            self._lines, self._pairs, self._merges, self._asks = {}, {}, [], []
            return list(considered)
        told = {one.claim.key: one for one in considered}
        for key in (*self._lines, *(key for _, key in self._pairs)):
            if key not in told or told[key].against:
                self.drop("cites what may not enter")
        found = [self._line(one) for one in considered]
        return self._merged(found)

    def _errs(self, considered: Sequence[Considered]) -> bool:
        """Whether it contradicts the rules on too many of the lines that leave no doubt (`unsure` shows it some of each)."""
        right = wrong = 0
        for one in considered:
            advice = self._lines.get(one.claim.key)
            if advice is None or one.against or UNDOUBTED[0] < one.judged.keep < UNDOUBTED[1]:
                continue
            if self._rules and one.wanted:
                continue  # the owner's own rules may speak against a line that is otherwise worth keeping
            if (advice.op is Op.ADD) is one.wanted:
                right += 1
            else:
                wrong += 1
        return right + wrong >= FEWEST_CERTAIN and wrong > MOST_WRONG * (right + wrong)

    def _line(self, one: Considered) -> Considered:
        key = one.claim.key
        advice = self._lines.get(key)
        if one.against:
            return one
        wording = next((op for pair, op in self._pairs.items() if pair[1] == key and op.text), advice)
        if wording is not None and wording.text:
            if why := self._unsayable(wording.text, one):
                self.drop(why)  # whole: nothing of it is repaired
                if wording is advice:
                    return one
                self._pairs = {pair: op for pair, op in self._pairs.items() if op is not wording}
            else:
                one = replace(one, line=wording.text)
        if advice is None:
            return one
        if advice.op is Op.ADD and one.judged.keep < UNLIKELY and not one.wanted:
            self._ask_about(one, "a model wants it, and the rules take it for passing")
            return one
        if advice.op is Op.IGNORE and one.wanted and one.judged.keep >= SURE:
            self._ask_about(one, "the rules want it, and a model takes it for passing")
            return one
        return replace(one, advised=advice.op is Op.ADD)

    def _unsayable(self, text: str, one: Considered) -> str:
        """Why these words may not stand for the claim; empty when they may."""
        claim = one.claim
        if len(text) > LONGEST or "\n" in text:
            return "too long"
        if is_request(text):
            return str(Status.OBEYED)
        said = [plain_line(claim.text), one.line, *dated(claim)]
        about = [*claim.heading.split(" > "), *claim.parents.split(" > "), claim.day]
        if overreach(text, said, about):
            return "says other words than its source"
        return "must not enter" if reason_against(text, "", claim.origin) else ""

    def _merged(self, found: list[Considered]) -> list[Considered]:
        """Without the new lines that say what another one says, where that is so."""
        by_key = {one.claim.key: at for at, one in enumerate(found)}
        for op in (one for one in self._merges if one.new):
            places = [by_key[key] for key in op.new if key in by_key]
            for at in places[1:]:
                if same_fact(found[places[0]].line, found[at].line):
                    found[at] = replace(found[at], advised=False)
                else:
                    self.drop("merges two facts")
        return found

    # --- pairs ---------------------------------------------------------------------------------------------------

    def of_pair(self, pair: Pair, near: Near) -> tuple[str, float]:
        """What the new line does to the old one: the rules' word, and the model's where the rules leave room for it."""
        what, strength = relation(near)
        ids = entry_id(pair.entry), pair.new.claim.key
        op = self._pairs.get(ids)
        if op is None:
            advice = self._lines.get(ids[1])
            if advice is not None and advice.op is Op.IGNORE and what == UPDATES:
                if strength >= STRONG:
                    self._ask(pair.old, near.new, sources_of(pair), "the rules see an update, and a model sees none")
                elif says_otherwise(near.new):
                    return what, strength  # it says of itself that it is otherwise now
                self._held[ids[0]] = max(pair.new.claim.day, self._held.get(ids[0], ""))
                return "", 0.0
            return what, strength
        wants = ENDS if op.op is Op.RETIRE else UPDATES
        if what == wants:
            return what, strength
        if what == AGAIN:
            self.drop("says the same")
            return what, strength
        if what:  # both say that the old line does not hold any more
            return wants, max(strength, STRONG)
        if not about_the_same(near):
            self.drop("is about something else")
            return what, strength
        likely_both = pair.related.relations.get("coexist", 0.0) >= BOTH_TRUE
        signs = says_over(near) if wants == ENDS else says_changed(near)
        if likely_both or not signs:
            self._ask(
                pair.old,
                near.new,
                sources_of(pair),
                f"a model says that the second {_DOES[wants]} the first, and the rules are not sure",
            )
            return "", 0.0
        return wants, STRONG

    def outdated(self, pair: Pair) -> bool:
        """Whether a newer line about the old one was ignored: then no older word may take its place."""
        return pair.new.claim.day < self._held.get(entry_id(pair.entry), "")

    def wants(self, pair: Pair, what: str) -> bool:
        """Whether the model asked for just this."""
        op = self._pairs.get((entry_id(pair.entry), pair.new.claim.key))
        return op is not None and what == (ENDS if op.op is Op.RETIRE else UPDATES)

    def merged_lines(self, snapshot: Snapshot, leaving: Iterable[int]) -> tuple[Finding, ...]:
        """Lines of memory that say what another one says: the fullest stays as it is."""
        known = lines_by_id(snapshot)
        gone, found = set(leaving), []
        for op in (one for one in self._merges if one.old):
            entries = [known[name] for name in op.old if name in known]
            keeper = max(entries, key=lambda entry: (len(bag(entry.text)), -entry.block.first), default=None)
            for entry in entries:
                if keeper is None or entry is keeper or {entry.block.first, keeper.block.first} & gone:
                    continue
                if not may_leave(entry) or not same_fact(plain_line(keeper.text), plain_line(entry.text)):
                    self.drop("merges two facts")
                    continue
                gone.add(entry.block.first)
                why = f"the same stands in line {keeper.block.first + 1}{DECIDED}"
                found.append(Finding(Does.ARCHIVE, "duplicate", entry.text, why, (entry.source, keeper.source), entry))
        return tuple(found)

    # --- questions -----------------------------------------------------------------------------------------------

    def asked(self, snapshot: Snapshot, considered: Sequence[Considered]) -> tuple[Finding, ...]:
        """What the owner is asked because of the model, at most a few."""
        lines: dict[str, tuple[str, Entry | Claim]] = {
            name: (plain_line(entry.text), entry)
            for name, entry in lines_by_id(snapshot).items()
            if entry.origin is Origin.OWNER
        }
        lines |= {one.claim.key: (plain_line(one.claim.text), one.claim) for one in considered if not one.against}
        for op in self._asks:
            sides = [lines[name] for name in (*op.old, *op.new) if name in lines]
            if len(sides) < 2 or not contradict(sides[0][0], sides[1][0]):
                self.drop("sees a contradiction where none is")
                continue
            sources = (sides[0][1].source, sides[1][1].source)
            self._ask(sides[0][0], sides[1][0], sources, "a model sees a contradiction")
        found = tuple(self.questions.values())
        if len(found) > MOST_QUESTIONS:
            self.refused[REASON + "too many questions"] += len(found) - MOST_QUESTIONS
        return found[:MOST_QUESTIONS]

    def _ask_about(self, one: Considered, why: str) -> None:
        if one.line:
            self._ask(one.line, "", (one.claim.source,), why)

    def _ask(self, first: str, second: str, sources: tuple[Source, ...], why: str) -> None:
        its_id = question_id(first, second)
        text = f"{first}{BETWEEN}{second}" if second else first
        self.questions[its_id] = Finding(Does.FLAG, TAG, text, f"needs human review: {why} [{its_id}]", sources)


_DOES: Mapping[str, str] = {ENDS: "ends", UPDATES: "updates"}


__all__ = ["BY_MODEL", "REASON", "UNDOUBTED", "UNLIKELY", "Advice", "entry_id"]
