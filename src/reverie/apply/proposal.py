"""A proposal on disk: the plan that waits under `memory/.dreams`, and beside MEMORY.md the file as it would become.

Neither is the owner's: both can be made again from a night, and both go when the owner has decided. A file of this name
that is not as we left it belongs to somebody, so it is neither overwritten nor taken away.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reverie.apply.files import Disk, hash_at, read_bytes, real_path
from reverie.apply.saved import plan_as_dict, plan_from_dict
from reverie.core.errors import WriteFailed
from reverie.core.layout import PROPOSAL, TEMPORARY
from reverie.workspace.values import ABSENT, Plan, Workspace, hash_bytes, to_bytes

SUFFIX = ".proposed"


def write_proposal(workspace: Workspace, plan: Plan, name: str, text: str, disk: Disk | None = None) -> bool:
    """Lay the plan and the proposed text down. False when a file of somebody else stands in the text's place.

    The same proposal a second time changes nothing, so that a second night over the same material writes nothing.
    """
    disk = disk or Disk()
    kept, target, data = real_path(workspace, PROPOSAL), real_path(workspace, name), to_bytes(text)
    free = hash_at(target) in (ABSENT, _known(kept).get("proposed"), hash_bytes(data))
    waiting = read_proposal(workspace)
    same = waiting is not None and (waiting.edits, waiting.flags, dict(waiting.base)) == (
        plan.edits, plan.flags, dict(plan.base),
    )  # fmt: skip
    try:
        if free and hash_at(target) != hash_bytes(data):
            _put(target, data, disk)
        if not same:
            record = {"name": name, "proposed": hash_bytes(data) if free else "", "plan": plan_as_dict(plan)}
            _put(kept, to_bytes(json.dumps(record, indent=1)) + b"\n", disk)
    except OSError as error:
        raise WriteFailed(f"{name} could not be written ({error.strerror}). MEMORY.md was not changed.") from None
    return free


def read_proposal(workspace: Workspace) -> Plan | None:
    """The plan that waits, if there is one that can be read; a damaged one is made again by the next night."""
    try:
        return plan_from_dict(_known(real_path(workspace, PROPOSAL))["plan"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def withdraw(workspace: Workspace, disk: Disk | None = None) -> None:
    """Take a proposal away: it was decided, or nothing is left of it."""
    disk = disk or Disk()
    kept = real_path(workspace, PROPOSAL)
    known = _known(kept)
    if not known:
        return
    target = real_path(workspace, str(known.get("name", f"MEMORY.md{SUFFIX}")))
    if target.name.lower() == f"memory.md{SUFFIX}" and hash_at(target) == known.get("proposed"):
        disk.remove(target)
    disk.remove(kept)


def _put(target: Path, data: bytes, disk: Disk) -> None:
    disk.make_folder(target.parent)
    temporary = target.with_name(f".{target.name}{TEMPORARY}")
    disk.write(temporary, data)
    disk.rename(temporary, target)
    disk.sync_folder(target.parent)


def _known(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_bytes(path) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
