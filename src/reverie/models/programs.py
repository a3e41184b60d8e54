"""Programs as models: a command of the owner's (a script, `claude -p` …), and the hosts' own programs with the login they have.

A program reads the question on its input and prints the answer, plain or wrapped in JSON. No shell, no key, no address; its
errors are not shown, and when its time is over it ends together with everything that it started. Each works in a folder of its
own that holds at most settings of ours. A host's program is offered no tool, starts none of the owner's hooks and servers where
it can be told so, and leaves no conversation behind (tried with the real ones: `tests/models/test_real_hosts.py`; what could not
be switched off stands in docs/internals/models.md).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from reverie.core.children import call, find_program, own_folder, start
from reverie.core.model_calls import NONE, Ask, ModelTrouble, Reply, Status
from reverie.evidence.http import LARGEST
from reverie.judge.prompts import value_in
from reverie.models import count_in, reply_of, trouble
from reverie.text.lines import split_lines

MODEL = "{model}"  # in a word of the command: the name of the model stands there
_CHUNK = 65_536

Afterwards = Callable[[Path, str], None]  # the folder it worked in, and what it printed


class CommandModel:
    """Implements the `Model` port."""

    def __init__(
        self,
        command: Sequence[str],
        model: str = "",
        environ: Mapping[str, str] | None = None,
        *,
        identity: str = "",
        files: Mapping[str, str] = NONE,  # what stands in its folder, by path: settings for it alone
        afterwards: Afterwards | None = None,  # takes away what it would leave behind
    ) -> None:
        self._words = tuple(word.replace(MODEL, model) for word in command)
        self._nameless = not model and any(MODEL in word for word in command)
        self._environ = dict(os.environ if environ is None else environ)
        self._files, self._afterwards = files, afterwards
        # The words of a command may hold a key, so its identity shows the program alone.
        self._program = Path(self._words[0]).name if self._words else ""
        digest = hashlib.sha256("\0".join(self._words).encode("utf-8", "replace")).hexdigest()[:8]
        self.identity = identity or (f"command:{self._program}:{digest}" if self._words else "command:")

    def ask(self, ask: Ask, seconds: float) -> Reply:
        if not self._words:
            raise trouble(Status.NO_MODEL, "no_command")
        if self._nameless:
            raise trouble(Status.NO_MODEL, "nameless_command", mark=MODEL)
        program = find_program(self._words[0], self._environ)
        if program is None:
            raise trouble(Status.NO_MODEL, "no_program", program=self._program)
        code, said = self._run([program, *self._words[1:]], question_of(ask), seconds)
        return unwrapped(said.decode("utf-8", "replace"), ask.schema, code)

    def _run(self, words: list[str], question: bytes, seconds: float) -> tuple[int, bytes]:
        """How a program ended and what it printed. It works in an empty folder: it has no business in ours."""
        with own_folder() as folder:
            said = bytearray()
            for name, text in self._files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
            try:
                return _run(words, question, self._environ, seconds, folder, said), bytes(said)
            finally:
                if self._afterwards:
                    self._afterwards(folder, bytes(said).decode("utf-8", "replace"))


def question_of(ask: Ask) -> bytes:
    """The whole question as one text: instructions, data, and the shape of the answer if the instructions do not tell it."""
    shape = json.dumps(ask.plain_schema, ensure_ascii=False, separators=(",", ":"))
    told = "" if shape in ask.system else f"\nThe schema of the answer:\n{shape}\n"
    last = "Use no tool. Answer with the JSON value alone: no sentence before or after it."
    return f"{ask.system}\n\n{ask.user}\n{told}\n{last}\n".encode("utf-8", "replace")


def _run(
    words: list[str], question: bytes, environ: Mapping[str, str], seconds: float, folder: Path, said: bytearray
) -> int:
    """The code that a program ends with when it is told a question; what it prints goes to `said`."""
    ends = time.monotonic() + seconds
    try:
        child = start(words, environ, folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError:
        raise trouble(Status.NO_MODEL, "not_started") from None
    assert child.stdin and child.stdout
    talk = threading.Thread(target=_tell, args=(child.stdin, question), daemon=True)
    hear = threading.Thread(target=_hear, args=(child.stdout, said), daemon=True)
    talk.start()
    hear.start()
    try:
        return _outcome(child, hear, said, ends, seconds)
    finally:
        if child.returncode is None or hear.is_alive():
            _end(child)
        for thread in (talk, hear):
            thread.join(1)


def _outcome(
    child: subprocess.Popen[bytes], hear: threading.Thread, said: bytearray, ends: float, seconds: float
) -> int:
    hear.join(max(0.0, ends - time.monotonic()))
    if len(said) > LARGEST:
        raise trouble(Status.INVALID, "flood", bytes=LARGEST)
    try:
        code = child.wait(max(0.0, ends - time.monotonic()) if not hear.is_alive() else 0)
    except subprocess.TimeoutExpired:
        code = None
    if code is None or hear.is_alive():
        raise trouble(Status.SLOW, "slow", seconds=seconds)
    return code


def _tell(pipe: IO[bytes], question: bytes) -> None:
    with suppress(OSError, ValueError), pipe:  # it may end without having read everything
        pipe.write(question)


def _hear(pipe: IO[bytes], said: bytearray) -> None:
    with suppress(OSError, ValueError), pipe:
        while len(said) <= LARGEST and (part := os.read(pipe.fileno(), _CHUNK)):
            said += part


def _end(child: subprocess.Popen[bytes]) -> None:
    """The command and whatever it started: a child of it would hold the pipes open."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    child.wait()


