"""One spelling of what looks alike: full-width and styled letters, letters of another script, characters that nobody sees.

Two lines that a person reads as the same must be the same to whatever compares them. Nothing that is shown or written goes
through this: it is for comparing only.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_UNSEEN = frozenset({"Cf", "Cc", "Cs", "Co", "Mn", "Me"})
_KEPT = frozenset("\t\n")
_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_OTHER = re.compile("[\u0370-\u03ff\u0400-\u052f\u0531-\u058f]")  # Greek, Cyrillic, Armenian
# Letters that are drawn like a Latin one, and that Latin one.
_TWINS = str.maketrans(
    "\u0410\u0412\u0415\u0417\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d\u04cf\u0491"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd\u03b1\u03b9\u03c1\u03c5\u03f2\u0585\u057d\u0578\u0570\u0433\u043a\u043c\u0442\u0432\u043d",
    "ABE3KMHOPCTYXSIJaeopcyxsijhdqwlr"
    "ABEZHIKMNOPTYXovaipucounhrkmtbh",
)  # fmt: skip
_BACK = {latin: other for other, latin in reversed(_TWINS.items()) if 0x400 <= other < 0x530}
_SMALL = str.maketrans("\u1d00\u0299\u1d04\u1d05\u1d07\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274\u1d0f\u1d18\u0280\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22\u0261\u0251", "abcdeghijklmnoprtuvwyzga")  # fmt: skip


@lru_cache(maxsize=20_000)
def unmasked(text: str) -> str:
    """The text in the letters that it shows: nothing unseen, no styled letters, and each word in one script."""
    if text.isascii():
        return text
    wide = unicodedata.normalize("NFKC", text).translate(_SMALL)
    seen = "".join(char for char in wide if char in _KEPT or not _is_unseen(char))
    latin = len(_LATIN.findall(seen)) > len(_OTHER.findall(seen))
    return _LETTERS.sub(lambda found: _one_script(found[0], latin=latin), seen)


def _is_unseen(char: str) -> bool:
    """Whether a character draws nothing by itself. An accent that belongs to no letter hides one; vowels of Hindi and Thai stay."""
    kind = unicodedata.category(char)
    return kind in _UNSEEN and not (
        kind == "Mn" and not "\u0300" <= char <= "\u036f" and not "\ufe00" <= char <= "\ufe0f"
    )


def _one_script(word: str, *, latin: bool) -> str:
    """A word whose letters are of two scripts, or that could be Latin in a Latin text, in one of them."""
    other = _OTHER.search(word)
    if other is None:
        return word
    if _LATIN.search(word):
        mostly = len(_LATIN.findall(word)) >= len(_OTHER.findall(word))
        return word.translate(_TWINS) if latin or mostly else word.translate(_BACK)
    as_latin = word.translate(_TWINS)
    return as_latin if latin and not _OTHER.search(as_latin) else word
