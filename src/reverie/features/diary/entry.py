"""The diary: a short entry made from what the night found, in the owner's language, and never the same twice.

A small grammar with many variants (`voices`); which one is used follows from the facts themselves, so the same night
gives the same entry. An entry that would repeat one of the last thirty is told otherwise, or not at all. It is
generated text: it goes into the diary's markers and is never read back as evidence.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher

from reverie.features.diary.voices import Voice
from reverie.features.diary.voices.chinese import CHINESE
from reverie.features.diary.voices.eastern import JAPANESE, KOREAN, RUSSIAN
from reverie.features.diary.voices.english import ENGLISH
from reverie.features.diary.voices.german import GERMAN
from reverie.features.diary.voices.romance import FRENCH, PORTUGUESE, SPANISH
from reverie.text.terms import plain

VOICES = {
    "en": ENGLISH, "zh": CHINESE, "de": GERMAN, "es": SPANISH, "fr": FRENCH, "pt": PORTUGUESE,
    "ru": RUSSIAN, "ja": JAPANESE, "ko": KOREAN,
}  # fmt: skip
MOST_ALIKE = 0.8  # the promise; below it two entries still read as two
COMPARED = 30  # nights back
SHORTEST, LONGEST = 40, 120  # words of a night on which something happened
_FRESH = 0.7  # what we look for before we settle for the promise
_UNLIKE = 0.25  # entries that share fewer of their words have never been alike in their letters
_TRIES = 96
_CHECKED = 6  # of these, the ones with the fewest known words
_FACT = 13  # words of a fact that are quoted; the fact itself stands where it was written
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_PER_WORD = 1.8  # Chinese and Japanese characters that say as much as one word
_MARKUP = re.compile(r"<!--.*?-->|[`*_#|<>]+|\[[ xX]\]", re.S)
_TWO_ENDS = re.compile(r"([?!…？！]\s?[”“»」’])[.。]")  # a quoted question has ended the sentence already
_DASHES = re.compile(r"\s*[-‐‑‒–—―]{2,}\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class NightFacts:
    """What one night found, redacted, as plain sentences and numbers."""

    day: date
    themes: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    notes: int = 0  # documents that were read


def diary_entry(night: NightFacts, *, language: str, earlier: Sequence[str]) -> str:
    """One paragraph about this night, or nothing where only a repetition could be written.

    `earlier` are former entries, oldest first; the last thirty count. Nothing happened: the entry is shorter.
    """
    voice = VOICES.get(language, ENGLISH)
    compared = [(entry, _words(entry)) for entry in earlier[-COMPARED:] if entry.strip()]
    ranked = sorted(
        (_by_words(candidate, compared), nth, candidate) for nth, candidate in enumerate(_candidates(night, voice))
    )
    best, least = "", MOST_ALIKE
    for by_words, _, candidate in ranked[:_CHECKED]:
        alike = max(by_words, _most_alike(candidate, compared, give_up_at=least))
        if alike < least:
            best, least = candidate, alike
        if least <= _FRESH:
            break
    return best


def word_count(text: str) -> int:
    """Words as a reader counts them: of Chinese and Japanese, about two characters are one."""
    eastern = len(_EASTERN.findall(text))
    return round(eastern / _PER_WORD) + len(_EASTERN.sub(" ", text).split())


def similarity(one: str, other: str) -> float:
    """How alike two entries are: by their letters in order, or by their words in any order, whichever is more."""
    return max(
        _shared(_words(one), _words(other)),
        *(SequenceMatcher(None, one, other, autojunk=junk).ratio() for junk in (False, True)),
    )


def most_alike(text: str, earlier: Sequence[str]) -> float:
    """How alike an entry is to the nearest of the last thirty; exact from the promise on, below it at most that."""
    compared = [(entry, _words(entry)) for entry in earlier[-COMPARED:] if entry.strip()]
    return max(_by_words(text, compared), _most_alike(text, compared, give_up_at=MOST_ALIKE))


def _words(text: str) -> frozenset[str]:
    words = plain(text).split()
    return frozenset(part for word in words for part in (word if _EASTERN.search(word) else (word,)))


def _by_words(text: str, compared: Sequence[tuple[str, frozenset[str]]]) -> float:
    mine = _words(text)
    return max((_shared(mine, theirs) for _, theirs in compared), default=0.0)


def _most_alike(text: str, compared: Sequence[tuple[str, frozenset[str]]], *, give_up_at: float) -> float:
    """The highest similarity. Letters in order cost a thousand times more, so only where words are shared at all."""
    mine = _words(text)
    shared = sorted(((_shared(mine, theirs), entry) for entry, theirs in compared), reverse=True)
    highest = 0.0
    for share, entry in shared:
        if share < _UNLIKE or highest >= give_up_at:
            break
        highest = max(highest, similarity(text, entry))
    return highest


def _shared(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / len(words | others) if words | others else 1.0


def _candidates(night: NightFacts, voice: Voice) -> Iterator[str]:
    seed = "\n".join(map(str, (night.day, night.themes, night.added, night.updated, night.retired, night.questions)))
    happened = any((night.themes, night.added, night.updated, night.retired, night.questions))
    for attempt in range(_TRIES):
        dice = _Dice(f"{attempt}\n{seed}")
        sentences = _told(night, voice, dice) if happened else _quiet(night, voice, dice)
        yield voice.space.join(sentences)


@dataclass(slots=True)
class _Dice:
    """Choices that follow from the facts: the same facts and attempt, the same choices."""

    seed: str
    thrown: int = 0

    def below(self, n: int) -> int:
        self.thrown += 1
        digest = hashlib.sha256(f"{self.thrown}\n{self.seed}".encode("utf-8", "replace")).digest()
        return int.from_bytes(digest[:8], "big") % n

    def one(self, choices: Sequence[str]) -> str:
        return choices[self.below(len(choices))]

    def order(self, items: Sequence[str]) -> list[str]:
        left, shuffled = list(items), []
        while left:
            shuffled.append(left.pop(self.below(len(left))))
        return shuffled


def _quiet(night: NightFacts, voice: Voice, dice: _Dice) -> list[str]:
    return [_filled(dice.one(part), night, voice) for part in voice.quiet]


def _told(night: NightFacts, voice: Voice, dice: _Dice) -> list[str]:
    """Opening, what happened as far as there is room, something to lean on if that is too short, closing."""
    opening, closing = (_filled(dice.one(part), night, voice) for part in (voice.opening, voice.closing))
    room = LONGEST - word_count(opening) - word_count(closing)
    told: list[tuple[int, str]] = []
    for place, sentence, needed in (*_happened(night, voice, dice), *_to_lean_on(night, voice, dice)):
        words = word_count(sentence)
        if words <= room and (needed or LONGEST - room < SHORTEST):
            told.append((place, sentence))
            room -= words
    return [opening, *(sentence for _, sentence in sorted(told)), closing]


def _happened(night: NightFacts, voice: Voice, dice: _Dice) -> Iterator[tuple[int, str, bool]]:
    """Sentences of what happened, the weightiest first, each with its place in the telling."""
    theme_first = dice.below(2) == 0
    added = dice.order(night.added)
    kinds = (
        (2, added[:1], voice.added),
        (6, dice.order(night.questions)[:1], voice.question),
        (4, dice.order(night.updated)[:1], voice.updated),
        (5, dice.order(night.retired)[:1], voice.retired),
    )
    for place, facts, sentences in kinds:
        for fact in facts:
            yield place, _filled(dice.one(sentences), night, voice, it=fact), True
    if themes := dice.order(night.themes)[: 1 + dice.below(3)]:
        sentences = voice.theme if len(themes) == 1 else voice.themes
        listed = listing(themes, voice)
        yield 1 if theme_first else 4, _filled(dice.one(sentences), night, voice, it=themes[0], them=listed), True
    for fact in added[1:2]:
        yield 3, _filled(dice.one(voice.also), night, voice, it=fact), True


def _to_lean_on(night: NightFacts, voice: Voice, dice: _Dice) -> Iterator[tuple[int, str, bool]]:
    if night.notes > 1:
        yield 7, _filled(dice.one(voice.read), night, voice), False
    yield from ((8 + nth, sentence, False) for nth, sentence in enumerate(dice.order(voice.aside)))


def listing(phrases: Sequence[str], voice: Voice) -> str:
    """Phrases as a person lists them: one, two and three."""
    shown = [_quoted(phrase, voice) for phrase in phrases]
    return voice.last.join(part for part in (voice.between.join(shown[:-1]), shown[-1]) if part)


def _filled(sentence: str, night: NightFacts, voice: Voice, *, it: str = "", them: str = "") -> str:
    parts = {"it": _quoted(it, voice), "them": them, "n": str(night.notes), "day": voice.weekdays[night.day.weekday()]}
    return _TWO_ENDS.sub(r"\1", re.sub(r"\{(\w+)\}", lambda slot: parts[slot[1]], sentence))


def _quoted(fact: str, voice: Voice) -> str:
    opened, closed = voice.quotes
    return f"{opened}{shortened(fact)}{closed}"


def shortened(fact: str) -> str:
    """A fact on one line without markup, cut after some words; no dashes that a reader of the file would stumble on."""
    bare = " ".join(_DASHES.sub(" – ", _MARKUP.sub(" ", fact)).split()).strip(" .;,:。；，：-–")
    kept: list[str] = []
    words = 0.0
    for part in re.findall(rf"{_EASTERN.pattern}|(?:(?!{_EASTERN.pattern})\S)+\s*|\s+", bare):
        words += 1 / _PER_WORD if _EASTERN.match(part) else 1
        if words > _FACT or sum(map(len, kept)) + len(part) > 120:
            return "".join(kept).rstrip(" ,;:，、；：–-") + "…"
        kept.append(part)
    return "".join(kept).strip()
