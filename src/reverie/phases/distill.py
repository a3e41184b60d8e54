"""The distillation judgement, second half: update, add, or leave alone, against what MEMORY.md says already.

For every new claim the lines of MEMORY.md that may be about the same thing are found, and the judge says what the new
one does to the old: nothing, the same again, more of the same, another value, a correction, an end. Newer wins when it
is certain; what is unsure stays on both sides and becomes a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reverie.claim import Evidence
from reverie.markdown import Shape
from reverie.model import Does, Entry, Finding, Origin, Snapshot, Source
from reverie.phases.compose import plain_line
from reverie.phases.consider import Considered, consider
from reverie.phases.judge import Related, judge_pairs
from reverie.phases.place import home_of
from reverie.sense import bag, is_negated, same_sense, shared, values_in
from reverie.terms import plain

NEAR = 0.55  # cosine from which two lines may be about the same thing
_ENDS = frozenset({"done", "retraction"})
_REPLACES = frozenset({"update", "correction", "richer"})


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of MEMORY.md and a new claim that may be about the same thing."""

    entry: Entry
    new: Considered
    related: Related
    cosine: float


def distil(snapshot: Snapshot, evidence: Evidence) -> tuple[tuple[Finding, ...], dict[str, int]]:
    """What should enter, change or leave MEMORY.md because of what is new, and how many claims were refused, by reason."""
    considered = consider(snapshot, evidence)
    refused: dict[str, int] = {}
    for one in considered:
        if not one.wanted:
            why = one.against or f"judged {one.judged.kind}"
            refused[why] = refused.get(why, 0) + 1
    wanted = [one for one in considered if one.wanted]
    pairs = pairs_with_memory(snapshot, [one for one in considered if not one.against], evidence)
    taken, changed = _changes(snapshot, pairs)
    already = {pair.new.claim.key for pair in pairs if _says_already(pair)}
    fresh = [one for one in _newest_versions(wanted, evidence) if one.claim.key not in already | taken]
    added = [
        Finding(
            Does.ADD, "added", one.line, _why(one), one.observed.sources[:4], section=home_of(snapshot, one, evidence)
        )
        for one in fresh
    ]
    return (*changed, *added), refused


def _why(one: Considered) -> str:
    said = f"said on {one.days} days" if one.days > 1 else f"said on {one.claim.day}" if one.claim.day else "said once"
    return f"{one.judged.kind}, {said}; worth keeping {one.judged.keep:.2f}"


