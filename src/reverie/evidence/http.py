"""One question as JSON to one address, within one time: how models and embedders on a server are asked. Standard library only.

The time holds for the whole exchange: looking up the name, connecting, waiting, and an answer that comes in drops. A server
that is busy or broke (429, 529, 5xx) is asked once more, if the pause that it wants fits into what is left of the time. No
redirect is followed: the key and the notes are for the owner's address alone. What a server says about its trouble may quote
the key or the question, so no word of it is ever shown.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextvars import copy_context
from typing import Any
from urllib.parse import urlsplit

from reverie.core.model_calls import ModelTrouble, Status
from reverie.lang.messages import say

LARGEST = 4_000_000  # bytes of an answer; ours are a few kilobytes
_PEEK = 4_096  # bytes of a refusal that are read, to see whether it is about the rate
_PAUSE = 0.5  # seconds before the second try, where the server names none
_CHUNK = 65_536
_BUSY = frozenset({429, 529})
_OWN_NAMES = (".localhost", ".local", ".internal", ".home.arpa")  # reserved: no stranger can register them


class Declined(ModelTrouble):
    """The server answered, with a code that says no."""

    def __init__(self, status: Status, message: str, code: int, pause: float | None = None) -> None:
        super().__init__(status, message)
        self.code = code
        self.pause = pause  # seconds until asking again makes sense; nothing where it makes none


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def is_near(url: str) -> bool:
    """Whether it names this machine or a private network: by its number, a reserved name, or a name without a dot."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".").lower()
    except ValueError:
        return False
    try:
        number = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return bool(host) and ("." not in host or host.endswith(_OWN_NAMES)) and not host.isdigit()
    return number.is_loopback or number.is_private or number.is_link_local


def shown(url: str) -> str:
    """The address without a name, a password or a question in it."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "?"
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def checked_key(key: str, url: str, variable: str, *, needed: bool) -> str:
    """The key, if it is one and may go there. Raises ModelTrouble; no message holds it."""
    key = key.strip()
    if not key:
        if needed:
            raise _trouble(Status.NO_MODEL, "no_key", variable=variable)
        return ""
    if not (key.isascii() and key.isprintable()) or " " in key:  # the library's own error would show it
        raise _trouble(Status.NO_MODEL, "bad_key", variable=variable)
    if not url.lower().startswith("https://") and not is_near(url):
        raise _trouble(Status.NO_MODEL, "key_over_http")
    return key


def post(
    url: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float, largest: int = LARGEST
) -> dict[str, Any]:
    """The JSON object that the address answers. Raises ModelTrouble, and nothing else, within the seconds."""
    ends = time.monotonic() + seconds
    told = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "reverie", **headers}
    try:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise ValueError
        request = urllib.request.Request(url, json.dumps(body).encode(), told)
    except ValueError:
        raise _trouble(Status.NO_MODEL, "bad_address") from None
    try:
        return _once(request, ends, seconds, largest)
    except Declined as declined:
        if declined.pause is None or time.monotonic() + declined.pause >= ends:
            raise
        time.sleep(declined.pause)
    return _once(request, ends, seconds, largest)


def _once(request: urllib.request.Request, ends: float, seconds: float, largest: int) -> dict[str, Any]:
    """One exchange in a thread of its own: a socket's timeout begins anew with every byte, and a name has none at all."""
    box: queue.SimpleQueue[dict[str, Any] | ModelTrouble] = queue.SimpleQueue()

    def exchange() -> None:
        try:
            box.put(_answered(request, ends, largest))
        except ModelTrouble as trouble:
            box.put(trouble)

    threading.Thread(target=copy_context().run, args=(exchange,), daemon=True).start()
    try:
        found = box.get(timeout=max(0.0, ends - time.monotonic()))
    except queue.Empty:
        raise _trouble(Status.SLOW, "slow", seconds=seconds) from None
    if isinstance(found, ModelTrouble):
        raise _trouble(Status.SLOW, "slow", seconds=seconds) if found.status is Status.SLOW else found
    return found


def _answered(request: urllib.request.Request, ends: float, largest: int) -> dict[str, Any]:
    # A server on this machine or in the owner's network needs no proxy, and a proxy would see what was meant to stay.
    direct = [urllib.request.ProxyHandler({})] if is_near(request.full_url) else []
    left = max(0.05, ends - time.monotonic())
    try:
        with urllib.request.build_opener(_NoRedirect, *direct).open(request, timeout=left) as answer:
            return _object(_whole(answer, ends, largest))
    except urllib.error.HTTPError as error:
        with error:
            raise _declined(error) from None
    except TimeoutError:
        raise ModelTrouble(Status.SLOW) from None
    except urllib.error.URLError as error:
        raise _unreached(error.reason) from None
    except (OSError, http.client.IncompleteRead, http.client.BadStatusLine):
        raise _trouble(Status.FAILED, "broke_off") from None
    except (http.client.HTTPException, ValueError):
        raise _trouble(Status.NO_MODEL, "unusable") from None


def _whole(answer: Any, ends: float, largest: int) -> bytes:
    """The body, as long as there is time and it is no flood."""
    parts: list[bytes] = []
    size = 0
    while part := answer.read1(_CHUNK):
        size += len(part)
        if size > largest:
            raise _trouble(Status.INVALID, "too_large", bytes=largest)
        if time.monotonic() >= ends:
            raise ModelTrouble(Status.SLOW)
        parts.append(part)
    if answer.length:  # fewer bytes than it promised
        raise _trouble(Status.FAILED, "broke_off")
    return b"".join(parts)


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise _trouble(Status.INVALID, "not_json") from None
    if not isinstance(found, dict):
        raise _trouble(Status.INVALID, "not_object")
    return found


def _declined(error: urllib.error.HTTPError) -> Declined:
    code, status, name, pause = error.code, Status.FAILED, "not_taken", None
    if code in _BUSY or _about_the_rate(error):
        status, pause = Status.RATE_LIMITED, _pause(error)
        name = "busy" if pause in (None, _PAUSE) else "busy_for"
    elif 300 <= code < 400:
        status, name = Status.NO_MODEL, "moved"
    elif code == 404:
        status, name = Status.NO_MODEL, "not_found"
    elif code in (401, 403, 407):
        status, name = Status.NO_MODEL, "key_refused"
    elif code == 408:
        return Declined(Status.SLOW, "", code)
    elif code >= 500:
        name, pause = "broke", _pause(error)
    return Declined(status, say(f"server.{name}", code=code, pause=pause or 0), code, pause)


def _about_the_rate(error: urllib.error.HTTPError) -> bool:
    """Some servers say it only in words."""
    try:
        said = error.read(_PEEK).lower()
    except (OSError, http.client.HTTPException):
        return False
    return b"rate limit" in said or b"rate_limit" in said


def _pause(error: urllib.error.HTTPError) -> float | None:
    """The seconds of Retry-After, else a short while. A date is for those who have a night to wait."""
    said = str(error.headers.get("Retry-After") or "").strip()
    if not said:
        return _PAUSE
    return float(said) if said.isascii() and said.isdigit() and len(said) < 6 else None


def _unreached(reason: object) -> ModelTrouble:
    if isinstance(reason, TimeoutError):
        return ModelTrouble(Status.SLOW)
    if isinstance(reason, ConnectionError) and not isinstance(reason, ConnectionRefusedError):
        return _trouble(Status.FAILED, "broke_before")
    return _trouble(Status.NO_MODEL, "nobody", why=type(reason).__name__)


def _trouble(status: Status, name: str, **values: Any) -> ModelTrouble:
    return ModelTrouble(status, say(f"server.{name}", **values))
