"""The documents: commands that exist, links that lead somewhere, a reference that is the code's, and not too many words."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from reverie.surfaces import cli

ROOT = Path(__file__).parents[1]
ENGLISH = [ROOT / "README.md", *(p for p in (ROOT / "docs").glob("*.md") if ".zh." not in p.name)]
DOCUMENTS = [*ENGLISH, *ROOT.glob("*.zh.md"), *(ROOT / "docs").glob("*.zh.md"), *ROOT.glob("[CS]*.md")]
COMMAND = re.compile(r"^\s*(?:\$ )?(dream(?: [^#\n]*)?)(?:#.*)?$", re.M)
STANDS_FOR = {"N": "5", "FILE": "a.json", "HOST": "codex", "RUN": "0001", "DAY": "2026-11-15", "ID": "1a2b3c4d"}
ALONE = {"note", "index", "forget", "search", "recall", "why", "answer", "hook", "session", "fleet", "promote-explain"}


def commands_of(text: str) -> list[list[str]]:
    """The calls of `dream` in code blocks and code spans, as words; an ellipsis or a bracket ends what is meant literally."""
    blocks = "\n".join(re.findall(r"^```[^\n]*\n(.*?)^```", text, re.S | re.M))
    spans = "\n".join(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)))
    literal = (re.split(r"…|\[| > ", line)[0] for line in COMMAND.findall(f"{blocks}\n{spans}"))
    return [[STANDS_FOR.get(word, word) for word in shlex.split(line)] for line in literal]


def named(words: list[str]) -> str:
    """The command of a call, ours or as OpenClaw spells it; empty for `dream` alone."""
    bare = [word for word in words[1:] if not word.startswith("-")]
    name = bare[1] if bare[:1] == ["memory"] and bare[1:] else "".join(bare[:1])
    return cli._SPELLED.get(name, name) if bare[:1] == ["memory"] else name


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_of_a_document_exists(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[object] = []
    monkeypatch.setattr(cli, "_run", parsed.append)
    for words in commands_of(path.read_text("utf-8")):
        assert not named(words) or named(words) in cli.COMMANDS or named(words) == "memory", f"{path.name}: {words}"
        if named(words) == "memory" or named(words) == "hook" or (named(words) in ALONE and len(words) < 3):
            continue  # named in a sentence, without what it takes; the hook ends its process
        with pytest.raises(SystemExit) as end:
            cli.main(words[1:])
        assert end.value.code == 0, f"{path.name}: {words}"
    assert parsed or path.name in ("SECURITY.md", "CONTRIBUTING.md", "measured.md")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
        name, _, heading = target.partition("#")
        found = path.parent / name if name else path
        assert "://" in target or found.exists(), f"{path.name}: {target}"
        heads = re.findall(r"^#+ +(.+)$", found.read_text("utf-8"), re.M) if heading and "://" not in target else []
        anchors = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
        assert not heads or heading in anchors, f"{path.name}: {target}"


def test_the_documents_have_at_most_9000_words() -> None:
    counts = {path.name: len(re.findall(r"\S*\w\S*", path.read_text("utf-8"))) for path in ENGLISH}
    assert sum(counts.values()) <= 9_000, counts


@pytest.mark.parametrize(
    ("script", "made"), [("reference.py", "reference.md"), ("pictures/terminal.py", "pictures/night-terminal.svg")]
)
def test_what_scripts_made_is_what_they_would_make_now(script: str, made: str) -> None:
    printed = subprocess.run([sys.executable, str(ROOT / "docs" / script)], capture_output=True, text=True, check=True)
    assert (ROOT / "docs" / made).read_text("utf-8") == printed.stdout, "`make reference` writes it anew"


def test_what_runs_elsewhere_is_what_the_makefile_has() -> None:
    makefile, workflows = (ROOT / "Makefile").read_text("utf-8"), [*(ROOT / ".github/workflows").glob("*.yml")]
    called = [name for path in workflows for name in re.findall(r"run: make (\w+)", path.read_text("utf-8"))]
    assert called and all(re.search(rf"^{name}:", makefile, re.M) for name in called)
