"""Nothing that Reverie does by itself reaches for a network: the kernel would end whatever tried, and nothing is ended."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from without_network import CANNOT

from terminal import DREAM

LAUNCHER = Path(__file__).with_name("without_network.py")
FACT = "The kiln fires at 1,040 °C"
NOW = ("--now", "2026-11-15T03:00:00+01:00")


def closed(kind: str, *command: str | Path) -> list[str]:
    return [sys.executable, str(LAUNCHER), kind, *map(str, command)]


def run(kind: str, *command: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(closed(kind, *command), capture_output=True, text=True, check=False, timeout=120)
    if done.returncode == CANNOT:
        pytest.skip("this kernel filters no system calls")
    return done


TRIES = {
    "a connection": "socket.create_connection(('127.0.0.1', 9), 1)",
    "a datagram": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "a connection over IPv6": "socket.socket(socket.AF_INET6).connect(('::1', 9))",
}


@pytest.mark.parametrize("kind", ["sockets", "connections"])
@pytest.mark.parametrize("how", TRIES)
def test_whoever_reaches_for_a_network_is_caught(kind: str, how: str) -> None:
    done = run(kind, sys.executable, "-I", "-c", f"import socket; {TRIES[how]}")

    assert done.returncode == -signal.SIGSYS


def test_so_is_a_child_of_a_child_and_a_look_up_of_a_name() -> None:
    child = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-I', '-c', sys.argv[1]]).returncode)"
    asks = "import socket; socket.getaddrinfo('example.org', 443)"

    assert run("sockets", sys.executable, "-I", "-c", child, asks).returncode % 256 == -signal.SIGSYS % 256


def test_what_is_no_network_is_let_through() -> None:
    pair = "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))"
    listens = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[0])"

    assert run("sockets", sys.executable, "-c", pair).stdout == "b'x'\n"
    assert run("connections", sys.executable, "-c", listens).stdout == "127.0.0.1\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ada"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(f"# Ada\n\n- {FACT}\n- {FACT}\n", "utf-8")
    (root / "memory" / "2026-11-14.md").write_text(
        "- Decision: see https://example.org/shed, and ask www.example.org\n", "utf-8"
    )
    return root


LIFE = (
    ("review",),
    ("search", "kiln"),
    ("recall", "what about the kiln?", "--timeout", "60000"),
    ("index", "https://example.org/shed"),
    ("note", "The shed is sold at https://example.org"),
    ("status", "--deep"),
    ("daemon", "--once"),
    ("doctor",),
)


def test_a_life_of_commands_makes_no_socket(workspace: Path) -> None:
    done = {words[0]: run("sockets", DREAM, *words, "--workspace", workspace, *NOW) for words in LIFE}

    assert done.pop("doctor").returncode in (0, 16)  # it is well, or says what is not
    assert {name: one.returncode for name, one in done.items()} == dict.fromkeys(done, 0)
    assert (workspace / "MEMORY.md").read_text("utf-8").count(FACT) == 1
    assert FACT in done["search"].stdout and FACT in done["recall"].stdout


@pytest.mark.usefixtures("loopback")
def test_the_page_answers_and_calls_nobody(workspace: Path) -> None:
    words = closed("connections", DREAM, "serve", "--port", "0", "--json", "--workspace", workspace, *NOW)
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as page:
        assert page.stdout
        link = json.loads("".join(iter(page.stdout.readline, "}\n")) + "}")["url"]
        answer = urllib.request.urlopen(link, timeout=20).read()
        page.terminate()
        ended = page.wait(20)

    assert b"<html" in answer and ended != -signal.SIGSYS


def test_the_tools_for_programs_answer_and_make_no_socket(workspace: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
    asks = (("initialize", hello), ("tools/call", {"name": "memory_search", "arguments": {"query": "kiln"}}))
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": name, "params": params})
        for n, (name, params) in enumerate(asks)
    ]
    words = closed("sockets", DREAM, "mcp", "--workspace", workspace, *NOW)

    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        server.stdin.write(f"{lines[0]}\n")
        server.stdin.flush()
        assert "reverie" in server.stdout.readline()
        server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n' + f"{lines[1]}\n")
        server.stdin.flush()
        assert "The kiln fires" in server.stdout.readline()
        server.stdin.close()
        assert server.wait(20) == 0
