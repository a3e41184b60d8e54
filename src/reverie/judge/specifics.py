"""What a wording may not invent and not lose: numbers with units, days, times, names, paths, addresses, code, quoted words.

    unsupported("Rent is 950 €, due on 5 March.", ["rent 950 euro, due tomorrow"], ["2026-03-04"])    ()
    lost(["Postgres 15 on Hetzner"], "Postgres 16")                                                  ("Hetzner",)

Paraphrase, order, inflection, digits or words, units spelt otherwise and ways to write a date are free. A name is known by
its capital inside a sentence, by a hump or capitals in it, or by a title; in German, where every noun has a capital, and at
the start of a sentence, only if it looks like a name. In doubt a word is none.
"""

from __future__ import annotations

import re
import struct
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib import resources
from itertools import islice

from reverie.judge.figures import HOURS, Figure, counted_in, figures_in, hinted_in, is_among, is_computed, parts_in
from reverie.judge.written_dates import Calendar, TimeOfDay, WrittenDay, days_in, times_in, weekdays_in
from reverie.lang import words
from reverie.lang.detect import language_of
from reverie.lang.lexicon import GLUED, any_of, calendar, one_of, units, valued
from reverie.text.terms import stop_words

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
    rf"(?<![^\W_{GLUED}])(?<![.@/-])(?=(?:(?![{GLUED}])[\w-])*\d)(?=[^\s{GLUED}]*[^\W\d_{GLUED}]){_PART}(?:[-_.]{_PART})*"
)
_HYPHENED = re.compile(r"\d+(?:[.,]\d+)?(?:-[^\W\d_]+)+")
_NUMBERED = re.compile(r"\d+(?:[.,]\d+)*-?(?P<unit>[^\W\d_]+|[^\W\d_]+/[^\W\d_]+)", re.I)
_ALNUM = re.compile(r"\d+|[^\W\d_]+")
_WORD = re.compile(rf"(?:(?![{GLUED}])[^\W\d_])+(?:['’](?:(?![{GLUED}])[^\W\d_])+)*")
_HUMP = re.compile(r"[^\W\d_A-Z][A-Z]|^[A-Z]{2,}$")
_FIRST = re.compile(r"(?:^|[.!?:;。！？：；•|\n]|\d[.)])[\s\"“„«»「『(（\[–—-]*$")
_GERMAN = "de"
_NEAR = 40  # characters before a word that are looked at
_RANGE = re.compile(r"\.?\s?(?:[-–~,/]|[^\W\d_]{1,4})\.?\s?[\x1f\d]")
# A day, or a number: "it is 4.5.", "since May 28 each".
_UNSURE = re.compile(r"\d{1,2}\.\d{1,2}\.|[^\W\d_]+\.? \d{1,2}")
_LOOKED_AT = 1_000  # characters of a line: a hostile one must not cost the night its time
_FEW = 8  # times of day that are held against each other
_END = 3  # letters that an ending may have


class SpecificKind(StrEnum):
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

    kind: SpecificKind
    shown: str
    value: Figure | WrittenDay | TimeOfDay | str = ""  # of a name: the whole of it, first name and surname


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
    language = _GERMAN if language_of((text,)) == _GERMAN else known.language
    return tuple(one for one in specifics_of(text, language) if not known.has(one))


def word_of(name: str, line: str) -> bool:
    """Whether a line has a name as a word of its own; cheap enough to ask every line of a brief."""
    return _folded(name) in _folded(line) and _known((normal(line),), ()).stands(name)


@lru_cache(maxsize=5_000)
def specifics_of(text: str, language: str = "") -> tuple[Specific, ...]:
    """Everything definite in a text, each part of it once."""
    text = normal(text[:_LOOKED_AT])
    return tuple(_found(text, language if language else language_of((text,))))


