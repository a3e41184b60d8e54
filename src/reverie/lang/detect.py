"""Which language somebody writes, by script and by function words. Nothing is guessed from names.

Chinese notes are full of Latin names, so a line is judged by its own script first and the lines vote. A language says in its
file which script it has (`language.script`) and which words it uses constantly (`language.function_words`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

from reverie.lang import ENGLISH, LANGUAGES, script, words_in
from reverie.text.lines import sentences

SCRIPTS = {
    "latin": r"A-Za-z\u00c0-\u024f",
    "kana": r"\u3041-\u3096\u30a1-\u30fa",
    "hangul": r"\uac00-\ud7af",
    "han": r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "cyrillic": r"\u0400-\u04ff",
}
_WORTH = {"han": 3, "kana": 3, "hangul": 2}  # Latin letters: one Chinese character says about as much as three of them
_UNDIVIDED = ("han", "kana", "hangul")  # words are not divided by blanks, or carry what others write apart
_WORD = re.compile(r"[^\W\d_]+")


@cache
def letter_of(name: str) -> re.Pattern[str]:
    """A letter of a script."""
    return re.compile(f"[{SCRIPTS[name]}]")


def is_glued(language: str) -> bool:
    """Whether a language writes its words, or what belongs to them, without a blank between."""
    return script(language) in _UNDIVIDED


def language_of_environment(environ: Mapping[str, str]) -> str:
    """The language that a machine is set to (`LANG=de_DE.UTF-8`), if there is a file for it; else English."""
    named = next(filter(None, (environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return named[:2] if named[:2] in LANGUAGES and not named[2:3].isalpha() else ENGLISH


def language_of(texts: Iterable[str], unknown: str = ENGLISH) -> str:
    """The language most of these lines are written in; English, or what is given, where nothing can be told."""
    votes: Counter[str] = Counter()
    for text in texts:
        if spoken := line_language(text):
            votes[spoken] += min(len(text), 200)  # one pasted page is not a hundred notes
    kanji = votes["zh"] if votes["ja"] * 4 > votes["zh"] else 0  # Japanese has lines without a single kana
    votes["ja"], votes["zh"] = votes["ja"] + kanji, votes["zh"] - kanji
    return max(LANGUAGES, key=lambda language: votes[language]) if votes.total() else unknown


def line_language(text: str) -> str:
    """The language of one line, or nothing where neither its script nor a function word tells."""
    seen = ("latin",) if text.isascii() else SCRIPTS  # the sets of the large scripts take longer to build than to use
    letters = {
        name: len(letter_of(name).findall(text)) * _WORTH.get(name, 1) if name in seen else 0 for name in SCRIPTS
    }
    latin, kana = letters.pop("latin"), letters.pop("kana")
    if kana and kana + letters["han"] >= latin:  # Japanese is written with both
        return _of_script("kana", text)
    present = [name for name, count in letters.items() if count]
    if any(letters[name] >= latin for name in present):
        return _of_script(max(letters, key=lambda name: letters[name]), text)
    # Foreign names do not make a foreign sentence; foreign function words do.
    return _of_script("latin", text) or (_of_script(present[0], text) if present else "")


def _of_script(name: str, text: str) -> str:
    """The language of this script whose function words the text has; one that has the script for itself needs none."""
    known = _function_words(name)
    if len(known) == 1:
        return next(iter(known))
    shared = _shared_words(name)
    said = [word for word in _WORD.findall(text.casefold()) if word in shared]
    # A word of two languages stands in both and decides little.
    scores = {language: sum(1 / shared[word] for word in said if word in words) for language, words in known.items()}
    best = max(scores.values())
    leading = [language for language, score in scores.items() if score == best]
    return leading[0] if best and len(leading) == 1 else ""


@cache
def _shared_words(name: str) -> Counter[str]:
    """In how many languages of a script each function word stands."""
    return Counter(word for words in _function_words(name).values() for word in words)


@cache
def _function_words(name: str) -> Mapping[str, frozenset[str]]:
    return {
        language: frozenset(words_in("language.function_words", language))
        for language in LANGUAGES
        if script(language) == name
    }


def speaks(text: str, language: str) -> bool:
    """Whether a text is written in this language; a line that does not show its language passes, if its script does."""
    parts = [part for part in sentences(text) if line_language(part)]
    others = [part for part in parts if line_language(part) != language]
    if not parts:
        written = any(letter_of(name).search(text) for name in SCRIPTS if name != "latin")
        return (script(language) != "latin") == written
    return language_of(parts) == language and len(others) * 3 <= len(parts)
