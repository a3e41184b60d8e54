"""Reads files and the environment and turns them into one Workspace and one Settings. Only surfaces do this.

    defaults < openclaw.json (limit, dreaming, Active Memory), Hermes' config.yaml (the truncation limit) < your reverie.toml
             < the workspace's reverie.toml < DREAM.md < DREAM_VAULT_PATH, DREAM_MODEL, DREAM_MODEL_URL

A workspace may come from a stranger: its two files may set thresholds and tastes, nothing else. Most commands embed nothing and
ask no model, so a workspace carries two stand-ins that make the real ones when they are first asked.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.core.cache import keep_in
from reverie.core.errors import BadInput, BadSettings, NoWorkspace, WriteFailed
from reverie.core.layout import SWITCH
from reverie.core.ports import Clock, SystemClock, fixed
from reverie.core.settings import Mind, Search, Settings, Where, merged
from reverie.features.status import said_in
from reverie.lang.detect import language_of, language_of_environment
from reverie.lang.messages import say, speak
from reverie.workspace.claude_memory import (
    INDEX_LINES,
    INDEX_UNITS,
    claude_memory,
    memory_folder,
    project_at,
    project_of,
)
from reverie.workspace.openclaw_switches import HostDreaming, HostSays, HostSwitch, host_says
from reverie.workspace.settings_files import (
    SETTINGS_FILE,
    claude_folder,
    home,
    openclaw_file,
    openclaw_folder,
    owners_file,
    read_hermes,
    read_openclaw,
    state_folder,
    text_of,
    user_folder,
    value_at,
)

if TYPE_CHECKING:
    from reverie.core.model_calls import Ask, Reply
    from reverie.core.ports import Embedder, Model
    from reverie.workspace.values import Workspace

_ENOUGH = 4_000  # bytes of MEMORY.md that tell its language: every command reads them


def open_workspace(path: str | Path = "") -> Workspace:
    """A workspace for programs: the folder named, else the one a `dream` command run here would take."""
    return find_workspace(str(path) or None, os.environ, present_folder())


def find_workspace(named: str | None, environ: Mapping[str, str], here: Path) -> Workspace:
    """The workspace somebody means, with everything that is set for it."""
    workspace = configured(find_root(named, environ, here), environ)
    if workspace.project is None and workspace.home == memory_folder(here, environ):
        return replace(workspace, project=project_at(here))
    return workspace


def find_root(named: str | None, environ: Mapping[str, str], here: Path) -> Path:
    """The folder somebody means; NoWorkspace where there is none, with a next step that works there."""
    root = _root(named, environ, here)
    # Claude Code makes its folder when it has something to say.
    if root is not None and (root.is_dir() or claude_memory(root, environ) is not None):
        return root.resolve()
    if root is None:
        can = os.access(here, os.W_OK)
        raise NoWorkspace(say("open.none_here" if can else "open.none_and_closed", path=here))
    if root.exists():
        raise NoWorkspace(say("open.a_file", path=root))
    raise NoWorkspace(say("open.no_folder", path=root, command=f"dream init --workspace {shlex.quote(str(root))}"))


def made_root(named: str | None, environ: Mapping[str, str], here: Path) -> Path:
    """The folder for a memory that begins: the one every command would take, else the one that was named, else this one.

    What Claude Code may keep of a project some day is its own to begin.
    """
    root = _root(named, environ, here) or here
    if not named and claude_memory(root, environ) is not None and not any(root.glob("*.md")):
        root = here
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(say("open.not_made", path=root, error=error.strerror)) from None
    return root.resolve()


def present_folder() -> Path:
    """Where the caller stands. A folder that was deleted under them is none: nothing is there, and nothing can be made there."""
    try:
        return Path.cwd()
    except OSError:
        return Path(os.devnull)


def chosen_clock(zone: str, moment: str | None) -> Clock:
    """The machine's clock in the owner's zone, or one stopped at the moment of --now or REVERIE_NOW."""
    if not moment:
        return SystemClock(zone)
    from zoneinfo import ZoneInfo

    try:
        clock = fixed(moment.strip(), ZoneInfo(zone) if zone else None)
        clock.now().astimezone(UTC)  # a moment at the very edge of the calendar cannot be told everywhere
        return clock
    except (ValueError, OverflowError):
        raise BadInput(say("open.not_a_moment", given=moment)) from None


def state_root(folder: Path, environ: Mapping[str, str]) -> Path:
    """Where what is ours lies for a folder: in it, or in the user's state folder where it belongs to a host."""
    claude = claude_memory(folder, environ)
    return claude.state if claude else folder


