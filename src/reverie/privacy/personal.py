"""Personal data in a text, by kind: mail addresses, telephones, cards, accounts, numbers of states, chat ids, network addresses.

Precision first, because notes are full of numbers: a number must prove itself by its check digits, by the form only
telephones have, or by the word before it. The words are in the table `personal` of the language files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import NamedTuple

from reverie.lang import words

KINDS = frozenset({"email", "phone", "card", "iban", "national-id", "chat-id", "ip"})
_NUMERIC = frozenset({"phone", "card", "national-id", "chat-id"})
Place = tuple[str, int, int]
# Addresses that name a service or a picture, not a person: `git@github.com:owner/repo`, `icon@2x.png`.
_NO_PERSON = re.compile(r"git|hg|svn|no-?reply|donotreply", re.I)
_NO_DOMAIN = re.compile(r"(?:s\.whatsapp\.net|@[cg]\.us|\.(?:png|jpe?g|gif|svg|webp|css|js|py))$", re.I)
_REACH = 48  # characters in which a word may name the number that follows
_LONGEST = 40  # digits; what is longer is no number of a person


def personal_spans(text: str, kinds: frozenset[str]) -> Iterator[Place]:
    """Where a text holds personal data of these kinds. No two of the places overlap."""
    claimed: list[Place] = []
    if "email" in kinds and "@" in text:
        claimed += (("email", *found.span()) for found in _email().finditer(text) if _is_person(found))
    if "iban" in kinds:
        claimed += _accounts(text)
    if "ip" in kinds:
        claimed += (("ip", *found.span()) for found in _ip().finditer(text))
    if "national-id" in kinds:
        claimed += (("national-id", *span) for span in _fiscal_codes(text))
    claimed.sort(key=lambda place: place[1])
    yield from claimed
    if not kinds.isdisjoint(_NUMERIC):
        yield from _numbers(text, kinds, claimed[::-1])


def _numbers(text: str, kinds: frozenset[str], claimed: list[Place]) -> Iterator[Place]:
    free = [run for run in _runs(text) if not _touches(run, claimed)]
    chats = frozenset(run.digits for run in free if _is_chat(text, run)) if "chat-id" in kinds else frozenset()
    for run in free:
        named = _word("cards").search(run.before) is not None
        place: tuple[int, int] | None = run.start, run.end
        if "card" in kinds and not run.lettered and 12 <= len(run.digits) <= 19 and is_card(run.digits, named=named):
            kind = "card"
        elif "national-id" in kinds and (place := _national_id(text, run)):
            kind = "national-id"
        elif run.lettered:
            continue
        elif run.digits in chats:  # an id learned from its label is hidden wherever it stands in this text
            kind, place = "chat-id", (run.start, run.end)
        elif "phone" in kinds and (place := _phone_at(text, run)):
            kind = "phone"
        else:
            continue
        if place:
            yield kind, *place


@cache
def _word(group: str) -> re.Pattern[str]:
    """A word of the table `personal`, in any language."""
    return re.compile("|".join(words(f"personal.{group}")), re.I)


# ---- runs of digits


class DigitRun(NamedTuple):
    """Digits divided by at most two of ` .-/()`, with the words before them.

    The words reach back to the number or the mask before, so that a word names one number only, and masking one cannot give its
    word to the next.
    """

    start: int
    end: int
    digits: str
    before: str
    lettered: bool  # behind one or two capitals, as in `X1234567L`: some states number people so, nobody else


@cache
def _run_patterns() -> tuple[re.Pattern[str], ...]:
    day = r"(?:19|20)\d\d([-./]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./])(?:0?[1-9]|1[0-2])\2(?:19|20)\d\d"
    return (
        re.compile(r"\d(?:[ .\-/()]{0,2}\d){5,}+"),
        re.compile(rf"(?:{day})(?:$|[ -]+(?:\d\d[ -.:]?\d\d$)?)"),
        re.compile(r"[^⟦⟧]*$"),
        re.compile(r"(?<![\w⟧.-])[A-Z]{1,2}$"),
    )


def _runs(text: str) -> Iterator[DigitRun]:
    """Every run of six digits or more that is not a date, in order."""
    run, day, unmasked, letters = _run_patterns()
    last = 0
    for found in run.finditer(text):
        start, end = found.span()
        while dated := day.match(text, start, end):
            start = dated.end()
        digits = "".join(char for char in text[start:end] if char.isdigit())
        lettered = letters.search(text, max(0, start - 3), start) is not None
        if 6 <= len(digits) <= _LONGEST and digits.isascii() and (lettered or not _is_glued(text, start, end)):
            before = unmasked.search(text, max(last, start - _REACH), start)
            yield DigitRun(start, end, digits, before[0] if before else "", lettered)
        last = end


def _is_glued(text: str, start: int, end: int) -> bool:
    """Part of a longer word, a decimal or a path: `rev20261027`, `0.123456`, `3.14159265`, `a/1234567`."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before and (before[-1] in "_⟧" or (before[-1].isalpha() and before[-1].isascii())):
        return True
    return (
        (len(before) == 2 and before[-1] in ".," and before[0].isdigit())
        or after[:1] in ("_", "⟦")
        or (after[:1] == "," and after[1:].isdigit())
    )


