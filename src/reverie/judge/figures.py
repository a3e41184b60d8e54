"""The numbers of a text with their units, whatever way they are written: 18.000 is 18,000, three is 3, half a dozen is 6.

A figure may be read in two ways (`1.050`): it stands in another text when one reading of it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from reverie.lang import words
from reverie.lang.lexicon import GLUED, any_of, either, one_of, units, valued

_GROUPED = r"\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?!\d)(?:[.,]\d+)?"
_DIGITS = re.compile(rf"{_GROUPED}|\d+(?:[.,]\d+)*")
_AFTER = re.compile(
    rf"[ \u00a0\u202f-]?(?P<sign>[%‰°€$£¥₽₩][cC]?|[^\W\d_{GLUED}]+|[{GLUED}]{{1,3}})(?![^\W\d_{GLUED}])"
)
_BEFORE = re.compile(r"(?P<sign>R\$|[€$£¥₽₩]|(?<![^\W\d_])[^\W\d_]{3})[ \u00a0\u202f]?$", re.I)
# How units of one dimension relate; what is not here compares with itself alone.
_SCALE = {
    "\u00b5g": ("mass", 1e-6), "mg": ("mass", 1e-3), "g": ("mass", 1.0), "kg": ("mass", 1e3), "t": ("mass", 1e6),
    "mm": ("length", 1e-3), "cm": ("length", 1e-2), "m": ("length", 1.0), "km": ("length", 1e3), "mile": ("length", 1609.0),
    "ml": ("volume", 1e-3), "l": ("volume", 1.0),
    "s": ("time", 1.0), "min": ("time", 60.0), "h": ("time", 3600.0), "d": ("time", 86400.0), "week": ("time", 604800.0),
    "month": ("years", 1.0), "year": ("years", 12.0),
    "KB": ("data", 1.0), "MB": ("data", 1e3), "GB": ("data", 1e6), "TB": ("data", 1e9),
    "ct": ("money", 0.01), "jiao": ("money", 0.1),
    **dict.fromkeys(("EUR", "USD", "GBP", "CNY", "JPY", "BRL", "MXN", "CHF", "RUB", "KRW", "HKD"), ("money", 1.0)),
}  # fmt: skip
_MEASURES = frozenset({"mass", "length", "volume", "time", "data"})  # one amount in several units
_COINS = frozenset({"ct", "jiao"})  # parts of any money
_PARTS = _COINS | {"cm"}  # of a whole that is often left unnamed: 2.05 is 205 cm
HOURS = frozenset({"h", "o'clock"})
_HINTED = frozenset({"", "min", "%", "o'clock"})  # what words such as half, quarter, hourly may count
_SHARES_SIGN = ({"USD", "BRL", "MXN", "HKD"}, {"CNY", "JPY"})  # moneys of one sign, $ and ¥
_PARTS_OF_ONE = {
    "halves": ((0.5, ""), (1.5, ""), (30.0, "min"), (50.0, "%")),
    "quarters": ((0.25, ""), (0.75, ""), (15.0, "min"), (45.0, "min"), (25.0, "%")),
}
_DIGITS_READ = 40
_LARGE = 100  # two small numbers give many others
_MOST = 24  # figures of which two are tried together


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it stands in a text, what it may mean, and its unit if it names one."""

    shown: str
    start: int
    end: int
    values: frozenset[float]
    unit: str = ""
    parts: frozenset[float] = frozenset()  # the numbers it is made of, where it is several words
    spelt: bool = False

    @property
    def dimension(self) -> str:
        return _SCALE[self.unit][0] if self.unit in _SCALE else self.unit


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    end: int
    values: frozenset[float]
    times: float = 0.0  # of a magnitude: by how much it multiplies
    spelt: bool = False


@lru_cache(maxsize=5_000)
def figures_in(text: str) -> tuple[Figure, ...]:
    """Every number of a text, in figures or in words, in order."""
    idle = [
        found.span()
        for found in any_of("specifics.no_count").finditer(text)
        if text[found.end() - 1 : found.end() + 1] not in units()  # "very" and "ten minutes" may begin alike
    ]
    parts = [part for part in _parts(text) if not any(a <= part.start < b for a, b in idle)]
    return tuple(_figure(text, chain) for chain in _chains(text, parts))


