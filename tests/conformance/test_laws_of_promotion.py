"""Laws of what is promoted and told: nothing too long, nothing lost that a person wrote, nothing that cuts a diary."""

from __future__ import annotations

from datetime import UTC, date, datetime

import peer_format
import peer_promotion
from hypothesis import given
from hypothesis import strategies as st

from reverie.judge.vetoes import is_contaminated
from reverie.openclaw.phases import similarity
from reverie.openclaw.rehydrate import rehydrated
from reverie.openclaw.score import DEFAULT, OPENCLAW_2026_4, OPENCLAW_2026_9
from reverie.text.lines import count_units
from reverie.workspace.openclaw_format import PeerRecall, concept_tags

NOW = datetime(2026, 11, 15, 3, 0, tzinfo=UTC)
PROFILES = st.sampled_from([DEFAULT, OPENCLAW_2026_4, OPENCLAW_2026_9])
PIECES = st.sampled_from(
    ["tea ", "篱笆。", "🌿", "---\n", "# H\n", "- ", "<!-- ", " -->", "\n", "1.5 ", "User: ", "no ", "нет ",
     peer_format.START, peer_format.END, "<!-- openclaw:dreaming:backfill-entry day=2026-01-01 -->", "*April 5, 2026*"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=60)


@given(TEXTS, st.integers(10, 200))
def test_a_promoted_line_is_never_too_long(text: str, limit: int) -> None:
    cut = peer_promotion.truncated(text, limit)

    assert count_units(cut) <= limit
    assert " ".join(text.split()).startswith(cut.removesuffix("..."))


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_a_diary_has_one_entry_more_for_each_that_is_told(texts: list[str]) -> None:
    diary = "# My own notes\n"
    for nth, text in enumerate(texts, 1):
        diary = peer_format.with_entry(diary, text, f"night {nth}")
        assert len(peer_format.entries_of(diary)) == nth
    assert diary.endswith("# My own notes\n")
    assert diary.count(peer_format.END) == 1


@given(st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=4))
def test_a_backfill_can_be_taken_back_and_nothing_else_goes(told: list[str], old: list[str]) -> None:
    diary = peer_format.with_diary("")
    for nth, text in enumerate(told):
        diary = peer_format.with_entry(diary, text, f"night {nth}")
    entries = [peer_format.backfill_entry(date(2026, 1, 1), [text]) for text in old]

    filled, _ = peer_format.with_backfill(diary, entries)
    cleared, removed = peer_format.without_backfill(filled)

    assert removed == len(old)
    assert peer_format.entries_of(cleared) == peer_format.entries_of(diary)


@given(st.lists(st.sampled_from(["a dream", "another dream"]), max_size=6))
def test_repeats_are_gone_after_one_pass(texts: list[str]) -> None:
    diary = peer_format.with_diary("")
    for text in texts:
        diary = peer_format.with_entry(diary, text, "night")

    once, removed, kept = peer_format.without_repeats(diary)

    assert (removed, kept) == (len(texts) - len(set(texts)), len(set(texts)))
    assert peer_format.without_repeats(once) == (once, 0, kept)


@given(st.lists(st.booleans(), min_size=1, max_size=6), st.integers(1, 2000))
def test_no_budget_takes_what_a_person_wrote(owned: list[bool], budget: int) -> None:
    memory = "# Long-Term Memory\n\n- Mine.\n"
    for nth, own in enumerate(owned):
        entry = PeerRecall(f"k{nth}", "memory/2026-11-01.md", nth, nth, f"fact {nth}", recalls=3)
        one = peer_promotion.Candidate(entry, 0.9)
        memory = peer_promotion.promote(memory, [one], DEFAULT, NOW).text + ("A line of mine.\n" if own else "")

    left, _ = peer_promotion.fitted(memory, 0, budget, most_loss=None)

    assert left.startswith("# Long-Term Memory\n\n- Mine.\n")
    assert left.count("A line of mine.") == sum(owned)


@given(st.lists(TEXTS, min_size=1, max_size=3, unique=True), PROFILES)
def test_promoting_twice_is_promoting_once(texts: list[str], profile: peer_promotion.Profile) -> None:
    candidates = [
        peer_promotion.Candidate(PeerRecall(f"k{nth}", "memory/2026-11-01.md", 1, 1, text, recalls=3), 0.9)
        for nth, text in enumerate(texts)
    ]

    once = peer_promotion.promote("", candidates, profile, NOW)
    again = peer_promotion.promote(once.text, candidates, profile, NOW)

    assert (again.text, again.appended) == (once.text, ())
    assert set(again.reconciled) == set(once.appended)


@given(TEXTS, TEXTS, PROFILES)
def test_any_text_can_be_read(one: str, other: str, profile: peer_promotion.Profile) -> None:
    assert len(concept_tags("memory/2026-11-01.md", one)) <= 8
    assert isinstance(is_contaminated(one), bool)
    assert 0.0 <= similarity(one, other, profile) == similarity(other, one, profile) <= 1.0
    found = rehydrated([one, other], 1, 1, one, profile)
    assert found is None or 1 <= found.first <= found.last <= 2
