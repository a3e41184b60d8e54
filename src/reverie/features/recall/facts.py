"""From a message to the facts it calls to mind: relevant, current, from trusted text, told so that they stand alone.

Precision first: what is not clearly relevant, what a newer line has overtaken, what the archive holds and what others said is
left out. An empty list is a good answer. The names of modes and styles, the limits and the form of the output are those of
OpenClaw's Active Memory (2026.9.6).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from reverie.core.layout import imports_of
from reverie.core.settings import Active
from reverie.dates.relative import absolute
from reverie.evidence.claims import SPEAKER
from reverie.evidence.ranking import is_memory
from reverie.evidence.relevance import AskedDay, telling
from reverie.evidence.search import DEEPER, Hit, View, hits_of_day
from reverie.features.search import found, owners_word_first, term_of
from reverie.features.versions import is_old_import
from reverie.judge.compose import plain_line, subject_of
from reverie.judge.leaving import holds
from reverie.judge.relation import says_otherwise, says_the_same
from reverie.judge.reminders import reminder_in
from reverie.judge.vetoes import SECRET, distrust, is_private, is_statement, veto
from reverie.judge.worth import THRESHOLDS, LineToWeigh, about_same, worth_of
from reverie.lang import words
from reverie.lang.lexicon import any_of, either
from reverie.lang.messages import say
from reverie.plan.suggested import Doubt, line_words
from reverie.privacy.redact import holds_mask, opens_something
from reverie.text.fence import fenced as as_data
from reverie.text.lines import count_units
from reverie.text.terms import bag, is_negated, plain, terms, values_in
from reverie.workspace.values import Group, Origin, Statement

LONGEST = 480  # characters of a question
SHORT = 12  # characters; a shorter message leans on the turn before it
LEAD = 120  # characters of that turn
TAG = "active_memory_plugin"
STYLES = {"message": "strict", "recent": "balanced", "full": "contextual"}
POOL = 9  # results that are weighed
LOOKED = 10  # results of the second look, for a newer version of a fact
MOST = 3  # facts
COMPANY = 0.75  # of the best: a fact that is much less relevant only distracts
OF_KIND = 0.4  # chance that a fact is of a wanted kind
LONGEST_DAY = 12  # lines of a day
_TRUSTED = frozenset({Origin.OWNER.value, Origin.SESSION.value})
_TOLD = frozenset({Group.MEMORY, Group.TEAM})
_GUEST = re.compile(f"^{SPEAKER}")
_CELL = re.compile(r"\s*\|\s*")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.S)
_GLUED = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Bar:
    """How relevant a fact must be: for any message, and for one that asks for memory."""

    strong: float
    asked: float
    kinds: tuple[str, ...] = ()  # empty: any kind of fact


# The numbers are chances that a line answers (`evidence/ranking.py`); `benchmarks/recall.py` says what each of them lets through.
BARS = {
    "strict": Bar(0.50, 0.46),
    "balanced": Bar(0.42, 0.38),
    "contextual": Bar(0.40, 0.35),
    "recall-heavy": Bar(0.36, 0.31),
    "precision-heavy": Bar(0.56, 0.52),
    "preference-only": Bar(0.36, 0.31, ("preference", "rule", "correction")),
}
OWN = 0.5  # of the bar for a question about oneself, which memory answers more often than any other
LEAST = OWN * min(bar.asked for bar in BARS.values())


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One turn of the conversation before the message."""

    role: str  # user or assistant
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for, and what was said before it."""

    message: str
    before: str = ""
    sender: str = ""  # who asks in a room with others: then only what they said, and what is known of them


def style_of(settings: Active) -> str:
    return settings.prompt_style or STYLES[settings.query_mode]


def query_of(message: str, turns: Sequence[ChatTurn], settings: Active) -> Query:
    """The question behind a message, by the query mode: the message alone, with the last turns, or with all of them."""
    said = cleaned(message)[:LONGEST]
    if settings.query_mode == "message":
        return Query(said)
    before = list(turns) if settings.query_mode == "full" else _recent(turns, settings)
    earlier = next((cleaned(turn.text) for turn in reversed(turns) if turn.role == "user"), "")
    if _length(said) < SHORT and earlier:
        said = f"{earlier[:LEAD]} {said}"[:LONGEST]
    return Query(said, " ".join(cleaned(turn.text) for turn in before))


def cleaned(text: str) -> str:
    """A message without code."""
    return " ".join(_FENCE.sub(" ", text).split())


def summary_of(facts: Sequence[str], limit: int) -> tuple[str, int]:
    """As many facts as fit, whole, and how many they are; only the first may be cut."""
    out = ""
    for number, fact in enumerate(facts):
        told = fact.rstrip(" .。;；")
        between = "" if not out else "；" if _GLUED.match(out[-1]) else "; "
        longer = f"{out}{between}{told}"
        if count_units(longer) > limit:
            return (out, number) if out else (_cut(told, limit), 1)
        out = longer
    return out, len(facts)


def fenced(summary: str) -> str:
    """A summary as it stands before a reply: marked as context, escaped, so that nothing in it speaks for itself."""
    return f"Context:\n{as_data(summary, TAG)}" if summary else ""


def status_line(status: str, seconds: float, mode: str, summary: str) -> str:
    told = f" summary={count_units(summary)} chars" if summary else ""
    return f"🧩 Active Memory: status={status} elapsed={seconds * 1000:.0f}ms query={mode}{told}"


def _recent(turns: Sequence[ChatTurn], settings: Active) -> list[ChatTurn]:
    limits = {
        "user": (settings.recent_user_turns, settings.recent_user_chars),
        "assistant": (settings.recent_assistant_turns, settings.recent_assistant_chars),
    }
    kept: list[ChatTurn] = []
    for turn in reversed(turns):
        most, longest = limits.get(turn.role, (0, 0))
        if sum(1 for one in kept if one.role == turn.role) < most:
            kept.append(ChatTurn(turn.role, cleaned(turn.text)[:longest]))
    return kept[::-1]


def _length(text: str) -> int:
    """Characters; one of a script without spaces says as much as three others."""
    return sum(3 if _GLUED.match(char) else 1 for char in text)


def _cut(text: str, limit: int) -> str:
    while count_units(text) > limit - 1:
        text = text[: -max(1, (count_units(text) - limit) // 2)]
    head, space, _ = text.rpartition(" ")
    return (head if space and len(head) > limit // 2 else text).rstrip(" ,;，；、") + "…"


def asks_for_memory(message: str) -> bool:
    """Whether a message asks for what is known from before."""
    return _asking().search(message) is not None


@cache
def _asking() -> re.Pattern[str]:
    """Somebody asks for what was said, decided or known before. "Remind me to …" asks for a reminder instead."""
    return re.compile(either(words("recall.asks")), re.I)


def asks_of_oneself(message: str) -> bool:
    """Whether a message asks something about the one who speaks: "what do I drink in the morning?" needs no word for remembering."""
    return ("?" in message or "？" in message) and any_of("person.self").search(message) is not None


def escalation(mode: str, message: str, *, strong: bool) -> str:
    """Why deep recall runs ("recall") or does not: mode-off, strong-lane-one-hit, no-recall-intent."""
    if mode == "off":
        return "mode-off"
    if mode == "always":
        return "recall"
    if strong:
        return "strong-lane-one-hit"
    return "recall" if asks_for_memory(message) or asks_of_oneself(message) else "no-recall-intent"


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as it is told, where it stands, and how relevant it is."""

    text: str
    hit: Hit
    value: float

    @property
    def place(self) -> str:
        return str(self.hit.claim.source)


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """Facts, best first, and why there are none where there are none."""

    facts: tuple[Fact, ...]
    why: str = ""


