"""What keeps returning in the notes (the REM phase), as phrases a person would use.

A theme is a noun phrase that several documents of several days say something different about. Machines repeat
themselves, people return: a line that recurs (other digits, other names in the same slots) counts for nothing, and a
word that lives mostly in such lines is no theme. Values in, values out; the same lines in any order give the same themes.

Where words are written apart, a phrase is one to three words, and it counts as a noun only where something shows it: an
article before it, a capital in the middle of a sentence, a Korean particle after it. Japanese changes its script around
nouns. Chinese is cut by statistics over all lines, without a dictionary, so new names are found too: two to six characters
are a word when what stands left and right of them varies (branching entropy) while they hold together, and no longer string
explains them. The words that are no theme, and those that show a noun, are the table `themes` in `lang/`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from math import exp, log

from reverie.features.diary.entry import Voice, listing, voice_of
from reverie.lang import words
from reverie.lang.detect import language_of, line_language
from reverie.text.terms import stem, stop_words, terms

_EVERYDAY = frozenset(words("themes.everyday"))  # may stand inside a theme ("training session"); none by themselves
_BREAKING = stop_words() | frozenset(words("themes.breaking"))  # end a phrase: function words, days, verbs, adverbs
_ARTICLES = frozenset(words("themes.articles"))  # announce a noun
_CONNECTORS = frozenset(words("themes.connectors"))  # may join two words
_HAN_EDGES = frozenset("".join(words("themes.edges")))  # begin or end no noun
_ADVERBS = words("themes.adverbs")  # endings of longer words, never of capitalised ones
_PARTICLES = words("themes.particles")  # what hangs on a Korean noun, longest first
_PREDICATES = words("themes.predicates")  # how what is no Korean noun ends
_ENDINGS = words("themes.endings")  # of inflected Cyrillic words, longest first; what is left keeps four letters
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
_LONGEST_WORD = 6
_FREE = 0.6  # nats on each side; two different neighbours in two places are 0.69
_EXPLAINED = 0.75  # a longer string in so many of its lines, and the shorter one is only its part
_EVERYDAY_HAN = frozenset(word for word in _EVERYDAY if "\u4e00" <= word[0] <= "\u9fff")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005"
_KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
_HANGUL = "\uac00-\ud7af"
_LONGEST = 600  # characters of a line that are looked at; what is longer was pasted
_BREAK = "\n"

_CODE = re.compile(r"<!--.*?-->|`[^`]*`|⟦[^⟧]*⟧|\[REDACTED[^\]]*\]|https?://\S+|\S+@[\w.-]+", re.S)
_FILE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9~.+-]*[A-Za-z0-9][./\\_=#:][./\\_=#:A-Za-z0-9~+-]*[A-Za-z0-9_]")
_ROLE = re.compile(rf"^\W*(?:{'|'.join(words('themes.roles'))})\s*[:：]\s*", re.I)
_NUMBERED = re.compile(r"\w*\d[\w.,:%/-]*")
_MARKUP = re.compile(r"\*\*|__|~~|^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?")
_SPLIT = re.compile(rf"[^\w\s'’\-]+|\s[-–—]+\s|[{_BREAK}_]+")
_RUN = re.compile(
    rf"[{_HAN}]+|[{_KANA}{_HAN}]+|[{_HANGUL}]+|[^\W\d_{_HAN}{_KANA}{_HANGUL}]+(?:['’\-][^\W\d_{_HAN}{_KANA}{_HANGUL}]+)*"
)
_JAPANESE_NOUN = re.compile(rf"(?:[{_HAN}]|[\u30a1-\u30fa\u30fc])+")
_AFTER_A_NOUN = re.compile(rf"(?:{'|'.join(words('themes.after_nouns'))})|\Z")
_UNSPACED = re.compile(rf"[{_HAN}{_KANA}{_HANGUL}]")
_GENITIVE = re.compile(r"['’]s$")
_ELISION = re.compile(rf"^(?:{'|'.join(words('themes.elided'))})['’](?=\w{{3}})", re.I)


@dataclass(frozen=True, slots=True)
class ThemeLine:
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
class _FoundTheme:
    """A phrase while it is being counted."""

    key: tuple[str, ...]
    lines: set[int] = field(default_factory=set)
    spellings: Counter[str] = field(default_factory=Counter)
    nouns: Counter[str] = field(default_factory=Counter)
    in_noise: int = 0


def find_themes(lines: Sequence[ThemeLine], *, limit: int = 6) -> tuple[Theme, ...]:
    """The themes of these lines, strongest first; none rather than a doubtful one."""
    noise = _noise(lines)
    counted = _phrases(lines, noise)
    documents = len({line.path for line in lines})
    themes = [theme for found in counted if (theme := _theme(found, lines, documents))]
    themes.sort(key=lambda pair: (-pair[0].strength, -len(pair[0].phrase), pair[0].phrase))
    return tuple(_apart(themes))[:limit]


def _noise(lines: Sequence[ThemeLine]) -> set[int]:
    """Lines of machines: routine by their words, logs by their form, templates because they recur."""
    shapes: dict[str, list[int]] = defaultdict(list)
    noise: set[int] = set()
    for number, line in enumerate(lines):
        shapes[_shape(line.text[:_LONGEST])].append(number)
        if _routine(line.text[:_LONGEST]):
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
    said = _CLOCK.sub("", text.casefold()).strip(" -*—–[]()`")
    return said.startswith(words("notes.routine_starts")) or any(
        saying in said for saying in words("notes.routine_sayings")
    )


def _phrases(lines: Sequence[ThemeLine], noise: set[int]) -> list[_FoundTheme]:
    found: dict[tuple[str, ...], _FoundTheme] = {}
    spoken = language_of(line.text for number, line in enumerate(lines) if number not in noise)
    runs: dict[int, list[str]] = {}
    for number, line in enumerate(lines):
        language = line_language(line.text) or spoken
        for phrase in _spoken(line.text, language, spoken):
            one = found.setdefault(phrase.key, _FoundTheme(phrase.key))
            if number in noise:
                one.in_noise += 1
                continue
            one.lines.add(number)
            one.spellings[phrase.shown] += 1
            one.nouns[phrase.shown] += phrase.noun
        if language == "zh" and spoken != "ja" and number not in noise:
            runs[number] = [run for segment in _segments(line.text) for run in re.findall(rf"[{_HAN}]+", segment)]
    _add_contexts(found, lines, noise, spoken)
    for word, where in _chinese_words(runs, 2).items():
        noisy = sum(word in lines[number].text for number in noise)
        found[(word,)] = _FoundTheme((word,), where, Counter({word: len(where)}), Counter({word: len(where)}), noisy)
    return [
        one for one in found.values() if len(one.lines) >= 2 and one.nouns.total() and one.in_noise < len(one.lines)
    ]


def _add_contexts(
    found: Mapping[tuple[str, ...], _FoundTheme], lines: Sequence[ThemeLine], noise: set[int], spoken: str
) -> None:
    """A bullet's subject often stands above it. A heading supports a phrase; alone it makes none, for it recurs daily."""
    first: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines):
        if line.context and number not in noise:
            first.setdefault((line.path, line.context), number)
    for (_, context), number in first.items():
        for phrase in _spoken(context, line_language(context) or spoken, spoken):
            if phrase.key in found and found[phrase.key].spellings:
                found[phrase.key].lines.add(number)


