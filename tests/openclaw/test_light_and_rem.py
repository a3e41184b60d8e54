"""Light stages each thing once, in every language; REM asks for more than one day."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from reverie.openclaw.phases import considered, similarity, staged, truths
from reverie.openclaw.score import DEFAULT, OPENCLAW_2026_4, OPENCLAW_2026_9
from reverie.workspace.openclaw_format import PeerRecall, PeerSignal

NOW = datetime(2026, 11, 15, 3, 0, tzinfo=UTC)


def entry(key: str, snippet: str, *days: int, recalls: int = 0, score: float = 0.62) -> PeerRecall:
    said = tuple(date(2026, 11, day) for day in days or (14,))
    count = recalls or len(said)
    return PeerRecall(
        key, "memory/2026-11-14.md", 1, 1, snippet, recalls=recalls, daily=0 if recalls else count,
        total_score=score * count, days=said, last_recalled=datetime(2026, 11, said[-1].day, 20, tzinfo=UTC),
        tags=("one", "two", "three"), user_queries=tuple(f"{n:012x}" for n in range(recalls)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The hedge is cut in June.", "the hedge is cut in june"),
        ("篱笆六月修剪。", "篱笆六月修剪"),
        ("Забор красят в июне!", "забор красят в июне"),
        ("Die Hecke wird im Juni geschnitten", "die **Hecke** wird im Juni geschnitten."),
        ("생울타리는 유월에 자른다", "생울타리는 유월에 자른다."),
        ("生垣は六月に刈る。", "生垣は六月に刈る"),
    ],
)
def test_the_same_thing_is_staged_once_in_every_language(one: str, other: str) -> None:
    assert len(staged([entry("a", one), entry("b", other)], {}, DEFAULT, NOW)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The backup of the big server in the cellar runs at 02:30", "The backup of the big server in the cellar runs at 03:30"),
        ("Mira does eat the nuts that are in the green bowl at home", "Mira does not eat the nuts that are in the green bowl at home"),
        ("厨房里的那个旧冰箱现在可以正常使用了大家请放心", "厨房里的那个旧冰箱现在不可以正常使用了大家请放心"),
    ],
)  # fmt: skip
def test_a_number_or_a_negation_makes_two_facts(one: str, other: str) -> None:
    assert similarity(one, other, DEFAULT) == 0.0
    assert len(staged([entry("a", one), entry("b", other)], {}, DEFAULT, NOW)) == 2


def test_an_old_note_read_again_is_no_news() -> None:
    old = replace(entry("a", "The hedge is cut in June", 1), last_recalled=NOW)
    noted = replace(old, noted=(date(2026, 11, 1),), days=(date(2026, 11, 1), NOW.date()))

    assert staged([noted], {}, OPENCLAW_2026_9, NOW) == (noted,)
    assert staged([noted], {}, DEFAULT, NOW) == ()


def test_staged_again_only_after_something_new() -> None:
    one = entry("a", "Tea at four", recalls=1)
    seen = {"a": PeerSignal("a", 1, 0, last_light=NOW)}

    assert staged([one], seen, DEFAULT, NOW + timedelta(hours=1)) == ()
    assert staged([replace(one, last_recalled=NOW + timedelta(hours=1))], seen, DEFAULT, NOW + timedelta(hours=2))


def test_rem_looks_first_at_what_light_staged() -> None:
    new, old = entry("a", "Tea at four"), entry("b", "The hedge is cut in June")
    signals = {"a": PeerSignal("a", 1, 0, last_light=NOW), "b": PeerSignal("b", 1, 1, NOW, NOW)}

    assert considered([new, old], signals, DEFAULT, NOW) == (new,)
    assert considered([new, old], signals, OPENCLAW_2026_4, NOW) == (new, old)
    assert considered([old], signals, DEFAULT, NOW) == (old,)
    assert considered([old], signals, DEFAULT, NOW + timedelta(days=9)) == ()


def test_one_question_on_one_day_is_no_lasting_truth() -> None:
    once = entry("a", "Tea at four", recalls=1, score=0.95)
    often = entry("b", "The hedge is cut in June", 12, 13, 14, recalls=3, score=0.8)

    assert [truth.key for truth in truths([once, often], OPENCLAW_2026_9)] == ["b", "a"]
    assert [truth.key for truth in truths([once, often], DEFAULT)] == ["b"]
