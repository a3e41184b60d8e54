"""One workspace's scheduled night as a process of its own: its memory ends with it, and it can be ended at any moment."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

PATIENCE = 0.3  # seconds from asking to insisting; what was begun is finished or forgotten by the next start
_LAST_WORDS = 500  # bytes of what a failed child said
_CALL = "from reverie.surfaces.cli import main; main()"


class Child(Protocol):
    """A night under way."""

    def poll(self) -> int | None:
        """Its exit code, or nothing while it goes on. Negative: it was ended by a signal."""
        ...

    def end(self) -> None:
        """End it now."""
        ...

    def said(self) -> str:
        """Its last words, once it is over. Asked once; then nothing of it is left."""
        ...


class Runner(Protocol):
    """Starts a night."""

    def start(self, root: Path) -> Child: ...


class Processes:
    """The real runner: `dream review --scheduled` in a child of its own session, and as low as the system lets it."""

    def start(self, root: Path) -> Child:
        return _Process(root)


class _Process:
    def __init__(self, root: Path) -> None:
        # A pipe would fill up, and nobody empties it while the night goes on.
        self._words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by `said`, or with the child
        polite = ["nice", "-n", "10"] if shutil.which("nice") else []
        command = [*polite, sys.executable, "-c", _CALL, "review", "--scheduled", "--workspace", str(root)]
        self._child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._words,
            start_new_session=hasattr(os, "killpg"),
        )  # fmt: skip

    def poll(self) -> int | None:
        return self._child.poll()

    def end(self) -> None:
        self._signal(signal.SIGTERM)
        try:
            self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            self._child.wait()

    def said(self) -> str:
        with self._words as words:
            size = words.seek(0, os.SEEK_END)
            words.seek(max(0, size - _LAST_WORDS))
            return words.read().decode("utf-8", "replace").strip()

    def _signal(self, number: int) -> None:
        with suppress(OSError):  # it may be over by now
            if hasattr(os, "killpg"):
                os.killpg(self._child.pid, number)
            else:
                self._child.send_signal(number)
