"""Days in a text: what means a certain day becomes that day; what recurs, is quoted or can be read in two ways stays."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.text.days import ended_on, find, named_days, written_out

WEDNESDAY, SUNDAY = date(2026, 11, 18), date(2026, 3, 15)
# fmt: off
RESOLVED = [
    ("The dishwasher arrived yesterday.", "2026-11-17"), ("Handed over the keys the day before yesterday.", "2026-11-16"),
    ("Kiln firing tomorrow, bring gloves.", "2026-11-19"), ("The tiler starts the day after tomorrow.", "2026-11-20"),
    ("Swapped the fuse this morning.", "2026-11-18"), ("The pump failed last night.", "2026-11-17"), ("Rehearsal tonight.", "2026-11-18"),
    ("Rotated the key 9 days ago.", "2026-11-09"), ("Adopted the dog two weeks ago.", "2026-11-04"), ("We moved three months ago.", "2026-08"),
    ("The oven is back in ten days.", "2026-11-28"), ("Signed with the printer last Monday.", "2026-11-16"), ("The inspector comes next Monday.", "2026-11-23"),
    ("Piano tuner this Friday at nine.", "2026-11-20"), ("Budget talk next week Thursday.", "2026-11-26"), ("Budget talk on Thursday next week.", "2026-11-26"),
    ("Sales were flat last week.", "2026-11-09 to 2026-11-15"), ("Barn dance this weekend.", "2026-11-21 to 2026-11-22"), ("The fee doubles next month.", "2026-12"),
    ("Turnover fell last quarter.", "2026-07-01 to 2026-09-30"), ("The orchard flooded last year.", "2025"), ("It closes at the end of the month.", "2026-11-30"),
    ("水管昨天修好了。", "2026-11-17"), ("大前天开的户。", "2026-11-15"), ("后天拿体检报告。", "2026-11-20"), ("今早换了门锁。", "2026-11-18"), ("刚才客户来电确认。", "2026-11-18"),
    ("上周三签了租约。", "2026-11-11"), ("下周一到岗。", "2026-11-23"), ("本周五之前交稿。", "2026-11-20"), ("下下周装修厨房。", "2026-11-30 to 2026-12-06"),
    ("上週末去露營。", "2026-11-14 to 2026-11-15"), ("十五天前提交的申请。", "2026-11-03"), ("两周后复查。", "2026-12-02"), ("三个月前换的轮胎。", "2026-08"),
    ("上个月水费偏高。", "2026-10"), ("旧证书月底失效。", "2026-11-30"), ("去年种的梨树开花了。", "2025"), ("从今天起周会改成周二。", "2026-11-18"),
]
STAYS = [
    # what recurs, before the phrase or behind it
    "Check tomorrow's weather each evening", "The digest shows yesterday's numbers every morning", "Standup template: yesterday / today / blockers",
    "The report always covers last week", "Every month we bill for last month.", "Each night, copy what came today.", "Mondays: plan the week, go through last week.",
    "If it fails today, call Bo.", "Never promise for tomorrow what needs two days.", "Read the log of yesterday\nevery morning.", "Rule: today comes first.",
    "日报里写昨天完成的事和今天的计划", "今天的事今天做完是他的原则", "每天早上看昨天的日志。", "每月报下月的计划。", "一律明天再回", "逢下雨明天就不浇水", "登录30天后需要重新验证", "日志30天后自动删除", "房租月底交。",
    # others' words, names, titles, words as words
    'The sign said "back tomorrow".', "Karl wrote: I arrive tomorrow", 'The note read "I shall be\nthere tomorrow" and no more.', "> the parcel came yesterday",
    "Ihr Zettel: „Back tomorrow“", "She hosts the Today Show.", "Listened to Yesterday twice.", "The keywords today and tomorrow are parsed too.",
    "纸条上写着“明天见”。", "在读《昨天的世界》。", "转发：明天全楼停水。", "明天系列产品线", "关键词包括今天和昨天。",
    # code, paths, addresses
    "Call `yesterday()` first.", "See notes/yesterday.md for more.", "https://example.org/today", "```\ntoday\n```", "[today](today.md)", "<!-- today -->", "set start=today", "run today(1)",
    # vague, or read differently by different people
    "Lunch next Friday.", "Lunch on Thursday.", "We met on Monday.", "Ada wants it by Friday.", "More than two weeks ago.", "Two or three days ago.", "A week ago Friday.", "A year ago today.",
    "Fourth outage in nine days.", "Invoices are due in 30 days.", "Early next month.", "Growth in the last quarter.", "Maybe sometime next year.", "It feels like just yesterday.",
    "Yesterday's call was long.", "The today list is long.", "Soak the beans for 3 days.", "Nobody writes letters these days.", "最近有点忙。", "前几天下过雨。", "体检周二做过了。",
    "下月5号交房。", "一年前的今天拿到驾照。", "三天后他回来了。", "以后天气会好。", "说明天气影响销量。", "后天性过敏。", "下周三和周四培训。", "二九天前",
    # dated beside it, or by another day
    "Closed yesterday (2026-11-17).", "Shut today, 18.11.", "2026-11-02: the pipe burst yesterday", "- 2026-11-02 昨天漏水",
]
WRITTEN = [
    ("We chose it yesterday.", "We chose it on 2026-03-14."), ("Yesterday we chose Postgres.", "On 2026-03-14 we chose Postgres."), ("Done. Tomorrow we rest.", "Done. On 2026-03-16 we rest."),
    ("Open since yesterday.", "Open since 2026-03-14."), ("Send it by tomorrow.", "Send it by 2026-03-16."), ("as of today, 5 EUR", "as of 2026-03-15, 5 EUR"), ("Due: tomorrow", "Due: 2026-03-16"),
    ("## Yesterday", "## 2026-03-14"), ("| yesterday | 12 ms |", "| 2026-03-14 | 12 ms |"), ("- [ ] call Bo tomorrow at 9:00", "- [ ] call Bo on 2026-03-16 at 9:00"),
    ("Sick yesterday and today.", "Sick on 2026-03-14 and 2026-03-15."), ("It rained yesterday evening.", "It rained on the evening of 2026-03-14."), ("Away until tonight.", "Away until the evening of 2026-03-15."),
    ("Fixed. Today was long.", "Fixed. 2026-03-15 was long."), ("The pump came on yesterday.", "The pump came on yesterday."), ("Bo comes on Friday next week.", "Bo comes on 2026-03-20."),
    ("Last week it snowed.", "In the week of 2026-03-02 it snowed."), ("Free from next week.", "Free from the week of 2026-03-16."), ("The rent rises next month.", "The rent rises in 2026-04."),
    ("It rained two weeks ago.", "It rained around 2026-03-01."), ("It ends at the end of next month.", "It ends at the end of 2026-04."), ("Sales fell last quarter.", "Sales fell last quarter."),
    ("我们昨天定了方案。", "我们2026-03-14定了方案。"), ("昨晚下雨。", "2026-03-14晚上下雨。"), ("Bo昨天3点来过。", "Bo 2026-03-14 3点来过。"), ("上周收到3封信。", "2026-03-02那周收到3封信。"),
    ("两周前搬的", "2026-03-01左右搬的"), ("上个月涨价", "2026年2月涨价"), ("旧的月底失效", "旧的2026年3月底失效"), ("去年买的", "2025年买的"),
]
DAYS = [
    ("2026-03-14, 2026/3/14, 14.03.2026, 14 March 2026, March 14, 2026, 14th of March 2026, Mar 14 2026, 2026年3月14日", [date(2026, 3, 14)] * 8),
    ("14. März 2026, 14 mars 2026, 14 de marzo de 2026", [date(2026, 3, 14)] * 3), ("03/04/2026", [date(2026, 4, 3)]), ("25/12/2026", [date(2026, 12, 25)]),
    ("March 2026, 2026-03, 2026年3月, marzo de 2026", [date(2026, 3, 31)] * 4), ("Feb 2028", [date(2028, 2, 29)]), ("5 March, 31.02.2026, 12.5, 2026, v1.2.2026.3, 192.168.20.26", []),
]
ENDS = [
    "Trial of the transcription service runs until 2026-02-28", "Corridor closed for painting until 28 February 2026", "Voucher for the pottery course, valid until Feb 28, 2026",
    "Probeabo der Zeitung bis 28.02.2026", "Elternzeit von Kai bis zum 28. Februar 2026", "Der Hof ist bis 28.02.2026 gesperrt", "Gutschein gültig bis Februar 2026",
    "Essai gratuit jusqu'au 28 février 2026", "Museo cerrado hasta el 28 de febrero de 2026", "健身房优惠到2026年2月28日", "冰场租期到 2026-02-28 为止", "合同2026年2月28日到期", "报名截止：2026-02-28",
    "证书有效期至2026年2月28日", "Until 2026-02-28 we use the temporary gate", "Passport expires 2026-02-28", "The lease ends on 28 February 2026.", "Tax deadline: 2026-02-28",
    "Library book due 2026-02-28 <!-- dream:a3f8c201 -->", "Parking permit through 28 February 2026", "The flat is rented to Kim (valid until 2026-02-28)", "Voucher until 28/02/2026 18:00",
]
HOLDS = [
    "Lived in the yellow house until 2019-05-01", "Ada lived in Bern until 2019-05-01", "The bakery was closed until 2026-02-28", "Kim rented the flat until 2026-02-28", "Er wohnte bis 28.02.2026 dort",
    "2026-02-01: trial agreed until 2026-02-28", "Trial until 2026-02-28, then the yearly plan from 2026-06-01 on", "Phone plan: discount until 2026-02-28, afterwards 24 EUR",
    "Phone plan: discount until 2026-02-28 then the full price", "Archive server valid until 2026-02-28; backups move to vault3", "Hof A gesperrt bis 28.02.2026, danach Hof B",
    "Hof A gesperrt bis 28.02.2026, ab da Hof B nutzen", "会员优惠到2026年2月28日，以后原价", "会员优惠到2026年2月28日之后原价", "Until 2026-02-28 reduced to 12 EUR then 20 EUR",
    "Ada lives in Bern; her parking permit is valid until 2026-02-28", "The proxy listens on 8443, certificate valid until 2026-02-28", "Ada: room 12, desk 4 (until 2026-02-28)",
    "Not valid until 2026-02-28", "Kein Zutritt bis 28.02.2026", "会议推迟到2026-02-28", "Is it free until 2026-02-28?", "Trial until the end of winter", "Bought the bike on 2026-02-28",
    "Open from 2026-02-28 on", "📌 Voucher valid until 2026-02-28", "Safe until 31.02.2026", "At least until 2026-02-28", "Renewed through 2026-02-28", "工程到2026年2月28日结束了", "Until 2026-02-28 A is open, B is shut",
]
# fmt: on


@pytest.mark.parametrize(("text", "value"), RESOLVED)
def test_a_phrase_that_means_a_certain_day_is_found(text: str, value: str) -> None:
    assert [found.value for found in find(text, WEDNESDAY)] == [value]


@pytest.mark.parametrize("text", STAYS)
def test_what_recurs_is_quoted_or_unsure_stays(text: str) -> None:
    assert find(text, WEDNESDAY) == [] and written_out(text, WEDNESDAY) == text


@pytest.mark.parametrize(("text", "written"), WRITTEN)
def test_a_day_is_written_as_its_sentence_wants_it(text: str, written: str) -> None:
    assert written_out(text, SUNDAY) == written


def test_a_day_that_does_not_exist_is_not_invented() -> None:
    assert find("yesterday", date.min) == find("next year", date.max) == []
    assert [found.value for found in find("last month", date(2026, 1, 31))] == ["2025-12"]


@pytest.mark.parametrize(("text", "days"), DAYS)
def test_calendar_days_are_read_in_their_common_forms(text: str, days: list[date]) -> None:
    assert named_days(text) == days


@pytest.mark.parametrize("line", ENDS)
def test_a_line_that_its_own_last_day_closes_or_opens_has_ended(line: str) -> None:
    assert ended_on(line) == date(2026, 2, 28)


@pytest.mark.parametrize("line", HOLDS)
def test_a_line_of_which_something_may_hold_has_not_ended(line: str) -> None:
    assert ended_on(line) is None


@pytest.mark.parametrize("scrap", ["yesterday ", "2026-03-14 ", "[[", "`a ``", '"', "](", "<a", " ", "1. ", "下个"])  # fmt: skip
def test_a_line_of_a_megabyte_takes_seconds(scrap: str) -> None:
    line, begun = scrap * (1_000_000 // len(scrap)), process_time()

    assert len(written_out(line, SUNDAY)) + len(named_days(line)) and ended_on(line) is None
    assert process_time() - begun < 20  # two or three; hours when each phrase reads its whole line


SCRAPS = st.sampled_from(
    [text for text, _ in RESOLVED + WRITTEN] + STAYS + ENDS + ["yesterday", "昨天", '"', "`", "\n"]
)
TEXTS = st.lists(SCRAPS | st.text(max_size=6), max_size=5).map(" ".join)


@given(TEXTS, st.dates())
def test_the_text_outside_the_phrases_survives(text: str, day: date) -> None:
    found, written = find(text, day), written_out(text, day)

    assert all(one.first <= one.last and one.value for one in found) and all(
        a.end <= b.start for a, b in pairwise(found)
    )
    assert named_days(text) is not None and written_out(written, day) == written
    past = 0
    for one in found:
        kept, past = text[past : one.start], one.end
        assert kept in written
        written = written[written.index(kept) + len(kept) :]
    assert written.endswith(text[past:])
