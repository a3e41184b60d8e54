"""What each tool does: the function its command calls, and the value that the command prints with `--json`.

Nothing here knows the protocol. Whether the caller is trusted comes in as a value; who is not may look, and no more: nothing
they say is noted, and what they search for is not counted as a recall.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from reverie.apply.saved import plan_as_dict, plan_from_dict
from reverie.core.errors import BadInput, RefusedSuggestion, ReverieError
from reverie.core.ports import Clock
from reverie.features import note, search
from reverie.features.forget import forget
from reverie.features.glance import glance
from reverie.features.recall import recall
from reverie.features.schedule import proof
from reverie.judge.operation import AGENT
from reverie.night import engine, suggesting
from reverie.night.agent import awaited, keep_answer, notice
from reverie.night.briefing import brief_of
from reverie.surfaces.cli.for_agent import brief_as_dict, taken_as_dict
from reverie.surfaces.cli.forget_command import forgotten_as_dict
from reverie.surfaces.cli.nights import night_as_dict
from reverie.surfaces.cli.recall_command import recalled_as_dict
from reverie.surfaces.cli.search_command import answer_as_dict
from reverie.surfaces.cli.status_command import status_as_dict
from reverie.surfaces.cli.suggestions_command import FOR_AGENT, answered_as_dict, cards_as_dict
from reverie.surfaces.cli.why_command import safe
from reverie.surfaces.mcp import reading
from reverie.workspace.values import Workspace

Value = dict[str, Any]
HOW_TO_ANSWER = f"{FOR_AGENT} Answer each with dream_suggest_answer."


class NotYours(ReverieError):
    """A caller who is not trusted asked for a change."""

    exit_code = BadInput.exit_code

    def __init__(self, what: str) -> None:
        super().__init__(f"Only the owner may {what}. Ask them, or connect with their token.")


class Tools:
    """The tools of one workspace. It is opened anew for each call, so that new settings hold at once."""

    def __init__(self, open_it: Callable[[], Workspace], clock: Callable[[str], Clock]) -> None:
        self._open, self._clock = open_it, clock
        self._kept: Workspace | None = None

    @property
    def workspace(self) -> Workspace:
        fresh = self._open()
        if fresh != self._kept:  # the same settings: keep the embedder and with it the open index
            self._kept = fresh
        return self._kept

    def _now(self, workspace: Workspace) -> Clock:
        return self._clock(workspace.settings.timezone)

    def search(self, query: str, limit: int | None, min_score: float, *, trusted: bool) -> Value:
        if not query.strip():
            raise BadInput("There is no question.")
        workspace = self.workspace
        most = limit or workspace.settings.search.max_results
        clock, embedder = self._now(workspace), workspace.embedder
        return answer_as_dict(
            search.ask(workspace, embedder, clock, query, limit=most, min_score=min_score, record=trusted)
        )

    def get(self, path: str, first: int, lines: int) -> Value:
        found = reading.passage(self.workspace, path, first, lines)
        return {
            "path": found.path, "status": found.status, "from": found.first, "to": found.last, "text": found.text,
            "truncated": bool(found.more), "nextFrom": found.more or None, "notice": found.why or None,
        }  # fmt: skip

    def recall(self, message: str, turns: Sequence[tuple[str, str]], *, trusted: bool) -> Value:
        if not message.strip():
            raise BadInput("There is no message.")
        workspace = self.workspace
        said = [recall.Said(role, text) for role, text in turns]
        return recalled_as_dict(recall.recall(workspace, self._now(workspace), message, turns=said, record=trusted))

    def note(self, text: str, *, trusted: bool) -> Value:
        self._only_owner(trusted, "have something noted as their own word")
        workspace = self.workspace
        noted = note.note(workspace, self._now(workspace), text)
        return {
            "note": noted.path, "kind": noted.kind or None, "memory": noted.line or None, "replaced": noted.replaced or None,
            "why": noted.why or None, "run": noted.run,
        }  # fmt: skip

    def forget(self, description: str, *, dry_run: bool, forever: bool, purge: bool, trusted: bool) -> Value:
        self._only_owner(trusted or dry_run, "have something forgotten")
        workspace = self.workspace
        gone = forget.forget(
            workspace, self._now(workspace), description, dry_run=dry_run, forever=forever, purge=purge
        )
        return forgotten_as_dict(gone, forever=forever, purge=purge)

    def status(self) -> Value:
        workspace = self.workspace
        now = self._now(workspace).now()
        return status_as_dict(glance(workspace.root, workspace.vault, workspace.settings, now))

    def review(self, *, apply: bool, force: bool, trusted: bool) -> Value:
        self._only_owner(trusted or not apply, "let a night write")
        workspace = self.workspace
        if not trusted:  # a stranger may look; asking a model would cost the owner something
            return night_as_dict(engine.plan_dream(workspace, self._now(workspace), ask=False), with_plan=False)
        unanswered = awaited(workspace, self._now(workspace))
        night = proof.review(workspace, self._now(workspace), dry_run=not apply, force=force)
        return night_as_dict(night, with_plan=False) | {"notice": unanswered or None}

    def plan(self) -> Value:
        workspace = self.workspace
        return plan_as_dict(engine.plan_dream(workspace, self._now(workspace), ask=False).plan)

    def approve(
        self, plan: Value | None, only: Sequence[str], without: Sequence[str], *, none: bool, force: bool, trusted: bool
    ) -> Value:
        self._only_owner(trusted, "approve a plan")
        workspace = self.workspace
        chosen = _plan(plan) if plan is not None else None
        night = engine.apply_plan(
            workspace, chosen, self._now(workspace), only=only, without=without, none=none, force=force
        )
        return night_as_dict(night, with_plan=False)

    def undo(self, run: str, *, dry_run: bool, trusted: bool) -> Value:
        self._only_owner(trusted or dry_run, "take a run back")
        workspace = self.workspace
        return night_as_dict(engine.undo(workspace, self._now(workspace), run, dry_run=dry_run), with_plan=dry_run)

    def why(self, line: str) -> Value:
        if not line.strip():
            raise BadInput("There is no line. Name it by its id or its words.")
        told = safe(asdict(engine.why(self.workspace, line)))
        assert isinstance(told, dict)
        return told

    def brief(self) -> Value:
        workspace = self.workspace
        return brief_as_dict(brief_of(workspace, self._now(workspace)), notice(workspace))

    def answer(self, operations: Sequence[Value], diary: str, reflections: Sequence[Value], *, trusted: bool) -> Value:
        self._only_owner(trusted, "let somebody judge their memory")
        workspace = self.workspace
        said = {"operations": list(operations), "diary": diary, "reflections": list(reflections)}
        text = json.dumps(said, ensure_ascii=False)
        return taken_as_dict(keep_answer(workspace, self._now(workspace), text))

    def suggestions(self, *, everything: bool) -> Value:
        workspace = self.workspace
        found = suggesting.suggestions(workspace, self._now(workspace), everything=everything)
        return cards_as_dict(found, HOW_TO_ANSWER)

    def suggest_answer(self, its_id: str, answer: str, *, trusted: bool) -> Value:
        self._only_owner(trusted, "have a suggestion answered")
        workspace = self.workspace
        done = suggesting.answer(workspace, self._now(workspace), {its_id: answer}, AGENT)
        for name, why in done.refused:
            raise RefusedSuggestion(name, why)
        return answered_as_dict(done)

    @staticmethod
    def _only_owner(allowed: bool, what: str) -> None:  # noqa: FBT001  the whole of the question
        if not allowed:
            raise NotYours(what)


def _plan(value: Value) -> Any:
    try:
        return plan_from_dict(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"That is no plan ({error}). Give back what `dream_plan` returned, unchanged.") from None
