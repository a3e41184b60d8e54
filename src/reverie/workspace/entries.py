"""Blocks → entries: which lines of a file state something, under what, and whose words they are.

Origin is decided by where a line stands (the file, the block, the heading), and only last by how it reads.
One untrusted line never taints its file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from reverie.headings import plain_heading
from reverie.layout import OWN_OUTPUT, Kind, Place
from reverie.markdown import STATEMENTS, Block, Document, Shape
from reverie.model import Entry, Origin, Source
from reverie.promoted import words_of
from reverie.protect import protected_blocks
from reverie.words import DREAM_HEADING, ROUTINE_HEADINGS, ROUTINE_SAYINGS, ROUTINE_STARTS, TRANSPORT_KEYS

_OURS = re.compile(r"<!--\s*dream:[0-9a-f]{8}\s*-->\s*$")
_TURN = re.compile(r"(?:\*\*)?(?:user|assistant|system|tool|human|ai)(?:\*\*)?\s*:", re.I)
_ENVELOPE = re.compile(
    r"\[(?:telegram|whatsapp|discord|signal|slack|imessage|message_id)\b[^\]]*\](?!\()|system:\s*\[", re.I
)
_transport = "|".join(map(re.escape, TRANSPORT_KEYS))
_TRANSPORT = re.compile(rf"[\s*_`\"'{{]*(?:{_transport})[\s*_`\"']*[:：(]", re.I)
_CITED = re.compile(r"source:\s*memory/[^\s#]{1,200}#L\d+", re.I)
# Whole words: "we shall normalise" does not say that all is normal. Chinese has no spaces to look for.
_SAYING = re.compile("|".join(rf"(?<![a-zà-ÿа-яё]){re.escape(s)}(?![a-zà-ÿа-яё])" for s in ROUTINE_SAYINGS))
_ROUTINE = frozenset(map(plain_heading, ROUTINE_HEADINGS))


def entries_of(path: str, place: Place, document: Document, protected_sections: Iterable[str]) -> tuple[Entry, ...]:
    """Every statement of a file with its lines, its headings, its parents and its origin."""
    shielded = protected_blocks(document, protected_sections) if place.kind is Kind.MEMORY else frozenset()
    found = []
    for index, block in enumerate(document.blocks):
        if block.shape not in STATEMENTS and block.shape not in (Shape.MANAGED, Shape.RECALLED):
            continue
        headings = document.headings_of(block)
        found.append(
            Entry(
                text=words_of(block.text) if place.kind is Kind.MEMORY else block.text,
                source=Source(path, block.first + 1, block.end),
                block=block,
                origin=_origin(place, document, block, headings),
                headings=headings,
                parents=document.parents_of(block),
                day=place.day,
                protected=index in shielded,
            )
        )
    return tuple(found)


def _origin(place: Place, document: Document, block: Block, headings: tuple[str, ...]) -> Origin:
    if place.kind in OWN_OUTPUT or block.shape is Shape.MANAGED or _is_ours(document, block, place, headings):
        return Origin.DREAM
    if block.shape is Shape.RECALLED or _CITED.search(block.text):
        return Origin.RECALLED
    if _is_transport(block):
        return Origin.TRANSPORT
    if block.shape is Shape.QUOTE:
        return Origin.QUOTED
    if block.shape is Shape.CODE:
        return Origin.FENCED
    if place.kind is Kind.SESSION or (block.shape is Shape.PARAGRAPH and _TURN.match(block.text)):
        return Origin.SESSION
    return Origin.MACHINE if _is_routine(block.text, headings) else Origin.OWNER


def _is_ours(document: Document, block: Block, place: Place, headings: tuple[str, ...]) -> bool:
    """Lines that a dream wrote into MEMORY.md: they end with our mark, or stand in the `## Dream` section."""
    if place.kind is not Kind.MEMORY:
        return False
    in_section = any(plain_heading(heading) == DREAM_HEADING for heading in headings)
    return in_section and bool(_OURS.search(document.lines[block.end - 1].rstrip("\r\n")))


def _is_transport(block: Block) -> bool:
    text = block.text
    if _TRANSPORT.match(text) or _ENVELOPE.match(text):
        return True
    if block.shape is Shape.CODE:
        return any(f'"{key}"' in text.lower() for key in TRANSPORT_KEYS)
    if text[:1] in "{[" and text[-1:] in "}]":
        try:
            return isinstance(json.loads(text), (dict, list))
        except (ValueError, RecursionError):
            return False
    return False


def _is_routine(text: str, headings: tuple[str, ...]) -> bool:
    low = text.casefold().lstrip("*_`~ ")
    if low.startswith(ROUTINE_STARTS):
        return True
    if len(low) < 120 and _SAYING.search(low):
        return True
    return bool(headings) and plain_heading(headings[-1]) in _ROUTINE
