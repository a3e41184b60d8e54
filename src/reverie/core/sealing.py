"""Files that are encrypted where they lie: the archive, the runs, the index, and what else of ours holds words.

A sealed file is one or more ASCII-armoured age messages, one after another, so that the `age` program opens it too; what they
hold, put together, is the file. A mark in the folder (`memory/.dreams`, and the vault) says that its files are sealed, for which
recipient, and where the key lies; the key itself is in the system's keyring or in a file of the owner's. Every byte of ours is
read through `from_disk` and written through `to_disk` or `to_append`: nothing else in the house knows of it. Without a mark that is
a look for a file, and no library is loaded. Without the key nothing is read and nothing written, not in plain text either.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from reverie.core import errors
from reverie.core.errors import RefusedFile, Sealed

MARK = ".sealed"
KEYRING = "keyring"  # where a key lies that has no file
SERVICE = "reverie"  # the name of our keys in a keyring
SEALING, WHOLE, OPENING = "sealing", "sealed", "opening"
_BEGIN, _END = b"-----BEGIN AGE ENCRYPTED FILE-----", b"-----END AGE ENCRYPTED FILE-----\n"
_STATE = ".dreams"
_APPENDED = (".jsonl", ".txt")  # all others are exchanged whole
# What holds words. Switches, cursors and counts stay plain: a look at the state needs no key, and they say nothing.
_IN_STATE = re.compile(
    r"(?:runs|set-aside|spool|snapshots|session-corpus/reverie)/|\.?(?:proposal\.|reverie-events|model-answers|index[.-])"
)
_IN_VAULT = re.compile(r"\.?ledger|meta/\.?(?:removed|tombstones|questions|suggestions|review)|obsidian-index/")


@dataclass(frozen=True, slots=True)
class Mark:
    """What a folder says of its seal: for whom, where the key lies (KEYRING or a file), and how far sealing or opening came."""

    recipient: str
    key: str
    state: str

    def as_bytes(self) -> bytes:
        return json.dumps({"version": 1, **asdict(self)}, indent=1).encode() + b"\n"


def mark_in(folder: Path) -> Mark | None:
    """The mark of a folder; None where nothing is sealed. One that nobody can read is no reason to write plain text."""
    if not os.path.lexists(folder / MARK):
        return None
    try:
        said = json.loads((folder / MARK).read_bytes())
        return Mark(str(said["recipient"]), str(said["key"]), str(said["state"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise Sealed(errors.sentence("seal.bad_mark", path=folder / MARK)) from None


def mark_of(path: Path) -> Mark | None:
    """The mark that this file stands under; None for one that stays plain."""
    for folder in path.parents[:4]:
        if os.path.lexists(folder / MARK) and is_kept_sealed(folder, path):
            return mark_in(folder)
    return None


def is_kept_sealed(folder: Path, path: Path) -> bool:
    """Whether a file of the state's folder or the vault is one of those that are sealed where there is a mark."""
    ours = _IN_STATE if folder.name == _STATE else _IN_VAULT
    return bool(ours.match(path.relative_to(folder).as_posix()))


def is_sealed(data: bytes) -> bool:
    return data.startswith(_BEGIN)


def to_disk(path: Path, data: bytes) -> bytes:
    """The bytes that a file is made of on the disk."""
    mark = mark_of(path)
    return data if mark is None or mark.state == OPENING else _closed(mark, data)


def to_append(path: Path, data: bytes) -> bytes:
    """The bytes that are appended: as the file is that stands there, so that none is half of each."""
    mark = mark_of(path)
    if mark is None:
        return data
    beginning = _beginning(path)
    plain = not is_sealed(beginning) if beginning else mark.state == OPENING
    return data if plain else _closed(mark, data)


def is_as_marked(path: Path) -> bool:
    """Whether a file is sealed where its mark wants that, and plain where not."""
    mark = mark_of(path)
    return is_sealed(_beginning(path)) == (mark is not None and mark.state != OPENING)


