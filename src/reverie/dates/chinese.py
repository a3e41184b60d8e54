"""Chinese words for days that count from the day of the note, in simplified and traditional characters."""

from __future__ import annotations

import re
from datetime import timedelta

from reverie.dates.rules import (
    Seat,
    Span,
    after,
    before,
    day_in,
    days,
    end_of,
    evening,
    glued,
    in_week,
    leave,
    moments,
    month,
    named_month,
    nth_weekday,
    one,
    quarter,
    same_day,
    start_of,
    tenth,
    week,
    weekend,
    year,
)

_DIGITS = {char: index for index, char in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2, "〇": 0}
_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_YEARS = {"前": -2, "去": -1, "今": 0, "本": 0, "明": 1, "后": 2, "後": 2}
_N = r"(?P<n>\d{1,3}|[一二两兩三四五六七八九十]{1,3})\s?"
_WEEK = r"(?:周|週|星期|礼拜|禮拜)"
_ON = r"(?P<weekday>[一二三四五六日天])(?![\d一二三四五六七八九十百千万个個次条点年月天])"
_STEP = r"(?P<step>上上|下下|上|下|本|这|這)(?:一)?[个個]?"
# 早上周一 is Monday morning, not last week; 上周期 is a period. The same characters inside longer words.
_NOT_IN = r"(?<![早晚网網马馬以身线線路桌手海地天当當私乡名如楼每逢])"
_NOT_WEEK = r"(?!期|年|边|邊|转|轉|围|圍|折|长|長|知|全|到|刊|易|公|作|报)"
_BACK, _AHEAD = (
    r"(?:之|以)?前(?!后|後|端|台|提(?![的交出到过了])|往|面|线|期|几|幾|置|任)",
    r"(?:之|以)?[后後](?!端|台|面|续|續|悔|期|果|门|勤|备|来)",
)
_EVENT = r"(?<![发布线期截止始束完效签订单货款发诊术产后後前第每隔满内近了])(?<!\d)(?<!提前)(?<!超过)(?<!大约)(?<!至少)(?<!不到)(?<!将近)"


# What is paid, counted or settled at the turn of a month is so every month.
_FOR_GOOD = re.compile(r"从[^，。；]{1,14}起|自[^，。；]{1,14}起|[今以]后|即日起")
_MONTHLY = re.compile(
    "租|工资|工資|薪|结算|結算|结账|对账|對帳|盘点|月供|还款|还信用卡|开票|收款|收现|月报|月報|统计|每[个個]?[月季年]"
)

_EVERY = re.compile("每[个個]?[月季年]")


def _number(said: str) -> int:
    if said.isdigit():
        return int(said)
    tens, mark, ones = said.rpartition("十")
    if not mark:
        return _DIGITS[said] if len(said) == 1 else -1
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def _count(match: re.Match[str]) -> int | None:
    try:
        return _number(match["n"])
    except KeyError:
        return None


def _step(match: re.Match[str]) -> int:
    said = match["step"]
    return {"上": -1, "下": 1}.get(said[0], 0) * len(said) if said[0] in "上下" else 0


def _shifted(match: re.Match[str], seat: Seat, sign: int) -> Span | None:
    count = _count(match)
    unit = match["unit"]
    if count is None or count < 0 or (unit == "年" and (match["n"].startswith("0") or count >= 10)):
        return None  # 98年前 is before 1998, and 十年前 a manner of speaking
    if unit.endswith("天"):
        return one(seat.day, sign * count)
    if unit.endswith(("周", "週", "星期", "礼拜", "禮拜")):
        return one(seat.day, 7 * sign * count)
    if unit.endswith("月"):
        return month(seat.day, sign * count)
    return year(seat.day, sign * count)


def _ago(match: re.Match[str], seat: Seat) -> Span | None:
    return _shifted(match, seat, -1)


def _hence(match: re.Match[str], seat: Seat) -> Span | None:
    """三天后 counts from the note only where nothing in the clause has happened already: 装好三天后就坏了 does not."""
    return None if seat.habit or seat.tense < 0 else _shifted(match, seat, 1)


