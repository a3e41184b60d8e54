"""Two words of state that change outside a night: is dreaming switched on, is the system awake or hibernating?

Each is a file of one line, exchanged whole. Nothing of the owner's is in it, so it needs no plan, leaves no run and
cannot be undone, only said again.
"""

from __future__ import annotations

from itertools import count

from reverie.apply.files import Disk, read_bytes, real_path
from reverie.core.errors import WriteFailed
from reverie.core.layout import DREAM_STATE, SWITCH, TEMPORARY, WATCHED
from reverie.workspace.values import Workspace

WORDS = {SWITCH: ("on", "off"), DREAM_STATE: ("active", "hibernating", "pending")}
_TRIES = 3


def put_state(workspace: Workspace, path: str, word: str, disk: Disk | None = None) -> bool:
    """Let the file say this word. False when it says so already; then nothing is written."""
    assert word in WORDS[path], f"{path} cannot say {word!r}"
    return _put(workspace, path, f"{word}\n".encode(), disk)


def put_watched(workspace: Workspace, text: str, disk: Disk | None = None) -> bool:
    """Keep what the schedule knows: which night is settled. False when it is kept already."""
    return _put(workspace, WATCHED, text.encode(), disk)


def _put(workspace: Workspace, path: str, data: bytes, disk: Disk | None) -> bool:
    disk, target = disk or Disk(), real_path(workspace, path)
    if read_bytes(target) == data:
        return False
    temporary = target.with_name(f".{target.name}{TEMPORARY}")
    for attempt in range(1, _TRIES + 1):
        try:
            disk.make_folder(target.parent)
            disk.write(temporary, data)
            disk.rename(temporary, target)
            disk.sync_folder(target.parent)
            break
        except OSError as error:  # a dream that starts just now sweeps half-written files away
            if attempt == _TRIES:
                raise WriteFailed(f"{path} could not be written ({error.strerror}). Nothing was changed.") from None
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
        raise WriteFailed(f"{path} could not be laid aside ({error.strerror}). Nothing was changed.") from None
    return free
