from __future__ import annotations

import os
import sys

import click

from reverie.core.errors import BadInput
from reverie.surfaces.cli.common import Asked, command

VARIABLE = "REVERIE_PASSWORD"


@command
@click.option(
    "--port", type=click.IntRange(0, 65535), default=7337, help="The port; 0 takes a free one (default 7337)."
)
@click.option("--open-to-network", is_flag=True, help="Let other machines in, with a password.")
def serve(asked: Asked, *, port: int, open_to_network: bool) -> None:
    """Open the Dreams page in a browser of this machine: look at a memory, decide about it, take things back.

    Prints a link with a key and serves until Ctrl-C. With --open-to-network other machines of the network may come in with a
    password, which is asked for here or taken from REVERIE_PASSWORD; the page is not encrypted, so use it where you trust the
    network, or behind a proxy that encrypts.
    """
    workspace = asked.workspace()
    clock = asked.clock(workspace.settings.timezone)
    password = _password() if open_to_network else ""
    try:
        from reverie.surfaces.web.serving import open_page  # starlette and uvicorn, for those who want the page
    except ModuleNotFoundError as error:
        raise BadInput(f"The page needs {error.name}. Install it: pip install 'reverie[web]'.") from None
    with open_page(workspace, clock, port, password, asked.now or os.environ.get("REVERIE_NOW") or "") as (link, run):
        asked.answer({"url": link, "workspace": str(workspace.root)}, [("path", link), ("plain", f"{workspace.root} · Ctrl-C ends it.")])  # fmt: skip
        sys.stdout.flush()
        run()


def _password() -> str:
    words = os.environ.get(VARIABLE, "")
    if not words and sys.stdin.isatty():
        words = click.prompt("A password for whoever comes from the network", hide_input=True, confirmation_prompt=True)
    if len(words) < 12:
        raise BadInput(f"Opening to a network needs a password of at least 12 characters. Set {VARIABLE} or run it in a terminal.")  # fmt: skip
    return words
