"""The door of the page: this machine, with the key that was printed, from the page itself, and not too much of it.

Every request passes here first, and what is refused is refused before a view is entered:

    421  the Host header names another machine (a page elsewhere that had its name pointed at us)
    403  another page's request (Origin, Sec-Fetch-Site), or a form without its token
    408  a form that does not come to its end
    411  a form that does not say how long it is
    413  a form that is too large
    415  what is no form
    401  no key
"""

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

LARGEST = 65_536  # bytes of a form
FIELDS = 2_000
OPEN = frozenset({"/enter", "/style.css", "/icon.svg"})  # for everybody who comes from this machine
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer browsers hide the Origin of our own forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
_FORM = "application/x-www-form-urlencoded"
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Refused(NamedTuple):
    status: int
    why: str


class Guard:
    """Around the application. `form` of a scope holds the fields of a form that passed."""

    def __init__(self, app: Any, port: int, body_seconds: float = 20.0) -> None:
        self.app, self.port, self.body_seconds = app, port, body_seconds
        self.key, self._session, self._secret = secrets.token_urlsafe(32), "", secrets.token_bytes(32)
        self.cookie = f"reverie-{port}"  # browsers share cookies between the ports of a machine

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self.refusal(scope["method"], scope["path"], headers)
        if refused is None and scope["method"] == "POST":
            refused = await self._read_form(scope, receive)

        async def send_with_headers(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                ours = {name.lower(): value for name, value in message.get("headers", [])}
                fixed = {name.encode(): value.encode() for name, value in HEADERS.items() if name.encode() not in ours}
                message = {**message, "headers": [*message.get("headers", []), *fixed.items()]}
            await send(message)

        if refused is None:
            await self.app(scope, receive, send_with_headers)
        else:
            shown = {"refused": refused, "method": "GET", "path": "/refused"}
            await self.app({**scope, **shown}, receive, send_with_headers)

    def refusal(self, method: str, path: str, headers: Mapping[str, str]) -> Refused | None:
        """What speaks against a request, before its form is read."""
        host, length = headers.get("host", ""), headers.get("content-length", "")
        if host not in {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")}:
            return Refused(421, "This page is here for its own machine alone.")
        if method not in ("GET", "HEAD"):
            if headers.get("origin", f"http://{host}") != f"http://{host}":
                return Refused(403, "Another page sent this; nothing was done.")
            if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
                return Refused(403, "Another page sent this; nothing was done.")
            if not length.isdecimal() or not length.isascii():
                return Refused(411, "The form does not say how long it is; nothing was done.")
            if len(length) > 9 or int(length) > LARGEST:
                return Refused(413, "The form is too large; nothing was done.")
            if headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
                return Refused(415, "This is no form of the page; nothing was done.")
        if path in OPEN or self._is_in(headers):
            return None
        return Refused(401, "No key. `dream serve` prints a link with a new one, which can be opened once.")

    def enter(self, key: str) -> str:
        """A session for whoever has the key; it is good for one time. Empty for everybody else."""
        if not self.key or not hmac.compare_digest(key.encode("utf-8", "replace"), self.key.encode()):
            return ""
        self.key, self._session = "", secrets.token_urlsafe(32)
        return self._session

    @property
    def token(self) -> str:
        """What every form carries, and no other page can know."""
        return hmac.new(self._secret, self._session.encode(), sha256).hexdigest()

    def _is_in(self, headers: Mapping[str, str]) -> bool:
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return bool(found and self._session) and hmac.compare_digest(
            found.value.encode("utf-8", "replace") if found else b"", self._session.encode()
        )

    async def _read_form(self, scope: Scope, receive: Receive) -> Refused | None:
        """Read the fields, counted again while they come."""
        body, more = b"", True
        try:
            async with asyncio.timeout(self.body_seconds):
                while more and len(body) <= LARGEST:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return Refused(408, "The form did not come to its end; nothing was done.")
                    body, more = body + message.get("body", b""), message.get("more_body", False)
        except TimeoutError:
            return Refused(408, "The form took too long; nothing was done.")
        if len(body) > LARGEST:
            return Refused(413, "The form is too large; nothing was done.")
        try:
            pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="replace", max_num_fields=FIELDS)
        except ValueError:
            return Refused(415, "This is no form of the page; nothing was done.")
        fields = dict(pairs)
        if not hmac.compare_digest(fields.get("token", "").encode("utf-8", "replace"), self.token.encode()):
            return Refused(
                403, "The form does not carry the token of this page; nothing was done. Load the page again."
            )
        scope["form"], scope["fields"] = fields, pairs
        return None
