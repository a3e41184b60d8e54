"""OpenClaw's formats: the hashes, keys and concept tags of its recall store, its entries as values, and its promoted lines.

Values are field by field as OpenClaw keeps them (`docs/internals/formats.md` names ours), already bounded: a store may come from a
stranger. Tags follow its rules with a word list of our own (`concepts` in the language files). Python has no dictionary of
Chinese and Japanese words, so a run of Han characters is cut into pairs, which is what most of their words are. A promoted
line of MEMORY.md has a marker above it and numbers behind its words: who reads it takes the words without the numbers, who
writes it in the `append` shape adds them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from reverie.lang import words

_EXTENSIONS = frozenset(
    [
        "csv",
        "html",
        "ini",
        "jpg",
        "js",
        "json",
        "jsonl",
        "log",
        "md",
        "pdfs",
        "png",
        "py",
        "sh",
        "toml",
        "ts",
        "txt",
        "xml",
        "yaml",
        "yml",
    ]
)
MOST_TAGS = 8
LONGEST_TAG = 32
DAILY_QUERY = "__dreaming_daily__:"
SESSION_QUERY = "__dreaming_sessions__:"
GROUNDED_QUERY = "__dreaming_grounded_backfill__:"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u309f\u30a0-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\uac00-\ud7af"
_CJK = re.compile(f"[{_HAN}{_KANA}{_HANGUL}]")
_KANA_ONLY = re.compile(f"[{_KANA}]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_WORD = rf"[^\W_{_HAN}{_KANA}]"
_SEGMENT = re.compile(
    rf"[{_HAN}]+|[\u30a0-\u30ff\u31f0-\u31ff]+|[\u3040-\u309f]+"
    # A stop or an apostrophe joins letters to letters and digits to digits: standup.md, 1.2.3, Elsa's.
    rf"|{_WORD}+(?:(?:(?<=[^\W\d_])[.'’_:](?=[^\W\d_])|(?<=\d)[.,'’_;](?=\d)){_WORD}+)*"
)
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+(?:[._/-]+[^\W_]+)+")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_NUMBER = re.compile(r"\d+")
_JOINED_NUMBER = re.compile(r"\d+(?:[./-]\d+)+")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?:\.[a-z0-9]+)?")
_CORPUS = re.compile(r"(?:.*/)?memory/\.dreams/session-corpus/(?:.*/)?\d{4}-\d{2}-\d{2}\.(?:txt|md)")
_DAY = r"(?:\d{4}-\d{2}-\d{2})"
_NOTE = re.compile(rf"(?:(?:.*/)?memory/(?:.*/)?)?{_DAY}\.md")
_SLUGGED_NOTE = re.compile(rf"(?:(?:.*/)?memory/(?:.*/)?)?{_DAY}(?:-[^/]+)?\.md")


def concept_tags(path: str, snippet: str, *, before_2026_8: bool = False) -> tuple[str, ...]:
    """At most eight tags, in the order found: words of the glossary, compounds, other words."""
    text = unicodedata.normalize("NFKC", f"{path.rsplit('/', 1)[-1]} {snippet}")
    if not before_2026_8:
        text = uncommented(text, " ")
    found: dict[str, None] = {}
    for word, known in _candidates(text, before_2026_8=before_2026_8):
        tag = _normal(word)
        if _says_something(tag, known=known and not before_2026_8, before_2026_8=before_2026_8):
            found.setdefault(tag)
        if len(found) == MOST_TAGS:
            break
    return tuple(found)


def _candidates(text: str, *, before_2026_8: bool) -> Iterator[tuple[str, bool]]:
    """Words that may become tags, and whether the glossary vouches for them."""
    lowered = text.lower()
    for word in _glossary(before_2026_8=before_2026_8):
        if word in lowered and (len(word) > 2 or _CJK.search(word) or _stands_alone(word, lowered)):
            yield word, True
    yield from ((match[0], False) for match in _COMPOUND.finditer(text))
    for match in _SEGMENT.finditer(text):
        if re.match(f"[{_HAN}]", match[0]):
            yield from ((pair, False) for pair in _pairs(match[0]))
        else:
            yield match[0], False


@cache
def _glossary(*, before_2026_8: bool) -> tuple[str, ...]:
    return tuple(sorted((*words("concepts.glossary"), *(("qmd",) if before_2026_8 else ()))))


@cache
def _stop_words(*, before_2026_8: bool) -> frozenset[str]:
    newer = () if before_2026_8 else words("concepts.stop_since_2026_8")
    return _EXTENSIONS | {*words("concepts.stop"), *newer}


def _stands_alone(word: str, text: str) -> bool:
    """Short words are words only on their own: s3, not the middle of another."""
    return bool(re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text))


def _pairs(run: str) -> list[str]:
    """A run of Han characters in twos; a last one alone joins the pair before it."""
    pairs = [run[i : i + 2] for i in range(0, len(run) - len(run) % 2, 2)]
    if len(run) % 2 and pairs:
        pairs[-1] += run[-1]
    return pairs


def _normal(word: str) -> str:
    trimmed = re.sub(r"^[\W_]+|[\W_]+$", "", word)
    return trimmed.replace("_", "-").lower()


def _says_something(tag: str, *, known: bool, before_2026_8: bool) -> bool:
    if not tag or len(tag) > LONGEST_TAG or tag in _stop_words(before_2026_8=before_2026_8):
        return False
    if _NUMBER.fullmatch(tag) or _DATED.fullmatch(tag):
        return False
    if not before_2026_8 and _JOINED_NUMBER.fullmatch(tag):
        return False
    least = 3 if _KANA_ONLY.fullmatch(tag) else 2 if known or _CJK.search(tag) else 3
    return len(tag) >= least


def script_of(tag: str) -> str:
    """The family of scripts a tag is written in: latin, cjk, mixed or other."""
    latin, cjk = bool(_LATIN.search(tag)), bool(_CJK.search(tag))
    return "mixed" if latin and cjk else "cjk" if cjk else "latin" if latin else "other"


def scripts(tagged: Iterable[Iterable[str]]) -> Mapping[str, int]:
    """How many entries are tagged in which family of scripts."""
    counts = {"latin": 0, "cjk": 0, "mixed": 0, "other": 0}
    for tags in tagged:
        families = {script_of(tag) for tag in tags}
        if "mixed" in families or {"latin", "cjk"} <= families:
            counts["mixed"] += 1
        elif families:
            counts[next(one for one in ("cjk", "latin", "other") if one in families)] += 1
    return counts


def uncommented(text: str, instead: str = "") -> str:
    """A text without its HTML comments. An opening that nothing closes is text, and costs no time."""
    closed = text.rfind("-->") + 3
    return _COMMENT.sub(instead, text[:closed]) + text[closed:] if closed > 2 else text


def collapsed(text: str) -> str:
    return " ".join(text.split())


def claim_hash(snippet: str) -> str:
    """The same for the same words, however they are spaced."""
    return _sha1(collapsed(snippet))


def query_hash(query: str) -> str:
    return _sha1(query.strip().lower())


def message_hash(scope: str, basis: str, snippet: str) -> str:
    """By what a message of a conversation is known: `basis` is `ts:<ms>` or `line:<n>`."""
    return hashlib.sha1(f"{scope}\n{basis}\n{snippet}".encode(errors="surrogatepass")).hexdigest()


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(errors="surrogatepass")).hexdigest()[:12]


def normal_path(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def place_key(path: str, first: int, last: int, claim: str = "") -> str:
    """An entry by its place, and by its words when two stand at one place."""
    return f"memory:{normal_path(path)}:{first}:{last}" + (f":{claim}" if claim else "")


def claim_key(snippet: str) -> str:
    """An entry by its words alone: it stays the same when lines move."""
    return f"memory:claim:{claim_hash(snippet)}"


def is_short_term(path: str, *, before_2026_8: bool = False) -> bool:
    """Whether recalls of this path count: dated notes and the session corpus, never what a dream wrote."""
    normal = normal_path(path)
    if re.search(r"(?:^|/)memory/dreaming/", normal):
        return False
    note = _NOTE if before_2026_8 else _SLUGGED_NOTE
    return bool(note.fullmatch(normal) or _CORPUS.fullmatch(normal))


@lru_cache(maxsize=4096)
def _ingestion_hashes(day: date) -> tuple[str, str]:
    return query_hash(f"{DAILY_QUERY}{day}"), query_hash(f"{SESSION_QUERY}{day}")


def noted_days(queries: Iterable[str], first: date, last: date) -> frozenset[date]:
    """The days whose notes or conversations said it: the peer hides them as the hash of a made-up query.

    A day that is none of these queries was no reading of a note. Days from `first` to `last` are tried.
    """
    asked = frozenset(queries)
    span = range(min((last - first).days, 800) + 1)
    return frozenset(
        day for day in (first + timedelta(days=n) for n in span) if any(one in asked for one in _ingestion_hashes(day))
    )


def ingestion_hashes(first: date, last: date) -> frozenset[str]:
    """The query hashes under which notes and conversations of these days are recorded."""
    span = range(min((last - first).days, 800) + 1)
    made_up = {query_hash(GROUNDED_QUERY + kind) for kind in ("lasting-update", "candidate")}
    return frozenset(made_up.union(*(_ingestion_hashes(first + timedelta(days=n)) for n in span)))


MOST_HITS = 9_999  # where the peer's own counters stop


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PeerOrigin:
    """Where the peer says a snippet came from."""

    origin_class: str = ""  # owner, agent, system, untrusted
    session_kind: str = "unknown"


@dataclass(frozen=True, slots=True)
class PeerRecall:
    """One entry of the short-term recall store."""

    key: str
    path: str
    first: int
    last: int
    snippet: str  # redacted when read
    recalls: int = 0
    daily: int = 0
    grounded: int = 0
    total_score: float = 0.0
    max_score: float = 0.0
    first_recalled: datetime | None = None
    last_recalled: datetime | None = None
    promoted: datetime | None = None
    queries: tuple[str, ...] = ()
    user_queries: tuple[str, ...] = ()
    days: tuple[date, ...] = ()
    tags: tuple[str, ...] = ()
    claim: str = ""
    origin: PeerOrigin | None = None
    project: str = ""
    # Ours, not the peer's: None when nobody counted apart.
    searched: float | None = None  # the sum of scores that came from searches
    embedder: str = ""  # whose similarity those scores are
    noted: tuple[date, ...] | None = None  # the days of the notes and conversations that said it

    @property
    def signals(self) -> int:
        return self.recalls + self.daily + self.grounded

    @property
    def average(self) -> float:
        return min(1.0, max(0.0, self.total_score / max(1, self.signals)))

    @property
    def place(self) -> str:
        """Where it stands, as the peer writes it in its reports."""
        return f"{self.path}:{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class PeerSignal:
    """How often light and REM met an entry."""

    key: str
    light: int = 0
    rem: int = 0
    last_light: datetime | None = None
    last_rem: datetime | None = None


def met(signal: PeerSignal | None, key: str, phase: str, at: datetime) -> PeerSignal:
    """The signal after a phase met the entry. A second meeting in one night (less than 12 hours later) adds nothing."""
    old = signal or PeerSignal(key)
    last = old.last_light if phase == "light" else old.last_rem
    if last is not None and at - last < timedelta(hours=12):
        return old
    if phase == "light":
        return replace(old, light=min(MOST_HITS, old.light + 1), last_light=at)
    return replace(old, rem=min(MOST_HITS, old.rem + 1), last_rem=at)


def with_recalls(theirs: PeerRecall, ours: PeerRecall) -> PeerRecall:
    """An entry of the peer's with what we counted besides, each signal once: the two never count the same recall."""
    return replace(
        theirs,
        recalls=theirs.recalls + ours.recalls,
        daily=theirs.daily + ours.daily,
        grounded=theirs.grounded + ours.grounded,
        total_score=theirs.total_score + ours.total_score,
        max_score=max(theirs.max_score, ours.max_score),
        first_recalled=min(filter(None, (theirs.first_recalled, ours.first_recalled)), default=None),
        last_recalled=max(filter(None, (theirs.last_recalled, ours.last_recalled)), default=None),
        promoted=theirs.promoted or ours.promoted,
        queries=tuple(dict.fromkeys((*theirs.queries, *ours.queries))),
        user_queries=tuple(dict.fromkeys((*theirs.user_queries, *ours.user_queries))),
        days=tuple(sorted({*theirs.days, *ours.days})),
        tags=theirs.tags or ours.tags,
    )


