"""Judges that are language models: one that is asked by a function, `ask(prompt) -> answer`, and the host's own agent.

The agent reads the brief in one command and answers in another, maybe hours later; providers come from elsewhere.
"""

import json
from collections.abc import Callable, Iterable, Sequence

import msgspec

from reverie.judge.answer import prompt, read_answer
from reverie.judge.brief import Brief, Judge, SavedBrief, Verdict, windows
from reverie.operations import Operation

Ask = Callable[[str], str]
HOW_TO = (
    "\n# How to answer\nWrite the JSON object to a file and run `dream answer FILE`, or pipe it to `dream answer -`. Refused"
    ' operations come back with a sentence each; answer those again, corrected. Nothing to do: {"operations": []}.\n'
)


def model_judge(ask: Ask) -> Judge:
    """A judge that shows a model the brief, in windows where it is long; a later window wins about a line."""

    def judge(brief: Brief) -> Verdict:
        saved = brief.saved()
        verdicts = [
            read_answer(ask(prompt(window)), msgspec.structs.replace(saved, reading=window.reading))
            for window in windows(brief)
        ]

        def again(refused: Sequence[tuple[Operation, str]]) -> tuple[Operation, ...]:
            return read_answer(ask(second_chance(brief, refused)), saved).operations

        return Verdict(
            _later_wins(verdict.operations for verdict in verdicts),
            tuple(refusal for verdict in verdicts for refusal in verdict.refused),
            tuple(mark for verdict in verdicts for mark in verdict.read),
            again if brief.snapshot.settings.brief.second_chance else None,
        )

    return judge


def second_chance(brief: Brief, refused: Sequence[tuple[Operation, str]]) -> str:
    """What a model is asked once more: the wishes that were refused, in its own names, each with its sentence."""
    names = {ref: name for name, ref in brief.saved().lines.items()}
    wishes = ""
    for wish, why in refused:
        about = {
            "op": wish.op,
            "memory": [names.get(ref) for ref in wish.lines],
            "from": [names.get(ref) for ref in wish.cites],
        }
        words = {
            "text": wish.text,
            "old": ", ".join(swap.old for swap in wish.swap),
            "new": ", ".join(swap.new for swap in wish.swap),
            "section": " > ".join(wish.under),
        }
        wishes += f"- {json.dumps(about | {name: word for name, word in words.items() if word}, ensure_ascii=False)}\n  {why}\n"
    return (
        f"{prompt(brief)}\n# Refused\nThese operations of your answer were refused. Answer with corrected ones for"
        f" those that can be mended, and with nothing for the others.\n{wishes}"
    )


def agent_text(brief: Brief) -> tuple[str, SavedBrief]:
    """The brief as an agent reads it, and what its names mean, to be kept until the answer comes."""
    first, *others = windows(brief)
    more = f"\nMore notes wait: {len(others)} more briefs follow when this one is answered.\n" if others else ""
    return prompt(first) + more + HOW_TO, msgspec.structs.replace(brief.saved(), reading=first.reading)


def agent_judge(saved: SavedBrief, answer: str) -> Judge:
    """A judge that repeats what an agent answered to the brief that was kept, whatever was typed since."""
    return lambda _: read_answer(answer, saved, "agent")


def _later_wins(groups: Iterable[Sequence[Operation]]) -> tuple[Operation, ...]:
    """Of operations of several windows about one line of memory those of the last; additions all stay."""
    kept: list[Operation] = []
    for group in groups:
        lines = {ref for operation in group for ref in operation.lines}
        kept = [*(operation for operation in kept if not lines.intersection(operation.lines)), *group]
    return tuple(kept)


class ScriptedModel:
    """The published fake: answers in turn with what it was given, and remembers what it was asked."""

    def __init__(self, *answers: str | Sequence[dict[str, object]]) -> None:
        self._answers = [a if isinstance(a, str) else json.dumps({"operations": list(a)}) for a in answers]
        self.prompts: list[str] = []

    def __call__(self, prompt_text: str) -> str:
        self.prompts.append(prompt_text)
        return self._answers[min(len(self.prompts), len(self._answers)) - 1]
