"""Telephone numbers: the international form, the forms of countries, and any number behind a word such as `Tel.`.

Not dates, prices, measures, versions or ids: a national form must show how telephones are grouped.
"""

from __future__ import annotations

import re
from functools import cache

from reverie.privacy.numbers import Run

_WORDS = (
    r"phone|\btel\b|telef|tel[ée]f|t[ée]l[ée]ph|mobile?\b|mobil\b|m[óo]vil|celular|handy|portable|\bcell\b|\bfax\b|\bdesk\b|\bcall|\bdial|\b(?:ring|text) (?:me|him|her|us|them)\b|\bsms\b"
    r"|whatsapp|\bsignal\b|messages? (?:to|on)|answering|reach (?:me|him|her|them|us)|registered|hotline|rufnummer|durchwahl|anrufen|телефон|\bтел\b|моб|звони|电话|電話|手机|手機|号码|携帯|전화|휴대폰|연락처"
)

_AFTER = r"(?i:[-, (]{1,3}(?:office|mobile|fax|home|work|cell|desk|büro|mobil|privat)\b)"


@cache
def _forms() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    national = re.compile(
        r"\(\d{2,5}\)[ -]?\d{3,5}[ -]?\d{3,5}"  # (0511) 123456, (602)272-9781, (71) 4233-6306
        r"|(?:1[-. ])?[2-9]\d\d([-.])\d{3}\1\d{4}|\([2-9]\d\d\) ?\d{3}[ -]\d{4}"  # North America
        r"|0\d(?:[ .]\d\d){4}|0\d{3}(?: \d\d){3}"  # France, Belgium
        r"|0\d{1,4}[ /-]{1,3}\d{3,8}(?:[ -]\d{2,4}){0,3}|0\d{1,4}(?: \d{2,4}){2,4}"  # a trunk zero: Europe, Japan, Korea, China
        r"|1[3-9]\d([ -]?)\d{4}\2\d{4}"  # Chinese mobiles
        r"|8[ -]?\(?\d{3}\)?[ -]\d{3}[ -]?\d\d[ -]?\d\d"  # Russia
        r"|\(?\d\d\)? 9\d{4}-\d{4}"  # Brazil
    )
    return (
        national,
        re.compile(_WORDS, re.I),
        re.compile(r"(?: ?(?:x|ext\.?|Durchwahl) ?\d{1,5})(?!\w)"),
        re.compile(
            # Years, dates, decimals, addresses of machines, American zip codes.
            r"\(?(?:19|20)\d\d\D|.*\D(?:19|20)\d\d[-/](?:19|20)\d\d$|(?:.*\D)?\d{1,2}\D\d{1,2}\D{1,2}(?:19|20)\d\d$|\d+\.\d+$|\d{1,3}(?:\.\d{1,3}){3}$|\d{5}-\d{4}$"
        ),
    )


def phone_at(text: str, run: Run) -> tuple[int, int] | None:
    """The place of a telephone number at this run of digits."""
    national, words, extension, years = _forms()
    start, end = run.start, run.end
    if text[start - 1 : start] == "(":
        start -= 1
    more = extension.match(text, end)
    written = text[start:end]
    if more:
        end = more.end()
    if text[start - 1 : start] == "+":
        start -= 1
        glued = text[max(0, start - 1) : start]
        return (
            (start, end)
            if 8 <= len(run.digits) <= 15 and run.digits[0] != "0" and not glued.isalnum() and glued != "⟧"
            else None
        )
    if (
        len(set(run.digits)) <= 2
        or years.match(written)
        or text[start - 1 : start] in ("-", "/", "#", "=", "$", "€", "£", ".")
        or _is_amount(text, end)
    ):
        return None
    count = len(run.digits)
    if national.fullmatch(written) and 8 <= count <= 12:
        # Groups behind a zero need the length of a telephone number; shorter ones are measures and item numbers.
        return (start, end) if written[0] == "(" or count >= 9 else None
    if written.startswith("00") and re.match(r"00[1-9]\d{0,2}[ -]", written) and 10 <= count <= 16:
        return start, end
    if not 7 <= count <= 15 or "/" in written or re.search(r"\d\.\d+ ", written):
        return None
    return (start, end) if words.search(run.before[-36:]) or re.match(_AFTER, text[end : end + 12]) else None


def _is_amount(text: str, end: int) -> bool:
    return text[end : end + 2].lstrip()[:1] in ("€", "$", "%", "£", "¥", "°", "元")
