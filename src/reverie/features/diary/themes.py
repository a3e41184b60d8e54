"""REM: what keeps returning in the notes, as phrases a person would use.

A theme is a noun phrase that several documents of several days say something different about. Machines repeat
themselves, people return: a line that recurs (other digits, other names in the same slots) counts for nothing, and a
word that lives mostly in such lines is no theme. Values in, values out; the same lines in any order give the same themes.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import exp

from reverie.features.diary.entry import VOICES, listing
from reverie.features.diary.phrases import (
    chinese_words,
    han_runs,
    japanese_phrases,
    overlapping,
    segments,
    spaced_phrases,
)
from reverie.features.diary.voices import Voice
from reverie.lang.detect import language_of, line_language
from reverie.lang.notes_words import ROUTINE_SAYINGS, ROUTINE_STARTS
from reverie.text.terms import terms

_TEMPLATE = 3  # lines of one shape; twice may be a person repeating a fact
_ALIKE = 0.5  # Jaccard of two lines, the phrase itself left out, from which they say the same
_EVERYWHERE = 0.6  # of the documents: a single word that stands in so many is the air, not a theme
_FEW = 5  # documents below which "everywhere" says nothing
_SAME_LINES = 0.6  # two phrases that share so many of their lines are one theme
_COMPARED = 40  # statements per phrase that are told apart; more add nothing
_LOG = re.compile(
    r"^\W*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE)\b|[{\[<]\S*\")"
)
_CLOCK = re.compile(r"^[\W\d]+|\bT?\d\d?:\d\d(?::\d\d)?\b")
_MASK = re.compile(r"`[^`]*`|\w*\d\w*(?:[.,:%/-]\w+)*")


@dataclass(frozen=True, slots=True)
class Seen:
    """One line somebody wrote: its words, its document, the day it speaks of and what stands above it."""

    text: str
    path: str
    day: date | None
    context: str = ""


@dataclass(frozen=True, slots=True)
class Theme:
    """A phrase that returned: on how many days, in how many documents, and which lines say so."""

    phrase: str
    strength: float
    days: int
    documents: int
    sources: tuple[tuple[str, int], ...]  # the document, and the line's index in what was given


@dataclass(slots=True)
class _Found:
    """A phrase while it is being counted."""

    key: tuple[str, ...]
    lines: set[int] = field(default_factory=set)
    spellings: Counter[str] = field(default_factory=Counter)
    nouns: Counter[str] = field(default_factory=Counter)
    in_noise: int = 0


def find_themes(lines: Sequence[Seen], *, limit: int = 6) -> tuple[Theme, ...]:
    """The themes of these lines, strongest first; none rather than a doubtful one."""
    noise = _noise(lines)
    counted = _phrases(lines, noise)
    documents = len({line.path for line in lines})
    themes = [theme for found in counted if (theme := _theme(found, lines, documents))]
    themes.sort(key=lambda pair: (-pair[0].strength, -len(pair[0].phrase), pair[0].phrase))
    return tuple(_apart(themes))[:limit]


def _noise(lines: Sequence[Seen]) -> set[int]:
    """Lines of machines: routine by their words, logs by their form, templates because they recur."""
    shapes: dict[str, list[int]] = defaultdict(list)
    noise: set[int] = set()
    for number, line in enumerate(lines):
        shapes[_shape(line.text)].append(number)
        if _routine(line.text):
            noise.add(number)
    for numbers in shapes.values():
        if len(numbers) >= _TEMPLATE:
            noise.update(numbers)
        else:  # the same words a second time are no second statement
            first = min(numbers, key=lambda number: (lines[number].path, number))
            noise.update(number for number in numbers if number != first)
    return noise


def _shape(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"[^\W_]+|#", _MASK.sub("#", folded)))


def _routine(text: str) -> bool:
    letters = sum(char.isalpha() for char in text)
    if _LOG.match(text) or letters * 2 < len(re.sub(r"\s", "", text)):
        return True
    words = _CLOCK.sub("", text.casefold()).strip(" -*—–[]()`")
    return words.startswith(ROUTINE_STARTS) or any(saying in words for saying in ROUTINE_SAYINGS)


def _phrases(lines: Sequence[Seen], noise: set[int]) -> list[_Found]:
    found: dict[tuple[str, ...], _Found] = {}
    spoken = language_of(line.text for number, line in enumerate(lines) if number not in noise)
    runs: dict[int, list[str]] = {}
    for number, line in enumerate(lines):
        language = line_language(line.text) or spoken
        for key, shown, noun in _spoken(line.text, language, spoken):
            one = found.setdefault(key, _Found(key))
            if number in noise:
                one.in_noise += 1
                continue
            one.lines.add(number)
            one.spellings[shown] += 1
            one.nouns[shown] += noun
        if language == "zh" and spoken != "ja" and number not in noise:
            runs[number] = [run for segment in segments(line.text) for run in han_runs(segment)]
    _add_contexts(found, lines, noise, spoken)
    for word, where in chinese_words(runs, 2).items():
        noisy = sum(word in lines[number].text for number in noise)
        found[(word,)] = _Found((word,), where, Counter({word: len(where)}), Counter({word: len(where)}), noisy)
    return [
        one for one in found.values() if len(one.lines) >= 2 and one.nouns.total() and one.in_noise < len(one.lines)
    ]


def _add_contexts(found: Mapping[tuple[str, ...], _Found], lines: Sequence[Seen], noise: set[int], spoken: str) -> None:
    """A bullet's subject often stands above it. A heading supports a phrase; alone it makes none, for it recurs daily."""
    first: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines):
        if line.context and number not in noise:
            first.setdefault((line.path, line.context), number)
    for (_, context), number in first.items():
        for key, _, _ in _spoken(context, line_language(context) or spoken, spoken):
            if key in found and found[key].spellings:
                found[key].lines.add(number)


