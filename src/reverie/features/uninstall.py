"""`dream uninstall`: what is ours on this machine, shown, taken away, and looked for once more. Memory, notes and archive stay."""

import os
import shutil
from contextlib import suppress

from reverie.errors import ReverieError
from reverie.features import timers
from reverie.hosts.connect import connections, disconnect, others
from reverie.store.disk import DISK, Disk
from reverie.store.projections import projections, unproject
from reverie.workspace.layout import Layout, user_folder


def ours(layout: Layout) -> list[str]:
    """What would go: connections, timers, blocks in other hosts' files, the index, trials of models, our state."""
    found = [f"connection: {each.host} {each.project}".rstrip() for each in connections(layout) if each.is_connected]
    found += [f"timer: {each}" for timer in _timers(layout) for each in timers.installed(timer)]
    found += [f"block in: {path}" for path in projections(layout)]
    trials = user_folder("XDG_STATE_HOME", ".local/state") / "models"
    return found + [f"files: {path}" for path in (layout.cache, layout.answers, trials, layout.state) if path.exists()]


def uninstall(layout: Layout, disk: Disk = DISK) -> list[str]:
    """Take it away; what is left of it, and why."""
    left = list[str]()
    for timer in _timers(layout):
        timers.remove(timer, disk, str(layout.root))
    for each in [each for each in connections(layout) if each.is_connected]:
        fates = disconnect(each.host, layout, disk, project=each.project)
        left += [f"{path}: {fate}" for path, fate in fates.items() if "by hand" in fate]
        left += [f"yours to run: {line}" for line in each.unsays]
    for path in projections(layout):
        try:
            unproject(layout, path, disk)
        except (ReverieError, OSError) as error:
            left.append(f"{path}: {error}")
    layout.cache.unlink(missing_ok=True)
    state = user_folder("XDG_STATE_HOME", ".local/state")
    for folder in filter(os.path.exists, (layout.answers, state / "models", layout.state)):
        shutil.rmtree(folder)
    for folder in (state / "hosts", state, layout.cache.parent):
        with suppress(OSError):  # another memory's
            folder.rmdir()
    left += [f"{each.host}, of another memory: {each.memory}" for each in others(layout)]
    return left + [what for what in ours(layout) if not what.startswith("connection")]


def _timers(layout: Layout) -> list[timers.Timer]:
    """Those that call this memory, of every kind that this machine may have."""
    return timers.found(str(layout.root), (*timers.kinds(), "openclaw"))