def with_meetings(theirs: PeerSignal, ours: PeerSignal) -> PeerSignal:
    """How often light and REM met an entry, in the peer's nights and in ours."""
    return PeerSignal(
        theirs.key,
        min(MOST_HITS, theirs.light + ours.light),
        min(MOST_HITS, theirs.rem + ours.rem),
        max(filter(None, (theirs.last_light, ours.last_light)), default=None),
        max(filter(None, (theirs.last_rem, ours.last_rem)), default=None),
    )


def fixed(number: float, places: int) -> str:
    """A number with so many decimals, as the peer prints it: an exact half goes up."""
    return str(Decimal(number).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


@dataclass(frozen=True, slots=True)
class PeerEvent:
    """One line of the peer's event log; what it is about stands in `about`, as it was written."""

    kind: str
    at: datetime | None
    about: Mapping[str, Any] = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class PeerState:
    """Everything a peer left behind for one workspace. What could not be read is named in `doubts`."""

    recalls: Mapping[str, PeerRecall] = field(default_factory=_nothing)
    signals: Mapping[str, PeerSignal] = field(default_factory=_nothing)
    events: tuple[PeerEvent, ...] = ()
    doubts: tuple[str, ...] = ()
    store: str = ""  # where the entries come from, when they do not stand in the workspace's own file


def questions_in(state: PeerState) -> Mapping[str, str]:
    """What was asked, by its hash, in the order of asking."""
    asked = (event.about.get("query") for event in state.events if event.kind == "memory.recall.recorded")
    return {query_hash(text): text for text in asked if isinstance(text, str) and text.strip()}


TITLE = "# Long-Term Memory"
HEADING = "Promoted From Short-Term Memory"
LONGEST_KEY = 120  # characters of a key that may stand in MEMORY.md; a longer one gives way to one by the words
_DAY_HEADING = re.compile(rf"{HEADING} \(\d{{4}}-\d{{2}}-\d{{2}}\)")
_MARK = re.compile(r"<!-- openclaw-memory-promotion:(?P<key>[^\s<>]{1,512}) -->")
_NUMBERS = re.compile(
    r"[ \t]*\[score=(?P<score>[\d.]+) (?:signals=(?P<signals>\d+) )?recalls=(?P<recalls>\d+) avg=(?P<average>[\d.]+)"
    r" source=(?P<source>[^\]\n]*)\]"
)
_TRIGGER = re.compile(r"[ \t]*<!-- trigger: (?P<tags>[^<>\n]*?) -->")
_IMPORTANCE = re.compile(r"[ \t]*<!-- importance: \d{1,2} -->")
_PROJECT = re.compile(r"[ \t]*<!-- project: [^<>\n]*? -->")
_BY_WORDS = re.compile(r"memory:(?:claim|grounded):[0-9a-f]{6,40}")
_LINES = re.compile(r":\d{1,7}:\d{1,7}(?::[0-9a-f]{6,40})?")
_TAG = re.compile(r"[^<>,\n]{1,64}")


@dataclass(frozen=True, slots=True)
class Promoted:
    """The numbers of a promoted line: its key in the recall store, its score, and what that rests on."""

    key: str
    score: float
    signals: int = 0
    recalls: int = 0
    average: float = 0.0
    tags: tuple[str, ...] = ()
    grounded: bool = False  # led in by old notes that a backfill looked at; no part of the line itself


def heading_of(day: date) -> str:
    """What the section of a night is called."""
    return f"{HEADING} ({day.isoformat()})"


def is_heading(text: str) -> bool:
    return bool(_DAY_HEADING.fullmatch(text))


def mark_of(key: str) -> str:
    """The comment above a promoted line."""
    return f"<!-- openclaw-memory-promotion:{key} -->"


def key_in(line: str) -> str:
    """The key that such a comment names; empty for any other line."""
    found = _MARK.fullmatch(line.strip())
    return found["key"] if found else ""


def is_key(key: str, paths: Iterable[str]) -> bool:
    """Whether a key may stand in a marker: one of the words alone, or of lines of these files.

    A store may come from a stranger, and what is not checked would be read by whoever reads MEMORY.md.
    """
    if not _MARK.fullmatch(mark_of(key)) or "--" in key or len(key) > LONGEST_KEY:
        return False
    placed = any(_LINES.fullmatch(key.removeprefix(f"memory:{path}")) for path in paths if f"memory:{path}:" in key)
    return placed or bool(_BY_WORDS.fullmatch(key))


def numbers_of(one: Promoted, place: str, *, before_2026_8: bool = False) -> str:
    """What stands behind the words: the peer's numbers, and since 2026.8 what its later recalls read."""

    score, counts = fixed(one.score, 3), f"recalls={one.recalls} avg={fixed(one.average, 3)}"
    if before_2026_8:
        return f"[score={score} {counts} source={closed(place)}]"
    return f"[score={score} signals={one.signals} {counts} source={closed(place)}] {remarks_of(one.tags, one.score)}"


def remarks_of(tags: Iterable[str], score: float, project: str = "") -> str:
    """What later recalls read: words that call the line up, how important it is, whose project it belongs to."""
    calling = [tag for tag in tags if _TAG.fullmatch(tag) and "--" not in tag][:3]
    found = [f"<!-- trigger: {', '.join(calling)} -->"] if calling else []
    found.append(f"<!-- importance: {importance(score)} -->")
    if project:
        found.append(f"<!-- project: {project} -->")
    return " ".join(found)


def importance(score: float) -> int:
    """From 3 to 10: the tenths of the score, a half going up."""
    return min(10, max(3, int(score * 10 + 0.5)))


def closed(place: str) -> str:
    """A place as it stands between brackets."""
    return place.replace("]", "%5D")


def words_of(text: str) -> str:
    """A promoted line without its numbers and remarks; any other text as it is."""
    if "[score=" not in text or not _NUMBERS.search(text):
        return text
    for rule in (_NUMBERS, _TRIGGER, _IMPORTANCE, _PROJECT):
        text = rule.sub("", text)
    return text.rstrip()


def places_in(text: str) -> list[str]:
    """The places that the numbers of a line name as its source."""
    return [found["source"] for found in _NUMBERS.finditer(text)]


def triggers_in(text: str) -> list[str]:
    return [tag for found in _TRIGGER.finditer(text) for tag in found["tags"].split(", ")]


def read_back(line: str, above: str) -> Promoted | None:
    """The numbers of a line that was written with `numbers_of`, below its marker; None when it has none."""
    found, key = _NUMBERS.search(line), key_in(above)
    if found is None or not key:
        return None
    tags = tuple(triggers_in(line))
    counts = int(found["signals"] or 0), int(found["recalls"])
    return Promoted(key, float(found["score"]), *counts, float(found["average"]), tags)
