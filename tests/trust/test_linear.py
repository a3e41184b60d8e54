"""No input makes a line cost more than linear, and no file takes the night's time: what is too long is cut, and said.

Ratios, never seconds, decide where a machine may be busy: a line of twice the length may take three and a half times as long
(a linear stage takes two, a quadratic one four). `benchmarks/linear.py` prints them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import oddities as odd
import pytest

from reverie.text.lines import LONGEST, clipped
from reverie.text.markdown import DEEPEST, OVERLONG, TOO_DEEP, parse
from reverie.text.marks import protected_blocks
from reverie.text.terms import denials
from reverie.workspace.reader import LARGEST_MEMORY

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from linear import STAGES, growth

DEEP = "".join("  " * depth + f"- item {depth}\n" for depth in range(2_000))
LINES = {
    "40,000 letters": "- " + "a" * 40_000, "100,000 brackets": "[" * 100_000, "100,000 braces": "{" * 100_000,
    "100,000 stars": "*" * 100_000, "100,000 ticks": "`" * 100_000, "100,000 pipes": "|" * 100_000,
    "100,000 quotes": '"' * 100_000, "100,000 colons": ":" * 100_000, "100,000 dashes": "-" * 100_000,
    "a MB of digits": "7" * 1_000_000, "a MB of Chinese": "记" * 350_000, "a MB of emoji": "🙂" * 250_000,
    "a MB of combining marks": "e\u0301" * 333_333, "50 MB in one line": "x" * 50_000_000, "2,000 levels": DEEP,
}  # fmt: skip
QUICK = ("40,000 letters", "100,000 brackets", "2,000 levels")


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("shape", ["a", "brackets", "cjk"])
def test_twice_the_line_takes_at_most_a_little_more_than_twice_as_long(stage: str, shape: str) -> None:
    assert min(growth(stage, shape, 4_000)[0] for _ in range(2)) < 3.5


def test_a_row_of_letters_is_looked_at_once_by_words_with_any_ending() -> None:
    denials.__wrapped__("warm")

    assert growth("denials", "a", 8_000)[0] < 3.5


def _reviewed(name: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[odd.Ended, str]:
    home = tmp_path / "home"
    (home / ".config" / "reverie").mkdir(parents=True)
    (home / ".config" / "reverie" / "reverie.toml").write_text('[search]\nembedder = "off"\n')
    monkeypatch.setenv("HOME", str(home))
    root = odd.write(tmp_path / "workspace")
    (root / path).write_text(f"# Day\n\n- The heating was repaired by Kern\n\n{LINES[name]}\n")
    return odd.run(root, "review", limit=60), (root / "MEMORY.md").read_text()


@pytest.mark.parametrize("name", QUICK)
def test_a_note_made_to_take_time_costs_no_night(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    night, memory = _reviewed(name, "memory/2026-11-14.md", tmp_path, monkeypatch)

    assert night.code == 0, night
    assert "number 31" in memory  # and the night did its work


@pytest.mark.long
@pytest.mark.parametrize("path", ["MEMORY.md", "memory/2026-11-14.md"])
@pytest.mark.parametrize("name", LINES)
def test_no_line_of_any_file_takes_the_night(
    name: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    night, _ = _reviewed(name, path, tmp_path, monkeypatch)

    too_large = path == "MEMORY.md" and len(LINES[name].encode()) > LARGEST_MEMORY
    assert night.code == 0 or (too_large and "MB" in night.err), night


def test_what_is_too_long_stays_as_it_is_and_is_named() -> None:
    document = parse("- " + "a" * (LONGEST + 1) + "\n- short\n")

    assert document.doubts == {OVERLONG}
    assert protected_blocks(document) == {0}


def test_what_is_too_deep_is_named() -> None:
    levels = "".join("  " * depth + "- x\n" for depth in range(DEEPEST + 5))

    assert parse(levels).doubts == {TOO_DEEP}
    assert max(block.depth for block in parse(levels).blocks) == DEEPEST


def test_a_long_text_is_cut_between_words_so_that_no_half_of_a_secret_is_left() -> None:
    assert clipped("one two three", 9) == "one two"
    assert clipped("a" * 20, 9) == "a" * 9
