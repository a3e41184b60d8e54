"""The journal that answers append to, and what OpenClaw knows a short-term memory by: hashes and paths.

It loads little: a search writes one line here, of hashes alone, and nothing that goes wrong costs the answer.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha1

from reverie.errors import Unreadable
from reverie.store.disk import Disk, tail_of
from reverie.text.terms import key
from reverie.workspace.layout import RECALL_JOURNAL, Layout

_MOST_RESULTS = 10
_NOTE = re.compile(r"(?:(?:.*/)?memory/(?:.*/)?)?\d{4}-\d\d-\d\d(-[^/]+)?\.md")
_CORPUS = re.compile(r"(?:.*/)?memory/\.dreams/session-corpus/(?:.*/)?\d{4}-\d\d-\d\d\.(?:txt|md)")


def claim_hash(snippet: str) -> str:
    return _hash(" ".join(snippet.split()))


def query_hash(query: str) -> str:
    return _hash(query.strip().lower())


def is_short_term(path: str, *, before_2026_8: bool = False) -> bool:
    path = path.replace("\\", "/").removeprefix("./")
    note = _NOTE.fullmatch(path) if "/memory/dreaming/" not in f"/{path}" else None
    return bool(_CORPUS.fullmatch(path) or (note and not (before_2026_8 and note[1])))


def line_claim(text: str) -> str:
    """The same for the same words, wherever and however they are set."""
    return claim_hash(key(text))


def line_key(claim: str) -> str:
    return f"memory:line:{claim}"


def record(layout: Layout, question: str, hits: Iterable[tuple[str, int, str, float]], now: datetime) -> None:
    """Journal an answer that somebody got: path, line from one, words and score of each hit."""
    noted = [hit for hit in hits if is_short_term(hit[0])][:_MOST_RESULTS]
    if not noted or not question.strip():
        return
    results = [(path, line, round(min(1.0, max(0.0, score)), 4), line_claim(text)) for path, line, text, score in noted]
    event = {
        "type": "memory.recall.recorded", "timestamp": now.astimezone(UTC).isoformat(), "day": str(now.date()),
        "query": query_hash(question), "results": results,
    }  # fmt: skip
    path = layout.real(RECALL_JOURNAL)
    with suppress(OSError, Unreadable):
        Disk().make_folder(path.parent)
        is_torn = path.exists() and tail_of(path, max(0, path.stat().st_size - 1)) not in (b"", b"\n")
        Disk().append(path, b"\n" * is_torn + json.dumps(event).encode() + b"\n")


def _hash(text: str) -> str:
    return sha1(text.encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()[:12]
