"""Search: words and vectors side by side, fused. Never ranked by promotion signals, and by age only when asked.

The lexical list is BM25 over `reverie.text.terms`; a word the index does not know is looked up by spelling, which also finds
the parts of compounds. The vector list is cosine. Each is scaled to its best, and they are added, 0.7 to 0.3
(docs/internals/measured.md has the table). A line beside a good line gains a little, because notes are about something. Of several
versions of one fact the newest stands first and the older ones are marked. A question about a day gets the lines of that day
first. Without an index every line is looked at (`scan`), and a `View` hides which of the two answered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import Protocol

from reverie.core.layout import holds_memory
from reverie.evidence.index import Index
from reverie.evidence.relevance import AskedDay, Background, background
from reverie.evidence.spelling import frequency, quoted, spellings
from reverie.judge.relation import RelationKind, handles, relation
from reverie.lang.lexicon import any_of
from reverie.lang.messages import say
from reverie.text.terms import asked, plain, terms
from reverie.workspace.values import Group, Origin, Statement, stated

LEXICAL, VECTOR, NEIGHBOUR = 0.7, 0.3, 0.25
POOL = 200  # results of each list that are fused
SCORED = 3_000  # lines that are scored for one question
FOUND = 30_000  # lines that are found for one question; counting a word ends here
FLOOR = 0.45  # a line without a word of the question must be at least this near to it
_TRUST = {Origin.QUOTED: 0.85, Origin.FENCED: 0.85, Origin.MACHINE: 0.8, Origin.SESSION: 0.97}
DEEPER = 5  # times as many results are looked through for one of a certain day
SAMPLE = 2_000  # lines whose nearness says what is usual
_COUNTED = 5_000  # a word that stands in more lines than this tells nothing apart
_FEW = 500  # whether a word is rare is known when so many lines have it
_RAREST = 6  # words of a line by which others like it are found
_SAID = frozenset({Origin.OWNER, Origin.SESSION})
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")


@dataclass(frozen=True, slots=True)
class Hit:
    """A claim that answers, why it matched, and whether a newer version of it is known."""

    claim: Statement
    score: float
    text_score: float
    vector_score: float
    why: str
    number: int = 0
    days: tuple[str, ...] = ()  # all days on which the same words stand
    current: bool | None = None  # True: the newest of several versions; False: superseded
    superseded_by: str = ""

    @property
    def place(self) -> str:
        """Where it stands: its file and its first line."""
        return f"{self.claim.path}:{self.claim.first}"


@dataclass(frozen=True, slots=True)
class Answer:
    question: str
    hits: tuple[Hit, ...]
    degraded: str = ""  # why this is less than the whole truth
    cosines: tuple[float, ...] = ()  # how near a sample of all lines is to the question, for those who asked


def search(index: Index, question: str, limit: int, min_score: float = 0.0, *, sample: int = 0) -> Answer:
    """The best claims for a question. Without vectors the words alone answer, and the answer says so."""
    wanted, words = asked(question), _words(question)
    lexical, matched = _lexical(index, wanted)
    some = range(1, index.roughly() + 1, max(1, index.roughly() // sample)) if sample else ()
    vector, cosine, trouble = _vector(index, question, [*lexical, *some])
    usual = tuple(cosine[number] for number in some if cosine.get(number))
    numbers = list(dict.fromkeys([*lexical, *vector]))
    rows, places, bare, keys = _rows(index, numbers)
    cosine = {number: near for number, near in cosine.items() if number not in bare}
    texts, nears = _scaled(lexical), _scaled({n: cosine.get(n, 0.0) for n in rows})
    scores = {}
    for number, claim in rows.items():
        near = cosine.get(number, 0.0)
        if number not in lexical and near < FLOOR:
            continue
        by_words, by_meaning = texts.get(number, 0.0), nears.get(number, 0.0)
        score = by_words if trouble else LEXICAL * by_words + VECTOR * by_meaning
        scores[number] = score * _TRUST.get(claim.origin, 1.0)
    scores = _with_neighbours(scores, places)
    hits = [Hit(rows[n], min(score, 1.0), texts.get(n, 0.0), cosine.get(n, 0.0), "", n) for n, score in scores.items()]
    ranked = _ranked(hits, newest=bool(any_of("asking.newest").search(question)))
    found = islice((hit for hit in _once(ranked, keys) if hit.score >= min_score), limit * 3)
    best = _current_first(with_versions(_read(index, list(found))))[:limit]
    told = tuple(replace(hit, why=_why(hit.claim, matched, hit.vector_score, words, index.tokens.term)) for hit in best)
    return Answer(question, told, trouble, usual)


def _read(index: Index, hits: Sequence[Hit]) -> list[Hit]:
    """The hits with their words, as they stand in the files; what does not stand there any more is no hit."""
    claims = index.claims([hit.number for hit in hits])
    return [replace(hit, claim=claims[hit.number]) for hit in hits if hit.number in claims]


def _current_first(hits: Sequence[Hit]) -> list[Hit]:
    """The order as it was, but an older version never stands before the one that took its place."""
    out: list[Hit] = []
    late: dict[str, list[Hit]] = {}
    there = {hit.place for hit in hits}
    for hit in hits:
        if hit.superseded_by in there and hit.superseded_by not in {one.place for one in out}:
            late.setdefault(hit.superseded_by, []).append(hit)
        else:
            out += [hit, *late.pop(hit.place, ())]
    return out


def scan(claims: Iterable[Statement], question: str, limit: int, trouble: str) -> Answer:
    """The same question without an index: every claim is looked at. Slow and honest."""
    wanted, words = set(asked(question)), _words(question)
    hits = []
    for claim in claims:
        have = set(terms(f"{claim.context} {claim.text}"))
        share = len(wanted & have) / len(wanted) if wanted else 0.0
        if share:
            score = share * _TRUST.get(claim.origin, 1.0) * (1.0 - min(len(have), 200) / 1000)
            why = _why(claim, {term: [term] for term in asked(question) if term in have}, 0.0, words, str)
            hits.append(Hit(claim, score, share, 0.0, why))
    ranked = _ranked(hits, newest=bool(any_of("asking.newest").search(question)))
    best = _current_first(with_versions(list(islice(_once(ranked, {}), limit * 3))))[:limit]
    return Answer(question, tuple(best), trouble)


def _lexical(index: Index, wanted: Sequence[str]) -> tuple[dict[int, float], dict[str, list[str]]]:
    """Scores of the best rows by BM25, and which words of the index, as tokens, stand for each term of the question."""
    tokens = {term: index.tokens.term(term) for term in wanted}
    often = {token: frequency(index.db, token, FOUND) for token in tokens.values()}
    matched = {
        term: [token] if often[token] else spellings(index.db, index.tokens, term) for term, token in tokens.items()
    }
    matched = {term: found for term, found in matched.items() if found}
    for term in (term for found in matched.values() for term in found):
        often[term] = often.get(term) or frequency(index.db, term, FOUND)
    known = {term: often[term] for found in matched.values() for term in found}
    chosen = _rarest(known, FOUND) or dict.fromkeys(sorted(known)[:3], FOUND)
    return _scored(index, chosen) if known else {}, matched


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
        number, asked_for = index.number, index.embed([question])[0]
        if not asked_for @ asked_for <= 2.0:
            raise ValueError("no vector")
    except Exception as error:  # noqa: BLE001  an embedder may be anything: a server, a package, a broken file
        return [], {}, say("found.embedder_failed", error=type(error).__name__)
    if index.number != number:
        return [], {}, say("found.other_width")
    near = index.vectors.near(asked_for, POOL)
    cosine = dict(near) | dict(zip(known, index.vectors.cosines(known, asked_for), strict=True))
    return [number for number, score in near if score >= FLOOR], cosine, ""


def _rows(
    index: Index, numbers: Sequence[int]
) -> tuple[dict[int, Statement], dict[int, tuple[str, int]], set[int], dict[int, str]]:
    """The claims without their words, where each stands, those that have no vector of this embedder yet, and their keys."""
    marks = ",".join("?" * len(numbers))
    sql = f"SELECT id, place, embedder, key, path, first, last, '', '', '', day, origin, grp FROM claims WHERE id IN ({marks})"
    found = index.db.execute(sql, tuple(numbers)).fetchall()
    claims = {row[0]: stated(*row[4:]) for row in found}
    bare = {row[0] for row in found if row[2] != index.number}
    return claims, {row[0]: (row[4], row[1]) for row in found}, bare, {row[0]: row[3] for row in found}


def _scaled(scores: Mapping[int, float]) -> dict[int, float]:
    """As a share of the best of the list; what is not on it has nothing."""
    if not scores:
        return {}
    high = max(scores.values())
    return {number: max(score, 0.0) / high if high > 0 else 0.0 for number, score in scores.items()}


def _with_neighbours(scores: Mapping[int, float], places: Mapping[int, tuple[str, int]]) -> dict[int, float]:
    """A line beside a good line gains a little; the best keeps the score it had, so that one may be all right alone."""
    at = {places[number]: score for number, score in scores.items()}
    out = {}
    for number, score in scores.items():
        path, place = places[number]
        out[number] = score + NEIGHBOUR * (at.get((path, place - 1), 0.0) + at.get((path, place + 1), 0.0))
    scale = max(scores.values(), default=0.0) / (max(out.values(), default=0.0) or 1.0)
    return {number: score * scale for number, score in out.items()}


def _ranked(hits: Sequence[Hit], *, newest: bool) -> list[Hit]:
    """Best first; of equals the newer one. When the question asks for the newest, days count a little."""
    days = sorted({hit.claim.day for hit in hits if hit.claim.day})
    place = {day: (i + 1) / len(days) for i, day in enumerate(days)}

    def rank(hit: Hit) -> tuple[float, str, str, int]:
        bonus = 0.15 * place.get(hit.claim.day, 0.5) if newest else 0.0
        return round(hit.score + bonus, 3), hit.claim.day, hit.claim.path, -hit.claim.first

    return sorted(hits, key=rank, reverse=True)


def _once(hits: Sequence[Hit], keys: Mapping[int, str]) -> Iterator[Hit]:
    """The same words on several days are one result, the newest, that knows the other days."""
    groups: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        groups.setdefault((keys.get(hit.number) or hit.claim.key, hit.claim.group), []).append(hit)
    for group in groups.values():
        newest = max(group, key=lambda hit: (hit.claim.day, hit.score))
        days = tuple(sorted({hit.claim.day for hit in group if hit.claim.day}))
        yield replace(newest, score=group[0].score, days=days)


def _words(question: str) -> dict[str, str]:
    """The words of the question by their terms: a reason is told in words, not in stems."""
    return {found[0]: word.casefold() for word in re.findall(r"[^\W_]+", question) if len(found := asked(word)) == 1}


def _why(
    claim: Statement,
    matched: Mapping[str, Sequence[str]],
    cosine: float,
    words: Mapping[str, str],
    token: Callable[[str], str],
) -> str:
    have = {token(term): term for term in terms(f"{claim.context} {claim.text}")}
    said = [
        words.get(term, term) if near == term else f"{words.get(term, term)}≈{near}"
        for term, near in _met(matched, have)
    ]
    reasons = [say("found.words", words=say("found.comma").join(said))] if said else []
    reasons += [say("found.meaning", value=cosine)] if cosine >= FLOOR else []
    return say("found.and").join(reasons) or say("found.neighbour")


def _met(matched: Mapping[str, Sequence[str]], have: Mapping[str, str]) -> list[tuple[str, str]]:
    """The terms of the question that a line has, and how it spells them."""
    near = {term: [have[token] for token in spelled if token in have] for term, spelled in matched.items()}
    return [(term, found[0]) for term, found in near.items() if found]


def with_versions(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, those that are versions of one another marked."""
    out = list(hits)
    for i, hit in enumerate(out):
        newer = [other for other in out if other is not hit and _updates(other, hit)]
        if newer:
            best = max(newer, key=lambda other: other.claim.day)
            out[i] = replace(hit, current=False, superseded_by=best.place)
    named = {hit.superseded_by for hit in out if hit.superseded_by}
    return [replace(hit, current=True) if hit.current is None and hit.place in named else hit for hit in out]


