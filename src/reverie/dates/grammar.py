"""The words for days of one language, out of the tables `dates…` of its file: patterns to look for, numbers, units, steps.

The rules of a file are patterns with places: `{n}` is a number, `{unit}` a unit, `{weekday}`, `{month}`, `{which}` (last, this,
next), `{edge}` (end, beginning), `{ordinal}`; a file may name more of them in `dates.parts`. What a rule means is said in
`dates/meanings.py`. Nothing is read or compiled before a text of the language is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from reverie.dates.meanings import CONDITIONS, MEANINGS, Meaning, Phrase, Situation, leave
from reverie.dates.spans import Span
from reverie.lang import ENGLISH, LANGUAGES, script, table, words_in
from reverie.lang.detect import is_glued, letter_of

_PLACE = re.compile(r"\{([a-z_]+)\}")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_COUNTED = ("day", "week", "month", "year", "fortnight")
# A word of an alphabet does not begin or end inside a longer word, an identifier, a path or a domain.
_LETTERS = "A-Za-z0-9_\u00c0-\u024f\u0400-\u04ff"
_BEGIN = rf"(?<![{_LETTERS}@#$/\\=])(?<![{_LETTERS}][-.+])(?<!--)"
_END = rf"(?![{_LETTERS}@/\\=(])(?![-.:+][{_LETTERS}])"
_FIRST_IN_LINE = r"^[ \-*+]*$"
_EVERY_YEAR = 1_000


class Grammar:
    """What one file says of days."""

    def __init__(self, lang: str) -> None:
        data = table(lang, "dates")
        self._data = data
        self.round_years = int(data.get("round_years", _EVERY_YEAR))
        self.months: tuple[str, ...] = tuple(data.get("months", ()))
        self.steps = _numbered(data.get("steps", {}))
        self.ordinals = _numbered(data.get("ordinals", {}))
        self.edges = {form: edge for edge, forms in data.get("edges", {}).items() for form in forms}
        self._numbers = _numbered(data.get("numbers", {}))
        self._ten = next((form for form, value in self._numbers.items() if value == 10), "")
        self._units = {unit: re.compile(form) for unit, form in data.get("units", {}).items()}
        short = data.get("short_weekdays", ())
        self._weekdays = [
            re.compile("|".join(forms)) for forms in zip(data["weekdays"], short or data["weekdays"], strict=True)
        ]

    def number(self, said: str) -> int:
        """A number in figures, as a word, or as tens and ones (a sign of ten between signs of digits)."""
        if said.isdigit():
            return int(said)
        if said in self._numbers:
            return self._numbers[said]
        tens, mark, ones = said.rpartition(self._ten)
        if not mark or not {tens, ones} <= {*self._numbers, ""}:
            raise ValueError(said)
        return self._numbers.get(tens, 1) * 10 + self._numbers.get(ones, 0)

    def unit(self, said: str) -> str:
        return next(str(unit) for unit, form in self._units.items() if form.fullmatch(said))

    def weekday(self, said: str) -> int:
        return next(index for index, form in enumerate(self._weekdays) if form.match(said))

    def says(self, name: str, text: str) -> bool:
        """Whether a text says what a pattern of the file looks for; a file without it says nothing."""
        found = self._data.get(name)
        return found is not None and _pattern(found).search(text) is not None

    def heralds(self, before: str) -> bool:
        return _pattern(self._data.get("herald", _FIRST_IN_LINE)).search(before) is not None

    def counts_elsewhere(self, phrase: Phrase) -> bool:
        """ "Two weeks after Easter on Friday" counts from Easter, and "from today on it is Monday" means every Monday."""
        return self.says("counted_from", phrase.before) or self.says("for_good", phrase.line)


def _numbered(forms: Mapping[str, Iterable[str]]) -> dict[str, int]:
    return {form: int(value) for value, every in forms.items() for form in every}


class Rule(NamedTuple):
    """Words to look for, and what they mean."""

    pattern: re.Pattern[str]
    meaning: Meaning
    condition: str
    args: tuple[str, ...]
    form: str
    led: str
    grammar: Grammar
    writes: Mapping[str, Any]

    def resolve(self, match: re.Match[str], situation: Situation) -> Span | None:
        """The days of a phrase; nothing where it means none of its own."""
        part = match.groupdict().get("part") or ""
        phrase = Phrase(match, situation, self.grammar, self.args, bool(part or self.form))
        span = self.meaning(phrase) if CONDITIONS[self.condition](phrase) else None
        if span is None or not (part or self.form):
            return span
        if not part:
            return span._replace(form=self.form, led=self.led)
        form, led = self.writes["bare_part"], self.writes["part"]
        named = {"part": part.lower(), "Part": part.capitalize()}
        return span._replace(form=form.format("{}", **named), led=led.format("{}", **named))


@cache
def rules(lang: str) -> tuple[Rule, ...]:
    """The rules of a language, in the order of its file."""
    data, grammar = table(lang, "dates"), Grammar(lang)
    parts = _places(data) | data.get("parts", {})
    around = "{}" if is_glued(lang) else f"{_BEGIN}(?:{{}}){_END}"
    return tuple(_rule(data["writes"], parts, grammar, around, *listed) for listed in data["rules"])


def _rule(
    writes: Mapping[str, Any],
    parts: Mapping[str, str],
    grammar: Grammar,
    around: str,
    shape: str,
    meaning: str,
    form: str = "",
    led: str = "",
) -> Rule:
    said, _, condition = meaning.partition(" if ")
    name, *args = said.split()
    pattern = _PLACE.sub(lambda place: parts[place[1]], shape)
    if MEANINGS[name] is leave:  # it has nothing to tell of its parts, and may name one of them twice
        pattern = re.sub(r"\(\?P<\w+>", "(?:", pattern)
    compiled = _pattern(around.replace("{}", pattern))
    return Rule(compiled, MEANINGS[name], condition, tuple(args), form, led, grammar, writes)


def _places(data: Mapping[str, Any]) -> dict[str, str]:
    """The places that every language has, filled with its words."""
    units = data.get("units", {})
    found = {
        "n": [r"\d{1,3}", *_listed(data.get("numbers", {}))],
        "unit": [units[unit] for unit in _COUNTED if unit in units],
        "weekday": data["weekdays"],
        "month": data.get("months", ()),
        "which": _listed(data.get("steps", {})),
        "edge": _listed(data.get("edges", {})),
        "ordinal": _listed(data.get("ordinals", {})),
    }
    return {name: f"(?P<{name}>{'|'.join(forms)})" for name, forms in found.items()}


def _listed(forms: Mapping[str, Iterable[str]]) -> list[str]:
    return sorted((form for every in forms.values() for form in every), key=len, reverse=True)


@cache
def _pattern(shape: str) -> re.Pattern[str]:
    return re.compile(shape, re.IGNORECASE)


@cache
def trigger(lang: str) -> re.Pattern[str]:
    """A cheap question first: a line without any of these has no date word of that language."""
    return _pattern(table(lang, "dates")["trigger"])


def languages(line: str, lang: str = "") -> tuple[str, ...]:
    """The languages whose date words may stand in a line: by its script, by its small words, and English beside any."""
    found = [name for name in _of_other_scripts() if letter_of(script(name)).search(line)]
    if "ja" in found and "zh" in found:  # Japanese is written with both
        found.remove("zh")
    if letter_of("latin").search(line):
        latin = lang if lang in _small_words() else guess(line)
        found += [latin] if latin not in ("", ENGLISH) else []
        found.append(ENGLISH)
    return tuple(found)


@cache
def _of_other_scripts() -> tuple[str, ...]:
    return tuple(name for name in LANGUAGES if script(name) != "latin" and table(name, "dates"))


@cache
def _small_words() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """The small words of each language of Latin letters, and its words for days, which tell more than any small word."""
    latin = (name for name in LANGUAGES if script(name) == "latin" and table(name, "dates"))
    return {
        name: (frozenset(words_in("dates.small", name)), frozenset(words_in("dates.telling", name))) for name in latin
    }


def guess(text: str) -> str:
    """The language of Latin letters by its small words; empty where they do not tell."""
    words = [match[0].casefold().replace("’", "'") for match in _WORD.finditer(text)]
    counts = {
        lang: sum((word in small) + 2 * (word in telling) for word in words)
        for lang, (small, telling) in _small_words().items()
    }
    best = max(counts, key=lambda lang: counts[lang])
    return best if counts[best] and list(counts.values()).count(counts[best]) == 1 else ""
