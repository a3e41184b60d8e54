"""`dream serve`: the page on a port of this machine alone. The link that is printed opens it once; Ctrl-C ends it."""

import asyncio
import json
import socket
import sys
import webbrowser
from argparse import Namespace
from contextlib import suppress
from typing import Any

from reverie.errors import LACKS, ReverieError
from reverie.surfaces.commands import workspace_of
from reverie.workspace.layout import Layout, open_workspace

HOST = "127.0.0.1"
HEAD_SECONDS, ANSWER_SECONDS = 10.0, 60.0  # that a client gets to say what it wants, and to take what it gets


def serve(options: Namespace) -> None:
    try:
        import uvicorn  # noqa: F401
        from jinja2 import Environment  # noqa: F401
        from starlette.applications import Starlette  # noqa: F401
    except ImportError:
        raise ReverieError(LACKS.format("web")) from None
    layout = open_workspace(options.workspace)
    if not options.workspace:
        layout = workspace_of(options)
    port = int(options.port) if str(options.port).isdecimal() else -1
    if not 0 <= port < 65_536:
        raise ReverieError(f"{options.port!r} is no port. Name one from 1024 to 65535, or none.")
    with bound(port) as listener:
        server, guard = made(layout, listener, now=options.now, model=options.model)
        link = f"http://{HOST}:{guard.port}/enter?key={guard.key}"
        if options.as_json:
            print(json.dumps({"link": link}), flush=True)  # the key is for whoever started this
        else:
            print(f"{link}\nThe link opens the page once, on this machine alone. Ctrl-C ends it.", flush=True)
        if options.open or (sys.stdout.isatty() and not options.as_json):
            webbrowser.open(link)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def bound(port: int) -> socket.socket:
    """A listening socket: the port is ours before its link is printed."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ReverieError(f"The port {port} cannot be used: {error.strerror}. Name another one with --port.") from None
    return listener


def made(
    layout: Layout,
    listener: socket.socket,
    *,
    now: str = "",
    model: str = "",
    head: float = HEAD_SECONDS,
    body: float = 20.0,
) -> tuple[Any, Any]:
    """The server with its guard; nothing is served yet."""
    import uvicorn

    from reverie.surfaces.page.app import application
    from reverie.surfaces.page.guard import Guard

    guard = Guard(None, listener.getsockname()[1], body)
    guard.app = application(layout, guard, now, model)
    config = uvicorn.Config(
        guard, http=_protocol(head), ws="none", lifespan="off", proxy_headers=False, server_header=False, access_log=False,
        log_level="critical", limit_concurrency=100, timeout_keep_alive=5, h11_max_incomplete_event_size=16_384,
        timeout_graceful_shutdown=2,
    )  # fmt: skip
    return uvicorn.Server(config), guard


def _protocol(head: float) -> type[asyncio.Protocol]:
    """How a connection is served; one whose client dawdles is cut off: uvicorn has no such limit."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Connection(H11Protocol):
        _phase: tuple[object, bool] = (None, True)
        _since = 0.0
        _watch: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            if self._watch:
                self._watch.cancel()
            super().connection_lost(exc)

        def _look(self) -> None:
            is_served = self.cycle is not None and not self.cycle.response_complete
            if (self.cycle, is_served) != self._phase:
                self._phase, self._since = (self.cycle, is_served), self.loop.time()
            if self.loop.time() - self._since > (ANSWER_SECONDS if is_served else head):
                return self.transport.abort()
            self._watch = self.loop.call_later(min(1.0, head / 4), self._look)
            return None

    return Connection
