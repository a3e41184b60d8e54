"""English words for days that count from the day of the note."""

from __future__ import annotations

import re
from datetime import timedelta

from reverie.dates.rules import (
    SPANS,
    Resolve,
    Seat,
    Span,
    after,
    before,
    day_in,
    days,
    end_of,
    evening,
    in_week,
    leave,
    moments,
    month,
    named_month,
    nth_weekday,
    one,
    same_day,
    start_of,
    tenth,
    week,
    worded,
    year,
)

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {"a": 1, "an": 1} | {word: count for count, word in enumerate(_COUNTED, 1)}
_NUMBERS |= {"fourteen": 14, "fifteen": 15, "twenty": 20, "thirty": 30, "ninety": 90}
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
_STEP = {"last": -1, "previous": -1, "past": -1, "this": 0, "current": 0, "next": 1, "coming": 1}

_DAY = r"(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_SHORT = r"(?P<weekday>(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?)"
_MONTH = r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december)"
_PART = r"(?: (?P<part>morning|afternoon|evening|night|lunchtime|noon))?"
_N = rf"(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>day|week|month|year|fortnight)s?"
_WHICH = r"(?P<which>last|this|next)"


# "Delivery in 5 days", "back in two weeks": something to come, even without a verb. "Third crash in ten days" is not.
_HERALD = re.compile(
    r"(?i)(?:^|[.:;,(—–-]|\b(?:is|are|back|again|delivery|revisit|re-?test|review|follow-?up|check|ready|available|home|over|up|out|live|open))[\s*_]*$"
)
_MONTHLY = re.compile(r"(?i)\b(?:each|every|per) (?:\w+ )?(?:month|quarter|year)|\b(?:monthly|quarterly|yearly)\b")


def _number(match: re.Match[str]) -> int:
    said = match["n"].lower()
    return int(said) if said.isdigit() else _NUMBERS[said]


def _weekday(match: re.Match[str]) -> int:
    return _WEEKDAYS.index(match["weekday"][:3].lower())


def _in_part(span: Span | None, match: re.Match[str]) -> Span | None:
    part = match.groupdict().get("part")
    if span is None or not part:
        return span
    form = f"the {part.lower()} of {{}}"
    return span._replace(form=form, led=f"on {form}")


def _day(shift: int) -> Resolve:
    return lambda match, seat: _in_part(one(seat.day, shift), match)


def _moved(seat: Seat, unit: str, count: int) -> Span | None:
    """N weeks are days; N months and N years are no more exact than that month or year."""
    match unit:
        case "day":
            return one(seat.day, count)
        case "week":
            return one(seat.day, 7 * count)
        case "fortnight":
            return one(seat.day, 14 * count)
        case "month":
            return month(seat.day, count)
        case _:
            return year(seat.day, count) if abs(count) < 10 else None  # "ten years ago" is a manner of speaking


def _ago(match: re.Match[str], seat: Seat) -> Span | None:
    return _moved(seat, match["unit"].lower(), -_number(match))


def _hence(match: re.Match[str], seat: Seat) -> Span | None:
    """ "In three days" is a length where something took three days or always does."""
    before = match.string[max(0, match.start() - 40) : match.start()]
    if seat.tense < 0 or seat.habit or not (seat.tense > 0 or _HERALD.search(before)):
        return None
    return _moved(seat, match["unit"].lower(), _number(match))


def _to_the_day(match: re.Match[str], seat: Seat) -> Span | None:
    """ "A month ago today" and "a week from tomorrow" are exact."""
    sign = -1 if match["way"].lower() in ("ago", "before") else 1
    base = Seat(one(seat.day, {"yesterday": -1, "tomorrow": 1}.get(match["base"].lower(), 0)).first)
    count, unit = sign * _number(match), match["unit"].lower()
    if unit in ("month", "year") and match["base"].lower() != "now":
        return same_day(base.day, count * (12 if unit == "year" else 1))
    return _moved(base, unit, count)


def _from_weekday(match: re.Match[str], seat: Seat) -> Span | None:
    return _moved(Seat(after(seat.day, _weekday(match)).first), match["unit"].lower(), _number(match))


