"""A language model as the judge: one question a window, one answer with operations, one second chance for what is refused.

What it says is read leniently and checked line by line; what fails goes back once with its reason, and is then dropped and
counted. A window without an answer is named, so that somebody else can judge its notes. Nothing a model does raises here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from reverie.core.model_calls import Ask, Status, counted
from reverie.judge.answer import RefusedOperation, is_answer, placed_in
from reverie.judge.asker import Asker
from reverie.judge.brief import DIARY, Brief, Prose, Verdict, asked_for, joined, prose_in
from reverie.judge.brief_text import DEFAULT_TOKENS, OPENS, Window, around, as_text, contested, halves, settled, windows
from reverie.judge.checks import refusal
from reverie.judge.operation import Operation
from reverie.judge.prompts import in_language, in_style, prompt

TASK = "night"
LEAST = MappingProxyType({"type": ["object", "array"]})  # whatever else it is, is read operation by operation
_CUTS = 2  # a model that never ends is not asked about every single line
_LONGEST = 500  # characters of a refused operation that are told back
_QUOTED = re.compile("“[^”]*”(?:(?:, |、)“[^”]*”)*")
_NAME = re.compile(r"(?<![A-Za-z0-9])[mna]\d+")
_AGAIN = (
    "Parts of tonight's notes were judged apart from each other and came to different ends about these lines. Judge them "
    "together, and say nothing twice."
)
_REFUSED = (
    "These operations of your last answer were refused, each for the reason behind it. Give each of them again as it can "
    "stand, or leave it out; say nothing about anything else."
)

Refusal = Callable[[Operation, Brief], str]


@dataclass(slots=True)
class _Tally:
    """What came of the windows so far."""

    answers: list[list[Operation]] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    prose: list[Prose] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


class ModelJudge:
    """Implements the `Judge` port."""

    def __init__(
        self, asker: Asker, name: str, *, brief_tokens: int = DEFAULT_TOKENS, check: Refusal = refusal
    ) -> None:
        self.name = name
        self._asker, self._tokens, self._check = asker, brief_tokens, check

    def judge(self, brief: Brief) -> Verdict:
        tally = _Tally()
        for window in windows(brief, self._tokens):
            self._window(brief, window, tally)
        operations = self._together(brief, tally)
        ignored = MappingProxyType(dict(tally.ignored.most_common()))
        use = replace(self._asker.use, accepted=counted(str(one.op) for one in operations), dropped=ignored)
        return Verdict(operations, ignored, use, joined(tally.prose), tuple(dict.fromkeys(tally.unread)))

    def _window(self, brief: Brief, window: Window, tally: _Tally, cut: int = 0) -> None:
        """One window's operations. An answer that was cut short is asked for again in halves, and these once more."""
        answered = self._asker.ask(question(window))
        if not is_answer(answered.value):
            parts = halves(window) if answered.status is Status.TRUNCATED and cut < _CUTS else ()
            if len(parts) > 1:
                for part in parts:
                    self._window(brief, part, tally, cut + 1)
            else:
                tally.unread += [line.id for line in window.brief.notes]
            return
        tally.prose.append(prose_in(answered.value, brief))
        good, refused = self._checked(answered.value, brief)
        if refused:
            good, refused = self._second_chance(brief, good, refused)
        tally.answers.append(good)
        tally.ignored.update(general(one.why) for one in refused)

    def _checked(self, answer: Any, brief: Brief) -> tuple[list[Operation], list[RefusedOperation]]:
        return checked(answer, brief, self.name, self._check)

    def _second_chance(
        self, brief: Brief, good: list[Operation], refused: Sequence[RefusedOperation]
    ) -> tuple[list[Operation], list[RefusedOperation]]:
        """What is good with what was mended, and what stays refused. Without an answer everything stays as it was."""
        answered = self._asker.ask(once_more(brief, refused))
        if answered.value is None:
            return good, list(refused)
        mended, still = self._checked(answered.value, brief)
        known = {one.id for one in good}
        mended = [one for one in mended if one.id not in known][: len(refused)]
        left = max(0, len(refused) - len(mended) - len(still))  # given up: what it says no more about
        return [*good, *mended], [*still, *refused[len(refused) - left :]]

    def _together(self, brief: Brief, tally: _Tally) -> tuple[Operation, ...]:
        """The operations of all windows; what two of them disagree about is decided once more, over these lines alone."""
        found = list({one.id: one for answer in tally.answers for one in answer}.values())
        small, torn = contested(brief, tally.answers)
        if small is None:
            return tuple(found)
        answered = self._asker.ask(_ask(f"{_AGAIN}{in_language(brief.language)}", Window(small, 0).text))
        names = {one.id for one in torn}
        rest = [one for one in found if one.id not in names]
        if not is_answer(answered.value):
            return (*rest, *settled(torn))
        again, refused = self._checked(answered.value, brief)
        tally.ignored.update(general(one.why) for one in refused)
        return (*rest, *(one for one in again if one.id not in {other.id for other in rest}))


def question(window: Window, *, refused: bool = False) -> Ask:
    """What a model is asked about a window. The instructions are the same for every night and every window.

    With `refused` no question that is ever sent, but as large as the one about what was refused can become.
    """
    part = (
        f"Part {window.number} of {window.of} of tonight's notes, with the lines of memory that they could concern."
        if window.of > 1
        else "Tonight's notes and the whole memory."
    )
    lead = f"{part}{_REFUSED}" if refused else part
    brief = window.brief
    return _ask(f"{lead}{in_language(brief.language)}{asked_for(brief)}{_told_diary(brief)}", window.text)


def _told_diary(brief: Brief) -> str:
    """In which other language and in which style the diary is wanted."""
    if DIARY not in brief.tells:
        return ""
    language = in_language(brief.diary_language).replace("every sentence of your own", 'the field "diary"')
    return f"{language}{in_style(brief.diary_style)}"


def once_more(brief: Brief, refused: Sequence[RefusedOperation]) -> Ask:
    """The question about operations that were refused, with their reasons and the lines around those they cite."""
    given = [json.dumps(one.given, ensure_ascii=False, default=str) for one in refused]
    ids = {name for text in given for name in _NAME.findall(text) if name in brief.lines}
    told = "\n".join(f"{text[:_LONGEST]} — {one.why}." for text, one in zip(given, refused, strict=True))
    text = as_text(around(brief, ids, given), 0)
    # They are a model's words about notes, so they are fenced like the notes themselves.
    return _ask(f"{_REFUSED}{in_language(brief.language)}", f"{text}# Refused\n{told.replace('<', OPENS)}\n")


def checked(
    answer: Any, brief: Brief, by: str, check: Refusal = refusal
) -> tuple[list[Operation], list[RefusedOperation]]:
    """The operations of an answer that pass, and the others with their reasons, in the order of the answer."""
    found, unclear = placed_in(answer, brief, by)
    good: list[Operation] = []
    refused = list(unclear)
    for place, given, one in found:
        if why := check(one, brief):
            refused.append(RefusedOperation(place, given, why.rstrip(".。")))
        else:
            good.append(one)
    return good, sorted(refused, key=lambda one: one.place)


def general(why: str) -> str:
    """A reason as it is counted and logged: without the words it quotes, which may be a liar's."""
    return _QUOTED.sub("“…”", why)


def _ask(lead: str, data: str) -> Ask:
    told = prompt(TASK)
    user = f"{lead}\n<data>\n{data}</data>\n"
    return Ask(TASK, told.version, told.system, user, told.schema, told.most_tokens, LEAST)
