"""Relative dates: "yesterday" means a day, and the note knows which. What means no day is left as it stands."""

from __future__ import annotations

from datetime import date, time, timedelta
from itertools import pairwise
from time import process_time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.dates.grammar import rules
from reverie.dates.relative import absolute, find_dates
from reverie.lang import LANGUAGES, table

SUNDAY = date(2026, 3, 15)
WEDNESDAY = date(2026, 11, 18)


def values(text: str, day: date, at: time | None = None) -> list[str]:
    return [found.value for found in find_dates(text, day, time=at)]


ENGLISH = [
    ("The dishwasher arrived yesterday.", "2026-11-17"),
    ("Bo called yesterday about the roof.", "2026-11-17"),
    ("Handed the keys over the day before yesterday.", "2026-11-16"),
    ("Kiln firing tomorrow, bring gloves.", "2026-11-19"),
    ("The tiler starts the day after tomorrow.", "2026-11-20"),
    ("Swapped the fuse this morning.", "2026-11-18"),
    ("Rehearsal tonight at the chapel.", "2026-11-18"),
    ("The pump failed last night.", "2026-11-17"),
    ("Rotated the signing key 9 days ago.", "2026-11-09"),
    ("Adopted the dog two weeks ago.", "2026-11-04"),
    ("We changed suppliers three months ago.", "2026-08"),
    ("The licence expires in ten days.", "2026-11-28"),
    ("Hired a cook a year ago today.", "2025-11-18"),
    ("The crane comes a week from tomorrow.", "2026-11-26"),
    ("Signed with the printer last Monday.", "2026-11-16"),
    ("The inspector visits next Monday.", "2026-11-23"),
    ("Piano tuner this Friday at nine.", "2026-11-20"),
    ("Budget talk next week Thursday.", "2026-11-26"),
    ("Sales were flat last week.", "2026-11-09 to 2026-11-15"),
    ("Barn dance this weekend.", "2026-11-21 to 2026-11-22"),
    ("The fee doubles next month.", "2026-12"),
    ("Turnover fell last quarter.", "2026-07-01 to 2026-09-30"),
    ("The orchard flooded last year.", "2025"),
    ("Invoices close at the end of the month.", "2026-11-30"),
    ("The lease stops at the end of next month.", "2026-12-31"),
    ("The lease stops late next month.", "2026-12-21 to 2026-12-31"),
    ("Assembly on the second Tuesday of next month.", "2026-12-08"),
    ("The gate has been stuck since Saturday.", "2026-11-14"),
    ("Ada wants the sketches by Friday.", "2026-11-20"),
    ("We met the architect on Monday.", "2026-11-16"),
    ("The architect will call on Monday.", "2026-11-23"),
    ("Cleo left in June.", "2026-06"),
    ("The fine has to be paid on Monday.", "2026-11-23"),
]
CHINESE = [
    ("水管昨天修好了。", "2026-11-17"),
    ("前天收到样品。", "2026-11-16"),
    ("大前天开的户。", "2026-11-15"),
    ("明天搬办公室。", "2026-11-19"),
    ("后天拿体检报告。", "2026-11-20"),
    ("今早换了门锁。", "2026-11-18"),
    ("昨晚停电两小时。", "2026-11-17"),
    ("刚才客户来电确认。", "2026-11-18"),
    ("上周三签了租约。", "2026-11-11"),
    ("下周一面试设计师。", "2026-11-23"),
    ("本周五之前交稿。", "2026-11-20"),
    ("下下周装修厨房。", "2026-11-30 to 2026-12-06"),
    ("上週末去露營。", "2026-11-14 to 2026-11-15"),
    ("七天前提交的申请。", "2026-11-11"),
    ("两周后复查。", "2026-12-02"),
    ("半个月前装的宽带。", "2026-11-03"),
    ("三个月前换的轮胎。", "2026-08"),
    ("上个月水费偏高。", "2026-10"),
    ("下個月起漲價。", "2026-12"),
    ("旧证书月底失效。", "2026-11-30"),
    ("下月初试营业。", "2026-12-01 to 2026-12-10"),
    ("争取年底前上线。", "2026-12-31"),
    ("去年种的梨树开花了。", "2025"),
    ("上季度毛利下降。", "2026-07-01 to 2026-09-30"),
    ("下个月第二个周二开年会。", "2026-12-08"),
    ("体检周二做过了。", "2026-11-17"),
    ("周五要去领证。", "2026-11-20"),
    ("已回复客户，明天寄样。", "2026-11-19"),
]
OTHERS = [
    ("Gestern den Zaun gestrichen.", "2026-11-17"),
    ("Der Ofen kommt übermorgen.", "2026-11-20"),
    ("Vor fünf Tagen die Miete überwiesen.", "2026-11-13"),
    ("Letzte Woche war die Halle leer.", "2026-11-09 to 2026-11-15"),
    ("Am kommenden Samstag ist das Fest.", "2026-11-21"),
    ("Ayer pintamos la valla con Lola.", "2026-11-17"),
    ("Hace cuatro días llegó el horno.", "2026-11-14"),
    ("El mes que viene abre la tienda.", "2026-12"),
    ("Hier le plombier est venu chez nous.", "2026-11-17"),
    ("Il y a cinq jours le four est arrivé.", "2026-11-13"),
    ("Le loyer augmente le mois prochain.", "2026-12"),
    ("Ontem o portão foi pintado.", "2026-11-17"),
    ("A loja abre depois de amanhã.", "2026-11-20"),
    ("Вчера покрасили забор.", "2026-11-17"),
    ("Пять дней назад привезли печь.", "2026-11-13"),
    ("На следующей неделе отпуск.", "2026-11-23 to 2026-11-29"),
    ("昨日、塀を塗りました。", "2026-11-17"),
    ("来週の火曜日に窯が届く。", "2026-11-24"),
    ("五日前に家賃を払った。", "2026-11-13"),
    ("어제 울타리를 칠했다.", "2026-11-17"),
    ("다음 주 화요일에 가마가 온다.", "2026-11-24"),
    ("5일 전에 월세를 냈다.", "2026-11-13"),
]


