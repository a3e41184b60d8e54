"""The texts that make a machine call `dream review --scheduled`: systemd, launchd, crontab, OpenClaw. Values; nothing is written.

They call every quarter of an hour and leave it to the schedule whether a night has come: so a night that was missed or
deferred needs no timer of its own.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from xml.sax.saxutils import escape

MARK = "Written by `dream schedule install`; `dream schedule remove` takes it away."
UNIT = "reverie-dream"
LABEL = "local.reverie.dream"
BEGIN, END = f"# begin {UNIT}: {MARK}", f"# end {UNIT}"
EVERY = 15  # minutes
DEFERRED = 75  # what a call that waits for the agent ends with: no failure


class Kind(StrEnum):
    SYSTEMD = "systemd"
    LAUNCHD = "launchd"
    CRON = "cron"
    OPENCLAW = "openclaw"  # shown only: its jobs are the gateway's, under ids of its own
    HEARTBEAT = "heartbeat"  # shown only: HEARTBEAT.md is the owner's


@dataclass(frozen=True, slots=True)
class Text:
    """One file, by its name."""

    name: str
    text: str


def systemd(command: Sequence[str]) -> tuple[Text, Text]:
    """A user service that calls once, and the timer that starts it."""
    words = " ".join(_systemd_word(word) for word in command)
    service = (
        f"# {MARK}\n[Unit]\nDescription=Dream when it is time\n\n[Service]\nType=oneshot\nExecStart={words}\n"
        f"SuccessExitStatus={DEFERRED}\nNice=10\nTimeoutStartSec=2h\n"
    )
    timer = (
        f"# {MARK}\n[Unit]\nDescription=Ask every {EVERY} minutes whether it is time to dream\n\n[Timer]\n"
        f"OnCalendar=*:0/{EVERY}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    return Text(f"{UNIT}.service", service), Text(f"{UNIT}.timer", timer)


def _systemd_word(word: str) -> str:
    """Quoted as systemd reads it: specifiers and variables have no meaning here."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"' if plain != word or any(char.isspace() or char in "';" for char in word) else word


def launchd(command: Sequence[str]) -> Text:
    """A property list for the user's own agents."""
    words = "\n".join(f"    <string>{escape(word)}</string>" for word in command)
    return Text(
        f"{LABEL}.plist",
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        f"<!-- {MARK} -->\n"
        f'<plist version="1.0">\n<dict>\n  <key>Label</key>\n  <string>{LABEL}</string>\n'
        f"  <key>ProgramArguments</key>\n  <array>\n{words}\n  </array>\n"
        f"  <key>StartInterval</key>\n  <integer>{EVERY * 60}</integer>\n  <key>LowPriorityIO</key>\n  <true/>\n"
        "  <key>ProcessType</key>\n  <string>Background</string>\n</dict>\n</plist>\n",
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


def openclaw(command: Sequence[str], cron: str, zone: str) -> str:
    """The command for OpenClaw's own scheduler. It costs a turn of a model each night; the others cost none."""
    said = f"Run `{shlex.join(command)}` and answer NO_REPLY."
    words = ["openclaw", "cron", "add", "--name", UNIT, "--cron", cron, *(["--tz", zone] if zone else [])]
    return shlex.join([*words, "--session", "isolated", "--no-deliver", "--message", said]) + "\n"


def heartbeat(command: Sequence[str]) -> str:
    """A line for HEARTBEAT.md, which the agent reads at every heartbeat."""
    return f"- Run `{shlex.join(command)}`. It is silent and decides by itself whether it is time; do not report it.\n"
