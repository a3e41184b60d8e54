"""What its owner rejected for good stays rejected, whoever says it again, however, and whenever."""

from __future__ import annotations

from pathlib import Path

import pytest
from remembering import Memory, holding

RENT = "The rent of the shed is 890 EUR a month"
BEES = "The bees stand behind the shed"
QUESTION = "what is the rent of the shed?"


# Being mended where `forget` and `recall` are.
@pytest.fixture
def ada(tmp_path: Path) -> Memory:
    """The owner has rejected a value for good, and keeps a neighbour of it."""
    ada = Memory(tmp_path / "ada")
    ada.write("MEMORY.md", "# Ada", "", "## Facts", f"- {RENT}", f"- {BEES}")
    assert "890" in ada.recalled(QUESTION)
    ada.dream("forget", "the rent of the shed", "--forever")
    return ada


def _back(ada: Memory) -> list[str]:
    """Where an agent meets the rejected value again. The owner's own note of yesterday, read as a note, is none of these."""
    assert BEES in ada.recalled("where do the bees stand?")
    prompts = {name: text for name, text in ada.prompts(QUESTION).items() if name != "session"}
    return holding("890", prompts)


def test_09_replaced_then_said_again_and_confirmed_it_is_still_rejected(ada: Memory) -> None:
    ada.noted("The rent of the shed is 935 EUR a month")
    ada.eager_night()
    assert "935" in ada.text
    for said in (RENT, f"Correction: {RENT[0].lower()}{RENT[1:]}", f"Confirmed again: {RENT}"):
        ada.noted(said)
        ada.eager_night()

    assert "935" in ada.text and "935" in ada.recalled(QUESTION)
    assert _back(ada) == []


def test_10_it_outlives_every_night_that_prunes(ada: Memory) -> None:
    for _ in range(3):
        ada.pass_days(200)
        ada.noted(RENT)
        ada.eager_night()
        ada.dream("reindex", "--force")
        ada.tried("doctor", "--fix")

    assert _back(ada) == []


DISGUISES = {
    "capitals": RENT.upper(),
    "spaces": RENT.replace(" ", "  "),
    "joiners": RENT.replace("rent", "re\u200bnt").replace("890", "8\u206090"),
    "full width": RENT.replace("890", "８９０"),
    "look-alikes": RENT.replace("rent", "rеnt").replace("shed", "shеd"),  # Cyrillic е
    "punctuation": f"{RENT}!!",
}


@pytest.mark.parametrize("how", DISGUISES)
def test_11_no_disguise_of_its_letters_brings_it_back(ada: Memory, how: str) -> None:
    ada.noted(DISGUISES[how], "The shed has a new roof of slate")
    ada.eager_night()

    assert "slate" in ada.text
    assert _back(ada) == []


@pytest.mark.xfail(strict=True, reason="a line that differs from a rejected one by a single noun is held back with it")
def test_11_what_says_something_else_is_not_rejected_with_it(ada: Memory) -> None:
    other = "The rent of the mill is 890 EUR a month"
    ada.noted(other)
    ada.eager_night()

    assert other in ada.text and other in ada.recalled("what is the rent of the mill?")


def test_12_reading_the_same_material_again_does_not_bring_it_back(ada: Memory) -> None:
    ada.noted(RENT, "The shed is leased until 2031", ago=3)
    ada.eager_night()

    assert RENT not in ada.text and _back(ada) == []
    assert "leased until 2031" in ada.text


def test_13_said_again_it_is_no_second_memory_not_even_a_candidate(ada: Memory) -> None:
    ada.noted(RENT, "Decision: the shed gets a slate roof from now on, never felt again")
    ada.night()
    ada.dream("reindex", "--force")

    assert holding("890", {"suggestions": ada.dream("suggestions", "--all"), "brief": ada.dream("brief")}) == []
    assert "forgotten" in ada.dream("why-not", RENT)
    assert "slate roof" in ada.text + ada.dream("suggestions") and _back(ada) == []
