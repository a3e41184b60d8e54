"""The host agent as the judge: the text it is given, what becomes of its answer, and the answer at night. Pure.

An agent needs no key to judge its own memory. It reads the same brief as a model, and hands its operations in some time before
the night. What passed is kept by the words of the lines it speaks of, not by their numbers: notes that are written in
between cost nothing, and what a night has judged is gone from the next brief.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from reverie.core.model_calls import Status, Use, counted
from reverie.judge.answer import RefusedOperation, is_answer, value_of
from reverie.judge.brief import Brief, MemoryLine, NoteLine, Prose, Verdict, asked_for, prose_in
from reverie.judge.brief_text import as_text, same_words
from reverie.judge.by_model import TASK, Refusal, checked, general
from reverie.judge.checks import refusal
from reverie.judge.operation import AGENT, Op, Operation
from reverie.judge.prompts import in_language, prompt
from reverie.judge.recurring import had_left
from reverie.lang.messages import say
from reverie.workspace.values import short_id

HOW = (
    "Write the JSON object to a file and run `dream answer --json FILE` (`-` reads standard input), or give it to the tool "
    "`dream_answer`. What is refused is named with its reason: hand in those operations again, corrected, or leave them out. The "
    "next night does what passed."
)
_PROSE = ("diary", "reflections")
_TAGS = {"completed": "done", "superseded": "untrue", "duplicate": "duplicate", "over budget": "room"}


def text_for_agent(brief: Brief) -> str:
    """Instructions, brief, and how to hand the answer in."""
    lead = f"Tonight's notes and the whole memory.{in_language(brief.language)}{asked_for(brief)}"
    return f"{prompt(TASK).system}\n# How to hand it in\n{HOW}\n\n{lead}\n<data>\n{as_text(brief)}</data>\n"


def take(answer_text: str, brief: Brief, check: Refusal = refusal) -> tuple[list[Operation], list[RefusedOperation]]:
    """The operations of an agent's answer that pass, and the others with their reasons."""
    parsed = value_of(answer_text)
    if parsed.trouble:
        return [], [RefusedOperation(0, "", parsed.why)]
    if not is_answer(parsed.value):
        return [], [RefusedOperation(0, "", say("refused.no_list"))]
    return checked(parsed.value, brief, AGENT, check)


def hash_of(brief: Brief) -> str:
    """The name of a brief: the same as long as the same lines stand in it, on whatever day it is asked for."""
    names = [*map(_key, brief.memory), *map(_key, brief.notes), *(line.removed.id for line in brief.returned)]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def record_of(
    operations: Sequence[Operation], brief: Brief, before: Mapping[str, Any] | None = None, prose: Prose | None = None
) -> dict[str, Any]:
    """An answer as it is kept. What was handed in `before` stays, unless a new operation is about the same lines."""
    given = [as_given(one, brief) for one in operations]
    earlier = [_renamed(one, brief, before) for one in before.get("operations", ())] if before else []
    kept = [one for one in earlier if one is not None and not any(_replaces(new, one) for new in given)]
    told = _prose_given(prose, brief) if prose else {name: before[name] for name in _PROSE if before and name in before}
    named = {name for one in (*kept, *given) for name in (*one["memory"], *one["from"])}
    named |= {name for one in told.get("reflections", ()) for name in one["from"]}
    lines = {name: key for name, key in _keys(brief).items() if name in named}
    lines |= {line.id: line.removed.id for line in brief.returned if line.id in named}
    return {
        "brief": hash_of(brief),
        "read": [_key(line) for line in brief.notes],
        "lines": lines,
        "operations": [*kept, *given],
    } | told


