"""At most eight tags of what a short-term memory is about, as OpenClaw makes them."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

MOST_TAGS, _LONGEST = 8, 4_000  # tags; characters that are looked at
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*-->")
_STOP_SINCE_2026_8 = {"the", "you", "user", "assistant"}
_HAN, _KANA, _HANGUL = ("\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff", "\u3040-\u30ff\u31f0-\u31ff", "\u1100-\u11ff\uac00-\ud7af")  # fmt: skip
_CJK = f"{_HAN}{_KANA}{_HANGUL}"
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+(?:[._/-]+[^\W_]+)+")
_NO_TAG = re.compile(r"\d+|\d{4}-\d\d-\d\d(?:\.[a-z0-9]+)?")


@cache
def _words(table: str) -> list[str]:
    return sorted(tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))[table].split())


@cache
def _segment(*, is_ascii: bool) -> re.Pattern[str]:
    """A stop joins letters to letters and digits to digits, as Unicode breaks words: standup.md, 1.2.3, Elsa's."""
    word = r"[^\W_]" if is_ascii else rf"[^\W_{_HAN}{_KANA}]"
    joined = rf"{word}+(?:(?:(?<=[^\W\d_])[.'’_:](?=[^\W\d_])|(?<=\d)[.,'’_;](?=\d)){word}+)*"
    return re.compile(joined if is_ascii else rf"[{_HAN}]+|[\u30a0-\u30ff]+|[\u3040-\u309f]+|{joined}")


def _holds(signs: str, text: str) -> bool:
    return not text.isascii() and re.search(f"[{signs}]", text) is not None  # such a pattern costs a millisecond


def concept_tags(path: str, snippet: str, *, before_2026_8: bool = False) -> tuple[str, ...]:
    text = unicodedata.normalize("NFKC", f"{path.rsplit('/', 1)[-1]} {snippet[:_LONGEST]}")
    text = text if before_2026_8 else _COMMENT.sub(" ", text)
    tags: dict[str, None] = {}
    for word, known in _candidates(text, old=before_2026_8):
        tag = re.sub(r"^[\W_]+|[\W_]+$", "", word).replace("_", "-").lower()
        if _says_something(tag, known=known and not before_2026_8, old=before_2026_8):
            tags.setdefault(tag)
        if len(tags) == MOST_TAGS:
            break
    return tuple(tags)


def _candidates(text: str, *, old: bool) -> Iterator[tuple[str, bool]]:
    low = text.lower()
    for word in sorted([*_words("glossary"), "qmd"]) if old else _words("glossary"):
        if word in low and (len(word) > 2 or _holds(_CJK, word) or re.search(rf"(?<![^\W_]){word}(?![^\W_])", low)):
            yield word, True
    yield from ((match[0], False) for match in _COMPOUND.finditer(text))
    for run in _segment(is_ascii=text.isascii()).findall(text):
        if not _holds(_HAN, run[0]):
            yield run, False
            continue
        # No dictionary: pairs; a last character alone joins the one before it.
        for at in range(0, max(1, len(run) - 1), 2):
            yield run[at:] if at + 3 == len(run) else run[at : at + 2], False


def _says_something(tag: str, *, known: bool, old: bool) -> bool:
    is_number = _NO_TAG.fullmatch(tag) or (not old and re.fullmatch(r"\d+(?:[./-]\d+)+", tag))
    if not tag or len(tag) > 32 or tag in _words("stop") or (not old and tag in _STOP_SINCE_2026_8) or is_number:
        return False
    return len(tag) >= (
        3 if not tag.isascii() and re.fullmatch(f"[{_KANA}]+", tag) else 2 if known or _holds(_CJK, tag) else 3
    )
