"""What a tool hands to a model: JSON on one line, short, and nothing of it lost.

A model pays for every byte in every later turn of its conversation. So an answer has at most `FIRST` bytes; what does not fit is
kept under a handle, and `dream_more` gives it page by page. Each page is JSON of its own, cut between items where that is
possible and inside a text where it is not.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Generic, TypeVar

from reverie.features.search import Answer
from reverie.features.sessions import Begun
from reverie.features.why_not import Reason
from reverie.judge.operation import Question
from reverie.lang.messages import said_with
from reverie.night import commands
from reverie.night.suggesting import Card
from reverie.privacy.redact import shown
from reverie.surfaces.cli.common import Lines
from reverie.surfaces.cli.nights import night_lines
from reverie.surfaces.cli.search import answer_as_dict
from reverie.surfaces.cli.suggestions import FOR_AGENT, card_as_dict
from reverie.surfaces.cli.why import safe
from reverie.surfaces.hooks import HEAD, waiting_night
from reverie.workspace.values import Origin, Run

T = TypeVar("T")
Value = dict[str, Any]
FIRST, NEXT = 2_048, 8_192  # bytes: of an answer, and of each page that somebody asks for after it
KEPT = 32  # things that wait under a handle; the oldest makes room
HOW_TO_ANSWER = f"{FOR_AGENT} Answer each with dream_suggest_answer."
_HANDLE = 48  # bytes that the handle itself takes
_LEAST = 256  # bytes; a text is not cut to pieces smaller than this
_CUT = "…"
_FOR_PEOPLE = frozenset({"textScore", "vectorScore", "days", "why"})  # of a result: how it was found


class Shelf(Generic[T]):
    """Things under a handle that nobody can guess, until newer ones need their place."""

    def __init__(self) -> None:
        self._kept: deque[tuple[str, T]] = deque(maxlen=KEPT)

    def put(self, thing: T) -> str:
        handle = secrets.token_hex(4)
        self._kept.append((handle, thing))
        return handle

    def get(self, handle: str) -> T | None:
        return next((thing for name, thing in tuple(self._kept) if name == handle.strip()), None)


def as_text(value: Any) -> str:
    """JSON without a space too many; a byte that is no letter becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode("utf-8")


def page_of(value: Value, rests: Shelf[Value], room: int = FIRST) -> str:
    """The value as text of at most `room` bytes. Where it is longer, `more` is the handle of the rest and `left` its bytes."""
    part, rest = split(value, room)
    if rest is None:
        return as_text(part)
    part, rest = split(value, room - _HANDLE)
    return as_text({**part, "more": rests.put(rest), "left": _bytes(rest)})


def split(value: Any, room: int) -> tuple[Any, Any]:
    """As much of a value as fits into so many bytes, and the rest, which is None where nothing is left."""
    if _bytes(value) <= room:
        return value, None
    if isinstance(value, str):
        return _split_text(value, room)
    if isinstance(value, dict):
        parts, rests = _filled([(f"{as_text(key)}:", (key, item)) for key, item in value.items()], room)
        return dict(parts), dict(rests)
    parts, rests = _filled([("", (0, item)) for item in value], room)
    return [item for _, item in parts], [item for _, item in rests]


_Named = tuple[Any, Any]


def _filled(named: list[tuple[str, _Named]], room: int) -> tuple[list[_Named], list[_Named]]:
    """The first of these that fit beside each other, and the others. One that is too long is cut where there is room for a piece."""
    taken: list[_Named] = []
    left = room - 2  # the brackets
    for at, (lead, (key, item)) in enumerate(named):
        left -= len(lead.encode()) + bool(taken)
        if _bytes(item) <= left:
            taken.append((key, item))
            left -= _bytes(item)
            continue
        others = [pair for _, pair in named[at + 1 :]]
        if left < _LEAST or (taken and not lead):  # an item of a list goes whole to the next page
            return taken, [(key, item), *others]
        part, rest = split(item, left)
        return [*taken, (key, part)], [(key, rest), *others]
    return taken, []


def _split_text(text: str, room: int) -> tuple[str, str]:
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _bytes(text[:middle] + _CUT) <= room else (low, middle - 1)
    words = max(text.rfind(" ", 0, low), text.rfind("\n", 0, low)) + 1
    at = words if words > low // 2 else low
    return text[:at] + _CUT, _CUT + text[at:]


def _bytes(value: Any) -> int:
    return len(as_text(value).encode())


def short(value: Value) -> Value:
    """Without what says nothing."""
    return {key: item for key, item in value.items() if item not in (None, "", [], {})}


def words_of(lines: Lines | Iterable[tuple[str, str]]) -> list[str]:
    """What a command prints for people, as a list of lines."""
    return [line for _, line in lines]


def found(answer: Answer) -> Value:
    """The results in the peer's words (path, startLine, snippet, source, score), without the figures behind them."""
    value = answer_as_dict(answer)
    return short({"degraded": value["degraded"]}) | {"results": [_result(one) for one in value["results"]]}


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
    return {"asked": value["asked"], **kept}


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
    value |= {"questions": questions(session.questions), "tasks": [shown(todo) for todo in session.todos]}
    value |= {"suggestions": [_card(one) for one in session.suggestions]}
    read = [{"path": page.path, "title": page.title, "text": shown(page.text)} for page in session.pages]
    return short(value) | {"read": read}
