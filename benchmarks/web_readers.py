"""Fifty readers of the Dreams page while a dream runs: errors, and how long a page takes.

    python benchmarks/web_readers.py [READERS] [SECONDS]

The page is served by the real server in a process of its own, on a copy of the example workspace. The readers are asyncio tasks
that walk through all rooms with a pause between two pages, as people do; a dream is started on the page and runs meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import httpx

ROOMS = ("/", "/plan", "/memory", "/scene", "/diary", "/search?q=backup", "/runs", "/questions", "/palace", "/doctor")
NOW = "2026-11-09T03:00:00+01:00"
PAUSE = 1.0  # seconds that a reader looks at a page


async def main(readers: int, seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "lived-in"
        shutil.copytree(Path(__file__).parents[1] / "examples" / "lived-in", root)
        serving = subprocess.Popen(
            [sys.executable, "-c", "from reverie.surfaces.cli import main; main()", "serve", "--port", "0", "--json", "--workspace", root, "--now", NOW],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "HOME": folder},
        )  # fmt: skip
        try:
            await measure(_link(serving), readers, seconds, serving.pid)
        finally:
            serving.terminate()
            serving.wait(10)


def _link(serving: subprocess.Popen[str]) -> str:
    said = ""
    assert serving.stdout
    while "}" not in said:
        said += serving.stdout.readline()
    return str(json.loads(said)["url"])


async def measure(link: str, readers: int, seconds: float, pid: int) -> None:
    base = link.split("/enter")[0]
    limits = httpx.Limits(max_connections=readers + 1, max_keepalive_connections=readers)
    async with httpx.AsyncClient(base_url=base, timeout=60, limits=limits) as client:
        await client.get(link)
        for room in ROOMS:  # the first reader of all waits for what has to be computed
            await client.get(room)
        before = _memory(pid)
        token = re.search(r'name="token" value="(\w+)"', (await client.get("/")).text)
        assert token
        await client.post("/dream", data={"token": token[1]}, headers={"origin": base})
        took: dict[str, list[float]] = defaultdict(list)
        wrong: list[str] = []
        until = time.perf_counter() + seconds
        dreamt, *_ = await asyncio.gather(
            dream(client), *(reader(client, n, until, took, wrong) for n in range(readers))
        )
        after = _memory(pid)
    every = [one for times in took.values() for one in times]
    for room, times in took.items():
        print(f"{room:18} {len(times):5} pages  median {_ms(statistics.median(times))}  p95 {_ms(_p95(times))}")
    print(
        f"{readers} readers, {len(every)} pages in {seconds:g} s, {len(wrong)} errors; median {_ms(statistics.median(every))}, p95 {_ms(_p95(every))}"
    )
    print(f"the dream ran for {dreamt:.1f} s of it")
    print(f"memory of the server: {before} → {after} MB", *wrong[:5], sep="\n  ")


async def dream(client: httpx.AsyncClient) -> float:
    """How long the dream runs, as the page tells it."""
    began = time.perf_counter()
    await client.get("/live")
    return time.perf_counter() - began


async def reader(
    client: httpx.AsyncClient, n: int, until: float, took: dict[str, list[float]], wrong: list[str]
) -> None:
    await asyncio.sleep(PAUSE * (n * 0.618 % 1))  # people do not click in step
    room = n
    while time.perf_counter() < until:
        path = ROOMS[room % len(ROOMS)]
        began = time.perf_counter()
        try:
            answer = await client.get(path)
            if answer.status_code != 200:
                wrong.append(f"{path}: {answer.status_code}")
        except httpx.HTTPError as error:
            wrong.append(f"{path}: {error!r}")
        took[path].append(time.perf_counter() - began)
        room += 1
        await asyncio.sleep(PAUSE)


def _p95(times: list[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _memory(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"VmRSS:\s+(\d+)", text)
    return int(found[1]) // 1024 if found else 0


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50, float(sys.argv[2]) if len(sys.argv) > 2 else 20))
