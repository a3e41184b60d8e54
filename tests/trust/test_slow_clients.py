"""Clients that never finish their sentence: the owner still comes in, and they are hung up on."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.surfaces.web.guard import Guard
from terminal import DREAM

pytestmark = pytest.mark.usefixtures("loopback")
HALF = b"GET /memory HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
HALF_A_FORM = b"POST /enter HTTP/1.1\r\nHost: %b\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 900\r\n\r\nkey="


@pytest.fixture(params=["serve", "mcp"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, int, str]]:
    """Which one, its port, and the path of its link."""
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- The kiln is serviced every spring.\n", "utf-8")
    words = [request.param, *(["--http"] if request.param == "mcp" else []), "--port", "0", "--json"]
    child = subprocess.Popen([DREAM, *words, "--workspace", tmp_path], stdout=subprocess.PIPE, text=True)
    assert child.stdout
    said = ""
    while "}" not in said:
        said += (line := child.stdout.readline())
        assert line, said
    place, _, path = json.loads(said)["url"].removeprefix("http://").partition("/")
    yield request.param, int(place.rpartition(":")[2]), path
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


@pytest.mark.parametrize("words", [b"", HALF, HALF_A_FORM % b"127.0.0.1"])
def test_three_hundred_half_open_connections_lock_nobody_out(server: tuple[str, int, str], words: bytes) -> None:
    name, port, path = server
    crowd = [opened(port, words) for _ in range(300)]

    began = time.monotonic()
    status = status_of(port, path)

    assert status == (200 if name == "serve" else 401) and time.monotonic() - began < 8
    time.sleep(0.3)
    assert sum(map(is_closed, crowd)) >= 250 or words.startswith(b"POST")  # some were answered, and then closed
    for one in crowd:
        one.close()


@pytest.mark.parametrize("drip", [b"", b"x"])
def test_a_request_that_never_ends_is_ended(server: tuple[str, int, str], drip: bytes) -> None:
    one = opened(server[1], HALF)

    began = time.monotonic()
    while not is_closed(one) and time.monotonic() < began + 60:
        time.sleep(0.5)
        try:
            one.sendall(drip)
        except OSError:
            break

    assert 8 < time.monotonic() - began < 40  # ten, and whatever a busy machine adds
    one.close()


def test_a_stranger_of_the_same_address_does_not_use_up_the_owners_pace() -> None:
    guard = Guard(7337, ticks=lambda: 0.0)
    session = guard.enter(guard.key, "127.0.0.1")
    host, owner = {"host": "127.0.0.1:7337"}, {"host": "127.0.0.1:7337", "cookie": f"{guard.cookie}={session}"}

    refused = [guard.refusal("GET", "/memory", host, "127.0.0.1") for _ in range(500)]

    assert refused[-1] is not None and refused[-1].status == 429
    assert guard.refusal("GET", "/memory", owner, "127.0.0.1") is None