def _updates(newer: Hit, older: Hit) -> bool:
    one, other = newer.claim, older.claim
    if not one.day > other.day > "" or one.origin is not Origin.OWNER or one.parents != other.parents:
        return False
    subjects = _subject(one.heading), _subject(other.heading)
    if all(subjects) and subjects[0] != subjects[1]:
        return False
    if handles(other.text).isdisjoint(handles(one.text)):
        return False  # cheap, and most pairs of results are strangers
    return relation(other.text, one.text).kind in (RelationKind.UPDATE, RelationKind.TURNED)


@lru_cache(maxsize=1_000)
def _subject(heading: str) -> str:
    """The nearest heading without its date: nothing, if it only says which day it is."""
    return plain(_DAY.sub(" ", heading.rpartition(" > ")[2]))


def search_in_days(index: Index, day: AskedDay, question: str, limit: int, min_score: float = 0.0) -> Answer:
    """The best claims for a question about a day."""
    answer = search(index, question, limit * (1 if day.whole else DEEPER), min_score)
    return days_first(answer, day, claims_of_days(index, day.days) if day.whole else (), limit)


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

    def find(self, question: str, limit: int) -> Answer: ...

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        """Lines that say something like one of these."""
        ...

    def few(self, term: str) -> int:
        """In how many lines a term stands; counting may stop when it is no longer rare."""
        ...

    def usual(self, answer: Answer) -> Background:
        """What is usual here, as far as the answer to a question tells."""
        ...

    def noted(self, days: Sequence[str]) -> Sequence[Statement]: ...


