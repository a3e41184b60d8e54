"""What the owner wants to be reminded of: "remind me when we talk about the boat: …", "remind me on Friday to …".

A reminder is a line of memory like any other until it has been given (`features/reminders.py`); then a night archives it. Only a
line that begins with the wish is one, and only with a topic or one certain day. Before the wish may stand nothing but its day, its topic
and words that say nothing ("could you please", "at nine"): where somebody else is named, it is their reminder. The words stand in
`lang/`, table `reminders`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache

from reverie.dates.relative import absolute
from reverie.judge.compose import plain_line
from reverie.judge.written_dates import WrittenDay
from reverie.judge.written_dates import days_in as written_days
from reverie.lang import LANGUAGES, table, words
from reverie.lang.lexicon import any_of, either, one_of, valued
from reverie.text.lines import short_id
from reverie.text.terms import plain, terms

_COLON = re.compile(r"[:：]")
_COMMA = re.compile(r"[,，;；]|\s[–—-]\s")
_HOURS, _FEW = 24, 8  # of a day; words before the wish
_LEAST = 2  # words between the wish and the topic, from which they are what is to be told


@dataclass(frozen=True, slots=True)
class Reminder:
    """What to be reminded of, as it was said, and when: as soon as the topic is met, or from a day on."""

    text: str
    topic: frozenset[str] = frozenset()
    day: date | None = None

    @property
    def key(self) -> str:
        return short_id(plain(self.text))

    def is_due(self, message: str, today: date) -> bool:
        """Whether it is to be given now, to somebody who says this; a message that asks for a reminder meets no topic."""
        if self.day is not None:
            return self.day <= today
        return bool(self.topic) and self.topic <= frozenset(terms(message)) and reminder_in(message) is None


@lru_cache(maxsize=2_000)
def reminder_in(text: str) -> Reminder | None:
    """The reminder that a line asks for; None for any other line."""
    if not any_of("reminders.remind").search(text):
        return None
    said = plain_line(text)
    wish = any_of("reminders.remind").search(said)
    about = _about().search(said)
    if wish is None:
        return None
    first = min(wish.start(), about.start()) if about else wish.start()
    begins = _lead().fullmatch(said[:first]) is not None
    if about and begins:
        between = said[wish.end() : about.start()]
        topic = frozenset(terms(_topic(said[about.end() :], whole=len(terms(between)) >= _LEAST)))
        return Reminder(said, topic) if topic else None
    day = _day_of(said, wish)
    return Reminder(said, day=day) if day else None


def with_whole_day(text: str, said_on: date) -> str:
    """The line with the day that it means written out: the Friday after it was said, the next fifth of December."""
    if not any_of("reminders.remind").search(text):
        return text
    text = absolute(text, said_on)
    for one in reversed([day for day in written_days(text) if day.month and day.day and not day.year]):
        coming = (_whole(year, one) for year in (said_on.year, said_on.year + 1))
        day = next((day for day in coming if day is not None and day >= said_on), None)
        text = text[: one.start] + day.isoformat() + text[one.end :] if day else text
    return text


def _topic(rest: str, *, whole: bool) -> str:
    """What follows "when we talk about", up to what is to be told; nothing from the wish or "comes up" on belongs to it."""
    for end in (any_of("reminders.remind"), any_of("reminders.comes_up")):
        rest = end.split(rest, maxsplit=1)[0]
    ends = () if whole else (_COLON, _COMMA, any_of("reminders.ends"))
    found = next((hit for end in ends if (hit := end.search(rest))), None)
    return _tail().sub("", rest[: found.start()] if found else rest)


def _day_of(said: str, wish: re.Match[str]) -> date | None:
    """The only day of a line, where it stands beside the wish or at the end."""
    days = written_days(said)
    if len(days) != 1 or not (days[0].year and days[0].month and days[0].day):
        return None
    (one,) = days
    if one.start < wish.start():
        parts = [said[: one.start], said[one.end : wish.start()]]
    else:
        ends = _lead().fullmatch(said[one.end :])
        parts = [said[: wish.start()], "" if ends else said[wish.end() : one.start]]
    return _whole(one.year, one) if all(map(_lead().fullmatch, parts)) else None


def _whole(year: int, one: WrittenDay) -> date | None:
    try:
        return date(year, one.month, one.day)
    except ValueError:  # 31 February
        return None


@cache
def _about() -> re.Pattern[str]:
    """Words before a topic: "when we talk about"; or a mere "if" where "is mentioned" follows the topic in the same clause."""
    when, who, talk = (one_of(f"reminders.{group}") for group in ("whenever", "who", "talk"))
    mere = rf"{when}(?=[^:：,，;；.。]{{1,60}}?{one_of('reminders.comes_up')})"
    return re.compile(rf"{one_of('reminders.about')}|{when}\s+{who}\s+{talk}|{mere}", re.I)


@cache
def _lead() -> re.Pattern[str]:
    """What may stand before the wish, or between it and its day: words that say nothing, a plea, a time of day."""
    groups = ("reminders.leads", "requests.leads", "requests.polite", "requests.starts", "specifics.joins")
    parts = {part for code in LANGUAGES for part in table(code, "opposites").get("part", {})}
    said = (*groups, "specifics.day_articles", *(f"opposites.part.{part}" for part in sorted(parts)))
    numeral = "|".join(form for form, value in valued("numbers") if value <= _HOURS)
    hour = rf"(?:\d{{1,2}}(?:[:：.]\d\d)?|(?:{numeral}|{one_of('specifics.numerals')}){{1,3}})\s?(?:{one_of('reminders.hours')})?"
    return re.compile(
        rf"\W*(?:(?:{either(form for group in said for form in words(group))}|{hour})\W*){{0,{_FEW}}}", re.I
    )


@cache
def _tail() -> re.Pattern[str]:
    """Words that a topic ends before, where a comma or the line does."""
    return re.compile(rf"(?:\W*{one_of('reminders.ends')})?\W*$", re.I)