@lru_cache(maxsize=5_000)
def hinted_in(text: str) -> frozenset[float]:
    """What words of a text may stand for as a number: both, twice, a dozen."""
    hints, by_form = _worded("hints")
    return frozenset(value for hit in hints.finditer(text) for value in _values_of(hit[0], by_form))


def parts_in(text: str) -> tuple[Figure, ...]:
    """What a half or a quarter may say: 30 minutes, 50 %, 0.5."""
    found = [one for group, said in _PARTS_OF_ONE.items() if any_of(f"specifics.{group}").search(text) for one in said]
    return tuple(Figure("", 0, 0, frozenset({value}), unit) for value, unit in found)


@lru_cache(maxsize=5_000)
def counted_in(text: str) -> tuple[Figure, ...]:
    """What words of a text count with a unit behind them: an hour, eine Woche."""
    hints, by_form = _worded("hints")
    found = (
        Figure(h[0], h.start(), h.end(), _values_of(h[0], by_form), _unit(text, h.end(), h.end()))
        for h in hints.finditer(text)
    )
    return tuple(one for one in found if one.unit)


def is_among(figure: Figure, known: Sequence[Figure], hints: frozenset[float] = frozenset()) -> bool:
    """Whether one of the known figures, or a hint, says this: the same number, and no other unit of the same dimension."""
    if any(figure.values & (one.values | one.parts) and _fits(figure.unit, one.unit) for one in known):
        return True
    if any(_is_converted(figure, one) or _is_converted(one, figure) for one in known):
        return True
    if figure.unit in _HINTED and figure.values & hints:
        return True
    return bool(figure.parts) and all(any(part in one.values | one.parts for one in known) for part in figure.parts)


def measured(figure: Figure) -> frozenset[str]:
    """All that a figure may say, as words: 5 km is 5 and 5000, for who writes metres means the same."""
    scale = _SCALE.get(figure.unit, ("", 1.0))
    factor = scale[1] if scale[0] in _MEASURES else 1.0
    return frozenset(f"{value * by:.9g}" for value in figure.values for by in (1.0, factor))


def _is_converted(figure: Figure, one: Figure) -> bool:
    """The same amount in another unit: 400 g are 0.4 kg, 50 cents are 0.5 of any money."""
    if figure.unit not in _SCALE:
        return False
    if one.unit:
        alike = figure.dimension == one.dimension and (figure.dimension != "money" or figure.unit in _COINS)
        its = _SCALE[one.unit][1] if alike and one.unit in _SCALE else 0.0
    else:
        its = 1.0 if figure.unit in _PARTS else 0.0
    return bool(its) and any(_equal(a * _SCALE[figure.unit][1], b * its) for a in figure.values for b in one.values)


def is_computed(figure: Figure, known: Sequence[Figure]) -> bool:
    """Whether it follows from two others: a sum or difference of some size, or a price and a count (six bags, £15: £2.50 each)."""
    fitting = [one for one in known[:_MOST] if one.unit in ("", figure.unit)]
    for one, value in ((one, value) for one in fitting for value in figure.values):
        pairs = [(a, b) for other in known[:_MOST] if other is not one for a in one.values for b in other.values]
        if value >= _LARGE and any(
            min(a, b) >= 10 and (_equal(abs(a - b), value) or _equal(a + b, value)) for a, b in pairs
        ):
            return True
        if one.dimension == "money" and any(b > 1 and a > b and _equal(a / b, value) for a, b in pairs):
            return True
    return False


def _equal(a: float, b: float) -> bool:
    return abs(a - b) < 1e-6 * max(1.0, abs(b))


def _fits(mine: str, its: str) -> bool:
    """No unit fits any; two units fit unless they measure the same thing differently."""
    if not mine or not its or mine == its:
        return True
    if any({mine, its} <= shared for shared in _SHARES_SIGN):
        return True
    first, second = (_SCALE[unit][0] if unit in _SCALE else unit for unit in (mine, its))
    return first != second and {first, second} != {"time", "years"}  # nine weeks are not nine months


