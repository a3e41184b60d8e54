"""What a few words of the owner's mean: the lines that `dream forget` describes, and the custom rules of DREAM.md.

A description is a *topic* ("black tea", "the Acme project"): every line that says all of it is meant. Or it is a *statement* or
a question ("that I live in Bern", "what I pay for rent"): the lines that say this, and not others about it. Words decide;
meaning only chooses among lines that have them. What is merely near is named and left.

A rule (always keep …, never store …, merge …; seed 001) is understood when it names what to do and what about, and nothing else:
no condition, no number, no exception. One that is not understood is never half obeyed; it is reported.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

from reverie.lang import words
from reverie.lang.lexicon import any_of, one_of
from reverie.lang.messages import say
from reverie.text.lines import sentences
from reverie.text.terms import asked, is_negated, plain, stem, terms, values_in
from reverie.workspace.values import Notice, Source, Statement

ALIKE = 0.6  # cosine from which a line may be the statement that was meant
LEAD = 0.05  # as far below the best line another may be and still be meant
ANSWERS = 0.45  # cosine from which a line with some of the words is near
LOOKED_AT = 500  # lines, those with most of the words, among which the nearest are looked for
NEAREST = 5  # lines that are named and left
KEEP, NEVER, MERGE = "keep", "never", "merge"  # what a rule does
MOST_WORDS = 6  # of one subject of a rule; a longer one is a sentence that says more than its subject
_HANGUL = "\uac00-\ud7af"
_KOREAN_WORD = re.compile(f"[{_HANGUL}]{{3,}}")
_RUSSIAN_WORD = re.compile("[\u0430-\u044f\u0451]{5,}")

Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)  # no slots: what was read out of it is kept
class Description:
    """What somebody wants forgotten, in their words."""

    text: str

    @cached_property
    def said(self) -> str:
        """Without the words that only ask: forget, please, everything about."""
        return " ".join(any_of("described.requests").sub(" ", self.text).split())

    @cached_property
    def all_words(self) -> frozenset[str]:
        known = set(terms(self.said))
        # A Korean word carries its particle; its pairs of syllables say enough.
        return frozenset(term for term in asked(self.said) if term in known and not _KOREAN_WORD.fullmatch(term))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words a line must have: all but those that name nothing of their own (project, note)."""
        return self.all_words - _names_nothing() or self.all_words

    @cached_property
    def states(self) -> bool:
        """Whether it is a statement or a question, and no topic."""
        return bool(any_of("described.states").search(self.said))

    def has_all(self, text: str) -> bool:
        """Whether a text says every word of it, with its numbers and without turning it round."""
        if not self.words or not self.may_be_in(text):
            return False  # nearly every line ends here, so this must be cheap
        have = set(terms(text))
        if not all(stands(word, have) for word in self.words) or not values_in(self.said) <= values_in(text) | have:
            return False
        # "I like tea" does not mean "I do not like tea"; as a topic, "tea" means both.
        turned = is_negated(text) != is_negated(self.said)
        return not turned or not (self.states or is_negated(self.said))

    def may_be_in(self, text: str, many: Callable[[Iterable[object]], bool] = all) -> bool:
        """A quick look at a text: whether it has all the words, or with `any` one of them."""
        low = _folded(text)
        return many(_root(word) in low for word in self.words)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that might be meant: where it stands, its words, and what it hangs on."""

    place: Any
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """The lines that are clearly meant, and those that are near and left alone, best first."""

    clear: tuple[Candidate, ...] = ()
    near: tuple[Candidate, ...] = ()


def find_described(description: Description, candidates: Sequence[Candidate], embed: Embed | None = None) -> Described:
    """What a description means among these lines."""
    clear = having = [one for one in candidates if description.has_all(f"{one.context} {one.text}")]
    if description.states and len(description.words) == 1:  # one word is too little: the line must say the same
        closeness = _closeness(description.said, having, embed)
        least = max([ALIKE, *closeness]) - LEAD
        same = plain(description.said)
        clear = [one for one, close in zip(having, closeness, strict=True) if plain(one.text) == same or close >= least]
    taken = set(map(id, clear))
    rest = [one for one in candidates if id(one) not in taken and _touches(description, one)]
    rest = sorted(rest, key=lambda one: -len(description.words & set(terms(one.text))))[:LOOKED_AT]
    ranked = list(zip(_closeness(description.said, rest, embed), rest, strict=True))
    ranked.sort(key=lambda item: -item[0])
    return Described(tuple(clear), tuple(one for close, one in ranked[:NEAREST] if close >= ANSWERS))


def stands(word: str, have: set[str]) -> bool:
    """Whether a word is among these; a Russian one also with another ending."""
    if word in have or not _RUSSIAN_WORD.fullmatch(word):
        return word in have
    return any(other.startswith(_root(word)) and abs(len(other) - len(word)) <= 2 for other in have)


def _root(word: str) -> str:
    return word[: max(4, len(word) - 2)] if _RUSSIAN_WORD.fullmatch(word) else word


def _folded(text: str) -> str:
    """Without case and accents, as index terms are made."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", "".join(char for char in apart if not unicodedata.combining(char)))