class AgentJudge:
    """Implements the `Judge` port with an answer that was handed in before. Without one, nothing was read."""

    name = AGENT

    def __init__(self, record: Mapping[str, Any] | None, check: Refusal = refusal) -> None:
        self._record, self._check = record or {}, check

    def judge(self, brief: Brief) -> Verdict:
        listed = self._record.get("operations")
        given = [_renamed(one, brief, self._record) for one in listed] if isinstance(listed, list) else []
        known = [one for one in given if one is not None]
        good, refused = checked(known, brief, AGENT, self._check)
        ignored = dict(
            counted([*(general(one.why) for one in refused), *([say("refused.gone")] * (len(given) - len(known)))])
        )
        read = set(self._record.get("read", ()))
        unread = tuple(line.id for line in brief.notes if _key(line) not in read)
        answered = counted([Status.CACHED])
        use = Use(
            AGENT, cached=1, statuses=answered, accepted=counted(str(one.op) for one in good), dropped=MappingProxyType(ignored)
        )  # fmt: skip
        prose = self._prose(brief) if good else Prose()
        return Verdict(tuple(good), MappingProxyType(ignored), use if given else None, prose, unread)

    def _prose(self, brief: Brief) -> Prose:
        listed = self._record.get("reflections")
        there = [_renamed(one, brief, self._record) for one in listed] if isinstance(listed, list) else []
        return prose_in({**self._record, "reflections": [one for one in there if one is not None]}, brief)


def as_given(operation: Operation, brief: Brief) -> dict[str, Any]:
    """An operation in the form of an answer, by the ids of the brief."""
    memory = [line.id for entry in operation.memory for line in brief.memory if line.entry == entry]
    cited = [line.id for claim in operation.cites for line in brief.notes if line.claim == claim]
    cited += [line.id for line in brief.returned if operation.why.endswith(had_left(line.removed))]
    said = {
        "text": operation.text, "old": operation.old, "new": operation.new, "section": operation.section,
        "drops": list(operation.drops), "because": _TAGS.get(operation.tag, "") if operation.op is Op.END else "",
        "expires": operation.expires.isoformat() if operation.expires else "", "why": operation.why.partition("; it had left on ")[0],
    }  # fmt: skip
    kept = {name: one for name, one in said.items() if one or (name == "new" and operation.old)}
    return {"op": str(operation.op), "memory": memory, "from": cited} | kept


def _prose_given(prose: Prose, brief: Brief) -> dict[str, Any]:
    """Prose in the form of an answer, by the ids of the brief."""
    ids = {line.claim: line.id for line in brief.notes}
    told = [{"text": one.text, "from": [ids[claim] for claim in one.cites]} for one in prose.reflections]
    return {"diary": prose.diary, "reflections": told}


def _replaces(new: Mapping[str, Any], old: Mapping[str, Any]) -> bool:
    """Whether an operation takes the place of one that was handed in earlier: it is about the same lines, or adds the same."""
    if new["memory"] or old["memory"]:
        other_values = bool(new.get("old")) and bool(old.get("old")) and new["old"] != old["old"]
        return bool(set(new["memory"]) & set(old["memory"])) and not other_values
    return set(new["from"]) == set(old["from"]) and same_words(new.get("text", ""), old.get("text", ""))


def _renamed(one: Any, brief: Brief, record: Mapping[str, Any]) -> dict[str, Any] | None:
    """A kept operation with the ids that its lines have now; None when one of them is gone."""
    names: Mapping[str, str] = record.get("lines", {})
    now = {key: name for name, key in reversed(_keys(brief).items())}
    now |= {line.removed.id: line.id for line in brief.returned}
    if not isinstance(one, Mapping) or not isinstance(names, Mapping):
        return None
    fields: dict[str, list[str]] = {}
    for field in ("memory", "from"):
        found = [now.get(str(names.get(name))) for name in one.get(field, ())]
        if None in found:
            return None
        fields[field] = [name for name in found if name]
    return {**one, **fields}


def _keys(brief: Brief) -> dict[str, str]:
    """The id of each line → the name that it keeps."""
    lines: list[MemoryLine | NoteLine] = [*brief.memory, *brief.notes]
    return {line.id: _key(line) for line in lines}


def _key(line: MemoryLine | NoteLine) -> str:
    """Eight hex digits by its words: a line keeps them wherever it stands."""
    return short_id(line.text) if isinstance(line, MemoryLine) else line.claim.key[:8]
