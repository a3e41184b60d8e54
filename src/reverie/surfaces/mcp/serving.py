"""Runs the server: over standard input and output, or over HTTP on this machine alone."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings

from reverie.surfaces.mcp.door import Door, guarded

HOST, PATH = "127.0.0.1", "/mcp"
LARGEST = 1024 * 1024  # bytes of a request; a saved plan fits


def over_stdio(server: MCPServer[Any]) -> None:
    """Until standard input ends."""
    anyio.run(server.run_stdio_async)


@contextmanager
def over_http(server: MCPServer[Any], door: Door, port: int) -> Iterator[tuple[str, Callable[[], None]]]:
    """The address, and what serves there until Ctrl-C. The port is taken before the address is told.

    Only this machine can connect; the Host must name it, and no web page of another place may ask (an Origin is refused).
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((HOST, port))
        port = taken.getsockname()[1]
        names = [f"{HOST}:{port}", f"localhost:{port}"]
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            json_response=True,
            max_request_body_size=LARGEST,
            transport_security=TransportSecuritySettings(allowed_hosts=names, allowed_origins=[]),
        )
        config = uvicorn.Config(guarded(app, door), log_level="warning", server_header=False)
        yield f"http://{HOST}:{port}{PATH}", lambda: uvicorn.Server(config).run(sockets=[taken])
