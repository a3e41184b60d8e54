"""Masking what a file already says: secrets, or words that the owner names. Text, JSON and JSON lines keep their form.

Whoever reads such a file again must find it whole: of JSON only the strings change, each by itself, and lines stay lines. What is
looked at in one piece is what a promise looks at before it is written: read as one, the key of one fact and the number of the
next would look like a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reverie.core.layout import Kind, place_of
from reverie.privacy.names import joined_spans, path_spans
from reverie.privacy.placeholders import is_key
from reverie.privacy.redact import HIDDEN, SECRET, findings
from reverie.text.lines import sentences, split_lines
from reverie.text.managed import managed_lines

Span = tuple[int, int]
REMOVED = "⟦removed⟧"
MOST_KNOWN = 500  # values that are also looked for by themselves; each costs a search of every file
SHORTEST = 4  # characters of a secret
_SHORT = 1_000
_LITERAL = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.S)
_BETWEEN = re.compile(r"\s*,\s*")
_NAME = re.compile(r"[^\s\"'`()\[\]<>|,;:*⟦⟧\x00-\x1f]{4,400}")
_ENDING = re.compile(r"\d.*\.(?:md|jsonl|txt)\b|\.(?:md|jsonl|txt)\b.*\d")
_NAME_IN_BYTES = re.compile(rb"[\w./~ \x80-\xff-]{4,400}\.(?:md|jsonl)(?!\w)")
_JSON = (".json", ".jsonl", ".refused", ".damaged", "COMMIT", "DONE")
_TURN = re.compile(r"\[[^\]\n]{1,300}\] \w{2,12}: ")
_PIECES = frozenset({Kind.DIARY, Kind.REPORT, Kind.REVIEW_LOG, Kind.CORPUS})
_OWNERS_TOO = frozenset({Kind.DIARY, Kind.KNOWLEDGE})  # the owner writes around our blocks


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must stand nowhere: where it is in a text, whether bytes that are no text hold it, and what takes its place."""

    spans: Callable[[str], Sequence[Span]]
    in_bytes: Callable[[bytes], bool]
    in_name: Callable[[str], bool]  # whether the path of a file holds it
    mask: str


@dataclass(frozen=True, slots=True)
class Masked:
    """A file as it may stay, and the lines (from one) in which something was masked, one for each place."""

    data: bytes
    lines: tuple[int, ...] = ()


def wanted_secrets(known: Iterable[str] = ()) -> Wanted:
    """Whatever is recognised as a secret, in a text or in the name of a file; and the known values, wherever they stand."""
    values = sorted(set(known), key=len, reverse=True)[:MOST_KNOWN]

    def spans(text: str) -> Sequence[Span]:
        found = list(_secrets_in(text))
        for name in _NAME.finditer(text):
            if _ENDING.search(name[0]):
                found += [(name.start() + first, name.start() + last) for first, last in path_spans(name[0])]
        return joined_spans([*found, *(span for value in values for span in _places(value, text))])

    def in_bytes(data: bytes) -> bool:
        if any(form in data for value in values for form in (value.encode(), _escaped(value))):
            return True
        names = (found[0].decode("utf-8", "replace") for found in _NAME_IN_BYTES.finditer(data))
        return any(path_spans(name) for name in names)

    return Wanted(spans, in_bytes, lambda path: bool(path_spans(path)), HIDDEN)


def _secrets_in(text: str) -> Sequence[Span]:
    """A record says the same short things a thousand times; each is looked at once."""
    if len(text) < SHORTEST:
        return ()
    return _secrets_in_short(text) if len(text) < _SHORT else _found(text)


def _found(text: str) -> Sequence[Span]:
    return tuple(one[1:] for one in findings(text, frozenset()) if one.kind == SECRET)


_secrets_in_short = lru_cache(maxsize=50_000)(_found)


