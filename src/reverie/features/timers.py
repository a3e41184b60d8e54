"""What makes the machine call `dream review --scheduled`: systemd, launchd, cron, Windows' scheduler, or OpenClaw's own cron.

All but the last call every quarter of an hour and leave it to the schedule whether a night has come, in its owner's zone: a
night that was missed or deferred needs no timer of its own. OpenClaw gets the expression, and its agent leads the night.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape, unescape
from pathlib import Path
from subprocess import list2cmdline
from typing import NamedTuple

from reverie.errors import ReverieError, Unreadable, WriteFailed
from reverie.features.idle import call
from reverie.features.when import checked_cron
from reverie.settings import Settings
from reverie.store.disk import Disk, bytes_of

NAME = "reverie-dream"
MARK = "Written by `dream schedule install`; `dream schedule remove` takes it away."
BEGIN, END = f"# begin {NAME}: {MARK}\n", f"# end {NAME}\n"
_NIGHT = (
    "Do the memory's night now, in one turn: run `{brief}`, judge by what it says, write the answer into a file outside the "
    "workspace and hand it in with `{answer}`. Correct once what is refused, then say in two sentences what changed."
)
_PLIST = '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">'
Words = tuple[str, ...]
PLACE = "--workspace="


class Timer(NamedTuple):
    """What installing means: files with their texts, lines for the crontab, calls that switch it on and off."""

    kind: str
    command: Sequence[str]
    files: Mapping[Path, str]
    crontab: str
    enable: Sequence[Words]
    disable: Sequence[Words]

    @property
    def workspaces(self) -> list[str]:
        return [os.path.realpath(word.removeprefix(PLACE)) for word in self.command if word.startswith(PLACE)]


def kinds() -> tuple[str, ...]:
    """The kinds of timer that this system has, the usual one first."""
    is_running = os.path.isdir("/run/systemd/system") and os.environ.get("XDG_RUNTIME_DIR")
    others = ("systemd", "cron") if is_running else ("cron", "systemd")
    return {"darwin": ("launchd", "cron"), "win32": ("windows",)}.get(sys.platform, others)


def timer(kind: str, command: Sequence[str], settings: Settings) -> Timer:
    """The timer of this kind for a command; without a kind the one that this machine has."""
    kind = kind or kinds()[0]
    if kind == "systemd":
        return _systemd(command)
    if kind == "launchd":
        return _launchd(command)
    if kind == "cron":
        line = shlex.join(command).replace("%", "\\%")  # cron would end the command there
        return Timer(kind, command, {}, f"{BEGIN}*/15 * * * * {line}\n{END}", [], [])
    if kind == "windows":
        every = ("/sc", "minute", "/mo", "15", "/tr", list2cmdline(command))
        return Timer(kind, command, {}, "", [("schtasks", "/create", "/tn", NAME, *every)], [])
    return _openclaw(command, settings)


def _systemd(command: Sequence[str]) -> Timer:
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd/user"
    service = f"# {MARK}\n[Unit]\nDescription=Dream when it is time\n\n[Service]\nType=oneshot\nExecStart="
    service += " ".join(map(_systemd_word, command)) + "\nSuccessExitStatus=75\nNice=10\nTimeoutStartSec=2h\n"
    text = f"# {MARK}\n[Unit]\nDescription=Ask every quarter of an hour whether it is time to dream\n\n[Timer]\n"
    text += "OnCalendar=*:0/15\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    files, run = {folder / f"{NAME}.service": service, folder / f"{NAME}.timer": text}, ("systemctl", "--user")
    on, off = ((*run, word, "--now", f"{NAME}.timer") for word in ("enable", "disable"))
    return Timer("systemd", command, files, "", [(*run, "daemon-reload"), on], [off])


def _launchd(command: Sequence[str]) -> Timer:
    file, user = Path.home() / f"Library/LaunchAgents/{NAME}.plist", f"gui/{getattr(os, 'getuid', int)()}"
    strings = "".join(f"    <string>{escape(word, quote=False)}</string>\n" for word in command)
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n{_PLIST}\n<!-- {MARK} -->\n<plist version="1.0">\n<dict>\n'
    text += f"  <key>Label</key>\n  <string>{NAME}</string>\n  <key>ProgramArguments</key>\n  <array>\n{strings}"
    text += "  </array>\n  <key>StartInterval</key>\n  <integer>900</integer>\n</dict>\n</plist>\n"
    load, unload = ("launchctl", "bootstrap", user, str(file)), ("launchctl", "bootout", f"{user}/{NAME}")
    return Timer("launchd", command, {file: text}, "", [load], [unload])


def _openclaw(command: Sequence[str], settings: Settings) -> Timer:
    """A job of OpenClaw's own, whose agent leads the night of each workspace."""
    zone = ("--tz", settings.schedule.timezone) if settings.schedule.timezone else ()
    words = ("openclaw", "cron", "add", "--name", NAME, "--cron", checked_cron(settings), *zone)
    words, program = (*words, "--session", "isolated", "--no-deliver", "--message"), command[: command.index("review")]
    calls = []
    for place in [word for word in command if word.startswith(PLACE)] or [""]:
        said = (["brief"], ["answer", "FILE"])
        brief, answer = (shlex.join([*program, *name, *[place] * bool(place)]) for name in said)
        calls.append((*words, _NIGHT.format(brief=brief, answer=answer)))
    return Timer("openclaw", command, {}, "", calls, [])