@cache
def _names_nothing() -> frozenset[str]:
    return frozenset(map(stem, words("described.names_nothing")))


def _touches(description: Description, one: Candidate) -> bool:
    return description.may_be_in(one.text, any) and bool(description.words & set(terms(one.text)))


def _closeness(said: str, candidates: Sequence[Candidate], embed: Embed | None) -> list[float]:
    """How near each line is: by vectors, or by the share of common words where there are none."""
    if not candidates:
        return []
    if embed is None:
        mine, theirs = set(asked(said)), [set(asked(one.text)) for one in candidates]
        return [len(mine & its) / max(1, len(mine | its)) for its in theirs]
    import numpy as np  # only for those who have vectors

    rows = np.asarray(embed([said, *(one.text for one in candidates)]), dtype=np.float32)
    return [float(close) for close in rows[1:] @ rows[0]]


# --- custom rules -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CustomRule:
    """What to do, and about what: a line that has all words of one of the subjects is meant."""

    does: str
    text: str
    subjects: tuple[frozenset[str], ...]

    def means(self, line: str) -> bool:
        have = set(terms(line))
        return any(all(stands(word, have) for word in subject) for subject in self.subjects)


def understood_rules(rules: Sequence[str]) -> tuple[CustomRule, ...]:
    """The rules that can be obeyed without a model, in order."""
    return tuple(rule for text in rules for rule in _read(text))


def rule_for(line: str, rules: Sequence[CustomRule]) -> str:
    """`keep` or `never` if a rule says so about this line; empty if none does, or if two contradict each other."""
    found = {rule.does for rule in rules if rule.does != MERGE and rule.means(line)}
    return found.pop() if len(found) == 1 else ""


def keeping_rule(entry: Statement, rules: Sequence[CustomRule]) -> str:
    """The rule that wants a line to stay, for what it says or what it stands under; empty if none does, or another speaks against it."""
    said = " ".join((*entry.headings[-1:], *entry.parents, entry.text))
    wants = rules and rule_for(said, rules) == KEEP
    return next((rule.text for rule in rules if rule.does == KEEP and rule.means(said)), "") if wants else ""


def unclear_rules(rules: Sequence[str], path: str = "DREAM.md") -> tuple[Notice, ...]:
    """A flag for each rule that is not understood: a person is told, and nothing moves."""
    why = say("why.unclear_rule")
    return tuple(Notice("rule", text, why, (Source(path, 1, 1),)) for text in rules if not _read(text))


@lru_cache(maxsize=200)
def _read(text: str) -> tuple[CustomRule, ...]:
    """The rules of one item; none unless every sentence of it is understood."""
    found = [_rule(part.strip(" .。!！\"'“”")) for part in sentences(text) if part.strip()]
    return tuple(rule for rule in found if rule) if all(found) else ()


def _rule(text: str) -> CustomRule | None:
    does = _does(text)
    if not does or re.search(r"\d", text) or any_of("custom_rules.more").search(text):
        return None
    subject = _not().sub(" ", text)
    for verbs in ("stay", "leave", "merge"):
        subject = any_of(f"custom_rules.{verbs}").sub(" ", subject)
    if does == MERGE:  # every line that is merged is a repeated one
        subject = any_of("custom_rules.repeated").sub(" ", subject)
    subjects = [frozenset(asked(_filler().sub(" ", part))) for part in _or().split(subject)]
    named = tuple(some for one in subjects if (some := one & set(terms(subject))))
    if not named or any(len(one) > MOST_WORDS for one in named):
        return None
    return CustomRule(does, text, named)


def _does(text: str) -> str:
    if any_of("custom_rules.merge").search(text):
        return MERGE
    turned = bool(_not().search(text))
    if any_of("custom_rules.leave").search(text):
        return KEEP if turned else NEVER
    if any_of("custom_rules.stay").search(text):
        return NEVER if turned else KEEP if any_of("custom_rules.firm").search(text) else ""
    return ""


@cache
def _not() -> re.Pattern[str]:
    verb = f"(?={one_of('custom_rules.stay')}|{one_of('custom_rules.leave')})"
    return re.compile(f"{one_of('custom_rules.not')}|{one_of('custom_rules.not_before_verb')}{verb}", re.I)


@cache
def _filler() -> re.Pattern[str]:
    """Words of a rule that name nothing, and Korean particles."""
    particles = rf"(?<=[{_HANGUL}]){one_of('custom_rules.particles')}(?=\s|$)"
    return re.compile(f"{particles}|[-‐]?{one_of('custom_rules.filler')}", re.I)


@cache
def _or() -> re.Pattern[str]:
    behind = rf"(?<=[{_HANGUL}]){one_of('custom_rules.or_behind')}\s"
    return re.compile(f"[/,，、;；・|]|{one_of('custom_rules.or')}|{behind}", re.I)