def wanted_words(given: Sequence[str]) -> Wanted:
    """The words that the owner named, in any case, joined as titles and names of files join them."""
    forms = [[re.escape(word) for word in re.split(r"[\s_-]+", one.strip()) if word] for one in given]
    texts = [r"[\s_-]+".join(words) for words in forms if words]
    pattern = re.compile("|".join(rf"{_edge(one, 0)}{one}{_edge(one, -1)}" for one in texts) or r"(?!)", re.I)

    def in_bytes(data: bytes) -> bool:
        return pattern.search(data.decode("utf-8", "replace").replace("\0", " ")) is not None

    def spans(text: str) -> Sequence[Span]:
        return [found.span() for found in pattern.finditer(text)]

    return Wanted(spans, in_bytes, lambda path: bool(spans(path)), REMOVED)


def _edge(form: str, at: int) -> str:
    """Nothing of a longer word, where words are divided."""
    if not (form[at].isascii() and form[at].isalnum()):
        return ""
    return r"(?<![^\W_])" if at == 0 else r"(?![^\W_])"


def known_values(path: str, data: bytes) -> Iterator[str]:
    """The secrets of a file that nobody would write for anything else: these are looked for without their line."""
    text = "" if is_binary(data) else data.decode("utf-8", "surrogateescape")
    for said in _strings(text) if _is_json(path, text) else [text]:
        for start, end in _secrets_in(said):
            if not any(map(str.isspace, said[start:end])) and is_key(said[start:end]):
                yield said[start:end]


def masked_file(path: str, data: bytes, wanted: Wanted) -> Masked:
    """A file without what is wanted. What is no text stays as it is."""
    if is_binary(data):
        return Masked(data)
    text = data.decode("utf-8", "surrogateescape")
    if _is_json(path, text):
        told = _replaced(text, list(_json_spans(text, wanted)))
    else:
        told = _masked_text(path, text, wanted)
        if path.endswith(_JSON):  # torn or damaged: what its strings say is still written as JSON writes it
            torn = told[0] + '"'
            strings = _replaced(torn, list(_json_spans(torn, wanted)))
            told = strings[0][:-1], (*told[1], *strings[1])
    return Masked(told[0].encode("utf-8", "surrogateescape"), told[1])


def owners_lines(path: str, text: str, wanted: Wanted) -> tuple[int, ...]:
    """The lines (from one) of what the owner wrote, in a file that is theirs or partly theirs, that hold what is wanted."""
    ours = _our_lines(text) if place_of(path).kind in _OWNERS_TOO else frozenset()
    found = _lines_of(text, [start for start, _ in wanted.spans(text)])
    return tuple(sorted({line for line in found if line - 1 not in ours}))


def is_binary(data: bytes) -> bool:
    return b"\0" in data[:100_000]


def told_apart(path: str, line: str) -> list[str]:
    """What a line of prose says, piece by piece: a paragraph of the diary and a line of a log hold several facts."""
    kind = place_of(path).kind
    if kind in (Kind.DIARY, Kind.REPORT):
        return sentences(line)
    if kind is Kind.REVIEW_LOG:  # what moved, and our own words about it
        return [part for piece in re.split("( — )", line) for part in sentences(piece)]
    if kind is Kind.CORPUS and (turn := _TURN.match(line)):  # where it was said, and what
        return [line[: turn.end()], line[turn.end() :]]
    return [line]


# ---- text


def _masked_text(path: str, text: str, wanted: Wanted) -> tuple[str, tuple[int, ...]]:
    kind = place_of(path).kind
    whole = wanted.spans(text)
    if whole and kind in _PIECES:
        whole = [*(span for span in whole if "\n" in text[slice(*span)]), *_spans_apart(path, text, wanted)]
    if whole and kind in _OWNERS_TOO:
        ours, whole = _our_lines(text), joined_spans(whole)
        lines = _lines_of(text, [start for start, _ in whole])
        whole = [span for span, line in zip(whole, lines, strict=True) if line - 1 in ours]
    return _replaced(
        text, [(start, end, _over_lines(text[start:end], wanted.mask)) for start, end in joined_spans(whole)]
    )


def _spans_apart(path: str, text: str, wanted: Wanted) -> Iterator[Span]:
    at = 0
    for line in split_lines(text):
        for piece in told_apart(path, line):
            yield from ((at + start, at + end) for start, end in wanted.spans(piece))
            at += len(piece)


def _our_lines(text: str) -> frozenset[int]:
    return managed_lines([line.rstrip("\r\n") for line in split_lines(text)])


