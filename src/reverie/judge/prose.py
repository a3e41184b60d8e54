"""What a judge tells besides its operations: a paragraph for the diary, and what runs through several notes. Pure, unchecked.

It comes in the same answer as the operations, so it costs no question of its own. Whether it may stand anywhere is for
`reverie.features.diary.narrative`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reverie.judge.brief import DIARY, REFLECTIONS, Brief, NoteLine
from reverie.workspace.values import Statement

MOST_REFLECTIONS = 3
_ASKED = {
    DIARY: (
        ' Add a field "diary" to the answer: three to five calm sentences in the first person, as the agent whose memory this is, '
        "about what changes tonight; only what your operations say, no secret, no list."
    ),
    REFLECTIONS: (
        ' Add a field "reflections" to it: at most three [{"text":"…","from":["n3","n17"]}], each one sentence about what runs '
        "through at least two of the notes and is no operation: a subject that returns, a worry, a change of direction."
    ),
}


@dataclass(frozen=True, slots=True)
class Reflection:
    """A sentence about what runs through several notes, and the notes."""

    text: str
    cites: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """What a judge tells of a night."""

    diary: str = ""
    reflections: tuple[Reflection, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.diary or self.reflections)


def asked_for(brief: Brief) -> str:
    """The sentences that ask a judge for the prose its owner wants; empty where none is wanted."""
    return "".join(_ASKED[kind] for kind in brief.tells)


def prose_in(answer: Any, brief: Brief) -> Prose:
    """What an answer tells. What is no prose, or speaks of no notes of the brief, is left out without a word."""
    if not isinstance(answer, Mapping):
        return Prose()
    listed = answer.get("reflections")
    found = [one for item in (listed if isinstance(listed, list) else ()) if (one := _reflection(item, brief))]
    return Prose(_line(answer.get("diary")), tuple(found[:MOST_REFLECTIONS]))


def joined(parts: Iterable[Prose]) -> Prose:
    """The prose of several windows as that of one night."""
    parts = tuple(parts)
    reflections = [one for part in parts for one in part.reflections]
    return Prose(" ".join(part.diary for part in parts if part.diary), tuple(reflections[:MOST_REFLECTIONS]))


def _reflection(item: Any, brief: Brief) -> Reflection | None:
    if not isinstance(item, Mapping) or not isinstance(names := item.get("from"), list):
        return None
    lines = [brief.lines.get(str(name).strip("[] ")) for name in names]
    claims = tuple(dict.fromkeys(line.claim for line in lines if isinstance(line, NoteLine)))
    text = _line(item.get("text"))
    return Reflection(text, claims) if text and len(claims) > 1 else None


def _line(said: Any) -> str:
    return " ".join(said.split()) if isinstance(said, str) else ""


__all__ = ["MOST_REFLECTIONS", "Prose", "Reflection", "asked_for", "joined", "prose_in"]
