"""What was said in conversations: the session files of OpenClaw and Claude Code, read by cursor and never written."""

import json
import os
import re
from collections.abc import Iterator
from datetime import date, datetime, tzinfo
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG
from typing import Any, BinaryIO, NamedTuple

import msgspec

from reverie.errors import Unreadable
from reverie.settings import openclaw_config
from reverie.workspace.files import read_bytes
from reverie.workspace.layout import Layout, openclaw_folder
from reverie.workspace.origins import Origin, words_of

LARGEST_LINE = 4_000_000  # bytes; a longer one holds a picture, and is passed over
_LARGEST_LIST = 64_000_000  # bytes of a host's list of sessions
_EDGE = 4_096  # bytes at both ends of what was read by which a file is known again
_NAME = re.compile(r"(?!agent-)[^.]+\.jsonl")  # not those of sub-agents, checkpoints and backups
_NO_CONVERSATION = re.compile(r"cron:|subagent:|:heartbeat|dreaming-|-dreaming|:group:|:channel:|:incognito=True", re.I)
# Inside the strings of a record every quotation mark has a backslash, so these are never somebody's words.
_SILENT = re.compile(rb'"is(?:Meta|Sidechain|CompactSummary|ApiErrorMessage)":\s?true|"model":\s?"<synthetic>"')
_FOREIGN = re.compile(rb'"senderIsOwner":\s?false|"originClass":\s?"(?:untrusted|system)|"kind":\s?"(?:inter_session|internal_system)')  # fmt: skip
_KINDS = ("message", "user", "assistant")
Stamp = tuple[int, int]  # size and time
Sessions = dict[str, tuple[Path, Stamp]]


class Turn(NamedTuple):
    speaker: Origin  # the owner or the agent
    text: str
    day: date
    file: str  # the session as it is cited: main/sessions/abc.jsonl
    line: int  # from one


class Cursor(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far a session file was read, and by which bytes it is known again."""

    size: int = 0  # bytes to the end of the last line that ended
    lines: int = 0
    edges: str = ""
    is_answer: bool = False  # whether what the agent says next answers the owner
    stamp: Stamp = (0, 0)  # as long as it stays nobody opens the file
    met: date | None = None  # when the file was there


def sessions_of(layout: Layout) -> Sessions:
    """The sessions of the agents whose workspace this is, where their hosts keep them; no setting leads elsewhere."""
    if layout.root.match(".claude/projects/*/memory"):
        return dict(_sessions(layout.root.parent, "claude-code"))
    agents = (name for name, place in agent_workspaces().items() if os.path.realpath(place) == str(layout.root))
    folders = {agent: openclaw_folder() / "agents" / agent / "sessions" for agent in agents}
    return dict(s for agent, folder in folders.items() for s in _sessions(folder, f"{agent}/sessions"))


def session_at(path: str) -> Sessions:
    """The session that Claude Code names to a hook of its owner's, if it lies where that host keeps them."""
    folder = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude").resolve() / "projects"
    place = Path(path).resolve()
    if place.parent.parent != folder:
        return {}
    return {name: found for name, found in _sessions(place.parent, "claude-code") if found[0].name == place.name}


def newest_session(layout: Layout) -> int:
    """When any session of the host was last written, in nanoseconds; by names and times alone."""
    is_claude = layout.root.match(".claude/projects/*/memory")
    folders = [layout.root.parent] if is_claude else (openclaw_folder() / "agents").glob("*/sessions")
    return max((path.lstat().st_mtime_ns for folder in folders for path in folder.glob("*.jsonl")), default=0)


def agent_workspaces() -> dict[str, str]:
    """The workspace of each agent of OpenClaw: as the host's own openclaw.json says, else by the names of the folders."""
    state, named = openclaw_folder(), dict[str, Any]()
    if not (state / "agents").is_dir() and not (state / "openclaw.json").is_file():
        return {}
    try:
        agents = openclaw_config(state)["agents"]
        entries = agents.get("entries") or {agent["id"]: agent for agent in agents.get("list", ())}
        named = {str(name): agent.get("workspace") for name, agent in entries.items()}
        named["main"] = named.get("main") or agents.get("defaults", {}).get("workspace")
    except (KeyError, TypeError, AttributeError):
        named = {}  # a host's file that cannot be read says nothing
    folders = os.listdir(state / "agents") if (state / "agents").is_dir() else []
    usual = {name: state / f"workspace-{name}" for name in (*folders, *named)} | {"main": state / "workspace"}
    return {name: os.path.expanduser(str(named.get(name) or place)) for name, place in sorted(usual.items())}


def new_turns(file: BinaryIO, name: str, cursor: Cursor, zone: tzinfo | None = None) -> tuple[list[Turn], Cursor]:
    """What the owner and the agent said behind the cursor, by days of the zone (else of this computer's)."""
    if not cursor.size or _edges(file, cursor.size) != cursor.edges:  # rotated, shortened or rewritten
        cursor = Cursor()
    turns, size, lines, is_answer = list[Turn](), cursor.size, cursor.lines, cursor.is_answer
    file.seek(size)
    for length, data in _complete_lines(file):
        size, lines, (speaker, text, day) = size + length, lines + 1, _said(data, zone)
        is_answer = is_answer if speaker in (None, Origin.AGENT) else speaker is Origin.OWNER
        if speaker and day and text and is_answer:
            turns.append(Turn(speaker, text, day, name, lines))
    return turns, Cursor(size, lines, _edges(file, size), is_answer)


def _said(data: bytes, zone: tzinfo | None) -> tuple[Origin | None, str, date | None]:
    """Who speaks in a record, the words, and when; nobody where it is a tool's, a summary or the host's to itself."""
    try:
        record = json.loads(data.decode("utf-8", "replace").removeprefix("\ufeff"))
        message, kind = record["message"], record["type"]
        day = datetime.fromisoformat(record["timestamp"]).astimezone(zone).date()
        content, role = message.get("content"), message.get("role", kind)
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, OverflowError):
        return None, "", None
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    text = "\n".join(text for text in texts if isinstance(text, str))
    if kind not in _KINDS or role not in _KINDS or not text.strip() or _SILENT.search(data):
        return None, "", day
    words = "" if _FOREIGN.search(data) else words_of(text)
    return Origin.AGENT if role == "assistant" else Origin.OWNER if words else Origin.MACHINE, words, day


