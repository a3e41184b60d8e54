"""What a newer line is to an older one, by form alone, and which later statement changes an earlier one."""

from __future__ import annotations

import pytest

from reverie.judge.relation import Later, Relation, RelationKind, handles, key_of, relation
from reverie.workspace.values import Statement, stated

BOTH_TRUE = [
    ("The north field gets barley.", "The south field gets barley."),
    ("Orla lent Finn 200 euros.", "Finn lent Orla 200 euros."),
    ("**Summer hours:** 07:30-19:00", "**Winter hours:** 09:00-16:00"),
    ("The kiln runs at 900 degrees.", "The oven runs at 220 degrees."),
    ("Greta likes black tea.", "Greta does not like black tea with milk."),
    ("大棚的水泵是 3 千瓦。", "鱼塘的水泵是 5 千瓦。"),
    ("Ferry to the island 12 per head", "Ferry from the island 9 per head"),
    ("Correction: the invoice costs 21 EUR, not 24", "Correction: the greenhouse costs 7 EUR, not 10"),
    ("The blue stall costs 40 euros a day.", "The green stall costs 55 euros a day from now on."),
    ("Decision: Yuki looks after the invoices", "Decision: Sunniva looks after the kiln from now on"),
    ("**Lesson:** water the ferns in the evening", "**Lesson:** oil the hinges now, before winter"),
    ("决定：发票归小雨管", "决定：窑从今天起归阿诺管"),
    ("Books read: The Long Quay", "Books read: Two Lamps"),
    ("Planted quinces in March.", "Planted quinces in October."),
    ("**Loom:** 8 shafts, 1.2 m wide; **wheel:** oak", "Wool for the loom: 40 % spun, not moved yet (3 m)"),
    ("**Ferrol Seeds:** no postage above 50 €", "Ferrol Seeds is out of leeks until the 12th."),
    ("Sunniva — looks after the goats and the fences", "Sunniva: the shed door is gone for good"),
    ("Sunniva: looks after the goats", 'Sunniva: "from today nobody feeds them but me"'),
    ("**Choir:** Thursdays 19:30, parish hall", "Choir: Odo asked about the trip, we are not going any more"),
    ("Odo: bass, drives the van", "Odo: ill today"),
    ("**开馆：** 展厅 9:00–17:00，周一闭馆", "有位客人把展厅里最后一幅画也买走了，所以要先把网上的撤下来"),
    ("韩师傅 — 修琴，只收现金", "韩师傅: 这批木料以后不进了"),
    ("**Accounts:** Ottilie files them each quarter", "Ottilie asked for the accounts folder"),
    ("**包装费：** 满 60 元免", "玻璃器皿满 80 件要两个人打包"),
    (
        "Odo (bass): rehearsal every Monday 18:00",
        "Brass rehearsal is not on Mondays, it is Wednesdays at 19:30 as ever",
    ),
]
OTHERWISE = [
    ("**Pump port:** 12, on the old board", "**Pump port:** 31", ("12", "31")),
    ("Stall fee: 45 EUR, due on Fridays", "Stall fee: 52 EUR", ("45 EUR", "52 EUR")),
    ("The kiln runs at 900 degrees.", "The kiln runs at 940 degrees.", ("900 degrees", "940 degrees")),
    ("大棚的水泵是 3 千瓦。", "大棚的水泵是 5 千瓦。", ("3 千瓦", "5 千瓦")),
    ("窑炉监听端口 4010", "窑炉监听端口 4600", ("4010", "4600")),
    ("Stall fee: 240 euro, warm", "Stall fee: 260 €", ("240 euro", "260 €")),
    ("**Press port:** 4010 on the old board", "**Press port:** 4600", ("4010", "4600")),
    ("| Stall | 240 EUR | corner |", "| Stall | 260 EUR | corner |", ("240 EUR", "260 EUR")),
    ("| Stall | 240 EUR | corner |", "Stall: 260 EUR", ("240 EUR", "260 EUR")),
    ("Stall — 45 EUR, due on Fridays", "Stall (52 EUR)", ("45 EUR", "52 EUR")),
    ("The kiln runs at 900 degrees.", "Now the kiln runs at 940 degrees.", ("900 degrees", "940 degrees")),
]
NAMES = [
    ("Room 5: glazes", "Room 6: glazes"),
    ("房间 5：釉料", "房间 6：釉料"),
    ("Under-12s throw on wheel 2.", "Under-14s throw on wheel 2."),
    ("| Stall | 240 EUR | corner |", "| Stall | 260 EUR | gate |"),
    ("Stall fee: 240 euro", "Stall fee: $260"),
    ("Send the bowls to Orla weekly.", "Send the bowls from Orla weekly."),
]