def _spoken(text: str, language: str, spoken: str) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    eastern = language in ("zh", "ja")
    for segment in segments(text):
        for phrase in spaced_phrases(segment, german=language == "de"):
            # A capital in a Chinese sentence is a name; so are two foreign words in a row.
            yield (
                phrase.key,
                phrase.shown,
                phrase.noun or (eastern and (phrase.shown[0].isupper() or len(phrase.key) > 1)),
            )
        if language == "ja" or (spoken == "ja" and language == "zh"):
            yield from ((phrase.key, phrase.shown, phrase.noun) for phrase in japanese_phrases(segment))


def _theme(found: _Found, lines: Sequence[Seen], documents: int) -> tuple[Theme, _Found] | None:
    said = _statements(found, lines)
    paths, days = {lines[n].path for n in said}, {day for n in said if (day := lines[n].day)}
    single = len(found.key) == 1
    least = 3 if single and documents >= _FEW else 2
    if len(paths) < least or len(days) < least:
        return None
    if single and documents >= _FEW and len({lines[n].path for n in found.lines}) > _EVERYWHERE * documents:
        return None
    shown = _spelling(found)
    if _sure(found, shown) < 0.3:
        return None
    weight = (len(days) + 0.5 * (len(paths) - 1)) * (1.0 if single else 1.3) * (0.5 + 0.5 * _sure(found, shown))
    sources = tuple(sorted((lines[n].path, n) for n in said))
    return Theme(shown, round(1 - exp(-weight / 6), 3), len(days), len(paths), sources), found


def _statements(found: _Found, lines: Sequence[Seen]) -> list[int]:
    """Lines that say different things about the phrase. Three that are alike are a template and count for nothing."""
    groups: list[tuple[set[str], list[int]]] = []
    own = set(terms(" ".join(found.spellings)))
    for number in sorted(found.lines, key=lambda n: (lines[n].path, lines[n].text)):
        said = set(terms(_MASK.sub(" ", lines[number].text))) - own
        group = next((group for group in groups if _jaccard(said, group[0]) >= _ALIKE), None)
        if group:
            group[1].append(number)
        elif len(groups) < _COMPARED:
            groups.append((said, [number]))
    return [numbers[0] for _, numbers in groups if len(numbers) < _TEMPLATE]


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _spelling(found: _Found) -> str:
    """The commonest spelling, among those that looked like a noun; the shortest of equals is the plainest."""
    return min(found.spellings, key=lambda shown: (not found.nouns[shown], -found.spellings[shown], len(shown), shown))


def _sure(found: _Found, shown: str) -> float:
    """How much of the time it looked like a noun."""
    return found.nouns.total() / found.spellings.total()


def _apart(themes: Iterable[tuple[Theme, _Found]]) -> Iterator[Theme]:
    """One theme for what overlaps: the strongest, and a phrase is stronger than a word of it."""
    kept: list[_Found] = []
    for theme, found in themes:
        if not any(_same(found, other) for other in kept):
            kept.append(found)
            yield theme


def _same(one: _Found, other: _Found) -> bool:
    shared = len(one.lines & other.lines)
    return shared >= _SAME_LINES * min(len(one.lines), len(other.lines)) or (
        shared > 0 and overlapping(one.key, other.key)
    )


def reflect(themes: Sequence[Theme], earlier: Sequence[str], *, language: str = "en") -> tuple[str, ...]:
    """One sentence for each theme with its evidence; one short sentence where last night (`earlier`) said the same."""
    voice = VOICES.get(language, VOICES["en"])
    if themes and repeats(themes, earlier, language=language):
        return (_unchanged(themes, voice),)
    return tuple(_returned(theme, voice) for theme in themes)


def repeats(themes: Sequence[Theme], earlier: Sequence[str], *, language: str = "en") -> bool:
    """Whether last night's sentences told these same themes with these same documents: nothing is new."""
    voice = VOICES.get(language, VOICES["en"])
    told = {_returned(theme, voice) for theme in themes}
    return told <= set(earlier) or _unchanged(themes, voice) in earlier


def _returned(theme: Theme, voice: Voice) -> str:
    paths = list(dict.fromkeys(path for path, _ in theme.sources))
    where = ", ".join(paths[-3:]) + (", …" if len(paths) > 3 else "")
    parts = {"it": listing((theme.phrase,), voice), "where": where, "days": theme.days, "documents": theme.documents}
    return voice.returned.format(**parts)


def _unchanged(themes: Sequence[Theme], voice: Voice) -> str:
    counted = (f"{listing((theme.phrase,), voice)} ({theme.days}/{theme.documents})" for theme in themes)
    return voice.unchanged.format(them=voice.between.join(counted))
