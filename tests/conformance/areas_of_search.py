"""Search and index arithmetic: how our functions answer those vectors."""

from __future__ import annotations

from datetime import date
from typing import Any

import peer_search
from answering import answers

from reverie.openclaw.score import Profile


@answers("search.bm25")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_search.bm25_score(given["rank"])


@answers("search.fts")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_search.fts_query(given["raw"])


@answers("search.hybrid")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "contentScore" in given:
        return [peer_search.exact_path_score(one) for one in given["contentScore"]]
    if "importance" in given:
        return [given["vectorScore"] * peer_search.importance_factor(one) for one in given["importance"]]
    if "entryProject" in given:
        return [
            given["vectorScore"] * peer_search.project_factor([one] if one else [], given["active"])
            for one in given["entryProject"]
        ]
    found = peer_search.merged(given["vector"], given["keyword"])
    return [{"path": f"memory/{key}.md", "score": value} for key, value in found.items()]


@answers("search.decay")
def _(given: dict[str, Any], profile: Profile) -> Any:
    if "ageDays" in given:
        return peer_search.decay(given["ageDays"], given["halfLifeDays"])
    now = date.fromisoformat(given["now"])
    found = {}
    for path, value in given["scores"].items():
        day, _ = peer_search.dated(path, profile)
        found[path] = value * (peer_search.decay((now - day).days, given["halfLifeDays"]) if day else 1.0)
    order = sorted(found.items(), key=lambda item: -item[1])
    return [{"path": path, "score": value} for path, value in order]


@answers("search.decay.path")
def _(given: dict[str, Any], profile: Profile) -> Any:
    day, evergreen = peer_search.dated(given["path"], profile)
    return {"date": day and day.isoformat(), "evergreen": evergreen}


@answers("search.mmr")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    items = [(one["id"], one["content"], one["score"]) for one in given["items"]]
    return peer_search.varied(items, given["lambda"])


@answers("search.keywordOnly")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    return peer_search.keyword_only_score(given["query"], given["path"], given["text"], given["ftsScore"])


@answers("index.chunk")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    if "content" in given:
        return [
            {
                "startLine": one.first, "endLine": one.last, "text": one.text,
                "entryStartLine": one.first if one.entry else None, "entryEndLine": one.last if one.entry else None,
            }
            for one in peer_search.entry_chunks(given["content"])
        ]  # fmt: skip
    text = "\n".join(f"Line {n} " + "y" * 40 for n in range(1, given["lines"] + 1))
    return [[one.first, one.last, len(one.text)] for one in peer_search.chunks(text, given["tokens"], given["overlap"])]


@answers("bootstrap")
def _(given: dict[str, Any], _profile: Profile) -> Any:
    text, marker = peer_search.bootstrap("m" * given["chars"], given["maxChars"])
    return {"truncated": bool(marker), "outputLength": len(text), "marker": marker}