def facts_for(
    view: View,
    query: Query,
    day: AskedDay | None,
    style: str,
    mode: str,
    since: str,
    today: date,
    outdated: Mapping[str, Doubt] | None = None,
) -> FoundFacts:
    """What the memory knows about a message. `outdated`: lines of memory that most likely are, by their plain words."""
    if day and day.whole:
        return FoundFacts(_of_the_day(view, day, query.sender))
    message = query.message if len(query.message) > 2 else f"{query.before} {query.message}"
    deep = POOL * (DEEPER if day or query.sender else 1)
    asked = f"{query.sender} {message}".strip()
    answer = found(view, asked, deep, before=query.before, since=since, today=today)
    hits = _of_sender(owners_word_first(answer.hits), query.sender)
    if day:  # a line of that day answers, and one of memory, which is of no day
        hits = [hit for hit in hits if day.holds(hit.claim.day) or is_memory(hit.claim)]
    named = values_in(query.message)
    words = telling(query.message)
    facts = [fact for hit in hits if (fact := _fact(hit, words, named, today)) is not None]
    bar = BARS[style]
    strong = any(fact.value >= bar.strong for fact in facts)
    why = escalation(mode, query.message, strong=strong)
    held = next((hit for hit in hits if hit.chance >= bar.asked and _is_held_back(hit.claim)), None)
    nothing = say("recall.held_back", place=held.claim.source) if held else say("recall.nothing_relevant")
    if why not in ("recall", "strong-lane-one-hit"):
        return FoundFacts((), nothing if held else why)
    weak = bar.asked * (OWN if asks_of_oneself(query.message) else 1.0)
    least = bar.strong if strong and mode != "always" else weak
    kept = _of_kinds([fact for fact in facts if fact.value >= least], bar)
    current = _current(view, kept, hits, since, named, today, query.sender)
    current = sorted(_doubted(current, outdated or {}), key=lambda fact: not _holds(fact.hit.claim, today))
    return FoundFacts(tuple(map(_dated, _once(current))), "" if current else nothing)


