"""Words of a language stand in `lang/` and nowhere else: no letter of another script, and few lists of words, in other modules.

The ceilings may only fall. A list of codes (kinds, groups, fields of a file) looks like a list of words and is counted as one.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import reverie

PACKAGE = Path(reverie.__file__).parent
FEWEST = 6  # words that make a list
WORD = re.compile(r"[a-z]+(?: [a-z]+)*")
# How many lists of words each package holds today.
CEILING = {"evidence": 1, "judge": 11, "openclaw": 1, "plan": 1, "privacy": 3, "surfaces": 4, "workspace": 4}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module outside `lang/`, with the name of its package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        package = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if package != "lang":
            yield package, path


def is_foreign(letter: str) -> bool:
    """A letter that English is not written with."""
    return not letter.isascii() and unicodedata.category(letter).startswith("L")


def listed(node: ast.AST) -> list[str]:
    """The strings of a literal list, tuple, set or dict, or of a text that is split into words."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            found = parts
        case ast.Dict(values=parts):  # the keys are fields of something
            found = parts
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            return text.split()
        case _:
            return []
    return [part.value for part in found if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def word_lists(path: Path) -> list[str]:
    """Where a module holds a list of words; names that are exported and the values of a type are none."""
    tree = ast.parse(path.read_text("utf-8"))
    exported = [
        one.value for one in tree.body if isinstance(one, ast.Assign) and "__all__" in ast.unparse(one.targets[0])
    ]
    types = [one.slice for one in ast.walk(tree) if isinstance(one, ast.Subscript)]
    none = {id(part) for part in (*exported, *types)}
    return [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for node in ast.walk(tree)
        if id(node) not in none and sum(WORD.fullmatch(word) is not None for word in listed(node)) >= FEWEST
    ]


def test_no_letter_of_another_language_stands_outside() -> None:
    letters = {
        str(path.relative_to(PACKAGE)): found
        for _, path in modules()
        if (found := sorted(set(filter(is_foreign, path.read_text("utf-8")))))
    }

    assert letters == {}


def test_lists_of_words_only_leave() -> None:
    places = [(package, place) for package, path in modules() for place in word_lists(path)]
    counts = Counter(package for package, _ in places)
    above = {
        package: [place for of, place in places if of == package]
        for package in counts
        if counts[package] > CEILING.get(package, 0)
    }

    assert above == {}
