"""`dream connect`: which hosts there are, and our lines in their settings."""

import argparse
import os

from reverie.errors import NeedsAYes
from reverie.features import uninstall as removal
from reverie.features.doctor import doctor as look
from reverie.hosts import connect as hosts
from reverie.surfaces.commands import ask, is_on_terminal, print_value, workspace_of
from reverie.surfaces.show import safe
from reverie.workspace.layout import open_workspace


def connect(options: argparse.Namespace) -> None:
    if not options.host:
        found = hosts.connections(open_workspace(options.workspace))
        lines = [f"{each.host}: {_state(each)}" for each in found]
        return print_value(options, found, lines or ["No host was found on this machine."])
    workspace, project = workspace_of(options), os.getcwd() * options.project
    known = hosts.connected(options.host, workspace, project) if options.remove else None
    if known and options.dry_run:
        lines = [line.replace("  + ", "  - ", 1) for line in hosts.shown(known) if not line.startswith("Then run")]
        return print_value(options, known, lines)
    if options.remove:
        fates = hosts.disconnect(options.host, workspace, project=project)
        lines = [f"{path}: {fate}" for path, fate in fates.items()]
        return print_value(options, fates, lines + [f"Then run: {line}" for line in (known.unsays if known else [])])
    planned = hosts.plan(options.host, workspace, project=project)
    lines = list(hosts.shown(planned))
    if options.dry_run:
        return print_value(options, planned, lines)
    _agreed(options, lines, "This changes a host's settings", "Add these lines?")
    made = hosts.connect(options.host, workspace, project=project)
    said = [f"{options.host} is connected. `{hosts.removal(options.host, project)}` takes it out again."]
    return print_value(options, made, [*said, *(f"Then run: {line}" for line in made.says)])


def _state(each: hosts.Connection) -> str:
    if not each.is_connected:
        return f"found; `dream connect {each.host}` connects it"
    return f"connected in {each.project}" if each.project else "connected"


def _agreed(options: argparse.Namespace, lines: list[str], what: str, question: str) -> None:
    if not options.yes and not is_on_terminal(options):
        raise NeedsAYes(f"{what} and is not done without a yes. Look with --dry-run, then add --yes.")
    if not options.yes and ask("\n".join((*lines, f"{question} [y/N] "))).lower()[:1] != "y":
        raise NeedsAYes("Nothing was changed.")


def doctor(options: argparse.Namespace) -> None:
    signs = look(workspace_of(options), options.time)
    lines = [
        f"{'✓' if sign.word == 'ok' else '·'} {safe(sign.line)}{f'  → `{sign.mend}`' * bool(sign.mend)}"
        for sign in signs
    ]
    print_value(options, signs, lines)


def uninstall(options: argparse.Namespace) -> None:
    workspace = workspace_of(options)
    found = removal.ours(workspace)
    if options.dry_run or not found:
        return print_value(options, found, found or ["Nothing of ours is here."])
    question = "Take this away? Memory, notes and archive stay."
    _agreed(options, found, "This takes away records and settings, and undo with them,", question)
    left = removal.uninstall(workspace)
    return print_value(
        options,
        left,
        [f"Still there: {what}" for what in left] or ["Nothing of ours is left; memory, notes and archive are yours."],
    )
