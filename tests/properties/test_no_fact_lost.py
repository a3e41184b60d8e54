"""Laws of updates: a swap keeps every other fact of a card, and a whole new line that lacks one is refused."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judge.briefs import brief, memory, notes
from reverie.judge.checks import line_after, refusal
from reverie.judge.operation import Op, Operation
from reverie.judge.specifics import lost

KEYS = ("port", "rent", "shelves", "visitors", "weight", "floor", "team", "budget")
VALUES = st.one_of(
    st.integers(2, 9999).map(str),
    st.sampled_from(("Hetzner", "Lisbon", "`main.py`", "Otto Brandt", "14:30", "2027-03-05", "SLZB-06", "192.168.7.4")),
)
CARDS = st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=2, max_size=5).filter(
    lambda card: len(set(card.values())) == len(card)
)


def told(card: dict[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in card.items())


def update(card: dict[str, str], key: str, value: str, **words: str) -> str:
    old, new = memory(told(card)), notes("## 2026-05-04", f"the {key} is {value} now")
    wish = Operation(Op.UPDATE, "", (new[0].claim,), (old[0].entry,), **words)
    assert lost(
        [text for text in told(card).split(", ") if not text.startswith(key)], line_after(wish)
    ) == () or not words.get("old")
    return refusal(wish, brief(old, new))


@given(CARDS, st.data())
def test_a_swap_leaves_every_other_fact_of_the_card(card: dict[str, str], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(card)))
    value = str(data.draw(st.integers(10_001, 99_999)))

    assert update(card, key, value, old=f"{key} {card[key]}", new=f"{key} {value}") == ""


@given(CARDS, st.data())
def test_a_whole_line_that_lacks_one_of_the_other_facts_is_refused(card: dict[str, str], data: st.DataObject) -> None:
    key, gone = data.draw(st.permutations(sorted(card)))[:2]
    value = str(data.draw(st.integers(10_001, 99_999)))
    less = {name: value if name == key else old for name, old in card.items() if name != gone}

    assert "would be lost" in update(card, key, value, text=told(less))
