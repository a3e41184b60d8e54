"""What the page costs a running server: a memory of 18,000 characters and 3,650 notes, CPU of the first view and of 200 more.

python benchmarks/page.py [--check]     --check: exit 1 where a limit is passed
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import httpx

from cost import TODAY, build
from reverie.night import review
from reverie.surfaces.page.serve import bound, made
from reverie.workspace.layout import layout_of

FIRST, GROWTH = 120, 4_000  # milliseconds of CPU; kilobytes that 200 requests may add


def main(words: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_STATE_HOME": f"{folder}/state", "HOME": folder}
        root = Path(folder, "decade")
        build(root, 3_650)
        lines = (
            f"- **Fact {n}:** the pump of shed {n} has valve {n * 7} and is serviced by Okafor in May\n"
            for n in range(900)
        )
        text = "# Memory\n"
        for n, line in enumerate(lines):
            text += f"\n## Section {n // 12}\n" * (n % 12 == 0) + line
            if len(text) > 17_500:
                break
        (root / "MEMORY.md").write_text(text, "utf-8")
        layout, now = layout_of(root), datetime.combine(TODAY, datetime.min.time()) + timedelta(hours=3)
        for back in range(29, -1, -1):
            day = TODAY - timedelta(days=back)
            with open(root / "memory" / f"{day}.md", "a", encoding="utf-8") as note:
                note.write(f"- Decision: shelf {back} holds the spare valves of the harbour\n")
            review(layout, now - timedelta(days=back))
        listener = bound(0)
        server, guard = made(layout, listener, now=now.isoformat())
        threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
        client = httpx.Client(base_url=f"http://127.0.0.1:{guard.port}", timeout=60)
        client.get("/enter", params={"key": guard.key})
        cold = spent(client, "/")
        warm = [spent(client, "/") for _ in range(20)]
        views = {
            path: spent(client, path)
            for path in ("/?night=3", "/inbox", "/night", "/search?q=valve", "/search?q=valve")
        }
        before = resident()
        for number in range(200):
            client.get(("/", "/inbox", "/search?q=pump", "/night", f"/?night={number % 30}")[number % 5])
        growth = resident() - before
        print(f"a memory of {len((root / 'MEMORY.md').read_text('utf-8')):,} characters, 3,650 notes, 30 nights")
        print(f"first view: {cold:.0f} ms CPU cold, {median(warm):.0f} ms in a running server (limit {FIRST})")
        print("; ".join(f"{path} {cpu:.0f} ms" for path, cpu in views.items()))
        print(f"200 requests: {growth:,} KB more (limit {GROWTH:,})")
        sys.exit(1 if "--check" in words and (median(warm) > FIRST or growth > GROWTH) else 0)


def resident() -> int:
    """Kilobytes in memory now."""
    pages = Path("/proc/self/statm")
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1_024 if pages.exists() else 0


def spent(client: httpx.Client, path: str) -> float:
    """Milliseconds of CPU of this process, client and server together."""
    begun = time.process_time()
    assert client.get(path).status_code == 200
    return (time.process_time() - begun) * 1000


if __name__ == "__main__":
    main(sys.argv[1:])