def _beginning(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(len(_BEGIN))
    except OSError:  # nothing there, or no file: whoever opens it to write says which
        return b""


def from_disk(path: Path | str, data: bytes) -> bytes:
    """What a file holds. Raises Sealed without the key, RefusedFile for what no key of ours opens.

    A file of somebody else's that happens to be an age message stays what it is.
    """
    if not is_sealed(data):
        return data
    path = Path(path)
    mark = mark_of(path)
    if mark is None:
        state = next((folder for folder in path.parents[:4] if folder.name == _STATE), None)
        if state is not None and is_kept_sealed(state, path) and _END in data:
            raise Sealed(errors.sentence("seal.mark_gone", path=path, mark=MARK))
        return data
    *whole, torn = data.split(_END)
    if (
        torn and path.suffix not in _APPENDED
    ):  # there, a power cut tears the last one: like a torn line, it was never said
        raise RefusedFile(errors.sentence("seal.damaged", path=path))
    return b"".join(_opened(mark, path, piece[piece.rfind(_BEGIN) :] + _END) for piece in whole)


def new_key() -> tuple[str, str]:
    """A key and the recipient that belongs to it."""
    made = _library().x25519.Identity.generate()
    return str(made), str(made.to_public())


def identity(mark: Mark) -> Any:
    """The key of this mark. Raises Sealed where it is not to be had, or is another one."""
    return key_at(mark.recipient, mark.key)


def _closed(mark: Mark, data: bytes) -> bytes:
    closed = _library().encrypt(data, [identity(mark).to_public()], armored=True)
    assert isinstance(closed, bytes)
    return closed if closed.endswith(b"\n") else closed + b"\n"


def _opened(mark: Mark, path: Path, piece: bytes) -> bytes:
    try:
        data = _library().decrypt(piece, [identity(mark)])
    except _library().DecryptError:
        raise RefusedFile(errors.sentence("seal.damaged", path=path)) from None
    assert isinstance(data, bytes)
    return data


def recipient_in(place: Path) -> str:
    """The recipient of the key that a file of the owner's holds."""
    library = _library()
    try:
        return str(library.x25519.Identity.from_str(_key_in_file(str(place))).to_public())
    except library.IdentityError:
        raise Sealed(errors.sentence("seal.no_key_file", place=place)) from None


@lru_cache(maxsize=8)  # a failure is not: the owner may bring the key while a server runs
def key_at(recipient: str, place: str) -> Any:
    """The key that lies there, if it is the one of this recipient; kept for as long as the process lives."""
    library = _library()
    key = _key_in_keyring(recipient) if place == KEYRING else _key_in_file(place)
    try:
        found = library.x25519.Identity.from_str(key)
    except library.IdentityError:
        found = None
    if found is None or str(found.to_public()) != recipient:
        if place == KEYRING:
            raise Sealed(errors.sentence("seal.no_key"))
        there = Path(place).exists()
        raise Sealed(errors.sentence("seal.no_key_file" if there else "seal.key_file_gone", place=place))
    return found


def _key_in_file(place: str) -> str:
    """The key among the comments that such files have; nothing where there is none."""
    try:
        lines = Path(place).read_text("utf-8").split("\n") if Path(place).is_file() else []
    except (OSError, UnicodeDecodeError):
        return ""
    return next((line.strip() for line in lines if line.strip() and not line.startswith("#")), "")


def _key_in_keyring(recipient: str) -> str:
    keyring = _library("keyring")
    try:
        return str(keyring.get_password(SERVICE, recipient) or "")
    except keyring.errors.KeyringError:  # locked, or nobody there to ask
        return ""


def keep_in_keyring(recipient: str, key: str) -> bool:
    """Give the key to the system's keyring, and see that it gives it back. False where there is no keyring that keeps it."""
    keyring = _library("keyring")
    try:
        keyring.set_password(SERVICE, recipient, key)
        return bool(keyring.get_password(SERVICE, recipient) == key)
    except keyring.errors.KeyringError:
        return False


def _library(name: str = "pyrage") -> Any:
    """A library of the extra `seal`, loaded only for a memory that is sealed."""
    try:
        return import_module(name)
    except ImportError:
        raise Sealed(errors.sentence("seal.no_library")) from None