def _over_lines(value: str, mask: str) -> str:
    """A mask for each line of a value: others count lines."""
    return "\n".join(mask if part.strip() else part for part in value.split("\n"))


def _replaced(text: str, changes: Sequence[tuple[int, int, str]]) -> tuple[str, tuple[int, ...]]:
    parts, last = [], 0
    for start, end, new in changes:
        parts += [text[last:start], new]
        last = end
    return "".join([*parts, text[last:]]), _lines_of(text, [start for start, _, _ in changes])


def _lines_of(text: str, places: Sequence[int]) -> tuple[int, ...]:
    """The line (from one) of each of these places, which come in order."""
    lines, last, line = [], 0, 1
    for place in places:
        line += text.count("\n", last, place)
        lines.append(line)
        last = place
    return tuple(lines)


def _places(value: str, text: str) -> Iterator[Span]:
    at = text.find(value)
    while at >= 0:
        yield at, at + len(value)
        at = text.find(value, at + len(value))


# ---- JSON


def _escaped(value: str) -> bytes:
    return json.dumps(value)[1:-1].encode()


def _is_json(path: str, text: str) -> bool:
    """Whether the strings of a file can be told from the rest; what is damaged is read as lines."""
    if not path.endswith(_JSON):
        return False
    try:
        for part in text.split("\n") if ".jsonl" in path else [text]:
            if part.strip():
                json.loads(part)
    except (ValueError, RecursionError):
        return False
    return True


def _json_spans(text: str, wanted: Wanted) -> Iterator[tuple[int, int, str]]:
    """What changes in a JSON text: a string, from quote to quote, and what takes its place."""
    for group in _groups(text):
        said = [_decoded(found[0]) for found in group]
        if len(said) == 1 and _is_record(said[0]):  # the line of a list, kept by a run
            inner = list(_json_spans(said[0], wanted))
            if inner:
                yield *group[0].span(), _quoted(_replaced(said[0], inner)[0], group[0])
            continue
        spans, start = wanted.spans("".join(said)), 0
        for found, one in zip(group, said, strict=True):
            its = [
                (max(a - start, 0), min(b - start, len(one))) for a, b in spans if a < start + len(one) and b > start
            ]
            start += len(one)
            if its:
                yield *found.span(), _quoted(_masked_string(one, its, wanted.mask), found)


def _decoded(literal: str) -> str:
    """What a string of JSON says; nothing, where a damaged file only looks as if one stood there."""
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return ""


def _quoted(said: str, found: re.Match[str]) -> str:
    return json.dumps(said, ensure_ascii=found[0].isascii())


def _strings(text: str) -> Iterator[str]:
    """What a JSON text says, piece by piece."""
    for group in _groups(text):
        said = "".join(_decoded(found[0]) for found in group)
        yield from _strings(said) if _is_record(said) else (said,)


@lru_cache(maxsize=10_000)
def _is_record(said: str) -> bool:
    inner = said.strip().removesuffix(",")
    if not inner.startswith(("{", "[")) or not inner.endswith(("}", "]")):
        return False
    try:
        return isinstance(json.loads(inner), (dict, list))
    except (ValueError, RecursionError):
        return False


def _groups(text: str) -> Iterator[list[re.Match[str]]]:
    """The strings of a JSON text, each by itself; lines with their endings, one after the other in a list, belong together."""
    group: list[re.Match[str]] = []
    for found in _LITERAL.finditer(text):
        is_line = found[0].endswith('\\n"') and not _is_record(_decoded(found[0]))
        joined = group and is_line and _BETWEEN.fullmatch(text, group[-1].end(), found.start())
        if group and not joined:
            yield group
            group = []
        group.append(found)
        if not is_line:
            yield group
            group = []
    if group:
        yield group


def _masked_string(said: str, spans: Sequence[Span], mask: str) -> str:
    return _replaced(said, [(a, b, _over_lines(said[a:b], mask)) for a, b in joined_spans(spans)])[0]


__all__ = [
    "Masked",
    "Wanted",
    "is_binary",
    "known_values",
    "masked_file",
    "owners_lines",
    "told_apart",
    "wanted_secrets",
    "wanted_words",
]
