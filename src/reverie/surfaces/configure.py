"""Reads files and the environment and turns them into one Workspace and one Settings. Only surfaces do this.

    defaults < openclaw.json (the truncation limit) < your reverie.toml < the workspace's reverie.toml
             < DREAM.md < DREAM_VAULT_PATH, DREAM_MODEL, DREAM_MODEL_URL

A workspace may come from a stranger: its two files may set thresholds and tastes, nothing else.

The embedder that the owner's settings name, made when it is first asked something.

Most commands never embed anything, so a workspace carries this instead of the real one, which costs a tenth of a second.

The model that the owner named, made when it is first asked something.

Most commands ask no model, so a workspace carries this instead of the real one, which loads the network.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from reverie.core.errors import BadSettings, NoWorkspace
from reverie.core.settings import Settings, Where, merged
from reverie.workspace.hosts import home, openclaw_file, read_openclaw, text_of, value_at
from reverie.workspace.values import Workspace
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any
from reverie.core.ports import Embedder
from reverie.core.settings import Search
from dataclasses import replace
from reverie.core.model_calls import Ask, Reply
from reverie.core.ports import Model
from reverie.core.settings import Mind
from reverie.models.choose import NOBODY, named_model

NAME = "reverie.toml"


def open_workspace(path: str | Path = "") -> Workspace:
    """A workspace for programs: the folder named, else the one a `dream` command run here would take."""
    return find_workspace(str(path) or None, os.environ, Path.cwd())


def find_workspace(named: str | None, environ: Mapping[str, str], here: Path) -> Workspace:
    """The workspace somebody means, with everything that is set for it."""
    root = _root(named, environ, here)
    if not root.is_dir():
        raise NoWorkspace(f"{root} is not a folder. Name one with --workspace PATH, or make one with `dream init`.")
    return configured(root.resolve(), environ)


def configured(root: Path, environ: Mapping[str, str]) -> Workspace:
    """A folder with the settings that hold for it."""
    settings = Settings()
    for file in (openclaw_file(environ), root.parent / "openclaw.json", root / "openclaw.json"):
        limit = value_at(read_openclaw(file), "agents", "defaults", "bootstrapMaxChars")
        if isinstance(limit, int) and not isinstance(limit, bool):
            table = {"memory": {"truncation": limit}}
            settings = merged(settings, table, lambda _key, name=str(file): name, trusted=False)  # type: ignore[misc]
    settings = _with_toml(settings, owners_file(environ), trusted=True)
    settings = _with_toml(settings, root / NAME, trusted=False)
    settings = _with_dream_md(settings, root)
    named = environ.get("DREAM_VAULT_PATH") or settings.vault
    vault = Path(named).expanduser().resolve() if named else root / "dream-vault"
    wanted = settings.search.embedder != "off"
    embedder = ChosenEmbedder(settings.search, cache_folder(environ), environ) if wanted else None
    without = Workspace(root, vault, settings, embedder, _peer_db(root, environ), exams=exams_file(environ))
    if settings.model.kind == "off" and not environ.get("DREAM_MODEL"):
        return without

    return with_models(without, environ)


def _peer_db(root: Path, environ: Mapping[str, str]) -> Path | None:
    """OpenClaw's state database: in the workspace, beside it, or in the host's own folder. A link is not followed."""
    state = Path(environ.get("OPENCLAW_STATE_DIR") or home(environ) / ".openclaw").expanduser()
    places = (
        root / "openclaw.sqlite",
        *(folder / "state" / "openclaw.sqlite" for folder in (root, root.parent, state)),
    )
    return next((path for path in places if path.is_file() and not path.is_symlink()), None)


def _root(named: str | None, environ: Mapping[str, str], here: Path) -> Path:
    """--workspace, OPENCLAW_WORKSPACE, the current folder if it looks like one, your settings, OpenClaw's default."""
    for said in (named, environ.get("OPENCLAW_WORKSPACE")):
        if said:
            return Path(said).expanduser()
    if looks_like_a_workspace(here):
        return here
    mine = owners_settings(environ)
    openclaw = read_openclaw(openclaw_file(environ))
    for said in (mine.workspace, value_at(openclaw, "agents", "defaults", "workspace")):
        if isinstance(said, str) and said:
            return Path(said).expanduser()
    return home(environ) / ".openclaw" / "workspace"


def looks_like_a_workspace(folder: Path) -> bool:
    return (
        any((folder / name).is_file() for name in ("MEMORY.md", "memory.md", "DREAM.md"))
        or (folder / "memory").is_dir()
    )


def owners_file(environ: Mapping[str, str]) -> Path:
    """The owner's own settings, which hold for every workspace."""
    return Path(environ.get("XDG_CONFIG_HOME") or home(environ) / ".config") / "reverie" / NAME


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where derived tables may be kept between starts."""
    return Path(environ.get("XDG_CACHE_HOME") or home(environ) / ".cache") / "reverie"


def exams_file(environ: Mapping[str, str]) -> Path:
    """Where this user's results of exams are kept: a model is the same for all workspaces."""
    return Path(environ.get("XDG_STATE_HOME") or home(environ) / ".local" / "state") / "reverie" / "exams.json"


def owners_settings(environ: Mapping[str, str]) -> Settings:
    """What the owner sets for everything, without any workspace's word."""
    return _with_toml(Settings(), owners_file(environ), trusted=True)


def _with_toml(settings: Settings, file: Path, *, trusted: bool) -> Settings:
    text = text_of(file)
    if text is None:
        return settings
    import tomllib  # only where there is such a file

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{file}: {error}. Mend that line, then run again.") from None
    return merged(settings, table, _lines_of(file, text), trusted=trusted)


def _with_dream_md(settings: Settings, root: Path) -> Settings:
    text = text_of(root / "DREAM.md")
    if text is None:
        return settings
    from reverie.workspace.dream_md import (  # loads the Markdown scanner, which a bare folder does not need
        line_of,
        read_dream_md,
    )

    return merged(settings, read_dream_md(text), lambda key: f"DREAM.md{line_of(text, key)}", trusted=False)


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


def with_models(workspace: Workspace, environ: Mapping[str, str]) -> Workspace:
    """A workspace with the model that is meant."""
    meant = named_model(workspace.settings.model, environ)
    settings = replace(workspace.settings, model=meant)
    if meant.kind in NOBODY:
        return replace(workspace, settings=settings)
    return replace(workspace, settings=settings, model=ChosenModel(meant, environ))
