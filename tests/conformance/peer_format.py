"""DREAMS.md in the peer's format: a diary between two markers, entries divided by three dashes. Text in, text out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from reverie.features.diary.entry import long_day
from reverie.workspace.openclaw_format import uncommented

TITLE = "# Dream Diary"
START = "<!-- openclaw:dreaming:diary:start -->"
END = "<!-- openclaw:dreaming:diary:end -->"
MOST_SNIPPETS, MOST_THEMES, MOST_PROMOTIONS = 12, 6, 5
_BACKFILL = re.compile(r"<!--\s*openclaw:dreaming:backfill-entry\b[^>]*-->")
_RULE = re.compile(r"(?m)^---[ \t]*$")
_DATE_LINE = re.compile(r"\*([^*\n]+)\*")


def entry_block(text: str, when: str) -> str:
    """One entry with the rule before it."""
    return f"\n---\n\n*{when}*\n\n{_harmless(text)}\n"


def _harmless(text: str) -> str:
    """The text without what would cut the diary: comments (our markers are some) and lines of three dashes."""
    while (without := uncommented(text)) != text:
        text = without
    return _RULE.sub("", text.replace("<!--", "")).strip()


def with_diary(existing: str) -> str:
    """The file with a diary in it; a new one goes before what is there."""
    if START in existing and END in existing:
        return existing
    fresh = f"{TITLE}\n\n{START}\n{END}\n"
    return f"{fresh}\n{existing}" if existing.strip() else fresh


def with_entry(existing: str, text: str, when: str) -> str:
    """The file with one more entry at the end of its diary."""
    diary = with_diary(existing)
    before, _, after = diary.partition(END)
    empty = not before.partition(START)[2].strip()
    kept = before.rstrip("\n") if empty else before
    return f"{kept}{entry_block(text, when)}\n{END}{after}"


def backfill_entry(day: date, body: Sequence[str], source: str = "") -> str:
    """An entry about a day long past, marked so that it can be taken back."""
    about = f"day={day}" + (f" source={source}" if source else "")
    told = _harmless("\n".join(body))
    return f"*{long_day(day)}*\n\n<!-- openclaw:dreaming:backfill-entry {about} -->\n\n{told}"


def with_backfill(existing: str, entries: Iterable[str]) -> tuple[str, int]:
    """The file with these backfilled entries instead of all earlier ones, and how many those were."""
    cleared, replaced = without_backfill(with_diary(existing))
    before, inner, after = _parts(cleared)
    return _written(before, [*_blocks(inner), *entries], after), replaced


def without_backfill(existing: str) -> tuple[str, int]:
    """The file without its backfilled entries, and how many there were."""
    if START not in existing or END not in existing:
        return existing, 0
    before, inner, after = _parts(existing)
    blocks = _blocks(inner)
    kept = [block for block in blocks if not _BACKFILL.search(block)]
    if len(kept) == len(blocks):
        return existing, 0
    return _written(before, kept, after), len(blocks) - len(kept)


def without_repeats(existing: str) -> tuple[str, int, int]:
    """The file with each entry once, how many left and how many stay."""
    if START not in existing or END not in existing:
        return existing, 0, 0
    before, inner, after = _parts(existing)
    blocks = _blocks(inner)
    first: dict[tuple[str, str], str] = {}
    for block in blocks:
        first.setdefault(fingerprint(block), block)
    if len(first) == len(blocks):
        return existing, 0, len(blocks)
    return _written(before, first.values(), after), len(blocks) - len(first), len(first)


def fingerprint(block: str) -> tuple[str, str]:
    """What makes two entries the same: the date and the words, without comments, headings and spacing."""
    text = uncommented(block)
    lines = [" ".join(line.split()) for line in text.split("\n")]
    lines = [line for line in lines if line and not line.startswith("#")]
    when = next((line for line in lines if _DATE_LINE.fullmatch(line)), "")
    return when, " ".join(line for line in lines if line != when)


def entries_of(existing: str) -> tuple[str, ...]:
    """The entries of a diary, oldest first, as they stand."""
    return tuple(_blocks(_parts(existing)[1])) if START in existing and END in existing else ()


def told_of(
    snippets: Sequence[str], themes: Sequence[str], promotions: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """What a narrative is told of: no more than fits one small entry."""
    return tuple(snippets[:MOST_SNIPPETS]), tuple(themes[:MOST_THEMES]), tuple(promotions[:MOST_PROMOTIONS])


def with_block(existing: str, heading: str, start: str, end: str, body: str) -> str:
    """The text with a managed block replaced in place, or added at its end."""
    block = f"{heading}\n{start}\n{body}\n{end}"
    old = re.compile(rf"(?:{re.escape(heading)}[ \t]*\n+)?{re.escape(start)}\n?.*?{re.escape(end)}", re.S)
    if old.search(existing):
        return old.sub(lambda _: block, existing, count=1)
    return f"{existing.rstrip()}\n\n{block}\n" if existing.strip() else f"{block}\n"


def _parts(diary: str) -> tuple[str, str, str]:
    before, _, rest = diary.partition(START)
    inner, _, after = rest.partition(END)
    return before + START, inner, END + after


def _blocks(inner: str) -> list[str]:
    return [block.strip() for block in _RULE.split(inner) if block.strip()]


def _written(before: str, blocks: Iterable[str], after: str) -> str:
    told = "\n\n".join(f"---\n\n{block}" for block in blocks)
    return f"{before}\n{told}\n{after}" if told else f"{before}\n{after}"
