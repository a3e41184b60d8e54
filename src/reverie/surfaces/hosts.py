"""`dream connect`: which hosts there are, and our lines in their settings."""

import argparse
import sys

from reverie.errors import NeedsAYes
from reverie.hosts import connect as hosts
from reverie.surfaces.commands import print_value, workspace_of


def connect(options: argparse.Namespace) -> None:
    workspace = workspace_of(options)
    if not options.host:
        found = hosts.connections(workspace)
        lines = [
            f"{each.host}: {'connected' if each.is_connected else 'found; `dream connect ' + each.host + '` connects it'}"
            for each in found
        ]
        return print_value(options, found, lines or ["No host was found on this machine."])
    if options.remove:
        fates = hosts.disconnect(options.host, workspace)
        return print_value(options, fates, [f"{path}: {fate}" for path, fate in fates.items()])
    planned = hosts.plan(options.host, workspace, project=options.project)
    lines = list(hosts.shown(planned))
    if options.dry_run:
        return print_value(options, planned, lines)
    if not options.yes:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise NeedsAYes(
                "This changes a host's settings and is not done without a yes. Look with --dry-run, then add --yes."
            )
        print("\n".join(lines))
        if input("Add these lines? [y/N] ").strip().lower()[:1] != "y":
            raise NeedsAYes("Nothing was changed.")
    made = hosts.connect(options.host, workspace, project=options.project)
    said = [f"{options.host} is connected. `dream connect {options.host} --remove` takes it out again."]
    return print_value(options, made, [*said, *(f"Then run: {line}" for line in made.says)])
