"""Small files of ours that change outside a run: the switch, the state of the schedule, and the proposal that waits.

Each is exchanged whole. Nothing of the owner's is in it, so it needs no plan and cannot be undone, only said again. A proposal
can be made again from a night and goes when the owner has decided; a file in its place that is not as we left it belongs to
somebody, so it is neither overwritten nor taken away.
"""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

from reverie.apply.files import Disk, hash_at, read_bytes, real_path
from reverie.apply.runs import plan_as_dict, plan_from_dict
from reverie.core.errors import WriteFailed
from reverie.core.layout import DREAM_STATE, PROPOSAL, SWITCH, TEMPORARY, TRIAL, WATCHED
from reverie.lang.messages import say
from reverie.workspace.values import ABSENT, Plan, Workspace, hash_bytes, to_bytes

WORDS = {SWITCH: ("on", "off"), DREAM_STATE: ("active", "hibernating", "pending")}
_TRIES = 3


def put_state(workspace: Workspace, path: str, word: str, disk: Disk | None = None) -> bool:
    """Let the file say this word. False when it says so already; then nothing is written."""
    assert word in WORDS[path], f"{path} cannot say {word!r}"
    return _put(workspace, path, f"{word}\n".encode(), disk)


def put_watched(workspace: Workspace, text: str, disk: Disk | None = None) -> bool:
    """Keep what the schedule knows: which night is settled. False when it is kept already."""
    return _put(workspace, WATCHED, text.encode(), disk)


def put_trial(workspace: Workspace, text: str, disk: Disk | None = None) -> bool:
    """Keep the last table of `dream trial`. False when it is kept already."""
    return _put(workspace, TRIAL, text.encode(), disk)


def _put(workspace: Workspace, path: str, data: bytes, disk: Disk | None) -> bool:
    disk, target = disk or Disk(), real_path(workspace, path)
    if read_bytes(target) == data:
        return False
    for attempt in range(1, _TRIES + 1):
        try:
            exchange(target, data, disk)
            break
        except OSError as error:  # a dream that starts just now sweeps half-written files away
            if attempt == _TRIES:
                raise WriteFailed(say("write.failed", path=path, strerror=error.strerror)) from None
    return True


def set_aside(workspace: Workspace, path: str, disk: Disk | None = None) -> str:
    """Give a state file that nobody can read another name, so that it can be made anew; returns the name it has now."""
    disk, source = disk or Disk(), real_path(workspace, path)
    names = (f"{source.name}.damaged{f'-{number}' if number else ''}" for number in count())
    free = next(name for name in names if not source.with_name(name).exists())
    try:
        disk.rename(source, source.with_name(free))
        disk.sync_folder(source.parent)
    except OSError as error:
        raise WriteFailed(say("write.not_set_aside", path=path, strerror=error.strerror)) from None
    return free


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
            exchange(target, data, disk)
        if not same:
            record = {"name": name, "proposed": hash_bytes(data) if free else "", "plan": plan_as_dict(plan)}
            exchange(kept, to_bytes(json.dumps(record, indent=1)) + b"\n", disk)
    except OSError as error:
        raise WriteFailed(say("write.no_proposal", name=name, strerror=error.strerror)) from None
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


def exchange(target: Path, data: bytes, disk: Disk) -> None:
    """All of a file in one step, certain once this returns."""
    disk.make_folder(target.parent)
    temporary = target.with_name(f".{target.name}{TEMPORARY}")
    disk.write(temporary, data, target.stat() if target.exists() else None)
    disk.rename(temporary, target)
    disk.sync_folder(target.parent)


def _known(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_bytes(path) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
