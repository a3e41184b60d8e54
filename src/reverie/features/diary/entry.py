"""The diary: a short entry made from what the night found, in the owner's language, and never the same twice.

The sentences are data (`lang/`, table `voice`): which ones are used follows from the facts themselves, so the same night gives
the same entry. One that would repeat any of the last thirty is told otherwise, or not at all. A narrative by a model is checked
here too, and one that fails is not mended: the built-in entry is taken. An entry is never read back as evidence.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from difflib import SequenceMatcher
from functools import cache
from typing import Any

from reverie.core.settings import STYLES
from reverie.judge.specifics import unsupported
from reverie.judge.vetoes import is_request
from reverie.lang import ENGLISH, LANGUAGES, table, words
from reverie.lang.detect import speaks
from reverie.lang.lexicon import either
from reverie.privacy.redact import holds_mask, redacted
from reverie.text.lines import sentences
from reverie.text.terms import plain
from reverie.workspace.values import Statement

MOST_ALIKE = 0.8  # the promise; below it two entries still read as two
COMPARED = 30  # nights back
SHORTEST, LONGEST = 40, 120  # words of a night on which something happened
_FEWEST_WORDS, _MOST_WORDS = 15, 180  # of a narrative
_LONGEST_REFLECTION = 300  # characters
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
_NOT_PROSE = re.compile(r"[`*#<>|\[\]{}⟦⟧]|__|~~|-{3,}|^\s*(?:[-+•]|\d+[.)])\s|\w+:\w+:(?:start|end)", re.M)
_STRANGE = frozenset(("Cf", "Cc", "Co", "Cs", "Cn", "Mn", "Me", "So", "Sk", "Zl", "Zp"))
_QUOTED = re.compile(r"“[^”]+”|„[^“”]+[“”]|«[^»]+»|「[^」]+」|《[^》]+》|\"[^\"\n]+\"")
_NAMED_ZONES = frozenset({"UTC", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "AKDT", "HST"})

Voice = Mapping[str, Any]  # the table `voice` of a language


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

    @property
    def told(self) -> tuple[str, ...]:
        return (*self.added, *self.updated, *self.retired, *self.questions, *self.themes)


def voice_of(language: str) -> Voice:
    """How the diary speaks in this language. Facts stand in quotation marks: no sentence has to inflect the owner's words."""
    return (language in LANGUAGES and table(language, "voice")) or table(ENGLISH, "voice")


def diary_entry(night: NightFacts, *, language: str, earlier: Sequence[str], style: str = STYLES[0]) -> str:
    """One paragraph about this night, or nothing where only a repetition could be written.

    `plain` tells what happened and nothing around it, `terse` in one line of signs; whatever else is for a model alone.
    `earlier` are former entries, oldest first; the last thirty count. Nothing happened: the entry is shorter.
    """
    voice = voice_of(language)
    compared = _compared(earlier)
    ranked = sorted(
        (_by_words(candidate, compared), nth, candidate)
        for nth, candidate in enumerate(_candidates(night, voice, style))
    )
    best, least = "", MOST_ALIKE
    for by_words, _, candidate in ranked[:_CHECKED]:
        alike = max(by_words, _by_letters(candidate, compared, give_up_at=least))
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


def _compared(earlier: Sequence[str]) -> list[tuple[str, frozenset[str]]]:
    """The last thirty entries, each with its words."""
    return [(entry, _words(entry)) for entry in earlier[-COMPARED:] if entry.strip()]


def _words(text: str) -> frozenset[str]:
    found = plain(text).split()
    return frozenset(part for word in found for part in (word if _EASTERN.search(word) else (word,)))


def _by_words(text: str, compared: Sequence[tuple[str, frozenset[str]]]) -> float:
    mine = _words(text)
    return max((_shared(mine, theirs) for _, theirs in compared), default=0.0)


def _by_letters(text: str, compared: Sequence[tuple[str, frozenset[str]]], *, give_up_at: float) -> float:
    """The highest similarity. Letters in order cost a thousand times more, so only where words are shared at all."""
    mine = _words(text)
    shared = sorted(((_shared(mine, theirs), entry) for entry, theirs in compared), reverse=True)
    highest = 0.0
    for share, entry in shared:
        if share < _UNLIKE or highest >= give_up_at:
            break
        highest = max(highest, similarity(text, entry))
    return highest


