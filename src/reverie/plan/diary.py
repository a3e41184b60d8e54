"""DREAMS.md as OpenClaw frames it: the diary between two markers, an entry a night, a block for each phase; nothing is evidence.

Functions from text to text. Only markers alone on a line, once each and in order, are believed; else nothing is put in.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime

from reverie.operations import Op, Operation
from reverie.privacy.secrets import holds_secret, masked, private_number
from reverie.text.lines import BYTE_ORDER_MARK, clipped, line_ending, split_lines, without_comments
from reverie.text.terms import plain

START, END = "<!-- openclaw:dreaming:diary:start -->", "<!-- openclaw:dreaming:diary:end -->"
TITLES = {"light": "Light Sleep", "rem": "REM Sleep", "deep": "Deep Sleep"}
# Three dashes alone are no entry: only a line in italics below them shows that a date follows.
_ENTRY = re.compile(r"^---[ \t]*\r?\n(?:[ \t]*\r?\n)?\*([^*\r\n]+)\*[ \t]*\r?$", re.M)
_BACKFILLED = re.compile(r"^<!-- openclaw:dreaming:backfill-entry\b[^>\r\n]*-->", re.M)
_LONGEST = 1_200  # characters of a narrative
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAMED_ZONES = {"UTC", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "AKDT", "HST"}
# In the mark of a backfilled entry: what was made for it, and goes with the last of them.
_MADE_DIARY, _MADE_FILE = "made=diary ", "made=file "


def with_entry(text: str, stamp: str, words: str) -> str:
    """The file with one more entry at the end of its diary; the same words are never entered twice."""
    if any(words in entry for entry in _split(text)[1]):
        return text
    return _with_entries(text, ["\n".join(("---", "", f"*{stamp}*", "", words, "", ""))])


def with_block(text: str, phase: str, lines: Sequence[str]) -> str:
    """The text with the block of a phase replaced in place, or put at its end; in doubt as it was."""
    all_lines = split_lines(text)
    bare, ending = [line.strip() for line in all_lines], line_ending(all_lines)
    marks = [f"<!-- openclaw:dreaming:{phase}:{edge} -->" for edge in ("start", "end")]
    places = [[number for number, line in enumerate(bare) if line == mark] for mark in marks]
    fresh = [f"{line}{ending}" for line in lines]
    if places == [[], []]:
        gap = ending * (bool(bare and bare[-1]) + bool(text and not text.endswith("\n")))
        return "".join([text, gap, f"## {TITLES[phase]}{ending}{marks[0]}{ending}", *fresh, marks[1], ending])
    if [len(found) for found in places] != [1, 1] or places[0] > places[1]:
        return text
    return "".join((*all_lines[: places[0][0] + 1], *fresh, *all_lines[places[1][0] :]))


def rotated(text: str, most: int) -> tuple[str, dict[str, list[str]]]:
    """The file with its newest entries, and the older ones by their year. Backfilled ones stay and do not count."""
    head, entries, tail = _split(text)
    nightly = [number for number, entry in enumerate(entries) if not _BACKFILLED.search(entry)]
    leaving: dict[str, list[str]] = {}
    for number in nightly[: max(0, len(nightly) - most)]:
        stamp = _ENTRY.match(entries[number])
        year = _YEAR.search(stamp[1]) if stamp else None
        leaving.setdefault(year[0] if year else "undated", []).append(entries[number])
    gone = set(nightly[: max(0, len(nightly) - most)])
    return "".join([head, *(entry for number, entry in enumerate(entries) if number not in gone), tail]), leaving


def with_old_entries(text: str, entries: Iterable[str]) -> str:
    """The diary of a year with entries that left DREAMS.md, each as it stood."""
    return _with_entries(text, [entry for entry in entries if entry not in text])


def entries(text: str) -> list[tuple[str, str, bool]]:
    """The entries of a diary in their order: the line with the date, the words, and whether a backfill wrote them."""
    found = list[tuple[str, str, bool]]()
    for entry in _split(text)[1]:
        stamp, words = _ENTRY.match(entry), without_comments(_ENTRY.sub("", entry, count=1))
        found.append((stamp[1] if stamp else "", words.strip(), _BACKFILLED.search(entry) is not None))
    return found


def with_backfill(text: str | None, entries: Sequence[tuple[date, str, str]]) -> str | None:
    """The file with these entries (day, note, words) instead of all backfilled ones. None is no file."""
    cleared = without_backfill(text)
    made = _MADE_FILE if cleared is None else "" if _inside(cleared) else _MADE_DIARY
    marked = []
    for day, source, words in entries:
        source = re.sub(r"[<>\s]", "", source)
        mark = f"<!-- openclaw:dreaming:backfill-entry day={day} source={source} {made}-->"
        marked.append("\n".join(("---", "", f"*{long_day(day)}*", "", mark, "", words, "", "")))
    return _with_entries(cleared or "", marked) if marked else cleared


def without_backfill(text: str | None) -> str | None:
    """The file without its backfilled entries; a diary or a file that was made for them goes with the last of them."""
    head, entries, tail = _split(text or "")
    marks = "".join(found[0] for entry in entries if (found := _BACKFILLED.search(entry)))
    if not marks:
        return text
    kept = [entry for entry in entries if not _BACKFILLED.search(entry)]
    left = "".join((head, *kept, tail))
    if kept or not (_MADE_DIARY in marks or _MADE_FILE in marks):
        return left
    for ending in ("\r\n", "\n"):
        left = left.replace(_frame(ending, ""), "", 1)
    return None if _MADE_FILE in marks and not left.strip(BYTE_ORDER_MARK) else left


def may_stand(words: str) -> bool:
    """Whether a model's narrative is a diary entry: one paragraph of prose, and nothing that a diary must not hold."""
    is_short = 20 <= len(words) <= _LONGEST and "\n" not in words.strip()
    return (
        is_short and not re.search(r"[<>\[\]#`|]|://", words) and not holds_secret(words) and not private_number(words)
    )


