"""What a narrative of the night must be before it may stand in the diary: a pure check, whoever wrote it.

One paragraph of prose in the owner's language that names nothing which tonight's facts do not name. Other words are free. It
orders nobody about and does not repeat an earlier entry. A narrative that fails is not mended: the built-in entry is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import fields
from functools import cache

from reverie.core.model_calls import Status
from reverie.features.diary.entry import MOST_ALIKE, VOICES, NightFacts, most_alike, word_count
from reverie.features.diary.voices import Voice
from reverie.judge.requests import is_request
from reverie.judge.specifics import unsupported
from reverie.lang.detect import speaks
from reverie.privacy.redact import holds_mask, redacted
from reverie.text.cutting import sentences
from reverie.workspace.values import Statement

FEWEST, MOST = 15, 180  # words
LONGEST = 300  # characters of a reflection
_MARKUP = re.compile(r"[`*#<>|\[\]{}⟦⟧]|__|~~|-{3,}|^\s*(?:[-+•]|\d+[.)])\s|\w+:\w+:(?:start|end)", re.M)
_STRANGE = frozenset(("Cf", "Cc", "Co", "Cs", "Cn", "Mn", "Me", "So", "Sk", "Zl", "Zp"))
_QUOTED = re.compile(r"“[^”]+”|„[^“”]+[“”]|«[^»]+»|「[^」]+」|《[^》]+》|\"[^\"\n]+\"")
# A diary speaks to nobody, and of what it is made of it knows nothing.
_ORDERS = re.compile(
    r"\b(?:you (?:must|should|have to|need to)|make sure|from now on(?!,? (?:i|we|my)\b)|system prompt|as an ai|language model|my instructions"
    r"|du (?:musst|sollst|solltest)|sie (?:müssen|sollten) bitte|ab sofort|debes|tienes que|a partir de ahora|tu dois|vous devez|désormais, (?:il faut|vous)"
    r"|você deve|tens de|a partir de agora|ты долж\w+|вы должны|отныне|sprachmodell|modelo de lenguaje|modèle de langage|modelo de linguagem|языковая модель)\b"
    r"|你(?:必须|应该|需要|要)|请(?:立即|务必|马上)|从现在起|系统提示|语言模型|しなさい|てください|システムプロンプト|言語モデル|하십시오|하세요|해야 합니다|언어 모델",
    re.I,
)


def trouble_with(text: str, night: NightFacts, language: str, earlier: Sequence[str]) -> tuple[Status, str]:
    """(why it may not stand there, in a sentence); (ANSWERED, "") for one that may."""
    if gives_orders(text):
        return Status.OBEYED, "it gives orders"
    if why := _misshapen(text):
        return Status.INVALID, why
    if not speaks(text, language):
        return Status.WRONG_LANGUAGE, "it is not in the owner's language"
    told = (*night.added, *night.updated, *night.retired, *night.questions, *night.themes)
    if strange := [
        one for one in unsupported(text, told, [night.day.isoformat()]) if one.casefold() not in common_words(language)
    ]:
        return Status.UNGROUNDED, f"nothing says {', '.join(strange[:3])}"
    if most_alike(text, earlier) >= MOST_ALIKE:
        return Status.INVALID, "it repeats an earlier entry"
    return Status.ANSWERED, ""


def reflection_trouble(text: str, cites: Sequence[Statement], language: str) -> str:
    """Why a sentence about several notes may not stand in a report; empty for one that may."""
    if gives_orders(text):
        return "it gives orders"
    if why := not_plain(text):
        return why
    if len(text) > LONGEST or not speaks(text, language):
        return "it is too long, or not in the owner's language"
    strange = unsupported(
        text, [said for one in cites for said in (one.text, one.context)], [one.day for one in cites if one.day]
    )
    return f"nothing says {', '.join(strange[:3])}" if strange else ""


def gives_orders(text: str) -> bool:
    """Whether a text wants something done. What it quotes is somebody's, and is looked for in the sources elsewhere."""
    return any(is_request(one) or _ORDERS.search(one) for one in sentences(_QUOTED.sub(" ", text)))


def not_plain(text: str) -> str:
    """Why a text is not one paragraph of prose without a secret; empty when it is."""
    if not text.strip() or "\n" in text or _MARKUP.search(text):
        return "it is not one paragraph of plain prose"
    if any(_is_strange(char) for char in unicodedata.normalize("NFC", text)):
        return "it has signs or characters that nobody sees"
    return "it holds a secret or personal data" if holds_mask(text) or redacted(text) != text else ""


def _is_strange(char: str) -> bool:
    """A character without width or place, one that turns the line round, an accent on nothing, or a picture: a pin is one."""
    return unicodedata.category(char) in _STRANGE and char not in "°№"


def _misshapen(text: str) -> str:
    if why := not_plain(text):
        return why
    return "" if FEWEST <= word_count(text) <= MOST else f"it has {word_count(text)} words"


@cache
def common_words(language: str) -> frozenset[str]:
    """The words of our own diary in this language: whoever uses them names nobody."""
    voice = VOICES[language]
    told = " ".join(_strings(getattr(voice, field.name)) for field in fields(Voice))
    return frozenset(re.findall(r"[^\W\d_]+", told.casefold())) - {day.casefold() for day in voice.weekdays}


def _strings(value: object) -> str:
    return value if isinstance(value, str) else " ".join(map(_strings, value)) if isinstance(value, tuple) else ""
