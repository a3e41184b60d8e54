"""Lines of MEMORY.md that name their own end, once it is past; and files they name that are gone.

Never by age: a line leaves only when its own words say until when it holds ("trial until 2026-02-28", 有效期到2026年2月28日).
What tells of the past ("lived there until 2019"), names a later day besides, or begins with its day is history and stays. A
note that a line names and that is not there any more is only pointed out.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from datetime import date

from reverie.cues import says
from reverie.judge.operation import Op, Operation
from reverie.layout import Kind, place_of
from reverie.marks import days_in, is_current_state, is_footer, is_history, is_marked
from reverie.model import Entry, File, Notice, Origin, Snapshot
from reverie.privacy.redact import holds_secret

TAG, GONE = "stale", "reference"
_MONTHS = (
    "jan янв ene gen", "feb févr fév fev фев", "mar mär mrz мар", "apr avr abr апр", "may mai мая май", "jun juin июн", "jul juil июл", "aug août ago авг",
    "sep set сен", "oct okt out окт", "nov ноя", "dec dez déc dic дек",
)  # fmt: skip
_month = "|".join(sorted((re.escape(word) for words in _MONTHS for word in words.split()), key=len, reverse=True))
_WHEN = (
    r"(?P<iso>\d{4}-\d{2}-\d{2})|(?P<han>\d{4}\s?年\s?\d{1,2}\s?月\s?(?:\d{1,2}\s?[日号])?(?:底)?)|(?P<dots>\d{1,2}\.\s?\d{1,2}\.\s?\d{4})"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s+(?:de\s+)?(?P<month>{_month})[^\W\d]*\.?,?\s+(?:de\s+)?(?P<year>\d{{4}})"
    rf"|(?P<month2>{_month})[^\W\d]*\.?\s+(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year2>\d{{4}})|(?P<korean>\d{{4}}년\s?\d{{1,2}}월\s?\d{{1,2}}일)"
)
_UNTIL = re.compile(
    r"(?:(?<!\w)(?:until|till|through|valid to|up to and including|bis(?: zum| einschließlich)?|hasta(?: el)?|jusqu['’]au|jusqu['’]à|até(?: o| a)?|до)\s+(?:the\s+)?"
    rf"|(?:有效期)?(?:至|到|截至|截止到?)\s?)(?:{_WHEN})",
    re.I,
)
_UNTIL_BEHIND = re.compile(rf"(?:{_WHEN})\s?(?:まで|为止|為止|截止|까지|到期)", re.I)
# A line that holds for a while says so: it is a trial, an offer, an absence.
_HOLDS = re.compile(
    r"(?<!\w)(?:valid|runs?|open|closed|away|trial|offer|discount|voucher|promo\w*|leave|holiday|vacation|sabbatical|freeze|frozen|booked|reserved|blocked|temporar\w*|"
    r"interim|pilot|lent|borrowed|rented|covers? for|only|reduced|parental|sick|gültig|läuft|probe\w*|angebot|rabatt|urlaub|elternzeit|gesperrt|vertret\w*|befristet|geschlossen|"
    r"válid\w*|prueba|oferta|vacaciones|cerrad\w*|valable|essai|congés?|fermé\w*|válid\w*|teste|férias|fechad\w*|действ\w*|отпуск\w*|акци\w*|закрыт\w*)(?!\w)"
    r"|有效|试用|促销|优惠|休假|请假|年假|出差|暂停|暂时|临时|冻结|租|借|代班|关闭|活动|期間|有効|休暇|休業|閉店|試用|セール|유효|휴가|체험|할인|임시",
    re.I,
)
_PATH = re.compile(r"`([^`\s]+\.md)`")
_NAMED = frozenset({Kind.DAILY, Kind.TOPIC, Kind.KNOWLEDGE, Kind.CLASSIFIED})


def find_expired(memory: File | None, today: date) -> tuple[Operation, ...]:
    """The end of every line whose own last day is past."""
    return tuple(
        Operation(Op.END, f"it held until {end.isoformat()}, as it says itself", (), (entry,), tag=TAG)
        for entry in (memory.entries if memory else ())
        if entry.origin is Origin.OWNER and (end := end_of(entry.text)) is not None and end < today and _may_end(entry)
    )


def missing_files(snapshot: Snapshot) -> tuple[Notice, ...]:
    """A notice for every line of MEMORY.md that names a note which is gone."""
    memory = snapshot.files.get(snapshot.memory_path)
    entries = [entry for entry in (memory.entries if memory else ()) if entry.origin is Origin.OWNER]
    return tuple(notice for entry in entries for notice in _dead_paths(snapshot, entry))


def end_of(text: str) -> date | None:
    """The last day on which this line holds, if it names one and no later day besides."""
    ends = [day for rule in (_UNTIL, _UNTIL_BEHIND) for found in rule.finditer(text) if (day := _day(found))]
    if not ends or max((*days_in(text), *ends)) > max(ends):
        return None
    return max(ends)


def is_over(text: str, headings: Sequence[str], today: date) -> bool:
    """Whether a line that wants to enter has ended by its own word: the same night would take it out again."""
    end = end_of(text)
    return end is not None and end < today and _is_for_a_while(text, headings)


def _may_end(entry: Entry) -> bool:
    """A line of its own that speaks of something for a while; not the owner's rule, not a tale of the past."""
    if entry.protected or entry.block.tail != entry.block.end or is_footer(entry.text) or holds_secret(entry.text):
        return False
    return _is_for_a_while(entry.text, entry.headings)


def _is_for_a_while(text: str, headings: Sequence[str]) -> bool:
    if is_marked(text) or says("past", text) or is_history(text):
        return False
    return bool(_HOLDS.search(text)) or any(map(is_current_state, headings))


def _day(found: re.Match[str]) -> date | None:
    try:
        if found["iso"]:
            return date.fromisoformat(found["iso"])
        if found["dots"]:
            day, month, year = (int(part) for part in re.findall(r"\d+", found["dots"]))
            return date(year, month, day)
        if said := found["han"] or found["korean"]:
            numbers = [int(part) for part in re.findall(r"\d+", said)]
            return date(*numbers[:3]) if len(numbers) > 2 else _month_end(*numbers[:2])
        called = str(found["month"] or found["month2"]).casefold()
        number = next(i for i, words in enumerate(_MONTHS, 1) if called in words.split())
        return date(int(found["year"] or found["year2"]), number, int(found["day"] or found["day2"]))
    except ValueError:  # 31 February
        return None


def _month_end(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def _dead_paths(snapshot: Snapshot, entry: Entry) -> Iterator[Notice]:
    """Notes of this workspace that the line names and that are not there. Nobody deletes a line for that."""
    refused = {refusal.path for refusal in snapshot.refused}
    there = {path.casefold() for path in (*snapshot.files, *refused)}
    for path in _PATH.findall(entry.text):
        named = path.removeprefix("./")
        if ".." not in named and place_of(named).kind in _NAMED and "/" in named and named.casefold() not in there:
            why = f"it names {named}, which is not there any more"
            yield Notice(GONE, entry.text, why, (entry.source,), entry)
