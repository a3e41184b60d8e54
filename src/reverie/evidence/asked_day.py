"""The day a question asks about: "what did we do last Tuesday", 上周三做了什么, "on 3 November".

Relative words are read by `dates`, which would rather leave a phrase alone than guess. A day of the calendar without a
year is the last such day. A question that asks for nothing but the day asks for its whole note.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from reverie.dates.relative import find_dates
from reverie.evidence.relevance import telling
from reverie.text.terms import asked

_MONTHS = (
    "january|januar|jänner|enero|janvier|janeiro|января|январь", "february|februar|febrero|février|fevereiro|февраля|февраль",
    "march|märz|marzo|mars|março|марта|март", "april|abril|avril|апреля|апрель", "may|mai|mayo|maio|мая|май",
    "june|juni|junio|juin|junho|июня|июнь", "july|juli|julio|juillet|julho|июля|июль", "august|agosto|août|августа|август",
    "september|septiembre|septembre|setembro|сентября|сентябрь", "october|oktober|octubre|octobre|outubro|октября|октябрь",
    "november|noviembre|novembre|novembro|ноября|ноябрь", "december|dezember|diciembre|décembre|dezembro|декабря|декабрь",
)  # fmt: skip
_NUMBER = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split("|")}
_NUMBER |= {names.partition("|")[0][:3]: number for number, names in enumerate(_MONTHS, 1)}
_NAME = "|".join(sorted(_NUMBER, key=len, reverse=True))
_YEAR = r"(?:,?\s+(?:de\s+|of\s+)?(?P<year>(?:19|20)\d\d)\b)?"
_SHAPES = (
    re.compile(r"(?<![\d-])(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)"),
    re.compile(rf"(?<!\w)(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?(?P<name>{_NAME})\b\.?{_YEAR}", re.I),
    re.compile(rf"\b(?P<name>{_NAME})\.?\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]){_YEAR}", re.I),
    re.compile(r"(?:(?P<year>(?:19|20)\d\d)\s*[年년]\s*)?(?P<month>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*[日号號일]"),
)  # fmt: skip
_LEADING = re.compile(
    r"(?:\b(?:on|at|from|of|the|in|during|am|vom|im|den|el|del|le|du|em|no|na|dia|в|на|at the)\s+)+$", re.I
)
_FRENCH = re.compile(r"(?i)\b(?:nous|avons|avez|fait|je|tu|ai|as|on|est-ce|s['’]est|qu['’])")  # "hier" is German, too
_MAY = re.compile(r"(?i)may\b")
LONGEST = 14  # days; more is no day
_GRAINS = frozenset({"day", "weekend", "week"})
_ASKING = re.compile(
    r"[?？]|\b(?:what|which|who|when|where|how|why|did|tell|show|was|wer|wie|wann|wo|qué|quién|cuándo|dónde|cómo|que|quoi|qui|quand|où|comment|o que|quem|quando|onde"
    r"|что|кто|когда|где|как)\b|什么|谁|哪|怎|吗|何|誰|どこ|いつ|뭐|무엇|누구|언제|어디",
    re.I,
)
# What people say they want to know when they only want to know about the day.
_DOING = frozenset(
    term
    for word in (
        "do did done doing happen happened happening work worked working discuss discussed talk talked speak spoke decide decided note noted say said write wrote learn learned "
        "plan planned finish finished summary summarise summarize recap notes note log day up on about going else all everything anything something",
        "machen gemacht tun getan passiert los gesagt besprochen geredet gesprochen entschieden notiert geschrieben gelernt war waren haben alles wir hatten gab",
        "hicimos hice hizo hacer pasó hablamos decidimos trabajamos anotamos fue todo fait fîmes passé parlé décidé noté travaillé avons étions tout "
        "fizemos fiz aconteceu falamos decidimos trabalhamos anotamos foi tudo",
        "говорил сказал делали делал делала сделали было случилось говорили решили обсуждали записали",
    )
    for one in word.split()
    for term in asked(one)
)
_DOING_GLUED = re.compile(
    "发生|讨论|聊过|聊|说过|说|谈|决定|记录|记|做过|做|干|工作|事情|事|总结|都|过|定|しました|した|して|する|話し|決め|あった|あり|起き|했|있었|무슨|일|뭐|얘기|결정|지|나|요|을|를|에"
)


@dataclass(frozen=True, slots=True)
class AskedDay:
    """The days a question is about, both ends included, what it asks besides, and whether that is all it asks."""

    first: date
    last: date
    rest: str
    whole: bool

    def holds(self, day: str) -> bool:
        """Whether an ISO day is one of them."""
        return self.first.isoformat() <= day <= self.last.isoformat()

    @property
    def days(self) -> tuple[str, ...]:
        span = (self.last - self.first).days + 1
        return tuple((self.first + timedelta(days=count)).isoformat() for count in range(span))


def asked_day(question: str, today: date) -> AskedDay | None:
    """The day that a question of today asks about; None where it names none, several, or one that is not certain."""
    found = _written(question, today) or _relative(question, today)
    if found is None or (found[3] - found[2]).days >= LONGEST:
        return None
    start, end, first, last = found
    rest = " ".join(f"{_LEADING.sub('', question[:start])} {question[end:]}".split())
    return AskedDay(first, last, rest, _asks_for_the_day(rest, question))


def _relative(question: str, today: date) -> tuple[int, int, date, date] | None:
    dated = find_dates(question, today)
    if not dated and _FRENCH.search(question):
        dated = find_dates(question, today, lang="fr")
    if len(dated) != 1 or dated[0].grain not in _GRAINS:
        return None
    return dated[0].start, dated[0].end, dated[0].first, dated[0].last


def _written(question: str, today: date) -> tuple[int, int, date, date] | None:
    """A day of the calendar, in figures or by the name of its month. Two of them are no day."""
    found: list[tuple[int, int, date]] = []
    for shape in _SHAPES:
        for match in shape.finditer(question):
            day = _calendar_day(match, today)
            if day is not None and not any(match.start() < end and start < match.end() for start, end, _ in found):
                found.append((match.start(), match.end(), day))
    return (*found[0], found[0][2]) if len(found) == 1 else None


def _calendar_day(match: re.Match[str], today: date) -> date | None:
    parts = match.groupdict()
    if _MAY.match(match[0]) and re.match(r"\s*\w", match.string[match.end() :]):
        return None  # "May 5 people come?"
    month = _NUMBER[parts["name"].casefold()] if parts.get("name") else int(parts["month"])
    try:
        if parts["year"]:
            return date(int(parts["year"]), month, int(parts["day"]))
        this = date(today.year, month, int(parts["day"]))
        return this if this <= today else date(today.year - 1, month, int(parts["day"]))
    except ValueError:  # there is no 31 November
        return None


def _asks_for_the_day(rest: str, question: str) -> bool:
    """Nothing is left but words for doing, and somebody asks; or the question is the day and nothing else."""
    if not asked(rest):
        return True
    return bool(_ASKING.search(question)) and not set(telling(_DOING_GLUED.sub(" ", rest))) - _DOING


__all__ = ["AskedDay", "asked_day"]
