"""What a wording may not invent and not lose: numbers with units, days, times, names, paths, addresses, code, quoted words.

    unsupported("Rent is 950 €, due on 5 March.", ["rent 950 euro, due tomorrow"], ["2026-03-04"])    ()
    lost(["Postgres 15 on Hetzner"], "Postgres 16")                                                  ("Hetzner",)

Paraphrase, order, inflection, digits or words, units spelt otherwise and ways to write a date are free. A name is known by
its capital inside a sentence, by a hump or capitals in it, by Latin letters among others, or by a title; in German, where
every noun has a capital, and at the start of a sentence, only where nothing says that it is a thing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from reverie.judge.figures import Figure, counted_in, figures_in, hinted_in, is_among, is_shared_out
from reverie.judge.lexicon import GLUED, calendar, pattern, units
from reverie.judge.written_dates import Calendar, Clock, Written, days_in, times_in, weekdays_in
from reverie.lang import words
from reverie.language import language_of
from reverie.stopwords import STOP_WORDS

_HAN_KANA = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_IN_CJK = re.compile(f"[{_HAN_KANA}\uac00-\ud7af]")
_MARKUP = re.compile(r"<!--.*?-->|\*\*|__|~~|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_CODE = re.compile(r"`+([^`\n]+)`+")
_ADDRESS = re.compile(
    rf"[a-z][a-z0-9+.-]*://[^\s{GLUED}]+|www\.[^\s{GLUED}]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\d.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![\d.])",
    re.I | re.A,
)
_PATH = re.compile(
    rf"(?<![^\s(\"'`„“«\[=:{GLUED}])(?:~|\.{{1,2}})?(?:/[\w.@+-]+)+/?|(?<![\w/.@-])[a-z_][\w-]*(?:\.[\w-]+)*\.(?!\d)[a-z]{{2,5}}(?![\w.])",
    re.A | re.I,
)
_QUOTED = re.compile(
    r"“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」|『([^』]+)』|《([^》]+)》|\"([^\"\n]+)\"|(?<!\w)‘([^’]+)’(?!\w)|(?<!\w)'([^'\n]+)'(?!\w)"
)
_LETTERS = rf"(?:(?![{GLUED}])[^\W\d_])"
_PART = rf"(?:(?![{GLUED}])[^\W_])+"
_CODED = re.compile(
    rf"(?<![^\W_{GLUED}])(?<![.@/-])(?=[\w-]*\d)(?=[^\s{GLUED}]*[^\W\d_{GLUED}]){_PART}(?:[-_.]{_PART})*"
)
_HYPHENED = re.compile(r"\d+(?:[.,]\d+)?(?:-[^\W\d_]+)+")
_NUMBERED = re.compile(r"\d+(?:[.,]\d+)*-?(?P<unit>[^\W\d_]+|[^\W\d_]+/[^\W\d_]+)", re.I)
_ALNUM = re.compile(r"\d+|[^\W\d_]+")
_WORD = re.compile(rf"(?:(?![{GLUED}])[^\W\d_])+(?:['’](?:(?![{GLUED}])[^\W\d_])+)*")
_HUMP = re.compile(r"[^\W\d_A-Z][A-Z]|^[A-Z]{2,}$")
_FIRST = re.compile(r"(?:^|[.!?。！？•\n]|\d[.)])[\s\"“„«»「『(（\[–—-]*$")
_LABELS = re.compile(r"\s?(?:['’]s\b|[:：,(（])|\s+(?:\d|[A-ZÀ-ÞА-Я])")  # what stands behind a name at the start
_GERMAN = "de"
_LONG = 12  # letters: a longer German word is a compound, and no name
_END = 3  # letters that an ending may have


class Kind(StrEnum):
    """What a specific is: a value may take the place of one of its own kind."""

    CODE = "code"
    QUOTE = "quote"
    ADDRESS = "address"
    PATH = "path"
    DAY = "day"
    TIME = "time"
    CODED = "coded"  # letters and digits together: SLZB-06, v2
    NUMBER = "number"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Specific:
    """Something definite that a text says, as it is written there."""

    kind: Kind
    shown: str
    value: Figure | Written | Clock | str = ""  # of a name: the whole of it, first name and surname


def unsupported(text: str, said: Sequence[str], days: Sequence[str] = ()) -> tuple[str, ...]:
    """The specifics of a text that none of the sources has and that do not follow from the days on which they were said."""
    return tuple(dict.fromkeys(one.shown for one in missing(text, said, days)))


def lost(before: Sequence[str], after: str, drops: Sequence[str] = ()) -> tuple[str, ...]:
    """The specifics of some lines that another wording of them lacks, and that nobody said should go."""
    gone = (one for line in before for one in missing(line, (after,)))
    return tuple(dict.fromkeys(one.shown for one in gone if not is_named(one, drops)))


def is_named(one: Specific, drops: Sequence[str]) -> bool:
    """Whether a judge named this among what it drops: the 3 of "3 shelves" is not the 30 of another."""
    return any(_known((normal(drop),), ()).stands(one.shown) for drop in drops)


def missing(text: str, said: Sequence[str], days: Sequence[str] = ()) -> tuple[Specific, ...]:
    """As `unsupported`, as values."""
    known = _known(tuple(map(normal, said)), tuple(days))
    return tuple(one for one in specifics_of(text, known.language) if not known.has(one))


def stands_in(one: Specific, said: Sequence[str]) -> bool:
    """Whether some lines have a specific."""
    return _known(tuple(map(normal, said)), ()).has(one)


@lru_cache(maxsize=5_000)
def specifics_of(text: str, language: str = "") -> tuple[Specific, ...]:
    """Everything definite in a text, each part of it once."""
    text = normal(text)
    return tuple(_found(text, language if language else language_of((text,))))


def normal(text: str) -> str:
    """One spelling of what looks alike. A wide comma parts two numbers, so it must not become a narrow one."""
    for sign, figures in (("½", ".5"), ("¼", ".25"), ("¾", ".75")):
        text = re.sub(rf"(\d) ?{sign}", rf"\g<1>{figures}", text).replace(sign, f"0{figures}")
    return _MARKUP.sub(
        "", unicodedata.normalize("NFKC", re.sub("[，、]", lambda found: f"{found[0]} ", text).replace("，", ","))
    )


def _found(text: str, language: str) -> Iterator[Specific]:
    for quote in _QUOTED.finditer(_CODE.sub(" ", text)):
        if re.search(r"\w", quote[0]):
            yield Specific(Kind.QUOTE, quote[0][1:-1])
    rest = text
    for shape, kind in ((_CODE, Kind.CODE), (_ADDRESS, Kind.ADDRESS), (_PATH, Kind.PATH)):
        for hit in shape.finditer(rest):
            yield Specific(kind, hit[0].strip("`").rstrip(".,;:)"))
        rest = _blank(rest, [hit.span() for hit in shape.finditer(rest)])
    amounts = {figure.start for figure in figures_in(rest) if figure.unit}
    for day in (found := [one for one in days_in(rest, language) if one.month or one.start not in amounts]):
        yield Specific(Kind.DAY, day.shown, day)
    rest = _blank(rest, [(one.start, one.end) for one in found])
    for day in (found := weekdays_in(rest, language)):
        yield Specific(Kind.DAY, day.shown, day)
    rest = _blank(rest, [(one.start, one.end) for one in found])
    for clock in (clocks := times_in(rest)):
        yield Specific(Kind.TIME, clock.shown, clock)
    rest = _blank(rest, [(one.start, one.end) for one in clocks])
    coded = [hit for hit in _CODED.finditer(rest) if not _is_amount(hit[0])]
    yield from (Specific(Kind.CODED, hit[0]) for hit in coded)
    rest = _blank(rest, [hit.span() for hit in coded])
    for figure in figures_in(rest):
        if not figure.spelt or max(figure.values) > 1:
            yield Specific(Kind.NUMBER, figure.shown, figure)
    yield from (Specific(Kind.NAME, name, whole) for name, whole in _names(rest, language))


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + "\x1f" * (end - start) + text[end:]
    return text


def _is_amount(token: str) -> bool:
    """A number with its unit or ordinal, written together: 5mg, 17h, 2nd, 3x."""
    if re.fullmatch(r"[\d.,-]+", token) or _HYPHENED.fullmatch(token):
        return True
    found = _NUMBERED.fullmatch(token)
    if not found:
        return False
    unit = found["unit"].casefold()
    return (
        unit in units()
        or unit in {"x", "h", *words("specifics.ordinals"), *words("specifics.magnitudes")}
        or len(unit) > 3
    )


def _names(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Names word by word, each with the whole name that it is a part of."""
    whole, end = "", -9
    for start, word in _name_words(text, language):
        whole = word if start > end + 1 else whole
        end = start + len(word)
        yield word, whole
    yield from ((hit[0], hit[0]) for hit in _titled().finditer(text))


