"""Numbers that prove themselves: cards, accounts and the numbers states give to people, with their check digits.

Each rule says where a number may stand (`bare`, or only behind a word that names it) and when it is valid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from reverie.privacy.numbers import Run

# How long an account number is, country by country.
_IBAN_LENGTHS = (
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21"
    "HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22"
    "SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20"
)
# Issuers and the lengths of their numbers. Behind a word that names a card the check digit alone is enough.
_CARD = r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|(?:2131|1800)\d{11}|62\d{14}|220[0-4]\d{12}"


class Rule(NamedTuple):
    shape: str
    valid: Callable[[str], bool]
    word: str = ""  # the number counts only behind this; empty: its form is enough


def luhn(digits: str) -> bool:
    total = sum(int(d) for d in digits[-1::-2]) + sum(sum(divmod(2 * int(d), 10)) for d in digits[-2::-2])
    return total % 10 == 0 and len(set(digits)) > 1


def is_iban(text: str) -> bool:
    code = "".join(text.split()).upper()
    country = _IBAN_LENGTHS.find(code[:2])
    if country < 0 or _IBAN_LENGTHS[country + 2 : country + 4] != str(len(code)):
        return False
    return int("".join(str(int(char, 36)) for char in code[4:] + code[:4])) % 97 == 1


def is_card(digits: str, *, named: bool) -> bool:
    return luhn(digits) and (named or re.fullmatch(_CARD, digits) is not None)


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(d) * w for d, w in zip(digits, weights, strict=False))


def _is_day(year: int, month: int, day: int) -> bool:
    return 1850 <= year <= 2100 and 1 <= month <= 12 and 1 <= day <= 31


def _ssn(n: str) -> bool:
    return (
        n[:3] not in ("000", "666")
        and n[0] != "9"
        and n[3:5] != "00"
        and n[5:] != "0000"
        and n not in ("123456789", "078051120")
    )


def _itin(n: str) -> bool:
    return n[0] == "9" and 50 <= int(n[3:5]) <= 99


def _steuer_id(n: str) -> bool:
    counts = sorted(n[:10].count(d) for d in set(n[:10]))
    if n[0] == "0" or counts[-1] not in (2, 3) or counts[-2] != 1:
        return False
    product = 10
    for d in n[:10]:
        product = ((int(d) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(n[10])


def _resident(n: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return (
        _is_day(int(n[6:10]), int(n[10:12]), int(n[12:14]))
        and "10X98765432"[_weighted(n, weights) % 11] == n[17].upper()
    )


def _dni(n: str) -> bool:
    number = n[:-1].upper().replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == n[-1].upper() and not _is_day(
        int(number[:4]), int(number[4:6]), int(number[6:8])
    )


def _nir(n: str) -> bool:
    number = n.upper().replace("2A", "19").replace("2B", "18") if n[5:7].upper() in ("2A", "2B") else n
    month = int(number[3:5])
    return (
        number.isdigit()
        and (1 <= month <= 12 or 20 <= month <= 42 or month >= 50)
        and 97 - int(number[:13]) % 97 == int(number[13:])
    )


def _cpf(n: str) -> bool:
    first = _weighted(n, tuple(range(10, 1, -1))) * 10 % 11 % 10
    second = _weighted(n, tuple(range(11, 1, -1))) * 10 % 11 % 10
    return len(set(n)) > 1 and n[9:] == f"{first}{second}"


def _snils(n: str) -> bool:
    return _weighted(n, tuple(range(9, 0, -1))) % 101 % 100 == int(n[9:]) and len(set(n)) > 1


def _inn(n: str) -> bool:
    first = _weighted(n, (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    second = _weighted(n, (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    return n[10:] == f"{first}{second}"


def _fiscal_code(n: str) -> bool:
    odd = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23), strict=True))  # fmt: skip
    code = n.upper()
    even = sum(int(char) if char.isdigit() else ord(char) - 65 for char in code[1:15:2])
    return chr(65 + (sum(odd[char] for char in code[0:15:2]) + even) % 26) == code[15]


def _korean(n: str) -> bool:
    return _is_day(1900 + int(n[:2]), int(n[2:4]), int(n[4:6]))


def _swedish(n: str) -> bool:
    return luhn(n[-10:]) and _is_day(1900, int(n[-8:-6]), int(n[-6:-4]) % 60)


def _pesel(n: str) -> bool:
    return (10 - _weighted(n, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) % 10 == int(n[10])


def _bsn(n: str) -> bool:
    return (_weighted(n, (9, 8, 7, 6, 5, 4, 3, 2)) - int(n[8])) % 11 == 0 and len(set(n)) > 1


def _nif(n: str) -> bool:
    rest = 11 - _weighted(n, (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return (rest if rest < 10 else 0) == int(n[8])


def _my_number(n: str) -> bool:
    rest = _weighted(n[10::-1], (2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6)) % 11
    return (0 if rest <= 1 else 11 - rest) == int(n[11])


def _always(_: str) -> bool:
    return True


RULES = {
    "us social security": Rule(r"\d{3}-\d{2}-\d{4}", _ssn), "us social security, named": Rule(r"\d{3}[ -]?\d{2}[ -]?\d{4}", _ssn, r"ssn|social[ -]?security"),
    "us taxpayer": Rule(r"9\d{2}-\d{2}-\d{4}", _itin), "german tax id": Rule(r"[1-9]\d(?: \d{3}){3}|[1-9]\d{10}", _steuer_id, r"steuer|idnr|identifikationsnummer|tax id|\btin\b"),
    "chinese resident": Rule(r"[1-9]\d{16}[\dXx]", _resident), "spanish dni": Rule(r"\d{8}-?[A-HJ-NP-TV-Z]|[XYZ]-?\d{7}-?[A-HJ-NP-TV-Z]", _dni),
    "french nir": Rule(r"[12378] ?\d\d ?\d\d ?(?:\d\d|2[ABab]) ?\d{3} ?\d{3} ?\d\d", _nir), "brazilian cpf": Rule(r"\d{3}\.\d{3}\.\d{3}-\d\d", _cpf), "brazilian cpf, named": Rule(r"\d{9}-?\d\d", _cpf, r"\bcpf"),
    "russian snils": Rule(r"\d{3}-\d{3}-\d{3}[ -]\d\d", _snils), "russian snils, named": Rule(r"\d{11}", _snils, "снилс|snils"), "russian inn": Rule(r"\d{12}", _inn, r"инн|\binn\b"),
    "korean resident": Rule(r"\d{6}-[1-4]\d{6}", _korean),
    "swedish": Rule(r"(?:19|20)?\d{6}[-+]\d{4}", _swedish, r"personnummer|personnr"), "polish pesel": Rule(r"\d{11}", _pesel, "pesel"), "dutch bsn": Rule(r"\d{9}", _bsn, r"\bbsn|burgerservicenummer|sofinummer"),
    "portuguese nif": Rule(r"[1235689]\d{2} ?\d{3} ?\d{3}", _nif, r"\bnif\b|contribuinte"), "canadian sin": Rule(r"\d{3}[ -]?\d{3}[ -]?\d{3}", luhn, r"\bsin\b|social insurance"), "japanese": Rule(r"\d{4}[ -]?\d{4}[ -]?\d{4}", _my_number, "マイナンバー|個人番号|my number"),
    "british insurance": Rule(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D]", _always, r"\bnino?\b|national insurance"), "indian aadhaar": Rule(r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", _always, "aadhaar|आधार"),
    "passport": Rule(r"(?=[A-Z]{0,9}\d)[A-Z0-9]{8,9}", _always, r"(?:passport|reisepass|pasaporte|passeport|护照|護照|パスポート|여권)(?: ?(?:no|nr|number|nummer|número|numéro|号码?|番号|번호))?\.?"),
}  # fmt: skip


@cache
def _shapes() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], Rule, re.Pattern[str]], ...]]:
    """One pattern for a number of any shape, and for each rule its shape and its word."""
    around = r"(?<![\w⟧.-])(?:%s)(?![\w⟦])"
    either = "|".join({rule.shape: "" for rule in RULES.values()})
    return re.compile(around % either), tuple(
        (re.compile(around % rule.shape), rule, re.compile(rule.word, re.I)) for rule in RULES.values()
    )


def national_id(text: str, run: Run) -> tuple[int, int] | None:
    """The number of a person at this run of digits, with the letters that belong to it."""
    either, rules = _shapes()
    first, last = max(0, run.start - 3), run.end + 2
    if not either.search(text, first, last):  # most runs have none of the shapes
        return None
    for shape, rule, word in rules:
        found = shape.search(text, first, last)
        if found and rule.valid(re.sub(r"[ .+-]", "", found[0])) and (not rule.word or word.search(run.before)):
            return found.span()
    return None


@cache
def _fiscal() -> re.Pattern[str]:
    return re.compile(r"\d\d[A-EHLMPR-Ta-ehlmpr-t]\d\d[A-Za-z]\d{3}[A-Za-z](?![\w⟦])")


def fiscal_codes(text: str) -> Iterator[tuple[int, int]]:
    """Italian tax codes: letters around few digits, so no run of digits leads to them."""
    for found in _fiscal().finditer(text):
        start = found.start() - 6
        head = text[max(0, start - 1) : found.start()]
        glued = len(head) == 7 and (head[0].isalnum() or head[0] in "_⟧")
        if (
            start >= 0
            and not glued
            and head[-6:].isascii()
            and head[-6:].isalpha()
            and _fiscal_code(text[start : found.end()])
        ):
            yield start, found.end()
