"""What a new line does to an old one. Look-alikes that are both true are never touched: that is the first test."""

from __future__ import annotations

import pytest

from reverie.phases.near import Near
from reverie.phases.relate import AGAIN, ENDS, UPDATES, relation

NOTHING = dict.fromkeys(
    ("same", "richer", "update", "correction", "retraction", "done", "coexist", "unsure", "unrelated"), 0.1
)

BOTH_TRUE = [
    ("The north field gets barley.", "The south field gets barley."),
    ("Orla lent Finn 200 euros.", "Finn lent Orla 200 euros."),
    ("**Weekday hours:** 07:30-18:00", "**Saturday hours:** 08:00-14:00"),
    ("The kiln runs at 900 degrees.", "The oven runs at 220 degrees."),
    ("Greta likes black tea.", "Greta does not like black tea with milk."),
    ("生产库端口是 9030。", "测试库端口是 9031。"),
    ("EN→ZH 0.12 per word", "ZH→EN 0.18 per word"),
]
OTHERWISE = [
    ("**Staging port:** 4010 on heron", "**Staging port:** 4600"),
    ("**Rent:** 890 euros, due on the third", "The rent is 935 euros as of March"),
    ("**Dentist:** Dr. Moss, market square", "Dr. Moss closed the practice, teeth are done by Dr. Lark now"),
    ("Main editor is Quill, bought in June", "Main editor is Nib from now on, Quill is cancelled"),
    ("**周报：** 周五 17:00 发", "周报改在周四 18:00 发"),
    ("**Zahnarzt:** Dr. Moos, am Markt", "Dr. Moos schließt die Praxis, Zähne macht künftig Dr. Lerche"),
]
OVER = [
    ("Kiln repair: waiting for the part.", "The kiln repair is finished, the part arrived on Tuesday."),
    ("Blue van: trial until spring, in progress.", "The blue van trial is cancelled for good."),
    ("双十二复盘报告：进行中", "双十二复盘报告定稿，这件事结束"),
    ("Streit mit Svea wegen der Dienste, noch ungeklärt.", "Streit mit Svea ist geklärt: Ostern arbeitet sie."),
]


def near(old: str, new: str, cosine: float = 0.6, anchors: int = 3) -> Near:
    return Near(old, new, NOTHING, cosine, anchors)


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
    assert relation(near("no digests on weekends for Mara", "weekends again: no digests for Mara"))[0] == AGAIN
