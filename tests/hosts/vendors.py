"""A server on this machine that speaks as the vendors of models do: Anthropic's messages, OpenAI's responses and chat
completions, Gemini's generateContent; whole or as a stream. What it says is a function of what it is asked.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_hex
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model wants to use."""

    tool: str
    given: Body


Say = Callable[[Body], "str | Call"]


@dataclass
class Vendor:
    """Where it listens, what it answers, and what it was asked: paths and bodies of the questions to a model."""

    say: Say
    url: str = ""
    asked: list[tuple[str, Body]] = field(default_factory=list)

    def tools(self) -> set[str]:
        """The tools that any question offered."""
        return {name for _, body in self.asked for name in _tools_of(body)}


def _tools_of(body: Body) -> Iterator[str]:
    for tool in body.get("tools") or ():
        for one in tool.get("functionDeclarations", (tool.get("function") or tool,)):
            yield str(one.get("name") or one.get("type"))


def _anthropic(said: str | Call, _body: Body) -> tuple[Body, list[tuple[str, Body]]]:
    if isinstance(said, Call):
        block: Body = {"type": "tool_use", "id": f"toolu_{token_hex(8)}", "name": said.tool, "input": {}}
        delta: Body = {"type": "input_json_delta", "partial_json": json.dumps(said.given)}
        whole, ended = {**block, "input": said.given}, "tool_use"
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": said}
        whole, ended = {"type": "text", "text": said}, "end_turn"
    usage = {"input_tokens": 11, "output_tokens": 7}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fixed", "content": [], "usage": usage}
    start = {**message, "stop_reason": None, "stop_sequence": None}
    stream: list[tuple[str, Body]] = [
        ("message_start", {"message": start}),
        ("content_block_start", {"index": 0, "content_block": block}),
        ("content_block_delta", {"index": 0, "delta": delta}),
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": ended, "stop_sequence": None}, "usage": usage}),
        ("message_stop", {}),
    ]
    named = [(name, {"type": name, **value}) for name, value in stream]
    return {**message, "content": [whole], "stop_reason": ended, "stop_sequence": None}, named


def _responses(said: str | Call, _body: Body) -> tuple[Body, list[tuple[str, Body]]]:
    if isinstance(said, Call):
        space, _, name = said.tool.rpartition("::")  # the tools of an MCP server have a namespace there
        item: Body = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name}
        item |= {"namespace": space} if space else {}
        item |= {"arguments": json.dumps(said.given), "status": "completed"}
    else:
        content = [{"type": "output_text", "text": said, "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}
    usage_told = {
        **usage,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    whole = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage_told}
    stream: list[tuple[str, Body]] = [
        ("response.created", {"response": {**whole, "status": "in_progress", "output": []}}),
        ("response.output_item.done", {"output_index": 0, "item": item}),
        ("response.completed", {"response": whole}),
    ]
    return whole, [(name, {"type": name, **value}) for name, value in stream]


def _chat(said: str | Call, _body: Body) -> tuple[Body, list[tuple[str, Body]]]:
    if isinstance(said, Call):
        called = {"name": said.tool, "arguments": json.dumps(said.given)}
        message: Body = {
            "role": "assistant",
            "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": called}],
        }
        ended = "tool_calls"
    else:
        message, ended = {"role": "assistant", "content": said}, "stop"
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    base = {"id": "chat_1", "created": 1, "model": "fixed"}
    whole = {**base, "object": "chat.completion", "usage": usage}
    part = {**base, "object": "chat.completion.chunk"}
    stream: list[tuple[str, Body]] = [
        ("", {**part, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        ("", {**part, "choices": [{"index": 0, "delta": {}, "finish_reason": ended}]}),
        ("", {**part, "choices": [], "usage": usage}),
    ]
    return {**whole, "choices": [{"index": 0, "message": message, "finish_reason": ended}]}, stream


def _gemini(said: str | Call, _body: Body) -> tuple[Body, list[tuple[str, Body]]]:
    part: Body = {"functionCall": {"name": said.tool, "args": said.given}} if isinstance(said, Call) else {"text": said}
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    content = {"role": "model", "parts": [part]}
    whole = {"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}], "usageMetadata": usage}
    return whole, [("", whole)]


_DIALECTS = (
    ("/messages", _anthropic),
    ("/responses", _responses),
    ("/chat/completions", _chat),
    ("enerateContent", _gemini),
)


class _Handler(BaseHTTPRequestHandler):
    vendor: Vendor

    def log_message(self, *_args: Any) -> None: ...

    def do_GET(self) -> None:
        self._send(json.dumps({"object": "list", "data": [], "models": []}), "application/json")

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        body: Body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
        speak = next((speak for end, speak in _DIALECTS if path.endswith(end)), None)
        if speak is None:  # counts of tokens, news of the program's maker
            self._send(json.dumps({"input_tokens": 11, "totalTokens": 11}), "application/json")
            return
        self.vendor.asked.append((path, body))
        whole, stream = speak(self.vendor.say(body), body)
        if not (body.get("stream") or "stream" in path):
            self._send(json.dumps(whole), "application/json")
            return
        parts = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(value)}\n\n" for name, value in stream]
        self._send("".join(parts) + ("data: [DONE]\n\n" if speak is _chat else ""), "text/event-stream")

    def _send(self, text: str, kind: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def speaking(say: Say) -> Iterator[Vendor]:
    """A server that answers every question to a model with what `say` makes of it."""
    vendor = Vendor(say)
    handler = type("Handler", (_Handler,), {"vendor": vendor})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    vendor.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield vendor
    finally:
        server.shutdown()
        server.server_close()
