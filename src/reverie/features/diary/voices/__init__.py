"""How the diary speaks, one module for each group of languages. Sentences only; what is chosen is chosen in `diary`.

Facts stand in quotation marks, so that no sentence has to inflect what an owner wrote. `{it}` is a fact or a theme,
`{them}` a list of themes, `{n}` a number, `{day}` the name of the weekday. No sentence speaks of machines or sleep.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The sentences of one language. Every tuple holds alternatives that share as few words as possible."""

    quotes: tuple[str, str]
    between: str  # two items of a list
    last: str  # before the last item
    space: str  # between two sentences
    weekdays: tuple[str, ...]
    opening: tuple[str, ...]
    theme: tuple[str, ...]
    themes: tuple[str, ...]
    added: tuple[str, ...]
    also: tuple[str, ...]
    updated: tuple[str, ...]
    retired: tuple[str, ...]
    question: tuple[str, ...]
    read: tuple[str, ...]
    aside: tuple[str, ...]
    closing: tuple[str, ...]
    quiet: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
    returned: str  # reflections: {it} {days} {documents} {where}
    unchanged: str  # reflections: {them}
