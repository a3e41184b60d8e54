"""Lets the machine call `dream review --scheduled`: systemd, launchd or crontab; for OpenClaw and HEARTBEAT.md, words to use.

They call every quarter of an hour and leave it to the schedule whether a night has come: so a night that was missed or
deferred needs no timer of its own. Writes only in the user's own folders for such things, never in a workspace. A file of ours
carries our mark; one of the same name without it is somebody else's and is left alone.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from pathlib import Path

from reverie.core.children import call, find_program
from reverie.core.errors import BadInput, WriteFailed
from reverie.lang.messages import say
from reverie.workspace.settings_files import home

MARK = "Written by `dream schedule install`; `dream schedule remove` takes it away."
UNIT = "reverie-dream"
LABEL = "local.reverie.dream"
BEGIN, END = f"# begin {UNIT}: {MARK}", f"# end {UNIT}"
EVERY = 15  # minutes
DEFERRED = 75  # what a call that waits for the agent ends with: no failure
# One turn of an agent that nobody talks to; the skills tell the same at length.
AGENT_NIGHT = (
    "Do the memory's night now, in one turn. Call dream_brief and judge by what it says. Give your operations to dream_answer; correct "
    "what is refused and hand that in once more. Then call dream_review with apply, and answer with two sentences about what changed. "
    "If there is nothing to judge, only do the last."
)
_LIMIT = 20.0  # seconds for one call of a system's own tool


class Kind(StrEnum):
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    CRON = "cron"
    OPENCLAW = "openclaw"  # shown only: its jobs are the gateway's, under ids of its own
    HEARTBEAT = "heartbeat"  # shown only: HEARTBEAT.md is the owner's


WRITTEN = (Kind.SYSTEMD, Kind.LAUNCHD, Kind.CRON)


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
    """The timer of this kind for a command; `cron` and `zone` are for OpenClaw, which keeps the schedule itself."""
    if kind is Kind.SYSTEMD:
        folder = Path(environ.get("XDG_CONFIG_HOME") or home(environ) / ".config") / "systemd" / "user"
        files = tuple((folder / name, text) for name, text in systemd(command).items())
        run = ("systemctl", "--user")
        enable = ((*run, "daemon-reload"), (*run, "enable", "--now", f"{UNIT}.timer"))
        disable, tidy = ((*run, "disable", "--now", f"{UNIT}.timer"),), ((*run, "daemon-reload"),)
        return Timer(kind, files, enable=enable, disable=disable, tidy=tidy)
    if kind is Kind.LAUNCHD:
        file = home(environ) / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        gui = f"gui/{os.getuid() if hasattr(os, 'getuid') else 0}"
        load, unload = ("launchctl", "bootstrap", gui, str(file)), ("launchctl", "bootout", f"{gui}/{LABEL}")
        return Timer(kind, ((file, launchd(command)),), enable=(load,), disable=(unload,))
    if kind is Kind.CRON:
        return Timer(kind, crontab=cron_block(command))
    return Timer(kind, shown=openclaw(cron, zone) if kind is Kind.OPENCLAW else heartbeat(command))


def systemd(command: Sequence[str]) -> dict[str, str]:
    """A user service that calls once, and the timer that starts it: file name and text."""
    words = " ".join(_systemd_word(word) for word in command)
    service = (
        f"# {MARK}\n[Unit]\nDescription=Dream when it is time\n\n[Service]\nType=oneshot\nExecStart={words}\n"
        f"SuccessExitStatus={DEFERRED}\nNice=10\nTimeoutStartSec=2h\n"
    )
    timer = (
        f"# {MARK}\n[Unit]\nDescription=Ask every {EVERY} minutes whether it is time to dream\n\n[Timer]\n"
        f"OnCalendar=*:0/{EVERY}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    return {f"{UNIT}.service": service, f"{UNIT}.timer": timer}


def _systemd_word(word: str) -> str:
    """Quoted as systemd reads it: specifiers and variables have no meaning here."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"' if plain != word or any(char.isspace() or char in "';" for char in word) else word


def launchd(command: Sequence[str]) -> str:
    """A property list for the user's own agents."""
    words = "\n".join(f"    <string>{escape(word, quote=False)}</string>" for word in command)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        f"<!-- {MARK} -->\n"
        f'<plist version="1.0">\n<dict>\n  <key>Label</key>\n  <string>{LABEL}</string>\n'
        f"  <key>ProgramArguments</key>\n  <array>\n{words}\n  </array>\n"
        f"  <key>StartInterval</key>\n  <integer>{EVERY * 60}</integer>\n  <key>LowPriorityIO</key>\n  <true/>\n"
        "  <key>ProcessType</key>\n  <string>Background</string>\n</dict>\n</plist>\n"
    )


def cron_block(command: Sequence[str]) -> str:
    """The lines between our marks. A percent sign would end the command there, so it is escaped."""
    words = shlex.join(command).replace("%", "\\%")
    return f"{BEGIN}\n*/{EVERY} * * * * {words}\n{END}\n"