def _dated(fact: Fact) -> Fact:
    """What a note says behind its day: of two notes the reader sees which is the newer."""
    claim = fact.hit.claim
    noted = claim.group is Group.MEMORY and not is_memory(claim) and not imports_of(claim.path)
    return replace(fact, text=f"{claim.day}: {fact.text}") if noted and claim.day else fact


def _doubted(facts: Sequence[Fact], outdated: Mapping[str, Doubt]) -> list[Fact]:
    """The facts, those that are most likely outdated marked with its place and day, and behind the others."""
    said = [
        replace(fact, text=_contradicted(fact.text, *outdated[plain(line_words(fact.hit.claim.text))][:2]))
        if is_memory(fact.hit.claim) and plain(line_words(fact.hit.claim.text)) in outdated
        else fact
        for fact in facts
    ]
    marked = {id(one) for one, fact in zip(said, facts, strict=True) if one is not fact}
    return sorted(said, key=lambda fact: id(fact) in marked)


def _contradicted(text: str, place: str, day: str) -> str:
    return f"{text} ({say('recall.contradicted', place=place, day=day)})"


def _of_the_day(view: View, day: AskedDay, sender: str) -> tuple[Fact, ...]:
    """The lines of a day's note, in their order."""
    hits = _of_sender(hits_of_day(view.noted(day.days), day), sender)
    kept: list[Fact] = []
    for hit in hits:
        text = _as_told(hit.claim)
        if _is_trusted(hit.claim) and not _is_known(text, kept):
            kept.append(Fact(text, hit, 1.0))
    return tuple(kept[:LONGEST_DAY])


def _of_sender(hits: Sequence[Hit], sender: str) -> Sequence[Hit]:
    """Of a guest who asks: what they said themselves, which is their word, and the lines that name them. Of the owner: all of it.

    No guest is told how to reach somebody, or what may open something.
    """
    if not sender:
        return hits
    names = set(terms(sender))
    own = [(hit, plain(hit.claim.sender) == plain(sender)) for hit in hits]
    return [
        replace(hit, claim=replace(hit.claim, text=_GUEST.sub("", hit.claim.text), origin=Origin.SESSION))
        if theirs
        else hit
        for hit, theirs in own
        if (theirs or names <= set(terms(f"{hit.claim.context} {hit.claim.text}"))) and veto(hit.claim.text) != SECRET
    ]