def _minutes(match: re.Match[str], seat: Seat) -> Span | None:
    count = 0 if match["half"] else _count(match)
    if count is None:
        return None
    back = count + 0.5 if match["half"] else float(count)
    return moments(
        seat, timedelta(hours=back) if match["unit"].endswith(("时", "時", "钟头")) else timedelta(minutes=back)
    )


def _in_week(match: re.Match[str], seat: Seat) -> Span | None:
    return in_week(seat.day, _WEEKDAYS[match["weekday"]], _step(match))


def _bare(match: re.Match[str], seat: Seat) -> Span | None:
    weekday = _WEEKDAYS[match["weekday"]]
    if _FOR_GOOD.search(match.string):
        return None  # "from today on it is Monday" means every Monday
    if seat.habit or not seat.tense or (seat.tense < 0 and weekday == seat.day.weekday()):
        return None
    return (before if seat.tense < 0 else after)(seat.day, weekday)


def _edge(match: re.Match[str], seat: Seat) -> Span | None:
    span = month(seat.day, _step(match) if match["step"] else 0)
    if not match["step"] and (seat.habit or (not seat.tense and _MONTHLY.search(match.string))):
        return None  # 房租月底交 is of every month
    if not match["step"] and match["edge"] != "底" and not seat.tense and "的" not in match.string[match.end() :]:
        return None
    return _part(span, match["edge"])


def _part(span: Span, edge: str) -> Span:
    if edge in ("底", "末"):
        return end_of(span)
    return start_of(span) if edge == "初" else tenth(span, "上中下".index(edge[0]))


def _named_edge(match: re.Match[str], seat: Seat) -> Span | None:
    """四月底 is to come unless the clause has happened, and then it has passed; never further than half a year."""
    number = _count(match)
    if seat.habit or number is None or not 1 <= number <= 12:
        return None
    ahead = (number - seat.day.month) % 12
    if number == seat.day.month:
        return _part(month(seat.day), match["edge"])
    if (seat.tense < 0 and ahead < 6) or (seat.tense >= 0 and ahead > 6):
        return None
    span = named_month(seat.day, number, -1 if seat.tense < 0 else 1)
    return _part(span, match["edge"]) if span else None


def _named(match: re.Match[str], seat: Seat) -> Span | None:
    number = _count(match)
    return None if seat.habit or number is None or number > 12 else named_month(seat.day, number, 1)


def _year_edge(match: re.Match[str], seat: Seat) -> Span | None:
    if seat.habit and not match["year"]:
        return None
    span = year(seat.day, _YEARS[match["year"][0]] if match["year"] else 0)
    return start_of(span) if match["edge"] == "初" else end_of(span)


def _month(match: re.Match[str], seat: Seat) -> Span | None:
    """每月报下月计划 is of no month in particular."""
    return None if _EVERY.search(match.string) else month(seat.day, _step(match))


def _quarter(match: re.Match[str], seat: Seat) -> Span | None:
    return None if _EVERY.search(match.string) else quarter(seat.day, _step(match))


def _nth(match: re.Match[str], seat: Seat) -> Span | None:
    nth = -1 if match["nth"] == "最后" else _number(match["nth"][1:])
    return nth_weekday(month(seat.day, _step(match)), _WEEKDAYS[match["weekday"]], nth)


def _numbered(match: re.Match[str], seat: Seat) -> Span | None:
    count = _count(match)
    return day_in(month(seat.day, _step(match)), count) if count else None


def _year(match: re.Match[str], seat: Seat) -> Span | None:
    return year(seat.day, _YEARS[match["year"]])


def _month_of_year(match: re.Match[str], seat: Seat) -> Span | None:
    number = _count(match)
    return month(year(seat.day, _YEARS[match["year"]]).first, number - 1) if number and 1 <= number <= 12 else None


