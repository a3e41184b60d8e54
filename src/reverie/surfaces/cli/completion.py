"""`dream completion`: the script by which a shell completes commands, options and their values."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from reverie.surfaces.cli import main
from reverie.surfaces.cli.common import Asked, command

PROGRAM, VARIABLE = "dream", "_DREAM_COMPLETE"


@command
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(asked: Asked, *, shell: str) -> None:
    kind = get_completion_class(shell)
    assert kind is not None
    # Bash's own `source` starts a shell to ask how old it is; whoever reads the script has a shell.
    script = ShellComplete.source(kind(main, {}, PROGRAM, VARIABLE)).strip()
    asked.answer({"shell": shell, "script": script}, [("plain", script)])
