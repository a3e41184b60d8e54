"""Puts the texts of `timer_texts` where the machine reads them, and takes exactly those away again.

Writes only in the user's own folders for such things, never in a workspace. A file of ours carries our mark; one of the
same name that does not is somebody else's and is left alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from reverie.core.errors import BadInput, WriteFailed
from reverie.hosts.timer_texts import (
    LABEL,
    MARK,
    UNIT,
    Kind,
    Text,
    cron_block,
    heartbeat,
    launchd,
    openclaw,
    systemd,
    with_block,
    without_block,
)
from reverie.surfaces.heartbeat import heartbeat_file, last_beat

WRITTEN = (Kind.SYSTEMD, Kind.LAUNCHD, Kind.CRON)
_LIMIT = 20.0  # seconds for one call of a system's own tool


@dataclass(frozen=True, slots=True)
class Timer:
    """What installing means on this machine: files with their texts, a crontab or words to show, and commands to run."""

    kind: Kind
    files: tuple[tuple[Path, str], ...] = ()
    crontab: str = ""
    shown: str = ""
    enable: tuple[tuple[str, ...], ...] = ()
    disable: tuple[tuple[str, ...], ...] = ()  # before the files go
    tidy: tuple[tuple[str, ...], ...] = ()  # after they went


def timer(kind: Kind, environ: Mapping[str, str], command: Sequence[str], cron: str = "", zone: str = "") -> Timer:
    """The timer of this kind for a command."""
    if kind is Kind.SYSTEMD:
        folder = Path(environ.get("XDG_CONFIG_HOME") or _home(environ) / ".config") / "systemd" / "user"
        run = ("systemctl", "--user")
        enable = ((*run, "daemon-reload"), (*run, "enable", "--now", f"{UNIT}.timer"))
        disable, tidy = ((*run, "disable", "--now", f"{UNIT}.timer"),), ((*run, "daemon-reload"),)
        return Timer(kind, _in(folder, *systemd(command)), enable=enable, disable=disable, tidy=tidy)
    if kind is Kind.LAUNCHD:
        files = _in(_home(environ) / "Library" / "LaunchAgents", launchd(command))
        gui = f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"
        load, unload = ("launchctl", "bootstrap", gui, str(files[0][0])), ("launchctl", "bootout", f"{gui}/{LABEL}")
        return Timer(kind, files, enable=(load,), disable=(unload,))
    if kind is Kind.CRON:
        return Timer(kind, crontab=cron_block(command))
    return Timer(kind, shown=openclaw(command, cron, zone) if kind is Kind.OPENCLAW else heartbeat(command))


def best_kind(environ: Mapping[str, str]) -> Kind:
    """What this machine has: launchd, systemd with a session of the user, cron, or OpenClaw."""
    path = environ.get("PATH")
    if sys.platform == "darwin":
        return Kind.LAUNCHD
    if shutil.which("systemctl", path=path) and Path("/run/systemd/system").is_dir() and environ.get("XDG_RUNTIME_DIR"):
        return Kind.SYSTEMD
    if shutil.which("crontab", path=path):
        return Kind.CRON
    if shutil.which("openclaw", path=path):
        return Kind.OPENCLAW
    raise BadInput(
        "Nothing on this machine starts programs by time: no systemd, launchd, cron or OpenClaw. Use `dream daemon`."
    )


def install(timer: Timer, environ: Mapping[str, str]) -> list[str]:
    """Write it and switch it on; returns a sentence for each thing that could not be done."""
    for path, text in timer.files:
        _refuse_strangers(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        except OSError as error:
            raise WriteFailed(f"{path} could not be written ({error.strerror}). Mend it, then run again.") from None
    if timer.crontab:
        _write_crontab(with_block(read_crontab(environ), timer.crontab), environ)
    return [said for command in timer.enable if (said := _call(command, environ))]


def remove(timer: Timer, environ: Mapping[str, str]) -> list[str]:
    """Switch it off and take away what `install` wrote; returns what was taken away."""
    gone: list[str] = []
    ours = [path for path, _ in timer.files if path.is_file()]
    for path in ours:
        _refuse_strangers(path)
    for command in timer.disable if ours else ():
        _call(command, environ)
    for path in ours:
        path.unlink()
        gone.append(str(path))
    for command in timer.tidy if ours else ():
        _call(command, environ)
    if timer.crontab:
        before = read_crontab(environ)
        if (after := without_block(before)) != before:
            _write_crontab(after, environ)
            gone.append("the lines in your crontab")
    return gone


def is_installed(timer: Timer, environ: Mapping[str, str]) -> bool:
    if timer.crontab:
        crontab = read_crontab(environ)
        return without_block(crontab) != crontab
    return bool(timer.files) and all(path.is_file() and MARK in _read(path) for path, _ in timer.files)


def started_by(environ: Mapping[str, str], now: datetime) -> str | None:
    """What starts the nights on this machine, for `dream doctor`: the daemon, or the kind of timer; None when nothing does."""
    last = last_beat(heartbeat_file(environ))
    if last is not None and last.is_alive(now):
        return "the daemon"
    return next((str(kind) for kind in WRITTEN if is_installed(timer(kind, environ, ()), environ)), None)


def read_crontab(environ: Mapping[str, str]) -> str:
    """The user's crontab; empty where there is none, or no cron."""
    program = shutil.which("crontab", path=environ.get("PATH"))
    if program is None:
        return ""
    try:
        done = subprocess.run([program, "-l"], capture_output=True, env=dict(environ), timeout=_LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


def _write_crontab(text: str, environ: Mapping[str, str]) -> None:
    program = shutil.which("crontab", path=environ.get("PATH"))
    if program is None:
        raise BadInput("There is no `crontab` on this machine. Choose another --kind, or use `dream daemon`.")
    data = text.encode("utf-8", "surrogateescape")
    try:
        done = subprocess.run(
            [program, "-"], input=data, capture_output=True, env=dict(environ), timeout=_LIMIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WriteFailed(f"`crontab -` could not be run ({error}). Nothing was changed.") from None
    if done.returncode:
        raise WriteFailed(
            f"`crontab -` refused the text: {done.stderr.decode('utf-8', 'replace').strip()}. Nothing was changed."
        )


def _call(command: Sequence[str], environ: Mapping[str, str]) -> str:
    """Run a system's own tool; a sentence with the command when it would not, so that the owner can."""
    program = shutil.which(command[0], path=environ.get("PATH"))
    why = "it is not there"
    if program is not None:
        try:
            done = subprocess.run(
                [program, *command[1:]], capture_output=True, env=dict(environ), timeout=_LIMIT, check=False
            )
            if done.returncode == 0:
                return ""
            why = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
    return f"`{' '.join(command)}` did not work ({why}). Run it yourself when you are logged in."


def _in(folder: Path, *texts: Text) -> tuple[tuple[Path, str], ...]:
    return tuple((folder / one.name, one.text) for one in texts)


def _refuse_strangers(path: Path) -> None:
    if path.is_symlink() or (path.exists() and MARK not in _read(path)):
        raise BadInput(f"{path} is not ours: it does not carry our mark. Move it away, then run again.")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()