def _touches(run: DigitRun, claimed: list[Place]) -> bool:
    """Asked in order of the text, last claim first in the list, so that what lies behind is let go."""
    while claimed and claimed[-1][2] <= run.start:
        claimed.pop()
    return bool(claimed) and claimed[-1][1] < run.end


# ---- mail, network addresses, chats


@cache
def _email() -> re.Pattern[str]:
    local = r"\w.!#$%&'*+/=?^{|}~-"
    return re.compile(
        rf"(?<![{local}⟧])[\w+%][\w.+%'-]{{0,63}}@(?:[^\W_](?:[\w-]{{0,61}}[^\W_])?\.){{1,8}}[^\W\d_]{{2,24}}(?![\w⟦]|\.\w)"
    )


def _is_person(found: re.Match[str]) -> bool:
    name, at, domain = found[0].partition("@")
    return _NO_PERSON.fullmatch(name) is None and _NO_DOMAIN.search(at + domain) is None


@cache
def _ip() -> re.Pattern[str]:
    byte = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
    short = r"[0-9a-fA-F]{1,4}"
    return re.compile(
        rf"(?<![\w.:⟧-])(?<!v )(?<!version )(?<!ection ){byte}(?:\.{byte}){{3}}(?![\w⟦-]|\.\d)"
        rf"|(?<![\w:.⟧])(?:(?:{short}:){{7}}{short}|(?:{short}:){{2,6}}(?::{short}){{1,5}}|{short}:(?::{short}){{2,6}}|fe80::{short}|::1)(?![\w:⟦])"
    )


@cache
def _chat() -> tuple[re.Pattern[str], re.Pattern[str]]:
    app = "|".join(words("personal.chat_apps"))
    owner, numbers = "|".join((*words("personal.chats"), app)), "|".join(("ids?", *words("personal.chat_ids")))
    named = rf"(?:{owner})[ _-]?(?:chat|user|group|channel|bot)?s?[ _-]?(?:{numbers})|(?:user|from|group)_?id|(?:{app})(?: (?:chat|user|group|channel|dm))?"
    path = (
        r"(?<![A-Za-z])(?:direct|dm|group|channel|chat|telegram)[\"'`*]{0,3}\s?[:=：]"  # `telegram:direct:…`, `CHAT=…`
    )
    before = re.compile(rf"(?:(?:{named})[\s\"'`*:=：#(|→-]{{1,6}}|{path}[\s\"'`*-]{{0,5}}|<[@#][!&]?)$", re.I)
    return before, re.compile(r"@(?:s\.whatsapp\.net|c\.us|g\.us|lid)\b")


def _is_chat(text: str, run: DigitRun) -> bool:
    if not text[run.start : run.end].isdigit():
        return False
    before, after = _chat()
    return before.search(run.before) is not None or after.match(text, run.end) is not None


# ---- telephones: the international form, the forms of countries, and any number behind a word such as `Tel.`


@cache
def _phone_forms() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    # Not dates, prices, measures, versions or ids: a national form must show how telephones are grouped.
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
        re.compile(rf"(?: ?(?:{'|'.join(words('personal.extensions'))}) ?\d{{1,5}})(?!\w)"),
        re.compile(rf"(?i:[-, (]{{1,3}}(?:{'|'.join(words('personal.phone_places'))})\b)"),
        re.compile(
            # Years, dates, decimals, addresses of machines, American zip codes.
            r"\(?(?:19|20)\d\d\D|.*\D(?:19|20)\d\d[-/](?:19|20)\d\d$|(?:.*\D)?\d{1,2}\D\d{1,2}\D{1,2}(?:19|20)\d\d$|\d+\.\d+$|\d{1,3}(?:\.\d{1,3}){3}$|\d{5}-\d{4}$"
        ),
    )


