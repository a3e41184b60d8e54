"""Judges that are language models: a function, `ask(prompt) -> answer`, and the host's own agent, which reads the brief in
one command and answers in another, maybe hours later."""

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from reverie.errors import ModelFailed
from reverie.judge.answer import prompt, read_answer
from reverie.judge.brief import Brief, Judge, SavedBrief, Verdict, windows
from reverie.judge.rules import decide
from reverie.operations import Operation

Ask = Callable[[str], str]
HOW_TO = (
    "\n# How to answer\nWrite the JSON object to a file and run `dream answer FILE -w WHERE`, or pipe it to `dream answer -`. Refused"
    ' operations come back with a sentence each; answer those again, corrected. Nothing to do: {"operations": []}.\n'
)


def model_judge(ask: Ask) -> Judge:
    """A judge that shows a model the brief, in windows where it is long; a later window wins about a line."""

    def judge(brief: Brief) -> Verdict:
        saved, verdict = brief.saved(), Verdict()
        for window in windows(brief):
            later = read_answer(ask(prompt(window)), msgspec.structs.replace(saved, reading=window.reading))
            lines = {ref for operation in later.operations for ref in operation.lines}
            kept = (operation for operation in verdict.operations if not lines.intersection(operation.lines))
            operations, refused = (*kept, *later.operations), (*verdict.refused, *later.refused)
            read, diary = (*verdict.read, *later.read), " ".join(filter(None, (verdict.diary, later.diary)))
            verdict = Verdict(operations, refused, read, diary=diary)

        def again(refused: Sequence[tuple[Operation, str]]) -> tuple[Operation, ...]:
            try:
                return read_answer(ask(second_chance(brief, refused)), saved).operations
            except ModelFailed:
                return ()  # what was answered first stands

        return replace(verdict, again=again if brief.snapshot.settings.brief.second_chance else None)

    return judge


def led_by(ask: Ask, judged_by: Callable[[], str] = lambda: "a model") -> Judge:
    """A model leads; where it does not answer, the rules do what is certain, and the night says so."""

    def judge(brief: Brief) -> Verdict:
        try:
            return replace(model_judge(ask)(brief), judged_by=judged_by)
        except ModelFailed as error:
            verdict = decide(brief)
            return replace(verdict, refused=(*verdict.refused, ("The model", f"{error} The rules judged instead.")))

    return judge


def second_chance(brief: Brief, refused: Sequence[tuple[Operation, str]]) -> str:
    """What a model is asked once more: the wishes that were refused, in its own names, each with its sentence."""
    names = {ref: name for name, ref in brief.saved().lines.items()}
    wishes = ""
    for wish, why in refused:
        lines, cites = ([names.get(ref) for ref in refs] for refs in (wish.lines, wish.cites))
        old, new = (", ".join(getattr(swap, side) for swap in wish.swap) for side in ("old", "new"))
        words = {"text": wish.text, "old": old, "new": new, "section": " > ".join(wish.under)}
        about = {"op": wish.op, "memory": lines, "from": cites} | {name: word for name, word in words.items() if word}
        wishes += f"- {json.dumps(about, ensure_ascii=False)}\n  {why}\n"
    return (
        f"{prompt(brief)}\n# Refused\nThese operations of your answer were refused. Answer with corrected ones for"
        f" those that can be mended, and with nothing for the others.\n{wishes}"
    )


def agent_text(brief: Brief) -> tuple[str, SavedBrief]:
    """The brief as an agent reads it, and what its names mean, to be kept until the answer comes."""
    first, *others = windows(brief)
    more = f"\nMore notes wait: {len(others)} more briefs follow when this one is answered.\n" if others else ""
    how_to = HOW_TO.replace("WHERE", shlex.quote(str(brief.snapshot.layout.root)))  # an agent may stand elsewhere
    return prompt(first) + more + how_to, msgspec.structs.replace(brief.saved(), reading=first.reading)


class ScriptedModel:
    """The published fake: answers in turn with what it was given, and remembers what it was asked."""

    def __init__(self, *answers: str | Sequence[dict[str, object]]) -> None:
        self._answers = [a if isinstance(a, str) else json.dumps({"operations": list(a)}) for a in answers]
        self.prompts: list[str] = []

    def __call__(self, prompt_text: str) -> str:
        self.prompts.append(prompt_text)
        return self._answers[min(len(self.prompts), len(self._answers)) - 1]
