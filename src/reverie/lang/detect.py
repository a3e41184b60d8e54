"""Which language somebody writes, by script and by function words. Values and words only; nothing is guessed from names.

Nine languages are told apart. Chinese notes are full of Latin names, so a line is judged by its own script first and
the lines vote.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from reverie.lang import ENGLISH, LANGUAGES
from reverie.text.cutting import sentences

_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_WORD = re.compile(r"[a-z\u00e0-\u024f]+")
_HAN_IS_WORTH = 3  # letters: one Chinese character says about as much as three Latin ones

# Words that one of these languages uses constantly. A word of two languages stands in both and decides little.
_FUNCTION_WORDS = {
    "en": "the of and to is are was were for with that this it on at by from has have had not will be they their his her our we she he you an as after before",
    "de": "der die das den dem des und ist sind war nicht ein eine einen einem einer mit auf für von zu zum zur im am bei nach aus auch noch wird werden hat haben sich ich wir sie es als wie vor über um nur",
    "es": "el la los las de del y en que es un una unos con por para se su sus al lo no está están fue como más pero ya hay muy sin sobre hoy porque mi ayer",
    "fr": "le la les des du de et est un une en dans pour avec sur que qui pas ne il elle nous vous au aux ce cette ces sont été mais plus par se sa son je chez",
    "pt": "o a os as de do da dos das e em no na nos nas que é um uma com por para se não foi ao mais mas seu sua já está são pelo pela hoje muito sem ele ela eu",
}  # fmt: skip
_KNOWN = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
_SHARED = Counter(word for words in _KNOWN.values() for word in words)


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
    han, kana, hangul, cyrillic = (len(script.findall(text)) for script in (_HAN, _KANA, _HANGUL, _CYRILLIC))
    latin = len(_LATIN.findall(text))
    if kana and (kana + han) * _HAN_IS_WORTH >= latin:
        return "ja"
    scripts = (("ko", hangul * 2), ("zh", han * _HAN_IS_WORTH), ("ru", cyrillic))
    present = [language for language, letters in scripts if letters]
    if any(letters >= latin for language, letters in scripts if letters):
        return max(scripts, key=lambda script: script[1])[0]
    # Foreign names do not make a foreign sentence; foreign function words do.
    return _by_function_words(text.casefold()) or (present[0] if present else "")


def _by_function_words(text: str) -> str:
    words = _WORD.findall(text)
    scores = {language: sum(1 / _SHARED[word] for word in words if word in known) for language, known in _KNOWN.items()}
    best = max(scores, key=lambda language: scores[language])
    ties = [language for language in scores if scores[language] == scores[best]]
    return best if scores[best] and len(ties) == 1 else ""


def speaks(text: str, language: str) -> bool:
    """Whether a text is written in this language; a line that does not show its language passes, if its script does."""
    parts = [part for part in sentences(text) if line_language(part)]
    others = [part for part in parts if line_language(part) != language]
    if not parts:
        written = any(script.search(text) for script in (_HAN, _KANA, _HANGUL, _CYRILLIC))
        return (language in ("zh", "ja", "ko", "ru")) == written
    return language_of(parts) == language and len(others) * 3 <= len(parts)