def _minutes(match: re.Match[str], seat: Seat) -> Span | None:
    said = match["count"].lower()
    count = 0.5 if said.startswith("half") else float(_NUMBERS.get(said, 0) or said)
    return moments(seat, timedelta(hours=count) if match["unit"].lower() == "hour" else timedelta(minutes=count))


def _which_weekday(match: re.Match[str], seat: Seat) -> Span | None:
    """Only where all readings agree: "next Friday" on a Wednesday means two days to some and nine to others."""
    weekday, which = _weekday(match), " ".join(match["which"].lower().split())
    ahead, back = after(seat.day, weekday), before(seat.day, weekday)
    found: Span | None
    if which in ("this past", "past"):
        found = back
    elif which in ("this coming", "coming"):
        found = ahead
    elif which == "this":
        # Only the one still ahead in this week; on Sunday "this Monday" could be either.
        found = ahead if week(ahead.first) == week(seat.day) or (ahead.first - seat.day).days == 1 else None
    elif which == "next":
        found = ahead if week(ahead.first) != week(seat.day) else None
    else:
        found = back if (seat.day - back.first).days > 1 else None
    return _in_part(found, match)


def _weekday_in(match: re.Match[str], seat: Seat) -> Span | None:
    return _in_part(in_week(seat.day, _weekday(match), _STEP[match["which"].lower()]), match)


def _which(match: re.Match[str], seat: Seat) -> Span | None:
    unit, step = match["unit"].lower(), _STEP[match["which"].lower()]
    if step and unit in ("month", "quarter", "year") and _MONTHLY.search(match.string):
        return None  # "every month we bill for last month"
    if unit == "weekend" and ((step == 1 and seat.day.weekday() < 5) or (step == -1 and seat.day.weekday() == 6)):
        return None
    if unit == "weekend" and step == -1 and seat.day.weekday() == 5:
        return None
    return _said(SPANS[unit](seat.day, step))


def _said(span: Span) -> Span:
    return span._replace(form="the week {}", led="in the week {}") if span.grain == "week" else span


def _beyond(match: re.Match[str], seat: Seat) -> Span | None:
    return _said(SPANS[match["unit"].lower()](seat.day, -2 if "last" in match[0].lower() else 2))


def _edge(match: re.Match[str], seat: Seat) -> Span | None:
    """ "End of next month" is its last day; "early next month" its first ten."""
    which = (match["which"] or "the").lower()
    if seat.habit and which == "the":
        return None
    span = SPANS[match["unit"].lower()](seat.day, _STEP.get(which, 0))
    edge = match["edge"].lower()
    if edge == "end":
        return end_of(span)
    if span.grain != "month":
        return None
    return tenth(span, 1) if edge.startswith("mid") else start_of(span)


def _named(match: re.Match[str], seat: Seat) -> Span | None:
    return None if seat.habit else named_month(seat.day, _MONTHS.index(match["month"][:3].lower()) + 1, seat.tense)


def _since_month(match: re.Match[str], seat: Seat) -> Span | None:
    return None if seat.habit else named_month(seat.day, _MONTHS.index(match["month"][:3].lower()) + 1, -1)


def _end_of_named(match: re.Match[str], seat: Seat) -> Span | None:
    """Without a verb that says otherwise the end of a month is a deadline to come, if it comes within half a year."""
    number = _MONTHS.index(match["month"][:3].lower()) + 1
    if seat.habit or number == seat.day.month:
        return None
    if seat.tense <= 0 and (number - seat.day.month) % 12 > 6:
        return None
    span = named_month(seat.day, number, 1)
    return end_of(span) if span else None


def _month_of_year(match: re.Match[str], seat: Seat) -> Span | None:
    span = month(year(seat.day, _STEP[match["which"].lower()]).first, _MONTHS.index(match["month"][:3].lower()))
    return span if match[0].lower().startswith("in ") else span._replace(led="{}")  # "June last year was cold"


def _nth(match: re.Match[str], seat: Seat) -> Span | None:
    return nth_weekday(month(seat.day, _STEP[match["which"].lower()]), _weekday(match), _ORDINALS[match["nth"].lower()])


def _number_of_month(match: re.Match[str], seat: Seat) -> Span | None:
    return day_in(month(seat.day, _STEP[match["which"].lower()]), int(match["number"]))


