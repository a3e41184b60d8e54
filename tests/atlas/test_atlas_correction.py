"""A correction holds: what is said now is answered, what was said before can still be looked up, and nothing turns it back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from remembering import Ids, Memory

NEIGHBOUR = "The bees stand behind the shed"


@dataclass(frozen=True)
class Case:
    """What was said, what was said later, what an agent makes of it, and what must (not) be told as current afterwards."""

    first: str
    later: str
    wish: dict[str, Any]
    ask: str
    now: str
    not_now: str


CASES = {
    "replaced": Case(
        "Home: a flat in Berlin", "We moved, home is a flat in Lisbon now",
        {"op": "update", "old": "Berlin", "new": "Lisbon"}, "where is home, which flat?", "Lisbon", "Berlin",
    ),
    "turned round": Case(
        "Ada loves coriander in soup", "Ada can't stand coriander in soup any more",
        {"op": "update", "text": "Ada can't stand coriander in soup any more"}, "does Ada like coriander in soup?", "can't stand", "loves",
    ),
    "taken back": Case(
        "Ada's sister Vera is a doctor", "I misspoke, Ada has no sister", {"op": "end", "because": "untrue"},
        "what does Ada's sister do?", "", "doctor",
    ),
    "in part": Case(
        "Ada works at Acme as engineer", "Ada got promoted, she works as manager now",
        {"op": "update", "old": "engineer", "new": "manager"}, "what does Ada work as at Acme?", "Acme as manager", "engineer",
    ),
    "for a time": Case(
        "Ada is vegetarian since 2014", "Ada stopped being vegetarian in 2024",
        {"op": "update", "text": "Ada was vegetarian since 2014, and stopped in 2024"},
        "is Ada vegetarian?", "stopped in 2024", "is vegetarian",
    ),
}  # fmt: skip


def _agent_corrects(case: Case, ids: Ids) -> list[dict[str, Any]]:
    line, note = (next(name for text, name in ids.items() if said in text) for said in (case.first, case.later))
    return [{**case.wish, "memory": [line], "from": [note], "why": "said later"}]


@pytest.mark.parametrize("shape", CASES)
def test_15_a_correction_survives_nights_and_a_new_index(tmp_path: Path, shape: str) -> None:
    ada, case = Memory(tmp_path / "ada"), CASES[shape]
    ada.write("MEMORY.md", "# Ada", "", "## Facts", f"- {case.first}", f"- {NEIGHBOUR}")
    assert case.first.split()[-1] in ada.recalled(case.ask)

    ada.noted(case.later)
    ada.led_night(lambda ids: _agent_corrects(case, ids))
    ada.night()
    ada.dream("reindex", "--force")

    recalled = ada.recalled(case.ask)
    assert case.now in recalled and case.not_now not in recalled and case.not_now not in ada.text
    assert case.first in str(ada.told("why", case.first)) and NEIGHBOUR in ada.text


def test_15_the_old_material_fed_again_does_not_undo_a_correction(tmp_path: Path) -> None:
    ada, case = Memory(tmp_path / "ada"), CASES["replaced"]
    ada.write("MEMORY.md", "# Ada", "", "## Facts", f"- {case.first}", f"- {NEIGHBOUR}")
    ada.noted(case.later)
    ada.led_night(lambda ids: _agent_corrects(case, ids))

    ada.noted(case.first, ago=300)  # a note of long ago arrives, as from a backup
    ada.night()

    assert "Lisbon" in ada.recalled(case.ask) and "Berlin" not in ada.text


@pytest.mark.xfail(
    strict=True, reason="a line about a third person that a later note denies is told beside the denial, or alone"
)
@pytest.mark.parametrize(
    "words",
    ["I misspoke, I do not have a sister", "Correction: Ada has no sister", "Ada does not have a sister after all"],
)
def test_16_what_was_taken_back_without_a_replacement_is_not_recalled(tmp_path: Path, words: str) -> None:
    ada = Memory(tmp_path / "ada")
    told = ("Ada's sister Vera is a doctor", "Ada's brother Jan builds boats")
    ada.noted(*told, ago=9)
    ada.write("MEMORY.md", "# Ada", "", "## Facts", *(f"- {line}" for line in told))
    assert "doctor" in ada.recalled("what does Ada's sister do?")

    ada.noted(words)
    ada.night()
    ada.noted(*told, ago=12)  # the old material once more
    ada.night()
    ada.dream("reindex", "--force")

    assert "doctor" not in ada.recalled("what does Ada's sister do?")
    assert "builds boats" in ada.recalled("what does Ada's brother do?")