def readings(token: str) -> frozenset[float]:
    """What a number in figures may say: `1.050` is 1050 or 1.05, `7,5` is 7.5."""
    token = re.sub(r"[ \u00a0\u202f'’]", "", token)[:_DIGITS_READ]
    marks = re.findall(r"[.,]", token)
    whole = float(re.sub(r"\D", "", token))
    if not marks:
        return frozenset({whole})
    grouped = re.fullmatch(r"[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*", token)
    if len(set(marks)) == 2 and len(re.findall(re.escape(marks[-1]), token)) == 1:
        head, _, tail = token.rpartition(marks[-1])
        return frozenset({float(f"{re.sub(r'[.,]', '', head)}.{tail}")})
    if len(marks) == 1:
        decimal = float(token.replace(",", "."))
        return frozenset({decimal, whole}) if grouped else frozenset({decimal})
    return frozenset({whole})


@cache
def _worded(group: str) -> tuple[re.Pattern[str], Mapping[str, frozenset[float]]]:
    """The words of `numbers`, `hints` or `magnitudes` as a pattern, and what each may say."""
    by_form: dict[str, frozenset[float]] = {}
    for form, value in valued(group):
        by_form[form] = by_form.get(form, frozenset()) | {value}
    return re.compile(either(by_form), re.I), by_form


def _values_of(word: str, by_form: Mapping[str, frozenset[float]]) -> frozenset[float]:
    low = word.casefold()
    if low in by_form:
        return by_form[low]
    return frozenset(v for form, vs in by_form.items() if form.endswith("*") and low.startswith(form[:-1]) for v in vs)


def _parts(text: str) -> list[_Part]:
    found = [_Part(hit.start(), hit.end(), readings(hit[0])) for hit in _DIGITS.finditer(text)]
    spelt, by_form = _worded("numbers")
    found += [
        _Part(h.start(), h.end(), _values_of(h[0], by_form), spelt=True)
        for h in spelt.finditer(text)
        if not (h[0].casefold() in units() and re.search(r"\d ?$", text[max(0, h.start() - 2) : h.start()]))  # 8 cent
    ]
    times, by_times = _worded("magnitudes")
    for hit in times.finditer(text):
        # One letter multiplies only what stands right before it: 4k.
        if len(hit[0]) == 1 and hit[0].isascii() and not text[max(0, hit.start() - 1) : hit.start()].isdigit():
            continue
        if len(hit[0]) > 1 and hit[0].casefold() in units() and not _multiplies(text, hit, found):
            continue
        (value,) = sorted(_values_of(hit[0], by_times))[:1]
        found.append(_Part(hit.start(), hit.end(), frozenset(), times=value, spelt=True))
    found += _compounds(text)
    return sorted(_apart(found), key=lambda part: part.start)


def _multiplies(text: str, hit: re.Match[str], known: Sequence[_Part]) -> bool:
    """Whether a word that may be a coin is a hundred: a number stands before it, and more of it or what it counts behind it."""
    before = any(part.spelt and part.end in (hit.start(), hit.start() - 1) for part in known)
    after = re.compile(r"[ -]([^\W\d_]+)").match(text, hit.end()) if before else None
    return after is not None and (after[1].casefold() in units() or any(p.start == after.start(1) for p in known))


def _compounds(text: str) -> Iterator[_Part]:
    """Numbers written as one word, as German does: the ones before the tens, hundreds and thousands behind what they count."""
    for hit in re.finditer(r"[^\W\d_]{8,40}", text):
        if (value := _glued(hit[0].casefold())) is not None:
            yield _Part(hit.start(), hit.end(), frozenset({value}), spelt=True)


@lru_cache(maxsize=5_000)
def _glued(word: str) -> float | None:
    """The number that a word of several number words says; None for any other word."""
    total = current = 0.0
    at = count = 0
    while at < len(word):
        value, times, end = _next_piece(word, at)
        if end == at:
            return None
        if times >= 1_000:
            total, current = total + (current or 1.0) * times, 0.0
        elif times:
            current = (current or 1.0) * times
        else:
            current += value
        at, count = end, count + (end - at > 0)
    return total + current if count > 1 else None


def _next_piece(word: str, at: int) -> tuple[float, float, int]:
    """The longest number word, magnitude or joint that begins here: what it adds, by what it multiplies, and where it ends."""
    numbers, hints, times = (_worded(group)[1] for group in ("numbers", "hints", "magnitudes"))
    for end in range(len(word), at + 1, -1):
        piece = word[at:end]
        if piece in times:
            return 0.0, min(times[piece]), end
        if piece in numbers or (piece in hints and min(hints[piece]) == 1):
            return min(numbers.get(piece, frozenset({1.0}))), 0.0, end
        if at and piece in words("specifics.joints"):
            return 0.0, 0.0, end
    return 0.0, 0.0, at