def _fact(hit: Hit, words: Sequence[str], named: frozenset[str], today: date) -> Fact | None:
    """The hit as a fact, marked if it is outdated; None for what is not to be relied on."""
    if hit.claim.group not in _TOLD or hit.chance < LEAST or not _is_trusted(hit.claim):
        return None
    if reminder_in(hit.claim.text) is not None:
        return None  # it is given once, and not told before
    text = _as_told(hit.claim, words)
    if kind := imports_of(hit.claim.path):
        text = f"{hit.claim.day} ({kind}): {text}"
    elif hit.claim.group is Group.TEAM:
        text = f"{text.rstrip(' .。')} ({say('hit.team')})"
    if hit.superseded_by and not named & values_in(hit.claim.text):
        text = f"{text.rstrip(' .。')} ({say('recall.outdated', place=hit.superseded_by)})"
    if term := term_of(hit, today):
        text = f"{text.rstrip(' .。')} ({term})"
    return Fact(text, hit, hit.chance)


def _as_told(claim: Statement, asked: Sequence[str] = ()) -> str:
    """The line without markup, its days written out, with the parent it hangs on, or the heading that was asked for."""
    text = _line(claim)
    if claim.day and not is_memory(claim):
        text = absolute(text, date.fromisoformat(claim.day))
    heading = claim.heading.rpartition(" > ")[2]
    asked_for = set(asked) & set(terms(heading))
    if claim.sender and claim.origin is Origin.SESSION:
        return f"{claim.sender}: {text}"
    subject = subject_of(replace(claim, headings=(heading,) if asked_for else ()), text)
    return f"{subject}: {text}" if subject else text


def _line(claim: Statement) -> str:
    """The words of a claim; cells of a table as a list."""
    text = plain_line(claim.text)
    return _CELL.sub(", ", text).strip(", ") if claim.text.lstrip().startswith("|") else text


def _is_trusted(claim: Statement) -> bool:
    """Whether this is a statement to rely on: no label, question, code, mask, order to a machine or output of a dream.

    The owner's headings above a line of MEMORY.md say nothing against it.
    """
    text = _line(claim)
    origin = Origin.SESSION if claim.group is Group.TEAM and claim.origin is Origin.TEAM else claim.origin
    context = "" if is_memory(claim) else claim.context
    return not _is_held_back(claim) and not distrust(text, context, origin) and is_statement(text, shortest=2)


def _is_held_back(claim: Statement) -> bool:
    """Whether a line is hidden, or stays in its note because it may open something or is somebody's secret.

    What the settings mask is masked here already. A line of memory its host tells in every conversation.
    """
    text = _line(claim)
    return holds_mask(text) or (not is_memory(claim) and (opens_something(text) or is_private(text)))


def _of_kinds(facts: list[Fact], bar: Bar) -> list[Fact]:
    """Those of the kinds a style wants. Only the network knows kinds, so such a style waits for it and no other does."""
    if not bar.kinds or not facts:
        return facts
    judged = worth_of([LineToWeigh(fact.text, fact.hit.claim.context) for fact in facts], lambda texts: texts)
    chances = [sum(found.kinds.get(kind, 0.0) for kind in bar.kinds) for found in judged]
    return [fact for fact, chance in zip(facts, chances, strict=True) if chance >= OF_KIND]


def _holds(claim: Statement, today: date) -> bool:
    return holds(claim.text, claim.headings, today)


