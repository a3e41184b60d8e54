"""A rehearsal of REM: what it would say now, or about old notes, and what deep would weigh. Writes nothing at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType

from reverie.core.layout import Kind
from reverie.core.ports import Clock
from reverie.evidence.claims import Evidence, claims_of
from reverie.evidence.gather import gather_plainly
from reverie.features.diary.themes import find_themes
from reverie.lang.detect import language_of
from reverie.night.live_lines import read_remembered, recall_state
from reverie.night.telling import lines_of
from reverie.openclaw import phases
from reverie.openclaw.backfill import Grounded, findings_in
from reverie.openclaw.deep import Weighed, candidates, profile_of, weigh
from reverie.openclaw.reports import lasting_truths, reflection_lines, truth_lines
from reverie.openclaw.score import Profile
from reverie.workspace.openclaw_format import PeerState, questions_in
from reverie.workspace.reader import Historical, read_historical
from reverie.workspace.values import File, Snapshot, Statement, Workspace


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What REM would say, what each note gives if asked for, and what deep would weigh."""

    profile: Profile
    lines: int  # entries that REM looked at
    body: tuple[str, ...]
    truths: tuple[phases.Truth, ...]
    deep: tuple[Weighed, ...]
    historical: Historical | None = None
    imported: tuple[int, int] = (0, 0)  # notes and lines of them that say something
    grounded: Mapping[str, Grounded] | None = None
    doubts: tuple[str, ...] = ()  # what a peer left behind and could not be read

    @property
    def reflections(self) -> tuple[str, ...]:
        """The lines of the themes, without their heading."""
        return tuple(line for line in self.body[1 : self.body.index(phases.TRUTHS)] if line)


def rehearse(
    workspace: Workspace,
    clock: Clock,
    path: Path | None = None,
    *,
    grounded: bool = False,
    include_promoted: bool = False,
) -> Rehearsal:
    """What a night would make of the last days, or of these old notes if a path is named."""
    snapshot, state = read_remembered(workspace), PeerState()
    historical = read_historical(workspace, path) if path else None
    if historical is None:
        state = recall_state(workspace)
        files = _recent(snapshot, clock)
    else:
        files = historical.files
        known = {**snapshot.files, **{file.path: file for file in files}}
        snapshot = Snapshot(workspace, MappingProxyType(known), snapshot.refused)
    evidence = _evidence(workspace, files, state)
    profile = profile_of(workspace.settings.dreaming)
    entries = candidates(evidence, profile)
    if not profile.ours and historical is None:  # the peer's REM counts recalls, and old notes have none
        body, truths = _by_peer(state, profile, clock, workspace)
    else:
        body, truths = _by_us(files, evidence, workspace.settings.privacy.kinds)
    about = Historical(files) if historical is None else historical
    saying = {one.claim.path for one in evidence.fresh}
    return Rehearsal(
        profile,
        len(entries),
        tuple(body),
        truths,
        deep=weigh(evidence, snapshot, profile=profile, now=clock.now(), include_promoted=include_promoted),
        historical=historical,
        imported=(len(saying), len(evidence.fresh)),
        grounded=findings_in(workspace, about) if grounded else None,
        doubts=state.doubts,
    )


def _recent(snapshot: Snapshot, clock: Clock) -> tuple[File, ...]:
    today = clock.now().date()
    since = today - timedelta(days=snapshot.workspace.settings.dreaming.rem_lookback_days)
    return tuple(
        file
        for _, file in sorted(snapshot.files.items())
        if file.place.kind in (Kind.DAILY, Kind.SESSION) and file.place.day and since <= file.place.day <= today
    )


def _evidence(workspace: Workspace, files: Sequence[File], state: PeerState) -> Evidence:
    kinds = workspace.settings.privacy.kinds
    claims: list[Statement] = [claim for file in files for claim in claims_of(file, kinds)]
    seen = gather_plainly(claims, claims, state.recalls)
    return Evidence(seen, state.recalls, state.signals, workspace.embedder, questions=questions_in(state))


def _by_us(
    files: Sequence[File], evidence: Evidence, kinds: frozenset[str]
) -> tuple[list[str], tuple[phases.Truth, ...]]:
    said = lines_of(files, kinds)
    themes = find_themes([seen for seen, _ in said])
    language = language_of(seen.text for seen, _ in said)
    truths = lasting_truths(evidence.fresh, (), evidence.embedder)
    return phases.rem_lines(reflection_lines(themes, said, (), language), truth_lines(truths, kinds)), truths


def _by_peer(
    state: PeerState, profile: Profile, clock: Clock, workspace: Workspace
) -> tuple[list[str], tuple[phases.Truth, ...]]:
    days = workspace.settings.dreaming.rem_lookback_days
    entries = tuple(state.recalls.values())
    return phases.rem_body(phases.considered(entries, state.signals, profile, clock.now(), lookback_days=days), profile)
