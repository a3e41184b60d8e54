"""The one setting that lets the host agent lead the nights, as text of the owner's reverie.toml. Pure: no file is touched."""

from __future__ import annotations

import re
import tomllib

LINE = (
    'kind = "agent"  # the agent of an integrated host leads the nights; `dream integrate --remove` takes this away\n'
)
_TABLE = re.compile(r"^[ \t]*\[[ \t]*model[ \t]*\][^\n]*\n", re.M)


def kind_in(text: str) -> str:
    """What the owner says about `model.kind`; empty where they say nothing."""
    table = _loaded(text).get("model")
    return str(table.get("kind", "")) if isinstance(table, dict) else ""


def with_agent(text: str) -> tuple[str, str] | None:
    """The text with the setting, and the piece that was added; None where the owner has a say already or it finds no place."""
    if kind_in(text):
        return None
    header = _TABLE.search(text)
    before = text[: header.end()] if header else text
    gap = "" if header or not text else "\n" if text.endswith("\n") else "\n\n"
    piece = LINE if header else f"{gap}[model]\n{LINE}"
    after = before + piece + text[len(before) :]
    return (after, piece) if kind_in(after) == "agent" else None


def without_agent(text: str, piece: str) -> str | None:
    """The text without that piece; None where it does not stand there any more."""
    return text.replace(piece, "", 1) if piece in text else None


def _loaded(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


__all__ = ["kind_in", "with_agent", "without_agent"]
