"""What is kept about models: their answers by the question, a log of what they were asked, and the results of their exams.

Answers and log are files of lines under `memory/.dreams`. When a file is full, its oldest lines leave. Nothing that must be
hidden is kept: an answer that holds a secret is asked for again, and the log counts what was sent and answered instead of
repeating it, because what was sent are the owner's notes. Every other string stands there as it reads, so that a purge finds
it. Results of exams are one small JSON outside every workspace, because a model is the same for all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from reverie.core.errors import Busy, RefusedFile
from reverie.core.layout import MODEL_ANSWERS, MODEL_LOG, STATE_DIR
from reverie.core.ports import Clock
from reverie.evidence.state_files import (
    Steps,
    alone,
    json_lines,
    make_real_folder,
    read_plain,
    replace_file,
)
from reverie.privacy.redact import HIDDEN, holds_secret, redacted
from reverie.workspace.values import json_object

MOST_ANSWERS = 2_000
ANSWERS_SIZE = 1_000_000  # bytes
LOG_SIZE = 2_000_000
LONGEST = 60_000  # bytes of one part of a record: a longer one is counted and not kept
_WORDS = frozenset({"data", "answer"})  # of a record: notes, and what a model made of them
_LOCK = "model.lock"
_WAIT = 1.0  # seconds; who waits longer loses a trace, and no answer waits for one
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": ""}


class KeptAnswers:
    """Answers and log of one workspace. Without `write` both live only as long as this object: a dry run leaves no trace."""

    def __init__(
        self, root: Path, kinds: frozenset[str], clock: Clock, *, write: bool = True, steps: Steps | None = None
    ) -> None:
        self._root, self._kinds, self._clock, self._write = root, kinds, clock, write
        self._steps = steps or Steps()
        self._known: dict[str, str] | None = None

    def get(self, key: str) -> str | None:
        if self._known is None:
            self._known = {
                record["key"]: json.dumps(record["answer"], ensure_ascii=False)
                for record in self._records()
                if isinstance(record.get("key"), str) and "answer" in record
            }
        return self._known.get(key)

    def _records(self) -> Iterator[dict[str, Any]]:
        with suppress(OSError, RefusedFile):
            yield from json_lines(read_plain(self._root / MODEL_ANSWERS))

    def put(self, key: str, task: str, text: str) -> None:
        """Keep an answer, unless something in it must be hidden or it is no JSON."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return
        if len(text.encode("utf-8", "replace")) > LONGEST or _hidden(value, self._kinds) != value:
            return
        self.get(key)  # what stands in the file is known before something is added
        if self._known is not None:
            self._known[key] = text
        day = self._clock.now().date().isoformat()
        record = {"key": key, "task": task, "day": day, "answer": value}
        self._add(MODEL_ANSWERS, record, ANSWERS_SIZE, MOST_ANSWERS, certain=True)

    def log(self, record: Mapping[str, Any]) -> None:
        """Write down one question and what came of it: how much was sent and answered, not what."""
        told = {
            name: _size(value) if name in _WORDS else _hidden(_short(_readable(value)), self._kinds)
            for name, value in record.items()
        }
        line = {"at": self._clock.now().isoformat(timespec="seconds"), **told}
        self._add(MODEL_LOG, line, LOG_SIZE, LOG_SIZE, certain=False)

    def _add(self, path: str, record: Mapping[str, Any], size: int, most: int, *, certain: bool) -> None:
        """One more line. A folder that cannot be written loses a trace, never a night."""
        if not self._write:
            return
        line = json.dumps(record, ensure_ascii=True).encode() + b"\n"
        try:
            folder = make_real_folder(self._root, STATE_DIR, self._steps)
            with alone(folder / _LOCK, _WAIT):
                before = self._whole(path)
                if len(before) + len(line) <= size and before.count(b"\n") < most:
                    self._steps.append(self._root / path, line)
                    if certain:  # it was paid for
                        self._steps.sync(self._root / path)
                else:
                    self._exchange(self._root / path, before, line, size, most)
        except (OSError, RefusedFile, Busy):
            pass

    def _whole(self, path: str) -> bytes:
        """The lines that are there; what a power cut left behind the last of them goes, or it would spoil the next."""
        data = read_plain(self._root / path) or b""
        end = data.rfind(b"\n") + 1
        if end < len(data):
            self._steps.cut(self._root / path, end)
        return data[:end]

    def _exchange(self, path: Path, before: bytes, line: bytes, size: int, most: int) -> None:
        """The newest lines with this one, a quarter of the room left, so that not every line exchanges the file."""
        kept: list[bytes] = [line]
        room = size * 3 // 4 - len(line)
        for one in reversed(before.split(b"\n")):
            room -= len(one) + 1
            if room < 0 or len(kept) >= most * 3 // 4:
                break
            kept += [one + b"\n"] if one.strip() else []
        # Somebody who took words out meanwhile (a purge) has the last word: this line is lost instead.
        replace_file(path, b"".join(reversed(kept)), self._steps, 0o600, expected=before)