@pytest.mark.parametrize(("text", "value"), ENGLISH + CHINESE + OTHERS)
def test_a_relative_date_is_resolved_against_the_day_of_its_note(text: str, value: str) -> None:
    assert values(text, WEDNESDAY) == [value]


LEFT_ALONE = [
    "以后浇水就在周三",
    # what returns
    "Compost goes out every Wednesday.",
    "The studio is shut on Tuesdays.",
    "Nothing may be booked on Thursday evenings.",
    "Choir practice is the first Friday of the month.",
    "Every month we bill for last month.",
    "Every morning read the log of yesterday.",
    "每天早上看昨天的日志。",
    "Rent is due on the 5th.",
    "每周三轮到我做饭。",
    "每月报下月的计划。",
    "房租月底交。",
    "Mittwochs ist die Küche zu.",
    "Los martes no hay clase.",
    "По вторникам музей закрыт.",
    "毎週水曜は資源ごみ。",
    "매주 수요일 회의.",
    # rules and habits
    "Never ship on a Friday.",
    "Never promise for tomorrow what needs two days.",
    "Send the reminder the day before a launch.",
    "If the alarm rings on Sunday, call Bo.",
    "规定周五不发布。",
    # other people's words, titles, names
    'The sign said "back tomorrow".',
    "Karl wrote: I arrive tomorrow",
    'The note read "I shall be\nthere tomorrow" and no more.',
    "Ihr Zettel: „Komme morgen wieder.“",
    "纸条上写着“明天见”。",
    "在读《昨日的世界》。",
    "转发：明天全楼停水。",
    "「明日休み」と書いてあった。",
    "> the parcel came yesterday",
    "She hosts the Today Show.",
    "The keywords today and tomorrow are parsed too.",
    "关键词包括今天和昨天。",
    "We played at Friday Bar.",
    "Listened to Yesterday twice.",
    # lengths of time and idioms
    "Soak the beans for 3 days.",
    "The strike was two weeks long.",
    "Fourth outage in nine days.",
    "Vierter Ausfall in neun Tagen.",
    "We rode that bus back in the day.",
    "One day we will sail.",
    "It feels like just yesterday.",
    "Nobody writes letters these days.",
    "冷藏两天再用。",
    "后天性过敏。",
    "说明天气影响销量。",
    # vague, or read differently by different people
    "We talked recently.",
    "More than two weeks ago.",
    "Lunch next Friday.",
    "Lunch on Thursday.",
    "The fine is paid on Thursday.",
    "最近有点忙。",
    "前几天下过雨。",
    # dated already, or by another day
    "Closed yesterday (2026-11-17).",
    "Workshop on Friday, 4 December.",
    "2026-11-02: the pipe burst yesterday",
    "租约到 2031 年底。",
    # code, paths, addresses
    "Call `yesterday()` first.",
    "See notes/yesterday.md for more.",
    "https://example.org/last/week today-list",
    "```\ntoday\n```",
]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_means_no_certain_day_is_left_alone(text: str) -> None:
    assert find_dates(text, WEDNESDAY) == ()
    assert absolute(text, WEDNESDAY) == text


