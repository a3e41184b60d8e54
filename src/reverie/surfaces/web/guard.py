"""Who may come in: this machine, with the key that was printed, from this page itself, and not too often.

Every request passes here first. What is refused is refused before a room is entered, with a status of its own:

    421  the Host header names another machine (a page elsewhere that had its name pointed at us)
    403  another page's request (Origin, Sec-Fetch-Site), or a form without its token
    401  no key
    413  a form that is too large
    429  too many requests
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from reverie.lang.messages import say

LARGEST = 64 * 1024  # bytes of a form
SESSIONS = 64  # people who are in at the same time; the oldest leaves
_SAFE = frozenset({"GET", "HEAD"})
_SCRYPT = {"n": 2**14, "r": 8, "p": 1}

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # no-referrer would make browsers hide the Origin of our own forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Password:
    """A password as it is kept: its hash and its salt, in memory only."""

    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, words: str) -> Password:
        salt = secrets.token_bytes(16)
        return cls(salt, hashlib.scrypt(words.encode(), salt=salt, **_SCRYPT))

    def is_it(self, words: str) -> bool:
        return hmac.compare_digest(self.digest, hashlib.scrypt(words.encode(), salt=self.salt, **_SCRYPT))


@dataclass(frozen=True, slots=True)
class Refused:
    """Why somebody does not come in."""

    status: int
    why: str


@dataclass
class Pace:
    """So many at once, and so many a second after that, for each address."""

    burst: float
    each_second: float
    ticks: Callable[[], float] = time.monotonic
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def allows(self, who: str) -> bool:
        now = self.ticks()
        left, last = self._left.get(who, (self.burst, now))
        left = min(self.burst, left + (now - last) * self.each_second)
        if len(self._left) > 10_000:  # strangers must not fill the memory
            self._left.clear()
        self._left[who] = (left - 1 if left >= 1 else left, now)
        return left >= 1

    def give_back(self, who: str) -> None:
        left, last = self._left.get(who, (self.burst, self.ticks()))
        self._left[who] = (min(self.burst, left + 1), last)


class Guard:
    """The door. `network` opens it to other machines, and then the key is a password."""

    def __init__(
        self,
        port: int,
        *,
        password: Password | None = None,
        names: tuple[str, ...] = (),
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self.port, self.password, self.names = port, password, names
        self.key = secrets.token_urlsafe(32)
        self._secret = secrets.token_bytes(32)
        self._sessions: dict[str, None] = {}
        self._lock = threading.Lock()
        self._reads, self._writes = Pace(400, 100, ticks), Pace(20, 1, ticks)
        self._tries = Pace(8, 0.1, ticks)

    @property
    def cookie(self) -> str:
        return f"reverie-{self.port}"  # browsers share cookies between the ports of a machine

    def refusal(self, method: str, path: str, headers: dict[str, str], who: str) -> Refused | None:
        """What speaks against a request, before its form is read."""
        if not self._is_us(headers.get("host", "")):
            return Refused(421, say("page.other_host"))
        session = self.session(headers)  # who is in has a pace of their own: strangers may share their address
        if not (self._reads if method in _SAFE else self._writes).allows(session or who):
            return Refused(429, say("page.too_many"))
        if method not in _SAFE and self._is_foreign(headers):
            return Refused(403, say("page.other_page"))
        if method not in _SAFE and _length(headers) > LARGEST:
            return Refused(413, say("page.form_too_large"))
        if path in ("/enter", "/static/style.css", "/static/moon.svg") or session:
            return None
        return Refused(401, say("page.no_key" if self.password is None else "page.no_password"))

    def enter(self, key: str, who: str) -> str:
        """A session for whoever has the key or the password; empty for everybody else."""
        if not self._tries.allows(who):
            return ""
        if self.password is None:
            right = hmac.compare_digest(key.encode(), self.key.encode())
        else:
            right = self.password.is_it(key)
        if not right:
            return ""
        self._tries.give_back(who)  # only a wrong key is a try
        session = secrets.token_urlsafe(32)
        with self._lock:
            self._sessions[session] = None
            while len(self._sessions) > SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        return session

    def sessions(self) -> tuple[str, ...]:
        return tuple(self._sessions)

    def leave(self, session: str) -> None:
        with self._lock:
            self._sessions.pop(session, None)

    def session(self, headers: dict[str, str]) -> str:
        """The session of a request; empty when there is none that is known."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return ""
        return found.value if found and found.value in self._sessions else ""

    def token(self, session: str, place: str = "") -> str:
        """What every form of a session carries for one workspace, and no other page can know."""
        return hmac.new(self._secret, f"{session} {place}".encode(), hashlib.sha256).hexdigest()

    def is_token(self, session: str, token: str, place: str = "") -> bool:
        return bool(session) and hmac.compare_digest(self.token(session, place).encode(), token.encode())

    def _is_us(self, host: str) -> bool:
        """Our own name and port. An address in digits cannot be pointed elsewhere, so on a network any of them will do."""
        name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        if name in ("localhost", "127.0.0.1", "[::1]") or name.lower() in self.names:
            return True
        try:
            return self.password is not None and bool(ipaddress.ip_address(name.strip("[]")))
        except ValueError:
            return False

    def _is_foreign(self, headers: dict[str, str]) -> bool:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin != f"http://{headers.get('host', '')}":
            return True
        return site is not None and site not in ("same-origin", "none")


def _length(headers: dict[str, str]) -> int:
    """The length that was announced; one that was not is too long."""
    told = headers.get("content-length", "")
    return int(told) if told.isdecimal() and len(told) < 10 else LARGEST + 1