def _on_number(match: re.Match[str], seat: Seat) -> Span | None:
    """ "On the 3rd" of what has happened. "Rent is due on the 3rd" is of every month."""
    number = int(match["number"])
    if seat.habit or seat.tense >= 0 or not 1 <= number <= 28 or number == seat.day.day:
        return None
    return day_in(month(seat.day, 0 if number < seat.day.day else -1), number)


def _bare_weekday(match: re.Match[str], seat: Seat) -> Span | None:
    lead, weekday = match["lead"].lower(), _weekday(match)
    if seat.habit or (seat.day.weekday() == weekday and seat.tense <= 0):
        return None
    if re.search(
        r"(?i)\b(?:days?|weeks?|months?) (?:after|before)\b", match.string[max(0, match.start() - 80) : match.start()]
    ):
        return None  # "two weeks after Easter on Friday" counts from Easter
    if lead == "since":
        return _in_part(before(seat.day, weekday), match)
    if lead in ("by", "until", "till"):
        return _in_part(after(seat.day, weekday), match) if seat.tense >= 0 else None
    if not seat.tense:
        return None
    return _in_part((before if seat.tense < 0 else after)(seat.day, weekday), match)


def _tonight(match: re.Match[str], seat: Seat) -> Span | None:
    part = "evening" if match[0].lower() == "tonight" else match["part"].lower()
    return evening(0, f"the {part} of {{}}", f"on the {part} of {{}}")(match, seat)


