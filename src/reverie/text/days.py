"""Days in a text: relative ones (English, Chinese), written ones, and the last day on which a line says it holds.
Precision first: what two readers could read differently, what recurs and what others said stays as it stands."""

import re
from calendar import monthrange
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

Span = tuple[date, date]
_YEAR = re.compile(r"(?:19|20|21)\d\d")
_MAY_SAY_ONE = re.compile(  # each phrase has one of these: most lines have none, and cost no tables
    r"day|morrow|night|morning|noon|evening|just now|ago|week|month|year|quarter"
    r"|(?:last|past|this|next|coming) (?:mon|tue|wed|thu|fri|sat|sun)|[天日周週月年昨今明前后後刚剛]|星期|礼拜|季度",
    re.I,
)
_NEAR = 40  # characters beside a phrase that can tell what it means
_LONGEST = 1_000  # characters; a longer line says more than one thing


class Found(NamedTuple):  # a phrase, `text[start:end]`, and the first and last day it means
    start: int
    end: int
    first: date
    last: date

    @property
    def value(self) -> str:
        """2026-03-14, 2026-03, 2026, or 2026-03-09 to 2026-03-15."""
        for unit, length in ("day", 10), ("month", 7), ("year", 4):
            if (self.first, self.last) == _span(unit, self.first, 0):
                return self.first.isoformat()[:length]
        return f"{self.first} to {self.last}"


def find(text: str, day: date) -> list[Found]:
    """The phrases of a note written on `day` that mean a certain day, week, month or year, in order."""
    if not _MAY_SAY_ONE.search(text):
        return []
    # NUL stands for code, links, quotations and lines that begin with another day.
    own, found = _form("foreign").sub(lambda hit: "\0" * len(hit[0]), text), []
    own = _form("dated").sub(lambda hit: hit[0] if hit[1] == day.isoformat() else "\0" * len(hit[0]), own)
    for sentence in _form("sentence").finditer(own):
        hits = list(_form("phrase").finditer(own, *sentence.span()))
        for hit in hits if hits and not _form("recurs").search(text, *sentence.span()) else ():
            parts = {name.partition("__")[2]: said for name, said in hit.groupdict().items() if said}
            start = hit.start() + len(parts.get("lead", ""))
            if _is_plain(own, hit, start) and (span := _meaning(str(hit.lastgroup), parts, day)):
                found.append(Found(start, hit.end(), *span))
    return found


def written_out(text: str, day: date) -> str:
    """The text with such phrases as ISO days where that reads well and says no more than they did."""
    pieces, past = [""], 0
    for found in find(text, day):
        between, phrase = text[past : found.start], text[found.start : found.end]
        before, after = text[max(0, found.start - _NEAR) : found.start], text[found.end : found.end + _NEAR]
        if past and between.strip() in ("and", "or", "to"):
            before = "by "  # of "yesterday and today" the preposition of the first one is enough
        pieces += [between, (_english if phrase.isascii() else _chinese)(found, phrase, before, after)]
        past = found.end
    return "".join(pieces) + text[past:]


def named_days(text: str) -> list[date]:
    """The calendar days written in a text, a month as its last day, the later one of two readings."""
    return [written.last for written in written(text)]


def ended_on(text: str) -> date | None:
    """The last day on which a line says it holds, if that closes the line or opens it; else None."""
    line = re.sub(r"<!--[^<>]*-->", "", text[:_LONGEST]).strip(" \t\r\n-*+_•").replace("\n", " ")
    days = written(line)
    if len(days) != 1 or len(text) >= _LONGEST or _form("doubt").search(line):
        return None
    until, behind = _form("until").search(line[: days[0].start]), _form("behind").match(line, days[0].end)
    before, rest = line[: until.start() if until else days[0].start], line[behind.end() if behind else days[0].end :]
    return days[0].last if (until or behind) and _is_one_clause(before, rest) else None