def _shared(mine: frozenset[str], theirs: frozenset[str]) -> float:
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


def _candidates(night: NightFacts, voice: Voice, style: str) -> Iterator[str]:
    if style == "terse":
        yield _in_signs(night, voice)
        return
    seed = "\n".join(map(str, (night.day, night.themes, night.added, night.updated, night.retired, night.questions)))
    for attempt in range(_TRIES):
        dice = _Dice(f"{attempt}\n{seed}")
        if night.told:
            yield voice["space"].join(_told(night, voice, dice, bare=style == "plain"))
        else:
            yield voice["space"].join(_filled(dice.one(part), night, voice) for part in voice["quiet"])


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


def _in_signs(night: NightFacts, voice: Voice) -> str:
    """One line: what entered, changed, left and is asked, each behind its sign; the themes where there is nothing else."""
    kinds = (("+", night.added), ("~", night.updated), ("\u2212", night.retired), ("?", night.questions))
    told = [f"{sign} {_quoted(fact, voice)}" for sign, facts in kinds for fact in facts]
    return (
        f"{voice['weekdays'][night.day.weekday()]}: {'; '.join(told) or listing(night.themes, voice)}"
        if night.told
        else ""
    )


def _told(night: NightFacts, voice: Voice, dice: _Dice, *, bare: bool = False) -> list[str]:
    """Opening, what happened as far as there is room, something to lean on if that is too short, closing; bare: what happened."""
    if bare:
        return [sentence for _, sentence, _ in sorted(_happened(night, voice, dice))]
    opening, closing = (_filled(dice.one(voice[part]), night, voice) for part in ("opening", "closing"))
    room = LONGEST - word_count(opening) - word_count(closing)
    told: list[tuple[int, str]] = []
    for place, sentence, needed in (*_happened(night, voice, dice), *_to_lean_on(night, voice, dice)):
        count = word_count(sentence)
        if count <= room and (needed or LONGEST - room < SHORTEST):
            told.append((place, sentence))
            room -= count
    return [opening, *(sentence for _, sentence in sorted(told)), closing]


def _happened(night: NightFacts, voice: Voice, dice: _Dice) -> Iterator[tuple[int, str, bool]]:
    """Sentences of what happened, the weightiest first, each with its place in the telling."""
    theme_first = dice.below(2) == 0
    added = dice.order(night.added)
    kinds = (
        (2, added[:1], "added"),
        (6, dice.order(night.questions)[:1], "question"),
        (4, dice.order(night.updated)[:1], "updated"),
        (5, dice.order(night.retired)[:1], "retired"),
    )
    for place, facts, kind in kinds:
        for fact in facts:
            yield place, _filled(dice.one(voice[kind]), night, voice, it=fact), True
    if themes := dice.order(night.themes)[: 1 + dice.below(3)]:
        choices = voice["theme" if len(themes) == 1 else "themes"]
        listed = listing(themes, voice)
        yield 1 if theme_first else 4, _filled(dice.one(choices), night, voice, it=themes[0], them=listed), True
    for fact in added[1:2]:
        yield 3, _filled(dice.one(voice["also"]), night, voice, it=fact), True


def _to_lean_on(night: NightFacts, voice: Voice, dice: _Dice) -> Iterator[tuple[int, str, bool]]:
    if night.notes > 1:
        yield 7, _filled(dice.one(voice["read"]), night, voice), False
    yield from ((8 + nth, sentence, False) for nth, sentence in enumerate(dice.order(voice["aside"])))


def listing(phrases: Sequence[str], voice: Voice) -> str:
    """Phrases as a person lists them: one, two and three."""
    shown = [_quoted(phrase, voice) for phrase in phrases]
    return str(voice["last"].join(part for part in (voice["between"].join(shown[:-1]), shown[-1]) if part))


def _filled(sentence: str, night: NightFacts, voice: Voice, *, it: str = "", them: str = "") -> str:
    day = voice["weekdays"][night.day.weekday()]
    parts = {"it": _quoted(it, voice), "them": them, "n": str(night.notes), "day": day}
    return _TWO_ENDS.sub(r"\1", re.sub(r"\{(\w+)\}", lambda slot: parts[slot[1]], sentence))


def _quoted(fact: str, voice: Voice) -> str:
    opened, closed = voice["quotes"]
    return f"{opened}{shortened(fact)}{closed}"