def _current(
    view: View, facts: list[Fact], hits: Sequence[Hit], since: str, named: frozenset[str], today: date, sender: str
) -> list[Fact]:
    """Without what the archive holds, and with the newest line in the place of every line that it changes.

    Newer lines are looked for by each fact's own words, because they need not share those of the question.
    """
    around = {(hit.claim.path, hit.claim.first): hit for hit in hits}
    for hit in _of_sender(view.like([fact.text for fact in facts[:MOST]], LOOKED) if facts else (), sender):
        around.setdefault((hit.claim.path, hit.claim.first), hit)
    archived = [plain_line(hit.claim.text) for hit in around.values() if hit.claim.group == Group.ARCHIVE.value]
    trusted = [one for one in around.values() if one.claim.group == Group.MEMORY.value and one.claim.origin in _TRUSTED]
    others = [(hit, _comparable(hit.claim, since)) for hit in trusted if _holds(hit.claim, today)]
    current: list[Fact] = []
    for fact in facts[: 2 * MOST]:
        old = _comparable(fact.hit.claim, since)
        later = [(hit, new) for hit, new in others if _before(old, new) and not is_old_import(old, new, since)]
        changing = [
            hit
            for hit, new in later
            if not _is_another(old.text, new.text, named) and says_otherwise(old.text, new.text)
        ]
        if changing:
            newest = max(changing, key=lambda hit: (hit.claim.day, hit.claim.first))
            current += [Fact(_as_told(newest.claim), newest, fact.value)] if _is_trusted(newest.claim) else []
        elif is_memory(fact.hit.claim):
            current += _with_denial(fact, old.text, later)
        elif not any(says_the_same(old.text, one) for one in archived):
            current.append(fact)
    return current


def _with_denial(fact: Fact, said: str, newer: Sequence[tuple[Hit, Statement]]) -> list[Fact]:
    """A line of memory; before it what was said since and likely denies it, and then the line says by whom it is contradicted."""
    turned = [
        (hit, new.text) for hit, new in newer if is_negated(new.text) != is_negated(said) and _is_trusted(hit.claim)
    ]
    chances = about_same([(said, text) for _, text in turned], None) if turned else ()
    chance, hit = max(
        zip(chances, (hit for hit, _ in turned), strict=True), key=lambda one: one[0], default=(0.0, None)
    )
    if hit is None or chance < THRESHOLDS["about"]:
        return [fact]
    told = Fact(_as_told(hit.claim), hit, fact.value)
    return [told, replace(fact, text=_contradicted(fact.text, str(hit.claim.source), hit.claim.day))]


def _is_another(old: str, new: str, named: frozenset[str]) -> bool:
    """Invoice 12 is no newer word on invoice 11 for somebody who asked for 11."""
    return bool(named & values_in(old) - values_in(new)) and bag(old) == bag(new)


def _before(one: Statement, other: Statement) -> bool:
    """Whether the other line is newer. What memory says holds as of the last night; none of its lines is the newer."""
    if is_memory(one) and is_memory(other):
        return False
    if one.path == other.path:
        return (one.day, one.first) < (other.day, other.first)
    return (one.day, is_memory(one)) < (other.day, is_memory(other))


def _comparable(claim: Statement, since: str) -> Statement:
    """The claim as it is compared: in plain words behind what it hangs on, of the day up to which it is known to hold."""
    parent = plain_line(claim.lead.rpartition(" > ")[2]).rstrip(":： ")
    text = f"{parent}: {_line(claim)}" if parent else _line(claim)
    return replace(claim, text=text, day=claim.day or since if is_memory(claim) else claim.day)


def _is_known(text: str, kept: Sequence[Fact]) -> bool:
    """Whether one of the facts says this, in these words or with more around them."""
    return any(plain(text) in plain(one.text) or says_the_same(text, one.text) for one in kept)


def _once(facts: Sequence[Fact]) -> list[Fact]:
    """Each fact once, told at its fullest, and only those that are not much less relevant than the first."""
    kept: dict[Statement, Fact] = {}
    for fact in facts:
        if twin := kept.get(fact.hit.claim):
            kept[fact.hit.claim] = max(twin, fact, key=lambda one: len(one.text))
        elif fact.value >= COMPANY * facts[0].value and not _is_known(fact.text, list(kept.values())):
            kept[fact.hit.claim] = fact
    return list(kept.values())[:MOST]
