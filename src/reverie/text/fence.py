"""Words of a memory on their way to an agent: between two tags and escaped, so that nothing in them ends the fence or speaks for itself.

Everything that puts memory into a conversation goes through here: `recall`, `session start`, the hooks of hosts, the lists for agents.
"""

from __future__ import annotations

import re

_HALF_ENTITY = re.compile(r"&[lg]?t?\Z")
_NO_TAG = str.maketrans({"<": "&lt;", ">": "&gt;"})  # a tag needs both; any other sign stays as it was written


def fenced(text: str, tag: str, longest: int = 0, more: str = "") -> str:
    """The text as data. With `longest` its end is cut so that fence and all have at most so many characters; `more` says so."""
    inside, room = text.translate(_NO_TAG), longest - len(_around("", tag))
    if longest and len(inside) > room:
        inside = _HALF_ENTITY.sub("", inside[: max(0, room - len(more) - 1)]) + f"\n{more}"
    return _around(inside, tag)


def _around(inside: str, tag: str) -> str:
    return f"<{tag}>\n{inside}\n</{tag}>"
