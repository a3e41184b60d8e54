"""Small conversations to read and to keep: records of two hosts, files of them, turns, and the corpus they become."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from reverie.core.layout import OWN_CORPUS
from reverie.evidence.session_corpus import Ingested, append_turns
from reverie.evidence.state_files import Steps
from reverie.workspace.transcripts import Cursor, Limits, Transcript, Turn, read_transcript
from reverie.workspace.values import Origin

STAMP = "2026-11-14T11:00:00.000Z"
METADATA = 'Conversation info (untrusted metadata):\n```json\n{"message_id": "7", "sender": "Elsa"}\n```\n\n'
BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 15, 3, tzinfo=BERLIN)
NOON = datetime(2026, 11, 14, 11, tzinfo=UTC)
PATH = "agents/main/sessions/abc.jsonl"


def message(role: str, text: object, **more: object) -> dict[str, object]:
    """One message record as OpenClaw writes it."""
    inner = {key: more.pop(key) for key in ("provenance", "senderIsOwner") if key in more}
    return {"type": "message", "timestamp": STAMP, "message": {"role": role, "content": text, **inner}, **more}


def said(kind: str, text: object, **more: object) -> dict[str, object]:
    """One record as Claude Code writes it."""
    return {"type": kind, "message": {"role": kind, "content": text}, "timestamp": STAMP, "sessionId": "s", **more}


def jsonl(*records: object) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


def session(folder: Path, *records: object, name: str = "abc.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(jsonl({"type": "session", "id": "abc", "timestamp": STAMP}, *records))
    return folder / name


def read(
    real: Path, cursor: Cursor | None = None, path: str = "agents/main/sessions/abc.jsonl", limits: Limits | None = None
) -> Transcript:
    found = read_transcript(real, path, "main", cursor, limits)
    assert isinstance(found, Transcript)
    return found


def words(transcript: Transcript) -> list[str]:
    return [turn.text for turn in transcript.turns]


def turn(line: int, text: str, at: datetime | None = NOON, role: str = "user", origin: Origin = Origin.OWNER) -> Turn:
    return Turn("main", "sessions/abc.jsonl", line, role, text, at, "", origin)


def transcript(*turns: Turn, path: str = PATH, **more: object) -> Transcript:
    cursor = Cursor(100, len(turns), "head", "tail")
    return Transcript(path, "main", "sessions/abc.jsonl", turns, cursor=cursor, **more)  # type: ignore[arg-type]


def keep(root: Path, *turns: Turn, steps: Steps | None = None, now: datetime = NOW) -> Ingested:
    return append_turns(root, [transcript(*turns)], BERLIN, now=now, steps=steps)


def corpus(root: Path) -> dict[str, list[str]]:
    files = {path.stem: path.read_text("utf-8") for path in sorted((root / OWN_CORPUS).glob("*.txt"))}
    assert all(text.endswith("\n") for text in files.values())
    return {day: text.split("\n")[:-1] for day, text in files.items()}


class PowerCut(BaseException):
    """The machine is off. No `except Exception` and no cleanup may survive it."""


class CutSteps(Steps):
    """The power goes before step `at`; with `torn`, in the middle of it. Remembers the steps it took."""

    def __init__(self, at: int = 0, *, torn: bool = False) -> None:
        self.at, self.torn, self.took = at, torn, list[tuple[str, str]]()

    def _step(self, kind: str, path: Path) -> bool:
        """Whether to make this step in full; raises where the power goes."""
        self.took.append((kind, path.name))
        if len(self.took) < self.at or not self.at:
            return True
        if len(self.took) == self.at and self.torn:
            return False
        raise PowerCut

    def make_folder(self, path: Path) -> None:
        if self._step("make_folder", path):
            super().make_folder(path)

    def append(self, path: Path, data: bytes) -> None:
        if self._step("append", path):
            return super().append(path, data)
        super().append(path, data[: len(data) // 2])
        raise PowerCut

    def cut(self, path: Path, size: int) -> None:
        if self._step("cut", path):
            super().cut(path, size)

    def create(self, path: Path, data: bytes, mode: int) -> None:
        if self._step("create", path):
            return super().create(path, data, mode)
        super().create(path, data[: len(data) // 2], mode)
        raise PowerCut

    def sync(self, path: Path) -> None:
        self._step("sync", path)

    def move(self, source: Path, target: Path) -> None:
        if self._step("move", target):
            super().move(source, target)

    def sync_folder(self, path: Path) -> None:
        self._step("sync_folder", path)
