"""Models behind HTTP: any server that speaks OpenAI's, Anthropic's or Ollama's form (extra `http`).

Keys come from the environment alone, and never go over plain HTTP to a machine that is not near. No word of a server's error
is shown: it may hold anything.
"""

import ipaddress
import time
from typing import Any
from urllib.parse import urlsplit

from reverie.errors import LACKS, ModelFailed

_LARGEST, _MOST_TOKENS = 4_000_000, 16_000  # bytes of an answer; tokens that it may have
_TRY_AGAIN = {429, 500, 502, 503, 529}
_NEAR = (".local", ".internal", ".lan", ".home.arpa", ".localhost")
_HOSTS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://localhost:11434",
}
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "ollama": "OLLAMA_API_KEY"}


def ask_remote(kind: str, model: str, prompt: str, seconds: float, url: str = "", key: str = "") -> str:
    """What a server answers; ModelFailed in one sentence where it does not."""
    base = (url or _HOSTS[kind]).rstrip("/").removesuffix("/v1").removesuffix("/api")
    if not key and not url and kind != "ollama":
        raise ModelFailed(f"There is no key in the environment ({KEYS[kind]}).")
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise ModelFailed("The key in the environment is none: it holds signs that no key has.")
    if key and not base.startswith("https://") and not is_near(base):
        raise ModelFailed("A key is never sent over plain HTTP to a machine that is not near; use https.")
    path, body, headers = {"openai": _openai, "anthropic": _anthropic, "ollama": _ollama}[kind](
        model, prompt, key, base
    )
    answer = _posted(base + path, body, headers, seconds, near=is_near(base))
    if not (text := _said(kind, answer).strip()):
        raise ModelFailed("The model gave an empty answer, or one that was cut short.")
    return text


def is_near(url: str) -> bool:
    """Whether an address is of this machine or of the owner's own network."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        raise ModelFailed("DREAM_MODEL_URL is no address; write it as http://localhost:8080.") from None
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(_NEAR) or ("." not in host and not host.isdigit() and bool(host))
    return address.is_loopback or address.is_private


def _openai(model: str, prompt: str, key: str, base: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    body: dict[str, Any] = {
        "messages": [{"role": "user", "content": prompt}],
        "response_format": {"type": "json_object"},
    }
    is_own = "api.openai.com" in base  # its newer models take neither a temperature nor max_tokens
    body |= {"max_completion_tokens": _MOST_TOKENS} if is_own else {"max_tokens": _MOST_TOKENS, "temperature": 0}
    body |= {"model": model} if model else {}
    return "/v1/chat/completions", body, {"Authorization": f"Bearer {key}"} if key else {}


def _anthropic(model: str, prompt: str, key: str, _: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    body = {"model": model, "max_tokens": _MOST_TOKENS, "messages": [{"role": "user", "content": prompt}]}
    return "/v1/messages", body, {"x-api-key": key, "anthropic-version": "2023-06-01"}


def _ollama(model: str, prompt: str, key: str, _: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    room = 4_096  # without it the server drops the beginning, our instructions, in silence
    while room < len(prompt.encode()) // 3 + _MOST_TOKENS // 4 and room < 65_536:
        room *= 2
    body = {
        "model": model, "stream": False, "format": "json", "messages": [{"role": "user", "content": prompt}],
        "options": {"temperature": 0, "num_ctx": room},
    }  # fmt: skip
    return "/api/chat", body, {"Authorization": f"Bearer {key}"} if key else {}


def _posted(url: str, body: dict[str, Any], headers: dict[str, str], seconds: float, *, near: bool) -> Any:
    """The JSON of an answer, asked for at most twice and within the time."""
    try:
        import httpx
    except ImportError:
        raise ModelFailed(LACKS.format("http")) from None

    until = time.monotonic() + seconds
    for attempt in range(2):
        try:
            with (
                httpx.Client(timeout=max(until - time.monotonic(), 0.1), trust_env=not near) as client,
                client.stream("POST", url, json=body, headers=headers) as answer,
            ):
                data = bytearray()
                for piece in answer.iter_bytes():
                    data += piece
                    if len(data) > _LARGEST or time.monotonic() > until:
                        raise ModelFailed("The model's answer was too long, or came too slowly.")
            if answer.status_code in _TRY_AGAIN and attempt == 0 and time.monotonic() + 1 < until:
                time.sleep(0.5)
                continue
            if answer.status_code != 200:
                raise ModelFailed(f"The model's server refused the question (status {answer.status_code}).")
            return httpx.Response(200, content=bytes(data)).json()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelFailed(f"The model's server did not answer ({type(error).__name__}).") from None
        except (ValueError, RecursionError):
            raise ModelFailed("The model's server sent no JSON.") from None
    raise ModelFailed("The model's server is busy.")


def _said(kind: str, answer: Any) -> str:
    try:
        if kind == "openai":
            choice = answer["choices"][0]
            return "" if choice.get("finish_reason") == "length" else str(choice["message"]["content"] or "")
        if kind == "ollama":
            return "" if answer.get("done_reason") == "length" else str(answer["message"]["content"] or "")
        parts = [part["text"] for part in answer["content"] if part.get("type") == "text"]
        return "" if answer.get("stop_reason") in ("max_tokens", "refusal") else "".join(parts)
    except (KeyError, IndexError, TypeError, AttributeError):
        return ""
