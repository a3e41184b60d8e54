"""What a new line does to an old one. Look-alikes that are both true are never touched: that is the first test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reverie.phases.again import repeats
from reverie.phases.near import Near
from reverie.phases.relate import AGAIN, ENDS, UPDATES, relation

NOTHING = dict.fromkeys(
    ("same", "richer", "update", "correction", "retraction", "done", "coexist", "unsure", "unrelated"), 0.1
)

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
    ("**Pump port:** 12 on the old board", "**Pump port:** 31"),
    ("**Stall fee:** 45 euros, due on Fridays", "The stall fee is 52 euros as of March"),
    ("**Vet:** Dr. Moss, mill lane", "Dr. Moss closed the practice, the goats are seen by Dr. Lark now"),
    ("The choir sings from Quill, bought in June", "The choir sings from Nib from now on, Quill is cancelled"),
    ("**浇水：** 周二 6:00 开", "浇水改在周四 7:30 开"),
    ("**Tierarzt:** Dr. Moos, am Anger", "Dr. Moos schließt zum Herbst, um die Ziegen kümmert sich künftig Dr. Lerche"),
    ("**Weaving club:** Tuesdays 19:00", "Weaving club: on Wednesdays 18:30 from next week"),
    ("**Boiler:** runs on oil, tank in the shed", "Boiler runs on pellets now, the oil tank is scrapped"),
    (
        "**Accounts:** Ottilie at Brinkmann files them each quarter",
        "Ottilie has left; Ruben Falk does the accounts as of this month",
    ),
    ("**包装费：** 满 60 元免（不含玻璃）", "算过成本，从 12 号起满 80 才免包装费"),
    ("**Build box:** `fern38`, py3.8, glazer 2.1", "Build box rebuilt as `fern311`, glazer 2.6; the old one is gone"),
    (
        "Odo (bass): rehearsal every Monday 18:00",
        "Odo can't do Mondays any more. Wednesdays at 19:30 suit everybody, Odo too",
    ),
    ("**Scope:** 75 %, four mornings a week", "Papers came through: Ada works 60 % since today, three mornings a week"),
]
OVER = [
    ("Kiln repair: waiting for the part.", "The kiln repair is finished, the part arrived on Tuesday."),
    ("Blue van: trial until spring, in progress.", "The blue van trial is cancelled for good."),
    ("大棚改建方案：进行中", "大棚改建方案定稿，这件事结束"),
    ("Streit mit Jonte um den Zaun, noch ungeklärt.", "Streit mit Jonte ist geklärt: der Zaun bleibt."),
    ("Seed trays: 30 ordered, not arrived yet.", "Seed trays arrived, 30 pieces, behind the door."),
    ("Gutter swap: roofer comes on 2026-02-03.", "The roofer swapped the gutter this morning, done."),
    ("Lamp `porch` is offline, to be replaced.", "Nuno took the porch lamp down for good."),
    ("Edda plays the horn on Thursdays.", "Edda has given up the horn"),
]


def near(old: str, new: str, cosine: float = 0.6, anchors: int = 3) -> Near:
    return Near(old, new, NOTHING, cosine, anchors, 0.5, 0.6)


@pytest.mark.parametrize(("old", "new"), BOTH_TRUE)
def test_look_alikes_are_both_true(old: str, new: str) -> None:
    assert relation(near(old, new))[0] == ""


@pytest.mark.parametrize(("old", "new"), OTHERWISE)
def test_another_value_for_good_updates(old: str, new: str) -> None:
    assert relation(near(old, new))[0] == UPDATES


@pytest.mark.parametrize(("old", "new"), OVER)
def test_what_was_open_can_end(old: str, new: str) -> None:
    assert relation(near(old, new))[0] == ENDS


def test_a_trial_an_offer_and_a_doubt_change_nothing() -> None:
    for new in ("**Price:** 11 on trial", "**Price:** the offer says 11", "**Price:** maybe 11, nobody knows"):
        assert relation(near("**Price:** 12", new))[0] == ""


def test_history_is_never_made_untrue() -> None:
    assert relation(near("2025-03: first customer paid 9 euros", "The customer pays 12 euros from now on"))[0] == ""


def test_the_same_again_is_the_same() -> None:
    assert relation(near("Marta is allergic to hazelnuts", "**Marta** is allergic to hazelnuts."))[0] == AGAIN
    assert relation(near("no bells before noon for Odo", "before noon again: no bells for Odo"))[0] == AGAIN


def test_what_is_only_planned_or_done_by_somebody_ends_nothing() -> None:
    for new in ("Exam piece in maple, to be handed in on 11 May.", "The exam piece is done by Ruan and Ilse together."):
        assert relation(near("- [ ] Exam piece in maple, to be handed in on 11 May", new))[0] != ENDS


@pytest.mark.parametrize(
    ("first", "later", "repeated"),
    [
        ("Rule: hives are opened by Odo only, never in rain.", "Odo again: the hives are opened by him only.", True),
        ("Rule: hives are opened by Odo only, never in rain.", "The hives by the brook stay closed.", False),
        ("Invoices go to Odo by mail on the last Friday.", "Receipts go to Odo by mail on the last Friday.", False),
        ("The plum jam goes to the fair in 200 g jars.", "The plum jam goes to the fair in 400 g jars.", False),
    ],
)
def test_of_two_new_lines_the_one_that_repeats_is_dropped(first: str, later: str, repeated: bool) -> None:
    assert repeats(Near(first, later, NOTHING, 0.6, 4, 0.6, 0.5 if repeated or "Odo" in later else 0.2)) is repeated


WAITING = [
    ("Hall booking with the council", "Council letter came: the hall is ours on the 4th", ENDS),
    ("Second-hand loom, up to 300", "Fetched the loom from Odo, 260, it stands in the shed", ENDS),
    ("Dachluke klemmt, Odo wollte schauen", "Odo war da, die Dachluke ist wieder dicht", ENDS),
    ("窑炉的保险丝，等师傅", "师傅来过，窑炉的保险丝换好", ENDS),
    ("Hall booking with the council", "Council letter about the hall is still missing", ""),
    ("Second-hand loom, up to 300", "Nobody came about the loom", ""),
    ("Dishwasher: claim with the shop", "The dishwasher man came with the wrong part", ""),
    ("窑炉的保险丝", "师傅来过，窑炉的保险丝又跳了", ""),
]


@pytest.mark.parametrize(("old", "new", "what"), WAITING)
def test_among_open_matters_less_is_needed_to_end_one(old: str, new: str, what: str) -> None:
    near = Near(old, new, NOTHING, 0.45, 2, 0.4, 0.4)

    assert relation(replace(near, open=True))[0] == what
    assert relation(near)[0] in ("", what)
