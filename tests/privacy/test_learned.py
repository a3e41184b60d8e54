"""What no rule knows is weighed by learned weights: a line that most likely opens something stays in its note."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie.privacy.learned import features, gives_access
from reverie.privacy.redact import holds_secret, opens_something
from terminal import call

OPENING = [
    "tell the porter marzipan and he lets you in",
    "At the kiosk you just say our word, it is still Pelikan",
    "保安问起来就说青石板，他就开门",
]
HARMLESS = [
    "tell the porter that the parcel can wait until Monday",
    "At the kiosk they sell stamps until six",
    "保安下个月调去南门，说要请大家吃饭",
]


@pytest.mark.parametrize("line", OPENING)
def test_what_is_said_to_get_in_is_known_though_no_rule_knows_it(line: str) -> None:
    assert not holds_secret(line) and opens_something(f"the weather was fine\n{line}")


@pytest.mark.parametrize("line", OPENING)
def test_it_stays_in_its_note_and_no_judge_sees_it(build: Build, line: str) -> None:
    workspace = build({"MEMORY.md": "# Memory\n\n## Home\n", "memory/2026-11-14.md": f"- {line}\n- {HARMLESS[0]}\n"})

    brief = call("brief", "--now", "2026-11-15T03:00:00+01:00", "--workspace", str(workspace.root)).out

    assert HARMLESS[0] in brief and line not in brief


@pytest.mark.parametrize("line", HARMLESS)
def test_its_harmless_neighbour_stays(line: str) -> None:
    assert not opens_something(line)


def test_a_name_and_a_value_alone_are_left_to_the_rules() -> None:
    assert not gives_access("kiosk: 4410", ()) and not gives_access("⟦secret⟧ opens the gate of the yard", ())


def test_every_digit_counts_as_the_same_digit() -> None:
    assert features("the kiosk wants 4410", ()) == features("the kiosk wants 9327", ())
