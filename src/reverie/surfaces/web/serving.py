"""The server around the page: which address it listens on, and the link that opens it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from reverie.core.errors import BadInput
from reverie.core.ports import Clock
from reverie.surfaces.web.app import Page
from reverie.surfaces.web.guard import Guard, Password
from reverie.workspace.values import Workspace

LOOPBACK, EVERYWHERE = "127.0.0.1", "0.0.0.0"  # the second only with a password


@contextmanager
def open_page(
    workspace: Workspace, clock: Clock, port: int, password: str = "", now: str = ""
) -> Iterator[tuple[str, Callable[[], None]]]:
    """A page that is ready: the link to it, and the call that serves until it is interrupted."""
    host = EVERYWHERE if password else LOOPBACK
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # whoever opens the link at once waits instead of being refused
    except OSError as error:
        listening.close()
        raise BadInput(f"Port {port} cannot be used ({error.strerror}). `--port 0` takes a free one.") from None
    real = listening.getsockname()[1]
    names = (socket.gethostname().lower(),) if password else ()
    guard = Guard(real, password=Password.of(password) if password else None, names=names)
    page = Page(workspace, clock, guard, now)
    link = f"http://{socket.gethostname() if password else LOOPBACK}:{real}/" + ("" if password else f"enter?key={guard.key}")  # fmt: skip
    config = uvicorn.Config(
        page.app(), log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2, lifespan="off",
        proxy_headers=False, limit_concurrency=256,
    )  # fmt: skip
    server = uvicorn.Server(config)

    def run() -> None:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])

    try:
        yield link, run
    finally:
        page.house.sleeper.stop()
        listening.close()


__all__ = ["open_page"]
