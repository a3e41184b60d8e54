"""A room with others: what a guest says is the guest's, is told to nobody else as a fact, and is found again for them."""

from __future__ import annotations

import json

from conftest import NIGHT, Build
from reverie.core.ports import fixed
from reverie.core.settings import Settings
from reverie.features.recall.recall import Chat, recall
from reverie.features.search import ask
from reverie.night.briefing import make_brief
from reverie.night.remember import evidence_of, hear
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Workspace
from terminal import call

CLOCK = fixed(NIGHT)
CORPUS = "memory/.dreams/session-corpus/reverie/2026-11-14.txt"
MEMORY = "# Ada\n\n## Stable Knowledge\n- I drink espresso in the morning\n- Mira looks after the garden on Sundays\n"


def said(role: str, text: str, minute: int, **about: object) -> str:
    message = {"role": role, "content": [{"type": "text", "text": text}], **about}
    return json.dumps({"type": "message", "timestamp": f"2026-11-14T09:{minute:02}:00Z", "message": message})


def heard(build: Build) -> Workspace:
    turns = [
        said("user", "In the morning I drink green tea with honey.", 1, senderName="Mira"),
        said("assistant", "Noted: green tea with honey in the morning.", 2),
        said("user", "I prefer the window seat on every train.", 3, senderName="+49 170 1234567"),
        said("user", "We meet in the garden house on Thursdays.", 4, senderName="Ada", senderIsOwner=True),
    ]
    host = build({
        "main/sessions/abc.jsonl": "".join(f"{turn}\n" for turn in turns),
        "main/sessions/sessions.json": json.dumps({"agent:main:telegram:group:-100": {"sessionId": "abc"}}),
    })  # fmt: skip
    workspace = build({"MEMORY.md": MEMORY}, Settings(transcripts=(str(host.root),)))
    hear(workspace, CLOCK)
    return workspace


def test_the_corpus_names_the_guest_and_no_number_and_knows_a_reply_to_one(build: Build) -> None:
    workspace = heard(build)

    lines = (workspace.root / CORPUS).read_text("utf-8").split("\n")[:-1]

    assert [line.partition("] ")[2].partition(":")[0] for line in lines] == [
        "Guest (Mira)",
        "Assistant (guest)",
        "Guest",
        "User",
    ]


def test_a_guests_preference_is_no_evidence_about_the_owner(build: Build) -> None:
    snapshot = read_workspace(heard(build))

    brief = make_brief(snapshot, evidence_of(snapshot), CLOCK.now())

    assert [note.claim.text for note in brief.notes if note.claim.origin in ("owner", "session")] == [
        "User: We meet in the garden house on Thursdays."
    ]


def test_recall_for_a_guest_tells_what_they_said_and_what_is_known_of_them_alone(build: Build) -> None:
    workspace = heard(build)

    def told(message: str, sender: str = "") -> str:
        return recall(workspace, CLOCK, message, chat=Chat(sender=sender)).summary

    assert told("What do I drink in the morning?") == "I drink espresso in the morning"
    assert (
        told("What do I drink in the morning?", "mira")
        == "2026-11-14: Mira: In the morning I drink green tea with honey"
    )
    assert told("What do I drink in the morning?", "Jonte") == ""
    assert told("Who looks after the garden on Sundays?", "Mira") == "Mira looks after the garden on Sundays"
    assert told("What happened on 2026-11-14?", "Jonte") == ""

    done = call(
        "recall", "What do I drink in the morning?", "--sender", "Mira", "--workspace", workspace.root, "--now", NIGHT
    )
    assert "Mira: In the morning I drink green tea" in done.out


def test_no_guest_is_told_how_to_reach_somebody(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Memory\n- Mira looks after the garden, mira.olsen@example.org\n"})

    def told(sender: str) -> str:
        return recall(workspace, CLOCK, "Who looks after the garden?", chat=Chat(sender=sender)).summary

    assert (told("Mira"), told("")) == ("", "Mira looks after the garden, mira.olsen@example.org")


def test_search_says_who_said_it(build: Build) -> None:
    hits = ask(heard(build), None, CLOCK, "green tea honey").hits

    assert {hit.claim.sender: hit.why.rpartition("; ")[2] for hit in hits if hit.claim.origin == "quoted"} == {
        "Mira": "said by Mira",
        "": "somebody else's words",  # the reply to her
    }
