"""Relative dates made absolute: "yesterday" in the note of 2026-03-15 is 2026-03-14, for ever.

    find_dates("Bo called yesterday.", date(2026, 3, 15))   the phrases that mean a day, and which
    absolute("Yesterday we chose X.", date(2026, 3, 15))    "On 2026-03-14 we chose X."

A wrong date is worse than a relative one. Recurring days, quotations, titles, rules, lengths of time, code, what is dated
already and what two readers would read differently are left as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, tzinfo

from reverie.dates.context import (
    about_words,
    already_dated,
    around,
    begins_with,
    capitalised,
    clause,
    dated_otherwise,
    fenced,
    habit,
    is_name,
    last_word,
    opens,
    recurs,
    says_always,
    tense,
)
from reverie.dates.grammar import Rule, guess, languages, rules, trigger
from reverie.dates.meanings import Situation
from reverie.dates.spans import Span
from reverie.lang import table, words_in
from reverie.text.terms import names_weekday

_POSSESSIVE = re.compile(r"['’]s\b ?")
_LONG = ("week", "weekend", "quarter", "part")
_PASSES = 5


@dataclass(frozen=True, slots=True)
class Dated:
    """A phrase of a text and the days it means, both ends included."""

    start: int
    end: int
    phrase: str
    first: date
    last: date
    grain: str  # day, weekend, week, part, month, quarter, year
    lang: str
    bare: str  # how its language writes these days …
    led: str  # … and how with the preposition a sentence wants before them

    @property
    def value(self) -> str:
        """2026-03-14, 2026-03, 2026 or 2026-03-09 to 2026-03-15."""
        return _written(Span(self.first, self.last, self.grain), "{} to {}", "{}")


def find_dates(
    text: str, day: date, *, time: time | None = None, lang: str = "", zone: tzinfo | None = None
) -> tuple[Dated, ...]:
    """The relative dates of a text of that day, in order. `time` is that of its heading, where it has one."""
    base = Situation(day, time, zone)
    fences: list[tuple[int, int]] | None = None
    main = lang or guess(text)
    found: list[Dated] = []
    begin = 0
    for line in text.split("\n"):
        claims = list(_claims(line, main))
        if claims and fences is None:
            fences = fenced(text)
        for claim in _longest(claims):
            dated = _dated(text, begin, claim, base, fences or [])
            if dated is not None:
                found.append(dated)
        begin += len(line) + 1
    return tuple(found)


def absolute(
    text: str, day: date, *, time: time | None = None, lang: str = "", zone: tzinfo | None = None, weekdays: bool = True
) -> str:
    """The text with its relative dates written out. Doing it again changes nothing.

    Without `weekdays` a weekday alone stays one: "no meetings on Friday afternoon" may mean every Friday.
    """
    # A date written out can make the sense of its neighbour plain; once more, then, but never for ever.
    for _ in range(_PASSES):
        found = find_dates(text, day, time=time, lang=lang, zone=zone)
        found = found if weekdays else tuple(one for one in found if not _is_weekday_alone(one))
        for dated in reversed(found):
            text = _replaced(text, dated)
        if not found:
            break
    return text


def _is_weekday_alone(dated: Dated) -> bool:
    """A weekday with nothing but a little word or a part of the day beside it."""
    return names_weekday(dated.phrase) and len(dated.phrase.split()) <= 2 and not any(map(str.isdigit, dated.phrase))


# ---- finding

_Claim = tuple[str, Rule, re.Match[str]]


def _claims(line: str, lang: str) -> Iterator[_Claim]:
    """What the rules of the line's languages point at. A rule that only knows what to leave alone claims its words too."""
    for name in languages(line, lang if guess(line) == "" else ""):
        if trigger(name).search(line):
            yield from ((name, rule, match) for rule in rules(name) for match in rule.pattern.finditer(line))


def _longest(claims: list[_Claim]) -> list[_Claim]:
    """Of claims that overlap the longest holds; of two alike the first rule."""
    taken: set[int] = set()
    kept: list[_Claim] = []
    for claim in sorted(claims, key=lambda claim: claim[2].start() - claim[2].end()):
        place = range(*claim[2].span())
        if taken.isdisjoint(place):
            taken.update(place)
            kept.append(claim)
    return sorted(kept, key=lambda claim: claim[2].start())