def _name_words(text: str, language: str) -> Iterator[tuple[int, str]]:
    titles, eastern = pattern("titles"), _IN_CJK.search(text) is not None
    for hit in _WORD.finditer(text):
        word = hit[0]
        if _is_ordinary(word):
            continue
        before = text[: hit.start()]
        titled = re.search(rf"(?:{titles.pattern})\.? $", before, re.I) is not None
        capital = word[0].isupper()
        if (
            _HUMP.search(word)
            or (titled and capital)
            or (eastern and len(word) > 1 and word.isascii())
            or (capital and not (_is_thing(word, before) if language == _GERMAN else _is_opening(text, hit)))
        ):
            yield hit.start(), word


def _is_opening(text: str, hit: re.Match[str]) -> bool:
    """The capital of a sentence's first word, where nothing behind it says that it is a name."""
    if not _FIRST.search(text[: hit.start()].replace("\x1f", "x")):
        return False
    return _LABELS.match(text, hit.end()) is None


def _is_thing(word: str, before: str) -> bool:
    """A German noun that is nobody's name, as far as one can tell: long, made with an ending, or behind a determiner."""
    low, behind = word.casefold(), [part.casefold() for part in before.split()[-2:]]
    if len(word) > _LONG or low.endswith(words("specifics.thing_endings")):
        return True
    determiners = words("specifics.determiners")
    described = len(behind) == 2 and behind[0] in determiners and behind[1].endswith(("e", "en", "er", "es", "em"))
    return bool(behind) and (behind[-1] in determiners or described)


