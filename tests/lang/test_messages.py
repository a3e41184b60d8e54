"""One way to speak to a person: every sentence that code asks for exists, nothing is left over, Chinese has them all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from reverie.lang import LANGUAGES, table
from reverie.lang.messages import say, say_in, speaking, spoken

SOURCE = Path(__file__).parents[2] / "src" / "reverie"
SPOKEN = frozenset({"say", "say_in", "sentence", "_bad"})


def sentences(language: str) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def walk(inside: Mapping[str, Any], prefix: str) -> None:
        for key, value in inside.items():
            if isinstance(value, Mapping):
                walk(value, f"{prefix}{key}.")
            else:
                found[prefix + key] = value

    walk(table(language, "say"), "")
    return found


def places(said: Any) -> set[str]:
    forms = said if isinstance(said, list) else [said]
    return {name for form in forms for _, name, _, _ in Formatter().parse(str(form)) if name}


def asked_for() -> Iterator[tuple[str, str]]:
    """Every name that code says, with the file; `*` where part of a name is only known when it runs."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                called = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
                name = node.args[1] if called == "say_in" and len(node.args) > 1 else node.args[0]
                if called in SPOKEN:
                    yield from ((one, path.name) for one in _names(name))


def _names(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from _names(node.body)
        yield from _names(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)


def test_every_sentence_that_is_asked_for_exists() -> None:
    known = sentences("en")
    missing = [
        f"{path}: {name}"
        for name, path in asked_for()
        if "." in name
        and not any(
            re.fullmatch(re.escape(name).replace(r"\*", ".+"), one) for one in ([name] if name in known else known)
        )
    ]

    assert missing == []


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_a_sentence_has_the_same_places_in_every_language(language: str) -> None:
    english = sentences("en")
    wrong = [
        name
        for name, said in sentences(language).items()
        if name in english and not places(said) <= places(english[name])
    ]

    assert wrong == []


def test_chinese_has_every_sentence() -> None:
    told = {
        name for name, said in sentences("en").items() if not str(said).startswith("dream ")
    }  # a command is one in any

    assert sorted(told - sentences("zh").keys()) == []


def test_a_number_chooses_the_form() -> None:
    assert say("show.more", n=1) != say("show.more", n=2).replace("2", "1")
    assert say_in("zh", "show.more", n=2) == "（另有 2 行）"


def test_a_block_may_speak_another_language_and_the_rest_does_not() -> None:
    with speaking("zh"):
        assert say("show.nothing") == "没有要改动的内容。"

    assert (spoken(), say("show.nothing")) == ("en", "Nothing to change.")


def test_a_sentence_that_a_language_lacks_is_said_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    with speaking("xx"):
        assert say("show.nothing") == "Nothing to change."


def test_a_number_brings_its_noun_along() -> None:
    assert say("cli.status.index", lines=1_204, files=1) == "Search index: 1,204 lines of 1 file"
    assert say("cli.search.lines", lines=1, files=2, gone=0) == "1 line indexed; 2 files read, 0 gone."
    with speaking("zh"):
        assert say("daemon.none", minutes=5).startswith("没有找到工作区；每 5 分钟再找一次")


def test_no_sentence_says_a_plural_that_may_be_one() -> None:
    """A number before a noun that is counted names it (`{files:file}`) or has two forms, so that nobody reads "1 files"."""
    plurals = {one[1].replace("{n:,} ", "") for one in table("en", "say.count").values() if isinstance(one, list)}
    plurals -= {"characters", "minutes", "hours", "days"}  # of limits and of long times, never one
    counted = re.compile(rf"\{{(\w+)(?::,)?\}} (?:{'|'.join(sorted(plurals))})\b")

    wrong = {name: text for name, text in sentences("en").items() if isinstance(text, str) and counted.search(text)}

    assert wrong == {}
