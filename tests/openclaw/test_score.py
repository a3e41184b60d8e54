"""Our own way of counting: what the world said, not how often we looked, and never by the scale of an embedder."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking import passes, ranked
from reverie.openclaw.score import DEFAULT, OPENCLAW_2026_9, counted, days_noted, explained, relevances, scored
from reverie.workspace.openclaw_format import (
    DAILY_QUERY,
    PeerOrigin,
    PeerRecall,
    PeerSignal,
    concept_tags,
    met,
    query_hash,
)

NOW = datetime(2026, 11, 15, 3, 0, tzinfo=UTC)
TODAY = NOW.date()
FACTS = (
    "Mira is allergic to walnuts", "The boiler is serviced by Hansen", "Invoices go out on the first Monday",
    "The bakery opens at seven", "Jon prefers tea to coffee", "备份每晚三点运行", "年度体检安排在五月",
    "Der Ersatzschlüssel liegt bei Frau Kern", "El médico de la familia es el doctor Ruiz", "Отпуск всегда в августе",
)  # fmt: skip


def noted(n: int, text: str, *ago: int, readings: int = 1) -> PeerRecall:
    """A fact from the notes of some days ago, each read so many times, never searched for."""
    days = tuple(sorted(TODAY - timedelta(days=one) for one in ago))
    return PeerRecall(
        f"key-{n}", f"memory/{days[-1]}.md", n + 1, n + 1, text,
        daily=len(days) * readings, total_score=0.62 * len(days) * readings, max_score=0.62, days=days,
        first_recalled=at(days[0]), last_recalled=at(days[-1]),
        queries=tuple(query_hash(f"{DAILY_QUERY}{day}") for day in days), tags=concept_tags("note.md", text),
    )  # fmt: skip


def searched(n: int, scores: list[float], *, questions: int = 3, readings: int = 0) -> PeerRecall:
    """A fact that searches found, once for each score, on as many days, by so many questions; and read in notes."""
    days = tuple(TODAY - timedelta(days=one) for one in range(len(scores)))
    return PeerRecall(
        f"key-{n}", f"memory/2026-11-{n % 28 + 1:02}.md", n, n, f"fact number {n}",
        recalls=len(scores), daily=readings, total_score=sum(scores) + 0.62 * readings, max_score=max(scores), days=days,
        first_recalled=at(days[-1]), last_recalled=at(days[0]), tags=("one", "two", "three"),
        user_queries=tuple(f"{one:012x}" for one in range(min(questions, len(scores)))),
    )  # fmt: skip


def at(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 20, tzinfo=UTC)


def filler(count: int) -> list[PeerRecall]:
    return [noted(100 + n, f"Errand {n}: fetched parcel {n} from the shop", 1 + n % 10) for n in range(count)]


def test_facts_of_three_days_pass_without_a_single_search_and_filler_does_not() -> None:
    facts = [noted(n, text, 1 + n % 3, 4 + n % 4, 9 + n % 5) for n, text in enumerate(FACTS)]

    passed = {one.entry.key for one in ranked([*facts, *filler(500)], {}, replace(DEFAULT, limit=None), NOW)}

    assert len(passed & {one.key for one in facts}) >= 9
    assert len(passed - {one.key for one in facts}) <= 5


def test_thirty_nights_without_anything_new_bring_no_candidate() -> None:
    entries = [*filler(60), *(noted(n, text, 1, 5, *[9] * (n % 2)) for n, text in enumerate(FACTS))]
    first = {one.entry.key for one in ranked(entries, {}, DEFAULT, NOW)}
    assert len(first) == 5
    entries = [replace(one, promoted=NOW) if one.key in first else one for one in entries]

    signals: dict[str, PeerSignal] = {}
    for night in range(1, 31):
        now = NOW + timedelta(days=night)
        assert ranked(entries, signals, DEFAULT, now) == []
        # Light and REM meet every entry every night, and the unchanged notes are read again.
        for phase in ("light", "rem"):
            signals = {one.key: met(signals.get(one.key), one.key, phase, now) for one in entries}
        entries = [read_again(one, now) for one in entries]


def read_again(entry: PeerRecall, now: datetime) -> PeerRecall:
    """What the peer does to an entry when a sweep reads its unchanged note once more."""
    return replace(
        entry, daily=entry.daily + 1, total_score=entry.total_score + 0.62, last_recalled=now,
        days=(*entry.days, now.date())[-16:],
    )  # fmt: skip


def test_reading_an_unchanged_note_again_changes_nothing() -> None:
    entry = noted(1, FACTS[0], 1, 4)
    once = scored(entry, None, DEFAULT, NOW)

    again = entry
    for night in range(14):
        again = read_again(again, NOW + timedelta(days=night - 13))

    assert days_noted(again) == days_noted(entry) == entry.days
    assert scored(again, None, DEFAULT, NOW).total == pytest.approx(once.total)
    assert scored(again, None, OPENCLAW_2026_9, NOW).total > scored(entry, None, OPENCLAW_2026_9, NOW).total


@given(
    st.lists(st.lists(st.integers(0, 1000), min_size=1, max_size=5), min_size=1, max_size=12),
    st.sampled_from([(0.43, 0.58), (0.55, 0.70), (0.70, 0.95)]),
)
def test_squeezing_all_similarities_changes_nothing(rows: list[list[int]], band: tuple[float, float]) -> None:
    low, high = band
    free = [searched(n, [one / 1000 for one in row], readings=n % 3) for n, row in enumerate(rows)]
    tight = [
        searched(n, [low + (high - low) * one / 1000 for one in row], readings=n % 3) for n, row in enumerate(rows)
    ]

    assert outcome(tight) == outcome(free)


def outcome(entries: list[PeerRecall]) -> list[tuple[str, float, bool]]:
    return [(one.entry.key, round(one.total, 12), passes(one)) for one in explained(entries, {}, DEFAULT, NOW)]


def test_the_scale_of_one_embedder_says_nothing_about_another() -> None:
    cold = [replace(searched(n, [0.40 + n / 100] * 3), embedder="cold") for n in range(5)]
    warm = [replace(searched(n + 10, [0.90 + n / 100] * 3), embedder="warm") for n in range(5)]

    places = relevances([*cold, *warm])

    assert [places[one.key] for one in cold] == [places[one.key] for one in warm]
    assert places[cold[4].key] > places[cold[0].key] > 0.5


def test_paraphrases_of_one_question_count_once() -> None:
    entry = searched(1, [0.8, 0.8, 0.8])
    one_question = dict.fromkeys(entry.user_queries, "when is the boiler serviced")

    assert counted(entry, DEFAULT).queries == 3
    assert counted(entry, DEFAULT, one_question).queries == 1
    assert not ranked([entry], {}, DEFAULT, NOW, groups=one_question)


def test_one_question_repeated_all_day_is_not_a_habit() -> None:
    entry = replace(searched(1, [0.9], questions=1), recalls=40, total_score=36.0)

    assert counted(entry, DEFAULT).signals == 2
    assert counted(entry, OPENCLAW_2026_9).signals == 40


def test_meetings_by_light_and_rem_change_the_order_but_let_nothing_in() -> None:
    entry = noted(1, FACTS[0], 1, 4)
    signal = PeerSignal(entry.key, 9_999, 9_999, NOW, NOW)

    alone, met_often = (scored(entry, one, DEFAULT, NOW) for one in (None, signal))

    assert 0 < met_often.boost <= 0.05
    assert met_often.gates == alone.gates


def test_meetings_beyond_the_evidence_add_nothing_and_do_not_keep_an_old_entry_fresh() -> None:
    entry = noted(1, FACTS[0], 20)

    def boost(hits: int, last: datetime) -> float:
        return scored(entry, PeerSignal(entry.key, hits, 0, last, None), DEFAULT, NOW).boost

    assert boost(1, NOW) == boost(9_999, NOW) > 0
    assert boost(1, NOW) == boost(1, NOW - timedelta(days=10))


@given(st.integers(0, 60), st.integers(0, 60))
def test_without_new_evidence_a_score_never_rises(first: int, later: int) -> None:
    entry = noted(1, FACTS[0], 1, 4, 9)

    def on(night: int) -> float:
        now = NOW + timedelta(days=night)
        return scored(entry, PeerSignal(entry.key, night, night, now, now), DEFAULT, now).gates[0].value

    assert on(first + later) <= on(first)


def test_a_night_adds_one_meeting_however_often_a_phase_runs() -> None:
    signal = None
    for hour in range(5):
        signal = met(signal, "k", "light", NOW + timedelta(hours=hour))
    assert signal == PeerSignal("k", 1, 0, NOW, None)

    assert met(signal, "k", "light", NOW + timedelta(days=1)).light == 2


def test_every_gate_says_what_is_missing() -> None:
    one = scored(noted(1, FACTS[0], 2), None, DEFAULT, NOW)

    missing = {gate.name: gate.margin for gate in one.gates if not gate.passed}

    assert missing.keys() >= {"signals", "queries"}
    assert missing["signals"] == missing["queries"] == -2


@pytest.mark.parametrize("origin", ["untrusted", "system"])
def test_what_a_stranger_said_is_not_ranked(origin: str) -> None:
    entry = searched(1, [0.9, 0.9, 0.9])

    assert ranked([entry], {}, DEFAULT, NOW)
    assert not ranked([replace(entry, origin=PeerOrigin(origin))], {}, DEFAULT, NOW)
    assert not ranked([replace(entry, snippet="Conversation Summary: we talked")], {}, DEFAULT, NOW)


def test_what_was_promoted_stays_out_unless_asked_for() -> None:
    entry = replace(searched(1, [0.9, 0.9, 0.9]), promoted=NOW)

    assert not ranked([entry], {}, DEFAULT, NOW)
    assert ranked([entry], {}, DEFAULT, NOW, include_promoted=True)


def test_a_fact_the_peer_keeps_at_three_places_is_one_fact_of_three_days() -> None:
    places = [noted(n, FACTS[0], ago) for n, ago in enumerate((1, 4, 9))]

    (one,) = ranked(places, {}, DEFAULT, NOW)

    assert one.entry.key == places[0].key, "the newest place"
    assert one.counted.signals == 3
    assert not ranked([*places[:2], replace(places[2], promoted=NOW)], {}, DEFAULT, NOW)
    assert not ranked([*places[:2], replace(places[2], origin=PeerOrigin("untrusted"))], {}, DEFAULT, NOW)