def _phone_at(text: str, run: DigitRun) -> tuple[int, int] | None:
    """The place of a telephone number at this run of digits."""
    national, extension, place_named, years = _phone_forms()
    start, end, count = run.start, run.end, len(run.digits)
    start -= text[start - 1 : start] == "("
    written = text[start:end]
    if more := extension.match(text, end):
        end = more.end()
    if text[start - 1 : start] == "+":
        glued = text[max(0, start - 2) : start - 1]
        whole = 8 <= count <= 15 and run.digits[0] != "0" and not glued.isalnum() and glued != "⟧"
        return (start - 1, end) if whole else None
    if len(set(run.digits)) <= 2 or years.match(written) or _is_amount(text, start, end):
        return None
    if national.fullmatch(written) and 8 <= count <= 12:
        # Groups behind a zero need the length of a telephone number; shorter ones are measures and item numbers.
        return (start, end) if written[0] == "(" or count >= 9 else None
    if re.match(r"00[1-9]\d{0,2}[ -]", written) and 10 <= count <= 16:
        return start, end
    if not 7 <= count <= 15 or "/" in written or re.search(r"\d\.\d+ ", written):
        return None
    named = _word("phones").search(run.before[-36:]) or place_named.match(text, end, end + 12)
    return (start, end) if named else None


@cache
def _just_named() -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])(?:{'|'.join(words('personal.telephones'))})(?:\s?[.:：])?[\s(]{{0,2}}$", re.I)


def is_named_phone(text: str, start: int, end: int) -> bool:
    """Whether this place is a number of a telephone's length right behind a word for a telephone: personal, and no secret."""
    written = text[start:end]
    number = re.fullmatch(r"[+(]?\d[\d ()/.-]{5,20}\d", written) is not None
    return number and 7 <= sum(map(str.isdigit, written)) <= 15 and follows_telephone(text, start)


def follows_telephone(text: str, start: int) -> bool:
    """Whether what begins here stands right behind a word for a telephone."""
    return _just_named().search(text, max(0, start - _REACH), start) is not None


def _is_amount(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 2].lstrip()[:1]
    return before in (*"-/#=$€£.",) or after in (*"€$%£¥°", *words("personal.amounts"))


# ---- accounts and cards


@cache
def _iban() -> re.Pattern[str]:
    return re.compile(r"(?<![A-Za-z0-9⟧])[A-Za-z]{2}\d\d(?: ?[A-Za-z0-9]){11,30}")


def _accounts(text: str) -> Iterator[Place]:
    for found in _iban().finditer(text):
        end = found.end()
        while end - found.start() >= 15:  # the words after it may look like more of it
            if not text[end : end + 1].isalnum() and is_iban(text[found.start() : end]):
                yield "iban", found.start(), end
                break
            end -= 1


def is_iban(text: str) -> bool:
    return _standard("iban")(text)


def is_card(digits: str, *, named: bool) -> bool:
    """Behind a word that names a card the check digit is enough; else an issuer must have numbers of this form."""
    return _luhn(digits) and (named or re.fullmatch(_CARD, digits) is not None)


_CARD = r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|(?:2131|1800)\d{11}|62\d{14}|220[0-4]\d{12}"

# ---- the numbers states give to people, with their check digits


class IdRule(NamedTuple):
    """A number of a form, valid where its check says so; some count only behind a word that names them."""

    form: str
    valid: Callable[[str], bool]
    named: str = ""  # the list of words in the table `personal.ids`


def _standard(name: str) -> Callable[[str], bool]:
    """The check of python-stdnum for this number, which is loaded when a number of its form is met."""
    return lambda number: bool(import_module(f"stdnum.{name}").is_valid(number))


def _luhn(digits: str) -> bool:
    return _standard("luhn")(digits) and len(set(digits)) > 1


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(d) * w for d, w in zip(digits, weights, strict=False))


def _is_day(year: int, month: int, day: int) -> bool:
    return 1850 <= year <= 2100 and 1 <= month <= 12 and 1 <= day <= 31


# By hand where python-stdnum has no such number, refuses some that states have given (Swedish coordination numbers, Korean ones
# of today), asks for a real day where people are asked for a whole number only, or takes more than a note can afford.


def _itin(n: str) -> bool:
    return n[0] == "9" and 50 <= int(n[3:5]) <= 99