def settings_for(folder: Path, environ: Mapping[str, str]) -> tuple[Settings, Path]:
    """The settings that hold for a folder, and its vault. From here on this process speaks the owner's language."""
    settings, root = Settings(), state_root(folder, environ)
    settings = with_host(settings, host_of(folder, environ))[0]
    settings = merged(settings, read_hermes(root), lambda _key: str(root.parent / "config.yaml"), trusted=False)
    if root != folder:  # Claude Code's, which has limits of its own
        table = {"memory": {"truncation": INDEX_UNITS, "max_lines": INDEX_LINES}}
        settings = merged(settings, table, lambda _key: "", trusted=False)
    settings = _with_toml(settings, owners_file(environ), trusted=True)
    settings = _with_toml(settings, root / SETTINGS_FILE, trusted=False)
    settings = _with_dream_md(settings, root)
    speak(settings.language or memory_language(folder) or language_of_environment(environ))
    named = environ.get("DREAM_VAULT_PATH") or settings.vault
    return settings, Path(named).expanduser().resolve() if named else root / "dream-vault"


def host_of(folder: Path, environ: Mapping[str, str]) -> tuple[HostSays, ...]:
    """What OpenClaw's files say about a folder; nothing about one that another host keeps.

    Its model is for its own program only, and its switch holds until the owner says `dream on` here.
    """
    if state_root(folder, environ) != folder or read_hermes(folder):
        return ()
    said = host_says(folder, environ)
    named = {switch.key for one in said for switch in one.switches}
    moot = {"dreaming.enabled"} if "dreaming.enabled" in named and said_in(folder / SWITCH).lower() == "on" else set()
    moot |= {"model.model"} if "model.model" in named and owners_settings(environ).model.kind != "openclaw" else set()
    return tuple(replace(one, switches=tuple(its for its in one.switches if its.key not in moot)) for one in said)


def with_host(settings: Settings, said: Sequence[HostSays]) -> tuple[Settings, dict[str, HostSwitch]]:
    """Settings with a host's switches laid over them, each alone, and which of them counted: what makes no sense here is left out,
    and so is what a file in the workspace may not decide."""
    counted: dict[str, HostSwitch] = {}
    for one in said:
        for switch in one.switches:
            table, _, name = switch.key.rpartition(".")
            nested = {table: {name: switch.value}} if table else {name: switch.value}
            with suppress(BadSettings):
                settings = merged(settings, nested, lambda _key, where=switch.where: where, trusted=one.trusted)  # type: ignore[misc]
                counted[switch.key] = switch
    return settings, counted


def host_switches(folder: Path, environ: Mapping[str, str]) -> tuple[HostSwitch, ...]:
    """The switches of a host that hold for a folder: nobody else has the last word on them."""
    counted = with_host(Settings(), host_of(folder, environ))[1]
    where = said_where(folder, environ) if counted else {}
    return tuple(one for one in counted.values() if where[one.key] == one.where)


def host_nonsense(folder: Path, environ: Mapping[str, str]) -> tuple[HostSwitch, ...]:
    """The switches of a host whose values make no sense to us, whoever set them."""
    said = [(one, switch) for one in host_of(folder, environ) for switch in one.switches]
    return tuple(
        its for one, its in said if not with_host(Settings(), [replace(one, switches=(its,), trusted=True)])[1]
    )


def host_dreaming(said: Sequence[HostSays]) -> HostDreaming | None:
    """Whether OpenClaw dreams over the folder itself, as the last file says that knows."""
    return next((one.dreaming for one in reversed(said) if one.dreaming is not None), None)


def host_agent(folder: Path, environ: Mapping[str, str]) -> str:
    """The agent of OpenClaw's to whom alone a folder belongs; empty where nobody says so."""
    return next((one.agent for one in host_of(folder, environ) if one.trusted and one.agent), "")


