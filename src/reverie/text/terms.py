"""Words that carry no question, in the languages we read. General function words only.

Words as an index knows them, in any script: never split by ASCII rules.

Latin and Cyrillic words are folded and lightly stemmed, so that "allergic to hazelnuts" answers "hazelnut allergy".
Chinese and Japanese become characters and pairs of characters, so that one- and two-character questions work. ASCII
glued to Chinese ("用Postgres数据库") comes apart where the script changes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_WORDS = """
a an the is are was were be been being am to of in on for and or at by with from as it its this that these those i you he
she they we me my your his her their our us them do does did done have has had having what when where who whom which how
why will would can could should shall may might must about into than then so if not no yes just very there here also
now much many any some more most other get got like
der die das den dem des ein eine einen einem einer eines und oder ist sind war waren sein hat haben wird werden ich du er
sie es wir ihr mich mir dich dir uns euch mein dein von zu zum zur mit auf aus bei nach für im am um als auch nicht noch
wie was wer wo wann warum dass wenn nur schon
el la los las un una unos unas y o es son era fue ser de del al en con por para que se su sus mi tu no lo le les como
cuando donde quien cual qué cuál cómo
le les des du et ou est sont était être a au aux en dans avec pour par que qui ce cette ces il elle nous vous ils je tu se
son sa ses ne pas où quand comment quoi
o os as um uma e é são foi ser do da dos das no na nos nas com por para que se seu sua não como quando onde quem qual
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня еще нет о из ему
это для или мы их кто где когда почему
の に は を が と で も から まで です ます した する して いる ある これ それ この その
的 了 是 在 我 有 和 就 不 人 都 一 他 这 她 们 吗 呢 吧 啊 什 么 什么 怎么 哪里 是什 的是
은 는 이 가 을 를 에 의 와 과 도 로 으로
"""
STOP_WORDS = frozenset(_WORDS.split())


_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u30ff\u31f0-\u31ff"
_THAI = "\u0e00-\u0e7f\u0e80-\u0eff"  # written without spaces too
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0962-\u0963"
_HANGUL = "\uac00-\ud7af\u1100-\u11ff"
_RUN = re.compile(
    rf"(?P<pairs>[{_HAN}{_KANA}{_THAI}]+)|(?P<hangul>[{_HANGUL}]+)"
    rf"|(?P<word>(?:[^\W_{_HAN}{_KANA}{_THAI}{_HANGUL}]|[{_MARKS}])+)"
)
_MARKUP = re.compile(r"<!--.*?-->|(?<!\w)#+|[`*_~>|\[\]]+")
_SAID = re.compile(rf"(?:(?<![\w-])-(?=\d))?(?:{_RUN.pattern})[+#]*")  # C++ is not C, and -5 is not 5
# Longest first. What is left must keep four letters, so that short words stay themselves.
_ENDINGS = (
    "ationally", "izations", "isations", "ization", "isation", "ational", "ations", "ation", "ically", "ingly", "ments", "ment", "ness", "edly",
    "ings", "ies", "ied", "ing", "ical", "ers", "ed", "es", "ic", "en", "er", "em", "ly", "s", "y", "e", "n",
)  # fmt: skip


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, with repetitions; stop words left out."""
    return [term for term in _all(text, asking=False) if term not in STOP_WORDS]


def asked(text: str) -> list[str]:
    """The terms of a question: of Chinese only the pairs, unless a single character is all there is."""
    found = list(dict.fromkeys(_all(text, asking=True)))
    return [term for term in found if term not in STOP_WORDS] or found


@lru_cache(maxsize=20_000)  # a claim is asked for its key again and again
def plain(text: str) -> str:
    """A text without case, markup, punctuation and spacing: what makes two lines the same claim."""
    bare = _MARKUP.sub(" ", _folded(text))
    return " ".join(match[0] for match in _SAID.finditer(bare)) or bare.strip()


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _all(text: str, *, asking: bool) -> Iterator[str]:
    for run in _RUN.finditer(_folded(text)):
        if pairs := run["pairs"] or run["hangul"]:
            if run["hangul"] or not asking or len(pairs) == 1:
                yield from (pairs if run["pairs"] else (pairs,))
            yield from (pairs[i : i + 2] for i in range(len(pairs) - 1))
        elif run[0] in STOP_WORDS:
            yield run[0]
        elif found := stem(run[0]):
            yield found


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its commonest ending; accents of Latin letters are dropped, as people type them or not."""
    word = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    word = unicodedata.normalize("NFC", word)
    if not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            # "Saturdays" is "Saturday" first, and must end where "Saturday" ends.
            return word[:-1] if ending == "s" and word[-1] in "ye" and len(word) > 4 else word
    return word
