"""`dream uninstall`: what is ours on this machine, shown, taken away, and looked for once more. Memory, notes and archive stay."""

import os
import shutil

from reverie.errors import ReverieError
from reverie.hosts.connect import connections, disconnect
from reverie.store.disk import Disk
from reverie.store.projections import projections, unproject
from reverie.workspace.layout import Layout


def ours(layout: Layout) -> list[str]:
    """What would go: connections, blocks in other hosts' files, the index, our state in the workspace."""
    found = [f"connection: {each.host}" for each in connections(layout) if each.is_connected]
    found += [f"block in: {path}" for path in projections(layout)]
    return found + [f"files: {path}" for path in (layout.cache, layout.answers, layout.state) if path.exists()]


def uninstall(layout: Layout, disk: Disk | None = None) -> list[str]:
    """Take it away; what is left of it, and why."""
    disk, left = disk or Disk(), list[str]()
    for each in [each for each in connections(layout) if each.is_connected]:
        fates = disconnect(each.host, layout, disk, project=each.project)
        left += [f"{path}: {fate}" for path, fate in fates.items() if "by hand" in fate]
        left += [f"not ours to run: {line}" for line in each.unsays]
    for path in projections(layout):
        try:
            unproject(layout, path, disk)
        except (ReverieError, OSError) as error:
            left.append(f"{path}: {error}")
    layout.cache.unlink(missing_ok=True)
    for folder in filter(os.path.exists, (layout.answers, layout.state)):
        shutil.rmtree(folder)
    return left + [what for what in ours(layout) if not what.startswith("connection")]