def _complete_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines that end, with their lengths; one that is too long is empty, a torn last one waits for the next reading."""
    while data := file.readline(LARGEST_LINE):
        length, piece = len(data), data
        while not piece.endswith(b"\n"):
            if not (piece := file.readline(LARGEST_LINE)):
                return
            length, data = length + len(piece), b""
        yield length, data


def _edges(file: BinaryIO, size: int) -> str:
    """A hash of the first and the last bytes before a place; another one where the file is shorter."""
    found = blake2b(digest_size=8)
    for at in (0, max(0, size - _EDGE)):
        file.seek(at)
        found.update(file.read(min(size, _EDGE)))
    return found.hexdigest()


def _sessions(folder: Path, name: str) -> Iterator[tuple[str, tuple[Path, Stamp]]]:
    """The transcripts of a folder by their names; links are not followed, and what is no conversation is not opened."""
    out = _left_out(folder / "sessions.json")
    for path in sorted(folder.glob("*.jsonl")):
        about = path.lstat()
        if S_ISREG(about.st_mode) and _NAME.fullmatch(path.name) and path.name.isprintable() and path.name not in out:
            yield f"{name}/{path.name}".replace("]", ")"), (path, (about.st_size, about.st_mtime_ns))


def _left_out(listed: Path) -> set[str]:
    """The files of sessions that are no conversations of the owner's, by the list that their host keeps beside them."""
    try:
        stored = json.loads(read_bytes(listed, _LARGEST_LIST)).items()
    except (Unreadable, ValueError, RecursionError, AttributeError):
        return set()
    names, out = ("spawnedBy", "parentSessionKey", "chatType"), set[str]()
    for key, about in ((key, about) for key, about in stored if isinstance(about, dict)):
        said = " ".join((key, f":incognito={about.get('incognito')}", *(f":{about.get(name)}:" for name in names)))
        if _NO_CONVERSATION.search(said):
            out.add(os.path.basename(str(about.get("sessionFile") or f"{about.get('sessionId')}.jsonl")))
    return out