def normal(text: str) -> str:
    """One spelling of what looks alike. A wide comma parts two numbers, so it must not become a narrow one."""
    for sign, figures in (("½", ".5"), ("¼", ".25"), ("¾", ".75")):
        text = re.sub(rf"(\d) ?{sign}", rf"\g<1>{figures}", text).replace(sign, f"0{figures}")
    text = any_of("specifics.per_cents").sub("%", _percents().sub(r"\1%", text))
    spaced = re.sub("[，、]", lambda found: f"{found[0]} ", text).replace("，", ",")
    return _MARKUP.sub("", unicodedata.normalize("NFKC", spaced))


@cache
def _percents() -> re.Pattern[str]:
    """A share told before its number, in figures or words."""
    numerals = (
        form for form, _ in (*valued("numbers"), *valued("magnitudes")) if len(form) == 1 and not form.isascii()
    )
    return re.compile(rf"{one_of('specifics.percents')} ?([\d.]+|[{''.join(numerals)}]+)")


def _found(text: str, language: str) -> Iterator[Specific]:
    for quote in _QUOTED.finditer(_CODE.sub(" ", text)):
        if re.search(r"\w", quote[0]):
            yield Specific(SpecificKind.QUOTE, quote[0][1:-1])
    rest = text
    for shape, kind in ((_CODE, SpecificKind.CODE), (_ADDRESS, SpecificKind.ADDRESS), (_PATH, SpecificKind.PATH)):
        for hit in shape.finditer(rest):
            yield Specific(kind, hit[0].strip("`").rstrip(".,;:)"))
        rest = _blank(rest, [hit.span() for hit in shape.finditer(rest)])
    amounts = {figure.start for figure in figures_in(rest) if figure.unit}
    for day in (found := [one for one in days_in(rest, language) if one.month or one.start not in amounts]):
        yield Specific(SpecificKind.DAY, day.shown, day)
    rest = _blank(rest, [(one.start, one.end) for one in found])
    for day in (found := list(weekdays_in(rest, language))):
        yield Specific(SpecificKind.DAY, day.shown, day)
    rest = _blank(rest, [(one.start, one.end) for one in found])
    for clock in (clocks := times_in(rest)):
        yield Specific(SpecificKind.TIME, clock.shown, clock)
    rest = _blank(rest, [(one.start, one.end) for one in clocks])
    coded = [hit for hit in _CODED.finditer(rest) if not _is_amount(hit[0])]
    yield from (Specific(SpecificKind.CODED, hit[0]) for hit in coded)
    rest = _blank(rest, [hit.span() for hit in coded])
    for figure in figures_in(rest):
        if not figure.spelt or max(figure.values) > 1:
            kind = (
                SpecificKind.DAY if _RANGE.match(rest, figure.end) else SpecificKind.NUMBER
            )  # the 3 of "3 to 14 August"
            yield Specific(kind, figure.shown, figure)
    yield from (Specific(SpecificKind.NAME, name, whole) for name, whole in _names(rest, language))


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
    return len(unit) > 3 or unit in units() or unit in {"x", "h", *words("specifics.ordinals")}


