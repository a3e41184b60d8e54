"""Two words of state that change outside a night: is dreaming switched on, is the system awake or hibernating?

Each is a file of one line, exchanged whole. Nothing of the owner's is in it, so it needs no plan, leaves no run and
cannot be undone, only said again.
"""

from __future__ import annotations

from reverie.apply.files import Disk, read_bytes, real_path
from reverie.errors import WriteFailed
from reverie.layout import DREAM_STATE, SWITCH, TEMPORARY
from reverie.model import Workspace

WORDS = {SWITCH: ("on", "off"), DREAM_STATE: ("active", "hibernating", "pending")}
_TRIES = 3


def put_state(workspace: Workspace, path: str, word: str, disk: Disk | None = None) -> bool:
    """Let the file say this word. False when it says so already; then nothing is written."""
    assert word in WORDS[path], f"{path} cannot say {word!r}"
    disk, target, data = disk or Disk(), real_path(workspace, path), f"{word}\n".encode()
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
