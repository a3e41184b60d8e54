"""Relative dates made absolute: "yesterday" in the note of 2026-03-15 is 2026-03-14, for ever.

    find_dates("昨天定了方案", date(2026, 3, 15))            the phrases that mean a day, and which
    absolute("Yesterday we chose X.", date(2026, 3, 15))    "On 2026-03-14 we chose X."

A wrong date is worse than a relative one. Recurring days, quotations, titles, rules, lengths of time, code, what is dated
already and what two readers would read differently are left as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, tzinfo

from reverie.dates.fences import about_words, already_dated, around, clause, dated_otherwise, fenced, is_name
from reverie.dates.languages import guess, languages, rules, trigger
from reverie.dates.rules import Rule, Seat, shape
from reverie.dates.tense import habit, tense
from reverie.dates.writing import FROM, Dated, last_word, replaced, spoken
from reverie.text.comparing import names_weekday

__all__ = ["Dated", "absolute", "find_dates"]

_ALWAYS = r"(?i)\b(?:always|never|whenever|immer|niemals|siempre|nunca|toujours|jamais|sempre|всегда|никогда)\b|总是|永远|从不|從不|いつも|항상"
# In front of a phrase these make its day another one each time: "every morning read yesterday's log".
_EACH = (
    r"(?i)\b(?:every|each|daily|nightly|weekly|monthly|jede[nrsm]?|täglich|cada|tod[oa]s [ao]s|tod[oa]s l[ao]s|todo dia|toda|chaque|tous les|toutes les|diariamente|кажд\w+|ежедневно)\b"
    r"|[每逢毎매]|마다"
)
_PASSES = 5


def find_dates(
    text: str, day: date, *, time: time | None = None, lang: str = "", zone: tzinfo | None = None
) -> tuple[Dated, ...]:
    """The relative dates of a text of that day, in order. `time` is that of its heading, where it has one."""
    base = Seat(day, time, zone)
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
            text = replaced(text, dated)
        if not found:
            break
    return text


def _is_weekday_alone(dated: Dated) -> bool:
    """A weekday with nothing but a little word or a part of the day beside it."""
    return names_weekday(dated.phrase) and len(dated.phrase.split()) <= 2 and not any(map(str.isdigit, dated.phrase))


_Claim = tuple[int, int, str, Rule, re.Match[str]]


def _claims(line: str, lang: str) -> Iterator[_Claim]:
    """What the rules of the line's languages point at. A rule that only knows what to leave alone claims its words too."""
    for name in languages(line, lang if guess(line) == "" else ""):
        if not trigger(name).search(line):
            continue
        for words, rule in rules(name):
            yield from ((m.start(), m.end(), name, rule, m) for m in words.finditer(line))


def _longest(claims: list[_Claim]) -> list[_Claim]:
    """Of claims that overlap the longest holds; of two alike the first rule."""
    taken: set[int] = set()
    kept: list[_Claim] = []
    for claim in sorted(claims, key=lambda c: c[0] - c[1]):
        place = range(claim[0], claim[1])
        if taken.isdisjoint(place):
            taken.update(place)
            kept.append(claim)
    return sorted(kept, key=lambda c: c[0])


def _dated(text: str, offset: int, claim: _Claim, base: Seat, fences: list[tuple[int, int]]) -> Dated | None:
    _, _, lang, rule, match = claim
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
    told = tense(text[a + c : start], lang) or tense(text[a + c : start] + " " + text[end : a + d], lang)
    seat = base._replace(tense=told, habit=habit(sentence, lang))
    try:
        span = rule.resolve(match, seat)
    except (ValueError, OverflowError):  # before the first day of the calendar, or after its last
        return None
    if (
        span is None
        or _recurs(text[a + c : start])
        or (span.last >= base.day and shape(_ALWAYS).search(text, a + c, start))
    ):
        return None
    return Dated(start, end, text[start:end], span.first, span.last, span.grain, lang, *spoken(span, lang))


def _recurs(before: str) -> bool:
    """A day each time, unless it says since when: "every week from next week"."""
    return shape(_EACH).search(before) is not None and last_word(before) not in FROM | {"since", "seit", "depuis"}
