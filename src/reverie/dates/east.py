"""Japanese and Korean words for days that count from the day of the note: the common ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from reverie.dates.rules import (
    Resolve,
    Seat,
    Span,
    days,
    end_of,
    evening,
    glued,
    in_week,
    leave,
    month,
    one,
    week,
    weekend,
    year,
)

_DIGITS = {char: index for index, char in enumerate("〇一二三四五六七八九")}
_JAPANESE_WEEK = "月火水木金土日"
_KOREAN_WEEK = "월화수목금토일"
_KOREAN_NUMBERS = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "열흘": 10, "한": 1, "두": 2, "세": 3, "네": 4}
_N = r"(?P<n>\d{1,3}|[一二三四五六七八九十]{1,3})\s?"
_KN = r"(?P<n>\d{1,3}|한|두|세|네)\s?"
_UNITS: dict[str, Callable[[date, int], Span]] = {
    "day": one,
    "week": lambda day, n: one(day, 7 * n),
    "month": month,
    "year": year,
}


def _number(said: str) -> int:
    if said.isdigit():
        return int(said)
    if said in _KOREAN_NUMBERS:
        return _KOREAN_NUMBERS[said]
    tens, mark, ones = said.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if mark else 0) + _DIGITS.get(ones, 0)


def _counted(unit: str, sign: int) -> Resolve:
    def resolve(match: re.Match[str], seat: Seat) -> Span | None:
        if seat.habit or (sign > 0 and seat.tense < 0):
            return None
        return _UNITS[unit](seat.day, sign * _number(match["n"]))

    return resolve


def _weekday(names: str, shift: int) -> Resolve:
    return lambda match, seat: in_week(seat.day, names.index(match["weekday"]), shift)


def _span(unit: Callable[..., Span], shift: int) -> Resolve:
    return lambda _match, seat: unit(seat.day, shift)


_JA = rf"の?(?P<weekday>[{_JAPANESE_WEEK}])曜日?"
_AGO, _HENCE = r"前(?!後|半|に比)", r"後(?!半|ろ)"
JAPANESE = (
    glued("一昨日|おととい", days(-2)),
    glued("(?<!一)昨日", days(-1)),
    glued("(?<!昨)今日|本日", days(0)),
    glued("明日(?!香)", days(1)),
    glued("明後日|あさって", days(2)),
    glued("昨夜|昨晩|昨日の夜", evening(-1, "{}の夜")),
    glued("今朝|今日の朝", evening(0, "{}の朝")),
    glued("今夜|今晩", evening(0, "{}の夜")),
    glued(rf"(?<![第月\d]){_N}日{_AGO}", _counted("day", -1)),
    glued(rf"(?<!第)(?<!\d){_N}週間{_AGO}", _counted("week", -1)),
    glued(rf"(?<!\d){_N}[かヶカ]月{_AGO}", _counted("month", -1)),
    glued(rf"(?<![成和治正\d]){_N}年{_AGO}", _counted("year", -1)),
    glued(rf"(?<![第月\d]){_N}日{_HENCE}", _counted("day", 1)),
    glued(rf"(?<!第)(?<!\d){_N}週間{_HENCE}", _counted("week", 1)),
    glued(rf"先週{_JA}", _weekday(_JAPANESE_WEEK, -1)),
    glued(rf"今週{_JA}", _weekday(_JAPANESE_WEEK, 0)),
    glued(rf"来週{_JA}", _weekday(_JAPANESE_WEEK, 1)),
    glued("先々週", _span(week, -2)),
    glued("先週", _span(week, -1)),
    glued("今週", _span(week, 0)),
    glued("来週", _span(week, 1)),
    glued("再来週", _span(week, 2)),
    glued("先週末", _span(weekend, -1)),
    glued("今週末", _span(weekend, 0)),
    glued("来週末", _span(weekend, 1)),
    glued("先々月", _span(month, -2)),
    glued("先月(?!末)", _span(month, -1)),
    glued("今月(?!末)", _span(month, 0)),
    glued("来月(?!末)", _span(month, 1)),
    glued(r"今月末|(?<![\d先来今一二三四五六七八九十])月末", lambda m, seat: None if seat.habit or (m[0] == "月末" and not seat.tense) else end_of(month(seat.day))),
    glued("先月末", lambda _m, seat: end_of(month(seat.day, -1))),
    glued("来月末", lambda _m, seat: end_of(month(seat.day, 1))),
    glued("(?:去年|昨年)(?!度)", _span(year, -1)),
    glued("今年(?!度)", _span(year, 0)),
    glued("来年(?!度)", _span(year, 1)),
    glued(r"[去昨今来]年の?(?:[春夏秋冬末]|第|初め|\d{1,2}月|[上下前後]半)|[先今来]月の?(?:半ば|初め|\d{1,2}日|中旬)", leave),
    glued("毎[日週月年朝晩](?:の?[月火水木金土日]曜日?)?|明日は我が身|今日この頃|(?:先|今|来)[週月年]の[上中下]旬|今日的|一日前後", leave),
    glued(r"(?:今日|明日|昨日)(?:から|の)\d+(?:日|週間|[かヶカ]月)[^。、]{0,4}(?:前|後|あと)", leave),
)  # fmt: skip
_KO = rf"\s?(?P<weekday>[{_KOREAN_WEEK}])요일"
KOREAN = (
    glued("그저께|그제(?!야|서)|엊그제|엊그저께", lambda m, seat: None if m[0].startswith("엊") else one(seat.day, -2)),
    glued("어제", days(-1)),
    glued("오늘(?!날)", days(0)),
    glued("내일(?!배움)", days(1)),
    glued("모레", days(2)),
    glued("글피", days(3)),
    glued(r"어젯밤|어제\s?(?:밤|저녁)", evening(-1, "{} 밤")),
    glued(r"오늘\s?아침", evening(0, "{} 아침")),
    glued(r"오늘\s?(?:밤|저녁)", evening(0, "{} 저녁")),
    glued(r"(?<!\d)(?P<n>\d{1,3})일 ?전", _counted("day", -1)),
    glued(r"(?P<n>하루|이틀|사흘|나흘|열흘) ?전", _counted("day", -1)),
    glued(rf"(?<!\d){_KN}주(?:일)? ?전", _counted("week", -1)),
    glued(rf"(?<!\d){_KN}(?:달|개월) ?전", _counted("month", -1)),
    glued(rf"(?<!\d){_KN}년 ?전", _counted("year", -1)),
    glued(r"(?<!\d)(?P<n>\d{1,3})일 ?(?:후|뒤)", _counted("day", 1)),
    glued(r"(?P<n>하루|이틀|사흘|나흘|열흘) ?(?:후|뒤)", _counted("day", 1)),
    glued(rf"(?<!\d){_KN}주(?:일)? ?(?:후|뒤)", _counted("week", 1)),
    glued(rf"지난\s?주{_KO}", _weekday(_KOREAN_WEEK, -1)),
    glued(rf"이번\s?주{_KO}", _weekday(_KOREAN_WEEK, 0)),
    glued(rf"다음\s?주{_KO}", _weekday(_KOREAN_WEEK, 1)),
    glued(r"지난\s?주(?!말|년|기|식)", _span(week, -1)),
    glued(r"이번\s?주(?!말|년|기|식)", _span(week, 0)),
    glued(r"다음\s?주(?!말|년|기|식|제)", _span(week, 1)),
    glued(r"지난\s?주말", _span(weekend, -1)),
    glued(r"이번\s?주말", _span(weekend, 0)),
    glued(r"지난\s?달", _span(month, -1)),
    glued(r"이번\s?달", _span(month, 0)),
    glued(r"다음\s?달", _span(month, 1)),
    glued(r"작년|지난\s?해", _span(year, -1)),
    glued("올해", _span(year, 0)),
    glued("내년", _span(year, 1)),
    glued(r"(?:작년|올해|내년)\s?(?:\d{1,2}월|[봄여가겨상하초말])", leave),
    glued("월말|이달 말", lambda m, seat: None if seat.habit or (m[0] == "월말" and not seat.tense) else end_of(month(seat.day))),
    glued(r"(?:지난|이번|다음)\s?주\s?[월화수목금토일](?![가-힣])", leave),
    glued(r"매[일주달년]\s?(?:[월화수목금토일]요일)?|[월화수목금토일]요일마다", leave),
)  # fmt: skip
