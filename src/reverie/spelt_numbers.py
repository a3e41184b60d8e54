"""The numbers of a text whatever way they are written: 18,000 is 18.000 is 18000, three is 3 and 三十 is 30.

Values and words only. A one is no number here, because it is an article in most languages and part of a hundred words in Chinese.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ISO_DAY = re.compile(r"(?<!\d)(\d{4})-\d{2}(?:-\d{2})?(?!\d)")
_GROUPED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:([.,'’ \u00a0\u202f])\d{3}(?:\1\d{3})*)(?!\d)")
_NUMBER = re.compile(r"(?<!\d)\d+(?:[.,:]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
_WEEKDAY = re.compile(r"(?:[周週]|星期|礼拜|禮拜)[一二三四五六日天]")  # the 二 of 周二 counts nothing
_HAN_NUMERAL = re.compile(r"[零〇一二三四五六七八九十百千万两兩]+")
# Chinese words that are written with a numeral and count nothing.
_NO_COUNT = re.compile(
    r"十分|千万(?=不|别|要)|万一|再三|三思|万分|百般|四处|四周|七上八下|千方百计|万事|两旁|十足|三三两两|千丝万缕"
)
_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "两": 2,
    "兩": 2,
}
_PLACES = {"十": 10, "百": 100, "千": 1_000}
_SPELT = {
    "two three four five six seven eight nine ten eleven twelve": range(2, 13),
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf": range(2, 13),
    "dos tres cuatro cinco seis siete ocho nueve diez": range(2, 11),
    "deux trois quatre cinq six sept huit neuf dix onze douze": range(2, 13),
    "dois três quatro cinco seis sete oito nove dez onze doze": range(2, 13),
    "два три четыре пять шесть семь восемь девять десять": range(2, 11),
    "двух трёх четырёх пяти шести семи восьми девяти десяти": range(2, 11),
    "twenty thirty forty fifty sixty seventy eighty ninety": range(20, 100, 10),
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig": range(20, 100, 10),
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa": range(20, 100, 10),
    "vingt trente quarante cinquante soixante": range(20, 70, 10),
    "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa": range(20, 100, 10),
    "двадцать тридцать сорок пятьдесят": range(20, 60, 10),
    "hundred thousand dozen": (100, 1_000, 12),
    "hundert tausend dutzend": (100, 1_000, 12),
    "cien mil docena": (100, 1_000, 12),
    "cent mille douzaine": (100, 1_000, 12),
    "cem duas dúzia": (100, 2, 12),
    "сто тысяча две дюжина": (100, 1_000, 2, 12),
}
_VALUES = {
    word.casefold(): value
    for words, values in _SPELT.items()
    for word, value in zip(words.split(), values, strict=True)
}


@lru_cache(maxsize=5_000)
def numbers_of(text: str) -> frozenset[str]:
    """Every number of a text in one spelling. Of a day in ISO form only the year counts: the 15 of a date is no amount."""
    text = unicodedata.normalize("NFKC", text)
    years = frozenset(_ISO_DAY.findall(text))
    rest = _ISO_DAY.sub(" ", text)
    joined = _GROUPED.sub(lambda found: re.sub(r"\D", "", found[0]), rest)
    figures = frozenset(_one_spelling(found) for found in _NUMBER.findall(joined))
    words = frozenset(str(_VALUES[word]) for word in _WORD.findall(rest.casefold()) if word in _VALUES)
    return years | figures | words | _chinese(rest)


def _one_spelling(number: str) -> str:
    """`09:30` is `9:30`, and a decimal comma is a point."""
    first, *rest = re.split(r"[.,:]", number)
    mark = ":" if ":" in number else "."
    return mark.join((first.lstrip("0") or "0", *rest))


def _chinese(text: str) -> frozenset[str]:
    runs = _HAN_NUMERAL.findall(_NO_COUNT.sub(" ", _WEEKDAY.sub(" ", text)))
    return frozenset(str(value) for run in runs if run != "一" and (value := _value(run)) > 1)


def _value(run: str) -> int:
    """What a Chinese numeral says; digits one after the other, as of a year, are read one by one."""
    if not any(char in _PLACES or char == "万" for char in run):
        return int("".join(str(_DIGITS[char]) for char in run))
    high, many, low = run.partition("万")
    return (_below_10000(high) or 1) * 10_000 + _below_10000(low) if many else _below_10000(run)


def _below_10000(run: str) -> int:
    total, digit = 0, 0
    for char in run:
        if char in _PLACES:
            total, digit = total + (digit or 1) * _PLACES[char], 0
        else:
            digit = _DIGITS.get(char, 0)
    return total + digit