@cache
def _words() -> dict[str, Any]:
    """The tables of `days.toml`. One pattern holds all rules: the group that closes last is the rule, its parts `rule__part`."""
    import tomllib  # costs a third of all that a search costs, and few texts name a day

    data = tomllib.loads(Path(__file__).with_name("days.toml").read_text("utf-8"))
    months = {name: i for i, names in enumerate(data["months"], 1) for name in names.split()}
    data["parts"]["MONTH"] = rf"(?P<name>{'|'.join(sorted(months, key=len, reverse=True))})\b\.?"
    named: dict[str, str] = {}
    for rule, (words, _) in data["rules"].items():
        for part, pattern in data["parts"].items():
            words = words.replace(f"<{part}>", pattern)
        named[rule] = f"(?P<{rule}>{words.replace('(?P<', f'(?P<{rule}__')})"
    english, chinese = ("|".join(words for rule, words in named.items() if rule.endswith(end)) for end in ("en", "zh"))
    data["forms"]["phrase"] = data["forms"]["phrase"].replace("<EN>", english).replace("<ZH>", chinese)
    return data | {"months": months}


def _form(name: str) -> re.Pattern[str]:
    return _compiled(_words()["forms"][name])


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed, with its parts put in: most commands read no days."""
    return re.compile(re.sub(r"<([A-Z]+)>", lambda part: _words()["parts"][part[1]], pattern), re.I)


def _is_plain(text: str, hit: re.Match[str], start: int) -> bool:
    """Whether a phrase is neither dated beside it, nor a name ("the Today Show"), nor vague by what stands before it."""
    before, words = text[max(0, start - _NEAR) : start], text[start : hit.end()].split()
    refused = _words()["rules"][str(hit.lastgroup)][1]
    if (refused and _compiled(refused).search(before)) or _form("date_before").search(before):
        return False
    opens = _form("opens").search(before) or before.rstrip(" *_~([")[-1:] in tuple(".:!?;|-–—>])。！？；：•#")
    titles = (word[:3].lower() for word in words[1 if opens else 0 :] if word.istitle())
    return _words()["weekdays"].keys() >= {*titles} and not _form("date_behind").match(text, hit.end())


def _meaning(rule: str, parts: dict[str, str], day: date) -> Span | None:
    """The days a phrase means, seen from the day of its note; None where two readers could differ."""
    which, name = parts.get("which", "").lower(), _words()["weekdays"].get(parts.get("name", "")[:3].lower(), 0)
    steps = _words()["steps"]
    unit = _words()["units"].get((unit := parts.get("unit", "").lower().lstrip("个個")), unit)
    try:
        match rule.rpartition("_")[0]:
            case "fixed":
                return _span("day", day, _words()["fixed"][parts["word"].lower().removeprefix("the ")])
            case "ago" | "ahead" as way:  # weeks to the day; months and years are no more exact than themselves
                count = _number(parts["n"].lower()) * (-1 if way == "ago" else 1)
                unit, count = ("day", 7 * count) if unit == "week" else (unit, count)
                return None if unit == "year" and abs(count) > 9 else _span(unit, day, count)
            case "in_week" | "of_week":
                return _span("day", _span("week", day, steps[which])[0], name)
            case "weekday":
                # Only where all readings agree: "next Friday" on a Wednesday is two days away to some, nine to others.
                ahead = (name - day.weekday() - 1) % 7 + 1
                to_come, back = day.weekday() + ahead < 7, ahead % 7 - 7
                if which in ("last", "past"):
                    return _span("day", day, back) if back < -1 or which == "past" else None
                if which == "next":  # on a Sunday the week ends to some and begins to others
                    return None if to_come or (day.weekday() == 6 and ahead < 7) else _span("day", day, ahead)
                return _span("day", day, ahead) if which == "coming" or to_come or ahead == 1 else None
            case "end":
                return (_span(unit, day, steps[which])[1],) * 2
        # "next weekend" on a Wednesday is one of two
        unsure = unit == "weekend" and which in ("last", "next") and (day.weekday() > 4) != (which == "next")
        return None if unsure else _span(unit, day, steps[which])
    except (ValueError, KeyError, OverflowError):  # before the year 1; 五四天前
        return None


def _number(said: str) -> int:
    numbers, (tens, ten, ones) = _words()["numbers"], said.partition("十")
    if said.isdigit() or not ten:
        return int(said) if said.isdigit() else int(numbers[said])
    return 10 * int(numbers[tens or "一"]) + int(numbers[ones or "零"])


def _span(unit: str, day: date, shift: int) -> Span:
    """The first and last day of the day, week, month … that lies so many of them away."""
    if unit in ("day", "week", "weekend"):
        days = shift if unit == "day" else 7 * shift - day.weekday() + (5 if unit == "weekend" else 0)
        return day + timedelta(days), day + timedelta(days + {"day": 0, "week": 6, "weekend": 1}[unit])
    length = {"month": 1, "quarter": 3, "year": 12}[unit]
    months = ((day.year * 12 + day.month - 1) // length + shift) * length
    first, (year, index) = date(months // 12, months % 12 + 1, 1), divmod(months + length - 1, 12)
    return first, date(year, index + 1, monthrange(year, index + 1)[1])


def _english(found: Found, phrase: str, before: str, after: str) -> str:
    """`on 2026-03-14`, `in the week of 2026-03-09`; the phrase itself where that would not read well."""
    words, above, length = phrase.lower(), before.rstrip(" *_~"), (found.last - found.first).days
    if "end of" in words:
        return re.sub(r"(?:(?:the|this|next|last) )?\w+$", found.value[: 4 if "year" in words else 7], phrase)
    if "quarter" in words or (words in _words()["fixed"] and _form("particle").search(above)):
        return phrase  # "the pump came on yesterday"
    kind = {1: "weekend", 6: "week"}.get(length) or _words()["times"].get(words.split()[-1])
    about = "around " if re.search(r"weeks? ago$|^in .* weeks?$", words) else ""
    said = f"the {kind} of {found.first}" if kind else about + found.value
    is_led = _form("preposition").search(above) or above[-1:] in tuple(":|([–—=/→#")
    if not (is_led or about or re.match(r"\s(?:is|was|will|has|had|were|seems|looks|felt|feels)\b", after)):
        said = f"{'on' if length < 2 else 'in'} {said}"
    return said[0].upper() + said[1:] if phrase[0].isupper() else said


def _chinese(found: Found, phrase: str, before: str, after: str) -> str:
    """2026-03-14, 2026-03-14晚上, 2026-03-09那周, 2026年3月, with a space beside Latin letters and figures."""
    first, month = found.first, f"{found.first.year}年{found.first.month}月"
    week = {1: "那个周末", 6: "那周"}.get((found.last - first).days)
    part = next((part for sign, part in _words()["times"].items() if sign in phrase), "")
    part = "左右" if re.search(r"(?:[周週]|星期|礼拜)[之以]?[前后後]", phrase) else part
    said = {4: f"{first.year}年", 7: month, 10: f"{first}{part}"}.get(len(found.value), phrase)
    said = f"{month}底" if "底" in phrase else f"{first}{week}" if week else said
    return " " * bool(re.search(r"[0-9A-Za-z]$", before)) + said + " " * bool(re.match(r"[0-9A-Za-z]", after))


def written(text: str) -> list[Found]:
    """The calendar days written in a text, in order; where two forms meet, the longer one."""
    if not _YEAR.search(text):
        return []
    hits, found = [hit for form in _words()["dates"] for hit in _compiled(form).finditer(text)], list[Found]()
    for hit in sorted(hits, key=lambda hit: (hit.start(), -hit.end())):
        if found and hit.start() < found[-1].end:
            continue
        parts = hit.groupdict()
        year, day = int(parts["year"]), int(parts.get("day") or 0)
        month = int(parts.get("month") or _words()["months"][str(parts.get("name")).lower()])
        # Of 03/04/2026 the later reading, of a month its last day; 31 February is none.
        readings = [(month, day), (day, month)] if parts.get("slash") else [(month, day)]
        lengths = {number: monthrange(year, number)[1] for number, _ in readings if 1 <= number <= 12}
        if days := [date(year, m, d or lengths[m]) for m, d in readings if d <= lengths.get(m, -1)]:
            found.append(Found(*hit.span(), max(days), max(days)))
    return found


def _is_one_clause(before: str, rest: str) -> bool:
    """Whether a last day ends all its line says. No word is read: of "port 8443, certificate until" a half holds on."""
    rest = re.sub(r"^\s(?:at )?\d\d?:\d\d", "", rest)
    if not before.strip(" *_~"):
        clause = rest.strip(" ,，.。*_~")
        return not re.search(r"[,;:.!(，；：。！（、]\s*\w|\s[–—-]\s", clause) and len(re.findall(r"\d+", clause)) < 2
    label, _, said = before.replace("：", ": ").rpartition(": ")
    first, *others = re.split(r"[,，、(（]|\s[–—-]\s", said)
    several = re.search(r"[;；。！!:]|[.:]\s", label + said) or (others and (len(others) > 1 or others[0].strip()))
    figures = re.search(r"\d", label + (first if others else ""))
    return not several and not figures and re.fullmatch(r"\W*|\s[a-zäöüß]{3,}\W*", rest) is not None
