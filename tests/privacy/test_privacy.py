"""Which personal data is masked is the owner's choice; a workspace of a stranger may only ask for more."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from reverie.core.errors import BadSettings
from reverie.core.layout import OWN_CORPUS, PEER_JOURNAL, PEER_RECALLS
from reverie.core.settings import Privacy, Settings, merged
from reverie.evidence.journal import events, record_search
from reverie.evidence.session_corpus import append_turns, rendered
from reverie.privacy.personal import KINDS
from reverie.workspace.openclaw_state import read_peer_state
from talk import BERLIN, NOW, transcript, turn

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


LINE = "Ada: ada@example.org, card 4111 1111 1111 1111"
MAIL_ONLY = only(email=True).privacy.kinds
MASKED = "Ada: ⟦email⟧, card 4111 1111 1111 1111"
ASKED = "Ada: ⟦email⟧, card … … … …"  # a question is kept without its numbers, whatever is masked


def test_what_is_said_is_kept_as_the_owner_chose(tmp_path: Path) -> None:
    append_turns(tmp_path, [transcript(turn(1, LINE))], BERLIN, now=NOW, kinds=MAIL_ONLY)

    (day,) = (tmp_path / OWN_CORPUS).iterdir()
    assert day.read_text("utf-8").rstrip("\n").endswith(f"User: {MASKED}")
    assert rendered(turn(1, LINE)).endswith("ada@example.org, card ⟦card⟧")


def test_what_is_asked_is_kept_as_the_owner_chose(tmp_path: Path) -> None:
    record_search(tmp_path, LINE, [], NOW, MAIL_ONLY)

    assert [event["query"] for event in events(tmp_path)] == [ASKED]


def test_what_a_peer_kept_is_read_as_the_owner_chose(tmp_path: Path) -> None:
    recall = {"key": "k", "path": "memory/2026-01-02.md", "snippet": LINE, "source": "memory"}
    said = {"type": "memory.recall.recorded", "timestamp": "2026-01-02T03:04:05.000Z", "query": LINE}
    for path, value in ((PEER_RECALLS, {"entries": {"k": recall}}), (PEER_JOURNAL, said)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(json.dumps(value) + "\n", "utf-8")

    state = read_peer_state(tmp_path, None, kinds=MAIL_ONLY)

    assert [one.snippet for one in state.recalls.values()] == [MASKED]
    assert [one.about["query"] for one in state.events] == [MASKED]
