"""Duplicates inside MEMORY.md in other words: the most complete wording stays, the other goes to the ledger.

Value-aware: the same frame with another number, day, name or a "not" is another fact, and so is a line with a word more
that a short line lacks. No single measure decides: words, vectors and rare words must all agree. What a rule of DREAM.md
wants merged needs less, for the owner said so. Without vectors only such a rule merges anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from reverie.markdown import Shape
from reverie.marks import is_done, is_footer, is_generic, is_history, is_marked
from reverie.model import Does, Entry, Finding, Origin, Snapshot, Source, leaving_lines
from reverie.phases.compose import plain_line
from reverie.phases.custom_rules import MERGE, Rule
from reverie.phases.judge import judge_pairs
from reverie.ports import Embedder
from reverie.privacy.redact import holds_secret
from reverie.sense import bag, is_negated, other_names, values_in
from reverie.terms import plain

TAG = "duplicate"
FEWEST = 5  # telling words; in a short line one word more is another fact
ALIKE, MET, RARE = 0.8, 0.75, 0.8  # cosine, words met by words, rare words shared
BY_RULE = 0.6  # of the shorter line's words, where the owner wants a subject merged
_CAPITAL = re.compile(r"\b[A-ZÄÖÜÀ-ÝА-Я][^\W\d_]+")
_SHAPES = frozenset({Shape.BULLET, Shape.PARAGRAPH})


def find_reworded(
    snapshot: Snapshot, so_far: Sequence[Finding], embedder: Embedder | None, rules: Sequence[Rule] = ()
) -> tuple[Finding, ...]:
    """One finding for every line that a fuller one says as well."""
    memory = snapshot.files.get(snapshot.memory_path)
    merging = [rule for rule in rules if rule.does == MERGE]
    if memory is None or (embedder is None and not merging):
        return ()
    gone = set(leaving_lines(so_far))
    entries = [entry for entry in memory.entries if _may_merge(entry) and entry.block.first not in gone]
    found: list[Finding] = []
    for first, second, why in _same(entries, embedder, merging):
        kept, copy = _fuller(first, second)
        if {kept.block.first, copy.block.first} & gone or copy.protected:
            continue
        gone.add(copy.block.first)
        whole = Source(memory.path, copy.block.first + 1, copy.block.tail)
        found.append(Finding(Does.ARCHIVE, TAG, copy.text, f"{kept.source} {why}", (whole, kept.source), copy))
    return tuple(found)


def _same(
    entries: Sequence[Entry], embedder: Embedder | None, merging: Sequence[Rule]
) -> Iterator[tuple[Entry, Entry, str]]:
    texts = [plain_line(entry.text) for entry in entries]
    ruled = [frozenset(rule.text for rule in merging if rule.means(text)) for text in texts]
    for i, j in combinations(range(len(entries)), 2):
        if ruled[i] & ruled[j] and _agree(texts[i], texts[j], BY_RULE):
            yield entries[i], entries[j], "says it too, and a rule of DREAM.md wants them merged"
    if embedder is None or not texts:
        return
    rows = np.asarray(embedder.embed(texts))
    near = [(int(i), int(j)) for i, j in np.argwhere(np.triu(rows @ rows.T, 1) >= ALIKE)]
    near = [(i, j) for i, j in near if _subject(entries[i]) == _subject(entries[j]) and _agree(texts[i], texts[j], 0.8)]
    for (i, j), one in zip(near, judge_pairs([(texts[i], texts[j]) for i, j in near], embedder.embed), strict=True):
        if one.met >= MET and one.rare >= RARE and one.relations["coexist"] < 0.3:
            yield entries[i], entries[j], "says it in other words"


def _agree(one: str, other: str, share: float) -> bool:
    """The same values, names and sense; and the shorter line's words stand in the longer one, this share of them at least."""
    if plain(one) == plain(other):
        return False  # the very same words are the business of `duplicates`, which knows whole sections
    if is_negated(one) != is_negated(other) or values_in(one) != values_in(other) or other_names(one, other):
        return False
    if _who(one, other) != _who(other, one):
        return False  # who lends to whom is what such a line says
    fewer, more = sorted((bag(one), bag(other)), key=len)
    return len(fewer) >= FEWEST and len(fewer & more) >= share * len(fewer)


def _who(one: str, other: str) -> list[str]:
    """The words with a capital that both lines have, in the order of the first."""
    both = set(_CAPITAL.findall(one)) & set(_CAPITAL.findall(other))
    return [word for word in _CAPITAL.findall(one) if word in both]


def _fuller(first: Entry, second: Entry) -> tuple[Entry, Entry]:
    """(the one that stays, the one that leaves): a protected line stays, then the fuller one, then the first."""
    rank = [(entry.protected, len(bag(entry.text)), -entry.block.first) for entry in (first, second)]
    return (first, second) if rank[0] >= rank[1] else (second, first)


def _subject(entry: Entry) -> tuple[str, ...]:
    return tuple(heading.casefold() for heading in (*entry.headings, *entry.parents) if not is_generic(heading))


def _may_merge(entry: Entry) -> bool:
    """A statement of its own that nothing hangs on; what is done or tells of a day is not a standing fact."""
    if entry.origin is not Origin.OWNER or entry.block.shape not in _SHAPES or entry.block.tail != entry.block.end:
        return False
    if is_marked(entry.text) or is_footer(entry.text) or is_history(entry.text) or entry.block.checked is not None:
        return False
    return not (
        entry.text.rstrip("*_ ").endswith((":", "：")) or is_done(entry.text, checked=None) or holds_secret(entry.text)
    )