@pytest.mark.parametrize(
    ("text", "at", "value"),
    [
        ("We ate late last night.", time(0, 40), ["2026-03-14"]),
        ("We ate late last night.", time(9, 0), ["2026-03-14"]),
        ("Tonight we watched the eclipse.", time(0, 40), ["2026-03-14"]),
        ("Tonight we watched the eclipse.", time(22, 0), ["2026-03-15"]),
        ("Tonight we will watch the eclipse.", time(0, 40), ["2026-03-15"]),
        ("Eclipse tonight.", time(0, 40), []),  # the one that was, or the one to come?
        ("昨晚看了月食。", time(0, 40), ["2026-03-14"]),
        ("今晚看了月食，刚到家。", time(0, 40), ["2026-03-14"]),
        ("The lift stopped an hour ago.", time(0, 20), ["2026-03-14"]),
        ("The lift stopped an hour ago.", None, []),
    ],
)
def test_after_midnight_the_evening_belongs_to_the_day_before(text: str, at: time | None, value: list[str]) -> None:
    assert values(text, SUNDAY, at) == value


def test_hours_are_counted_across_a_change_of_clocks() -> None:
    berlin, spring = ZoneInfo("Europe/Berlin"), date(2026, 3, 29)  # 02:00 became 03:00

    found = find_dates("The lift stopped 3 hours ago.", spring, time=time(3, 30), zone=berlin)

    assert [dated.value for dated in found] == ["2026-03-28"]


@pytest.mark.parametrize(
    ("text", "day", "value"),
    [
        ("yesterday", date(2026, 1, 1), "2025-12-31"),
        ("yesterday", date(2024, 3, 1), "2024-02-29"),
        ("yesterday", date(2026, 3, 1), "2026-02-28"),
        ("tomorrow", date(2026, 12, 31), "2027-01-01"),
        ("end of the month", date(2024, 2, 3), "2024-02-29"),
        ("last month", date(2026, 1, 31), "2025-12"),
        ("next month", date(2026, 1, 31), "2026-02"),
        ("last quarter", date(2026, 2, 1), "2025-10-01 to 2025-12-31"),
        ("this week", date(2026, 12, 31), "2026-12-28 to 2027-01-03"),
        ("a year ago today", date(2024, 2, 28), "2023-02-28"),
    ],
)
def test_years_months_and_leap_days_end_where_they_end(text: str, day: date, value: str) -> None:
    assert values(text, day) == [value]


def test_a_day_that_does_not_exist_is_not_invented() -> None:
    assert values("a year ago today", date(2024, 2, 29)) == []
    assert values("yesterday", date.min) == []
    assert values("next year", date.max) == []


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Yesterday we chose Postgres.", "On 2026-03-14 we chose Postgres."),
        ("We chose it yesterday.", "We chose it on 2026-03-14."),
        ("The pump came on yesterday.", "The pump came on on 2026-03-14."),
        ("Open since yesterday.", "Open since 2026-03-14."),
        ("Yesterday: quiet.", "2026-03-14: quiet."),
        ("## Yesterday", "## 2026-03-14"),
        ("| yesterday | 12 ms |", "| 2026-03-14 | 12 ms |"),
        ("Due: tomorrow", "Due: 2026-03-16"),
        ("We agreed on Tuesday to meet on Friday.", "We agreed on 2026-03-10 to meet on Friday."),
        ("Yesterday's call was long.", "The 2026-03-14 call was long."),
        ("It rained yesterday evening.", "It rained on the evening of 2026-03-14."),
        ("The rent rises next month.", "The rent rises in 2026-04."),
        ("Last week it snowed.", "In the week 2026-03-02 to 2026-03-08 it snowed."),
        ("Parking is free from next week.", "Parking is free from 2026-03-16."),
        ("- [ ] call Bo tomorrow at 9:00", "- [ ] call Bo on 2026-03-16 at 9:00"),
        ("我们昨天定了方案。", "我们2026-03-14定了方案。"),
        ("昨晚下雨。", "2026-03-14晚上下雨。"),
        ("Bo昨天来过。", "Bo 2026-03-14来过。"),
        ("从下周起涨价。", "从2026-03-16起涨价。"),
        ("上周收到3封信。", "2026-03-02至2026-03-08收到3封信。"),
        ("Der Strom ist seit gestern morgen weg.", "Der Strom ist seit Morgen des 2026-03-14 weg."),
        ("Gestern war Markt.", "Am 2026-03-14 war Markt."),
        ("Abierto desde ayer en la plaza.", "Abierto desde 2026-03-14 en la plaza."),
        ("Le livreur de ce matin est parti.", "Le livreur du matin du 2026-03-15 est parti."),
    ],
)
def test_the_date_is_written_as_its_sentence_wants_it(text: str, written: str) -> None:
    assert absolute(text, SUNDAY) == written