def _resident(n: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return (
        _is_day(int(n[6:10]), int(n[10:12]), int(n[12:14]))
        and "10X98765432"[_weighted(n, weights) % 11] == n[17].upper()
    )


def _dni(n: str) -> bool:
    number = n[:-1].upper().replace("X", "0").replace("Y", "1").replace("Z", "2")
    is_date = _is_day(int(number[:4]), int(number[4:6]), int(number[6:8]))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == n[-1].upper() and not is_date


def _nir(n: str) -> bool:
    month = int(n[3:5])
    return (1 <= month <= 12 or 20 <= month <= 42 or month >= 50) and _standard("fr.nir")(n)


def _snils(n: str) -> bool:
    return _weighted(n, tuple(range(9, 0, -1))) % 101 % 100 == int(n[9:]) and len(set(n)) > 1


def _korean(n: str) -> bool:
    return _is_day(1900 + int(n[:2]), int(n[2:4]), int(n[4:6]))


def _swedish(n: str) -> bool:
    return _luhn(n[-10:]) and _is_day(1900, int(n[-8:-6]), int(n[-6:-4]) % 60)


def _pesel(n: str) -> bool:
    return (10 - _weighted(n, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) % 10 == int(n[10])


def _always(_: str) -> bool:
    return True


_IDS = (
    IdRule(r"\d{3}-\d{2}-\d{4}", _standard("us.ssn")),
    IdRule(r"\d{3}[ -]?\d{2}[ -]?\d{4}", _standard("us.ssn"), "us_ssn"),
    IdRule(r"9\d{2}-\d{2}-\d{4}", _itin),
    IdRule(r"[1-9]\d(?: \d{3}){3}|[1-9]\d{10}", _standard("de.idnr"), "german_tax"),
    IdRule(r"[1-9]\d{16}[\dXx]", _resident),
    IdRule(r"\d{8}-?[A-HJ-NP-TV-Z]|[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", _dni),
    IdRule(r"[12378] ?\d\d ?\d\d ?(?:\d\d|2[ABab]) ?\d{3} ?\d{3} ?\d\d", _nir),
    IdRule(r"\d{3}\.\d{3}\.\d{3}-\d\d", _standard("br.cpf")),
    IdRule(r"\d{9}-?\d\d", _standard("br.cpf"), "brazilian_cpf"),
    IdRule(r"\d{3}-\d{3}-\d{3}[ -]\d\d", _snils),
    IdRule(r"\d{11}", _snils, "russian_snils"),
    IdRule(r"\d{12}", _standard("ru.inn"), "russian_inn"),
    IdRule(r"\d{6}-[1-4]\d{6}", _korean),
    IdRule(r"(?:19|20)?\d{6}[-+]\d{4}", _swedish, "swedish"),
    IdRule(r"\d{11}", _pesel, "polish_pesel"),
    IdRule(r"\d{9}", _standard("nl.bsn"), "dutch_bsn"),
    IdRule(r"[1235689]\d{2} ?\d{3} ?\d{3}", _standard("pt.nif"), "portuguese_nif"),
    IdRule(r"\d{3}[ -]?\d{3}[ -]?\d{3}", _luhn, "canadian_sin"),
    IdRule(r"\d{4}[ -]?\d{4}[ -]?\d{4}", _standard("jp.in_"), "japanese"),
    IdRule(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D]", _always, "british_insurance"),
    IdRule(r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", _always, "indian_aadhaar"),
    IdRule(r"(?=[A-Z]{0,9}\d)[A-Z0-9]{8,9}", _always, "passport"),
)
_AROUND = r"(?<![\w⟧.-])(?:%s)(?![\w⟦])"


@cache
def _id_forms() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], IdRule], ...]]:
    """One pattern for a number of any form, and one for each rule."""
    either = "|".join(dict.fromkeys(rule.form for rule in _IDS))
    return re.compile(_AROUND % either), tuple((re.compile(_AROUND % rule.form), rule) for rule in _IDS)


def _national_id(text: str, run: DigitRun) -> tuple[int, int] | None:
    """The number of a person at this run of digits, with the letters that belong to it."""
    either, rules = _id_forms()
    first, last = max(0, run.start - 3), run.end + 2
    if not either.search(text, first, last):  # most runs have none of the forms
        return None
    for form, rule in rules:
        found = form.search(text, first, last)
        named = not rule.named or _word(f"ids.{rule.named}").search(run.before)
        if found and named and rule.valid(re.sub(r"[ .+-]", "", found[0])):
            return found.span()
    return None


@cache
def _fiscal_code() -> re.Pattern[str]:
    return re.compile(r"\d\d[A-EHLMPR-Ta-ehlmpr-t]\d\d[A-Za-z]\d{3}[A-Za-z](?![\w⟦])")


def _fiscal_codes(text: str) -> Iterator[tuple[int, int]]:
    """Italian tax codes: letters around few digits, so no run of digits leads to them."""
    for found in _fiscal_code().finditer(text):
        start = found.start() - 6
        head = text[max(0, start - 1) : found.start()]
        glued = len(head) == 7 and (head[0].isalnum() or head[0] in "_⟧")
        letters = start >= 0 and head[-6:].isascii() and head[-6:].isalpha()
        if letters and not glued and _standard("it.codicefiscale")(text[start : found.end()]):
            yield start, found.end()