_SENT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_FAILED = ("error", "turn.failed")  # events of opencode and codex; codex has the first for what it tries again, too
_BUSY = ("rate limit", "rate_limit", "usage limit", "usage_limit", "overloaded", "429", "529")


def unwrapped(text: str, schema: Mapping[str, Any], code: int = 0) -> Reply:
    """The model's own words and what was counted; with a code that says no, only what kind of trouble it was."""
    events = _events(text)
    outer = None if events else value_in(text).value
    if code:
        raise _failed(events or ([outer] if isinstance(outer, dict) else ()), "ended", code=code)
    if events:
        return _of_events(events)
    if not isinstance(outer, dict) or _has_the_shape(outer, schema):
        inner = _inside(outer) if isinstance(outer, dict) else None
        # An answer of ours may have a field `text` too: only what holds a whole answer in it is a wrapping.
        wrapped = inner is not None and _has_the_shape(value_in(inner).value, schema)
        return reply_of(inner if wrapped else text)
    if outer.get("is_error") or outer.get("ok") is False:
        raise _failed([outer], "program_failed")
    inner = _inside(outer)
    return reply_of(inner if inner is not None else text, *_counts(outer))


def _failed(told: Sequence[Mapping[str, Any]], otherwise: str, **values: object) -> ModelTrouble:
    said = json.dumps(told, default=str).lower()
    if any(word in said for word in _BUSY):
        return trouble(Status.RATE_LIMITED, "busy_program")
    return trouble(Status.FAILED, otherwise, **values)


def _inside(outer: Mapping[str, Any]) -> str | None:
    """`result` (claude -p --output-format json), `payloads[0].text` (openclaw agent --json), `text`, or `response` (gemini)."""
    result = outer.get("result")
    if isinstance(result, Mapping):
        return _inside(result)
    payloads = outer.get("payloads")
    first = payloads[0] if isinstance(payloads, list) and payloads else None
    found = (
        result,
        first.get("text") if isinstance(first, Mapping) else None,
        outer.get("text"),
        outer.get("response"),
    )
    return next((one for one in found if isinstance(one, str)), None)


