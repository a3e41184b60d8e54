"""How `dream status --deep` tells the recall store, the phases and the index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reverie.openclaw.recall_lane import Deep
from reverie.privacy.redact import shown
from reverie.surfaces.cli.candidates import audit_as_dict, health


def deep_as_dict(found: Deep) -> dict[str, Any]:
    profile = found.profile
    return {
        "recall": audit_as_dict(found.audit),
        "dreaming": {
            "profile": profile.name,
            "light": {"lookbackDays": found.light[0], "limit": found.light[1]},
            "rem": {"lookbackDays": found.rem},
            "deep": {
                "limit": profile.limit,
                "minScore": profile.min_score,
                "minRecallCount": profile.min_signals,
                "minUniqueQueries": profile.min_queries,
                "recencyHalfLifeDays": profile.half_life_days,
                "maxAgeDays": profile.max_age_days,
            },
        },
        "artifacts": {"diary": found.diary, "corpusFiles": found.corpus, "ingestion": found.ingestion},
        "search": {"lines": found.indexed, "files": found.files},
    }


def deep_lines(found: Deep) -> Iterator[tuple[str, str]]:
    profile, audit = found.profile, found.audit
    age = "none" if profile.max_age_days is None else f"{profile.max_age_days:g}"
    yield (
        "plain",
        f"Dreaming: {profile.name} · light: lookbackDays={found.light[0]} · limit={found.light[1]} · rem: lookbackDays={found.rem} · "
        f"deep: limit={profile.limit} · minScore={profile.min_score:g} · minRecallCount={profile.min_signals} · "
        f"minUniqueQueries={profile.min_queries} · recencyHalfLifeDays={profile.half_life_days:g} · maxAgeDays={age}",
    )
    yield "plain", f"Recall store: {health(audit)}"
    led = f" ({audit.grounded_promoted} led a promotion)" if audit.grounded_promoted else ""
    yield "plain", f"Signals: {audit.light} light · {audit.rem} rem · {audit.grounded} grounded{led}"
    yield "plain", f"Recall path: {audit.path}"
    artifacts = "present" if found.diary else "absent"
    state = "present" if found.ingestion else "absent"
    yield "plain", f"Dreaming artifacts: diary {artifacts} · {found.corpus} corpus files · ingestion state {state}"
    if found.indexed is None:
        yield "plain", "Search index: none yet. `dream search` or `dream reindex` makes it."
    else:
        yield "plain", f"Search index: {found.indexed:,} lines of {found.files:,} files"
    for doubt in audit.doubts:
        yield "cut", f"⚠ {shown(doubt)}"
