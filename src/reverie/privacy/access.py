"""Lines that open something: they speak of access (a password, a PIN, the code of a door) and hold what could be the value.

A value is seldom a token: people write four figures, figures in words, three words with dots between them, a sentence. So the
line is judged as a whole. A *name* that can mean nothing else is enough ("password"); a word with other meanings needs the thing it
opens beside it ("code" and "gate"); a lock alone needs the value right behind it. Then everything that could be the value is
reported, wherever it stands. Reporting too much costs nothing, because the note still has it. The words of the languages are
in `reverie.lang`, table `access`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile

from reverie.lang import words
from reverie.privacy.placeholders import is_blank, is_key, is_reference
from reverie.stopwords import STOP_WORDS

Span = tuple[int, int]
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_NEAR = 8  # characters between a name and its verb where words are not divided
_OURS = re.compile(
    r"<!-- ?(?:dream|index|trigger|importance|reverie|openclaw-memory-promotion)\b[^\n>]{0,400}-->|\[[0-9a-f]{8}\]|\bdream:[0-9a-f]{8}\b"
    r"|(?<![\w-])\d{4}-(?:19|20)\d\d-\d\d-\d\d(?![\w-])|(?<![\w./-])[\w./-]{1,200}\.(?:md|jsonl|txt):\d+(?:-\d+)?(?![\w-])"
)
_FAR = 100  # characters between a name and its verb where they are
_SENTENCE = re.compile(r"[.!?]\s|[。！？]")
_NEAR_IT = re.compile(r"[^\d,.;!?，。；]{0,24}")
_NUMBER = re.compile(r"(?<![\w.,#*-])\d{1,3}(?![\w.,%€-]*\w)|(?<=[\u3040-\u9fff\uac00-\ud7af])\d{1,3}(?!\w*[A-Za-z\d])")
_DIALLED = re.compile(r"(?<![\w.-])\d([ -])\d(?:\1\d)+(?![\w-])")  # one digit at a time
_LISTED = re.compile(r"(?<![^\s:,.])(?:[a-z]{3,8}[, ]{1,2}){11,}[a-z]{3,8}(?![^\s,.])")  # the words of a wallet
_BLANK = re.compile(r"[ \t](?=\S)")
_CODE = re.compile(r"\d{4,8}[A-Za-z]")
_MASK = re.compile("⟦[a-z-]+⟧")
_LEAD = 24  # characters between a key's name and the key
_DRAWN = re.compile(r"(?<![\w/.=-])[A-Za-z0-9_-]{8,80}(?![\w/=-])", re.ASCII)
_PAIR = re.compile(r"(?<=\S) / (?P<value>[^\s/]{4,80})")
_LONGEST = 4_000  # characters of a line that are read as language; what is longer was written by a machine


def speaks_of_access(text: str) -> bool:
    """Whether a line of the text speaks of access and holds what could be the value: it stays in its note and nowhere else."""
    return next(access_spans(without_our_marks(text)), None) is not None


def without_our_marks(text: str) -> str:
    """The text with our own ids, marks and names of runs under blanks: they are drawn like keys, and open nothing."""
    return _OURS.sub(lambda found: " " * len(found[0]), text)


def access_spans(text: str) -> Iterator[Span]:
    """Where a text holds what could be the value of something that its line opens."""
    announced = False  # the line before ended with the name and a colon, or was a heading that names it
    for start, end in _lines(text):
        # A mask says "secret" itself; under a cover of its length it says nothing.
        line = _MASK.sub(lambda found: "⟦".ljust(len(found[0]), "⟧"), text[start : min(end, start + _LONGEST)])
        spans, announced = _of_line(line, announced=announced)
        yield from ((start + first, start + last) for first, last in spans)


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = end if end >= 0 else len(text)
        yield start, end
        start = end + 1


def _of_line(line: str, *, announced: bool) -> tuple[list[Span], bool]:
    """The values of a line, and whether it announces that the next one is a value."""
    if not line.strip():
        return [], announced
    commanded = [*_commanded(line), *_listed(line)]
    low = line.lower()
    if not announced and not any(stem in low for stem in _stems()) and not _DIALLED.search(line):
        return commanded, False
    plain = _without_what_is_no_value(line)
    other = _spans(plain, "other")
    if names := _meant(plain, other, "names") or _codes(plain, other):
        values = [*_typed(plain), *_said(plain, names)] or [*_bare(plain, names)]
        return [*commanded, *values], not values and _announces(line)
    if announced:
        return [*commanded, *_typed(plain), *_said_at(plain, 0)], False
    if _opens(plain, other) or any(_locked(plain, other)):
        return [*commanded, *_typed(plain)], False
    if dialled := [found.span() for found in _DIALLED.finditer(plain)]:
        return [*commanded, *(dialled if _spans(plain, "locks") else ())], False
    return [*commanded, *_logins(line), *_drawn_keys(plain)], False


# ---- the words


def _spans(line: str, *groups: str) -> list[Span]:
    """Where words of these groups stand, in any language. A word is looked for only when its first letters are there."""
    low = line.lower()
    found = (one.span() for stem, word in _lexicon(*groups) if stem in low for one in _compiled(word).finditer(line))
    return sorted(found)


@cache
def _lexicon(*groups: str) -> tuple[tuple[str, str], ...]:
    every = dict.fromkeys(word for group in groups for word in words(f"access.{group}"))
    return tuple((_stem(word), word) for word in every)


def _stem(word: str) -> str:
    return word.strip("*").split(" ")[0].split("*")[0].lower()


@cache
def _compiled(word: str) -> re.Pattern[str]:
    return re.compile(_word(word), re.I)


def _word(word: str) -> str:
    body = re.escape(word.strip("*")).replace(r"\ ", r"[\s_-]").replace(r"\*", r"\w*")
    if re.match(f"[{_CJK}]", word):
        return body
    before = "" if word.startswith("*") else r"(?<![^\W\d_])"
    after = "" if word.endswith("*") else rf"(?![^\W\d_{_CJK}])"
    return f"{before}{body}{after}"


@cache
def _stems() -> tuple[str, ...]:
    """The beginnings by which a line is known to be worth reading; others are passed over at the speed of `in`."""
    every = {stem for stem, _ in _lexicon("names", "codes", "acts", "keys", "alone", "logins")}
    return tuple(stem for stem in sorted(every, key=len) if not any(stem != one and one in stem for one in every))


def _meant(line: str, other: list[Span], *groups: str) -> list[Span]:
    """Where words of access stand, without those that a neighbour turns into something else: "password policy", "error code"."""
    return [
        (first, last)
        for first, last in _spans(line, *groups)
        if not any(start <= last + 1 and first <= end + 1 for start, end in other)
    ]


def _codes(line: str, other: list[Span]) -> list[Span]:
    """A word for a code beside what it opens: "gate code"; a key only beside what is opened by typing one."""
    for what, opened in ((("codes",), ("locks", "networks")), (("keys",), ("networks",))):
        codes = _meant(line, other, *what)
        if codes and _meant(line, other, *opened):
            return codes
    return []


def _opens(line: str, other: list[Span]) -> bool:
    """Whether something is said to be opened: "the garage opens with 7719"."""
    return bool(_meant(line, other, "acts") and _meant(line, other, "locks"))


# ---- the values


@cache
def _no_values() -> re.Pattern[str]:
    units = "|".join(map(re.escape, sorted(words("access.units"), key=len, reverse=True)))
    day = r"(?:19|20)\d\d-\d\d(?:-\d\d)?(?![\d-])(?:[T ]\d\d:\d\d\S*)?|(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])[./](?:(?:19|20)\d\d)?(?!\d)|\d{4}年"
    amount = r"[€$£¥]\s?\d[\d.,]*[kKmM]?|\d[\d.,]*\s?[€$£¥%°‰]|\d{1,3}(?:,\d{3})+(?!\d)|(?<![\d.])\d+[.,]\d+(?![.\d])"
    counted = rf"(?<![\w-])\d{{1,6}}\s?(?:(?:EUR|USD|GBP|CHF|th|st|nd|rd|[kmgt]i?b|[kmg]|ms|px|k?g|mg|ml|[ckm]?m|k?w|kwh|x|am|pm|h\d?\d?)(?!\w)|(?:{units})(?![A-Za-zа-я]))"
    return re.compile(
        r"\b1password\b|[a-z][a-z0-9+.-]{1,12}://[^\s?#]+|(?<![\w.-])[\w.-]{1,60}@[\w-]{2,40}\.[\w.-]{2,40}|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d+)?"
        r"|(?<![\w.])[~.]{0,2}(?:/[\w.@-]{1,60}){2,}|(?<![\w./-])[\w./~-]{1,80}\.(?:md|txt|json|ya?ml|toml|py|js|ts|sh|pdf|html?|csv|log|db|env|conf)(?:[:#]L?\d+(?:-L?\d+)?)?(?![\w.])"
        rf"|(?<![\d-])(?:{day})|(?<![\d:])\d{{1,2}}[:：]\d\d(?::\d\d)?(?![\d:])|{amount}|{counted}",
        re.I,
    )


def _without_what_is_no_value(line: str) -> str:
    """The line with dates, amounts, addresses, files and our own marks under blanks, so that places stay as they are."""
    return _no_values().sub(lambda found: " " * len(found[0]), line)


@cache
def _figures() -> re.Pattern[str]:
    """Three digits or more, divided or not; letters with digits among them; words joined by signs."""
    inner = rf"(?:[^\s\"'`,;:|()=<>{{}}\[\]$\\/&⟦⟧，。；、：（）「」『』{_CJK}]|&(?!\w{{1,20}}=))"
    letter, joined, edge = rf"[^\W\d_{_CJK}]", rf"[^\W_{_CJK}]{{2,24}}", rf"[^\W{_CJK}]"
    return re.compile(
        rf"(?<!{edge})(?={letter}{inner}{{0,40}}?\d|\d{inner}{{0,40}}?{letter}){inner}{{4,80}}"
        rf"|(?<!{edge})(?<!\.)[#*]?\d+(?:[-–. /]{{1,3}}\d+)*+[#*]?(?![€%])(?!{edge})"
        rf"|(?<![\w/~.]){joined}(?:[._/+~-]{joined}){{2,12}}(?![\w/])"
    )


@cache
def _spelt() -> re.Pattern[str]:
    """Three digits or more in words."""
    every = words("access.digits")
    glued = "|".join(sorted((one for one in every if re.match(f"[{_CJK}]", one)), key=len, reverse=True))
    apart = "|".join(
        re.escape(one).replace(r"\*", r"\w*")
        for one in sorted(every, key=len, reverse=True)
        if not re.match(f"[{_CJK}]", one)
    )
    return re.compile(
        rf"(?<!\w)(?:{apart})(?:[\s,-]{{1,2}}(?:{apart})){{1,}}(?!\w)|(?:{glued})(?:[\s,、・-]?(?:{glued})){{2,}}|(?:\d|{glued})[个個](?:\d|{glued})",
        re.I,
    )  # fmt: skip


@cache
def _quoted() -> re.Pattern[str]:
    pairs = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("`", "`"), ("‘", "’"))
    marks = "|".join(f"{a}[^{a}{b}⟦⟧\n]{{3,80}}{b}" for a, b in pairs)
    return re.compile(rf"(?:{marks})(?!\s?[:=])|(?<!\w)'[^'⟦⟧\n]{{3,80}}'(?!\w)")


def _typed(line: str) -> Iterator[Span]:
    """Values known by their signs: figures, figures in words, something between quotation marks."""
    for found in _figures().finditer(line):
        value = found[0]
        digits = sum(map(str.isdigit, value))
        if any(map(str.isalpha, value)):
            if _CODE.fullmatch(value) or (not is_reference(value) if digits else not _is_everyday(value)):
                yield found.start(), found.end() - (len(value) - len(value.rstrip(".?")))
        elif digits >= 3 and not _is_year(line, *found.span()):
            yield found.span()
    yield from (found.span() for found in _spelt().finditer(line))
    numbers = [found.span() for found in _NUMBER.finditer(line)]
    yield from numbers if len(numbers) >= 2 else ()
    for found in _quoted().finditer(line):
        if not _spans(found[0], "names") and not _stands_for_one(found[0][1:-1].strip() or "$"):
            yield found.start() + 1, found.end() - 1


def _is_year(line: str, start: int, end: int) -> bool:
    """`since 2019`: a year is told by the word before it; people choose years as codes as well."""
    before = line[:start].split()[-1:]
    return re.fullmatch(r"(?:19|20)\d\d", line[start:end]) is not None and bool(
        before and before[0].lower().endswith(words("access.years"))
    )


def _is_everyday(value: str) -> bool:
    """`up-to-date`, `and/or/not`: words that only stand together."""
    return any(part.lower() in STOP_WORDS for part in re.split(r"[._/+~-]", value))


@cache
def _verb() -> re.Pattern[str]:
    """What stands between a name and its value: a sign, or a form of "to be"."""
    said = "|".join(
        _word(one) for one in sorted(words("access.is"), key=len, reverse=True) if not re.match(f"[{_CJK}]", one)
    )
    return re.compile(rf"[:：=＝→]|->|=>|(?<=\s)[—–-](?=\s)|{said}", re.I)  # fmt: skip


@cache
def _glued_verb() -> re.Pattern[str]:
    every = sorted((one for one in words("access.is") if re.match(f"[{_CJK}]", one)), key=len, reverse=True)
    return re.compile(rf"[^\s，。；、：:,;.]{{0,{_NEAR}}}?(?:{'|'.join(every)})")


def _said(line: str, names: list[Span]) -> Iterator[Span]:
    """Words that are the value: "… is correct horse", "密码是芝麻开门", and before the name, "tangerine is the password"."""
    done = 0
    for end in sorted({end for _, end in names}):
        sentence = _SENTENCE.search(line, end, end + _FAR)
        reach = sentence.start() if sentence else end + _FAR
        for found in _verb().finditer(line, max(end, done), reach):
            yield from _said_at(line, found.end())
        done = reach
        if glued := _glued_verb().match(line, end):
            yield from _said_at(line, glued.end())
    before = _subject().match(line[: names[0][0]])
    if before and not _is_ordinary(before["value"]) and len(before["value"]) > 2:
        yield before.span("value")


def _bare(line: str, names: list[Span]) -> Iterator[Span]:
    """The value right behind its name, where nothing else of the line could be one: "user oakley, pw mossbank"."""
    for _, end in names:
        after = {start for start, _ in _spans(line[end + 1 : end + 40], "locks", "networks", "codes", "acts")}
        if _BLANK.match(line, end) and 0 not in after:
            yield from _said_at(line, end)


@cache
def _subject() -> re.Pattern[str]:
    """`tangerine is the guest ` before `password`; what is said of the name has to follow at once."""
    said = "|".join(map(_word, sorted(words("access.is"), key=len, reverse=True)))
    return re.compile(rf"[\s*_>-]{{0,8}}(?P<value>[^\s:：,;.!?，。⟦⟧]+(?: [^\s:：,;.!?，。⟦⟧]+){{0,4}}?) ?(?:{said}) ?(?:[^\s,;.!?，。]+ ?){{0,5}}$", re.I)  # fmt: skip


def _said_at(line: str, start: int) -> Iterator[Span]:
    """What follows a verb: a value and the words that belong to it, or all that is said unless it begins as a remark does."""
    found = _run().match(line, start)
    if not found or len(found["run"] or "") < 2 or _stands_for_one(found["run"]):
        return
    first = found.start("run")
    if any(map(str.isdigit, found["run"].split()[0])):
        clause = _clause().match(line, first)
        more = clause[0].split(" ")[1:] if clause else []
        kept = list(takewhile(lambda word: word and not _is_ordinary(word), more))
        if len(kept) > 0:
            yield first, first + len(" ".join([found["run"].split()[0], *kept]))
    elif not _is_ordinary(found["run"]):
        yield first, found.end("run")


@cache
def _clause() -> re.Pattern[str]:
    return re.compile(r"[^,;:!?()\"'`|<>⟦⟧，。；、：）「」『』\n]*")


@cache
def _run() -> re.Pattern[str]:
    return re.compile(r"[\s:：=>\"'`*_“„«「『(-]*+(?P<run>[^⟦⟧\n]*[^\s⟦⟧\n])?")


def _is_ordinary(run: str) -> bool:
    """Whether words begin as a remark does, or are no words at all."""
    word = re.match(rf"[^\W\d_{_CJK}]+(?:['’][^\W\d_]+)?", run)
    if word:
        return word[0].lower() in STOP_WORDS or word[0].lower() in _everyday()
    return not re.match(f"[{_CJK}]", run) or run.lower().startswith(_beginnings())


def _stands_for_one(run: str) -> bool:
    """`$PASSWORD`, `<your password>`, `xxxxxx`: where a value would stand."""
    word = run.split()[0]
    return is_reference(word) or is_blank(word)


@cache
def _everyday() -> frozenset[str]:
    return frozenset(words("access.common")) | frozenset(words("access.is"))


@cache
def _beginnings() -> tuple[str, ...]:
    return tuple(one for one in words("access.common") if re.match(f"[{_CJK}]", one))


def _announces(line: str) -> bool:
    """Whether the value is to be expected on the next line."""
    return line.rstrip(" *_").endswith((":", "：")) or line.lstrip().startswith("#")


def _locked(line: str, other: list[Span]) -> Iterator[Span]:
    """A lock and its value right behind it: "shed lock 7-31-12"."""
    for _, end in _meant(line, other, "alone"):
        near = _NEAR_IT.match(line, end)
        yield from (span for span in _typed(line) if near and end <= span[0] <= near.end())


def _logins(line: str) -> Iterator[Span]:
    """A name and its password with a stroke between them: "login: ines@mail.example / reh-im-schnee"."""
    for _, end in _spans(line, "logins")[:1] if " / " in line else ():
        yield from (found.span("value") for found in _PAIR.finditer(line, end))


def _listed(line: str) -> Iterator[Span]:
    """Twelve short words and more without one that joins a sentence: a wallet, whatever it is called."""
    for found in _LISTED.finditer(line):
        if not STOP_WORDS.intersection(re.split("[, ]+", found[0])):
            yield found.span()


def _drawn_keys(line: str) -> Iterator[Span]:
    """Letters and figures mixed, right behind the word for a key: "the feed key is QS-44fd0c9be1"."""
    for start, end in _spans(line, "keys"):
        if "_" in line[max(0, start - 1) : start] + line[end : end + 1]:
            continue  # a name in a program, which `labelled` knows better
        for found in _DRAWN.finditer(line, end, end + 110):
            if found.start() - end <= _LEAD and is_key(found[0]):
                yield found.span()


# ---- command lines


@cache
def _commands() -> re.Pattern[str]:
    """A login in a command: `-pSECRET`, `sshpass -p SECRET`, `-u name:secret`, `name:secret@host`."""
    value = r"(?P<{}>[^\s\"'⟦⟧$<{{][^\s\"'⟦⟧]{{2,100}})"
    return re.compile(
        rf"\b(?:mysql|mysqldump|mariadb|mysqladmin|sqlcmd|7z)\b[^\n|;]{{0,80}}?\s-[pP]{value.format('a')}"
        rf"|\b(?:sshpass|docker login|redis-cli|mosquitto_\w+|ldapsearch|smbclient|plink)\b[^\n|;]{{0,80}}?\s-(?:[pPaw]|-pass(?:word)?)[\s=]?[\"']?{value.format('b')}"
        rf"|\b(?:curl|wget|http|https|smbclient)\b[^\n|;]{{0,120}}?\s(?:-u|-U|--user|-a)[\s=]?[\"']?[^\s:\"'⟦⟧%]{{1,60}}[:%]{value.format('c')}"
        rf"|(?<![\w/:.@-])[\w.-]{{2,40}}:(?P<d>[^\s:@/⟦⟧\"'<>$]{{3,60}})@[\w-]{{1,40}}(?:\.[\w-]{{1,40}}){{1,5}}"
    )


def _commanded(line: str) -> list[Span]:
    if " -" not in line and "@" not in line:
        return []
    found = ((one[one.lastgroup or 0], one.span(one.lastgroup or 0)) for one in _commands().finditer(line))
    return [span for value, span in found if not _stands_for_one(value)]
