"""`dream serve` as a real process: the link it prints opens the page, nothing else does, and Ctrl-C ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from terminal import call

# A client in a process of its own, because a test may not reach for the network: the status of each address, and whether it tells the memory.
CLIENT = """
import sys, urllib.error, urllib.request
from http.cookiejar import CookieJar
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
for address in sys.argv[1:]:
    try:
        answer = browser.open(address, timeout=20)
        print(answer.status, b"kiln" in answer.read())
    except urllib.error.HTTPError as error:
        print(error.code, False)
"""


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    (tmp_path / "MEMORY.md").write_text("# Memory\n\n- The kiln is serviced every spring.\n", "utf-8")
    command = [sys.executable, "-c", "from reverie.surfaces.cli import main; main()", "serve", "--port", "0", "--json"]
    child = subprocess.Popen(
        [*command, "--workspace", tmp_path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert child.stdout
    said = ""
    while "}" not in said:
        line = child.stdout.readline()
        assert line, said
        said += line
    yield child, json.loads(said)["url"]
    child.kill()
    child.wait()
    child.stdout.close()


def test_the_link_opens_the_page_and_ctrl_c_ends_it(serving: tuple[subprocess.Popen[str], str]) -> None:
    child, link = serving
    base = link.partition("/enter")[0]
    assert base.startswith("http://127.0.0.1:")

    asked = [f"{base}/memory", f"{base}/enter?key=wrong", link, f"{base}/memory", f"{base}/nowhere"]
    answers = subprocess.run([sys.executable, "-c", CLIENT, *asked], capture_output=True, text=True, check=True)

    assert answers.stdout.split("\n")[:-1] == ["401 False", "401 False", "200 False", "200 True", "404 False"]
    if os.name != "nt":
        child.send_signal(signal.SIGINT)
        assert child.wait(15) == 0


def test_a_port_that_is_taken_is_told(serving: tuple[subprocess.Popen[str], str], tmp_path: Path) -> None:
    port = serving[1].partition("/enter")[0].rpartition(":")[2]

    told = call("serve", "--port", port, "--workspace", tmp_path)

    assert told.code == 14 and f"Port {port} cannot be used" in told.err
