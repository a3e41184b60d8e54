"""`dream fleet`: many workspaces on PostgreSQL; needs the extra `fleet`."""

import asyncio
import socket
import tempfile
from argparse import Namespace
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from reverie.errors import LACKS, ReverieError
from reverie.surfaces.commands import print_value

_REFUSALS = {
    "UndefinedTable": "The tables of the fleet are not there; `dream fleet init` makes them.",
    "UniqueViolation": "Another workspace of the fleet has this place; name another place, or remove that workspace.",
    "NumericValueOutOfRange": "A number is too large; take one below 2,147,483,648.",
}
_AWAY = "The database of DREAM_FLEET_DATABASE does not answer, or refused this; look at its address and its log."


def fleet(options: Namespace) -> None:
    try:
        import psycopg
        from procrastinate.exceptions import ConnectorException

        from reverie.fleet.worker import database
    except ImportError:
        raise ReverieError(LACKS.format("fleet")) from None
    try:
        psycopg.connect(address := database(), connect_timeout=10).close()  # a pool complains for half a minute first
        asyncio.run(_fleet(options, address))
    except (psycopg.Error, ConnectorException) as error:
        raise ReverieError(_REFUSALS.get(type(error.__context__).__name__, _AWAY)) from None


async def _fleet(options: Namespace, address: str) -> None:
    from reverie.fleet.board import Board

    board = Board(address)
    if options.what == "worker":
        return await _work(board, options)
    async with board.app.open_async():
        value, lines = await _DONE[options.what](board, options)
    print_value(options, value, lines)


async def _work(board: Any, options: Namespace) -> None:
    from reverie.fleet.worker import Worker

    scratch = Path(options.scratch or Path(tempfile.gettempdir(), "reverie-fleet"))
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    secrets = Path(options.secrets) if options.secrets else None
    served = _served(board, options.listen)
    try:
        await Worker(board, scratch, secrets, max(1, options.concurrency)).run(wait=not options.once)
    finally:
        if served:
            served[0].should_exit = True
            await served[1]


def _served(board: Any, address: str) -> tuple[Any, "asyncio.Task[None]"] | None:
    """The operators' page with what it does; None where none was asked for."""
    host, _, port = address.rpartition(":")
    if not address:
        return None
    try:
        socket.create_server((host or "127.0.0.1", int(port))).close()
    except (OSError, OverflowError, ValueError):
        raise ReverieError(f"{address!r} is no free HOST:PORT, as 127.0.0.1:8080; name another.") from None
    from reverie.surfaces.page.fleet import server

    served = server(board, host or "127.0.0.1", int(port))
    return served, asyncio.create_task(served.serve())


async def _init(board: Any, _: Namespace) -> tuple[object, list[str]]:
    await board.make()
    return {"made": True}, ["The tables of the fleet are there."]


async def _add(board: Any, options: Namespace) -> tuple[object, list[str]]:
    name, place = _two(options, "NAME PLACE")
    await board.add(name, place, options.tenant, priority=options.priority, jitter=options.jitter)
    return {"added": name}, [f"{name} is looked at by the next free worker."]


async def _remove(board: Any, options: Namespace) -> tuple[object, list[str]]:
    await board.change(options.words[0] if options.words else "", "DELETE FROM reverie_workspaces")
    return {"removed": options.words[0]}, ["Nothing in the workspace itself was changed."]


async def _pause(board: Any, options: Namespace) -> tuple[object, list[str]]:
    sql = "UPDATE reverie_workspaces SET is_paused = NOT is_paused"
    await board.change(options.words[0] if options.words else "", sql)
    return {"switched": options.words[0]}, [
        "Paused; the same again lets it go on. `dream fleet status` shows which it is."
    ]


async def _drain(board: Any, _: Namespace) -> tuple[object, list[str]]:
    (row,) = await board.rows("UPDATE reverie_fleet SET is_draining = NOT is_draining RETURNING is_draining")
    draining = row["is_draining"]
    return row, [
        "Nothing new is begun; what runs ends. The same again lets it go on." if draining else "Nights begin again."
    ]


async def _tenant(board: Any, options: Namespace) -> tuple[object, list[str]]:
    if len(options.words) != 4:
        raise ReverieError("`dream fleet tenant` takes NAME MODEL NIGHT_COST MONTH_COST.")
    name, model, night, month = options.words
    sql = """INSERT INTO reverie_tenants (name, model, night_cost, month_cost) VALUES (%(n)s, %(m)s, %(c)s, %(t)s)
        ON CONFLICT (name) DO UPDATE SET model = %(m)s, night_cost = %(c)s, month_cost = %(t)s"""
    await board.execute(sql, n=name, m=model, c=_number(night), t=_number(month))
    return {"tenant": name}, [f"{name}: {model or 'the rules'}, at most {night} a night and {month} a month."]


async def _provider(board: Any, options: Namespace) -> tuple[object, list[str]]:
    name, rate = _two(options, "NAME NIGHTS_PER_MINUTE")
    sql = """INSERT INTO reverie_providers (name, per_minute, room) VALUES (%(n)s, %(r)s, %(r)s)
        ON CONFLICT (name) DO UPDATE SET per_minute = %(r)s, room = least(reverie_providers.room, %(r)s)"""
    await board.execute(sql, n=name, r=_number(rate))
    return {"provider": name}, [f"{name}: at most {rate} nights begin in a minute."]


async def _status(board: Any, _: Namespace) -> tuple[object, list[str]]:
    figures, rows = await board.figures(), await board.listed()
    lines = [f"{name.replace('_', ' ')}: {value:g}" for name, value in figures.items()]
    for row in rows:
        state = (
            "given up" if row["is_dead"] else "paused" if row["is_paused"] else f"due {row['due_at']:%Y-%m-%d %H:%M}"
        )
        lines.append(
            f"- {row['name']} ({row['tenant'] or 'no tenant'}): {row['what'] or 'not looked at'}, {row['tries']} failures, {state}"
        )
    return {"figures": figures, "workspaces": rows}, lines


def _two(options: Namespace, names: str) -> tuple[str, str]:
    if len(options.words) != 2:
        raise ReverieError(f"`dream fleet {options.what}` takes {names}.")
    return options.words[0], options.words[1]


def _number(text: str) -> float:
    with suppress(ValueError):
        if 0 <= (number := float(text)) < inf:
            return number
    raise ReverieError(f"{text!r} is no number of 0 or more.")


_DONE: dict[str, Callable[[Any, Namespace], Awaitable[tuple[object, list[str]]]]] = {
    "init": _init, "add": _add, "remove": _remove, "pause": _pause, "drain": _drain, "tenant": _tenant,
    "provider": _provider, "status": _status,
}  # fmt: skip
