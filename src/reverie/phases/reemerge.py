"""Re-emergence: what left MEMORY.md and is said again later, in these or other words, comes back (seed 000).

Only newer evidence counts, never the old lines read once more, and only a line that says the same: the same numbers, no
other sense, most of what it tells in common. An old value that something else replaced stays in the archive, and whoever
says that a finished thing is finished does not reopen it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

from reverie.claim import Evidence, Observed
from reverie.cues import says
from reverie.marks import is_done
from reverie.model import Does, Finding, Snapshot
from reverie.phases.compose import composed, plain_line
from reverie.phases.judge import judge_pairs
from reverie.phases.relate import is_tentative
from reverie.phases.telling import in_common, telling
from reverie.phases.worthy import reason_against
from reverie.removed import MARK, MAY_RETURN, Removed
from reverie.sections import CURRENT, STABLE
from reverie.sense import bag, in_order, is_negated, same_sense, values_in
from reverie.terms import plain

TAG = "re-emerged"
ALIKE = 0.7  # seed 000: more than 70 % alike
SHARE, MOST = 0.6, 0.8  # of what the removed line told
CLOSE, JUDGED_CLOSE = 0.6, 0.5  # cosine, for words alone and for the judge of pairs
SURE = 0.8  # of the pairs that the judge finds so likely the same, nine in ten are
_NIGHT = 6  # a removal before this hour is a night's; that day's note is later


def with_reemerged(
    snapshot: Snapshot, evidence: Evidence, removed: Sequence[Removed], findings: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    """The findings, with what comes back in the place of what would only have been added."""
    back = find_reemerged(snapshot, evidence, removed, findings)
    spoken = {source for finding in back for source in finding.sources}
    rest = [
        one for one in findings if one.does is not Does.ADD or one.tag == TAG or not spoken.intersection(one.sources)
    ]
    return (*rest, *(one for one in back if one not in rest))


def find_reemerged(
    snapshot: Snapshot, evidence: Evidence, removed: Sequence[Removed], so_far: Sequence[Finding] = ()
) -> tuple[Finding, ...]:
    """For every removed entry that newer evidence says again, one finding that brings it back."""
    gone = [one for one in removed if one.category in MAY_RETURN]
    claims = [one for one in evidence.fresh if _counts(one)] if gone else []
    if not claims:
        return ()
    olds, news = [_words(one.text) for one in gone], [plain_line(one.claim.text) for one in claims]
    near = _nearness(olds, news, evidence)
    replaced = [plain(one.text) for one in so_far if one.does in (Does.REPLACE, Does.ARCHIVE)]
    found: list[Finding] = []
    for i, old in enumerate(gone):
        if _stands(snapshot, olds[i]):
            continue
        close = [j for j in range(len(claims)) if _later(claims[j], old) and near[i, j] >= JUDGED_CLOSE]
        likely = _likely(olds[i], [news[j] for j in close], evidence)
        said = [
            (claims[j], float(near[i, j]))
            for j, chance in zip(close, likely, strict=True)
            if says_it_again(olds[i], news[j], float(near[i, j]), chance)
        ]
        if said:
            best = max(said, key=lambda pair: (pair[1], pair[0].claim.day))[0]
            line = composed(best.claim)
            if line and plain(line) not in replaced and not any(line in one.text for one in found):
                found.append(_finding(old, best, line))
    return tuple(found)


def says_it_again(old: str, new: str, cosine: float, likely: float = 0.0) -> bool:
    """Whether the new line says what the removed one said. A shared topic is not enough.

    `likely` is how probable the judge of pairs finds it that the two are the same, or the new one richer.
    """
    if plain(old) == plain(new) or same_sense(old, new):
        return True
    if values_in(old) != values_in(new) or is_negated(old) != is_negated(new) or cosine < JUDGED_CLOSE:
        return False
    if says("correction", new) or says("no_longer", new) or not _same_order(old, new):
        return False
    weight, _ = in_common(old, new)
    before, after = telling(old).weight, telling(new).weight
    share = weight / before if before else 0.0
    # A word less on both sides is a word exchanged for another: the window seat, the aisle seat.
    enough = MOST if after - weight >= 1 else SHARE
    worded = weight >= 2 and cosine >= CLOSE and share >= enough and (share + cosine) / 2 >= ALIKE
    return worded or (weight >= 1 and likely >= SURE)


def _same_order(old: str, new: str) -> bool:
    """Who lent whom: where every word is the other's, their order is what is said."""
    common = bag(old) & bag(new)
    return not (common == bag(old) and common == bag(new)) or in_order(old, common) == in_order(new, common)


def _counts(one: Observed) -> bool:
    """Trusted words that state something; not a doubt, not that it is done."""
    text = plain_line(one.claim.text)
    if not one.claim.day or reason_against(text, one.claim.context, one.claim.origin, cleaned=composed(one.claim)):
        return False
    return not (is_tentative(text) or says("done", text) or says("retraction", text) or is_done(text, checked=None))


def _later(one: Observed, old: Removed) -> bool:
    """Said after the removal. Of the same day only what follows a night; what was forgotten by hand waits a day longer."""
    try:
        left, said = date.fromisoformat(old.at[:10]), date.fromisoformat(one.claim.day)
    except ValueError:
        return False
    by_night = old.category != "forgotten" and old.at[11:13].isdecimal() and int(old.at[11:13]) < _NIGHT
    return said >= left + timedelta(days=0 if by_night else 1)


def _stands(snapshot: Snapshot, old: str) -> bool:
    memory = snapshot.files.get(snapshot.memory_path)
    return any(
        plain(text) == plain(old) or same_sense(text, old)
        for entry in (memory.entries if memory else ())
        if (text := _words(entry.text))
    )


def _words(text: str) -> str:
    return plain_line(text).replace(MARK, "").strip()


def _finding(old: Removed, said: Observed, line: str) -> Finding:
    why = f"said again on {said.claim.day}; it had left on {old.at[:10]} ({old.category}) as [{old.id}]"
    section = CURRENT if old.category in ("stale", "completed") else STABLE
    sources = (said.claim.source, *((old.source,) if old.source else ()))
    return Finding(Does.ADD, TAG, f"{MARK} {line}", why, sources, section=section)


def _likely(old: str, news: Sequence[str], evidence: Evidence) -> list[float]:
    if evidence.embedder is None:
        return [0.0] * len(news)
    judged = judge_pairs([(old, new) for new in news], evidence.embedder.embed) if news else []
    return [one.relations["same"] + one.relations["richer"] for one in judged]


def _nearness(olds: Sequence[str], news: Sequence[str], evidence: Evidence) -> np.ndarray:
    if evidence.embedder is None:
        return np.full((len(olds), len(news)), ALIKE)
    rows = np.asarray(evidence.embedder.embed([*olds, *news]))
    return np.asarray(rows[: len(olds)] @ rows[len(olds) :].T)
