"""A dream that somebody started on the page, in a process of its own, and how far it has come.

The child reads, thinks and writes; the page stays quick, and whoever looks is told how many files were read. One at a time.

    {"read": 120}                      so many files so far
    {"run": "0004-2026-11-15", …}      the end of a night
    {"plan": {…}}                      the end of a preview
    {"error": "…"}                     it could not be done
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

_CALL = "import sys; from reverie.surfaces.web.sleeper import child; child(*sys.argv[1:])"
_OFTEN = 25  # files between two signs of life


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a dream is: how many were started so far, whether one runs, and how the last one ended."""

    number: int = 0
    kind: str = ""
    running: bool = False
    read: int = 0
    ended: Mapping[str, Any] = field(default_factory=dict)


class Sleeper:
    """Starts a child and listens to it."""

    def __init__(self, root: Path, now: str = "", *, on_end: Callable[[Progress], None] = lambda _: None) -> None:
        self._root, self._now, self.on_end = root, now, on_end
        self._lock = threading.Lock()
        self._progress = Progress()
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def progress(self) -> Progress:
        return self._progress

    def start(self, kind: str) -> bool:
        """Begin a `review` or a `plan`. False when one is running."""
        with self._lock:
            if self._progress.running:
                return False
            environ = {**os.environ, **({"REVERIE_NOW": self._now} if self._now else {})}
            child = subprocess.Popen(
                [sys.executable, "-c", _CALL, kind, str(self._root)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ,
            )  # fmt: skip
            self._child = child
            self._progress = Progress(self._progress.number + 1, kind, running=True)
        threading.Thread(target=self._listen, args=(child,), daemon=True).start()
        return True

    def stop(self) -> None:
        """End what is running; what was begun is finished or forgotten by the next start."""
        child = self._child
        if child is not None and child.poll() is None:
            child.terminate()

    def _listen(self, child: subprocess.Popen[bytes]) -> None:
        ended: dict[str, Any] = {"error": "The dream ended without a word. `dream doctor` looks what is wrong."}
        assert child.stdout is not None
        with child.stdout as words:
            for line in words:
                try:
                    said = json.loads(line)
                except ValueError:
                    continue
                if "read" in said:
                    self._progress = replace(self._progress, read=int(said["read"]))
                else:
                    ended = said
        child.wait()
        done = replace(self._progress, running=False, ended=ended)
        try:
            self.on_end(done)
        finally:
            self._progress = done


def child(kind: str, root: str) -> None:
    """The other side: dream, and say how far it has come, a line of JSON each."""
    from reverie.apply.saved import plan_as_dict
    from reverie.core.errors import ReverieError
    from reverie.features.schedule import proof
    from reverie.night import engine
    from reverie.privacy.redact import shown
    from reverie.surfaces.cli.common import Asked
    from reverie.surfaces.configure import configured

    def tell(value: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()

    def on_read(count: int) -> None:
        if count % _OFTEN == 0:
            tell({"read": count})

    try:
        workspace = configured(Path(root), os.environ)
        clock = Asked(root, None, json=True, quiet=True).clock(workspace.settings.timezone)
        if kind == "plan":
            tell({"plan": plan_as_dict(engine.plan_dream(workspace, clock, on_read=on_read, ask=False).plan)})
        else:
            night = proof.review(workspace, clock, on_read=on_read)
            came = proof.outcome_of(workspace)
            told = proof.headline(came) if came else ""
            tell({"run": night.run.id if night.run else "", "proposed": night.proposed, "told": told})
    except ReverieError as error:
        tell({"error": shown(str(error))})


__all__ = ["Progress", "Sleeper", "child"]