_UNITS = r"(?P<unit>week|month|quarter|year|weekend)"
_APPROXIMATE = r"(?:more than|less than|over|under|about|around|roughly|almost|nearly|at least|up to|some|maybe|older than|circa|~)"
RULES = (
    worded(r"(?:the )?day before yesterday", days(-2)),
    worded(r"(?:the )?day after tomorrow", days(2)),
    worded(rf"yesterday{_PART}", _day(-1)),
    worded(rf"tomorrow{_PART}", _day(1)),
    worded(r"(?:(?:earlier|later) )?today", days(0)),
    worded(r"tonight|(?:(?:earlier|later) )?this (?P<part>morning|afternoon|evening)", _tonight),
    worded(r"last night", evening(-1, "the night of {}", "on the night of {}")),
    worded(r"just now", days(0)),
    worded(rf"{_N} {_UNIT} ago", _ago),
    worded(rf"{_APPROXIMATE} {_N} \w+ (?:ago|(?:from|after|before) \w+)|{_DAY},? {_N} \w+ (?:ago|from now)|{_N} {_UNIT} from now on|for {_N} {_UNIT} (?:from|after|before) \w+|{_N}(?: |-)?(?:to|or|-|–) ?\w+ \w+ ago|{_N} \w+ and {_N.replace('<n>', '<m>')} \w+ ago", leave),
    worded(r"half a year ago", lambda _m, seat: month(seat.day, -6)),
    worded(rf"{_N} {_UNIT} (?P<way>ago|from|after|before) (?P<base>today|yesterday|tomorrow|now)", _to_the_day),
    worded(rf"{_N} (?P<unit>week)s? from {_DAY}", _from_weekday),
    worded(rf"(?P<count>\d{{1,2}}|half an|{'|'.join(_NUMBERS)}) (?P<unit>hour|minute)s? ago", _minutes),
    worded(rf"in {_N} {_UNIT}", _hence),
    worded(rf"in {_N} {_UNIT} (?:of|from|before|after|since|on|or|and)|in {_N} {_UNIT}['’]", leave),
    worded(rf"(?P<which>this coming|this past|last|this|next|coming|past) {_SHORT}{_PART}", _which_weekday),
    worded(rf"{_WHICH} week(?: on|,)? {_SHORT}{_PART}", _weekday_in),
    worded(rf"{_DAY}{_PART} (?:of )?(?:the )?{_WHICH} week", _weekday_in),
    worded(rf"(?:(?:earlier|later) )?{_WHICH} {_UNITS}", _which),
    worded(rf"(?:the|these|those|our|my|your|his|her|their|its|a|each|every|per|any) (?:last|past|next|first|very \w+) (?:(?:\w+ )?{_UNITS}s?|night|{_DAY})", leave),
    worded(rf"(?:last|next|this|first|past) {_UNITS} (?:of|in which|to last|or so|or two|or next|or last)", leave),
    worded(rf"(?:sometime|some time|perhaps|maybe|(?:this|same|the same) time|by|before) {_WHICH} year", leave),
    worded(rf"(?:first|last|second|third|fourth|final|\d\w*) (?:\w+ )?(?:day|week|weekend|month|quarter|half)s? (?:of|in) (?:{_WHICH}|the|\w+)(?: (?:month|quarter|year))?", leave),
    worded(rf"{_WHICH} {_UNITS}(?:['’]s)? (?:first|last|\d)\w* \w+", leave),
    worded(r"(?:the )?(?P<unit>week|month|year) (?:before last|after next)", _beyond),
    worded(r"(?:at )?(?:the )?(?P<edge>end) of (?:(?P<which>the|this|last|next) )?(?P<unit>month|quarter|year)", _edge),
    worded(r"(?:at )?(?:the )?(?P<edge>end|start|beginning|middle|mid|early|late)(?: of)? (?P<which>the|this|last|next) (?P<unit>month)", _edge),
    worded(rf"(?:at )?(?:the )?end of {_MONTH}", _end_of_named),
    worded(rf"(?P<lead>in) {_MONTH}", _named),
    worded(rf"(?P<lead>since) {_MONTH}", _since_month),
    worded(rf"(?:in|since|from|end of) {_MONTH} (?:and|or|to|–|-|until|\d\w*|next|last|this) ?\w*", leave),
    worded(rf"(?:in )?{_MONTH} (?:of )?{_WHICH} year", _month_of_year),
    worded(rf"(?:on )?(?:the )?(?P<nth>{'|'.join(_ORDINALS)}) {_DAY} (?:of|in) (?:the )?{_WHICH} month", _nth),
    worded(r"(?:on )?(?:the )?(?P<number>\d{1,2})(?:st|nd|rd|th) (?:day )?(?:of )?(?:the )?(?P<which>last|this|next) month", _number_of_month),
    worded(r"on the (?P<number>\d{1,2})(?:st|nd|rd|th)", _on_number),
    worded(r"on the \d{1,2}(?:st|nd|rd|th) (?!and\b|but\b|at\b|we\b|i\b)\w+", leave),
    worded(rf"(?P<lead>on|since|by|until|till) {_DAY}{_PART}", _bare_weekday),
    worded(rf"(?:on |by |{_WHICH} )?{_DAY},? the (?:\d|twent|thirt|first|second|third|fourth|\w+th)[\w-]*(?: (?:first|second|third|fourth|\w+th))?", leave),
    worded(rf"(?:{'|'.join(_ORDINALS)}|this|next) {_DAY} (?:of|in|after|before) \w+|{_DAY} after next", leave),
    worded(rf"(?:on |since |by |until |{_WHICH} )?{_DAY},? \d{{1,2}}(?: |$)(?!am|pm|o'clock|h\b|uhr)", leave),
    worded(rf"in {_MONTH} (?:of )?(?:two thousand|nineteen|twenty)", leave),
    worded(rf"(?:on )?{_DAY}s? (?:morning|afternoon|evening|night|lunchtime)s", leave),
    # What returns, spans a habit, or is a name.
    worded(rf"(?:every|each|any|per|all|other|alternate|{'|'.join(_ORDINALS)}) (?:other |second )?{_DAY}s?{_PART}s?", leave),
    worded(rf"(?:on |since |by |until |till |from )?{_DAY}{_PART} ?(?:to|through|thru|and|or|–|-|/|&) ?{_SHORT.replace('<weekday>', '<until>')}s?", leave),
    worded(rf"(?:black|good|holy|easter|cyber|fat|ash|palm|super|bloody|casual|freaky|ruby) {_DAY}", leave),
    worded(r"(?:to|from) (?:day|week|month|year) to (?:day|week|month|year)|these days|one day|some day|the other day|back in the day|(?:feels|felt|seems|seemed|sounds) like (?:it was )?(?:just |only )?(?:yesterday|today)|like it was (?:just |only )?yesterday", leave),
    worded(r"(?:here|gone) today|(?:today|tomorrow) (?:show|news|tonight)|like there(?: i|['’])s no tomorrow|the day after (?:today|next)|as of yet", leave),
)  # fmt: skip