def _spoken(text: str, language: str, spoken: str) -> Iterator[_ThemePhrase]:
    eastern = language in ("zh", "ja")
    for segment in _segments(text):
        for phrase in _spaced_phrases(segment, german=language == "de"):
            # A capital in a Chinese sentence is a name; so are two foreign words in a row.
            named = eastern and (phrase.shown[0].isupper() or len(phrase.key) > 1)
            yield replace(phrase, noun=phrase.noun or named)
        if language == "ja" or (spoken == "ja" and language == "zh"):
            yield from _japanese_phrases(segment)


def _theme(found: _FoundTheme, lines: Sequence[ThemeLine], documents: int) -> tuple[Theme, _FoundTheme] | None:
    said = _statements(found, lines)
    paths, days = {lines[n].path for n in said}, {day for n in said if (day := lines[n].day)}
    single = len(found.key) == 1
    least = 3 if single and documents >= _FEW else 2
    if len(paths) < least or len(days) < least:
        return None
    if single and documents >= _FEW and len({lines[n].path for n in found.lines}) > _EVERYWHERE * documents:
        return None
    shown = _spelling(found)
    if _sure(found) < 0.3:
        return None
    weight = (len(days) + 0.5 * (len(paths) - 1)) * (1.0 if single else 1.3) * (0.5 + 0.5 * _sure(found))
    sources = tuple(sorted((lines[n].path, n) for n in said))
    return Theme(shown, round(1 - exp(-weight / 6), 3), len(days), len(paths), sources), found