class Indexed:
    """Through an open index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._few: dict[str, int] = {}

    def find(self, question: str, limit: int) -> Answer:
        return search(self._index, question, limit, sample=SAMPLE)

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        words: dict[str, None] = {}
        for text in texts:
            rarest = sorted(dict.fromkeys(terms(text)), key=self.few)
            rare = [term for term in rarest[:_RAREST] if self.few(term) < _FEW]  # one that stands everywhere only costs
            words |= dict.fromkeys(rare or rarest[:2])
        return search(self._index, " ".join(words), limit).hits if words else ()

    def few(self, term: str) -> int:
        if term not in self._few:
            self._few[term] = self._index.frequency(term, _FEW)
        return self._few[term]

    def usual(self, answer: Answer) -> Background:
        return background(self._index.roughly(), lambda term: self._index.frequency(term, _COUNTED), answer.cosines)

    def noted(self, days: Sequence[str]) -> Sequence[Statement]:
        return claims_of_days(self._index, days)


class Scanned:
    """Through the claims themselves: slow, and always there."""

    def __init__(self, claims: Sequence[Statement], trouble: str) -> None:
        self._claims, self._trouble = claims, trouble

    def find(self, question: str, limit: int) -> Answer:
        return scan(self._claims, question, limit, self._trouble)

    def like(self, texts: Sequence[str], limit: int) -> Sequence[Hit]:
        return self.find(" ".join(texts), limit).hits

    def few(self, term: str) -> int:
        return self._often[term]

    def usual(self, _answer: Answer) -> Background:
        return Background(len(self._claims), lambda term: self._often[term])

    def noted(self, days: Sequence[str]) -> Sequence[Statement]:
        return [claim for claim in self._claims if claim.day in days]

    @cached_property
    def _often(self) -> Counter[str]:
        return Counter(term for claim in self._claims for term in set(terms(f"{claim.context} {claim.text}")))


def is_memory(claim: Statement) -> bool:
    """Whether a claim is a line of memory."""
    return claim.group is Group.MEMORY and holds_memory(claim.path)
