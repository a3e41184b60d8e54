"""Is the agent at work? Three ways to know: ask it, look at when it last wrote, or ask several.

"inactive" is not "active": a status is read by whole words. A command that fails tells nothing, because many versions of
the host have no such command; one that hangs is an agent that has no time to answer.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from reverie.core.ports import Clock, Idle
from reverie.workspace.noise import session_reason
from reverie.workspace.sessions import find_transcripts, reason_by_name, session_key

COMMAND = ("openclaw", "agent", "status")
LIMIT = 5.0  # seconds (seed 000)
_ENOUGH = 64 * 1024  # of an answer: a status is a few lines
_AT_WORK = frozenset({
    "busy", "active", "running", "working", "processing", "thinking", "streaming", "generating", "executing",
    "忙", "忙碌", "繁忙", "运行中", "工作中", "处理中", "活跃",
})  # fmt: skip
_AT_REST = frozenset({
    "idle", "inactive", "stopped", "offline", "sleeping", "asleep", "paused", "waiting", "ready", "disabled", "down", "exited",
    "空闲", "闲置", "停止", "已停止", "离线", "休眠", "未运行", "不活跃",
})  # fmt: skip
_DENIED = frozenset({"no", "not", "none", "never", "without", "0", "zero", "false", "isn't", "未", "不", "无", "没有"})
_KEYS = ("status", "state", "busy", "active", "running", "activity", "agent", "agents", "sessions")
_WORD = re.compile(r"[\w']+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """Asks the host's own command. Where there is none, nobody can tell."""

    command: tuple[str, ...] = COMMAND
    limit: float = LIMIT
    environ: Mapping[str, str] | None = None

    def busy(self) -> str:
        environ = os.environ if self.environ is None else self.environ
        program = shutil.which(self.command[0], path=environ.get("PATH"))
        if program is None:
            return ""
        try:
            child = subprocess.Popen(
                [program, *self.command[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=dict(environ), start_new_session=True,
            )  # fmt: skip
        except OSError:
            return ""
        try:
            said, _ = child.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            _end(child)
            return f"the agent did not answer in {self.limit:g} seconds"
        text = said[:_ENOUGH].decode("utf-8", "replace")
        return "the agent says that it is at work" if child.returncode == 0 and says_busy(text) else ""


def _end(child: subprocess.Popen[bytes]) -> None:
    """The command and whatever it started; a script's children would hold the pipe open."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    if child.stdout:
        child.stdout.close()
    child.wait()


@dataclass(frozen=True, slots=True)
class RecentWrites:
    """An agent that wrote to a transcript within the last minutes is at work. Sessions of machines do not count:
    the one that calls us at night is such a session itself."""

    folders: tuple[Path, ...]
    minutes: float
    clock: Clock

    def busy(self) -> str:
        now, most = self.clock.now().timestamp(), timedelta(minutes=self.minutes).total_seconds()
        for _, real, _ in find_transcripts(self.folders):
            try:
                age = now - os.stat(real, follow_symlinks=False).st_mtime
            except OSError:
                continue
            if abs(age) < most and not reason_by_name(real.name) and not session_reason(session_key(real)):
                return f"a conversation was written to {max(0, int(age // 60))} minutes ago"
        return ""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At work if one of them says so; the cheap ones stand first."""

    idles: Sequence[Idle]

    def busy(self) -> str:
        return next((said for idle in self.idles if (said := idle.busy())), "")


def says_busy(text: str) -> bool:
    """Whether a status says that somebody is at work, by whole words; JSON by its fields."""
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, (dict, list)):
            return _tells(found)
    return any(_line_says(line) for line in text.splitlines())


def _tells(value: Any) -> bool:
    """The fields of a JSON status that can say it: {"status": "running"}, {"busy": true}, {"active": 2}."""
    if isinstance(value, list):
        return any(_tells(one) for one in value)
    if not isinstance(value, dict):
        return False
    for key, one in value.items():
        if str(key).casefold() not in _KEYS:
            continue
        word = str(key).casefold()
        if isinstance(one, str) and _line_says(one):
            return True
        if word in ("busy", "active", "running") and isinstance(one, (bool, int, float)) and one:
            return True
        if isinstance(one, (dict, list)) and _tells(one):
            return True
    return False


def _line_says(line: str) -> bool:
    """`status: active` does; `inactive`, `not running`, `active: no`, `0 active sessions` and `active (idle)` do not."""
    words = [
        word
        for found in _WORD.findall(line.casefold())
        for word in ([found] if not _HAN.search(found) else _han(found))
    ]
    if any(word in _AT_REST for word in words):
        return False
    for place, word in enumerate(words):
        if word in _AT_WORK:
            near = (*words[max(0, place - 2) : place], *words[place + 1 : place + 2])
            return not any(one in _DENIED or one.endswith("n't") for one in near)
    return False


def _han(text: str) -> list[str]:
    """Chinese has no gaps between words: the longest known word at each place, at rest before at work."""
    known = sorted(_AT_WORK | _AT_REST | _DENIED, key=len, reverse=True)
    words, place = [], 0
    while place < len(text):
        word = next((one for one in known if text.startswith(one, place)), text[place])
        words.append(word)
        place += len(word)
    return words