def configured(folder: Path, environ: Mapping[str, str]) -> Workspace:
    """A folder with all that is set for it."""
    from reverie.workspace.values import Workspace  # the Markdown scanner and more, which a glance does without

    settings, vault = settings_for(folder, environ)
    root = state_root(folder, environ)
    wanted = settings.search.embedder != "off"
    keep_in(cache_folder(environ))
    embedder = ChosenEmbedder(settings.search, cache_folder(environ), environ) if wanted else None
    workspace = Workspace(root, vault, settings, embedder, _peer_db(root, environ), exams=exams_file(environ))
    if settings.share.folder:
        workspace = replace(workspace, team=_team_folder(settings.share.folder, (folder, root, vault)))
    workspace = replace(workspace, host=host_dreaming(host_of(folder, environ)))
    if root != folder:
        workspace = replace(workspace, home=folder, project=project_of(folder), peer_db=None)
    if settings.model.kind == "off" and not environ.get("DREAM_MODEL"):
        return workspace
    from reverie.models.choose import named_model  # only for those who have a model

    meant = named_model(settings.model, environ)
    model = None if meant.kind in ("off", "agent") else ChosenModel(meant, environ)
    return replace(workspace, settings=replace(settings, model=meant), model=model)


def _team_folder(named: str, ours: Sequence[Path]) -> Path:
    """The folder of the team; what is shared and what is one's own must not lie in each other."""
    team = Path(named).expanduser().resolve()
    for mine in (path.resolve() for path in ours):
        if team == mine or team in mine.parents or mine in team.parents:
            raise BadSettings(say("share.inside", path=team, mine=mine))
    return team


def _peer_db(root: Path, environ: Mapping[str, str]) -> Path | None:
    """OpenClaw's state database: in the workspace, beside it, or in the host's own folder. A link is not followed."""
    folders = (root, root.parent, openclaw_folder(environ))
    places = (root / "openclaw.sqlite", *(folder / "state" / "openclaw.sqlite" for folder in folders))
    return next((path for path in places if path.is_file() and not path.is_symlink()), None)


def _root(named: str | None, environ: Mapping[str, str], here: Path) -> Path | None:
    """--workspace, OPENCLAW_WORKSPACE, the current folder if it looks like one, what Claude Code keeps of the project we are in,
    your settings, OpenClaw's; else what Claude Code will keep of the project. None: nobody has one."""
    if named:
        return Path(named).expanduser()
    if meant := _meant_here(environ, here):
        return meant
    claude = memory_folder(here, environ)
    if any(claude.glob("*.md")):
        return claude
    return _meant_anywhere(environ) or (claude if claude_folder(environ).is_dir() else None)


def is_kept_per_project(environ: Mapping[str, str], here: Path) -> bool:
    """Whether nobody names one memory for everything, so that each project has the one that Claude Code keeps of it."""
    return not (_meant_here(environ, here) or _meant_anywhere(environ))


def _meant_here(environ: Mapping[str, str], here: Path) -> Path | None:
    if said := environ.get("OPENCLAW_WORKSPACE"):
        return Path(said).expanduser()
    return here if looks_like_a_workspace(here) else None


def _meant_anywhere(environ: Mapping[str, str]) -> Path | None:
    """What the owner's settings or OpenClaw's name, else OpenClaw's own folder where it is."""
    openclaw = read_openclaw(openclaw_file(environ))
    for said in (owners_settings(environ).workspace, value_at(openclaw, "agents", "defaults", "workspace")):
        if isinstance(said, str) and said:
            return Path(said).expanduser()
    default = openclaw_folder(environ) / "workspace"
    return default if default.is_dir() else None


def looks_like_a_workspace(folder: Path) -> bool:
    named = any((folder / name).is_file() for name in ("MEMORY.md", "memory.md", "DREAM.md"))
    return named or (folder / "memory").is_dir()


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where derived tables may be kept between starts."""
    return user_folder("cache", environ, home(environ))


def exams_file(environ: Mapping[str, str]) -> Path:
    """Where this user's results of exams are kept: a model is the same for all workspaces."""
    return state_folder(environ) / "exams.json"


def owners_settings(environ: Mapping[str, str]) -> Settings:
    """What the owner sets for everything, without any workspace's word."""
    return _with_toml(Settings(), owners_file(environ), trusted=True)


def discovered(environ: Mapping[str, str] = os.environ) -> list[Path]:
    """The folders whose nights `--all` does."""
    from reverie.night.workspaces import discover  # not for a hook

    return [found.root for found in discover(environ, owners_settings(environ))]