def with_block(crontab: str, block: str) -> str:
    """The crontab with our lines, once; everything else stays to the byte."""
    rest = without_block(crontab)
    return rest + ("\n" if rest and not rest.endswith("\n") else "") + block


def without_block(crontab: str) -> str:
    """The crontab without our lines. A block whose end somebody took away is left alone: we cannot know where it ends."""
    start = crontab.find(BEGIN)
    end = crontab.find(END + "\n", start)
    return crontab if start < 0 or end < 0 else crontab[:start] + crontab[end + len(END) + 1 :]


def openclaw(cron: str = "0 3 * * *", zone: str = "", model: str = "") -> str:
    """The command that lets OpenClaw's own scheduler start a night that the agent leads; it costs a turn of that model."""
    words = ["openclaw", "cron", "add", "--name", "reverie", "--cron", cron, *(["--tz", zone] if zone else [])]
    words += ["--session", "isolated", *(["--model", model] if model else []), "--no-deliver"]
    return shlex.join([*words, "--message", AGENT_NIGHT])


def heartbeat(command: Sequence[str]) -> str:
    """A line for HEARTBEAT.md, which the agent reads at every heartbeat."""
    return f"- Run `{shlex.join(command)}`. It is silent and decides by itself whether it is time; do not report it."


def best_kind(environ: Mapping[str, str]) -> Kind:
    """What this machine has: launchd, systemd with a session of the user, cron, or OpenClaw."""
    if sys.platform == "darwin":
        return Kind.LAUNCHD
    if find_program("systemctl", environ) and Path("/run/systemd/system").is_dir() and environ.get("XDG_RUNTIME_DIR"):
        return Kind.SYSTEMD
    if find_program("crontab", environ):
        return Kind.CRON
    if find_program("openclaw", environ):
        return Kind.OPENCLAW
    raise BadInput(say("timer.no_kind"))


def install(timer: Timer, environ: Mapping[str, str]) -> list[str]:
    """Write it and switch it on; returns a sentence for each thing that could not be done."""
    for path, text in timer.files:
        _refuse_strangers(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        except OSError as error:
            raise WriteFailed(say("timer.not_written", path=path, error=error.strerror)) from None
    if timer.crontab:
        _write_crontab(with_block(_read_crontab(environ), timer.crontab), environ)
    return [said for command in timer.enable if (said := _call(command, environ))]


def remove(timer: Timer, environ: Mapping[str, str]) -> list[str]:
    """Switch it off and take away what `install` wrote; returns what was taken away."""
    ours = [path for path, _ in timer.files if path.is_file()]
    for path in ours:
        _refuse_strangers(path)
    for command in timer.disable if ours else ():
        _call(command, environ)
    for path in ours:
        path.unlink()
    for command in timer.tidy if ours else ():
        _call(command, environ)
    gone = [str(path) for path in ours]
    if timer.crontab:
        before = _read_crontab(environ)
        if (after := without_block(before)) != before:
            _write_crontab(after, environ)
            gone.append(say("timer.crontab_lines"))
    return gone


def is_installed(timer: Timer, environ: Mapping[str, str]) -> bool:
    if timer.crontab:
        crontab = _read_crontab(environ)
        return without_block(crontab) != crontab
    return bool(timer.files) and all(path.is_file() and MARK in _read(path) for path, _ in timer.files)


def installed_kind(environ: Mapping[str, str]) -> Kind | None:
    """The kind of timer that starts the nights on this machine; None when none does."""
    return next((kind for kind in WRITTEN if is_installed(timer(kind, environ, ()), environ)), None)


def _read_crontab(environ: Mapping[str, str]) -> str:
    """The user's crontab; empty where there is none, or no cron."""
    program = find_program("crontab", environ)
    if program is None:
        return ""
    try:
        done = call([program, "-l"], environ, _LIMIT)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""


def _write_crontab(text: str, environ: Mapping[str, str]) -> None:
    program = find_program("crontab", environ)
    if program is None:
        raise BadInput(say("timer.no_crontab"))
    data = text.encode("utf-8", "surrogateescape")
    try:
        done = call([program, "-"], environ, _LIMIT, data)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WriteFailed(say("timer.crontab_failed", error=error)) from None
    if done.returncode:
        raise WriteFailed(say("timer.crontab_failed", error=done.stderr.decode("utf-8", "replace").strip()))


def _call(command: Sequence[str], environ: Mapping[str, str]) -> str:
    """Run a system's own tool; a sentence with the command when it would not, so that the owner can."""
    program = find_program(command[0], environ)
    why = say("timer.no_program")
    if program is not None:
        try:
            done = call([program, *command[1:]], environ, _LIMIT)
            if done.returncode == 0:
                return ""
            why = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
    return say("timer.call_failed", command=" ".join(command), why=why)


def _refuse_strangers(path: Path) -> None:
    if path.is_symlink() or (path.exists() and MARK not in _read(path)):
        raise BadInput(say("timer.not_ours", path=path))


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
