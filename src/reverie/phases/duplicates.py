"""Exact duplicates inside MEMORY.md: kept once, the other goes to the ledger.

Exact is not enough: `- Status: active` under two projects is two facts. So the same words count as one fact
only under the same parents and the same subject, and never where order carries meaning (numbered steps), where
a line merely introduces what follows it, or where the owner asked for the line to stay.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from reverie.lines import bare
from reverie.markdown import Document, Shape
from reverie.marks import is_footer, is_generic, plain_heading
from reverie.model import Does, Entry, File, Finding, Origin, Snapshot, Source
from reverie.redact import holds_secret

TAG = "duplicate"
_SHAPES = frozenset({Shape.BULLET, Shape.PARAGRAPH, Shape.ROW})


def find_duplicates(snapshot: Snapshot, _so_far: tuple[Finding, ...] = ()) -> tuple[Finding, ...]:
    """One finding for every copy that should leave, the copy that stays named as its source."""
    memory = snapshot.files.get(snapshot.memory_path)
    if memory is None:
        return ()
    found = list(_pasted_sections(memory))
    gone = [(f.target.block.first, f.target.block.tail) for f in found if f.target]
    for kept, copy in _copies(memory):
        if not any(first <= copy.block.first < end for first, end in gone):
            gone.append((copy.block.first, copy.block.tail))
            found.append(_finding(memory.path, kept, copy, f"the same words stand in {kept.source}"))
    return tuple(found)


def _finding(path: str, kept: Entry, copy: Entry, why: str) -> Finding:
    if holds_secret(copy.text):
        return Finding(
            Does.FLAG, TAG, "A repeated line holds what looks like a secret.",
            f"{why}; it was left alone so that the secret is not copied into the archive", (copy.source,),
        )  # fmt: skip
    whole = Source(path, copy.block.first + 1, copy.block.tail)
    return Finding(Does.ARCHIVE, TAG, copy.text, why, (whole, kept.source), copy)


def _copies(memory: File) -> Iterator[tuple[Entry, Entry]]:
    """Pairs (the one that stays, one that may leave). A protected copy stays; else the first does."""
    groups: dict[object, list[Entry]] = {}
    for entry in memory.entries:
        if entry.origin is Origin.OWNER and entry.block.shape in _SHAPES and not _introduces(memory.document, entry):
            groups.setdefault(_sense(memory.document, entry), []).append(entry)
    for group in groups.values():
        kept = next((entry for entry in group if entry.protected), group[0])
        yield from ((kept, entry) for entry in group if entry is not kept and not entry.protected)


def _sense(document: Document, entry: Entry) -> object:
    """What makes two entries the same fact: subject, parents, and every word of it and of its sub-items."""
    block = entry.block
    below = tuple(" ".join(bare(line).split()) for line in document.lines[block.end : block.tail] if line.strip())
    subject = tuple(plain_heading(heading) for heading in entry.headings if not is_generic(heading))
    table = block.parent if block.shape is Shape.ROW else None
    text = " ".join(entry.text.split())
    return block.shape is Shape.ROW, table, subject, entry.parents, block.checked, text, below


def _introduces(document: Document, entry: Entry) -> bool:
    """A label or an opening sentence: taking it away would join two lists that are not one."""
    text = entry.text.rstrip("*_ ")
    if (
        not text
        or text.endswith((":", "："))
        or (entry.block.shape is Shape.PARAGRAPH and text.startswith("**") and not entry.block.key)
    ):
        return True
    if entry.block.shape is not Shape.PARAGRAPH:
        return False
    after = bisect_left(document.blocks, entry.block.end, key=lambda block: block.first)
    opens = (Shape.BULLET, Shape.NUMBERED, Shape.HEADER, Shape.CODE)
    return after < len(document.blocks) and document.blocks[after].shape in opens


def _pasted_sections(memory: File) -> Iterator[Finding]:
    """Whole sections that stand twice, heading and all, under the same headings: the later one leaves."""
    document = memory.document
    shielded = {entry.block.first for entry in memory.entries if entry.protected}
    seen: dict[object, Entry] = {}
    end_of_last = 0
    for block in document.blocks:
        if block.shape is not Shape.HEADING or block.first < end_of_last:
            continue
        end = _section_end(document, block.first, block.level)
        words = tuple(" ".join(bare(line).split()) for line in document.lines[block.first : end] if line.strip())
        section = Entry(
            block.text, Source(memory.path, block.first + 1, end), replace(block, tail=end), Origin.OWNER,
            document.headings_of(block),
        )  # fmt: skip
        key = (document.headings_of(block), words)
        if len(words) < 3 or key not in seen:
            seen.setdefault(key, section)
        elif not any(block.first <= first < end for first in shielded) and _plain(memory, block.first, end):
            end_of_last = end
            yield _finding(memory.path, seen[key], section, f"the whole section already stands in {seen[key].source}")


def _plain(memory: File, first: int, end: int) -> bool:
    """Nothing in the range is another's text, in conflict or secret; any doubt and it stays."""
    odd = (Shape.CONFLICT, Shape.MANAGED, Shape.RECALLED, Shape.FRONT)
    if any(block.shape in odd and first <= block.first < end for block in memory.document.blocks):
        return False
    return not holds_secret("".join(memory.document.lines[first:end]))


def _section_end(document: Document, first: int, level: int) -> int:
    """One past the last line of a section that says something: neither blank, a rule, nor the file's footer."""
    following = (b.first for b in document.blocks if b.shape is Shape.HEADING and b.first > first and b.level <= level)
    end = next(following, len(document.lines))
    while end > first + 1 and (
        not document.lines[end - 1].strip("-*_ \t\r\n") or is_footer(bare(document.lines[end - 1]))
    ):
        end -= 1
    return end