def _hidden(value: Any, kinds: frozenset[str]) -> Any:
    """A value with masks over its secrets and its personal data, also where only the name of a field announces them."""
    if isinstance(value, str):
        return redacted(value, kinds)
    if isinstance(value, list):
        told = [_hidden(item, kinds) for item in value]
        lines = [item for item in told if isinstance(item, str)]
        return [HIDDEN] if len(lines) > 1 and holds_secret("\n".join(lines)) else told
    if isinstance(value, Mapping):
        return {redacted(str(name), kinds): _field(name, inner, kinds) for name, inner in value.items()}
    return value


def _field(name: object, value: Any, kinds: frozenset[str]) -> Any:
    announced = isinstance(value, str) and value and holds_secret(f"{name}: {value}")
    return HIDDEN if announced and redacted(value, kinds) == value else _hidden(value, kinds)


def _readable(value: Any) -> Any:
    """An answer that is no JSON may still be written like it: behind an escape neither a secret nor a purged word is seen."""
    if not isinstance(value, str) or "\\" not in value:
        return value
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else _CONTROLS.get(found[2], found[2]), value)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _short(value: Any) -> Any:
    """A part of a record, or its length: a piece of it could end in half a word that no purge would find."""
    return value if (len(value) if isinstance(value, str) else len(json.dumps(value))) <= LONGEST else _size(value)


def _size(value: Any) -> str:
    return f"({len(value) if isinstance(value, str) else len(json.dumps(value, ensure_ascii=False)):,} characters)"


MOST = 50  # results of exams; the oldest leave
_LARGEST = 1_000_000  # bytes; a result takes two thousand


def kept_exams(file: Path) -> dict[str, dict[str, Any]]:
    """Every result by its key, oldest first. Nothing where there is no such file or it cannot be understood."""
    try:
        data = read_plain(file) or b""
    except (OSError, RefusedFile):  # a link or a folder in its place is no result either
        return {}
    found = json_object(data).get("exams") if len(data) <= _LARGEST else None
    return {str(key): one for key, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def keep_exam(file: Path, key: str, record: Mapping[str, Any]) -> bool:
    """Keep a result, in the place of an earlier one of the same key. False when the disk says no."""
    others = {name: one for name, one in kept_exams(file).items() if name != key}
    newest = dict([*others.items(), (key, dict(record))][-MOST:])
    text = json.dumps({"version": 1, "exams": newest}, ensure_ascii=False, indent=1) + "\n"
    try:
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        replace_file(file, text.encode("utf-8", "replace"), Steps(), 0o600)
    except (OSError, RefusedFile):
        return False
    return True


@contextmanager
def examining_alone(file: Path) -> Iterator[bool]:
    """Whether nobody else takes an exam now: two nights at once must not pay for it twice."""
    with ExitStack() as stack:
        try:
            file.parent.mkdir(0o700, parents=True, exist_ok=True)
            stack.enter_context(alone(file.with_suffix(".lock"), 0.0))
            free = True
        except (Busy, OSError, RefusedFile):
            free = False
        yield free
