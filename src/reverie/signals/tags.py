"""At most eight tags of what a short-term memory is about, as OpenClaw makes them."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path

MOST_TAGS, _LONGEST = 8, 4_000  # tags; characters that are looked at
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*-->")
_WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
_GLOSSARY, _STOP = sorted(_WORDS["glossary"].split()), set(_WORDS["stop"].split())
_STOP_SINCE_2026_8 = {"the", "you", "user", "assistant"}
_HAN, _KANA, _HANGUL = ("\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff", "\u3040-\u30ff\u31f0-\u31ff", "\u1100-\u11ff\uac00-\ud7af")  # fmt: skip
_CJK = re.compile(f"[{_HAN}{_KANA}{_HANGUL}]+")
_WORD = rf"[^\W_{_HAN}{_KANA}]"
# A stop joins letters to letters and digits to digits, as Unicode breaks words: standup.md, 1.2.3, Elsa's.
_SEGMENT = re.compile(
    rf"[{_HAN}]+|[\u30a0-\u30ff]+|[\u3040-\u309f]+"
    rf"|{_WORD}+(?:(?:(?<=[^\W\d_])[.'’_:](?=[^\W\d_])|(?<=\d)[.,'’_;](?=\d)){_WORD}+)*"
)
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+(?:[._/-]+[^\W_]+)+")
_NO_TAG = re.compile(r"\d+|\d{4}-\d\d-\d\d(?:\.[a-z0-9]+)?")


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
    for word in sorted([*_GLOSSARY, "qmd"]) if old else _GLOSSARY:
        if word in low and (len(word) > 2 or _CJK.search(word) or re.search(rf"(?<![^\W_]){word}(?![^\W_])", low)):
            yield word, True
    yield from ((match[0], False) for match in _COMPOUND.finditer(text))
    for match in _SEGMENT.finditer(text):
        run = match[0]
        if not re.match(f"[{_HAN}]", run):
            yield run, False
            continue
        for at in range(
            0, max(1, len(run) - 1), 2
        ):  # no dictionary: pairs; a last character alone joins the one before it
            yield run[at:] if at + 3 == len(run) else run[at : at + 2], False


def _says_something(tag: str, *, known: bool, old: bool) -> bool:
    is_number = _NO_TAG.fullmatch(tag) or (not old and re.fullmatch(r"\d+(?:[./-]\d+)+", tag))
    if not tag or len(tag) > 32 or tag in _STOP or (not old and tag in _STOP_SINCE_2026_8) or is_number:
        return False
    return len(tag) >= (3 if re.fullmatch(f"[{_KANA}]+", tag) else 2 if known or _CJK.search(tag) else 3)
