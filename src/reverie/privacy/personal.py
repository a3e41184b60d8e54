"""Personal data in a text, by kind: mail addresses, telephones, cards, accounts, numbers of states, chat ids, network addresses.

Precision first, because notes are full of numbers: a number must prove itself by its check digits, by the form only
telephones have, or by the word before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from reverie.privacy.national_ids import fiscal_codes, is_card, is_iban, national_id
from reverie.privacy.numbers import Run, runs
from reverie.privacy.phones import phone_at

KINDS = frozenset({"email", "phone", "card", "iban", "national-id", "chat-id", "ip"})
_NUMERIC = frozenset({"phone", "card", "national-id", "chat-id"})
Place = tuple[str, int, int]
# Addresses that name a service or a picture, not a person: `git@github.com:owner/repo`, `icon@2x.png`.
_NO_PERSON = frozenset({"git", "hg", "svn", "noreply", "no-reply", "donotreply"})
_NO_DOMAIN = (
    "s.whatsapp.net",
    "@c.us",
    "@g.us",
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".svg",
    ".webp",
    ".css",
    ".js",
    ".py",
)


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
        claimed += (("national-id", *span) for span in fiscal_codes(text))
    claimed.sort(key=lambda place: place[1])
    yield from claimed
    if not kinds.isdisjoint(_NUMERIC):
        yield from _numbers(text, kinds, claimed[::-1])


def _numbers(text: str, kinds: frozenset[str], claimed: list[Place]) -> Iterator[Place]:
    free = [run for run in runs(text) if not _touches(run, claimed)]
    chats = frozenset(run.digits for run in free if _is_chat(text, run)) if "chat-id" in kinds else frozenset()
    for run in free:
        named = _card_word().search(run.before) is not None
        place: tuple[int, int] | None = run.start, run.end
        if "card" in kinds and not run.lettered and 12 <= len(run.digits) <= 19 and is_card(run.digits, named=named):
            kind = "card"
        elif "national-id" in kinds and (place := national_id(text, run)):
            kind = "national-id"
        elif run.lettered:
            continue
        elif run.digits in chats:  # an id learned from its label is hidden wherever it stands in this text
            kind, place = "chat-id", (run.start, run.end)
        elif "phone" in kinds and (place := phone_at(text, run)):
            kind = "phone"
        else:
            continue
        if place:
            yield kind, *place


def _touches(run: Run, claimed: list[Place]) -> bool:
    """Asked in order of the text, last claim first in the list, so that what lies behind is let go."""
    while claimed and claimed[-1][2] <= run.start:
        claimed.pop()
    return bool(claimed) and claimed[-1][1] < run.end


@cache
def _email() -> re.Pattern[str]:
    local = r"\w.!#$%&'*+/=?^{|}~-"
    return re.compile(
        rf"(?<![{local}⟧])[\w+%][\w.+%'-]{{0,63}}@(?:[^\W_](?:[\w-]{{0,61}}[^\W_])?\.){{1,8}}[^\W\d_]{{2,24}}(?![\w⟦]|\.\w)"
    )


def _is_person(found: re.Match[str]) -> bool:
    name, _, domain = found[0].partition("@")
    return name.lower() not in _NO_PERSON and not f"@{domain.lower()}".endswith(_NO_DOMAIN)


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


@cache
def _ip() -> re.Pattern[str]:
    byte = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
    short = r"[0-9a-fA-F]{1,4}"
    return re.compile(
        rf"(?<![\w.:⟧-])(?<!v )(?<!version )(?<!ection ){byte}(?:\.{byte}){{3}}(?![\w⟦-]|\.\d)"
        rf"|(?<![\w:.⟧])(?:(?:{short}:){{7}}{short}|(?:{short}:){{2,6}}(?::{short}){{1,5}}|{short}:(?::{short}){{2,6}}|fe80::{short}|::1)(?![\w:⟦])"
    )


@cache
def _card_word() -> re.Pattern[str]:
    return re.compile(
        r"card|credit|debit|\bcc\b|visa|maestro|amex|karte|tarjeta|carte\b|cart[ãa]o|карт|卡|カード|카드", re.I
    )


@cache
def _chat() -> tuple[re.Pattern[str], re.Pattern[str]]:
    app = r"telegram|discord|whatsapp|\btg|\bqq|wechat|微信|signal|matrix|feishu|slack|飞书"
    owner = rf"chat|sender|channel|guild|peer|recipient|{app}|群|频道|会话"
    named = rf"(?:{owner})[ _-]?(?:chat|user|group|channel|bot)?s?[ _-]?(?:ids?|号|編號|编号)|(?:user|from|group)_?id|(?:{app})(?: (?:chat|user|group|channel|dm))?"
    path = (
        r"(?<![A-Za-z])(?:direct|dm|group|channel|chat|telegram)[\"'`*]{0,3}\s?[:=：]"  # `telegram:direct:…`, `CHAT=…`
    )
    before = re.compile(rf"(?:(?:{named})[\s\"'`*:=：#(|→-]{{1,6}}|{path}[\s\"'`*-]{{0,5}}|<[@#][!&]?)$", re.I)
    return before, re.compile(r"@(?:s\.whatsapp\.net|c\.us|g\.us|lid)\b")


def _is_chat(text: str, run: Run) -> bool:
    if not text[run.start : run.end].isdigit():
        return False
    before, after = _chat()
    return before.search(run.before) is not None or after.match(text, run.end) is not None
