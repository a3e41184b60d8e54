"""What the phrase of a rule means: the meanings and the conditions that the language files name.

A rule of a file is `[pattern, meaning, form, led]`. The meaning is a name of MEANINGS with its arguments (a number of units, a
unit, a kind), and after "if" a name of CONDITIONS: "counted 1 if ahead" is so many units from now, unless the sentence tells of
the past. Where a meaning finds no number or unit among its arguments, the phrase itself says it (groups `which` and `unit`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from reverie.dates.spans import (
    SPANS,
    Span,
    after,
    before,
    day_in,
    end_of,
    month,
    moved,
    named_month,
    nth_weekday,
    one,
    same_day,
    start_of,
    tenth,
    week,
    year,
)

if TYPE_CHECKING:
    from reverie.dates.grammar import Grammar

_HALF_A_YEAR = 6  # months: no month that is named alone is further away
_NEAR = 80  # characters before a weekday in which something may say that it counts from another day


class Situation(NamedTuple):
    """Where a phrase stands: the day and hour of the note, and what its sentence says of time."""

    day: date
    time: time | None = None
    zone: tzinfo | None = None
    tense: int = 0  # -1 the clause tells of the past, 1 of what is to come, 0 unclear
    habit: bool = False  # the sentence speaks of a rule or of what always happens

    @property
    def after_midnight(self) -> bool:
        return self.time is not None and self.time < time(5)


@dataclass(frozen=True)
class Phrase:
    """Words that a rule found, where they stand, and what its language makes of them."""

    match: re.Match[str]
    situation: Situation
    grammar: Grammar
    args: tuple[str, ...]
    is_part: bool  # of a day: an evening, a morning

    def group(self, name: str) -> str:
        return (self.match.groupdict().get(name) or "").lower()

    @property
    def day(self) -> date:
        return self.situation.day

    @property
    def line(self) -> str:
        return self.match.string

    @property
    def before(self) -> str:
        return self.line[max(0, self.match.start() - _NEAR) : self.match.start()]

    @cached_property
    def fixed(self) -> int | None:
        """The number that the rule itself gives."""
        return next((int(arg) for arg in self.args if arg.lstrip("-").isdigit()), None)

    @property
    def step(self) -> int:
        return self.grammar.steps[self.group("which")] if self.fixed is None else self.fixed

    @property
    def unit(self) -> str:
        return next((arg for arg in self.args if arg in SPANS or arg == "day"), "") or self.grammar.unit(
            self.group("unit")
        )

    @property
    def count(self) -> int:
        return self.grammar.number(self.group("n") or "1")

    @property
    def weekday(self) -> int:
        return self.grammar.weekday(self.group("weekday"))

    @property
    def month(self) -> int:
        """The number of the month that is named; no month is an error of value, as for a day outside the calendar."""
        number = self.grammar.months.index(self.group("month")) + 1 if self.group("month") else self.count
        return date(self.day.year, number, 1).month


def day(phrase: Phrase) -> Span | None:
    """So many days away. After midnight people still call the day before by "tonight"."""
    shift, situation = phrase.step, phrase.situation
    if not phrase.is_part or shift or not situation.after_midnight:
        return one(situation.day, shift)
    # At 00:40 "tonight we had dinner" was yesterday; "tonight I will" is not; anything else is a guess.
    return one(situation.day, -1 if situation.tense < 0 else 0) if situation.tense else None


def span(phrase: Phrase) -> Span | None:
    return SPANS[phrase.unit](phrase.day, phrase.step)


def counted(phrase: Phrase) -> Span | None:
    """So many units ago (-1) or from now (1). Ten years and more are a manner of speaking, and 98 is a year."""
    if phrase.unit == "year" and (phrase.count >= phrase.grammar.round_years or phrase.group("n").startswith("0")):
        return None
    return moved(phrase.day, phrase.unit, phrase.step * phrase.count)


def exactly(phrase: Phrase) -> Span | None:
    """A month ago today, a week from tomorrow, two weeks from Friday: months and years to the day."""
    sign, base = phrase.args
    from_weekday = base == "weekday"
    start = after(phrase.day, phrase.weekday).first if from_weekday else one(phrase.day, int(base)).first
    count = int(sign) * phrase.count
    if phrase.unit in ("month", "year"):
        return same_day(start, count * (12 if phrase.unit == "year" else 1))
    return moved(start, phrase.unit, count)


def this_day(phrase: Phrase) -> Span | None:
    """This day so many months away."""
    return same_day(phrase.day, phrase.step)


def moment(phrase: Phrase) -> Span | None:
    """The day on which it was so many hours or minutes before the hour of the note, across a change of clocks too."""
    situation = phrase.situation
    if situation.time is None:
        return None
    count = 0.5 if phrase.group("half") else phrase.count
    back = timedelta(hours=count) if phrase.unit == "hour" else timedelta(minutes=count)
    here = datetime.combine(situation.day, situation.time, situation.zone)
    then = here - back if situation.zone is None else (here.astimezone(UTC) - back).astimezone(situation.zone)
    return one(then.date())


def weekday(phrase: Phrase) -> Span | None:
    """A weekday near the note, only where all readings agree: "next Friday" on a Wednesday is two days to some, nine to others."""
    (kind,) = phrase.args
    today, tense, wanted = phrase.day, phrase.situation.tense, phrase.weekday
    ahead, back = after(today, wanted), before(today, wanted)
    match kind:
        case "ahead":
            return ahead
        case "back":
            return back
        case "next":
            return ahead if week(ahead.first) != week(today) else None
        case "last":
            return back if (today - back.first).days > 1 else None
        case "this":  # the one still ahead in this week; on Sunday "this Monday" could be either
            return ahead if week(ahead.first) == week(today) or (ahead.first - today).days == 1 else None
    if phrase.situation.habit or (today.weekday() == wanted and tense <= 0) or phrase.grammar.counts_elsewhere(phrase):
        return None
    match kind:
        case "since":
            return back
        case "due":
            return ahead if tense >= 0 else None
    return (back if tense < 0 else ahead) if tense else None


def weekday_in_week(phrase: Phrase) -> Span | None:
    return one(week(phrase.day, phrase.step).first, phrase.weekday)


def end(phrase: Phrase) -> Span | None:
    """The last day of a month, a quarter or a year; of every one where the sentence is a rule and names none."""
    return None if phrase.situation.habit and phrase.fixed == 0 else end_of(SPANS[phrase.unit](phrase.day, phrase.step))


def edge(phrase: Phrase) -> Span | None:
    """The end of a month is its last day; its beginning, middle and rest are ten days each."""
    if phrase.situation.habit and phrase.fixed == 0:
        return None
    return _at_edge(SPANS[phrase.unit](phrase.day, phrase.step), phrase)


def _at_edge(span: Span, phrase: Phrase) -> Span:
    match phrase.grammar.edges[phrase.group("edge")]:
        case "end":
            return end_of(span)
        case "start":
            return start_of(span)
        case part:
            return tenth(span, ("early", "middle", "late").index(part))


def named(phrase: Phrase) -> Span | None:
    """A month by its name: before or after the note as the rule or the verb says."""
    tense = phrase.situation.tense if phrase.fixed is None else phrase.fixed
    return None if phrase.situation.habit else named_month(phrase.day, phrase.month, tense)


def end_of_named(phrase: Phrase) -> Span | None:
    """Without a verb that says otherwise the end of a month is a deadline to come, if it comes within half a year."""
    away = (phrase.month - phrase.day.month) % 12
    if phrase.situation.habit or not away or (phrase.situation.tense <= 0 and away > _HALF_A_YEAR):
        return None
    return end_of(month(phrase.day, away))


def named_edge(phrase: Phrase) -> Span | None:
    """The end of April is to come unless the clause has happened, and then it has passed; never further than half a year."""
    away, past = (phrase.month - phrase.day.month) % 12, phrase.situation.tense < 0
    if phrase.situation.habit:
        return None
    if not away:
        return _at_edge(month(phrase.day), phrase)
    if away < _HALF_A_YEAR if past else away > _HALF_A_YEAR:
        return None
    return _at_edge(month(phrase.day, away - 12 if past else away), phrase)


def month_of_year(phrase: Phrase) -> Span | None:
    return month(year(phrase.day, phrase.step).first, phrase.month - 1)


def weekday_of_month(phrase: Phrase) -> Span | None:
    return nth_weekday(month(phrase.day, phrase.step), phrase.weekday, phrase.grammar.ordinals[phrase.group("ordinal")])


def day_of_month(phrase: Phrase) -> Span | None:
    return day_in(month(phrase.day, phrase.step), phrase.count)


def last_numbered(phrase: Phrase) -> Span | None:
    """ "On the 3rd" of what has happened. "Rent is due on the 3rd" is of every month."""
    today, number = phrase.day, phrase.count
    if not 1 <= number <= 28 or number == today.day:
        return None
    return day_in(month(today, 0 if number < today.day else -1), number)


def leave(_phrase: Phrase) -> None:
    """The phrase is known and means no day of its own; nothing inside it is resolved either."""
    return


Meaning = Callable[[Phrase], Span | None]
MEANINGS: dict[str, Meaning] = {
    "leave": leave,
    "day": day,
    "span": span,
    "counted": counted,
    "exactly": exactly,
    "same_day": this_day,
    "moment": moment,
    "weekday": weekday,
    "weekday_in_week": weekday_in_week,
    "end": end,
    "edge": edge,
    "named": named,
    "end_of_named": end_of_named,
    "named_edge": named_edge,
    "month_of_year": month_of_year,
    "nth_weekday": weekday_of_month,
    "day_of_month": day_of_month,
    "last_numbered": last_numbered,
}


def _unequivocal(phrase: Phrase) -> bool:
    """On Thursday "next weekend" is the coming one to some and the one after it to others; so is "last weekend" on Sunday."""
    in_weekend = phrase.day.weekday() >= 5
    return phrase.step == 0 or in_weekend == (phrase.step > 0)


def _heralded(phrase: Phrase) -> bool:
    """ "In three days" may be a length of time, unless a verb or what stands before it says that something is to come."""
    situation = phrase.situation
    return not situation.habit and (
        situation.tense > 0 or (situation.tense == 0 and phrase.grammar.heralds(phrase.before))
    )


CONDITIONS: dict[str, Callable[[Phrase], bool]] = {
    "": lambda phrase: True,
    "once": lambda phrase: not phrase.situation.habit,
    "ahead": lambda phrase: not phrase.situation.habit and phrase.situation.tense >= 0,
    "past": lambda phrase: not phrase.situation.habit and phrase.situation.tense < 0,
    "tensed": lambda phrase: not phrase.situation.habit and phrase.situation.tense != 0,
    "heralded": _heralded,
    "unequivocal": _unequivocal,
    "unrepeated": lambda phrase: not phrase.grammar.says("repeats", phrase.line),
    # What is paid, counted or settled at the turn of a month is so every month.
    "unbilled": lambda phrase: (
        not phrase.situation.habit and (phrase.situation.tense != 0 or not phrase.grammar.says("billed", phrase.line))
    ),
}
