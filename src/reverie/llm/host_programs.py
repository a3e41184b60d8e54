"""The hosts' own programs as models, with the login they already have: one line of a table each.

Each is started in an empty folder, reads the question on its input, may use no tool where it can be told so, and begins a
conversation of its own. Told as their documents of 2026 tell it.
"""

from __future__ import annotations

from collections.abc import Mapping

from reverie.llm.command import FRESH, MODEL, CommandModel

_ASK = "Answer the question that stands on the standard input."

# kind → (the words of the command, the words that name another model than the program's usual one)
PROGRAMS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # No built-in tool, no server of the owner's, none of their hooks: ours would start a night inside the night.
    "claude": (
        ("claude", "-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--settings", '{"disableAllHooks": true}'),
        ("--model", MODEL),
    ),
    "codex": (
        ("codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", "--ephemeral", "--color", "never"),
        ("--model", MODEL),
    ),
    "gemini": (("gemini", "--extensions", "none", "--output-format", "json", "--prompt", _ASK), ("--model", MODEL)),
    "opencode": (("opencode", "run", "--agent", "plan"), ("--model", MODEL)),  # that agent may change nothing
    # It has no word for "no tools"; the question itself says so. A fresh session, or the night would enter the owner's own.
    "openclaw": (
        ("openclaw", "agent", "--agent", "main", "--session-id", FRESH, "--json", "--message-file", "/dev/stdin"),
        ("--model", MODEL),
    ),
}  # fmt: skip
_LAST = {"codex": ("-",)}  # the question stands on the input


def host_program(kind: str, model: str = "", environ: Mapping[str, str] | None = None) -> CommandModel:
    """The program of a kind as a model; its usual model unless one is named."""
    words, naming = PROGRAMS[kind]
    command = (*words, *(naming if model else ()), *_LAST.get(kind, ()))
    return CommandModel(command, model, environ, identity=f"{kind}:{model}" if model else kind)


__all__ = ["PROGRAMS", "host_program"]