def install(new: Timer, disk: Disk) -> list[str]:
    """Write it and switch it on; a sentence for each thing that could not be done."""
    is_one = new.kind != "openclaw"  # which has a job for each workspace
    if new.crontab and not shutil.which("crontab"):
        how = "install cron, or let whatever timer is there call `dream review --scheduled` every quarter of an hour"
        raise WriteFailed(f"There is no `crontab` on this machine, and no systemd that runs for you: {how}.")
    for words in (*new.disable, *_jobs(new)) if installed(new) and is_one else ():  # refuses what is not ours
        _run(words)
    for path, text in new.files.items():
        disk.replace(path, text.encode())
    if new.crontab:
        _crontab(with_lines(_crontab(), new.crontab))
    calls = [words for words in new.enable if is_one or not _jobs(new, words[-1])]
    return [f"Not done ({why}): {shlex.join(words)}" for words in calls if (why := _run(words))]


def installed(timer: Timer) -> list[str]:
    """What of it is there. A file of our name that is not ours is nobody's to change."""
    for path in (path for path in timer.files if MARK.encode() not in (bytes_of(path) or MARK.encode())):
        raise Unreadable(f"{path} is not ours, and stays. Move it away first.")
    there = [str(path) for path in timer.files if path.exists()] + [shlex.join(job) for job in _jobs(timer)]
    is_cron = timer.crontab and shutil.which("crontab") and (now := _crontab()) != without_lines(now)
    return there + ["lines of the crontab"] * bool(is_cron)


def found(root: str = "", among: Sequence[str] = ()) -> list[Timer]:
    """Our timers (of these kinds, else of this system's) that call this workspace, or any, as they were installed."""
    there = list[Timer]()
    for kind in among or kinds():
        with suppress(ReverieError, OSError, ValueError):  # where we may not look, we installed nothing
            each = timer(kind, ["dream", "review", *[f"{PLACE}{root}"] * bool(root)], Settings())
            if installed(each):
                there.append(each if kind == "openclaw" else timer(kind, _called(each), Settings()))
    return [each for each in there if not root or root in each.workspaces or not each.workspaces]


def remove(old: Timer, disk: Disk, root: str = "") -> list[str]:
    """Switch it off and take away what `install` wrote; of a timer that calls others, too, this workspace alone."""
    there = installed(old)
    if root and (others := [f"{PLACE}{place}" for place in old.workspaces if place != root]):
        rest = [word for word in old.command if not word.startswith(PLACE)]
        return [f"{root} from {', '.join(there)}", *install(timer(old.kind, rest + others, Settings()), disk)]
    for words in (*(old.disable if there else ()), *_jobs(old)):
        _run(words)
    for path in old.files:
        disk.remove(path)
    if old.crontab and there:
        _crontab(without_lines(_crontab()))
    return there


def _called(there: Timer) -> list[str]:
    """The words of the command that an installed timer calls; none where we cannot tell."""
    if there.kind == "cron":
        return shlex.split(_crontab().rpartition(BEGIN)[2].partition("\n")[0].replace("\\%", "%"))[5:]
    text = next((path.read_text("utf-8") for path in there.files), "")
    if there.kind == "launchd":
        return [unescape(string.partition("<")[0]) for string in text.split("<string>")[2:]]
    words = shlex.split(text.partition("\nExecStart=")[2].partition("\n")[0])
    return [word.replace("%%", "%").replace("$$", "$") for word in words]


def with_lines(crontab: str, lines: str) -> str:
    """The crontab with our lines, once; all others stay to the byte."""
    rest = without_lines(crontab)
    return rest + ("\n" if rest and not rest.endswith("\n") else "") + lines


def without_lines(crontab: str) -> str:
    """The crontab without our lines. Where their end is gone we cannot know where they end, and they stay."""
    first, *parts = crontab.split(BEGIN)
    return first + "".join(part.partition(END)[2] if END in part else BEGIN + part for part in parts)


def _jobs(timer: Timer, message: str = "") -> list[Words]:
    """The calls that take our jobs away: on Windows one that calls us, in OpenClaw those for our workspaces (of a message)."""
    try:
        if timer.kind == "windows":
            code, out, _ = call(("schtasks", "/query", "/tn", NAME, "/xml"))
            is_ours = code == 0 and b"--scheduled" in out.replace(b"\0", b"")
            return [("schtasks", "/delete", "/f", "/tn", NAME)] * is_ours
        jobs = json.loads(call(("openclaw", "cron", "list", "--json"))[1])["jobs"] if timer.kind == "openclaw" else []
        places = [f"{shlex.join([word])}`" for word in timer.command if word.startswith(PLACE)]
        said = [json.dumps(place)[1:-1] for place in places if place in message or not message] or [""]
        ours = [job for job in jobs if job["name"] == NAME and any(place in json.dumps(job) for place in said)]
        return [("openclaw", "cron", "rm", str(job["id"])) for job in ours]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _crontab(text: str | None = None) -> str:
    """The owner's crontab, or what is to become of it. One that cannot be read is not taken for an empty one."""
    given = (text or "").encode("utf-8", "surrogateescape")
    code, out, error = call(("crontab", "-l" if text is None else "-"), given=given)
    is_empty = text is None and any(words in error.lower() for words in ("no crontab", "no such file"))
    if code and not is_empty:
        raise WriteFailed(f"The crontab cannot be {'read' if text is None else 'written'}: {error}.")
    return "" if code else out.decode("utf-8", "surrogateescape")


def _run(words: Words) -> str:
    """Why a call did not work; empty where it did."""
    try:
        code, _, error = call(words)
        return (error or f"it ended with {code}") if code else ""
    except OSError as error:
        return error.strerror or str(error)


def _systemd_word(word: str) -> str:
    """Quoted as systemd reads it: specifiers and variables mean nothing here."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"' if plain != word or any(char.isspace() or char in "';" for char in word) else word
