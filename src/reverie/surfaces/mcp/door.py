"""Who is asking: the owner's program, somebody it does not know, or nobody who may come in.

Over standard input the program was started by whoever it serves; over HTTP a caller shows the owner's token. A stranger may
look, if the owner lets strangers in, but changes nothing and leaves no trace.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Door:
    """Without a token (standard input) everybody is who started us: trusted, unless we were told otherwise."""

    token: str = ""
    guests: bool = False  # over HTTP: let callers in who show no token, as strangers
    untrusted: bool = False  # nobody is trusted, whatever they show

    def admits(self, authorization: str | None) -> bool:
        """A wrong token is refused even where strangers are welcome: somebody meant to be more than one."""
        if authorization is None:
            return self.guests
        return self._is_ours(authorization)

    def trusts(self, headers: Mapping[str, str] | None) -> bool:
        """Whether what this caller asks may change the memory."""
        if self.untrusted:
            return False
        if not self.token:
            return True
        return self._is_ours((headers or {}).get("authorization"))

    def _is_ours(self, authorization: str | None) -> bool:
        kind, _, token = (authorization or "").strip().partition(" ")
        given, ours = token.strip().encode("utf-8", "replace"), self.token.encode()
        return kind.lower() == "bearer" and bool(ours) and hmac.compare_digest(given, ours)


def new_token() -> str:
    return secrets.token_urlsafe(32)


def guarded(app: App, door: Door) -> App:
    """The same app for those who may come in; 401 for the others, before anything of theirs is read."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or door.admits(_authorization(scope)):
            await app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"Show the token that `dream mcp` printed.\n"})

    return guard


def _authorization(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"authorization":
            return str(value.decode("latin-1"))
    return None
