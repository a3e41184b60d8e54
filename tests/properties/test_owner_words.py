"""The owner's words: what the built-in judge brings into memory stands in a note, to the character."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from reverie.judge.compose import LONGEST, composed
from reverie.text.lines import count_units
from reverie.workspace.values import stated

WORDS = st.sampled_from((
    "the", "pump", "number", "31", "costs", "4.50", "€", "at", "Kern", "&", "Sohn", "10.",
    "20.", "30.", "40", "mornings", "keep", "`cfg.yml`", "—", "never", "周五", "下午", "不开会", "ruhig", "Grüße",
))  # fmt: skip
SENTENCES = st.lists(st.lists(WORDS, min_size=3, max_size=12).map(" ".join), min_size=1, max_size=12)


@given(SENTENCES)
def test_a_new_line_is_made_of_whole_sentences_of_its_note(parts: list[str]) -> None:
    said = ". ".join(part[0].upper() + part[1:] for part in parts) + "."
    line = composed(stated("memory/2026-03-04.md", 1, 1, said, day="2026-03-04"))

    assert line in said and said.startswith(line)
    assert count_units(line) <= LONGEST
    assert not line or line == said or said[len(line)] in " 　"


@given(
    st.sampled_from(["Friday", "Mondays", "周五", "freitags", "am Freitag", "on Tuesday"]),
    st.dates(date(2026, 1, 1), date(2027, 1, 1)),
)
def test_a_weekday_alone_stays_a_weekday(weekday: str, day: date) -> None:
    said = f"no meetings {weekday} afternoon for the whole team"
    line = composed(stated(f"memory/{day}.md", 1, 1, said, day=day.isoformat()))

    assert weekday in line and str(day.year) not in line
