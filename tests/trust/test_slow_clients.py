"""Clients that never finish their sentence: the owner still comes in, and they are hung up on."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reverie.surfaces.web.guard import Guard
from terminal import DREAM

pytestmark = pytest.mark.usefixtures("loopback")
HALF = b"GET /memory HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_FORM = b"POST /enter HTTP/1.1\r\nHost: %b\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\nkey="


Server = tuple[str, int, str]  # which one, its port, and the path of its link


@contextmanager
def serving(name: str, folder: Path) -> Iterator[Server]:
    (folder / "MEMORY.md").write_text("# Memory\n\n- The kiln is serviced every spring.\n", "utf-8")
    words = [name, *(["--http"] if name == "mcp" else []), "--port", "0", "--json"]
    child = subprocess.Popen([DREAM, *words, "--workspace", folder], stdout=subprocess.PIPE, text=True)
    assert child.stdout
    said = ""
    while "}" not in said:
        said += (line := child.stdout.readline())
        assert line, said
    place, _, path = json.loads(said)["url"].removeprefix("http://").partition("/")
    yield name, int(place.rpartition(":")[2]), path
    child.kill()
    child.communicate()


def opened(port: int, words: bytes) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", port), timeout=10)
    one.sendall(words)
    return one


def status_of(port: int, path: str) -> int:
    """What somebody is answered who asks as people do."""
    with opened(port, f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()) as one:
        return int(one.recv(64).split()[1])


def is_closed(one: socket.socket) -> bool:
    one.settimeout(0.01)
    try:
        return one.recv(4096) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


@pytest.mark.parametrize("name", ["serve", "mcp"])
def test_three_hundred_half_open_connections_lock_nobody_out(tmp_path: Path, name: str) -> None:
    with serving(name, tmp_path) as (_, port, path):
        for words in (b"", HALF, HALF_A_FORM % b"127.0.0.1"):
            crowd = [opened(port, words) for _ in range(300)]

            began = time.monotonic()
            status = status_of(port, path)

            assert status == (200 if name == "serve" else 401) and time.monotonic() - began < 8, words
            time.sleep(0.3)
            assert sum(map(is_closed, crowd)) >= 250 or words.startswith(b"POST")  # some were answered, and then closed
            for one in crowd:
                one.close()


def test_a_request_that_never_ends_is_ended(tmp_path: Path) -> None:
    with serving("serve", tmp_path) as page, serving("mcp", tmp_path) as mcp:
        waiting = [(opened(server[1], HALF), drip) for server in (page, mcp) for drip in (b"", b"x")]

        began = time.monotonic()
        took: list[float] = []
        while waiting and time.monotonic() < began + 60:
            time.sleep(0.5)
            ended = [(one, drip) for one, drip in waiting if not dripped(one, drip)]
            took += [time.monotonic() - began for _ in ended]
            waiting = [pair for pair in waiting if pair not in ended]
            for one, _ in ended:
                one.close()

    assert len(took) == 4 and min(took) > 8 and max(took) < 40  # ten, and whatever a busy machine adds


def dripped(one: socket.socket, drip: bytes) -> bool:
    """Whether the connection still stands, one more drop later."""
    try:
        one.sendall(drip)
    except OSError:
        return False
    return not is_closed(one)


def test_a_stranger_of_the_same_address_does_not_use_up_the_owners_pace() -> None:
    guard = Guard(7337, ticks=lambda: 0.0)
    session = guard.enter(guard.key, "127.0.0.1")
    host, owner = {"host": "127.0.0.1:7337"}, {"host": "127.0.0.1:7337", "cookie": f"{guard.cookie}={session}"}

    refused = [guard.refusal("GET", "/memory", host, "127.0.0.1") for _ in range(500)]

    assert refused[-1] is not None and refused[-1].status == 429
    assert guard.refusal("GET", "/memory", owner, "127.0.0.1") is None