def shortened(fact: str) -> str:
    """A fact on one line without markup, cut after some words; no dashes that a reader of the file would stumble on."""
    bare = " ".join(_DASHES.sub(" – ", _MARKUP.sub(" ", fact)).split()).strip(" .;,:。；，：-–")
    kept: list[str] = []
    count = 0.0
    for part in re.findall(rf"{_EASTERN.pattern}|(?:(?!{_EASTERN.pattern})\S)+\s*|\s+", bare):
        count += 1 / _PER_WORD if _EASTERN.match(part) else 1
        if count > _FACT or sum(map(len, kept)) + len(part) > 120:
            return "".join(kept).rstrip(" ,;:，、；：–-") + "…"
        kept.append(part)
    return "".join(kept).strip()


def narrative_may_stand(text: str, night: NightFacts, language: str, earlier: Sequence[str]) -> bool:
    """Whether a model's narrative may stand in the diary: one paragraph of prose in the owner's language that gives no orders,
    names nothing which tonight's facts do not name, and is unlike the last thirty entries."""
    if gives_orders(text) or not is_prose(text) or not speaks(text, language):
        return False
    if not _FEWEST_WORDS <= word_count(text) <= _MOST_WORDS:
        return False
    strange = unsupported(text, night.told, [night.day.isoformat()])
    if any(one.casefold() not in _diary_words(language) for one in strange):
        return False
    compared = _compared(earlier)
    return max(_by_words(text, compared), _by_letters(text, compared, give_up_at=MOST_ALIKE)) < MOST_ALIKE


def reflection_may_stand(text: str, cites: Sequence[Statement], language: str) -> bool:
    """Whether a model's sentence about several notes may stand in a report."""
    if gives_orders(text) or not is_prose(text) or len(text) > _LONGEST_REFLECTION or not speaks(text, language):
        return False
    said = [part for one in cites for part in (one.text, one.context)]
    return not unsupported(text, said, [one.day for one in cites if one.day])


def gives_orders(text: str) -> bool:
    """Whether a text wants something done. What it quotes is somebody's, and is looked for in the sources elsewhere."""
    orders, no_orders = _orders()
    return any(is_request(one) or orders.search(no_orders.sub(" ", one)) for one in sentences(_QUOTED.sub(" ", text)))


@cache
def _orders() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What orders somebody about, or speaks of prompts and models; and what only begins like it."""
    of, but = (re.compile(either(words(f"narrative.{group}")), re.I) for group in ("orders", "no_orders"))
    return of, but


def is_prose(text: str) -> bool:
    """Whether a text is one paragraph of plain prose, every character of it visible and none of it secret."""
    if not text.strip() or "\n" in text or _NOT_PROSE.search(text):
        return False
    # Characters without width or place, those that turn the line round, an accent on nothing, a picture: a pin is one.
    unseen = (
        unicodedata.category(char) in _STRANGE and char not in "°№" for char in unicodedata.normalize("NFC", text)
    )
    return not any(unseen) and not holds_mask(text) and redacted(text) == text


@cache
def _diary_words(language: str) -> frozenset[str]:
    """The words of our own diary in this language: whoever uses them names nobody."""
    voice = voice_of(language)
    told = " ".join(_strings(list(voice.values())))
    return frozenset(re.findall(r"[^\W\d_]+", told.casefold())) - {day.casefold() for day in voice["weekdays"]}


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def long_day(day: date) -> str:
    """A day as OpenClaw writes it above an entry: January 1, 2026."""
    return f"{day:%B} {day.day}, {day.year}"


def long_moment(at: datetime, zone: tzinfo = UTC) -> str:
    """A moment as OpenClaw writes it above an entry: April 5, 2026 at 10:00 AM UTC."""
    local = at.astimezone(zone)
    half = "AM" if local.hour < 12 else "PM"
    return f"{long_day(local.date())} at {local.hour % 12 or 12}:{local.minute:02} {half} {_zone_name(local)}"


def _zone_name(local: datetime) -> str:
    """America's zones have names in American English, the others only their distance from Greenwich."""
    name, offset = local.tzname() or "", local.utcoffset()
    if name in _NAMED_ZONES or offset is None:
        return name
    minutes = round(offset.total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return "GMT" + (f"{'+' if minutes > 0 else '-'}{hours}" + (f":{rest:02}" if rest else "") if minutes else "")