def _statements(found: _FoundTheme, lines: Sequence[ThemeLine]) -> list[int]:
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


def _spelling(found: _FoundTheme) -> str:
    """The commonest spelling, among those that looked like a noun; the shortest of equals is the plainest."""
    return min(found.spellings, key=lambda shown: (not found.nouns[shown], -found.spellings[shown], len(shown), shown))


def _sure(found: _FoundTheme) -> float:
    """How much of the time it looked like a noun."""
    return found.nouns.total() / found.spellings.total()


def _apart(themes: Iterable[tuple[Theme, _FoundTheme]]) -> Iterator[Theme]:
    """One theme for what overlaps: the strongest, and a phrase is stronger than a word of it."""
    kept: list[_FoundTheme] = []
    for theme, found in themes:
        if not any(_same(found, other) for other in kept):
            kept.append(found)
            yield theme


def _same(one: _FoundTheme, other: _FoundTheme) -> bool:
    shared = len(one.lines & other.lines)
    return shared >= _SAME_LINES * min(len(one.lines), len(other.lines)) or (
        shared > 0 and _overlapping(one.key, other.key)
    )


def reflect(themes: Sequence[Theme], earlier: Sequence[str], *, language: str = "en") -> tuple[str, ...]:
    """One sentence for each theme with its evidence; one short sentence where last night (`earlier`) said the same."""
    voice = voice_of(language)
    if themes and repeats(themes, earlier, language=language):
        return (_unchanged(themes, voice),)
    return tuple(_returned(theme, voice) for theme in themes)


def repeats(themes: Sequence[Theme], earlier: Sequence[str], *, language: str = "en") -> bool:
    """Whether last night's sentences told these same themes with these same documents: nothing is new."""
    voice = voice_of(language)
    told = {_returned(theme, voice) for theme in themes}
    return told <= set(earlier) or _unchanged(themes, voice) in earlier


def _returned(theme: Theme, voice: Voice) -> str:
    paths = list(dict.fromkeys(path for path, _ in theme.sources))
    where = ", ".join(paths[-3:]) + (", …" if len(paths) > 3 else "")
    parts = {"it": listing((theme.phrase,), voice), "where": where, "days": theme.days, "documents": theme.documents}
    return str(voice["returned"]).format(**parts)


def _unchanged(themes: Sequence[Theme], voice: Voice) -> str:
    counted = (f"{listing((theme.phrase,), voice)} ({theme.days}/{theme.documents})" for theme in themes)
    return str(voice["unchanged"]).format(them=voice["between"].join(counted))


@dataclass(frozen=True, slots=True)
class _ThemePhrase:
    """Words as they stood in a line, the key under which their inflections meet, and whether they look like a noun."""

    key: tuple[str, ...]
    shown: str
    noun: bool


@dataclass(frozen=True, slots=True)
class _PhraseWord:
    shown: str
    folded: str
    first: bool  # of its segment
    genitive: bool = False
    elided: bool = False
    particle: bool = False