@pytest.mark.parametrize(("old", "new"), BOTH_TRUE)
def test_look_alikes_are_both_true(old: str, new: str) -> None:
    assert relation(old, new).kind is RelationKind.OTHER


@pytest.mark.parametrize(("old", "new", "swap"), OTHERWISE)
def test_another_value_of_the_same_type_in_the_same_place_is_an_update(
    old: str, new: str, swap: tuple[str, str]
) -> None:
    found = relation(old, new)

    assert (found.kind, (found.old, found.new)) == (RelationKind.UPDATE, swap)


@pytest.mark.parametrize(("old", "new"), NAMES)
def test_a_number_that_names_a_thing_is_no_value_of_it(old: str, new: str) -> None:
    assert relation(old, new).kind is RelationKind.OTHER


@pytest.mark.parametrize(("old", "new", "swap"), OTHERWISE)
def test_what_is_related_shares_a_handle(old: str, new: str, swap: tuple[str, str]) -> None:
    assert handles(old) & handles(new), swap


def test_two_values_that_differ_are_no_update_nobody_knows_which_one_moved() -> None:
    assert (
        relation("The ferry takes 40 cars in 25 minutes", "The ferry takes 60 cars in 35 minutes").kind
        is RelationKind.OTHER
    )


def test_the_same_words_are_the_same_whatever_their_markup_says() -> None:
    assert relation("Marta is allergic to hazelnuts", "**Marta** is allergic to hazelnuts.") == Relation(
        RelationKind.SAME
    )


def test_a_not_more_turns_a_line_and_updates_nothing() -> None:
    assert relation("Greta likes black tea.", "Greta does not like black tea.").kind is not RelationKind.SAME
    assert relation("The goats get hay.", "The goats get no hay.").kind is RelationKind.TURNED


LINE = "The harbour office charges 240 euro a month"


def said(day: int, text: str, first: int = 3) -> Statement:
    return stated(f"memory/2026-11-{day:02d}.md", first, first, text, day=f"2026-11-{day:02d}")


def place(found: Statement | None) -> str:
    return str(found.source) if found else ""


def test_of_several_later_statements_the_newest_counts() -> None:
    later = Later([said(9, LINE.replace("240", "260")), said(12, LINE.replace("240", "310")), said(2, LINE)])

    assert place(later.changing(LINE, "2026-11-05")) == "memory/2026-11-12.md:3"
    assert place(later.changing(LINE, "2026-11-12")) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LINE, "Correction: the harbour office charges 310 euro a month"),
        ("**Pump port:** 12, on the old board behind the freezer", "**Pump port:** 31"),
        ("The goats get hay", "The goats get no hay"),
        ("大棚的水泵是 3 千瓦", "大棚的水泵是 5 千瓦"),
    ],
)
def test_another_value_or_a_not_changes_a_line(old: str, new: str) -> None:
    assert place(Later([said(9, new)]).changing(old, "2026-11-05")) == "memory/2026-11-09.md:3"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LINE, LINE),
        (LINE, "The harbour office was closed, so nobody charged the 240 euro"),
        ("The kiln runs at 900 degrees", "The oven runs at 220 degrees"),
        ("Orla lent Finn 200 euros", "Finn lent Orla 300 euros"),
    ],
)
def test_the_same_and_the_merely_alike_change_nothing(old: str, new: str) -> None:
    assert Later([said(9, new)]).changing(old, "2026-11-05") is None


def test_a_line_does_not_change_itself() -> None:
    newer = said(9, LINE.replace("240", "310"))

    assert Later([newer]).changing(LINE, "2026-11-05", {newer.source}) is None


def test_a_chinese_key_needs_no_blank_behind_its_colon() -> None:
    assert [key_of(text) for text in ("灌溉水泵:北河牌", "端口:8443", "早上7:40开门", "看://a", "Key:value")] == [
        "灌溉水泵", "端口", "", "", "",
    ]  # fmt: skip
    assert relation("灌溉水泵:31号", "灌溉水泵:44号") == Relation(RelationKind.UPDATE, "31号", "44号", keyed=True)


@pytest.mark.parametrize("new", ["托管费改为每月900元", "托管费涨到每月900元了"])
def test_a_sentence_without_blanks_may_gain_a_word_or_two_as_well(new: str) -> None:
    assert relation("托管费每月750元", new) == Relation(RelationKind.UPDATE, "750元", "900元")
    assert handles("托管费每月750元") & handles(new)
    assert relation("托管费每月750元", "北区托管费每月900元").kind is RelationKind.OTHER
