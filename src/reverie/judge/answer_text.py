"""From the text of an answer to its value, or to the reason why it has none. Nothing is repaired and nothing guessed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import Any

from reverie.core.model_calls import Status

LONGEST = 1_000_000  # characters; no answer of ours needs a hundredth of it
DEEPEST = 24  # brackets within brackets

_FENCE = re.compile(r"```(?:json)?[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*```", re.S | re.I)
_OPENING = re.compile(r"```(?:json)?[ \t]*\r?\n", re.I)
_TOKEN = re.compile(r'(?P<string>"[^"\\]*(?:\\.[^"\\]*)*(?P<end>")?)|[\[{\]}]', re.S)

# How people and models decline, at the beginning of what they say. It decides the name of the failure and nothing else.
_REFUSAL = re.compile(
    r"(?:(?:i['’]?m|i am|we['’]re) (?:very |really |so )?sorry|sorry[,.]|i (?:can['’]?t|can ?not|won['’]?t|will not)\b|i(?:['’]m| am) (?:unable|not able)\b|unfortunately,? i\b"
    r"|(?:非常|很|十分)?抱歉|对不起|對不起|我(?:无法|無法|不能|没办法|沒辦法)"
    r"|(?:es )?tut mir (?:sehr )?leid|entschuldig|leider kann ich|(?:ich|das) kann (?:ich )?[^.{\[]{0,60}nicht"
    r"|lo siento|lamento|no puedo|no me es posible|perdón"
    r"|(?:je suis )?désolée?|je ne (?:peux|puis) pas|je ne suis pas en mesure|je regrette"
    r"|desculp|sinto muito|não (?:posso|consigo)|infelizmente"
    r"|извините|простите|к сожалению|(?:я )?не могу"
    r"|申し訳|すみません|ごめんなさい|[^。{\[]{0,40}(?:できません|できかねます|致しかねます|いたしかねます)"
    r"|죄송|미안|[^.{\[]{0,40}(?:수 없습니다|수 없어요|수가 없습니다))",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The value of an answer, or the status and the reason why there is none."""

    value: Any = None
    trouble: Status | None = None
    why: str = ""


def value_in(text: str) -> Parsed:
    """One JSON value with nothing around it but whitespace and at most one code fence."""
    if len(text) > LONGEST:
        return Parsed(None, Status.INVALID, f"the answer is longer than {LONGEST:,} characters")
    inside = _unfenced(text)
    if not inside.startswith(("{", "[")):
        return _no_json(inside)
    deepest, left_open = _brackets(inside)
    if deepest > DEEPEST:
        return Parsed(None, Status.INVALID, f"the answer is nested deeper than {DEEPEST} brackets")
    try:
        value = json.loads(inside, object_pairs_hook=_once, parse_float=_finite, parse_constant=_finite)
        json.dumps(value, ensure_ascii=False).encode()  # half a character would break whoever writes it down
        return Parsed(value)
    except (ValueError, RecursionError):
        if left_open:
            return Parsed(None, Status.TRUNCATED, "the answer ends before its last bracket closes")
        return Parsed(None, Status.INVALID, "the answer is not JSON")


def _unfenced(text: str) -> str:
    text = text.strip()
    if whole := _FENCE.fullmatch(text):
        return whole["inside"].strip()
    # A fence that never closes belongs to an answer that was cut short: what is in it says so.
    opening = _OPENING.match(text)
    inside = text[opening.end() :].strip() if opening else text
    return inside if _brackets(inside)[1] else text


def _no_json(text: str) -> Parsed:
    if _REFUSAL.match(text.lstrip("*_#> \"'“「")):
        return Parsed(None, Status.REFUSED, "the model declined to answer")
    return Parsed(None, Status.INVALID, "the answer is not JSON" if text else "the answer is empty")


def _brackets(text: str) -> tuple[int, bool]:
    """How deep the brackets go, and whether the text ends inside one. Those in strings do not count."""
    depth = deepest = 0
    for found in _TOKEN.finditer(text):
        if found["string"] is not None:
            if found["end"] is None:
                return deepest, True
        elif found[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest, depth > 0


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that says one thing twice says nothing."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("not a number that can be written down")
    return number