def _anniversary(match: re.Match[str], seat: Seat) -> Span | None:
    if match["year"]:
        return same_day(seat.day, 12 * _YEARS[match["year"]])
    count, unit = _count(match), match["unit"]
    if count is None:
        return None
    if unit.endswith(("月", "年")):
        return same_day(seat.day, -count * (12 if unit.endswith("年") else 1))
    return one(seat.day, -7 * count)


_UNIT = r"(?P<unit>天|周|週|[个個]?星期|[个個]?礼拜|[个個]?禮拜|[个個]月|年)"
_EDGE = r"(?P<edge>底|末(?!班|尾|端)|初(?!始|步|级|稿|中|一|二)|[上中下]旬)"
RULES = (
    glued(r"大前[天日]", days(-3)),
    glued(r"(?<![以之目提当面眼大])前天(?![线線天气氣空津花鹅])", days(-2)),
    glued(r"昨[天日儿]", days(-1)),
    glued(r"(?<![如至迄现])今[天儿]|(?<!如)今日(?!头条|说法|报|俄罗斯)", days(0)),
    glued(r"(?<![光分聪說说证證表声发發文黎透证])明[天日儿](?![气氣报]|方舟|之后)", days(1)),
    glued(r"(?<![以之然今最背前大])[后後][天日](?![性线線赋賦养天气氣台])", days(2)),
    glued(r"大[后後][天日]", days(3)),
    glued(r"今(?:早上?|晨)", evening(0, "{}早上")),
    glued(r"今(?:晚上?|夜)", evening(0, "{}晚上")),
    glued(r"昨(?:晚上?|夜)", evening(-1, "{}晚上")),
    glued(r"昨(?:早上?|晨)", evening(-1, "{}早上")),
    glued(r"前晚(?!期|辈)", evening(-2, "{}晚上")),
    glued(r"明(?:早上?|晨)", evening(1, "{}早上")),
    glued(r"明晚上?", evening(1, "{}晚上")),
    glued(r"[刚剛]才|[刚剛][刚剛](?![好够夠及超满好开])", days(0)),
    glued(rf"{_EVENT}{_N}{_UNIT}{_BACK}", _ago),
    glued(rf"{_EVENT}{_N}{_UNIT}{_AHEAD}", _hence),
    glued(rf"{_EVENT}半[个個]月{_BACK}", days(-15)),
    glued(rf"{_EVENT}半[个個]月{_AHEAD}", lambda _m, seat: None if seat.tense < 0 or seat.habit else one(seat.day, 15)),
    glued(rf"{_EVENT}半年{_BACK}", lambda _m, seat: month(seat.day, -6)),
    glued(rf"{_EVENT}半年{_AHEAD}", lambda _m, seat: None if seat.tense < 0 or seat.habit else month(seat.day, 6)),
    glued(rf"(?:(?P<half>半)|{_N})(?P<unit>[个個]?小时|[个個]?小時|[个個]钟头|分钟|分鐘){_BACK}", _minutes),
    glued(rf"(?:{_N}{_UNIT}{_BACK}|(?P<year>[去前])年)的?今[天日]", _anniversary),
    glued(rf"{_NOT_IN}{_STEP}{_WEEK}{_ON}", _in_week),
    glued(rf"{_NOT_IN}{_STEP}(?:[周週]{_NOT_WEEK}(?!末)|星期|礼拜|禮拜)(?![一二三四五六日天])", lambda m, seat: week(seat.day, _step(m))),
    glued(rf"{_NOT_IN}{_STEP}(?:周|週)末", lambda m, seat: weekend(seat.day, _step(m))),
    glued(rf"{_NOT_IN}(?P<step>上上|下下|上|下|本|这|這)(?:一)?(?:[个個]月|月)(?![球亮饼初底末上中下\d一二三四五六七八九十])", _month),
    glued(rf"(?:{_NOT_IN}(?P<step>上上|下下|上|下|本|这|這)[个個]?|(?<![个個\d〇零一二三四五六七八九十每整满])(?<!\d\s))月{_EDGE}", _edge),
    glued(rf"(?<![\d年])(?P<n>\d{{1,2}}|[一二三四五六七八九十]{{1,2}})\s?月{_EDGE}", _named_edge),
    glued(rf"{_NOT_IN}(?P<step>上|下|本|这|這)[个個]?月(?P<n>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[号號日]", _numbered),
    glued(rf"{_NOT_IN}(?P<step>上|下|本|这|這)[个個]?月的?(?P<nth>第[一二三四]|最后)一?[个個]?{_WEEK}(?P<weekday>[一二三四五六日天])", _nth),
    glued(rf"{_NOT_IN}(?P<step>上|下|本|这|這)[个個]?季度?(?!末|底|节|風|风|军)", _quarter),
    glued(rf"(?:{_NOT_IN}(?P<step>上|下|本|这|這)[个個]?|(?<![个個\d一二三四每]))季度[末底]", lambda m, seat: None if seat.habit else end_of(quarter(seat.day, _step(m) if m["step"] else 0))),
    glued(r"(?<![如现現迄至于])(?P<year>今)年(?![轻輕龄齡纪紀底末初度])|(?<![过過失除])(?P<year2>去)年(?![龄齡底末初度])", lambda m, seat: year(seat.day, 0 if m["year"] else -1)),
    glued(r"(?<![以之目提当面])(?P<year>前)年(?![龄底末初度代])|(?<![光分聪说说证表声发文])(?P<year2>明)年(?![底末初间度])|(?<![以之然今最])(?P<year3>[后後])年(?![底末初度代])", lambda m, seat: year(seat.day, -2 if m["year"] else 1 if m["year2"] else 2)),
    glued(r"(?<![如过過])(?P<year>[去今明])年(?P<n>\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份)?(?![\d一二三四五六七八九十底末初上中下])", _month_of_year),
    glued(r"(?<![如过過])(?P<year>[去今明])年(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:[底末初\d一二三四五六七八九十]|[上中下]旬)\w?|[去今明前后]年(?:[的]?[上下前后]半?年|[春夏秋冬]|第|\d|Q|[的]前|同期|以来|中秋|春节|国庆|暑假|寒假)\w{0,3}", leave),
    glued(r"(?:(?P<year>[去今明])年年?|(?<![\d〇零一二三四五六七八九十每去今明整年])(?<!\d\s))年?(?<=年)(?P<edge>[底末初])(?![一二])", _year_edge),
    glued(rf"(?<![到在为改至是与和、等]){_WEEK}{_ON}(?![了也都])", _bare),
    glued(r"(?<![\d年第个個每逢])(?P<n>\d{1,2}|[一二三四五六七八九十]{1,2})月(?=要|会|将|再|打算|准备|计划)", _named),
    # What returns, is a row of days, or is said of no day in particular.
    glued(rf"(?:每|逢|隔|凡|各|任何|头|头一个|第.[个個])(?:逢|隔|一)?[个個]?{_WEEK}?(?:的)?{_WEEK}?[一二三四五六日天末]?(?:[、和及到至与](?:{_WEEK})?[一二三四五六日天])*", leave),
    glued(rf"(?:{_STEP})?{_WEEK}[一二三四五六日天](?:[、和及到至与\-—~～/](?:{_WEEK})?[一二三四五六日天])+", leave),
    glued(r"[每逢各][天日年月季](?:\d{1,2}|[一二三四五六七八九十]{1,3})?[号號日底末初]?", leave),
    glued(r"黑色星期五|世界末日|有朝一日|今非昔比|明日黄花|昨日重现|今天事今天毕|十天半[个個]月前?|今天.{0,3}明天.{0,4}后天", leave),
    glued(r"(?:上|下|前|后|这|那)几[天日周年]|前两天|前些[天日]|过[几两]天|[近最]近?[几一两三半\d]+(?:[天周年]|个月)|[这那]几[天年]|[前后上下]半年", leave),
)  # fmt: skip
