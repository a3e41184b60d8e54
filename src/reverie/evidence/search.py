"""Search: words and vectors side by side, weighed together. Never ranked by promotion signals; versions are for `features/versions`.

The lexical list is BM25 over `reverie.text.terms`; a word the index does not know is looked up by spelling, which also finds
the parts of compounds. The vector list is cosine. The best of both, a few dozen lines, are read from their files and weighed by
`ranking` (docs/internals/measured.md has the table). A question about a day gets the lines of that day first. Without an index every line is looked at (`scan`), and a `View` hides which
of the two answered.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from reverie.evidence.index import Index, spoken
from reverie.evidence.ranking import (
    Candidate,
    Pieces,
    log_odds,
)
from reverie.evidence.relevance import AskedDay, Background, Weighing, background, framing
from reverie.evidence.spelling import frequency, quoted, spellings
from reverie.lang.messages import say
from reverie.text.terms import asked, terms
from reverie.workspace.values import Origin, Statement

LEXICAL, VECTOR, NEIGHBOUR = 0.7, 0.3, 0.25  # of the first look, which chooses the lines that are read
POOL, NEAR = 200, 60  # results of the lists by words and by meaning that are looked at
CHOSEN, NEAREST = 24, 12  # lines that are read and weighed: the best of the first look, and the nearest besides
SCORED = 3_000  # lines that are scored for one question
FOUND = 30_000  # lines that are found for one question; counting a word ends here
_TRUST = {
    Origin.QUOTED: 0.85,
    Origin.TEAM: 0.85,
    Origin.FENCED: 0.85,
    Origin.MACHINE: 0.8,
}  # the owner's own word stands before a stranger's
DOUBTFUL = 0.15  # chance up to which no line is taken for an answer
LEAST = 0.02  # chance of a line that is shown without a word of the question
_MET = 1e-6  # a word that stands in every line tells nothing apart, and is met
MEANT = 0.5  # cosine from which a reason names the meaning
DEEPER = 5  # times as many results are looked through for one of a certain day
SAMPLE = 500  # lines whose nearness says what is usual
COUNTED = 5_000  # a word that stands in more lines than this tells nothing apart
_FEW = 500  # whether a word is rare is known when so many lines have it
_RAREST = 6  # words of a line by which others like it are found
_SAID = frozenset({Origin.OWNER, Origin.SESSION})


@dataclass(frozen=True, slots=True)
class Hit:
    """A claim that answers, why it matched, and whether a newer version of it is known."""

    claim: Statement
    score: float  # beside the best of its answer, which has 1.0: for the recall store, whose scale is the peer's
    text_score: float
    vector_score: float
    why: str
    number: int = 0
    chance: float = 0.0  # that it answers
    days: tuple[str, ...] = ()  # all days on which the same words stand
    current: bool | None = None  # True: the newest of several versions; False: superseded
    superseded_by: str = ""
    expired: str = ""  # its own last day, which is past
    valid_from: str = ""  # its own first day, which is still to come

    @property
    def place(self) -> str:
        """Where it stands: its file and its first line."""
        return f"{self.claim.path}:{self.claim.first}"

    @property
    def likelihood(self) -> float:
        """The chance that it answers; a line of the day that was asked for has none, and is what was asked for."""
        return self.chance or self.score


@dataclass(frozen=True, slots=True)
class Answer:
    question: str
    hits: tuple[Hit, ...]
    degraded: str = ""  # why this is less than the whole truth

    @property
    def is_doubtful(self) -> bool:
        """Whether there are lines and none of them is taken for an answer."""
        return bool(self.hits) and max(hit.likelihood for hit in self.hits) < DOUBTFUL


def search(index: Index, question: str, limit: int, *, before: str = "") -> Answer:
    """The best claims for a question. Without vectors the words alone answer, and the answer says so.

    `before`: what was said before a message that leans on it.
    """
    return _answer(gathered(index, question, before), limit)


@dataclass(frozen=True, slots=True)
class Pool:
    """The few lines that may answer a question, read from their files, and what is needed to weigh them."""

    question: str
    weighing: Weighing
    usual: Background
    found: Mapping[int, Candidate]
    pieces: Pieces | None = None  # of the question and then of the lines
    keys: Mapping[int, str] = field(default_factory=dict)
    matched: Mapping[str, Sequence[str]] = field(default_factory=dict)  # how the lines spell each term of the question
    token: Callable[[str], str] = str
    trouble: str = ""


def gathered(index: Index, question: str, before: str = "") -> Pool:
    """The lines that are best by words, and the nearest ones."""
    numbers, often = index.roughly(), lambda term: index.frequency(term, min(COUNTED, FOUND))
    lines = index.count() if numbers < COUNTED else numbers  # about: numbers are used again
    weighing = Weighing(question, Background(lines, often), before)
    asks = " ".join((question, *weighing.before))
    lexical, matched = _lexical(index, asked(asks))
    some = range(1, numbers + 1, max(1, numbers // SAMPLE))
    vector, cosine, trouble = _vector(index, asks, [*lexical, *some])
    usual = background(lines, often, [cosine[number] for number in some if cosine.get(number)])
    places, bare, keys = _rows(index, list(dict.fromkeys([*lexical, *vector])))
    nears = {number: 0.0 if number in bare else cosine.get(number, 0.0) for number in places}
    texts, scaled = _scaled(lexical), _scaled(nears)
    first = {n: texts.get(n, 0.0) if trouble else LEXICAL * texts.get(n, 0.0) + VECTOR * scaled[n] for n in places}
    at = {places[number]: score for number, score in first.items()}
    beside = {n: max(at.get((path, place + step), 0.0) for step in (-1, 1)) for n, (path, place) in places.items()}
    order = sorted(places, key=lambda n: -(first[n] + NEIGHBOUR * beside[n]))[:CHOSEN]
    order += [number for number in sorted(places, key=lambda n: -nears[n])[:NEAREST] if number not in order]
    claims = index.claims(order)
    found = {
        n: Candidate(claims[n], max(texts[n], _MET) if n in texts else 0.0, nears[n], beside[n])
        for n in order
        if n in claims
    }
    pieces = _pieces(index, [question, *(spoken(one.claim) for one in found.values())]) if usual.spread else None
    return Pool(question, weighing, usual, found, pieces, keys, matched, index.tokens.term, trouble)


def _pieces(index: Index, texts: Sequence[str]) -> Pieces | None:
    known = getattr(index.embedder, "pieces", None)
    found = known(texts) if known else None
    return found if isinstance(found, Pieces) else None


def _answer(pool: Pool, limit: int) -> Answer:
    """The lines of a pool, the likeliest first, each once."""
    weighed = list(
        zip(
            pool.found,
            log_odds(pool.question, list(pool.found.values()), pool.weighing, pool.usual, pool.pieces),
            strict=True,
        )
    )
    hits = [_hit(pool, number, odds) for number, odds in weighed]
    best = max((hit.chance for hit in hits), default=0.0)
    hits = [
        replace(hit, score=round((hit.chance / best) ** 0.5, 3))
        for hit in hits
        if hit.chance >= LEAST or hit.text_score
    ]
    ranked = sorted(
        hits,
        key=lambda hit: (
            round(hit.chance * _TRUST.get(hit.claim.origin, 1.0), 3),
            hit.claim.day,
            hit.claim.path,
            -hit.claim.first,
        ),
        reverse=True,
    )
    once = list(_once(ranked, pool.keys))
    words = _words(pool.question)
    told = tuple(replace(hit, why=_why(hit, pool, words)) for hit in once[:limit])
    return Answer(pool.question, told, pool.trouble)


def _hit(pool: Pool, number: int, odds: float) -> Hit:
    one = pool.found[number]
    return Hit(one.claim, 0.0, one.words, one.near, "", number, chance=1 / (1 + math.exp(-odds)))


def scan(claims: Iterable[Statement], question: str, limit: int, trouble: str, before: str = "") -> Answer:
    """The same question without an index: every claim is looked at. Slow and honest."""
    every = list(claims)
    have = [set(terms(f"{claim.context} {claim.text}")) for claim in every]
    often = Counter(term for one in have for term in one)
    usual = Background(len(every), lambda term: often[term])
    weighing = Weighing(question, usual, before)
    wanted = asked(" ".join((question, *weighing.before)))
    rare = {term: math.log((len(every) + 1) / (often[term] + 0.5)) for term in wanted if often[term]}
    scores = {at: sum(rare[term] for term in rare if term in one) for at, one in enumerate(have)}
    best = sorted((at for at, score in scores.items() if score > 0), key=lambda at: -scores[at])[: CHOSEN + NEAREST]
    found = {at: Candidate(every[at], scores[at] / scores[best[0]], 0.0, 0.0) for at in best}
    matched = {term: [term] for term in wanted}
    return _answer(Pool(question, weighing, usual, found, matched=matched, trouble=trouble), limit)


def _lexical(index: Index, wanted: Sequence[str]) -> tuple[dict[int, float], dict[str, list[str]]]:
    """Scores of the best rows by BM25, and which words of the index, as tokens, stand for each term of the question."""
    tokens = {term: index.tokens.term(term) for term in wanted}
    often = {token: frequency(index.db, token, FOUND) for token in tokens.values()}
    matched = {term: [token] if often[token] else _spelled(index, term) for term, token in tokens.items()}
    matched = {term: found for term, found in matched.items() if found}
    for term in (term for found in matched.values() for term in found):
        often[term] = often.get(term) or frequency(index.db, term, FOUND)
    known = {term: often[term] for found in matched.values() for term in found}
    chosen = _rarest(known, FOUND) or dict.fromkeys(sorted(known)[:3], FOUND)
    return _scored(index, chosen) if known else {}, matched


def _spelled(index: Index, term: str) -> list[str]:
    """Words spelled like one that nobody wrote; none for a word that only puts the question, which is no slip of another."""
    return [] if term in framing() else spellings(index.db, index.tokens, term)


def _rarest(often: Mapping[str, int], room: int) -> dict[str, int]:
    """The words that tell lines apart best, as many as fit: one that stands everywhere only costs time beside others."""
    chosen: dict[str, int] = {}
    for term, count in sorted(often.items(), key=lambda item: item[1]):
        room -= count
        if room <= 0:
            break
        chosen[term] = count
    return chosen


def _scored(index: Index, chosen: Mapping[str, int]) -> dict[int, float]:
    """The best lines that have one of these words. Scoring a line costs thirty times as much as finding it, so few are.

    If too many have one, those with a rare word are scored, by all words. If no word is rare, the lines last indexed
    are, and long-term memory.
    """
    every, rare = _any(chosen), _rarest(chosen, SCORED)
    if len(rare) == len(chosen):
        return _best(index, every)
    if rare:  # every word stands twice in this, so that the shares are as if each stood once
        others = _any([term for term in chosen if term not in rare] * 2)
        return _best(index, f"({_any(rare)}) AND ({_any(rare)} OR {others})")
    sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?"
    (bound,) = index.db.execute(sql, (every, SCORED - 1)).fetchone() or (0,)
    known = index.db.execute("SELECT min(id), max(id) FROM claims WHERE path IN ('MEMORY.md', 'memory.md')").fetchone()
    memory = "AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT id FROM claims WHERE path IN ('MEMORY.md', 'memory.md'))"
    return _best(index, every, "AND rowid >= ?", bound) | (_best(index, every, memory, *known) if known[0] else {})


def _any(terms_: Iterable[str]) -> str:
    return " OR ".join(quoted(term) for term in terms_)


def _best(index: Index, match: str, where: str = "", *values: int) -> dict[int, float]:
    sql = f"SELECT rowid, -bm25(words, 1.0, 0.5) FROM words WHERE words MATCH ? {where} ORDER BY 2 DESC LIMIT ?"
    return dict(index.db.execute(sql, (match, *values, POOL)).fetchall())


def _vector(index: Index, question: str, known: Sequence[int]) -> tuple[list[int], dict[int, float], str]:
    """The nearest rows, and how near those and the known ones are."""
    if index.embedder is None:
        return [], {}, say("found.no_embedder")
    if index.vectors is None:
        return [], {}, say("found.embedder_failed", error=index.trouble)
    try:
        number, vector = index.number, index.embed([question])[0]
        if not vector @ vector <= 2.0:
            raise ValueError("no vector")
    except Exception as error:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
        return [], {}, say("found.embedder_failed", error=type(error).__name__)
    if index.number != number:
        return [], {}, say("found.other_width")
    near = index.vectors.near(vector, NEAR)
    cosine = dict(near) | dict(zip(known, index.vectors.cosines(known, vector), strict=True))
    return [number for number, _ in near], cosine, ""


def _rows(index: Index, numbers: Sequence[int]) -> tuple[dict[int, tuple[str, int]], set[int], dict[int, str]]:
    """Where each claim stands, those that have no vector of this embedder yet, and their keys."""
    marks = ",".join("?" * len(numbers))
    found = index.db.execute(
        f"SELECT id, path, place, embedder, key FROM claims WHERE id IN ({marks})", tuple(numbers)
    ).fetchall()
    bare = {row[0] for row in found if row[3] != index.number}
    return {row[0]: (row[1], row[2]) for row in found}, bare, {row[0]: row[4] for row in found}


def _scaled(scores: Mapping[int, float]) -> dict[int, float]:
    """As a share of the best of the list; what is not on it has nothing."""
    if not scores:
        return {}
    high = max(scores.values())
    return {number: max(score, 0.0) / high if high > 0 else 0.0 for number, score in scores.items()}


def _once(hits: Sequence[Hit], keys: Mapping[int, str]) -> Iterator[Hit]:
    """The same words on several days are one result, the newest, that knows the other days."""
    groups: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        groups.setdefault((keys.get(hit.number) or hit.claim.key, hit.claim.group), []).append(hit)
    for group in groups.values():
        newest = max(group, key=lambda hit: (hit.claim.day, hit.score))
        days = tuple(sorted({hit.claim.day for hit in group if hit.claim.day}))
        yield replace(newest, score=group[0].score, chance=group[0].chance, days=days)


def _words(question: str) -> dict[str, str]:
    """The words of the question by their terms: a reason is told in words, not in stems."""
    return {found[0]: word.casefold() for word in re.findall(r"[^\W_]+", question) if len(found := asked(word)) == 1}


def _why(hit: Hit, pool: Pool, words: Mapping[str, str]) -> str:
    have = {pool.token(term): term for term in terms(f"{hit.claim.context} {hit.claim.text}")}
    said = [
        words.get(term, term) if near == term else f"{words.get(term, term)}≈{near}"
        for term, near in _met(pool.matched, have)
    ]
    reasons = [say("found.words", words=say("found.comma").join(said))] if said else []
    reasons += [say("found.meaning", value=hit.vector_score)] if hit.vector_score >= MEANT or not said else []
    return say("found.and").join(reasons)


def _met(matched: Mapping[str, Sequence[str]], have: Mapping[str, str]) -> list[tuple[str, str]]:
    """The terms of the question that a line has, and how it spells them."""
    near = {term: [have[token] for token in spelled if token in have] for term, spelled in matched.items()}
    return [(term, found[0]) for term, found in near.items() if found]


def days_first(answer: Answer, day: AskedDay, noted: Iterable[Statement], limit: int) -> Answer:
    """An answer with the lines of that day in front: `noted`, and what of it the search found."""
    whole = hits_of_day(noted, day)
    known = {hit.place for hit in whole}
    others = [hit for hit in answer.hits if hit.place not in known]
    ours = [
        replace(hit, why=say("found.and").join((hit.why, say("found.note", day=hit.claim.day))))
        for hit in others
        if _is_noted(hit.claim, day)
    ]
    rest = [hit for hit in others if not _is_noted(hit.claim, day)]
    return replace(answer, hits=tuple([*whole, *ours, *rest][:limit]))


def hits_of_day(claims: Iterable[Statement], day: AskedDay) -> list[Hit]:
    """The lines of those days in their order; what machines and others said comes last."""
    found = sorted(
        (claim for claim in claims if _is_noted(claim, day)),
        key=lambda claim: (claim.origin not in _SAID, claim.day, claim.path, claim.first),
    )
    return [Hit(claim, 1.0, 0.0, 0.0, say("found.note", day=claim.day), days=(claim.day,)) for claim in found]


def claims_of_days(index: Index, days: Sequence[str]) -> list[Statement]:
    """Every claim of the files that bear one of these days in their names."""
    sql = "SELECT path FROM files WHERE path LIKE ?"
    paths = [row[0] for day in days for row in index.db.execute(sql, (f"%{day}%",)).fetchall()]
    return [claim for path in paths for claim in index.claims_in(path)]


def _is_noted(claim: Statement, day: AskedDay) -> bool:
    return day.holds(claim.day) and claim.day in claim.path


class View(Protocol):
    """What can be asked of a memory."""

    def find(self, question: str, limit: int, before: str = "") -> Answer: ...

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        """Lines that say something like one of these."""
        ...

    def noted(self, days: Sequence[str]) -> Sequence[Statement]: ...


class Indexed:
    """Through an open index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._few: dict[str, int] = {}

    def find(self, question: str, limit: int, before: str = "") -> Answer:
        return search(self._index, question, limit, before=before)

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        words: dict[str, None] = {}
        for text in texts:
            rarest = sorted(dict.fromkeys(terms(text)), key=self._often)
            rare = [
                term for term in rarest[:_RAREST] if self._often(term) < _FEW
            ]  # one that stands everywhere only costs
            words |= dict.fromkeys(rare or rarest[:2])
        return search(self._index, " ".join(words), limit).hits if words else ()

    def noted(self, days: Sequence[str]) -> Sequence[Statement]:
        return claims_of_days(self._index, days)

    def _often(self, term: str) -> int:
        if term not in self._few:
            self._few[term] = self._index.frequency(term, _FEW)
        return self._few[term]


class Scanned:
    """Through the claims themselves: slow, and always there."""

    def __init__(self, claims: Sequence[Statement], trouble: str) -> None:
        self._claims, self._trouble = claims, trouble

    def find(self, question: str, limit: int, before: str = "") -> Answer:
        return scan(self._claims, question, limit, self._trouble, before)

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        return self.find(" ".join(texts), limit).hits

    def noted(self, days: Sequence[str]) -> Sequence[Statement]:
        return [claim for claim in self._claims if claim.day in days]
