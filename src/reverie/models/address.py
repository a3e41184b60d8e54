"""Where a model answers: what may be said of the address, and whether a key may travel there."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from reverie.core.model_calls import ModelTrouble, Status

_OWN_NAMES = (".localhost", ".local", ".internal", ".home.arpa")  # reserved: no stranger can register them


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
            raise ModelTrouble(Status.NO_MODEL, f"there is no key: the environment variable {variable} is not set")
        return ""
    if not (key.isascii() and key.isprintable()) or " " in key:  # the library's own error would show it
        raise ModelTrouble(Status.NO_MODEL, f"the key in {variable} holds characters that no key has")
    if not url.lower().startswith("https://") and not is_near(url):
        raise ModelTrouble(
            Status.NO_MODEL,
            "a key is never sent over plain http to a machine that is not this one or in a private network; use https",
        )
    return key