def pairs_with_memory(snapshot: Snapshot, claims: Sequence[Considered], evidence: Evidence) -> list[Pair]:
    """Every (line of MEMORY.md, new claim) that may be about the same thing, judged."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries = [
        entry
        for entry in (memory.entries if memory else ())
        if entry.origin is Origin.OWNER
        and entry.block.shape in (Shape.BULLET, Shape.NUMBERED, Shape.ROW, Shape.PARAGRAPH)
    ]
    if not entries or not claims or evidence.embedder is None:
        return []
    olds = [_old_text(entry) for entry in entries]
    news = [one.line or plain_line(one.claim.text) for one in claims]
    near = np.asarray(evidence.embedder.embed(news)) @ np.asarray(evidence.embedder.embed(olds)).T
    found = []
    for i, one in enumerate(claims):
        order = np.argsort(-near[i])[:6]
        for j in order:
            if near[i, j] >= NEAR or shared(olds[j], news[i]) >= 0.25 or _same_key(entries[j].text, one.claim.text):
                found.append((entries[j], one, float(near[i, j]), olds[j], news[i]))
    relations = judge_pairs([(old, new) for *_, old, new in found], evidence.embedder.embed)
    return [
        Pair(entry, one, related, cosine) for (entry, one, cosine, *_), related in zip(found, relations, strict=True)
    ]


def _old_text(entry: Entry) -> str:
    return plain_line(entry.text)


def _key(text: str) -> str:
    """`**Key:** value` → its key."""
    head, sep, _ = plain_line(text).partition(":") if ":" in text else plain_line(text).partition("：")
    return plain(head) if sep and len(head) <= 40 else ""


def _same_key(one: str, other: str) -> bool:
    return bool(_key(one)) and _key(one) == _key(other)


def _says_already(pair: Pair) -> bool:
    old, new = pair.entry.text, pair.new.line
    return plain(old) == plain(new) or same_sense(old, new, pair.cosine) or pair.related.relations["same"] >= 0.6


def _changes(snapshot: Snapshot, pairs: Sequence[Pair]) -> tuple[set[str], list[Finding]]:
    """The lines of MEMORY.md that a new claim replaces or ends: the latest certain word about each."""
    best: dict[int, Pair] = {}
    for pair in pairs:
        if pair.entry.protected or not _certain(pair):
            continue
        old = best.get(pair.entry.block.first)
        if old is None or (pair.new.claim.day, pair.cosine) > (old.new.claim.day, old.cosine):
            best[pair.entry.block.first] = pair
    findings, taken = [], set()
    for _, pair in sorted(best.items()):
        relation = pair.related.relation
        sources = (pair.new.claim.source, Source(snapshot.memory_path, pair.entry.source.first, pair.entry.source.last))
        when = f" on {pair.new.claim.day}" if pair.new.claim.day else ""
        if relation in _ENDS:
            why = f"it ended{when}: “{pair.new.line[:80]}”"
            findings.append(Finding(Does.ARCHIVE, "stale", pair.entry.text, why, sources, pair.entry))
        elif pair.new.claim.key not in taken and pair.new.line and pair.entry.block.tail == pair.entry.block.end:
            taken.add(pair.new.claim.key)
            why = f"superseded{when} ({relation})"
            findings.append(Finding(Does.REPLACE, "superseded", pair.new.line, why, sources[:1], pair.entry))
    return taken, findings


def _certain(pair: Pair) -> bool:
    relations = pair.related.relations
    relation = pair.related.relation
    if relation in _REPLACES:
        sure = relations["update"] + relations["correction"] + relations["richer"]
        return sure >= (0.5 if _same_key(pair.entry.text, pair.new.claim.text) else 0.75) and relations["coexist"] < 0.2
    return relation in _ENDS and relations["done"] + relations["retraction"] >= 0.7


def _newest_versions(wanted: Sequence[Considered], evidence: Evidence) -> list[Considered]:
    """Of several claims that say the same or update one another, the newest."""
    if len(wanted) < 2 or evidence.embedder is None:
        return list(wanted)
    ordered = sorted(wanted, key=lambda one: (one.claim.day, one.claim.path, one.claim.first))
    rows = np.asarray(evidence.embedder.embed([one.line for one in ordered]))
    near = rows @ rows.T
    pairs = [
        (i, j)
        for i in range(len(ordered))
        for j in range(i + 1, len(ordered))
        if near[i, j] >= 0.7 or shared(ordered[i].line, ordered[j].line) >= 0.4
    ]
    gone: set[int] = set()
    relations = judge_pairs([(ordered[i].line, ordered[j].line) for i, j in pairs], evidence.embedder.embed)
    for (i, j), related in zip(pairs, relations, strict=True):
        chance = related.relations
        again = (
            same_sense(ordered[i].line, ordered[j].line, float(near[i, j])) or chance["same"] + chance["richer"] >= 0.6
        )
        if again:
            gone.add(i if len(bag(ordered[j].line)) >= len(bag(ordered[i].line)) and j not in gone else j)
        elif chance["update"] + chance["correction"] >= 0.7 and _may_update(ordered[i], ordered[j]):
            gone.add(i)
    return [one for i, one in enumerate(ordered) if i not in gone]


def _may_update(old: Considered, new: Considered) -> bool:
    return old.claim.day < new.claim.day and (
        values_in(old.line) != values_in(new.line)
        or is_negated(old.line) != is_negated(new.line)
        or shared(old.line, new.line) >= 0.3
    )
