"""Numbers of people, which must not enter long-term memory: telephones, cards and bank accounts."""

from __future__ import annotations

import re

from reverie.privacy.formats import form

_REACH = 48  # characters before a number in which a word may name it


def private_number(text: str) -> bool:
    """Whether a text holds the number of a telephone, a card or a bank account."""
    if any(map(_is_account, form("account").findall(text.upper()))):
        return True
    for found in form("digits").finditer(text):
        before = text[max(0, found.start() - _REACH) : found.start()].lower()
        if _is_card(found[0], before) or _is_phone(found[0], before):
            return True
    return False


def _is_account(written: str) -> bool:
    """The check of an IBAN: its first four characters go to the end, letters become numbers, and 97 leaves one."""
    account = re.sub(r"[ -]", "", written)
    return 15 <= len(account) <= 34 and int("".join(str(int(char, 36)) for char in account[4:] + account[:4])) % 97 == 1


def _is_card(written: str, before: str) -> bool:
    digits = re.sub(r"\D", "", written)
    is_issued = form("card").fullmatch(digits) or form("named_cards").search(before)
    if not (12 <= len(digits) <= 19 and len(set(digits)) > 1 and is_issued):
        return False
    twice = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])  # the check digit: every second counts twice
    return (sum(map(int, digits[-1::-2])) + sum(twice)) % 10 == 0


def _is_phone(written: str, before: str) -> bool:
    digits = re.sub(r"\D", "", written.split("x")[0])
    if not 7 <= len(digits) <= 16 or len(set(digits)) < 3 or form("no_phone").fullmatch(written):
        return False
    has_form = len(digits) >= 9 and form("phone").fullmatch(written) is not None
    return has_form or (len(digits) <= 13 and form("named_phones").search(before) is not None)
