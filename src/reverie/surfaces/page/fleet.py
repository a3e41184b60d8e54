"""What an operator sees: /health for probes, /metrics for Prometheus, and a page. No word of any memory.

The page asks nobody who they are: let it listen where only operators come, or behind a door of yours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from reverie.fleet.board import SHOWN, Board
from reverie.surfaces.show import safe

OLDEST = 60.0  # seconds since somebody last looked at the board
_HERE = Path(__file__).parent
_FIGURES = {
    "workspaces": "that the fleet knows", "due": "that wait to be looked at", "late": "due for more than an hour",
    "dead": "given up after failures", "failing": "whose last look failed", "paused": "that an operator paused",
    "looked_at_today": "looked at within a day", "dreamt_today": "with a night within a day", "nights": "nights in all",
    "refused": "operations refused by checks, in all", "late_p99": "seconds after it was due",
    "seconds_p50": "of a night", "seconds_p99": "of a night", "draining": "1 while nothing new is begun",
    "beat_age": "seconds since a worker looked at the board",
}  # fmt: skip
_OF_TENANTS = {"booked": "cost booked this month", "month_cost": "cost that a month may have"}
_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'"


class Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # the worker listens for them


def server(board: Board, host: str, port: int) -> Server:
    """What answers on this port, in the worker's own loop."""
    page = Page(board)
    routes = [Route(path, getattr(page, name)) for path, name in _VIEWS.items()]
    config = uvicorn.Config(
        Starlette(routes=routes), host=host, port=port, lifespan="off", log_level="critical", access_log=False,
        server_header=False, limit_concurrency=50, timeout_keep_alive=5, timeout_graceful_shutdown=2,
        headers=[("Content-Security-Policy", _POLICY), ("X-Content-Type-Options", "nosniff")],
    )  # fmt: skip
    return Server(config)


class Page:
    def __init__(self, board: Board) -> None:
        self._board = board
        self._jinja = Environment(
            loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, finalize=_shown,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip

    async def overview(self, request: Request) -> Response:
        """Figures, tenants with their cost, and the workspaces that are asked for: late, failing, one tenant's."""
        asked, tenant = request.query_params.get("show", ""), request.query_params.get("tenant", "")
        rows = await self._board.listed(asked if asked in SHOWN else "", tenant)
        figures, tenants = await self._board.figures(), await self._board.tenants()
        return self._page(
            figures=figures,
            about=_FIGURES,
            tenants=tenants,
            rows=rows,
            views=SHOWN,
            asked=asked,
            tenant=tenant,
            one=None,
        )

    async def workspace(self, request: Request) -> Response:
        """All that the board knows of one workspace."""
        found = await self._board.one(request.query_params.get("name", ""))
        return self._page(one=found) if found else PlainTextResponse("There is no such workspace.\n", 404)

    async def health(self, _: Request) -> Response:
        age = (await self._board.figures())["beat_age"]
        is_well = 0 <= age <= OLDEST
        return PlainTextResponse("ok\n" if is_well else "nobody looks at the board\n", 200 if is_well else 503)

    async def metrics(self, _: Request) -> Response:
        figures, tenants = await self._board.figures(), await self._board.tenants()
        lines = [line for name, about in _FIGURES.items() for line in _metric(name, about, {"": figures[name]})]
        for name, about in _OF_TENANTS.items():
            lines += _metric(name, about, {_label(tenant["name"]): tenant[name] for tenant in tenants})
        return PlainTextResponse("\n".join([*lines, ""]), media_type="text/plain; version=0.0.4")

    async def style(self, _: Request) -> Response:
        return Response((_HERE / "static/style.css").read_bytes(), media_type="text/css")

    def _page(self, **values: Any) -> Response:
        return HTMLResponse(self._jinja.get_template("fleet.html").render(values))


_VIEWS = {
    "/": "overview", "/workspace": "workspace", "/health": "health", "/metrics": "metrics", "/style.css": "style",
}  # fmt: skip


def _shown(value: Any) -> Any:
    return "" if value is None else safe(value) if type(value) is str else value


def _metric(name: str, about: str, values: dict[str, float]) -> list[str]:
    head = [f"# HELP reverie_{name} {about}", f"# TYPE reverie_{name} gauge"]
    return head + [f"reverie_{name}{label} {value:g}" for label, value in values.items()]


def _label(tenant: str) -> str:
    escaped = tenant.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{{tenant="{escaped}"}}'
