"""A peer's JSON → values, each number clamped, each list bounded, anything else refused. Opens no file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from reverie.lines import count_units
from reverie.privacy.redact import DEFAULT_KINDS, redacted
from reverie.recalls import PeerEvent, PeerOrigin, PeerRecall, PeerSignal
from reverie.workspace.records import moment

MOST_COUNT = 1_000_000
MOST_HITS = 9_999  # where the peer's own counters stop
LONGEST_SNIPPET = 800  # UTF-16 units
_HASH = re.compile(r"[0-9a-f]{6,64}")
Json = Mapping[str, Any]


def recall_of(key: str, value: object, kinds: frozenset[str] = DEFAULT_KINDS) -> PeerRecall | None:
    """One entry of the recall store, or None for what is damaged or not a memory."""
    if not isinstance(value, Mapping) or value.get("source") != "memory":
        return None
    path = path_of(value.get("path"))
    if not path or not isinstance(value.get("snippet"), str):
        return None
    first = _count(value.get("startLine"), least=1)
    recalls, daily, grounded = (_count(value.get(name)) for name in ("recallCount", "dailyCount", "groundedCount"))
    queries = _hashes(value.get("queryHashes"))
    asked = (
        _hashes(value.get("userQueryHashes")) if "userQueryHashes" in value else () if daily or grounded else queries
    )
    return PeerRecall(
        key=_text(value.get("key"), 2048) or key,
        path=path,
        first=first,
        last=max(first, _count(value.get("endLine"), least=1)),
        snippet=_snippet(value["snippet"], kinds),
        recalls=recalls,
        daily=daily,
        grounded=grounded,
        total_score=_number(value.get("totalScore"), recalls + daily + grounded),
        max_score=_number(value.get("maxScore"), 1.0),
        first_recalled=moment(value.get("firstRecalledAt")),
        last_recalled=moment(value.get("lastRecalledAt")),
        promoted=moment(value.get("promotedAt")),
        queries=queries,
        user_queries=asked,
        days=_days(value.get("recallDays")),
        tags=tuple(_distinct(value.get("conceptTags"), 64)[:8]),
        claim=_text(value.get("claimHash"), 12) if _HASH.fullmatch(str(value.get("claimHash"))) else "",
        origin=_origin(value.get("provenance")),
        project=_text(value.get("projectKey"), 512),
    )


def signal_of(key: str, value: object) -> PeerSignal | None:
    if not isinstance(value, Mapping):
        return None
    light, rem = (_count(value.get(name), most=MOST_HITS) for name in ("lightHits", "remHits"))
    return PeerSignal(key, light, rem, moment(value.get("lastLightAt")), moment(value.get("lastRemAt")))


def cursor_of(_key: str, value: object) -> Json | None:
    """A cursor as the peer wrote it: plain values only."""
    if not isinstance(value, Mapping):
        return None
    plain = {str(name): one for name, one in value.items() if isinstance(one, str | int | float | bool)}
    return MappingProxyType(plain)


def event_of(value: object, kinds: frozenset[str] = DEFAULT_KINDS) -> PeerEvent | None:
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        return None
    about = {str(name): one for name, one in value.items() if name not in ("type", "timestamp")}
    if isinstance(about.get("query"), str):
        about["query"] = redacted(about["query"][:2048], kinds)
    return PeerEvent(value["type"], moment(value.get("timestamp")), MappingProxyType(about))


def path_of(value: object) -> str:
    """A path inside the workspace, with slashes; empty for anything that leads out of it."""
    if not isinstance(value, str) or len(value) > 1024 or not value.isprintable():
        return ""
    path = value.replace("\\", "/").removeprefix("./")
    parts = path.split("/")
    return "" if ":" in parts[0] or any(part in ("", ".", "..") for part in parts) else path


def _snippet(text: str, kinds: frozenset[str]) -> str:
    words = " ".join(redacted(text[: 4 * LONGEST_SNIPPET], kinds).split())
    while count_units(words) > LONGEST_SNIPPET:
        words = words[: len(words) - max(1, (count_units(words) - LONGEST_SNIPPET) // 2)]
    return words


def _count(value: object, least: int = 0, most: int = MOST_COUNT) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return least
    return min(most, max(least, int(value)))


def _number(value: object, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(float(most), max(0.0, float(value)))


def _text(value: object, longest: int) -> str:
    return value[:longest] if isinstance(value, str) else ""


def _distinct(value: object, longest: int) -> list[str]:
    listed = value if isinstance(value, list) else []
    return list(dict.fromkeys(one for one in listed if isinstance(one, str) and 0 < len(one) <= longest))


def _hashes(value: object) -> tuple[str, ...]:
    return tuple(one for one in _distinct(value, 64) if _HASH.fullmatch(one))[-32:]


def _days(value: object) -> tuple[date, ...]:
    days = []
    for text in _distinct(value, 10):
        try:
            days.append(date.fromisoformat(text))
        except ValueError:
            continue
    return tuple(days)[-16:]


def _origin(value: object) -> PeerOrigin | None:
    if not isinstance(value, Mapping):
        return None
    observed: datetime | None = moment(value.get("observedAt"))
    said = _text(value.get("originClass"), 32)
    known = said if said in ("owner", "agent", "system", "untrusted") else "untrusted"
    kind = _text(value.get("sessionKind"), 32) or "unknown"
    return PeerOrigin(known, kind, observed, _text(value.get("supersedesKey"), 2048))
