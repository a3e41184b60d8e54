"""A process that dreams and is killed before its n-th step: `python child.py FOLDER VAULT N`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # conftest
sys.path.insert(0, str(Path(__file__).parent))

from laws import EVENING, workspace_in
from power import SteppedDisk

from reverie.night import commands


class KilledDisk(SteppedDisk):
    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def step(self, kind: str, *paths: Path) -> None:
        if len(self.took) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    commands.review(workspace_in(Path(sys.argv[1]), sys.argv[2]), EVENING, disk=KilledDisk(int(sys.argv[3])))
