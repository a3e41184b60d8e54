"""What an operator sees: /health for probes, /metrics for Prometheus, and one page. No word of any memory."""

import asyncio
from collections.abc import Awaitable, Callable
from html import escape

from reverie.fleet.board import Board

OLDEST = 60.0  # seconds since somebody last looked at the board
_HELP = {
    "workspaces": "that the fleet knows", "due": "that wait to be looked at", "dead": "that failed too often",
    "paused": "that an operator paused", "failing": "whose last look failed", "looked_at_today": "looked at within a day",
    "dreamt_today": "with a night within a day", "nights": "nights in all", "late_p99": "seconds after it was due",
    "seconds_p50": "of a night", "seconds_p99": "of a night", "booked": "cost booked this month",
    "draining": "1 while nothing new is begun", "beat_age": "seconds since a worker looked at the board",
}  # fmt: skip
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Fleet</title><style>body{{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;
color-scheme:light dark}}table{{border-collapse:collapse;width:100%}}td,th{{text-align:left;padding:.2rem .6rem;
border-bottom:1px solid #8884}}</style><h1>Fleet</h1><table>{figures}</table><h2>What needs a look</h2><table>
<tr><th>Workspace<th>Tenant<th>Last look<th>Failures<th>State<th>Due<th>Last night<th>Late</tr>{rows}</table>"""


async def serve(board: Board, host: str, port: int) -> asyncio.Server:
    """Answer on this port until it is closed."""
    answers: dict[str, Callable[[Board], Awaitable[tuple[int, str, str]]]]
    answers = {"/health": _health, "/metrics": _metrics, "/": _page}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await asyncio.wait_for(reader.readline(), 5)
            method, path, *_ = [*line.decode("latin-1").split(), "", ""]
            known = answers.get(path) if method == "GET" else None
            code, kind, text = (
                await known(board) if known else (404, "text/plain", "There is /, /health and /metrics.\n")
            )
        except Exception as error:  # noqa: BLE001
            code, kind, text = 503, "text/plain", f"{type(error).__name__}\n"
        data = text.encode()
        head = f"HTTP/1.1 {code} {code}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {len(data)}\r\n"
        writer.write(
            f"{head}Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r\nConnection: close\r\n\r\n".encode()
            + data
        )
        writer.close()

    return await asyncio.start_server(answer, host, port, limit=8_192)


async def _health(board: Board) -> tuple[int, str, str]:
    age = (await board.figures())["beat_age"]
    return (200, "text/plain", "ok\n") if 0 <= age <= OLDEST else (503, "text/plain", "nobody looks at the board\n")


async def _metrics(board: Board) -> tuple[int, str, str]:
    figures = await board.figures()
    lines = [
        f"# HELP reverie_{name} {_HELP[name]}\n# TYPE reverie_{name} gauge\nreverie_{name} {value:g}"
        for name, value in figures.items()
    ]
    return 200, "text/plain; version=0.0.4", "\n".join([*lines, ""])


async def _page(board: Board) -> tuple[int, str, str]:
    figures = "".join(
        f"<tr><th>{name.replace('_', ' ')}<td>{value:g}<td>{_HELP[name]}</tr>"
        for name, value in (await board.figures()).items()
    )
    rows = ""
    for row in await board.troubled():
        state = "given up" if row["is_dead"] else "paused" if row["is_paused"] else ""
        night = f"{row['dreamt_at']:%Y-%m-%d %H:%M}" if row["dreamt_at"] else "never"
        cells = (
            row["name"],
            row["tenant"],
            row["what"],
            row["tries"],
            state,
            f"{row['due_at']:%Y-%m-%d %H:%M}",
            night,
            f"{row['late']:.0f} s",
        )
        rows += f"<tr>{''.join(f'<td>{escape(str(cell))}' for cell in cells)}</tr>"
    return 200, "text/html", _PAGE.format(figures=figures, rows=rows)
