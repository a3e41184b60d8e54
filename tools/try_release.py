"""A release as a newcomer meets it: python tools/try_release.py dist/reverie_dream-*.whl python3.11 python3.12 …

For each Python: an empty environment, an empty home, a folder outside of the repository; then the wheel (or the sdist), the first
commands, what is said where an extra is missing, and the servers with all extras. Needs a package index. Ends with 1 at the first
thing that does not work.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

MISSING = 14  # the exit code of a command whose extra is not installed
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "try", "version": "1"}},
}


def tried(built: Path, python: str, home: Path) -> None:
    subprocess.run([python, "-m", "venv", str(home / "venv")], check=True)
    bin = home / "venv" / ("Scripts" if os.name == "nt" else "bin")  # noqa: A001
    notes = home / "notes"
    notes.mkdir()
    environ = {"HOME": str(home), "PATH": os.environ["PATH"]}  # and nothing else of this session

    def install(what: str) -> None:
        subprocess.run([bin / "python", "-m", "pip", "install", "--quiet", what], check=True)

    def dream(*words: str, code: int = 0, says: str = "") -> None:
        asked = [bin / "dream", *words]
        done = subprocess.run(asked, cwd=notes, env=environ, input="", capture_output=True, text=True)
        said = (done.stdout + done.stderr).strip()
        if done.returncode != code or says not in said:
            sys.exit(f"{python}: dream {' '.join(words)} ended with {done.returncode}: {said}")
        print(f"  dream {' '.join(words)}: {said.partition(chr(10))[0]}", flush=True)

    install(str(built))
    dream("--version")
    dream("init", "--tools", "Python", "--project", "A boat", "--values", "Quiet", "--people", "Ada")
    (notes / "memory").mkdir(exist_ok=True)
    (notes / "memory" / "2026-11-10.md").write_text("- Decision: the boat is painted blue, never red\n", "utf-8")
    dream("review")
    dream("search", "what colour is the boat?")
    dream("undo")
    dream("serve", code=MISSING, says="reverie-dream[web]")
    dream("mcp", code=MISSING, says="reverie-dream[mcp]")
    install(f"{built}[all]")
    serves(python, [bin / "dream", "serve", "--port", "0"], notes, environ, "http://127.0.0.1", "")
    serves(python, [bin / "dream", "mcp"], notes, environ, "serverInfo", json.dumps(HELLO) + "\n")


def serves(python: str, words: list[str | Path], cwd: Path, environ: dict[str, str], wanted: str, said: str) -> None:
    """Start a server, wait at most a minute until it says what is wanted, end it."""
    child = subprocess.Popen(
        words, cwd=cwd, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert child.stdin and child.stdout
    late = threading.Timer(60, child.kill)
    late.start()
    child.stdin.write(said)
    child.stdin.flush()
    heard: list[str] = []
    for line in child.stdout:
        heard.append(line)
        if wanted in line:
            break
    late.cancel()
    child.terminate()
    child.communicate()
    if wanted not in "".join(heard):
        sys.exit(f"{python}: {words[1]} did not start: {''.join(heard)}")
    print(f"  dream {words[1]}: started")


if __name__ == "__main__":
    for name in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            print(name)
            tried(Path(sys.argv[1]).resolve(), name, Path(folder))
