"""A server of embeddings on this machine: real HTTP on 127.0.0.1, with the moods a server can have."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class VectorServer:
    """What it answers can be changed while it runs; it remembers what it was asked."""

    def __init__(self) -> None:
        self.width = 12
        self.mood = "well"  # or: broken, garbage, strange, few, hangs, shuffled, elsewhere, not-numbers, ragged
        self.elsewhere = ""
        self.requests: list[tuple[str, str | None, int]] = []  # path, Authorization, number of texts
        self.woken = threading.Event()
        self.url = ""

    def vector(self, text: str) -> list[float]:
        digest = hashlib.shake_128(text.encode("utf-8", "surrogatepass")).digest(self.width)
        return [byte - 127.5 for byte in digest]

    def answer(self, path: str, texts: list[str]) -> tuple[int, bytes]:
        rows: list[Any] = [self.vector(text) for text in texts]
        if self.mood == "broken":
            return 500, b"the key Bearer sk-test-0001 is not known here"
        if self.mood == "garbage":
            return 200, b"<html>proxy login</html>"
        if self.mood == "strange":
            return 200, b'{"error": {"message": "no such model"}}'
        if self.mood == "few":
            rows = rows[:-1]
        if self.mood == "not-numbers":
            rows = [[None] * self.width for _ in texts]
        if self.mood == "ragged":
            rows = [row[: len(row) - i] for i, row in enumerate(rows)]
        if path.endswith("/api/embed"):
            return 200, json.dumps({"embeddings": rows}).encode()
        items = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
        return 200, json.dumps({"data": items[::-1] if self.mood == "shuffled" else items}).encode()


def _handler(server: VectorServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer([])

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._answer(body["input"])

        def _answer(self, texts: list[str]) -> None:
            server.requests.append((self.path, self.headers.get("Authorization"), len(texts)))
            if server.mood == "hangs":
                server.woken.wait(10)
                return
            if server.mood == "elsewhere":
                self.send_response(302)
                self.send_header("Location", server.elsewhere)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            code, data = server.answer(self.path, texts)
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Silence."""

    return Handler


@contextmanager
def serving() -> Iterator[VectorServer]:
    """A server that lives as long as the block."""
    server = VectorServer()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.woken.set()
        http.shutdown()
        http.server_close()
        thread.join()
