"""`dream project`: one memory, written for every host that the owner's settings name.

Every run ends here: what it changed in MEMORY.md reaches the other hosts, and what was undone or forgotten leaves them. A
projection that cannot be written never fails the run; it is told. Without `[[project]]` nothing is loaded and nothing read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.errors import RefusedFile, WriteFailed
from reverie.workspace.projection import REFUSED, SECTIONS, UNCHANGED, Projected
from reverie.workspace.values import File, Workspace, short_id

if TYPE_CHECKING:
    from reverie.apply.files import Disk
    from reverie.core.ports import Clock
    from reverie.core.settings import OtherHost


def project(workspace: Workspace, clock: Clock, *, dry_run: bool = False) -> tuple[Projected, ...]:
    """Bring every projection of this memory up to date, or only say what each would be."""
    from reverie.night.transaction import transaction  # every transaction ends with `refreshed`

    if dry_run:
        return refreshed(workspace, dry_run=True)
    with transaction(workspace, clock, "project") as work:
        return work.refresh()


def refreshed(workspace: Workspace, disk: Disk | None = None, *, dry_run: bool = False) -> tuple[Projected, ...]:
    """Every projection as MEMORY.md is now. For whoever holds the workspace; a dry run needs nobody to."""
    wanted = [one for one in workspace.settings.project if _is_of(workspace, one)]
    if not wanted:
        return ()
    memory = _memory_of(workspace)
    recalled = _recalled(workspace, memory) if memory else {}
    return tuple(_refreshed(workspace, one, memory, recalled, disk, dry_run=dry_run) for one in wanted)


def _refreshed(
    workspace: Workspace,
    target: OtherHost,
    memory: File | None,
    recalled: Mapping[int, int],
    disk: Disk | None,
    *,
    dry_run: bool,
) -> Projected:
    from reverie.apply.projected import put_projection, standing, target_of  # only for those who project
    from reverie.features.projections.content import project_memory

    of = short_id(workspace.root.as_posix())
    found = project_memory(memory, target, workspace.settings, of, recalled)
    section, claimed = target.host in SECTIONS, bool(target.workspace or workspace.settings.workspace)
    try:
        place = target_of(workspace, target.path)
        before, after = standing(place, found.text, of, section=section, claimed=claimed)
        if before == after or (before is None and memory is None):
            return replace(found, outcome=UNCHANGED)
        if not dry_run:
            put_projection(place, before, after, disk)
    except (RefusedFile, WriteFailed) as error:  # an outcome, not an end: the run it follows is done and stays
        return replace(found, outcome=REFUSED, why=str(error))
    return found


def _is_of(workspace: Workspace, target: OtherHost) -> bool:
    """Whether this projection is of this memory: the owner may have many workspaces and one file of settings."""
    named = target.workspace or workspace.settings.workspace
    return not named or Path(named).expanduser().resolve() == workspace.folder.resolve()


def _memory_of(workspace: Workspace) -> File | None:
    """MEMORY.md as it stands now, and nothing else."""
    from reverie.core.layout import Kind
    from reverie.workspace.reader import read_changes

    names = [name for name in ("MEMORY.md", "memory.md") if (workspace.folder / name).exists()]
    found, _, _ = read_changes(workspace, {}, only=names[:1])
    file = next((one.file for one in found.values()), None)
    return file if file is not None and file.place.kind is Kind.MEMORY else None


def _recalled(workspace: Workspace, memory: File) -> dict[int, int]:
    """How often searches found each statement of memory, by its first line from zero.

    The journal says so; the recall store counts notes only, for memory is not promoted into itself.
    """
    from reverie.evidence.claims import claims_of
    from reverie.workspace.openclaw_state import peer_state

    found: Counter[str] = Counter()
    for event in peer_state(workspace).events:
        results = event.about.get("results")
        for one in results if isinstance(results, list) else ():
            if isinstance(one, Mapping) and isinstance(one.get("claim"), str):
                found[one["claim"]] += 1
    if not found:
        return {}
    claims = claims_of(memory, workspace.settings.privacy.kinds)
    return {claim.first - 1: found[claim.key] for claim in claims}
