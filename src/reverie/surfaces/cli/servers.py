"""The memory over a port or a pipe: `serve` for a browser, `mcp` for programs."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from reverie.core.errors import BadInput
from reverie.lang.messages import say
from reverie.surfaces.cli.common import Asked, Lines, command

if TYPE_CHECKING:
    from reverie.surfaces.mcp.serving import Door

_PASSWORD = "REVERIE_PASSWORD"  # the name of a variable, as the next
_TOKEN = "REVERIE_MCP_TOKEN"
_SHORTEST_PASSWORD, _SHORTEST_TOKEN = 12, 24  # characters


@command
@click.option("--port", type=click.IntRange(0, 65535), default=7337)
@click.option("--open-to-network", is_flag=True)
def serve(asked: Asked, *, port: int, open_to_network: bool) -> None:
    workspace, clock = asked.open()
    password = _password() if open_to_network else ""
    try:
        from reverie.surfaces.web.app import open_page  # starlette and uvicorn, for those who want the page
    except ModuleNotFoundError as error:
        raise BadInput(say("cli.servers.page_needs", package=error.name)) from None
    with open_page(workspace, clock, port, password, asked.now or os.environ.get("REVERIE_NOW") or "") as (link, run):
        value = {"url": link, "workspace": str(workspace.folder)}
        asked.answer(value, [("path", link), ("plain", f"{workspace.folder} · {say('cli.servers.ctrl_c')}")])
        sys.stdout.flush()
        run()


def _password() -> str:
    words = os.environ.get(_PASSWORD, "")
    if not words and sys.stdin.isatty():
        words = click.prompt(say("cli.servers.new_password"), hide_input=True, confirmation_prompt=True)
    if len(words) < _SHORTEST_PASSWORD:
        raise BadInput(say("cli.servers.short_password", least=_SHORTEST_PASSWORD, variable=_PASSWORD))
    return words


@command
@click.option("--http", is_flag=True)
@click.option("--port", type=click.IntRange(0, 65535), default=7338)
@click.option("--guests", is_flag=True)
@click.option("--untrusted", is_flag=True)
def mcp(asked: Asked, *, http: bool, port: int, guests: bool, untrusted: bool) -> None:
    asked.workspace()  # a folder that is not there is told before anybody waits for an answer
    if guests and not http:
        raise BadInput(say("cli.servers.guests_alone"))
    try:
        from reverie.surfaces.mcp import serving  # the SDK costs a second to load
        from reverie.surfaces.mcp.server import Tools, server_of
    except ModuleNotFoundError as error:
        raise BadInput(say("cli.servers.mcp_needs", package=error.name)) from None
    door = serving.Door(_token() or serving.new_token() if http else "", guests, untrusted)
    server = server_of(Tools(asked.workspace, asked.clock, door))
    if not http:
        serving.over_stdio(server)
        return
    with serving.over_http(server, door, port) as (address, run):
        value = {"url": address, "token": door.token, "guests": door.guests, "untrusted": door.untrusted}
        asked.answer(value, _door_lines(address, door))
        sys.stdout.flush()
        run()


def _token() -> str:
    """The token the owner chose, if they chose one; it opens everything, so it must not be guessed."""
    token = os.environ.get(_TOKEN, "").strip()
    if token and len(token) < _SHORTEST_TOKEN:
        raise BadInput(say("cli.servers.short_token", variable=_TOKEN, least=_SHORTEST_TOKEN))
    return token


def _door_lines(address: str, door: Door) -> Lines:
    yield "path", address
    yield "plain", f"Authorization: Bearer {door.token}"
    who = say("cli.servers.guests" if door.guests else "cli.servers.no_guests")
    yield "plain", f"{who} {say('cli.servers.ctrl_c')}"
    if door.untrusted:
        yield "cut", say("cli.servers.untrusted")
