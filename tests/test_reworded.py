"""Two lines of MEMORY.md that say the same in other words: the fuller one stays. Look-alikes stay both."""

from __future__ import annotations

import pytest

from conftest import Build
from reverie.answers import default_embedder
from reverie.judge.custom_rules import parsed
from reverie.phases.reworded import find_reworded
from reverie.ports import Embedder
from reverie.workspace.reader import read_workspace


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return default_embedder(tmp_path_factory.mktemp("cache"))


def leaving(build: Build, memory: str, embedder: Embedder | None, *rules: str) -> list[str]:
    found = find_reworded(read_workspace(build({"MEMORY.md": memory})), (), embedder, parsed(rules))
    return [finding.text for finding in found]


TWICE = [
    (
        "- Orla keeps the bees behind the old barn near the brook.",
        "- Behind the old barn near the brook Orla keeps her bees, in white hives.",
    ),
    ("- 奥拉把蜜蜂养在老谷仓后面的小溪边上。", "- 奥拉把蜜蜂养在老谷仓后面的小溪边上，用白色蜂箱。"),
]
BOTH_STAY = [
    ("The north barn door is locked at nine in the evening.", "The south barn door is locked at nine in the evening."),
    ("Orla lends the small tractor to Finn every autumn.", "Finn lends the small tractor to Orla every autumn."),
    ("The cellar pump of the barn runs on Mondays only.", "The cellar pump of the barn runs on Fridays only."),
    ("The goats get hay in the barn every cold morning.", "The goats get no hay in the barn every cold morning."),
    ("Jars of plum jam hold 200 g for the spring fair.", "Jars of plum jam hold 400 g for the spring fair."),
    ("Tools: small saw", "Tools: small saw blade"),
]


@pytest.mark.parametrize(("shorter", "fuller"), TWICE)
def test_the_fuller_wording_stays(build: Build, embedder: Embedder, shorter: str, fuller: str) -> None:
    assert leaving(build, f"# Memory\n\n{shorter}\n{fuller}\n", embedder) == [shorter[2:]]


@pytest.mark.parametrize(("one", "other"), BOTH_STAY)
def test_look_alikes_both_stay(build: Build, embedder: Embedder, one: str, other: str) -> None:
    assert leaving(build, f"# Memory\n\n- {one}\n- {other}\n", embedder) == []


def test_a_pinned_line_stays_even_if_it_is_the_shorter_one(build: Build, embedder: Embedder) -> None:
    shorter, fuller = TWICE[0]
    assert leaving(build, f"# Memory\n\n{shorter.replace('- ', '- 📌 ', 1)}\n{fuller}\n", embedder) in (
        [],
        [fuller[2:]],
    )


def test_the_same_words_under_two_subjects_are_two_facts(build: Build, embedder: Embedder) -> None:
    shorter, fuller = TWICE[0]
    assert leaving(build, f"# Memory\n\n## Farm one\n{shorter}\n\n## Farm two\n{fuller}\n", embedder) == []


def test_without_vectors_only_a_rule_merges(build: Build) -> None:
    memory = "# Memory\n\n- The greenhouse heating is checked by Orla each cold evening.\n- Each cold evening the heating in the greenhouse gets checked by Orla.\n"
    assert leaving(build, memory, None) == []
    assert len(leaving(build, memory, None, "merge everything about the greenhouse")) == 1
    assert leaving(build, memory, None, "merge everything about the stables") == []
