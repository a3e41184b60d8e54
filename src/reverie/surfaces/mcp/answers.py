"""What a tool tells of a value: what a model can use of it, and what the command prints for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from reverie.features.search import Answer
from reverie.features.sessions import Begun
from reverie.features.why_not import Reason
from reverie.judge.operation import Question
from reverie.lang.messages import said_with, say
from reverie.night import commands
from reverie.night.suggesting import Card
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Lines
from reverie.surfaces.cli.nights import night_lines
from reverie.surfaces.cli.search import answer_as_dict
from reverie.surfaces.cli.suggestions import FOR_AGENT, card_as_dict
from reverie.surfaces.cli.why import safe
from reverie.surfaces.hooks import HEAD, news_lines, waiting_night
from reverie.surfaces.mcp.pages import Value, short
from reverie.workspace.values import Origin, Run

HOW_TO_ANSWER = f"{FOR_AGENT} Answer each with dream_suggest_answer."
_FOR_PEOPLE = frozenset({"textScore", "vectorScore", "days", "why"})  # of a result: how it was found
_LONG = 200  # characters of a line that only stands around a change, or leaves


def words_of(lines: Lines | Iterable[tuple[str, str]]) -> list[str]:
    """What a command prints for people, as a list of lines."""
    return [line for _, line in lines]


def diff(lines: Lines | Iterable[tuple[str, str]]) -> list[str]:
    """A plan as a diff, what enters whole. What stays or leaves is only to be recognised: it stands in its file."""
    return [line if role in ("add", "why") or len(line) <= _LONG else f"{line[:_LONG]}…" for role, line in lines]


def found(answer: Answer) -> Value:
    """The results in the peer's words (path, startLine, snippet, source, score), without the figures behind them."""
    value = answer_as_dict(answer)
    return short({"notice": value["notice"], "degraded": value["degraded"]}) | {
        "results": [_result(one) for one in value["results"]]
    }


def _result(one: Value) -> Value:
    # Only what is not as usual is worth a word.
    usual = {"endLine": one["startLine"], "origin": Origin.OWNER, "current": True}
    told = {key: item for key, item in one.items() if key not in _FOR_PEOPLE and usual.get(key) != item}
    return short(told | {"score": round(one["score"], 2)})


def gone(forgotten: Value) -> Value:
    """What `forget` took out or would take out, what stays and why."""
    lists = {name: [short(one) for one in forgotten[name]] for name in ("removed", "stays", "near")}
    flags = {name: forgotten[name] or None for name in ("forever", "purged")}
    return (
        short({"run": forgotten["run"], **flags})
        | {"removed": lists["removed"]}
        | short({**forgotten, **flags, **lists})
    )


def night(done: commands.Night, **also: Any) -> Value:
    """What a night did or would do: what it comes to, because a long story is cut, then what the command prints."""
    run, plan = done.run.id if done.run else None, done.plan
    before, after = commands.sizes_of(done)
    also |= {"proposed": done.proposed, "suggestions": commands.waiting_suggestions(done) or None}
    also |= {"undoes": plan.undoes, "files": list(plan.paths) if plan.undoes else None}
    also |= {"characters": [before, after] if before != after else None, "counts": dict(plan.counts)}
    return {"run": run, "changed": bool(run), **short(also), "told": words_of(night_lines(done))}


def runs(every: Iterable[Run]) -> Value:
    """What each run did."""
    return {"runs": [_run(run) for run in every]}


def _run(run: Run) -> Value:
    counts = ", ".join(f"{n} {said_with('tags', tag)}" for tag, n in sorted(run.plan.counts.items()))
    value = {"id": run.id, "at": run.at[:16], "what": said_with("intents", str(run.plan.intent)), "did": counts}
    return short(value | {"undoes": run.plan.undoes, "undone_by": run.undone_by})


def story(told: commands.Story) -> Value:
    """Where a line stands, what runs did with it, the newest first, and what of it the archive holds."""
    value = safe(asdict(told))
    chapters = [short(one | {"id": None, "tag": None}) for one in reversed(value["chapters"])]
    archived = [short(one) for one in reversed(value["archived"])]
    kept = short({"stands": value["stands"], "chapters": chapters, "archived": archived})
    return {"asked": value["asked"], **(kept or {"notice": say("cli.why.unknown", text=shown(told.asked))})}


def reasons(asked: str, every: Iterable[Reason]) -> Value:
    """Why a text is not in memory, nearest first."""
    told = [
        short({"verdict": one.verdict, "detail": shown(one.detail), "place": one.place, "text": shown(one.text)})
        for one in every
    ]
    return {"asked": shown(asked), "reasons": told}


def cards(waiting: Iterable[Card]) -> Value:
    return {"how_to_answer": HOW_TO_ANSWER, "suggestions": [_card(one) for one in waiting]}


def _card(one: Card) -> Value:
    said = [f"{source.place}{f' ({source.day})' if source.day else ''}: {shown(source.text)}" for source in one.said]
    card = {key: value for key, value in card_as_dict(one).items() if key in ("id", "op", "shown", "why")} | {
        "said": said
    }
    decided = {"status": one.status, "decided": one.decided} if one.decided else {"later": one.later}
    return short(card | decided)


def questions(asked: Iterable[Question]) -> list[Value]:
    """What waits for the owner: two lines that cannot both hold, or one that may not belong."""
    return [
        short({"id": one.id, "asked": one.asked[:10], "why": shown(one.why), **_two(one)})
        for one in asked
    ]  # fmt: skip


def _two(one: Question) -> Value:
    first = {"first": shown(one.first), "first_source": one.first_source}
    return first | {"second": shown(one.second), "second_source": one.second_source}


def begun(session: Begun, now: str) -> Value:
    """What a conversation begins with: what is asked of somebody first, because it is short; then today, yesterday, what lasts."""
    value: Value = {"about": HEAD, "now": now, "night": waiting_night(session) if session.unjudged else ""}
    value |= {"reminders": list(session.reminders), "last_night": news_lines(session)}
    value |= {"questions": questions(session.questions), "tasks": [shown(todo) for todo in session.todos]}
    value |= {"suggestions": [_card(one) for one in session.suggestions]}
    read = [{"path": page.path, "title": page.title, "text": shown(page.text)} for page in session.pages]
    return short(value) | {"read": read}