def _segments(text: str) -> list[str]:
    """A line without markup, roles, code, addresses, file names and numbers, cut where any of these stood."""
    text = _ROLE.sub("", _MARKUP.sub("", text[:_LONGEST]))
    for machine in (_CODE, _FILE, _NUMBERED):
        text = machine.sub(_BREAK, text)
    return [part.strip() for part in _SPLIT.split(text) if part and part.strip()]


def _spaced_phrases(segment: str, *, german: bool = False) -> Iterator[_ThemePhrase]:
    """Phrases of a language that writes its words apart; also the Latin names inside Chinese and Japanese."""
    for row in _stretches(segment):
        for start in range(len(row)):
            for stop in range(start + 1, min(start + 4, len(row) + 1)):
                chunk = row[start:stop]
                if _may_be_phrase(chunk):
                    yield _phrase(chunk, row[start - 1] if start else None, row[stop : stop + 1], german=german)


def _japanese_phrases(segment: str) -> Iterator[_ThemePhrase]:
    """Runs of kanji and katakana: a particle or the end behind them shows a noun, a verb ending does not."""
    for run in _JAPANESE_NOUN.finditer(segment):
        if 2 <= len(run[0]) <= 10 and run[0] not in _EVERYDAY:
            noun = bool(_AFTER_A_NOUN.match(segment, run.end())) or not segment[run.end()].isalpha()
            yield _ThemePhrase((run[0],), run[0], noun)


def _stretches(segment: str) -> Iterator[list[_PhraseWord]]:
    """Words in a row of one writing; another script between two words parts them."""
    row: list[_PhraseWord] = []
    for nth, run in enumerate(_RUN.finditer(segment)):
        if re.match(rf"[{_HAN}{_KANA}]", run[0]):
            if row:
                yield row
            row = []
            continue
        row.append(_word(run[0], first=nth == 0))
    if row:
        yield row


def _word(text: str, *, first: bool) -> _PhraseWord:
    if re.match(rf"[{_HANGUL}]", text):
        bare = next((text.removesuffix(p) for p in _PARTICLES if text.endswith(p) and len(text) - len(p) >= 2), text)
        return _PhraseWord(bare, bare, first, particle=bare != text)
    genitive, elided = bool(_GENITIVE.search(text)), bool(_ELISION.match(text))
    bare = _ELISION.sub("", _GENITIVE.sub("", text))
    return _PhraseWord(bare, bare.casefold().replace("’", "'"), first, genitive, elided)


def _may_be_phrase(chunk: list[_PhraseWord]) -> bool:
    """Content words only, a connector only between two of them, and at least one word that is not everyday."""
    content = [chunk[0], chunk[2]] if len(chunk) == 3 and chunk[1].folded in _CONNECTORS else chunk
    if any(_breaks(word) for word in content) or any(word.genitive for word in chunk[:-1]):
        return False
    return any(word.folded not in _EVERYDAY for word in content)


def _breaks(word: _PhraseWord) -> bool:
    folded = word.folded
    if re.match(rf"[{_HANGUL}]", folded):
        return len(folded) < 2 or (not word.particle and folded.endswith(_PREDICATES))
    short = len(folded) < 3 and not (word.shown.isupper() and len(folded) == 2)
    adverb = len(folded) > 6 and folded.endswith(_ADVERBS) and word.shown.islower()
    return short or folded in _BREAKING or adverb


def _phrase(
    chunk: list[_PhraseWord], before: _PhraseWord | None, after: list[_PhraseWord], *, german: bool
) -> _ThemePhrase:
    key = tuple(_root(word.folded) for word in chunk)
    return _ThemePhrase(
        key, " ".join(word.shown for word in chunk), _looks_like_noun(chunk, before, after, german=german)
    )