def _counts(outer: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens in and out: claude's and openclaw's `usage`, that of openclaw behind a gateway, or gemini's sum over its models."""
    usage = outer.get("usage")
    sent = sum(count_in(usage, name) for name in _SENT)
    if sent or count_in(usage, "output_tokens"):
        return sent, count_in(usage, "output_tokens")
    result = outer.get("result")
    behind = ((result if isinstance(result, Mapping) else outer), "meta", "agentMeta", "usage")
    models = (outer.get("stats") or {}).get("models") if isinstance(outer.get("stats"), Mapping) else None
    each = list(models.values()) if isinstance(models, Mapping) else []
    read = count_in(usage, "cacheRead") + count_in(usage, "cacheWrite")
    prompt, candidates = (sum(count_in(one, "tokens", name) for one in each) for name in ("prompt", "candidates"))
    return (
        count_in(usage, "input") + read or count_in(*behind, "input") or prompt,
        count_in(usage, "output") or count_in(*behind, "output") or candidates,
    )


def _events(text: str) -> list[dict[str, Any]]:
    """The events of a program that tells its work line by line; none where the text is something else."""
    found = []
    for line in split_lines(text):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return []
        if not isinstance(event, dict) or not isinstance(event.get("type"), str) or "result" in event:
            return []  # `claude` tells its one object with a type, too
        found.append(event)
    return found


def _of_events(events: Sequence[Mapping[str, Any]]) -> Reply:
    """The last message: `item.text` (codex exec --json) or `part.text` (opencode run --format json)."""
    parts = [part for event in events for part in (event.get("item"), event.get("part")) if isinstance(part, Mapping)]
    texts = [part.get("text") for part in parts if part.get("type") in ("agent_message", "text")]
    if not texts and any(event["type"] in _FAILED for event in events):
        raise _failed(events, "program_failed")
    sent = sum(count_in(event, "usage", "input_tokens") for event in events)
    received = sum(count_in(event, "usage", "output_tokens") for event in events)
    for part in parts:
        sent += (
            count_in(part, "tokens", "input")
            + count_in(part, "tokens", "cache", "read")
            + count_in(part, "tokens", "cache", "write")
        )
        received += count_in(part, "tokens", "output") + count_in(part, "tokens", "reasoning")
    return reply_of(texts[-1] if texts else "", sent, received)


def _has_the_shape(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether an object has the fields that the schema asks for, and no other."""
    known = set(schema.get("properties") or ())
    return isinstance(value, dict) and set(schema.get("required") or known) <= set(value) <= known


_ASK = "Answer the question that stands on the standard input."
_SYSTEM = "You answer one question with one JSON value. You have no tools."  # in place of pages about writing code
_CODEX_FEATURES = ("shell_tool", "unified_exec", "view_image", "goals", "multi_agent", "hooks", "apps", "plugins")
_CODEX_OFF = (
    'web_search="disabled"',
    "notify=[]",  # a program of the owner's that is told when a turn is over
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "include_environment_context=false",
    "include_permissions_instructions=false",
)
_SESSION = re.compile(r'"sessionID":"(ses_\w+)"')
_PATIENCE = 20  # seconds for a program to forget a conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """How a host's program is asked one question."""

    words: tuple[str, ...]
    last: tuple[str, ...] = ()  # words that stand behind the name of the model
    environ: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)  # settings in its folder
    afterwards: Afterwards | None = None


def claude(_environ: Mapping[str, str]) -> Program:
    # Our own hook would start a night inside the night. Not `--bare`, which would not read the login of a subscription.
    hooks = ("--settings", '{"disableAllHooks": true}')
    quiet = ("--tools", "", "--strict-mcp-config", *hooks, "--no-session-persistence")
    return Program(
        words=("claude", "-p", "--output-format", "json", *quiet, "--system-prompt", _SYSTEM),
        environ={"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"},
    )


def codex(environ: Mapping[str, str]) -> Program:
    # `-c features.x=false` and not `--disable x`: a version that does not know a feature passes over the first.
    features = tuple(f"features.{name}=false" for name in _CODEX_FEATURES)
    servers = tuple(f"mcp_servers.{name}.enabled=false" for name in _codex_servers(environ))
    said = tuple(word for one in (*features, *_CODEX_OFF, *servers) for word in ("-c", one))
    return Program(
        words=("codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only", "--ephemeral", "--json", *said),
        last=("-",),  # the question stands on the input
    )


def gemini(environ: Mapping[str, str]) -> Program:
    settings = {"tools": {"core": []}, "hooksConfig": {"enabled": False}, "skills": {"enabled": False}}
    none = ("--extensions", "none", "--allowed-mcp-server-names", "none")
    return Program(
        words=("gemini", *none, "--output-format", "json", "--prompt", _ASK),
        # Without the first it starts in no folder that it does not know; without the second it is a programmer.
        environ={"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_SYSTEM_MD": "system.md"},
        files={".gemini/settings.json": json.dumps(settings), "system.md": _SYSTEM},
        afterwards=lambda folder, _said: _forget_project(_home(environ) / ".gemini", folder),
    )


def opencode(environ: Mapping[str, str]) -> Program:
    agent = {"mode": "primary", "prompt": _SYSTEM, "tools": {"*": False}, "permission": {"*": "deny"}}
    settings = {"agent": {"dream": agent}, "share": "disabled", "autoupdate": False}
    return Program(
        # A title of ours spares the call that would think of one.
        words=("opencode", "run", "--agent", "dream", "--format", "json", "--title", "dream"),
        environ={"OPENCODE_DISABLE_CLAUDE_CODE": "1"},  # it would read CLAUDE.md too
        files={"opencode.json": json.dumps(settings)},
        afterwards=lambda folder, said: _forget_session(environ, folder, said),
    )


def openclaw(environ: Mapping[str, str]) -> Program:
    """`agent exec` needs no gateway and keeps its sessions nowhere; the owner's settings are read through ours."""
    words = ("openclaw", "agent", "exec", "--json", "--message-file", "-")
    theirs = _openclaw_file(environ)
    if not theirs.is_file():
        return Program(words=words)
    # Our own plugin would recall what is remembered about the question.
    ours = {"tools": {"deny": ["*"]}, "plugins": {"entries": {"reverie": {"enabled": False}}}}
    roots = [root for root in (environ.get("OPENCLAW_INCLUDE_ROOTS"), str(theirs.parent)) if root]
    return Program(
        words=(*words, "--config", "dream.json"),
        environ={"OPENCLAW_INCLUDE_ROOTS": os.pathsep.join(roots)},
        files={"dream.json": json.dumps({"$include": str(theirs), **ours})},
    )


PROGRAMS: Mapping[str, Callable[[Mapping[str, str]], Program]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "opencode": opencode,
    "openclaw": openclaw,
}


def host_program(kind: str, model: str = "", environ: Mapping[str, str] | None = None) -> CommandModel:
    """The program of a kind as a model; its usual model unless one is named."""
    environ = dict(os.environ if environ is None else environ)
    program = PROGRAMS[kind](environ)
    named = ("--model", MODEL) if model else ()
    return CommandModel(
        (*program.words, *named, *program.last),
        model,
        {**environ, **program.environ},
        identity=f"{kind}:{model}" if model else kind,
        files=program.files,
        afterwards=program.afterwards,
    )


def _codex_servers(environ: Mapping[str, str]) -> Iterator[str]:
    """The servers that the owner's settings start; each has to be switched off by its name."""
    file = Path(environ.get("CODEX_HOME") or _home(environ) / ".codex") / "config.toml"
    try:
        servers = tomllib.loads(file.read_text("utf-8")).get("mcp_servers")
    except (OSError, ValueError):
        return
    if isinstance(servers, Mapping):
        yield from (name for name in servers if re.fullmatch(r"[\w-]+", name))


def _openclaw_file(environ: Mapping[str, str]) -> Path:
    if named := environ.get("OPENCLAW_CONFIG_PATH"):
        return Path(named).expanduser().absolute()
    state = Path(environ.get("OPENCLAW_STATE_DIR") or _home(environ) / ".openclaw")
    return state.expanduser().absolute() / "openclaw.json"


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or "~").expanduser()


def _forget_project(state: Path, folder: Path) -> None:
    """What Gemini keeps of a project, the conversation among it; only of the folder that was made for this question."""
    ours = os.path.realpath(folder)
    for mark in [*state.glob("tmp/*/.project_root"), *state.glob("history/*/.project_root")]:
        with suppress(OSError, ValueError):
            if os.path.realpath(mark.read_text("utf-8").strip()) == ours:
                shutil.rmtree(mark.parent, ignore_errors=True)


def _forget_session(environ: Mapping[str, str], folder: Path, said: str) -> None:
    program, session = find_program("opencode", environ), _SESSION.search(said)
    if program and session:
        with suppress(OSError, subprocess.TimeoutExpired):
            call([program, "session", "delete", session[1]], environ, _PATIENCE, folder=folder)
