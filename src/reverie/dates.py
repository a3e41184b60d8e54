"""Relative dates made absolute: "yesterday" in the note of 2026-03-15 is 2026-03-14, for ever.

    find_dates("昨天定了方案", date(2026, 3, 15))            the phrases that mean a day, and which
    absolute("Yesterday we chose X.", date(2026, 3, 15))    "On 2026-03-14 we chose X."

A wrong date is worse than a relative one. Recurring days, quotations, titles, rules, lengths of time, code, what is dated
already and what two readers would read differently are left as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time, tzinfo

from reverie.calendar_spans import Span
from reverie.date_fences import about_words, already_dated, around, clause, dated_otherwise, fenced
from reverie.date_language import MANNERS, guess, languages, rules, trigger
from reverie.date_rules import Rule, Seat
from reverie.date_tense import habit, tense

_OPENERS = " \t*_~([（【"
_STARTS = ".:!?;|-–—>]})。！？；：•·*+#✅✔☑❌⚠️📌"
_NAMES = re.compile(
    r" (?:Show|Club|Bar|Band|Briefing|News|Night|Group|Times|Sale|Now|Lunch|Market|Meetup|Project|League|Magazine)\b"
)
_CAPITAL = re.compile(r" [A-ZÄÖÜÀ-Þ][\w'’-]*(?P<then> [a-zà-ÿ])?")
_WEEKDAY = re.compile(r"(?i)(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*")
_ALWAYS = re.compile(
    r"(?i)\b(?:always|never|whenever|immer|niemals|siempre|nunca|toujours|jamais|sempre|всегда|никогда)\b|总是|永远|从不|從不|いつも|항상"
)
# In front of a phrase these make its day another one each time: "every morning read yesterday's log".
_EACH = re.compile(
    r"(?i)\b(?:every|each|daily|nightly|weekly|monthly|jede[nrsm]?|täglich|cada|tod[oa]s [ao]s|tod[oa]s l[ao]s|todo dia|toda|chaque|tous les|toutes les|diariamente|кажд\w+|ежедневно)\b"
    r"|[每逢毎매]|마다"
)
_POSSESSIVE = re.compile(r"['’]s\b ?")
_PART_OF = re.compile(r"the (\w+) of ")
_PASSES = 5
_LONG = ("week", "weekend", "quarter", "part")
_FROM = frozenset({"from", "starting", "beginning", "ab", "desde", "dès", "с"})
_ONWARDS = re.compile(r"[从從自]\0|\0(?:起|开始|開始|以来|から|부터)")
_LAST_WORD = re.compile(r"([^\W\d_]+(?:['’][^\W\d_]+)?)[ \t*_]+$")


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


def absolute(text: str, day: date, *, time: time | None = None, lang: str = "", zone: tzinfo | None = None) -> str:
    """The text with its relative dates written out. Doing it again changes nothing."""
    # A date written out can make the sense of its neighbour plain; once more, then, but never for ever.
    for _ in range(_PASSES):
        found = find_dates(text, day, time=time, lang=lang, zone=zone)
        for dated in reversed(found):
            text = _replaced(text, dated)
        if not found:
            break
    return text


_Claim = tuple[int, int, str, Rule, re.Match[str]]


def _claims(line: str, lang: str) -> Iterator[_Claim]:
    """What the rules of the line's languages point at. A rule that only knows what to leave alone claims its words too."""
    for name in languages(line, lang if guess(line) == "" else ""):
        if not trigger(name).search(line):
            continue
        for shape, rule in rules(name):
            yield from ((m.start(), m.end(), name, rule, m) for m in shape.finditer(line))


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
    if already_dated(text, start, end) or _is_name(text, start, end, lang):
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
    if span is None or _recurs(text[a + c : start]) or (span.last >= base.day and _ALWAYS.search(text, a + c, start)):
        return None
    return Dated(start, end, text[start:end], span.first, span.last, span.grain, lang, *_spoken(span, lang))


def _recurs(before: str) -> bool:
    """A day each time, unless it says since when: "every week from next week"."""
    word = _LAST_WORD.search(before[-40:])
    return _EACH.search(before) is not None and not (word and word[1].casefold() in _FROM | {"since", "seit", "depuis"})


def _opens(text: str, start: int) -> bool:
    """Does a sentence, a cell or a list item begin here?"""
    before = text[text.rfind("\n", 0, start) + 1 : start].rstrip(_OPENERS)
    return not before or before[-1] in _STARTS or not before.strip("-*+0123456789.) \t")


def _is_name(text: str, start: int, end: int, lang: str) -> bool:
    """A capital where the language writes none makes a title of it: "the Today Show", "Last Friday Club"."""
    words, opens = text[start:end].split(), _opens(text, start)
    if not words or lang in ("zh", "ja", "ko") or text[start:end].isupper():
        return False
    if (
        words[0][0].isupper()
        and not opens
        and not _WEEKDAY.fullmatch(words[0])
        and words[0].lower() not in ("ende", "monatsende", "jahresende")
    ):
        return True
    if lang == "en" and any(word[0].isupper() and not _WEEKDAY.fullmatch(word) for word in words[1:]):
        return True
    if lang != "en" or not words[-1][0].isupper():
        return False
    if _NAMES.match(text, end):
        return True
    follows = _CAPITAL.match(text, end)
    return follows is not None and follows["then"] is None  # "last Friday Emma came" goes on in small letters


def _spoken(span: Span, lang: str) -> tuple[str, str]:
    """The days as their language writes them: bare, and led by the preposition a sentence wants."""
    manner = MANNERS[lang]
    bare = span.form.replace("{}", _written(span, manner.bare_span, manner.bare_year))
    if span.led:
        led = span.led.replace("{}", _written(span, manner.bare_span, manner.bare_year))
    elif span.form != "{}":
        led = bare
    else:
        lead = {"day": manner.day, "month": manner.month, "year": manner.year}.get(span.grain)
        led = lead.format(_written(span, "", "{}")) if lead else manner.span.format(span.first, span.last)
    return bare, led


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
    before, after = text[: dated.start], text[dated.end :]
    word = _LAST_WORD.search(before[-40:])
    last = word[1].casefold() if word else ""
    if dated.grain in _LONG and (last in _FROM or _ONWARDS.search(before[-2:] + "\0" + after[:8])):
        written = dated.first.isoformat()  # from next week on: from its first day on
    elif owned := _POSSESSIVE.match(after):
        part = _PART_OF.match(dated.bare)
        written, after = f"the {dated.value}" + (f" {part[1]}" if part else ""), " " + after[owned.end() :]
    else:
        # The "on" of "the light came on yesterday" belongs to the verb.
        leads = last in MANNERS[dated.lang].behind and (last != "on" or _WEEKDAY.search(dated.phrase) is not None)
        written = dated.bare if leads or _stands_alone(before, after) else dated.led
    if last == "de" and written.startswith("le "):  # French does not say "de le"
        before, written = before[: -len("de ")] + "du ", written[len("le ") :]
    if dated.phrase[0].isupper() and _opens(text, dated.start):
        written = written[0].upper() + written[1:]
    if before[-1:].isalnum() and before[-1:].isascii():
        written = " " + written
    if after and after[0].isascii() and (after[0].isalnum() or after[0] in "+-"):
        written += " "
    return before + written + after
