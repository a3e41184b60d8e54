"""What the tools of `dream mcp` do: each calls the function that its command calls, and tells of it shortly.

Loaded when the first of them is called: a host waits a second or two for the handshake, and this takes one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from reverie.apply.runs import plan_from_dict
from reverie.core.errors import BadInput, RefusedSuggestion, Sealed
from reverie.core.layout import DIARY
from reverie.core.ports import Clock
from reverie.features import note, search, sessions
from reverie.features.as_of import past_of
from reverie.features.forget import forget
from reverie.features.recall import recall
from reverie.features.schedule import recorded
from reverie.features.status import glance
from reverie.features.why_not import why_not
from reverie.judge.operation import AGENT
from reverie.lang.messages import say
from reverie.night import commands, suggesting
from reverie.night.agent import awaited, keep_answer, notice
from reverie.night.briefing import brief_of
from reverie.plan.asked import open_questions
from reverie.surfaces.cli.agent import brief_as_dict, taken_as_dict
from reverie.surfaces.cli.memory import forgotten_as_dict
from reverie.surfaces.cli.search import recalled_as_dict
from reverie.surfaces.cli.status import status_as_dict
from reverie.surfaces.hooks import first_words
from reverie.surfaces.mcp import answers, reading
from reverie.surfaces.mcp.pages import Value, short
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Plan, Workspace

BY = Author("agent", "mcp")  # nothing that a program says of itself makes it the owner


@dataclass(frozen=True, slots=True)
class Work:
    """One workspace, now."""

    workspace: Workspace
    clock: Clock

    def search(self, query: str, most: int | None, min_score: float, as_of: str = "", *, record: bool) -> Value:
        here, limit = self.workspace, most or self.workspace.settings.search.max_results
        past = past_of(here, self.clock, as_of)
        answer = search.ask(
            here, here.embedder, self.clock, query, limit=limit, min_score=min_score, record=record, past=past
        )
        return answers.found(answer)

    def get(self, path: str, first: int, lines: int | None) -> Value:
        return reading.passage(self.workspace, path, first, lines or reading.LINES)

    def recall(
        self, message: str, turns: Sequence[dict[str, str]], sender: str = "", as_of: str = "", *, record: bool
    ) -> Value:
        before = [recall.ChatTurn(one.get("role", "user"), one.get("text", one.get("content", ""))) for one in turns]
        past, chat = past_of(self.workspace, self.clock, as_of), recall.Chat(sender=" ".join(sender.split()))
        recalled = recall.recall(self.workspace, self.clock, message, turns=before, chat=chat, record=record, past=past)
        found = recalled_as_dict(recalled)
        places = [one["place"] for one in found["facts"]]
        return short({"status": found["status"], "context": found["context"], "why": found["why"], "places": places})

    def note(self, text: str, first: str = "", last: str = "") -> Value:
        noted = note.note(self.workspace, self.clock, text, by=BY, first=first, last=last)
        value = {"note": noted.path, "kind": noted.kind, "memory": noted.line, "replaced": noted.replaced}
        return short(value | {"why": noted.why, "run": noted.run, "queued": bool(noted.queued) or None})

    def forget(self, description: str, *, dry_run: bool, forever: bool, purge: bool) -> Value:
        gone = forget.forget(self.workspace, self.clock, description, dry_run=dry_run, forever=forever, purge=purge)
        return answers.gone(forgotten_as_dict(gone, forever=forever, purge=purge))

    def begin(self, *, remind: bool) -> Value:
        return answers.begun(
            sessions.begin(self.workspace, self.clock, remind=remind), f"{self.clock.now():%Y-%m-%d %H:%M}"
        )

    def first_words(self) -> str:
        # Anybody may ask for a prompt, and a reminder is given once.
        return first_words(self.workspace, self.clock, remind=False) or say("cli.memory.nothing_to_read")

    def end(self, summary: str) -> Value:
        ended = sessions.end(self.workspace, self.clock, summary)
        if not ended.path:  # nothing of it may be kept
            raise BadInput(say("mcp.no_text"))
        queued = bool(ended.queued) or None
        return short({"note": ended.path, "lines": list(ended.lines), "run": ended.run, "queued": queued})

    def status(self) -> Value:
        here, now = self.workspace, self.clock.now()
        waiting = {}
        with suppress(Sealed):  # the lists are; what can be seen from outside is told anyway
            snapshot, today = read_workspace(here), now.date()
            cards, asked = suggesting.waiting_cards(snapshot, today), open_questions(snapshot, today)
            waiting = {"suggestions": len(cards), "questions": len(asked)}
        return short(status_as_dict(glance(here.root, here.vault, here.settings, now, here.home)) | waiting)

    def runs(self) -> Value:
        return answers.runs(reversed(commands.list_runs(self.workspace)))

    def why(self, line: str) -> Value:
        return answers.story(commands.why(self.workspace, line))

    def why_not(self, text: str) -> Value:
        return answers.reasons(text, why_not(self.workspace, self.clock, text))

    def questions(self) -> Value:
        return {"questions": answers.questions(commands.questions(self.workspace, today=self.clock.now().date()))}

    def suggestions(self, *, everything: bool) -> Value:
        return answers.cards(suggesting.suggestions(self.workspace, self.clock, everything=everything))

    def answer_suggestion(self, its_id: str, answer: str) -> Value:
        done = suggesting.answer(self.workspace, self.clock, {its_id: answer}, AGENT)
        for name, why in done.refused:
            raise RefusedSuggestion(name, why)
        return answers.night(done.night)

    def brief(self) -> Value:
        return brief_as_dict(brief_of(self.workspace, self.clock), notice(self.workspace))

    def answer(self, said: Value) -> Value:
        return taken_as_dict(keep_answer(self.workspace, self.clock, json.dumps(said, ensure_ascii=False)))

    def plan(self) -> tuple[Plan, Value]:
        night = commands.plan_dream(self.workspace, self.clock, ask=False)
        told = answers.diff(commands.diff_of(night)) if night.plan.edits else [say("show.nothing")]
        return night.plan, {"counts": dict(night.plan.counts), "diff": told}

    def review(self, *, apply: bool, force: bool, trusted: bool) -> Value:
        if not trusted:  # a stranger may look; asking a model would cost the owner something
            return answers.night(commands.plan_dream(self.workspace, self.clock, ask=False))
        unanswered = awaited(self.workspace, self.clock)
        night = recorded.review(self.workspace, self.clock, dry_run=not apply, force=force)
        return answers.night(night, notice=unanswered)

    def approve(
        self, plan: Plan | None, *, only: Sequence[str], without: Sequence[str], none: bool, force: bool
    ) -> Value:
        return answers.night(
            recorded.approve(self.workspace, self.clock, plan, only=only, without=without, none=none, force=force)
        )

    def undo(self, run: str, *, dry_run: bool) -> Value:
        return answers.night(commands.undo(self.workspace, self.clock, run, dry_run=dry_run))

    def memory_text(self) -> str:
        return reading.file_text(self.workspace, "MEMORY.md", "memory.md")

    def diary_text(self) -> str:
        return reading.file_text(self.workspace, DIARY)

    def last_night(self) -> str:
        return reading.last_night(self.workspace)

    def palace_text(self, view: str) -> str:
        return reading.palace_text(self.workspace, view)


def plan_given(value: Any) -> Plan:
    """A plan as `dream plan --json` printed it."""
    try:
        return plan_from_dict(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(say("mcp.no_plan", error=error)) from None
