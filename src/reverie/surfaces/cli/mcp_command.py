from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from reverie.core.errors import BadInput
from reverie.surfaces.cli.common import Asked, command

if TYPE_CHECKING:
    from reverie.surfaces.mcp.door import Door

VARIABLE = "REVERIE_MCP_TOKEN"  # the name of a variable, not a token
SHORTEST = 24  # characters


@command
@click.option("--http", is_flag=True, help="Serve over HTTP on this machine instead of standard input and output.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=7338,
    help="With --http: the port; 0 takes a free one (default 7338).",
)
@click.option("--guests", is_flag=True, help="With --http: let callers without the token look, and no more.")
@click.option("--untrusted", is_flag=True, help="Trust nobody: whoever asks may look, and no more.")
def mcp(asked: Asked, *, http: bool, port: int, guests: bool, untrusted: bool) -> None:
    """Serve the memory to programs that speak MCP: tools, resources and a prompt.

    Over standard input and output unless --http is given; then callers show the token that is printed (or set with
    REVERIE_MCP_TOKEN) as `Authorization: Bearer TOKEN`. Who is not trusted can neither note, approve, undo nor forget.
    """
    asked.workspace()  # a folder that is not there is told before anybody waits for an answer
    if guests and not http:
        raise BadInput("--guests is for --http. Over standard input there is one caller; --untrusted says who it is.")
    try:
        from reverie.surfaces.mcp import serving  # the SDK costs a second to load
        from reverie.surfaces.mcp.door import Door, new_token
        from reverie.surfaces.mcp.server import server_of
    except ModuleNotFoundError as error:
        raise BadInput(f"This needs {error.name}. Install it: pip install 'reverie[mcp]'.") from None
    from reverie.surfaces.first_words import first_words
    from reverie.surfaces.mcp.tools import Tools

    tools = Tools(asked.workspace, asked.clock)
    door = Door(_token() or new_token() if http else "", guests, untrusted)

    def session() -> str:
        workspace = tools.workspace
        return first_words(workspace, asked.clock(workspace.settings.timezone)) or "The memory holds nothing yet."

    server = server_of(tools, door, session)
    if not http:
        serving.over_stdio(server)
        return
    with serving.over_http(server, door, port) as (address, run):
        asked.answer(_as_dict(address, door), _lines(address, door))
        sys.stdout.flush()
        run()


def _token() -> str:
    """The token the owner chose, if they chose one; it opens everything, so it must not be guessed."""
    token = os.environ.get(VARIABLE, "").strip()
    if token and len(token) < SHORTEST:
        raise BadInput(
            f"{VARIABLE} must have at least {SHORTEST} characters. Without it, a new token is made at each start."
        )
    return token


def _as_dict(address: str, door: Door) -> dict[str, object]:
    return {"url": address, "token": door.token, "guests": door.guests, "untrusted": door.untrusted}


def _lines(address: str, door: Door) -> list[tuple[str, str]]:
    who = "Callers without it may look." if door.guests else "Callers without it are refused."
    lines = [("path", address), ("plain", f"Authorization: Bearer {door.token}"), ("plain", f"{who} Ctrl-C ends it.")]
    return [*lines, ("cut", "Nobody is trusted: whoever asks may look, and no more.")] if door.untrusted else lines