def test_a_line_of_thousands_of_phrases_does_not_cost_their_square() -> None:
    begun = process_time()

    assert len(find_dates("yesterday " * 2000, SUNDAY)) == 2000
    assert process_time() - begun < 10  # a second or two; minutes when each phrase reads the whole line


def test_places_are_those_of_the_whole_text() -> None:
    text = "# Notes\n\n- 昨天 shipped v2\n- and tomorrow v3"

    found = find_dates(text, SUNDAY)

    assert (
        [text[dated.start : dated.end] for dated in found] == [dated.phrase for dated in found] == ["昨天", "tomorrow"]
    )


SCRAPS = st.lists(
    st.sampled_from(
        [text for text, _ in ENGLISH + CHINESE + OTHERS]
        + LEFT_ALONE
        + ["yesterday", "昨天", "next week", '"', "`", "\n", " ", "2026-11-17"]
    )
    | st.text(max_size=6),
    max_size=5,
).map(" ".join)
DAYS = st.dates(date(1990, 1, 1), date(2090, 12, 31))
TIMES = st.none() | st.times()


@given(SCRAPS, DAYS, TIMES)
def test_writing_dates_out_twice_is_writing_them_once(text: str, day: date, at: time | None) -> None:
    once = absolute(text, day, time=at)

    assert absolute(once, day, time=at) == once


@given(st.text(alphabet="bcfgjkpqvxz 0123456789.,:-()*#%的和很", max_size=60), DAYS)
def test_a_text_without_a_date_word_is_never_touched(text: str, day: date) -> None:
    assert absolute(text, day) == text


@given(
    st.sampled_from(["yesterday", "three days ago", "the day after tomorrow", "昨天", "五天前", "vorgestern", "어제"]),
    DAYS,
    st.integers(-400, 400),
)
def test_days_move_with_the_day_of_the_note(text: str, day: date, shift: int) -> None:
    (here,), (there,) = find_dates(text, day), find_dates(text, day + timedelta(days=shift))

    assert there.first - here.first == timedelta(days=shift)


@given(
    st.sampled_from([text for text, _ in ENGLISH + CHINESE]),
    st.sampled_from(["`{}`", '"{}"', "“{}”", "「{}」", "«{}»", "```\n{}\n```"]),
)
def test_quotations_and_code_are_never_touched(text: str, fence: str) -> None:
    assert find_dates(fence.format(text), WEDNESDAY) == ()


@given(SCRAPS, DAYS)
def test_found_days_are_in_order_and_inside_the_text(text: str, day: date) -> None:
    found = find_dates(text, day)

    assert all(dated.first <= dated.last and text[dated.start : dated.end] == dated.phrase for dated in found)
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_a_weekday_that_holds_from_now_on_stays_a_weekday() -> None:
    assert absolute("读书会从今天起改成周二晚上八点", date(2026, 10, 12)) == "读书会从2026-10-12起改成周二晚上八点"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_of_a_language_file_can_be_read(language: str) -> None:
    assert len(rules(language)) == len(table(language, "dates")["rules"])


@pytest.mark.parametrize("text", ["二九分钟前到家", "五四日前に届いた", "四三年前今天"])
def test_signs_of_digits_without_a_ten_are_no_number(text: str) -> None:
    assert values(text, WEDNESDAY, time(14)) == []