def _dated(text: str, offset: int, claim: _Claim, base: Situation, fences: list[tuple[int, int]]) -> Dated | None:
    lang, rule, match = claim
    start, end = offset + match.start(), offset + match.end()
    if any(start < b and a < end for a, b in fences) or dated_otherwise(text, start, base.day):
        return None
    if match.groupdict().get("lead"):
        start += len(match["lead"]) + 1  # "since Monday": the day is Monday, the word before it stays
    if already_dated(text, start, end) or is_name(text, start, end, lang):
        return None
    a, b = around(text, start, end)
    sentence = text[a:b]
    if about_words(sentence):
        return None
    c, d = clause(sentence, start - a, end - a)
    # What stands before a phrase is its verb more often than what follows.
    said = tense(text[a + c : start], lang) or tense(text[a + c : start] + " " + text[end : a + d], lang)
    situation = base._replace(tense=said, habit=habit(sentence, lang))
    try:
        span = rule.resolve(match, situation)
    except (ValueError, OverflowError):  # before the first day of the calendar, or after its last; no number
        return None
    if span is None or recurs(text[a + c : start]) or (span.last >= base.day and says_always(text, a + c, start)):
        return None
    return Dated(start, end, text[start:end], span.first, span.last, span.grain, lang, *_spoken(span, lang))


# ---- writing


def _spoken(span: Span, lang: str) -> tuple[str, str]:
    """The days as their language writes them: bare, and led by the preposition a sentence wants."""
    writes = table(lang, "dates")["writes"]
    if span.grain == "week" and "week" in writes:
        return writes["bare_week"].format(span.first, span.last), writes["week"].format(span.first, span.last)
    days = _written(span, writes["bare_span"], writes.get("bare_year", "{}"))
    bare = span.form.replace("{}", days)
    if span.led:
        return bare, span.led.replace("{}", days)
    if span.form != "{}":
        return bare, bare
    if span.grain in ("day", "month", "year"):
        return bare, writes[span.grain].format(_written(span, "", "{}"))
    return bare, writes["span"].format(span.first, span.last)


def _written(span: Span, between: str, of_year: str) -> str:
    match span.grain:
        case "day":
            return span.first.isoformat()
        case "month":
            return span.first.isoformat()[:7]
        case "year":
            return of_year.format(span.first.isoformat()[:4])
        case _:
            return between.format(span.first, span.last)


def _stands_alone(before: str, after: str) -> bool:
    """A date that is a heading, a label, a cell or a value of its own is written without a preposition."""
    line = before[before.rfind("\n") + 1 :].rstrip(" *_~")
    rest = after.split("\n", 1)[0].lstrip(" *_~")
    begins = not line.strip("-*+• 0123456789.)") or line[-1] in "|:：(（["
    return line.startswith("#") or (begins and (not rest or rest[0] in "|:：)）]"))


def _replaced(text: str, dated: Dated) -> str:
    """The text with one phrase written out."""
    before, after = text[: dated.start], text[dated.end :]
    last, writes = last_word(before), table(dated.lang, "dates")["writes"]
    if dated.grain in _LONG and begins_with(before, after):
        written = dated.first.isoformat()  # from next week on: from its first day on
    elif "owned" in writes and (owned := _POSSESSIVE.match(after)):
        part = re.match(writes["part_of"], dated.bare)
        written, after = (
            writes["owned"].format(dated.value) + (f" {part[1]}" if part else ""),
            " " + after[owned.end() :],
        )
    else:
        # The "on" of "the light came on yesterday" belongs to the verb.
        leads = last in writes.get("behind", ()) and (
            last not in words_in("dates.particles", dated.lang) or capitalised().search(dated.phrase) is not None
        )
        written = dated.bare if leads or _stands_alone(before, after) else dated.led
    for preposition, article, both in map(str.split, words_in("dates.contracted", dated.lang)):
        if last == preposition and written.startswith(f"{article} "):  # French does not say "de le"
            kept = before[: -len(preposition) - 1]
            before = kept + (both.capitalize() if before[len(kept)].isupper() else both) + " "
            written = written[len(article) + 1 :]
            break
    if dated.phrase[0].isupper() and opens(text, dated.start):
        written = written[0].upper() + written[1:]
    if before[-1:].isalnum() and before[-1:].isascii():
        written = " " + written
    if after and after[0].isascii() and (after[0].isalnum() or after[0] in "+-"):
        written += " "
    return before + written + after