def memory_language(root: Path) -> str:
    """The language MEMORY.md is written in, by its beginning; empty where it does not tell."""
    found = [path for path in (root / "MEMORY.md", root / "memory.md") if path.is_file() and not path.is_symlink()]
    try:
        with found[0].open("rb") as file:
            return language_of(file.read(_ENOUGH).decode("utf-8", "replace").split("\n"), unknown="")
    except (OSError, IndexError):
        return ""


def _with_toml(settings: Settings, file: Path, *, trusted: bool) -> Settings:
    text = text_of(file)
    if text is None:
        return settings
    import tomllib  # only where there is such a file

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(say("open.bad_toml", path=file, error=error)) from None
    return merged(settings, table, _lines_of(file, text), trusted=trusted)


def _with_dream_md(settings: Settings, root: Path) -> Settings:
    text = text_of(root / "DREAM.md")
    if text is None:
        return settings
    from reverie.workspace.settings_files import line_of, read_dream_md  # loads the Markdown scanner

    return merged(settings, read_dream_md(text), lambda key: f"DREAM.md{line_of(text, key)}", trusted=False)


def said_where(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """For every key that is set somewhere: the file and the line of whoever has the last word on it."""
    import tomllib

    from reverie.workspace.settings_files import line_of, read_dream_md  # loads the Markdown scanner

    found = {key: one.where for key, one in with_host(Settings(), host_of(root, environ))[1].items()}
    for file in (owners_file(environ), root / SETTINGS_FILE):
        if text := text_of(file):
            where = _lines_of(file, text)
            found |= {key: where(key) for key in _dotted(tomllib.loads(text))}
    if text := text_of(root / "DREAM.md"):
        found |= {key: f"DREAM.md{line_of(text, key)}" for key in _dotted(read_dream_md(text))}
    variables = {"vault": "DREAM_VAULT_PATH", "model.kind": "DREAM_MODEL", "model.url": "DREAM_MODEL_URL"}
    return found | {key: name for key, name in variables.items() if environ.get(name)}


def _dotted(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in table.items():
        yield from _dotted(value, f"{prefix}{key}.") if isinstance(value, dict) else (f"{prefix}{key}",)


def _lines_of(file: Path, text: str) -> Where:
    """Names the line of a dotted key, as well as a search can."""

    def where(key: str) -> str:
        table = ""
        for number, line in enumerate(text.split("\n"), 1):
            if header := re.match(r"\s*\[\[?\s*([^\[\]]+?)\s*\]", line):
                table = _bare_key(header[1])
            else:
                said = _bare_key(line.partition("=")[0])
                header = None
            name = table if header else f"{table}.{said}".lstrip(".")
            if name == key or (not header and name and key.startswith(f"{name}.")):
                return f"{file}:{number}"
        return str(file)

    return where


def _bare_key(text: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in text.split("."))


class ChosenEmbedder:
    """Stands for the embedder of the settings; the same identity, the same vectors."""

    def __init__(self, settings: Search, cache: Path, environ: Mapping[str, str]) -> None:
        self._settings, self._cache, self._environ = settings, cache, environ

    @cached_property
    def _real(self) -> Embedder:
        from reverie.features.search import chosen_embedder  # numpy and the tables

        chosen = chosen_embedder(self._settings, self._cache, self._environ)
        assert chosen is not None, "an owner who wants no embedder gets none of these"
        return chosen

    @property
    def identity(self) -> str:
        return self._real.identity

    @property
    def dimensions(self) -> int:
        return self._real.dimensions

    def embed(self, texts: Sequence[str]) -> Any:
        return self._real.embed(texts)

    def pieces(self, texts: Sequence[str]) -> Any:
        """As the embedded one knows them; None where the chosen one tells nothing of its pieces."""
        known = getattr(self._real, "pieces", None)
        return known(texts) if known else None


class ChosenModel:
    """Stands for the model of the settings; the same identity, the same answers."""

    def __init__(self, settings: Mind, environ: Mapping[str, str]) -> None:
        self._settings, self._environ = settings, environ

    @cached_property
    def _real(self) -> Model:
        from reverie.models.choose import chosen_model  # urllib, a process or machine code

        chosen = chosen_model(self._settings, self._environ)
        assert chosen is not None, "an owner who wants no model gets none of these"
        return chosen

    @property
    def identity(self) -> str:
        return self._real.identity

    def ask(self, ask: Ask, seconds: float) -> Reply:
        return self._real.ask(ask, seconds)
