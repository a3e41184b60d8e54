"""One question as JSON to one address, within one time. Standard library only; knows no model and no prompt.

The time holds for the whole exchange: looking up the name, connecting, waiting, and an answer that comes in drops. A server
that is busy or broke (429, 529, 5xx) is asked once more, if the pause that it wants fits into what is left of the time. No
redirect is followed: the key and the notes are for the owner's address alone. What a server says about its trouble may quote
the key or the question, so no word of it is ever shown.
"""

from __future__ import annotations

import http.client
import json
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from reverie.core.model_calls import ModelTrouble, Status
from reverie.models.address import is_near

LARGEST = 4_000_000  # bytes of an answer; ours are a few kilobytes
_PEEK = 4_096  # bytes of a refusal that are read, to see whether it is about the rate
_PAUSE = 0.5  # seconds before the second try, where the server names none
_CHUNK = 65_536
_BUSY = frozenset({429, 529})
_CLOSED = frozenset({401, 403, 404, 407})


class Declined(ModelTrouble):
    """The server answered, with a code that says no."""

    def __init__(self, status: Status, message: str, code: int, pause: float | None = None) -> None:
        super().__init__(status, message)
        self.code = code
        self.pause = pause  # seconds until asking again makes sense; nothing where it makes none


class _Here(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def post(url: str, body: Mapping[str, Any], headers: Mapping[str, str], seconds: float) -> dict[str, Any]:
    """The JSON object that the address answers. Raises ModelTrouble, and nothing else, within the seconds."""
    ends = time.monotonic() + seconds
    told = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "reverie", **headers}
    try:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise ValueError
        request = urllib.request.Request(url, json.dumps(body).encode(), told)
    except ValueError:
        raise ModelTrouble(
            Status.NO_MODEL, "the address of the model is not one: it begins with https:// or http://"
        ) from None
    try:
        return _once(request, ends, seconds)
    except Declined as declined:
        if declined.pause is None or time.monotonic() + declined.pause >= ends:
            raise
        time.sleep(declined.pause)
    return _once(request, ends, seconds)


def _once(request: urllib.request.Request, ends: float, seconds: float) -> dict[str, Any]:
    """One exchange in a thread of its own: a socket's timeout begins anew with every byte, and a name has none at all."""
    box: queue.SimpleQueue[dict[str, Any] | ModelTrouble] = queue.SimpleQueue()
    threading.Thread(target=_exchange, args=(request, ends, box), daemon=True).start()
    try:
        found = box.get(timeout=max(0.0, ends - time.monotonic()))
    except queue.Empty:
        raise _slow(seconds) from None
    if isinstance(found, ModelTrouble):
        raise found if found.status is not Status.SLOW else _slow(seconds)
    return found


def _exchange(
    request: urllib.request.Request, ends: float, box: queue.SimpleQueue[dict[str, Any] | ModelTrouble]
) -> None:
    # A server on this machine or in the owner's network needs no proxy, and a proxy would see what was meant to stay.
    direct = [urllib.request.ProxyHandler({})] if is_near(request.full_url) else []
    try:
        with urllib.request.build_opener(_Here, *direct).open(request, timeout=_left(ends)) as answer:
            box.put(_object(_whole(answer, ends)))
    except urllib.error.HTTPError as error:
        with error:
            box.put(_declined(error))
    except ModelTrouble as trouble:
        box.put(trouble)
    except TimeoutError:
        box.put(_slow(0))
    except urllib.error.URLError as error:
        box.put(_unreached(error.reason))
    except (OSError, http.client.IncompleteRead, http.client.BadStatusLine):
        box.put(ModelTrouble(Status.FAILED, "the server broke off in the middle of its answer"))
    except (http.client.HTTPException, ValueError):
        box.put(ModelTrouble(Status.NO_MODEL, "the address of the model cannot be used"))


def _whole(answer: Any, ends: float) -> bytes:
    """The body, as long as there is time and it is no flood."""
    parts: list[bytes] = []
    size = 0
    while part := answer.read1(_CHUNK):
        size += len(part)
        if size > LARGEST:
            raise ModelTrouble(Status.INVALID, f"the server answered more than {LARGEST:,} bytes")
        if time.monotonic() >= ends:
            raise _slow(0)
        parts.append(part)
    if answer.length:  # fewer bytes than it promised
        raise ModelTrouble(Status.FAILED, "the server broke off in the middle of its answer")
    return b"".join(parts)


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise ModelTrouble(Status.INVALID, "the server did not answer with JSON") from None
    if not isinstance(found, dict):
        raise ModelTrouble(Status.INVALID, "the server answered JSON that is no object")
    return found


def _declined(error: urllib.error.HTTPError) -> Declined:
    code = error.code
    if code in _BUSY or _about_the_rate(error):
        pause = _pause(error)
        wish = f"; it asks to wait {pause:g} seconds" if pause not in (None, _PAUSE) else ""
        return Declined(Status.RATE_LIMITED, f"the server takes no more questions for now ({code}){wish}", code, pause)
    if 300 <= code < 400:
        return Declined(
            Status.NO_MODEL, f"the server sends us to another address ({code}), which is not followed", code
        )
    if code in _CLOSED:
        why = "knows no such model or address" if code == 404 else "does not take the key"
        return Declined(Status.NO_MODEL, f"the server {why} ({code})", code)
    if code == 408:
        return Declined(Status.SLOW, "the server gave up waiting (408)", code)
    if code >= 500:
        return Declined(Status.FAILED, f"the server broke ({code})", code, _pause(error))
    return Declined(Status.FAILED, f"the server did not take the question ({code})", code)


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
        return _slow(0)
    if isinstance(reason, ConnectionError) and not isinstance(reason, ConnectionRefusedError):
        return ModelTrouble(Status.FAILED, "the server broke off before it answered")
    return ModelTrouble(Status.NO_MODEL, f"nobody answers at the address of the model ({type(reason).__name__})")


def _slow(seconds: float) -> ModelTrouble:
    return ModelTrouble(Status.SLOW, f"no whole answer came in {seconds:g} seconds")


def _left(ends: float) -> float:
    return max(0.05, ends - time.monotonic())