@lru_cache(maxsize=1)
def _titled() -> re.Pattern[str]:
    """A name of a script without capitals, told by the title behind it."""
    return re.compile(rf"[{GLUED}]{{1,2}}(?={pattern('title_suffixes').pattern})")


def _is_ordinary(word: str) -> bool:
    low = word.casefold()
    if low in _titles() or low in _labels() or low in calendar("weekdays") or low in calendar("months"):
        return True
    return low in STOP_WORDS or low.split("'")[0].split("’")[0] in STOP_WORDS or len(low) == 1


@lru_cache(maxsize=1)
def _labels() -> frozenset[str]:
    """Words by which a line says what it is about, and which are nobody's name: Lesson, Kontakt, Prix."""
    return frozenset(words("specifics.labels"))


@lru_cache(maxsize=1)
def _titles() -> frozenset[str]:
    return frozenset(words("specifics.titles"))


class Known:
    """What some sources say, ready to be asked whether they have a specific."""

    def __init__(self, said: Sequence[str], days: Sequence[str]) -> None:
        self.said = tuple(said)
        self.text = "\n".join(said)
        self.folded = _folded(self.text)
        self.language = language_of(said)
        self.calendar = Calendar(said, days)
        self.clocks = times_in(self.text)
        spans = [(one.start, one.end) for one in (*self.clocks, *(day for day in days_in(self.text) if day.month))]
        self.figures = (*figures_in(_blank(self.text, spans)), *counted_in(self.text))
        self.versions = tuple(re.findall(r"(?<![\d.])\d+(?:\.\d+)+", self.text))
        hours = {
            float(hour)
            for one in self.clocks
            if not one.minute
            for hour in (one.hour, one.hour % 12, one.hour % 12 + 12)
        }
        dates = {float(part) for one in days_in(self.text) for reading in one.readings for part in reading if part}
        self.hours = hours | hinted_in(self.text)
        self.hints = hinted_in(self.text) | hours | dates
        self.words = frozenset(word for hit in _WORD.finditer(self.folded) for word in re.split("['’]", hit[0]) if word)

    def has(self, one: Specific) -> bool:
        if not isinstance(one.value, Figure) and self.stands(one.shown):
            return True
        match one.value:
            case Written():
                return self.calendar.has(one.value)
            case Clock():
                return self._tells(one.value)
            case Figure():
                return self._counts(one.value) or self._opens(one.shown)
        if one.kind is Kind.NAME:
            return self._names(_folded(one.shown))
        return self._stands_in_parts(one.shown)

    def stands(self, shown: str) -> bool:
        """The same characters, between the same borders of words."""
        low = _folded(shown).strip(" .,;:!?。，；：！？、")
        before = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", low) else ""
        after = r"(?![a-z0-9]|[.,:]\d)" if re.search(r"[a-z0-9]$", low) else ""
        return bool(low) and re.search(before + re.escape(low) + after, self.folded) is not None

    def _stands_in_parts(self, shown: str) -> bool:
        """Code, a quotation or an id written with other spaces, hyphens or endings."""
        parts = [_folded(part) for part in _ALNUM.findall(shown)]
        if parts[:1] == ["v"] and len(parts) > 1:  # v1.2 is 1.2
            parts = parts[1:]
        glued = r"[\W_]*".join(map(re.escape, parts))
        if parts and re.search(rf"(?<![a-z0-9]){glued}(?![a-z0-9])", self.folded):
            return True
        return bool(parts) and not any(part.isdigit() for part in parts) and all(map(self._names, parts))

    def _names(self, word: str) -> bool:
        if _IN_CJK.search(word):
            return word in self.folded or word[-1] in self.folded
        bare = re.split("['’]", word)
        heads = {word, *(part for part in bare if len(part) > 2)}
        return any(_same(head, other) for head in heads for other in self.words) or self._initials(word)

    def _initials(self, word: str) -> bool:
        heads = "".join(hit[0][0] for hit in _WORD.finditer(self.folded))
        return len(word) > 2 and word in heads

    def _tells(self, clock: Clock) -> bool:
        for one in self.clocks:
            if one.minute == clock.minute and (one.hour - clock.hour) % 12 == 0:
                return True
        hours = {float(h) for h in (clock.hour, clock.hour % 12, clock.hour % 12 + 12)}
        said = {value for one in self.figures for value in one.values | one.parts} | self.hours
        if clock.minute == 0:
            return bool(hours & said)
        if re.search(
            rf"(?<!\d)0?(?:{clock.hour}|{clock.hour % 12}|{clock.hour % 12 + 12})[.h]{clock.minute:02}(?!\d)",
            self.folded,
        ):
            return True
        spelt = any(one.spelt and clock.minute in one.values for one in self.figures)
        part = pattern("halves") if clock.minute == 30 else pattern("quarters")
        if clock.minute in (15, 30, 45):
            spelt = spelt or part.search(self.text) is not None
        return spelt and bool((hours | {hour + 1 for hour in hours}) & said)

    def _counts(self, figure: Figure) -> bool:
        if is_among(figure, self.figures, self.hints) or self._is_year(figure):
            return True
        return any(is_shared_out(figure, figures_in(normal(line))) for line in self.said)

    def _opens(self, shown: str) -> bool:
        """The first numbers of a version: 16 of 16.3."""
        return any(version.startswith(f"{shown}.") for version in self.versions)

    def _is_year(self, figure: Figure) -> bool:
        return not figure.unit and any(value in self.calendar.years for value in figure.values)


@lru_cache(maxsize=2_000)
def _known(said: tuple[str, ...], days: tuple[str, ...]) -> Known:
    return Known(said, days)


def _same(word: str, other: str) -> bool:
    """The same word with another ending, or a part of a compound."""
    short, long = sorted((word, other), key=len)
    if len(short) < 3:
        return short == long
    if long.startswith(short) and len(long) - len(short) <= _END:
        return True
    if len(short) >= 5 and short in long:
        return True
    shared = next((n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), len(short))
    return shared >= max(4, len(long) - _END)


@lru_cache(maxsize=5_000)
def _folded(text: str) -> str:
    low = unicodedata.normalize("NFD", text.casefold().replace("`", ""))
    plain = "".join(char for char in low if not "\u0300" <= char <= "\u036f")
    return " ".join(unicodedata.normalize("NFC", plain).split())


__all__ = ["Kind", "Specific", "is_named", "lost", "missing", "normal", "specifics_of", "stands_in", "unsupported"]