def plain_entry(operations: Sequence[Operation], asked: int, language: str) -> str:
    """What a night did in one honest line, where no model told it."""
    said = [f"“{clipped(plain(op.after or op.lines[0].words), 80)}”" for op in operations if op.after or op.lines][:3]
    added = sum(operation.op is Op.ADD for operation in operations)
    gone = sum(operation.op in {Op.END, Op.MERGE} for operation in operations)
    counts = (added, len(operations) - added - gone, gone, asked)
    form = (
        "新增 {} 行，更改 {} 行，归档 {} 行，待确认 {} 件。"
        if language == "zh"
        else "Added {}, changed {}, archived {}, asked {}. "
    )
    return masked((form.format(*counts) + "; ".join(said)).strip())


def long_day(day: date) -> str:
    """A day as OpenClaw writes it above an entry: January 1, 2026."""
    return f"{day:%B} {day.day}, {day.year}"


def long_moment(at: datetime) -> str:
    """A moment as OpenClaw writes it above an entry: April 5, 2026 at 10:00 AM UTC."""
    local = at.astimezone()  # a time without a zone is the machine's own
    zone, offset = local.tzname() or "", local.utcoffset()
    if zone not in _NAMED_ZONES and offset is not None:
        minutes = round(offset.total_seconds() / 60)
        hours, rest = divmod(abs(minutes), 60)
        zone = "GMT" + (f"{'+' if minutes > 0 else '-'}{hours}" + (f":{rest:02}" if rest else "")) * bool(minutes)
    half = "AM" if local.hour < 12 else "PM"
    return f"{long_day(local.date())} at {local.hour % 12 or 12}:{local.minute:02} {half} {zone}"


def _with_entries(text: str, entries: Sequence[str]) -> str:
    ending, found = "\r\n" if "\r\n" in text else "\n", _inside(text)
    fresh = "".join(entry.replace("\r\n", "\n").replace("\n", ending) for entry in entries)
    if found:
        return text[: found[1]] + fresh + text[found[1] :]
    if START in text or END in text:  # damaged: nobody can say where the diary is
        return text
    mark = BYTE_ORDER_MARK * text.startswith(BYTE_ORDER_MARK)
    return mark + _frame(ending, fresh) + text.removeprefix(mark)


def _frame(ending: str, entries: str) -> str:
    return ending.join(("# Dream Diary", "", START, entries + END, "", ""))


def _inside(text: str) -> tuple[int, int] | None:
    """Where the diary begins and ends."""
    starts, ends = (list(re.finditer(rf"^{re.escape(mark)}[ \t]*(?:\r?\n|\r?\Z)", text, re.M)) for mark in (START, END))
    is_whole = len(starts) == 1 and len(ends) == 1 and starts[0].end() <= ends[0].start()
    return (starts[0].end(), ends[0].start()) if is_whole else None


def _split(text: str) -> tuple[str, list[str], str]:
    """What stands before the first entry, the entries, and what stands behind them: together they are the text."""
    start, stop = _inside(text) or (0, 0)
    edges = [start + entry.start() for entry in _ENTRY.finditer(text[start:stop])]
    if not edges:
        return text, [], ""
    pairs = zip(edges, [*edges[1:], stop], strict=True)
    return text[: edges[0]], [text[first:last] for first, last in pairs], text[stop:]
