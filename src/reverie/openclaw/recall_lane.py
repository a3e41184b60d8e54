"""The recall lane of a sweep: light stages what is new, light and REM leave their marks, what entered MEMORY.md is noted.

It writes only machine state under `memory/.dreams`; what it leaves there changes the order of later candidates and, under our
own rules, never lets one in. Also the figures of `dream status --deep`, which write nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from reverie.apply.runs import runs
from reverie.core.durable import is_plain_database
from reverie.core.layout import CORPUS, INDEX_DB, OWN_CORPUS, PEER_RECALLS, PEER_SESSIONS, RECALLS, SESSION_CURSOR
from reverie.evidence.attempts import Outcome, attempts
from reverie.evidence.recall_store import Staged, mark_promoted, reinforce, stage
from reverie.night.live_lines import recall_state
from reverie.openclaw import phases
from reverie.openclaw.deep import TAG, profile_of
from reverie.openclaw.score import Profile, each_once, led_by_grounded, relevances
from reverie.text.lines import bare
from reverie.text.sections import OURS
from reverie.text.terms import plain, shared
from reverie.workspace.openclaw_format import PeerRecall, PeerState, scripts, words_of
from reverie.workspace.values import Edit, Statement, Workspace

MOST_STAGED = 400  # lines; the store holds 512 entries, and what was recalled has its place there
TAKEN_BACK = "taken back"  # how an edit is called that takes one decision back out of a run
LAST_RUNS = 5  # runs that are looked at for promotions; each sweep notes the few since the last one


@dataclass(frozen=True, slots=True)
class Audit:
    """The recall store in numbers."""

    path: str
    lock: str
    exists: bool
    updated: datetime | None
    entries: int
    promoted: int
    spaced: int
    tagged: int
    scripts: dict[str, int]
    grounded: int
    grounded_promoted: int  # entries in MEMORY.md that evidence of a backfill led there
    light: int
    rem: int
    doubts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PhaseState:
    """One phase: when it last ran, how many lines it met (deep: changed in MEMORY.md) then; or why it stands still, and no time."""

    name: str  # light, rem or deep
    last: datetime | None
    count: int
    still: str = ""  # off, skip or host


@dataclass(frozen=True, slots=True)
class DeepStatus:
    """What `status --deep` adds to a glance."""

    audit: Audit
    profile: Profile
    light: tuple[int, int]  # lookback in days, limit
    rem: int
    corpus: int
    diary: bool
    ingestion: bool
    indexed: int | None  # lines in the search index; None when there is none
    files: int
    phases: tuple[PhaseState, ...]


def light_and_rem(workspace: Workspace, claims: Iterable[Statement], now: datetime) -> None:
    """Stage these claims, then let light and REM meet what came up lately, at most once a night."""
    chosen, root = workspace.settings.dreaming, workspace.root
    if not chosen.enabled:
        return
    state = recall_state(workspace)
    most, known = min(4 * chosen.light_limit, MOST_STAGED), state.recalls.values()
    if (
        "light" not in chosen.skip
        and stage(root, claims, now, ttl_days=chosen.light_ttl_days, most=most, known=known) != Staged()
    ):
        state = recall_state(workspace)
    if not state.recalls:
        return
    note_promotions(workspace, state)
    profile, entries = profile_of(chosen), tuple(state.recalls.values())
    met = phases.staged(
        entries, state.signals, profile, now, lookback_days=chosen.light_lookback_days, limit=chosen.light_limit
    )
    seen = phases.considered(entries, state.signals, profile, now, lookback_days=chosen.rem_lookback_days)
    truths = phases.truths(seen, profile, relevances(entries) if profile.ours else None)
    light = () if "light" in chosen.skip else (one.key for one in met)
    rem = () if "rem" in chosen.skip else (one.key for one in truths)
    reinforce(root, state.signals, light, rem, now)


def note_promotions(workspace: Workspace, state: PeerState) -> None:
    """Mark the entries that the last runs promoted; a run that was undone gives its marks back."""
    mark_promoted(workspace.root, _due(workspace, state), known=state.recalls)


def give_back_promotions(workspace: Workspace) -> None:
    """After an undo: the marks of what is not in MEMORY.md any more go at once, not with the next sweep."""
    state = recall_state(workspace)
    due = {key: at for key, at in _due(workspace, state).items() if not at}
    mark_promoted(workspace.root, due, known=state.recalls)


def _due(workspace: Workspace, state: PeerState) -> dict[str, str]:
    """The entries whose mark is not what the last runs say, with the moment it should name."""
    marks: dict[str, str] = {}
    by_id: dict[str, list[str]] = {}  # the entries that an edit promoted: one that is taken back alone has its id
    for run in runs(workspace, LAST_RUNS):
        for edit in run.plan.edits:
            if edit.tag == TAG and not run.plan.undoes:
                at = "" if run.undone_by else _utc(run.plan.made)
                keys = by_id[edit.id] = [entry.key for entry in state.recalls.values() if _is_of(edit, entry)]
                marks |= dict.fromkeys(keys, at)
            elif edit.tag == TAKEN_BACK and not run.plan.undoes and not run.undone_by:
                marks |= dict.fromkeys(by_id.get(edit.id, ()), "")
    return {key: at for key, at in marks.items() if bool(at) != (state.recalls[key].promoted is not None)}


def _is_of(edit: Edit, entry: PeerRecall) -> bool:
    """Whether an edit wrote this entry down: the same words, or most of them from the same lines."""
    lines = [line for line in map(bare, edit.new) if OURS.search(line)]
    text = " ".join(" ".join(words_of(OURS.sub("", line)) for line in lines).split())
    if plain(entry.snippet) == plain(text):
        return True
    at_home = any(s.path == entry.path and s.first <= entry.last and entry.first <= s.last for s in edit.sources)
    return at_home and shared(entry.snippet, text) >= 0.5


def _utc(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def deep_status(workspace: Workspace) -> DeepStatus:
    """The recall store, the phases and the index, from their files. Writes nothing."""
    root, chosen = workspace.root, workspace.settings.dreaming
    corpora = [root / CORPUS, root / OWN_CORPUS] if not (root / CORPUS).is_symlink() else []
    indexed, files = _index_counts(root / INDEX_DB)
    return DeepStatus(
        audit_of(root, recall_state(workspace)),
        profile_of(chosen),
        (chosen.light_lookback_days, chosen.light_limit),
        chosen.rem_lookback_days,
        len({path.name for corpus in corpora if not corpus.is_symlink() for path in corpus.glob("*.txt")}),
        any((root / name).is_file() for name in ("DREAMS.md", "dreams.md")),
        any((root / name).is_file() for name in (SESSION_CURSOR, PEER_SESSIONS)),
        indexed,
        files,
        phase_states(workspace),
    )


def phase_states(workspace: Workspace) -> tuple[PhaseState, ...]:
    """Light, REM and deep, each as the last night that came to an end left it."""
    chosen, host = workspace.settings.dreaming, workspace.host
    last = next((one for one in reversed(attempts(workspace.root)) if one.outcome is not Outcome.FAILED), None)
    began = last.moment if last else None
    signals = recall_state(workspace).signals.values()
    met = {"light": [one.last_light for one in signals], "rem": [one.last_rem for one in signals]}
    counts = {name: sum(began is not None and at is not None and at >= began for at in met[name]) for name in met}
    counts["deep"] = sum(last.counts.values()) if last else 0
    still = {name: "off" if not chosen.enabled else "skip" if name in chosen.skip else "" for name in counts}
    if host is not None and host.on:
        still["deep"] = still["deep"] or "host"
    return tuple(PhaseState(name, None if still[name] else began, counts[name], still[name]) for name in counts)


def audit_of(root: Path, state: PeerState) -> Audit:
    entries, signals, peers = list(state.recalls.values()), state.signals.values(), state.store
    path = root / (PEER_RECALLS if (root / PEER_RECALLS).is_file() else RECALLS)
    return Audit(
        path=peers or str(path),
        lock=peers.replace("-recall/", "-locks/") or str(path.with_name("fold.lock")),
        exists=path.is_file() or bool(peers and entries),
        updated=max((one.last_recalled for one in entries if one.last_recalled), default=None),
        entries=len(entries),
        promoted=sum(one.promoted is not None for one in entries),
        spaced=sum(len(one.days) > 1 for one in entries),
        tagged=sum(bool(one.tags) for one in entries),
        scripts=dict(scripts(one.tags for one in entries)),
        grounded=sum(bool(one.grounded) for one in entries),
        grounded_promoted=sum(one.promoted is not None and led_by_grounded(one) for one in each_once(entries)),
        light=sum(signal.light for signal in signals),
        rem=sum(signal.rem for signal in signals),
        doubts=state.doubts,
    )


def _index_counts(path: Path) -> tuple[int | None, int]:
    if not path.is_file() or not is_plain_database(path):
        return None, 0
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=1.0)) as database:
            lines, files = (
                database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("claims", "files")
            )
            return int(lines), int(files)
    except sqlite3.Error:
        return None, 0
