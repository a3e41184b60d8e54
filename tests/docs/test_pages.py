"""The documents as pages: short, linked, on the site's map, and true about what installs. `make docs` builds the site itself."""

from __future__ import annotations

import re
import subprocess
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scripts import tool

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *DOCS.rglob("*.md")]


def test_a_user_has_at_most_eight_thousand_words_to_read() -> None:
    words = {
        page.name: len(page.read_text("utf-8").split()) for page in DOCS.glob("*.md")
    }  # as `cat docs/*.md | wc -w`

    assert sum(words.values()) <= 8_000, words


def test_every_link_leads_to_a_page_and_a_heading() -> None:
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in _links(page)
        if not _leads_somewhere(page, target)
    ]

    assert dead == []


def test_a_link_of_the_site_stays_within_it() -> None:
    outside = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in DOCS.rglob("*.md")
        for target in _links(page)
        if not (page.parent / target.partition("#")[0]).resolve().is_relative_to(DOCS)
    ]

    assert outside == []


def _links(page: Path) -> Iterator[str]:
    """Where the links and pictures of a page lead, without those to other sites; code is no link."""
    for target in re.findall(r"\]\(([^)\s]+)\)", _without_code(page.read_text("utf-8"))):
        if "://" not in target:
            yield target


def _leads_somewhere(page: Path, target: str) -> bool:
    name, _, anchor = target.partition("#")
    to = (page.parent / name).resolve() if name else page
    return to.exists() and (not anchor or anchor in _anchors(to))


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]+`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


@cache
def _anchors(page: Path) -> frozenset[str]:
    """The anchors that both the site and a repository's own view of the file know."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    titles = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ (.+)$", text, re.M)]
    kept = [re.sub(r"[^\w\s-]", "", title).strip().lower() for title in titles]
    ours = {
        re.sub(r"[-\s]+", "-", unicodedata.normalize("NFKD", one).encode("ascii", "ignore").decode()) for one in kept
    }
    return frozenset(ours & {one.replace(" ", "-") for one in kept})


def test_every_page_is_on_the_map_of_the_site() -> None:
    listed = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8"))

    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))


def test_the_site_loads_nothing_from_elsewhere() -> None:
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")

    assert re.search(r"^  font: false$", settings, re.M)
    assert not re.search(r"https?:|analytics|extra_javascript|extra_css", settings)


def test_every_extra_that_is_named_installs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {
        extra
        for text in _texts()
        for extras in re.findall(rf"{project['name']}\[([\w,]+)\]", text)
        for extra in extras.split(",")
    }

    assert named and named <= set(project["optional-dependencies"])


def test_nobody_is_told_to_install_what_is_somebody_elses() -> None:
    wrong = re.compile(r"(?<![\w-])reverie\[|(?:pip|pipx|uv tool) install [^\n]*(?<![\w/_-])reverie(?![\w-])")

    assert [found[0] for text in _texts() if (found := wrong.search(text))] == []


def test_we_ask_for_ourselves_under_the_name_that_is_installed() -> None:
    name = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["name"]
    asked = re.compile(
        r"""(?:\bversion(?:_of)?|\bmetadata|\bdistributions?)\((?:name=)?["'](\w[\w-]*)["']|package_name=["']([\w-]+)["']"""
    )

    found = {one or other for text in _texts(".py") for one, other in asked.findall(text)}

    assert found == {name}


def _texts(*ends: str) -> Iterator[str]:
    """Every text of ours that a user may read: documents, messages, skills."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    asked = ["git", "ls-files", "-z", "*.md", "src", "integrations", "Makefile"]
    ends = ends or (".md", ".py", ".toml", ".json", ".js", ".ts", ".mjs", "Makefile")
    for name in subprocess.run(asked, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0"):
        if name.endswith(ends):
            yield (ROOT / name).read_text("utf-8", errors="replace")


def test_the_changelog_holds_every_change() -> None:
    now = tool("changelog").of_this_project()

    assert (ROOT / "CHANGELOG.md").read_text("utf-8") == now, "`make changelog` writes it"


def test_the_readme_says_what_it_is_before_it_asks_for_anything() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    opening = text.split("\n\n")[1]
    shown = ["![", "## Before and after", "## Two commands", "three commands", "## What it never does", "## Uninstall"]

    assert text.count("\n") <= 200
    assert len(re.findall(r"[.!?](?:\s|$)", opening)) == 2
    assert [text.index(part) for part in shown] == sorted(text.index(part) for part in shown)
    assert {"make demo", "make test"} <= set(re.findall(r"^make \w+", text, re.M))
