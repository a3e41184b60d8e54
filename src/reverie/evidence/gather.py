"""What is known about the claims of new notes: every day they were said, in these words or others, and who asked.

Cost follows what is new: for each new claim the index is asked for the same key and for its nearest neighbours. Which
claims say the same is kept in the index (`subjects`), so that a paraphrase of a paraphrase finds the first one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reverie.core.layout import INDEX_DB
from reverie.evidence.claims import Observed
from reverie.evidence.index import Index
from reverie.judge.relation import RelationKind, relation
from reverie.workspace.openclaw_format import PeerRecall
from reverie.workspace.values import Origin, Statement, hexadecimal, lettered, stated

NEIGHBOURS = 12  # rows looked at for each new claim
NEAR = 0.6  # cosine from which an earlier claim may be about the same thing
MOST_SOURCES = 16
_SPOKEN = frozenset({Origin.OWNER, Origin.SESSION})
_SUBJECTS = "CREATE TABLE IF NOT EXISTS subjects(key TEXT PRIMARY KEY, subject TEXT NOT NULL) WITHOUT ROWID"


def gather(index: Index, claims: Sequence[Statement], recalls: Mapping[str, PeerRecall]) -> tuple[Observed, ...]:
    """The claims with all that is known about each, in their order; the same words twice are one claim, the newest."""
    index.db.execute(_SUBJECTS)
    newest = _newest(claims)
    said_on: dict[str, set[str]] = {key: set() for key in newest}
    for claim in claims:
        if _is_spoken(claim) or not _is_spoken(newest[claim.key]):
            said_on[claim.key].add(claim.day)
    near = _near(index, list(newest.values()))
    asked = _asked(recalls)
    found = []
    with_subject: list[tuple[str, str]] = []
    for key, claim in newest.items():
        same = [other for other in near[key] if relation(other.text, claim.text).kind is RelationKind.SAME]
        subject = _subject(index, key, same)
        with_subject.append((key, subject))
        witnesses = _said(index, {key, *(other.key for other in same), *_linked(index, subject)})
        seen = [one for one in witnesses if _is_spoken(one) or not _is_spoken(claim)]
        days = {one.day for one in seen if one.day} | (said_on[key] - {""})
        known = [asked[one[:12]] for one in {key, *(other.key for other in same)} if one[:12] in asked]
        sources = tuple(dict.fromkeys([claim.source, *(one.source for one in seen)]))[:MOST_SOURCES]
        queries = {query for one in known for query in (one.user_queries or one.queries)}
        earlier = tuple(other for other in near[key] if other not in same)
        recalled = sum(one.recalls for one in known)
        found.append(Observed(claim, subject, tuple(sorted(days)), sources, recalled, len(queries), earlier))
    rows = [(lettered(key), lettered(subject)) for key, subject in with_subject]
    index.db.executemany("INSERT OR REPLACE INTO subjects VALUES (?, ?)", rows)
    return tuple(found)


def gather_plainly(
    claims: Sequence[Statement], everything: Iterable[Statement], recalls: Mapping[str, PeerRecall]
) -> tuple[Observed, ...]:
    """The same without an index and without vectors: only the very same words count as said again."""
    newest, asked = _newest(claims), _asked(recalls)
    seen: dict[str, list[Statement]] = {key: [] for key in newest}
    for claim in everything:
        if claim.day and claim.key in seen and (_is_spoken(claim) or not _is_spoken(newest[claim.key])):
            seen[claim.key].append(claim)
    found = []
    for key, claim in newest.items():
        sources = [claim.source, *(one.source for one in seen[key])]
        days = tuple(sorted({one.day for one in (claim, *seen[key]) if one.day}))
        known = asked.get(key[:12])
        queries = len(set(known.user_queries or known.queries)) if known else 0
        recalled = known.recalls if known else 0
        found.append(Observed(claim, key, days, tuple(dict.fromkeys(sources))[:MOST_SOURCES], recalled, queries))
    return tuple(found)


def _newest(claims: Iterable[Statement]) -> dict[str, Statement]:
    """Each claim once, as it was said last; a stranger's copy of the owner's words does not take their place."""
    newest: dict[str, Statement] = {}
    for claim in claims:
        old = newest.get(claim.key)
        newest[claim.key] = claim if old is None or _rank(claim) >= _rank(old) else old
    return newest


def _rank(claim: Statement) -> tuple[bool, str, str]:
    return _is_spoken(claim), claim.day, claim.path


def _is_spoken(claim: Statement) -> bool:
    """Said by the owner or the agent; a stranger is no witness of what they say."""
    return claim.origin in _SPOKEN


def _asked(recalls: Mapping[str, PeerRecall]) -> dict[str, PeerRecall]:
    return {entry.claim[:12]: entry for entry in recalls.values() if entry.claim and entry.recalls}


def _subject(index: Index, key: str, same: Sequence[Statement]) -> str:
    for other in (key, *(one.key for one in same)):
        row = index.db.execute("SELECT subject FROM subjects WHERE key=?", (lettered(other),)).fetchone()
        if row:
            return hexadecimal(row[0])
    return min((one for one in same if one.day), key=lambda one: one.day).key if any(one.day for one in same) else key


def _linked(index: Index, subject: str) -> list[str]:
    sql = "SELECT key FROM subjects WHERE subject=? LIMIT 50"
    return [hexadecimal(row[0]) for row in index.db.execute(sql, (lettered(subject),))]


def _said(index: Index, keys: Iterable[str]) -> list[Statement]:
    """Every place where one of these claims stands, oldest first, without its words; memory is not its own witness."""
    rows: list[Statement] = []
    for key in sorted(keys):
        sql = "SELECT path, first, last, '', '', '', day, origin, grp FROM claims WHERE key=? ORDER BY day, path LIMIT 100"
        rows += [stated(*row) for row in index.db.execute(sql, (lettered(key),))]
    return sorted((row for row in rows if row.day), key=lambda row: (row.day, row.path, row.first))


def _near(index: Index, claims: Sequence[Statement]) -> dict[str, list[Statement]]:
    """For each claim the others that may be about the same thing, nearest first."""
    if index.vectors is None or index.embedder is None or not claims:
        return {claim.key: [] for claim in claims}
    rows: Any = index.embedder.embed([claim.text for claim in claims])
    out = {}
    for claim, row in zip(claims, rows, strict=True):
        numbers = {n: cosine for n, cosine in index.vectors.near(row, NEIGHBOURS) if cosine >= NEAR}
        out[claim.key] = _others(index, claim, numbers)
    return out


def _others(index: Index, claim: Statement, numbers: Mapping[int, float]) -> list[Statement]:
    found = index.claims(list(numbers))
    near = [(other, numbers[number]) for number, other in found.items() if other.key != claim.key]
    near = [pair for pair in near if pair[0].origin is not Origin.TEAM]  # no night is about what others keep
    return [other for other, _ in sorted(near, key=lambda pair: (-pair[1], pair[0].path, pair[0].first))]


def copy_index(root: Path, other: Path) -> None:
    """A copy of a workspace's index in another folder, for a night that may leave no trace."""
    state, copy = (root / INDEX_DB).parent, (other / INDEX_DB).parent
    copy.mkdir(parents=True)
    if state.is_symlink() or state.parent.is_symlink():
        return  # what stands behind a link is not ours
    for item in state.glob("index*"):
        if item.is_file() and not item.is_symlink():
            shutil.copyfile(item, copy / item.name)
