"""The judge that is the host's own agent: it reads the brief in one command and answers in another, maybe hours later."""

from __future__ import annotations

from reverie.judge.answer import prompt, read_answer
from reverie.judge.brief import Brief, Judge, SavedBrief, windows

HOW_TO = (
    "\n# How to answer\nWrite the JSON object to a file and run `dream answer FILE`, or pipe it to `dream answer -`. Refused"
    ' operations come back with a sentence each; answer those again, corrected. Nothing to do: {"operations": []}.\n'
)


def agent_text(brief: Brief) -> tuple[str, SavedBrief]:
    """The brief as an agent reads it, and what its names mean, to be kept until the answer comes."""
    first, *others = windows(brief)
    saved = brief.saved()
    shown = SavedBrief(saved.day, saved.lines, first.reading, saved.returned)
    more = f"\nMore notes wait: {len(others)} more briefs follow when this one is answered.\n" if others else ""
    return prompt(first) + more + HOW_TO, shown


def agent_judge(saved: SavedBrief, answer: str) -> Judge:
    """A judge that repeats what an agent answered to the brief that was kept, whatever was typed since."""
    return lambda _: read_answer(answer, saved, "agent")
