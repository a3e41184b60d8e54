"""What a model may say about the themes of the last days: one sentence, resting on lines that it names and that say so. Pure.

A sentence that fails is dropped and counted; one that gives orders spoils the whole answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reverie.counsel import Status
from reverie.drawers import cut
from reverie.grounded_text import in_one_script, is_turned, speaks, unsaid
from reverie.phases.narrative import common_words, gives_orders, not_plain
from reverie.phases.requests import is_request
from reverie.phases.themes import Seen, Theme
from reverie.privacy.redact import holds_mask
from reverie.sense import bag
from reverie.specifics import sentences

MOST = 3
LONGEST = 240  # characters of a sentence
LINE = 240  # characters of a line that are shown
LINES = 6  # of a theme
RESTS_ON = 2  # lines: what a single one says is no reflection


def shown(themes: Sequence[Theme], lines: Sequence[Seen]) -> tuple[dict[str, Any], dict[str, Seen]]:
    """(the data of the question, the lines by the ids it gives them). No path, no secret, and nothing that reads like an order."""
    ids: dict[int, str] = {}
    told = []
    for theme in themes:
        numbers = [number for _, number in theme.sources if _may_be_shown(lines[number])][-LINES:]
        for number in numbers:
            ids.setdefault(number, f"l{len(ids) + 1}")
        items = [{"id": ids[n], "day": str(lines[n].day or ""), "text": cut(lines[n].text, LINE)} for n in numbers]
        if len(items) >= RESTS_ON:
            told.append({"theme": theme.phrase, "days": theme.days, "lines": items})
    return {"themes": told}, {name: lines[number] for number, name in ids.items()}


def _may_be_shown(line: Seen) -> bool:
    return not holds_mask(line.text) and not is_request(line.text)


def kept(
    items: Sequence[Mapping[str, Any]], lines: Mapping[str, Seen], language: str
) -> tuple[tuple[str, ...], Status, str]:
    """(the sentences that hold, what came of the answer, why one was dropped)."""
    found: list[str] = []
    worst, why = Status.ANSWERED, ""
    for item in items[:MOST]:
        text = " ".join(str(item["text"]).split())
        status, reason = trouble_with(text, [str(name) for name in item["lines"]], lines, language)
        if status is Status.OBEYED:
            return (), status, reason
        if status is Status.ANSWERED:
            found.append(text)
        else:
            worst, why = status, reason
    return tuple(dict.fromkeys(found)), Status.ANSWERED if found else worst, why


def trouble_with(text: str, cites: Sequence[str], lines: Mapping[str, Seen], language: str) -> tuple[Status, str]:
    """(why the sentence does not hold, in words); (ANSWERED, "") for one that does."""
    if gives_orders(text):
        return Status.OBEYED, "it gives orders"
    if why := not_plain(text) or (
        "" if len(text) <= LONGEST and len(sentences(text)) == 1 else "it is not one short sentence"
    ):
        return Status.INVALID, why
    if not speaks(text, language) or not in_one_script(text, language, "".join(map(_whole, lines.values()))):
        return Status.WRONG_LANGUAGE, "it is not in the owner's language"
    if any(name not in lines for name in cites) or len(set(cites)) < RESTS_ON:
        return Status.UNGROUNDED, "it cites too few lines, or one that it was not shown"
    rests_on = [lines[name] for name in dict.fromkeys(cites)]
    if strange := unsaid(text, [_whole(line) for line in rests_on], common_words(language)):
        return Status.UNGROUNDED, f"its lines do not say {', '.join(strange[:3])}"
    if sum(bool(bag(text) & bag(_whole(line))) for line in rests_on) < RESTS_ON:
        return Status.UNGROUNDED, "it is about something else than its lines"
    near = [len(bag(text) & bag(line.text)) for line in rests_on]
    nearest = [line for line, shared in zip(rests_on, near, strict=True) if shared == max(near)]
    if all(is_turned(line.text) != is_turned(text) for line in nearest):
        return Status.UNGROUNDED, "it turns round what its lines say"
    return Status.ANSWERED, ""


def still_said(reflections: Sequence[str], lines: Sequence[Seen], language: str) -> tuple[str, ...]:
    """The sentences that the lines of these days still bear out, at most three."""
    if not reflections:
        return ()
    told = [_whole(line) for line in lines]
    return tuple(
        one
        for one in reflections[:MOST]
        if not (not_plain(one) or gives_orders(one) or unsaid(one, told, common_words(language)))
    )


def _whole(line: Seen) -> str:
    return "\n".join((line.text, line.context, str(line.day or "")))
