"""Runs the server, over standard input and output or over HTTP on this machine alone, and knows who is asking.

Over standard input the program was started by whoever it serves; over HTTP a caller shows the owner's token. A stranger may
look, if the owner lets strangers in, but changes nothing and leaves no trace.
"""

from __future__ import annotations

import hmac
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from threading import Thread
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from reverie.lang.messages import say
from reverie.surfaces.slow_clients import KEEP_ALIVE, PatientProtocol

HOST, PATH = "127.0.0.1", "/mcp"
LARGEST = 1024 * 1024  # bytes of a request; a saved plan fits


@dataclass(frozen=True, slots=True)
class Door:
    """Without a token (standard input) everybody is who started us: trusted, unless we were told otherwise."""

    token: str = ""
    guests: bool = False  # over HTTP: let callers in who show no token, as strangers
    untrusted: bool = False  # nobody is trusted, whatever they show

    def admits(self, authorization: str | None) -> bool:
        """A wrong token is refused even where strangers are welcome: somebody meant to be more than one."""
        if authorization is None:
            return self.guests
        return self._is_ours(authorization)

    def trusts(self, headers: Mapping[str, str] | None) -> bool:
        """Whether what this caller asks may change the memory."""
        if self.untrusted:
            return False
        if not self.token:
            return True
        return self._is_ours((headers or {}).get("authorization"))

    def _is_ours(self, authorization: str | None) -> bool:
        kind, _, token = (authorization or "").strip().partition(" ")
        given, ours = token.strip().encode("utf-8", "replace"), self.token.encode()
        return kind.lower() == "bearer" and bool(ours) and hmac.compare_digest(given, ours)


def new_token() -> str:
    return secrets.token_urlsafe(32)


def guarded(app: ASGIApp, door: Door) -> ASGIApp:
    """The same app for those who may come in; 401 for the others, before anything of theirs is read."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        refused = PlainTextResponse(say("mcp.no_token"), 401, {"WWW-Authenticate": "Bearer"})
        admitted = scope["type"] != "http" or door.admits(Headers(scope=scope).get("authorization"))
        await (app if admitted else refused)(scope, receive, send)

    return guard


def over_stdio(server: MCPServer[Any]) -> None:
    """Until standard input ends. While the host reads the list of tools, what they do is loaded: the first call need not wait for it."""
    Thread(target=import_module, args=("reverie.surfaces.mcp.work",)).start()
    anyio.run(server.run_stdio_async)


@contextmanager
def over_http(server: MCPServer[Any], door: Door, port: int) -> Iterator[tuple[str, Callable[[], None]]]:
    """The address, and what serves there until Ctrl-C. The port is taken before the address is told.

    Only this machine can connect; the Host must name it, and no web page of another place may ask (an Origin is refused).
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((HOST, port))
        taken.listen(128)  # whoever calls the address at once waits instead of being refused
        port = taken.getsockname()[1]
        names = [f"{HOST}:{port}", f"localhost:{port}"]
        app = server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=True,
            json_response=True,
            max_request_body_size=LARGEST,
            transport_security=TransportSecuritySettings(allowed_hosts=names, allowed_origins=[]),
        )
        config = uvicorn.Config(
            guarded(app, door),
            http=PatientProtocol,
            ws="none",
            timeout_keep_alive=KEEP_ALIVE,
            log_level="warning",
            server_header=False,
        )
        yield f"http://{HOST}:{port}{PATH}", lambda: uvicorn.Server(config).run(sockets=[taken])
