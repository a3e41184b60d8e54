"""Which personal data is masked is the owner's choice; a workspace of a stranger may only ask for more."""

from __future__ import annotations

from dataclasses import fields

import pytest

from reverie.errors import BadSettings
from reverie.personal import KINDS
from reverie.settings import Privacy, Settings, merged

NAMES = [item.name for item in fields(Privacy)]


def lay(base: Settings, name: str, value: object, *, trusted: bool) -> Settings:
    return merged(base, {"privacy": {name: value}}, lambda key: f"reverie.toml:2 ({key})", trusted=trusted)


def only(**chosen: bool) -> Settings:
    return Settings(privacy=Privacy(**{**dict.fromkeys(NAMES, False), **chosen}))


def test_every_kind_that_can_be_found_is_a_setting() -> None:
    assert Privacy(**dict.fromkeys(NAMES, True)).kinds == KINDS
    assert only().privacy.kinds == frozenset()


def test_by_default_numbers_that_harm_are_masked_and_ways_to_reach_somebody_are_not() -> None:
    assert Privacy().kinds == {"card", "iban", "national-id", "chat-id"}


@pytest.mark.parametrize("name", NAMES)
def test_the_owner_switches_a_kind_on_and_off(name: str) -> None:
    on = lay(only(), name, True, trusted=True)

    assert on.privacy.kinds == {name.replace("_", "-")}
    assert lay(on, name, False, trusted=True).privacy.kinds == frozenset()


@pytest.mark.parametrize("name", NAMES)
def test_a_workspace_may_switch_a_kind_on_and_never_off(name: str) -> None:
    on = only(**{name: True})

    assert lay(only(), name, True, trusted=False) == on
    assert lay(only(), name, False, trusted=False) == only()  # nothing is taken away
    with pytest.raises(BadSettings, match=rf"^reverie.toml:2 \(privacy.{name}\) switches `privacy.{name}` off"):
        lay(on, name, False, trusted=False)


@pytest.mark.parametrize("value", [0, 1, "no", None, []])
def test_only_true_and_false_are_answers(value: object) -> None:
    with pytest.raises(BadSettings, match=r"`privacy\.card` is"):
        lay(Settings(), "card", value, trusted=False)
