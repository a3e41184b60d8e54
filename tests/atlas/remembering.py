"""A memory as its owner and an agent use it: a real folder, real commands, and days that pass."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.types import TextContent

from conftest import NIGHT
from reverie.core.ports import fixed
from reverie.surfaces.configure import configured
from reverie.surfaces.mcp.server import Tools, server_of
from reverie.surfaces.mcp.serving import Door
from terminal import Done, call

Ids = dict[str, str]  # what the agent reads → the id it cites
Wish = Callable[[Ids], list[dict[str, Any]]]
_LINE = re.compile(r"^\s*(?:- )?\[([mn]\d+)\] (.*?)(?: \((?:fixed|also|ticked|quoted).*\))?$", re.M)


@dataclass
class Memory:
    """One workspace. `today` is when whatever is called happens."""

    root: Path
    today: datetime = field(default_factory=lambda: datetime.fromisoformat(NIGHT))

    def tried(self, *words: str | Path, stdin: str = "", **env: str) -> Done:
        """`dream WORDS`, whatever comes of it."""
        return call(*words, "--workspace", self.root, "--now", self.today.isoformat(), stdin=stdin, **env)

    def dream(self, *words: str | Path, **given: str) -> str:
        """What `dream WORDS` prints; it must succeed."""
        done = self.tried(*words, **given)
        assert done.code == 0, done
        return done.out

    def told(self, *words: str | Path) -> Any:
        return json.loads(self.dream(*words, "--json"))

    def write(self, path: str, *lines: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(lines) + "\n", "utf-8")

    def noted(self, *lines: str, ago: int = 1) -> str:
        """The owner wrote these lines into the note of some days ago. Returns its path."""
        path = f"memory/{(self.today - timedelta(days=ago)).date()}.md"
        self.write(path, *(f"- {line}" for line in lines))
        return path

    def pass_days(self, days: int) -> None:
        self.today += timedelta(days=days)

    def night(self) -> None:
        """A night of the built-in judge; then it is the next day."""
        self.dream("review")
        self.pass_days(1)

    def led_night(self, wish: Wish) -> None:
        """A night that the host agent leads: it reads the brief, hands in what it wishes, and the night does what is allowed."""
        brief = self.dream("brief", DREAM_MODEL="agent")
        self.answered(*wish({text: name for name, text in _LINE.findall(brief.rpartition("<data>")[2])}))
        self.dream("review", "--force", DREAM_MODEL="agent")
        self.pass_days(1)

    def answered(self, *operations: dict[str, Any]) -> None:
        """The host agent hands in these operations for the next night."""
        self.tried("answer", "--json", "-", stdin=json.dumps({"operations": operations}), DREAM_MODEL="agent")

    def eager_night(self) -> None:
        """A night of an agent that wants to keep every line that the notes hold."""
        self.led_night(
            lambda ids: [
                {"op": "add", "from": [name], "section": "Facts", "text": text, "why": "said"}
                for text, name in ids.items()
                if name[0] == "n"
            ]
        )

    @property
    def text(self) -> str:
        return (self.root / "MEMORY.md").read_text("utf-8")

    def found(self, words: str, most: int = 20) -> list[str]:
        """What a search finds."""
        return [hit["snippet"] for hit in self.told("search", words, "--max-results", str(most))["results"]]

    def recalled(self, message: str) -> str:
        """What stands before the reply to a message."""
        return str(self.told("recall", message, "--timeout", "60000")["context"])

    def prompts(self, question: str) -> dict[str, str]:
        """Everything by which words of this memory may reach an agent, by its name."""
        return {
            "search": "\n".join(self.found(question)),
            "recall": self.recalled(question),
            "session": self.dream("session", "start"),
            "brief": self.dream("brief"),
            "suggestions": self.dream("suggestions", "--for-agent"),
            "wakeup": self.dream("wakeup", "--snapshot"),
            "palace": self.dream("palace"),
            "plan": self.dream("plan", "--prose"),
            "mcp": self.program("memory_get", path="MEMORY.md"),
        }

    def program(self, tool: str, door: Door = Door(), **given: Any) -> str:  # noqa: B008  a frozen value
        """What a program hears that calls a tool of `dream mcp`: the SDK's own client and our server, in this process."""
        tools = Tools(lambda: configured(self.root, os.environ), lambda _zone: fixed(self.today.isoformat()), door)

        async def talk() -> str:
            async with Client(server_of(tools)) as client:
                result = await client.call_tool(tool, given)
            assert isinstance(result.content[0], TextContent)
            return f"refused: {result.content[0].text}" if result.is_error else result.content[0].text

        return anyio.run(talk)

    def shared(self) -> Path:
        """From now on another host gets what this memory holds. Returns the file it reads."""
        copy = self.root.parent / "host" / "MEMORY.md"
        copy.parent.mkdir()
        settings = Path.home() / ".config" / "reverie" / "reverie.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"[[project]]\npath = {json.dumps(str(copy))}\nhost = 'claude-code'\n", "utf-8")
        self.dream("project")
        return copy

    def files(self) -> dict[str, str]:
        """Every file of it as text."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes().decode("utf-8", "replace")
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


def holding(token: str, texts: dict[str, str]) -> list[str]:
    """The names of those texts in which a reader meets a token, in whatever letters it is written."""
    return [name for name, text in texts.items() if token.casefold() in _read(text)]


def _read(text: str) -> str:
    """A text as an eye reads it: the same letter is one letter, and what cannot be seen is not there."""
    return "".join(one for one in unicodedata.normalize("NFKC", text) if unicodedata.category(one) != "Cf").casefold()