def _names(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Names word by word, each with the whole name that it is a part of."""
    whole, end = "", -9
    for start, word in _name_words(text, language):
        whole = word if text[max(0, end) : start] not in ("", " ", " & ") else whole
        end = start + len(word)
        yield word, whole
    yield from ((hit[0], hit[0]) for hit in _titled().finditer(text))


def _name_words(text: str, language: str) -> Iterator[tuple[int, str]]:
    for hit in _WORD.finditer(text):
        word = hit[0]
        if _is_ordinary(word):
            continue
        before = text[max(0, hit.start() - _NEAR) : hit.start()]
        named = _before_name().search(before) or not _says_nothing(before, language) or looks_like_a_name(word)
        if _HUMP.search(word) or (word[0].isupper() and named):
            yield hit.start(), word


def _says_nothing(before: str, language: str) -> bool:
    """Whether any word would have a capital here: a German noun, or the first word of a sentence."""
    return language == _GERMAN or _FIRST.search(before.replace("\x1f", "x")) is not None


@cache
def _before_name() -> re.Pattern[str]:
    return re.compile(rf"{one_of('specifics.titles')}\.? $", re.I)


@cache
def _titled() -> re.Pattern[str]:
    """A name of a script without capitals, told by the title behind it."""
    return re.compile(rf"[{GLUED}]{{1,2}}(?={one_of('specifics.title_suffixes')})")


def _is_ordinary(word: str) -> bool:
    low = word.casefold()
    if low in _titles() or low in units() or low in calendar("weekdays") or low in calendar("months"):
        return True
    return low in stop_words() or low.split("'")[0].split("’")[0] in stop_words() or len(low) == 1


@cache
def _titles() -> frozenset[str]:
    return frozenset(words("specifics.titles"))


class SourceFacts:
    """What some sources say, ready to be asked whether they have a specific."""

    def __init__(self, said: Sequence[str], days: Sequence[str]) -> None:
        self.folded = _folded("\n".join(said))  # words are known wherever they stand; values are read in the first part
        said = tuple(line[:_LOOKED_AT] for line in said)
        self.text = "\n".join(said)
        self.language = language_of(said)
        self.calendar = Calendar(said, days)
        self.clocks = times_in(self.text)
        days_told = days_in(self.text, self.language)
        written = [day for day in days_told if 1 <= day.month <= 12 and not _UNSURE.fullmatch(day.shown)]
        spans = [(one.start, one.end) for one in self.clocks] + [(one.start, one.end) for one in written]
        self.figures = (*figures_in(_blank(self.text, spans)), *counted_in(self.text), *parts_in(self.text))
        self.versions = tuple(re.findall(r"(?<![\d.])\d+(?:\.\d+)+", self.text))
        timed = {int(n) for one in self.figures if one.unit in HOURS for n in one.values}
        self.full = frozenset(hour % 12 for hour in (*(one.hour for one in self.clocks if not one.minute), *timed))
        self.hours = self.full | {one.hour % 12 for one in self.clocks}
        self.dates = {float(part) for one in self.calendar.told for reading in one.readings for part in reading if part}
        self.hints = hinted_in(self.text)
        self.words = frozenset(word for hit in _WORD.finditer(self.folded) for word in re.split("['’]", hit[0]) if word)

    def has(self, one: Specific) -> bool:
        if not isinstance(one.value, Figure) and self.stands(one.shown):
            return True
        match one.value:
            case WrittenDay():
                return self.calendar.has(one.value) or self._is_share(one.value)
            case TimeOfDay():
                return self._tells(one.value)
            case Figure():
                if one.kind is SpecificKind.DAY and (one.value.values & self.dates or self._is_hour(one.value)):
                    return True
                return self._counts(one.value) or self._opens(one.shown)
        if one.kind is SpecificKind.NAME:
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
        if any(_same(head, other) or _shortens(other, head) for head in heads for other in self.words):
            return True
        initials = "".join(hit[0][0] for hit in _WORD.finditer(self.folded))
        return len(word) > 2 and word in initials

    def _tells(self, clock: TimeOfDay) -> bool:
        for one in self.clocks:
            if one.minute == clock.minute and (one.hour - clock.hour) % 12 == 0:
                return True
        told = {n for one in self.figures if one.unit in ("", *HOURS) for n in one.values | one.parts} | self.hints
        said = {int(n) % 12 for n in told if n == int(n) and 0 <= n <= 24} | (self.full if not clock.minute else set())
        hour = clock.hour % 12
        if clock.minute == 0:
            return hour in said
        if re.search(rf"(?<!\d)0?(?:{clock.hour}|{hour}|{hour + 12})[.h]{clock.minute:02}(?!\d)", self.folded):
            return True
        spelt = clock.minute != hour and any(
            clock.minute in one.values and (one.spelt or one.unit == "min") for one in self.figures
        )
        part = any_of("specifics.halves") if clock.minute == 30 else any_of("specifics.quarters")
        if clock.minute in (15, 30, 45):
            spelt = spelt or part.search(self.text) is not None
        return spelt and not said.isdisjoint({hour, (hour + 1) % 12})

    def _counts(self, figure: Figure) -> bool:
        if is_among(figure, self.figures, self.hints) or self._is_year(figure):
            return True
        if (figure.unit or figure.spelt) and self._is_hour(figure):
            return True
        return is_computed(figure, self.figures) or self._is_span(figure)

    def _is_hour(self, figure: Figure) -> bool:
        """Three in the afternoon is 15 h, and half past one is 13:30."""
        if figure.unit not in ("", *HOURS):
            return False
        spoken = {(one.hour + 1) % 12 for one in self.clocks if one.minute in (15, 30, 45)}
        told = self.hours | spoken if figure.spelt else self.hours
        return any(value == int(value) and value <= 24 and value % 12 in told for value in figure.values)

    def _is_span(self, figure: Figure) -> bool:
        """From 8:05 to 8:30 it is 25 minutes, from 1 to 22 May three weeks."""
        at = {one.hour * 60 + one.minute for one in self.clocks[:_FEW]}
        days = {day.toordinal() for day in islice(self.calendar.named(), _FEW)}
        apart = {
            "min": {float(b - a) for a in at for b in at if b > a} | {float(one.minute) for one in self.clocks},
            "d": {float(b - a) for a in days for b in days if b > a},
            "week": {(b - a) / 7 for a in days for b in days if b > a},
        }
        return bool(figure.values & apart.get(figure.unit, set()))

    def _is_share(self, day: WrittenDay) -> bool:
        """A third may look like the first of March: 1/3."""
        parts = [float(n) for n in re.findall(r"\d+", day.shown)]
        return (
            "/" in day.shown
            and len(parts) == 2
            and all(any(n in one.values | one.parts for one in self.figures) for n in parts)
        )

    def _opens(self, shown: str) -> bool:
        """The first numbers of a version: 16 of 16.3."""
        return any(version.startswith(f"{shown}.") for version in self.versions)

    def _is_year(self, figure: Figure) -> bool:
        return figure.unit in ("", "year") and any(value in self.calendar.years for value in figure.values)


@lru_cache(maxsize=2_000)
def _known(said: tuple[str, ...], days: tuple[str, ...]) -> SourceFacts:
    return SourceFacts(said, days)


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


def _shortens(short: str, word: str) -> bool:
    """The first consonants of a word, written for the whole of it: py, st."""
    return len(short) == 2 and word.startswith(short) and short.isascii() and not set(short) & set("aeiou")


@lru_cache(maxsize=5_000)
def _folded(text: str) -> str:
    low = unicodedata.normalize("NFD", text.casefold().replace("`", ""))
    plain = "".join(char for char in low if not "\u0300" <= char <= "\u036f")
    return " ".join(unicodedata.normalize("NFC", plain).split())


_SHORTEST = 3  # letters of a piece
_BEGINNING = 5  # letters of one that a longer word begins with
_LONGEST = 16


@lru_cache(maxsize=20_000)
def looks_like_a_name(word: str) -> bool:
    names, others = _pieces()
    for size in range(min(len(word), _LONGEST), _SHORTEST - 1, -1):
        piece = zlib.crc32(word[:size].encode("utf-8", "replace"))
        if piece in names:
            return size == len(word) or size >= _BEGINNING
        if piece in others:
            return False
    return False


@cache
def _pieces() -> tuple[frozenset[int], frozenset[int]]:
    """Checksums of the pieces that look like a name, and of longer ones that do not."""
    data = (resources.files("reverie.judge") / "data" / "names.bin").read_bytes()
    (many,) = struct.unpack_from("<I", data)
    sums = struct.unpack_from(f"<{len(data) // 4 - 1}I", data, 4)
    return frozenset(sums[:many]), frozenset(sums[many:])