def _apart(parts: list[_Part]) -> Iterator[_Part]:
    end = -1
    for part in sorted(parts, key=lambda one: (one.start, -one.end)):
        if part.start >= end:
            yield part
            end = part.end


def _chains(text: str, parts: list[_Part]) -> Iterator[list[_Part]]:
    """Parts that make one number together: two hundred fifty, twenty-five."""
    chain: list[_Part] = []
    for part in parts:
        if chain and not _joins(text, chain[-1], part):
            yield chain
            chain = []
        chain.append(part)
    if chain:
        yield chain


@cache
def _gap() -> re.Pattern[str]:
    """What may stand between two words of one number: nothing, a space, a hyphen, an "and"."""
    return re.compile(rf"[ \u00a0\u202f-]?(?:{one_of('specifics.ands')} )?", re.I)


@cache
def _half_more() -> re.Pattern[str]:
    ands, halves = one_of("specifics.ands"), one_of("specifics.halves")
    return re.compile(rf"(?:[ -]?[^\W\d_]{{1,8}})?[ -]?(?:{ands} (?:an? )?)?{halves}", re.I)


def _joins(text: str, last: _Part, part: _Part) -> bool:
    if not _gap().fullmatch(text, last.end, part.start):
        return False
    if part.times:
        return True
    if last.times:
        return max(part.values, default=0) < last.times and (
            last.end == part.start or part.spelt or last.times >= 1_000
        )
    if not (last.spelt and part.spelt):
        return False
    if last.end == part.start:
        return True  # digits of one numeral, each a character
    return min(last.values, default=0) % 10 == 0 < max(part.values, default=10) < 10 <= min(last.values, default=0)


def _figure(text: str, chain: list[_Part]) -> Figure:
    start, end = chain[0].start, chain[-1].end
    values = frozenset(_worth([*head_tail]) for head_tail in _ways(chain))
    short = len(chain) == 2 and chain[1].times and chain[1].end - chain[1].start == 1 and text[chain[1].start].isascii()
    values |= chain[0].values if short else frozenset()  # 4 m is four metres or four million
    if len(chain) > 2 and chain[-2].times >= 100 and not chain[-1].times and max(chain[-1].values) < 10:
        lead = min(_worth(way[:-1]) for way in _ways(chain))
        values |= {
            lead + min(chain[-1].values) * chain[-2].times / 10
        }  # "three hundred six" is 360 in Chinese, where no tens are named
    parts = frozenset(v for part in chain for v in (part.values or {part.times})) if len(chain) > 1 else frozenset()
    unit = _unit(text, start, chain[0].end if short else end)
    if half := _half_more().match(text, end):  # two hours and a half
        values |= {
            value + 0.5 * max((part.times for part in chain), default=0.0) if chain[-1].times else value + 0.5
            for value in values
        }
        unit = unit or _unit(text, half.end(), half.end())
    return Figure(text[start:end], start, end, values, unit, parts, all(part.spelt for part in chain))


def _ways(chain: list[_Part]) -> Iterator[list[tuple[float, float]]]:
    """The chain as pairs (value, times), once for each reading of its first number."""
    for value in sorted(chain[0].values) or [0.0]:
        yield [(value, chain[0].times), *((min(part.values, default=0.0), part.times) for part in chain[1:])]


def _worth(steps: list[tuple[float, float]]) -> float:
    total = section = 0.0
    current: float | None = None
    for value, times in steps:
        if times >= 1_000:
            section += current if current is not None else (0.0 if section else 1.0)
            total, section, current = total + section * times, 0.0, None
        elif times:
            section, current = section + (1.0 if current is None else current) * times, None
        elif current is not None and current % 10 == 0 and current >= 10:
            current += value
        else:
            current = value if current is None else current * 10 + value
    return round(total + section + (current or 0.0), 6)


def _unit(text: str, start: int, end: int) -> str:
    known = units()
    if (after := _AFTER.match(text, end)) is not None:
        sign = after["sign"].casefold()
        for size in range(len(sign), 0, -1):
            if size < len(sign) and not re.search(f"[{GLUED}]", sign):
                break
            if sign[:size] in known:
                return known[sign[:size]]
    before = _BEFORE.search(text, max(0, start - 5), start)
    return known.get(before["sign"].casefold(), "") if before else ""