def _looks_like_noun(
    chunk: list[_PhraseWord], before: _PhraseWord | None, after: list[_PhraseWord], *, german: bool
) -> bool:
    head, last = chunk[0], chunk[-1]
    if re.match(rf"[{_HANGUL}]", last.folded):
        return last.particle or len(chunk) > 1
    capital = last.shown[0].isupper()
    if german:  # every German noun is written with a capital; the first word of a sentence proves nothing
        return capital and not (last.first and len(chunk) == 1)
    if capital and not last.first:
        return True
    announced = head.elided or (before is not None and (before.folded in _ARTICLES or before.genitive))
    # "the pricing page": what follows the article is the noun only if no further content word follows.
    closed = not after or after[0].folded in _BREAKING
    return announced and closed


@lru_cache(maxsize=50_000)
def _root(word: str) -> str:
    """The form under which the inflections of a word meet."""
    if "\u0400" <= word[0] <= "\u04ff":
        ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= 4), "")
        return word[: -len(ending)] if ending else word
    return stem(word)


def _overlapping(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the shorter phrase stands inside the longer one (a Chinese phrase is one word: its characters count)."""
    short, long = sorted((one, other), key=lambda key: (len(key), len("".join(key))))
    if sorted(short) == sorted(long):
        return True
    if len(long) == 1:
        return bool(_UNSPACED.match(short[0])) and short[0] in long[0]
    return any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))


def _chinese_words(lines: Mapping[int, Sequence[str]], least: int) -> dict[str, set[int]]:
    """Every word that stands in at least `least` lines (numbers of lines → their runs of characters), with its lines."""
    places, left, right, single = _counted(lines, least)
    free = {
        gram: where
        for gram, where in places.items()
        if _entropy(left[gram]) >= _FREE and _entropy(right[gram]) >= _FREE and _holds_together(gram, places, single)
    }
    return {gram: where for gram, where in free.items() if not _explained(gram, where, free)}


def _counted(
    lines: Mapping[int, Sequence[str]], least: int
) -> tuple[dict[str, set[int]], dict[str, Counter[str]], dict[str, Counter[str]], Counter[str]]:
    places: dict[str, set[int]] = defaultdict(set)
    single: Counter[str] = Counter()
    for number, runs in lines.items():
        for run in runs:
            single.update(run)
            for gram, _, _ in _grams(run):
                places[gram].add(number)
    places = {gram: where for gram, where in places.items() if len(where) >= least}
    left: dict[str, Counter[str]] = defaultdict(Counter)
    right: dict[str, Counter[str]] = defaultdict(Counter)
    for number, runs in lines.items():
        for run in runs:
            for gram, start, stop in _grams(run):
                if gram in places:  # an edge of the run is a neighbour of its own each time: nothing binds there
                    left[gram][run[start - 1] if start else f"^{number}"] += 1
                    right[gram][run[stop] if stop < len(run) else f"${number}"] += 1
    return places, left, right, single


def _grams(run: str) -> list[tuple[str, int, int]]:
    return [
        (run[start:stop], start, stop)
        for start in range(len(run))
        if run[start] not in _HAN_EDGES
        for stop in range(start + 2, min(start + _LONGEST_WORD, len(run)) + 1)
        if run[stop - 1] not in _HAN_EDGES and not _everyday(run[start:stop])
    ]


def _everyday(gram: str) -> bool:
    """An everyday word, or one that begins or ends with one and has nothing but a single character besides."""
    if _EVERYDAY_HAN.intersection((gram, gram[:-1], gram[1:])):
        return True
    return any(gram[:cut] in _EVERYDAY_HAN and gram[cut:] in _EVERYDAY_HAN for cut in range(2, len(gram) - 1))


def _entropy(neighbours: Counter[str]) -> float:
    total = neighbours.total()
    return -sum(n / total * log(n / total) for n in neighbours.values())


def _holds_together(gram: str, places: Mapping[str, set[int]], single: Counter[str]) -> bool:
    """Its first and last character meet far more often than chance would have it."""
    by_chance = single[gram[0]] * single[gram[-1]] / single.total()
    return len(places[gram]) > 3 * by_chance


def _explained(gram: str, where: set[int], free: Mapping[str, set[int]]) -> bool:
    return any(
        gram in longer and len(longer) > len(gram) and len(others & where) >= _EXPLAINED * len(where)
        for longer, others in free.items()
    )
