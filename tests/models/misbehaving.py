"""Models on a bad day: a real HTTP server on this machine that speaks three dialects, and real little programs.

Each has the same moods, so that one suite can ask all of them the same.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from reverie.core.model_calls import Status

KEY = "sk-test-0001-do-not-show"
TEXT = '{"keep": true, "why": "对榛子过敏"}'
LATER = 20.0  # seconds; nobody waits that long here

# The mood, and what asking in it must come to.
MOODS = {
    "slow": Status.SLOW,
    "drips": Status.SLOW,
    "drips headers": Status.SLOW,
    "garbage": Status.INVALID,
    "empty": Status.INVALID,
    "strange": Status.INVALID,
    "huge": Status.INVALID,
    "half a character": Status.INVALID,
    "cut short": Status.TRUNCATED,
    "refusal": Status.REFUSED,
    "refusal in words": Status.REFUSED,
    "429": Status.RATE_LIMITED,
    "529": Status.RATE_LIMITED,
    "rate in words": Status.RATE_LIMITED,
    "500": Status.FAILED,
    "breaks off": Status.FAILED,
    "hangs up": Status.FAILED,
    "401": Status.NO_MODEL,
    "403": Status.NO_MODEL,
    "404": Status.NO_MODEL,
    "elsewhere": Status.NO_MODEL,
}
NO_SUCH_FIELD = {("ollama", "refusal")}  # it has no word for it


def answer(kind: str, text: str = TEXT, mood: str = "well") -> dict[str, Any]:
    """A whole answer as this kind of server gives it."""
    if kind == "openai":
        ended = {"cut short": "length"}.get(mood, "stop")
        message = {
            "role": "assistant",
            "content": text,
            "refusal": "I would rather not." if mood == "refusal" else None,
        }
        usage = {"prompt_tokens": 11, "completion_tokens": 7}
        return {"choices": [{"index": 0, "message": message, "finish_reason": ended}], "usage": usage}
    if kind == "anthropic":
        ended = {"cut short": "max_tokens", "refusal": "refusal"}.get(mood, "tool_use")
        called = {"type": "tool_use", "id": "t1", "name": "answer", "input": json.loads(text)} if text == TEXT else None
        content = [called or {"type": "text", "text": text}]
        return {"content": content, "stop_reason": ended, "usage": {"input_tokens": 11, "output_tokens": 7}}
    ended = {"cut short": "length"}.get(mood, "stop")
    message = {"role": "assistant", "content": text}
    return {"message": message, "done": True, "done_reason": ended, "prompt_eval_count": 11, "eval_count": 7}


class Moody:
    """What it answers can be changed while it runs; it remembers what it was asked."""

    def __init__(self) -> None:
        self.mood = "well"
        self.moods: list[str] = []  # moods of the next answers, before `mood`
        self.headers: dict[str, str] = {}
        self.elsewhere = ""
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []  # path, headers, body
        self.over = threading.Event()
        self.url = ""

    def told(self, kind: str, mood: str) -> tuple[int, bytes]:
        if mood.isdigit():
            return int(mood), f"the key {KEY} is not welcome".encode()
        if mood == "rate in words":
            return 403, b'{"error": {"type": "rate_limit_error"}}'
        if mood == "garbage":
            return 200, b"<html>proxy login</html>"
        if mood == "strange":
            return 200, b'{"error": {"message": "no such thing"}}'
        if mood == "huge":
            return 200, json.dumps(answer(kind, "x" * 5_000_000)).encode()
        texts = {
            "empty": "",
            "half a character": "\ud800",
            "refusal in words": "I'm sorry, but I can't help with that.",
        }
        return 200, json.dumps(answer(kind, texts.get(mood, TEXT), mood)).encode()


def _handler(server: Moody) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, {}))
            self._answer("well", *server.told("openai", "well"))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            mood = server.moods.pop(0) if server.moods else server.mood
            kind = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}.get(self.path, "ollama")
            if mood == "knows no schema":
                wanted = (body.get("response_format") or {}).get("type")
                mood = "400" if wanted == "json_schema" else "well"
            with suppress(OSError):  # whoever asked has gone
                self._answer(mood, *server.told(kind, mood))

        def _answer(self, mood: str, code: int, data: bytes) -> None:
            self.close_connection = True
            if mood == "hangs up":
                return
            if mood == "slow":
                server.over.wait(LATER)
                return
            if mood == "drips headers":
                self._drip(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1_000)
                return
            if mood == "elsewhere":
                code, data = 302, b""  # the one that urllib follows, key and all
                self.send_response(code)
                self.send_header("Location", server.elsewhere)
            else:
                self.send_response(code)
                kind = "text/html" if mood == "wrong type" else "application/json"
                self.send_header("Content-Type", kind)
            for name, value in server.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if mood == "drips":
                self._drip(data)
            else:
                self.wfile.write(data[:-9] if mood == "breaks off" else data)

        def _drip(self, data: bytes) -> None:
            for byte in data:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if server.over.wait(0.05):
                    return

        def log_message(self, *_: object) -> None:
            """Silence."""

    return Handler


@contextmanager
def serving() -> Iterator[Moody]:
    """A server that lives as long as the block."""
    server = Moody()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        http.shutdown()
        http.server_close()
        thread.join()
        time.sleep(0.02)  # those who were left in the middle close their end


_PROGRAM = {
    "well": "import sys; asked = sys.stdin.read(); print({text!r})",
    "slow": "import time; time.sleep({later})",
    "drips": "import time\nfor c in {text!r} * 99: print(c, end='', flush=True); time.sleep(0.05)",
    "garbage": "print('<html>')",
    "empty": "pass",
    "huge": "print('x' * 5_000_000)",
    "cut short": "print({text!r}[:12])",
    "refusal in words": "print('抱歉，我无法回答。')",
    "rate in words": """print('{{"type": "result", "is_error": true, "result": "API Error: 429 rate limit"}}')""",
    "500": "import sys; print({text!r}); sys.exit(3)",
    "hangs up": "import os; os.kill(os.getpid(), 9)",
    "404": "",
}


def program(mood: str) -> tuple[str, ...]:
    """A command in that mood; the interpreter of the tests stands for any program."""
    if mood == "404":
        return ("no-such-program-anywhere",)
    return (sys.executable, "-X", "utf8", "-c", _PROGRAM[mood].format(text=TEXT, later=LATER))


PROGRAM_MOODS = tuple(mood for mood in _PROGRAM if mood != "well")
