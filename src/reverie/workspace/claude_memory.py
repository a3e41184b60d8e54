"""Claude Code's memory folder: where it lies for a project, what its files are, and what is read beside it. Reads only.

The page "How Claude remembers your project" (https://code.claude.com/docs/en/memory) says, under "Auto memory": a folder
`~/.claude/projects/<project>/memory/` for each repository, shared by its worktrees; `MEMORY.md` is its index, of which the first
200 lines or the first 25 KB, whichever comes first, are read at the start of a session; topic files beside it are read when they
are needed; `autoMemoryDirectory` in the settings moves it. The program (2.1.325) adds: `<project>` is the path with every sign
but letters and digits of ASCII as `-`, cut at 200 and then told apart by a hash; the 25,000 are counted as UTF-16 units; a topic
file begins with front matter (`name`, `description`, `metadata: type`), and its line in the index is `- [Title](file.md) — what it
is about`; `autoMemoryDirectory` in a project's checked-in settings is ignored, and so it is here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reverie.workspace.settings_files import claude_folder, claude_moved, state_folder

INDEX_LINES, INDEX_UNITS = 200, 25_000  # of MEMORY.md; what is beyond them Claude Code does not see
_LONGEST_NAME = 200
_CONTEXT = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
_RULES = ".claude/rules"
_CWD = re.compile(rb'"cwd":"((?:[^"\\]|\\.)*)"')
_NEWEST = 8  # transcripts that are looked at
_BEGINNING = 64 * 1024  # bytes of a transcript in which its working folder is named


@dataclass(frozen=True, slots=True)
class ClaudeMemory:
    """A memory folder of Claude Code, and the folder of ours where everything about it is kept."""

    folder: Path
    state: Path


def claude_memory(folder: Path, environ: Mapping[str, str]) -> ClaudeMemory | None:
    """What this folder is to Claude Code; None for any other folder."""
    moved = claude_moved(environ)
    projects = _real(claude_folder(environ))
    if folder != moved and not (folder.name == "memory" and folder.parent.parent == projects):
        return None
    name = folder.parent.name if folder != moved else encoded(str(folder))
    state = state_folder(environ) / "claude-code" / f"{name[-60:].strip('-')}-{_hashed(str(folder))}"
    return ClaudeMemory(folder, state)


def memory_folder(here: Path, environ: Mapping[str, str]) -> Path:
    """Where Claude Code keeps, or would keep, what it knows of the project that somebody stands in."""
    project = encoded(str(project_at(here)))
    return claude_moved(environ) or _real(claude_folder(environ)) / project / "memory"


def encoded(path: str) -> str:
    """A path as Claude Code names the folder of its project."""
    name = re.sub(r"[^a-zA-Z0-9]", "-", path)
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}-{_hashed(path)}"


def project_at(here: Path) -> Path:
    """The repository that a folder belongs to, the main one of several worktrees; without one, the folder itself."""
    here = _real(here)
    for folder in (here, *here.parents):
        git = folder / ".git"
        if git.is_dir():
            return folder
        if git.is_file():
            return _main_worktree(git) or folder
    return here


def context_files(project: Path) -> Iterator[str]:
    """What the owner wrote for Claude Code in a project, by its path in there: read as context, never changed."""
    yield from (name for name in _CONTEXT if (project / name).is_file())
    rules = project / _RULES
    if rules.is_dir() and not rules.is_symlink():
        yield from sorted(
            path.relative_to(project).as_posix()
            for folder, _, names in os.walk(rules)
            for name in names
            if name.endswith(".md") and not (path := Path(folder) / name).is_symlink()
        )


def project_of(memory: Path) -> Path | None:
    """The project that a memory is about: its folder's name cannot be read backwards, but transcripts name where they were made."""
    sessions = memory.parent  # of the repository's top; those of folders below it lie beside them
    try:
        found_there = sessions.parent.glob(f"{sessions.name}*/*.jsonl")
        transcripts = sorted(found_there, key=lambda path: path.stat().st_mtime, reverse=True)[:_NEWEST]
        beginnings = [_beginning(path) for path in transcripts if path.is_file()]
    except OSError:
        return None
    import json

    for found in (found for text in beginnings for found in _CWD.finditer(text)):
        project = project_at(Path(json.loads(b'"%s"' % found[1])))
        if encoded(str(project)) == sessions.name and project.is_dir():
            return project
    return None


def _beginning(transcript: Path) -> bytes:
    with transcript.open("rb") as file:
        return file.read(_BEGINNING)


def _main_worktree(git: Path) -> Path | None:
    """The repository whose worktree this is; None for anything else that keeps its `.git` elsewhere, such as a submodule."""
    try:
        inner = git.parent / git.read_text("utf-8").removeprefix("gitdir:").strip()
        common = _real(inner / (inner / "commondir").read_text("utf-8").strip())
    except (OSError, ValueError):
        return None
    return common.parent if common.name == ".git" else None


def _hashed(text: str) -> str:
    """The hash by which Claude Code tells long names apart: 32 bits over UTF-16 units, in base 36."""
    value = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        value = (value * 31 + int.from_bytes(units[at : at + 2], "little")) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value >> 31 else value)
    digits = ""
    while value or not digits:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
