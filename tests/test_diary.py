"""What a night tells: the diary in OpenClaw's frame, and what stays as its owner made it."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NOW, Make, answering, end, memory_of, review
from reverie.judge.brief import Brief, Verdict
from reverie.plan import diary
from reverie.store.undo import undo

FRAME = f"# Dream Diary\n\n{diary.START}\n{diary.END}\n\n"
ENTRY = "---\n\n*May 1, 2026 at 3:00 AM UTC*\n\nThe kettle was quiet.\n\n"


def test_an_entry_goes_before_what_stands_there_and_is_never_told_twice() -> None:
    first = diary.with_entry("\ufeffmine\n", "May 1, 2026 at 3:00 AM UTC", "The kettle was quiet.")
    assert first == "\ufeff" + FRAME.replace(diary.END, ENTRY + diary.END) + "mine\n"
    assert diary.with_entry(first, "May 2, 2026", "The kettle was quiet.") == first


@pytest.mark.parametrize(
    "damaged", [diary.START, f"{diary.END}\n{diary.START}\n", f"{diary.START}\n{diary.START}\n{diary.END}\n"]
)
def test_nothing_is_put_into_a_damaged_diary(damaged: str) -> None:
    assert diary.with_entry(damaged, "May 1, 2026", "x") == damaged
    assert diary.with_backfill(damaged, [(date(2026, 5, 1), "memory/2026-05-01.md", "x")]) == damaged


@given(text=st.text(alphabet="a-*\n\r#\ufeff<!>", max_size=40), crlf=st.booleans())
def test_a_backfill_that_is_taken_back_leaves_every_byte(text: str, crlf: bool) -> None:
    text = text.replace("\r", "").replace("\n", "\r\n") if crlf else text
    entries = [(date(2026, 4, n), f"memory/2026-04-0{n}.md", "What Happened\n1. tea") for n in (3, 4)]
    for before in (None, text, diary.with_entry(text, "May 1, 2026", "An evening.")):
        after = diary.with_backfill(before, entries)
        assert after is not None and after.count("backfill-entry") == 2
        assert diary.with_backfill(after, entries) == after
        assert diary.without_backfill(after) == before


def test_old_entries_move_to_the_diary_of_their_year_and_backfilled_ones_stay() -> None:
    text = diary.with_backfill(FRAME, [(date(2025, 1, 1), "n.md", "old")]) or ""
    for day in range(1, 5):
        text = diary.with_entry(text, f"May {day}, 2026", f"Night {day}.")
    kept, leaving = diary.rotated(text, 2)
    assert ("Night 2" in kept, "Night 3" in kept, "backfill-entry" in kept) == (False, True, True)
    assert [entry.split("\n")[4] for entry in leaving["2026"]] == ["Night 1.", "Night 2."]


def test_a_block_is_replaced_in_place_and_in_doubt_left() -> None:
    text = diary.with_block("mine\r\n", "deep", ["- Ranked 1 candidate(s)."])
    assert diary.with_block(text, "deep", ["- Ranked 2 candidate(s)."]) == text.replace("Ranked 1", "Ranked 2")
    assert text.startswith("mine\r\n\r\n## Deep Sleep\r\n<!-- openclaw:dreaming:deep:start -->\r\n")
    broken = text.replace("deep:end", "deep:ende")
    assert diary.with_block(broken, "deep", ["- x"]) == broken


@pytest.mark.parametrize(
    ("told", "stands"),
    [("Tonight the valve changed from nine to twelve, and the old number went.", True), ("short", False),
     ("One paragraph.\n\nAnd another one, which is one too many.", False), ("See https://example.org/x for what this night was about.", False),
     ("The password of the scanner is Moorhuhn-88, remember it for me please.", False)],
)  # fmt: skip
def test_a_models_narrative_stands_in_the_diary_where_it_is_plain_prose(
    workspace: Make, told: str, stands: bool
) -> None:
    layout = workspace()

    def judge(brief: Brief) -> Verdict:
        verdict = answering(end("m1"))(brief)
        return Verdict(verdict.operations, (), verdict.read, diary=told)

    review(layout, NOW, judge)
    text = (layout.root / "DREAMS.md").read_text()
    assert (told in text, "archived 1" in text) == (stands, not stands)
    assert "March 31, 2026 at 3:00 AM" in text


def test_a_silent_night_tells_nothing_and_the_diary_is_no_evidence(workspace: Make) -> None:
    layout = workspace("## A\n- tea\n- tea\n")
    review(layout, NOW)
    first = (layout.root / "DREAMS.md").read_bytes()
    assert review(layout, NOW + timedelta(days=1)).run is None
    assert (layout.root / "DREAMS.md").read_bytes() == first


FOOTED = "## A\n- a1\n- a2\n\n*Last updated: 2026-01-01*\n"


def test_the_footer_tells_the_day_and_undo_brings_the_old_one_back(workspace: Make) -> None:
    layout = workspace(FOOTED)
    review(layout, NOW, answering(end("m2")))
    assert memory_of(layout) == "## A\n- a1\n\n*Last updated: 2026-03-31*\n"
    undo(layout, NOW)
    assert memory_of(layout) == FOOTED


def test_rules_of_dream_md_that_form_can_keep(workspace: Make) -> None:
    rules = "## Custom Rules\n- Always keep pricing/billing related entries\n- 不要保存健康相关内容\n- Be kind\n"
    layout = workspace(
        "## A\n- Prices: 24 EUR a month\n- a2\n",
        {"DREAM.md": rules, "memory/2026-03-30.md": "- 决定:每周健康检查一次\n"},
    )
    wishes = answering(end("m1"), end("m2"), {"op": "add", "from": ["n1"], "text": "每周健康检查一次"})
    night = review(layout, NOW, wishes)
    assert [refusal.why for refusal in night.plan.refused] == [
        "DREAM.md wants it kept.",
        "DREAM.md wants nothing of this kind stored.",
    ]
    assert memory_of(layout) == "## A\n- Prices: 24 EUR a month\n"


def test_logs_give_rules_and_decisions_and_gone_files_are_asked_about(workspace: Make) -> None:
    log = '{"ts":"2026-03-29T10:00:00","type":"%s","text":"%s"}\n'
    error, decision = (
        log % ("error", "ran the tests in the wrong folder"),
        log % ("decision", "invoices go out on the first of the month"),
    )
    memory = "## A\n- the deploy script is `tools/deploy.sh`\n- see `other/none.sh`\n## Lessons Learned\n- ask first\n"
    layout = workspace(
        memory,
        {
            "memory/self-improving/errors.jsonl": error * 2,
            "memory/self-improving/decisions.jsonl": decision,
            "tools/x": "",
        },
    )
    night = review(layout, datetime(2026, 3, 30, 3))
    assert memory_of(layout).endswith("## Lessons Learned\n- ask first\n- ran the tests in the wrong folder\n")
    assert "- invoices go out on the first of the month" in memory_of(layout)
    assert "deploy.sh is not there any more" in [operation.why for operation in night.plan.done]
    assert "[distill]" in (layout.root / "memory/dream-log-2026-03-30.md").read_text()
    assert (layout.root / "memory/self-improving/.last_distill").exists()
