"""Lines that open something: they speak of access (a password, a PIN, the code of a door) and hold what could be the value.

A value is seldom a token: people write four figures, figures in words, three words with dots between them, a sentence. So the
line is judged as a whole. Digits told one by one are a code whatever stands beside them. A *name* that can mean nothing else is
enough for any hint of a value ("password"); a word with other meanings needs the thing it opens beside it ("code" and "gate");
a lock alone needs a number that counts nothing, a network a phrase or a made-up word. Then everything that could be the value
is reported, wherever it stands. Reporting too much costs nothing, because the note still has it. The words of the languages
are in `reverie.lang`, table `access`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise, takewhile

from reverie.core.errors import PROMISE_NAMES
from reverie.core.layout import OWN_FILES
from reverie.lang import words
from reverie.lang.lexicon import DATE_SIGNS, GLUED
from reverie.privacy.access_words import Span, any_apart, folded, is_undivided, words_of_access
from reverie.privacy.password_shapes import SIGN, made_up_spans, placed_spans
from reverie.privacy.personal import follows_telephone
from reverie.privacy.placeholders import is_blank, is_key, is_reference
from reverie.text.terms import stop_words

_NEAR = 14  # characters between a name and its verb where words are not divided
_OURS = re.compile(
    r"<!-- ?(?:dream|index|trigger|importance|reverie|openclaw-memory-promotion)\b[^\n>]{0,400}-->|\[[0-9a-f]{8}\]|\bdream:[0-9a-f]{8}\b"
    r"|(?<![\w-])\d{4}-(?:19|20)\d\d-\d\d-\d\d(?![\w-])|(?<![\w./-])[\w./-]{1,200}\.(?:md|jsonl|txt):\d+(?:-\d+)?(?![\w-])"
    rf"|(?<![\w./-])(?:{'|'.join(map(re.escape, (*PROMISE_NAMES, *OWN_FILES)))})(?![\w/-])"
)
_FAR = 100  # characters between a name and its verb where they are
_SENTENCE = re.compile(r"[.!?]\s|[。！？]")
_NEAR_IT = re.compile(r"[^\d,.;!?，。；]{0,24}")
_NUMBER = re.compile(
    r"(?<![\w.,#*=-])\d{1,3}(?![\w.,%€-]*\w)|(?<=[\u3040-\u9fff\uac00-\ud7af])\d{1,3}(?![A-Za-z\d_.,%])"
)
_DIALLED = re.compile(r"(?<![\w.-])\d([ -])\d(?:\1\d)+(?![\w-])")  # one digit at a time
_LISTED = re.compile(r"(?<![^\s:,.])(?:[a-z]{3,8}[, ]{1,2}){11,}[a-z]{3,8}(?![^\s,.])")  # the words of a wallet
_BLANK = re.compile(r"[ \t](?=\S)")
_CODE = re.compile(r"\d{4,8}[A-Za-z]")
_MASK = re.compile("⟦[a-z-]+⟧")
_NEXT_WORDS = re.compile(r"\s*[^\s,.;:]+(?:\s[^\s,.;:]+){0,5}")
_LEAD = 24  # characters between a key's name and the key
_DRAWN = re.compile(r"(?<![\w/.=-])[A-Za-z0-9_-]{8,80}(?![\w/=-])", re.ASCII)
_PAIR = re.compile(r"(?<=\S) / (?P<value>[^\s/]{4,80})")
_VALUE_LIKE = re.compile("[\\d\"'`“„«「『‘]| / ")
_FIGURE_OR_ADDRESS = re.compile(r"[\d/@]|\.\w")
_DIGITS = 4  # in a row: fewer are counted, more are dialled
_COMPOUND = 8  # letters of the shortest number in words that is itself of two parts
_PURPOSE = 5  # words between a network and its verb: "the wifi of the barn is"
_IDIOM = re.compile(r"(.)\1(.)\2|(.)\3+")
_LOCK_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.,:/+#*-])(?<!\d )[#*]?(?:\d{4,8}|\d{1,4}[A-Z\u0410-\u042f]\d{1,5}|\d{1,2}(?:-\d{1,2}){2,3}|(?!(?:19|20)\d\d-)\d{3,5}-\d{3,5}|\d{3} \d{3})[#*]?(?![A-Za-z0-9_%€$°]|[.,:/ -]\d)"
)
_YEAR = re.compile(r"19[5-9]\d|20[0-4]\d")
_CODE_NUMBER = re.compile(
    r"[^\d.;!?。；！？]{1,60}?(?<![A-Za-z0-9_.,:/+#*-])(?P<value>\d[\d-]{2,9}\d[#*]?)(?![A-Za-z0-9_%€$°]|[.,:/-]\d)"
)
_DIALLED_END = re.compile(r"(?<![\w.,:/+#*-])[#*]?\d{4,8}(?:#|\*)(?![\w#*])", re.ASCII)
_JOINED_WORDS = re.compile(r"(?<![\w/~.-])[^\W\d_]{2,20}(?:[-_.][^\W\d_]{2,20}){2,8}(?![\w/-])")
_NUMBERED_WORD = re.compile(r"(?<![\w./:@#-])[a-zA-Z\u0410-\u044f]{4,30}\d{2,6}(?![\w/.-])")
_STORES = "1password|bitwarden|vaultwarden|keepass\\w*|lastpass|dashlane"  # where passwords are kept
_STOP = re.compile(r"[,;.!?，。；！？]")
_STOP_OR_CALL = re.compile(r"[(;.!?，。；！？\"'`]")
_BEFORE_VERB = re.compile(r"(?<![!-~])[!-~]{6,60}(?=\s?$)")
_LONG_WORD = re.compile(r"\s*([^\W\d_A-Z]{12,60})\W*$")  # several words in one
# Groups of words that alone make no line worth reading for a value.
_SAYS_NOTHING = frozenset(
    ("changed", "usual", "questions", "answers", "asked", "turns", "entered", "guests", "drawn")
) | {"other", "digits", "tens", "with", "worded"}
_DRAWN_NEAR = 16  # characters between a letter and its verb
_LONGEST_ANSWER = 4  # words of the longest answer
_TURNS = 3  # in a row: fewer tell somebody the way
_TURNED_BY = re.compile(r"(?:\d{1,3}\s?[x×]?\s)?$"), re.compile(r"\s?(?:[^\W\d_]{1,5}\s)?\d{1,3}(?!\w)")
_CLAUSE = re.compile(
    r"[\s\"'`“„«「『*:：]*(?P<value>[^\s,;.!?，。；！？][^,;.!?，。；！？\n⟦⟧]*[^\s,;.!?，。；！？⟦⟧])"
)
_BEHIND_SIGN = re.compile(rf"(?:{SIGN}){_CLAUSE.pattern}")
_LONGEST = 4_000  # characters of a line that are read as language; what is longer was written by a machine


def speaks_of_access(text: str) -> bool:
    """Whether a line of the text speaks of access and holds what could be the value: it stays in its note and nowhere else."""
    return next(access_spans(without_our_marks(text)), None) is not None


def without_our_marks(text: str) -> str:
    """The text with our own ids, marks and names of runs, files and promises under blanks: they are drawn like keys, and open nothing."""
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
    groups = words_of_access(line)
    certain = [*_commanded(line), *_listed(line), *_told_digit_by_digit(line)]
    certain += [*_unnamed(line), *placed_spans(line)]
    if not announced and not _may_hold_one(line, groups):
        return certain, False
    plain = _without_what_is_no_value(line)
    other = _spans(plain, "other")
    if names := _meant(plain, other, "names") or _codes(plain, other):
        values = [*_typed(plain), *_said(plain, names)] or [*_bare(plain, names)] or [*_hinted(plain, names)]
        return [*certain, *values], not values and _announces(line)
    if announced:
        return [*certain, *_typed(plain), *_said_at(plain, 0)], False
    if _opens(plain, other) or any(_locked(plain, other)):
        certain += _typed(plain)
    elif dialled := [found.span() for found in _DIALLED.finditer(plain)]:
        certain += dialled if _spans(plain, "locks") else ()
    return [*certain, *_logins(line), *_drawn_keys(plain), *_beside_what_it_opens(plain, other)], False


def _may_hold_one(line: str, groups: Mapping[str, tuple[Span, ...]]) -> bool:
    """Whether a line is worth reading: it names what is secret, or something to open and what looks like a value."""
    opened = not groups.keys().isdisjoint(("locks", "networks", "guests"))
    hinted = not groups.keys().isdisjoint(("codes", "keys", "with", "worded", "alone", "entered"))
    if "names" in groups or (opened and hinted):
        return True
    return not _SAYS_NOTHING.issuperset(groups) and (
        "tens" in groups or "digits" in groups or bool(_VALUE_LIKE.search(line))
    )


# ---- the words


def _spans(line: str, *groups: str) -> list[Span]:
    """Where words of these groups stand, in any language."""
    found = words_of_access(line)
    return sorted({span for group in groups for span in found.get(group, ())})


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
    day = (
        r"(?:19|20)\d\d-\d\d(?:-\d\d)?(?![\d-])(?:[T ]\d\d:\d\d\S*)?|(?:0?[1-9]|[12]\d|3[01])[./](?:0?[1-9]|1[0-2])[./](?:(?:19|20)\d\d)?(?!\d)|\d{4}"
        + DATE_SIGNS[0]
    )
    months = "|".join(sorted({re.escape(one.rstrip("*")) for each in words("specifics.months") for one in each.split() if one.isalpha()}, key=len, reverse=True))  # fmt: skip
    day += rf"|\d{{1,2}}(?:st|nd|rd|th|er|[.\u00ba])?\s(?:de\s|of\s)?(?:{months})\b(?:\s(?:19|20)\d\d)?"
    amount = r"[€$£¥]\s?\d[\d.,]*[kKmM]?|\d[\d.,]*\s?[€$£¥%°‰]|\d{1,3}(?:,\d{3})+(?!\d)|(?<![\d.])\d+[.,]\d+(?![.\d])"
    counted = rf"(?<![\w-])\d{{1,6}}\s?(?:(?:EUR|USD|GBP|CHF|th|st|nd|rd|[kmgt]i?b|[kmg]|ms|px|k?g|mg|ml|[ckm]?m|k?w|kwh|x|am|pm|h\d?\d?)(?!\w)|(?:{units})(?![A-Za-z\u0430-\u044f]))"
    postal = any_apart(words("access.postal")) + "|" + "|".join(filter(is_undivided, words("access.postal")))
    return re.compile(
        rf"(?<![a-z\d])(?:{_STORES})(?![a-z\d])(?:\s(?!{any_apart(words('access.is'))})[^\W\d_]{{2,8}}\s[\"'“„«][^\"'“”„»\n]{{1,40}}[\"'“”»])?"
        rf"|(?:{postal})[^\d\n.;!?]{{0,30}}\d{{4,6}}(?!\d)"
        r"|(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,12}://[^\s?#]+|(?<![\w.-])[\w.-]{1,60}@[\w-]{2,40}\.[\w.-]{2,40}|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d+)?"
        r"|(?<![\w.])[~.]{0,2}(?:/[\w.@-]{1,60}){2,}|(?<![\w./-])[\w./~-]{1,80}\.(?:md|txt|json|ya?ml|toml|py|js|ts|sh|pdf|html?|csv|log|db|env|conf)(?:[:#]L?\d+(?:-L?\d+)?)?(?![\w.])"
        rf"|(?<![\d-])(?:{day})|(?<![\d:])\d{{1,2}}[:：]\d\d(?::\d\d)?(?![\d:])|{amount}|{counted}",
        re.I,
    )


def _without_what_is_no_value(line: str) -> str:
    """The line with dates, amounts, addresses, files and our own marks under blanks, so that places stay as they are."""
    if not _FIGURE_OR_ADDRESS.search(line):
        return line
    return _no_values().sub(lambda found: " " * len(found[0]), line)


@cache
def _figures() -> re.Pattern[str]:
    """Three digits or more, divided or not; letters with digits among them; words joined by signs."""
    inner = rf"(?:[^\s\"'`,;:|()=<>{{}}\[\]$\\/&⟦⟧，。；、：（）「」『』{GLUED}]|&(?!\w{{1,20}}=))"
    letter, joined, edge = rf"[^\W\d_{GLUED}]", rf"[^\W_{GLUED}]{{2,24}}", rf"[^\W{GLUED}]"
    return re.compile(
        rf"(?<!{edge})(?={letter}{inner}{{0,40}}?\d|\d{inner}{{0,40}}?{letter}){inner}{{4,80}}"
        rf"|(?<!{edge})(?<!\.)[#*]?\d+(?:[-–. /]{{1,3}}\d+)*+[#*]?(?![€%])(?!{edge})"
        rf"|(?<![\w/~.]){joined}(?:[._/+~-]{joined}){{2,12}}(?![\w/])"
    )


@cache
def _spelt() -> re.Pattern[str]:
    """Three digits or more in words."""
    every = (*words("access.digits"), *words("access.tens"))
    glued = "|".join(sorted((one for one in every if is_undivided(one)), key=len, reverse=True))
    divided = sorted((one for one in every if not is_undivided(one)), key=len, reverse=True)
    apart = "|".join(re.escape(one).replace(r"\*", r"\w*") for one in divided)
    counters = "".join(words("access.counters"))
    return re.compile(
        rf"(?<!\w)(?:{apart})(?:[\s,-]{{1,2}}(?:{apart})){{1,}}(?!\w)|(?:{glued})(?:[\s,、・-]?(?:{glued})){{2,}}|(?:\d|{glued})[{counters}](?:\d|{glued})",
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
    """`up-to-date`, `and/or/not`, `DB_ROOT_PASSWORD`: words that only stand together."""
    return ("_" in value and value.isupper()) or any(
        part.lower() in stop_words() for part in re.split(r"[._/+~-]", value)
    )


@cache
def _verb() -> re.Pattern[str]:
    """What stands between a name and its value: a sign, or a form of "to be"."""
    return re.compile(rf"[:：=＝→]|->|=>|(?<=\s)[—–-](?=\s)|{any_apart(words('access.is'))}")


@cache
def _glued_verb() -> re.Pattern[str]:
    every = sorted((one for one in words("access.is") if is_undivided(one)), key=len, reverse=True)
    return re.compile(rf"[^\s，。；、：:,;.]{{0,{_NEAR}}}?[，,、]?(?:{'|'.join(every)})")


def _said(line: str, names: list[Span]) -> Iterator[Span]:
    """Words that are the value: "… is correct horse", and before the name, "tangerine is the password"."""
    done, low = 0, folded(line)
    for end in sorted({end for _, end in names}):
        sentence = _SENTENCE.search(line, end, end + _FAR)
        reach = sentence.start() if sentence else end + _FAR
        for found in _verb().finditer(low, max(end, done), reach):
            yield from _said_at(line, found.end())
            yield from _paraphrased(line, found.end())
        done = reach
        if glued := _glued_verb().match(line, end):
            yield from _said_at(line, glued.end())
    before = _subject().match(low[: names[0][0]])
    named = line[max(0, names[0][0] - 1) : names[0][0]] == "_" or words_of_access(before["value"] if before else "")
    if before and not named and not _is_ordinary(before["value"]) and len(before["value"]) > 2:
        yield before.span("value")


def _paraphrased(line: str, start: int) -> Iterator[Span]:
    """A phrase that begins with an article, or stands behind "=": "the name of the cat". Who reads it can get in."""
    found = _clause().match(line, start)
    phrase = found[0].strip() if found else ""
    if len(phrase.split()) < 3 or is_reference(phrase.split()[0]):
        return
    if line[start - 1] in "=＝" or phrase.split()[0].lower() in words("access.articles"):
        first = line.index(phrase, start)
        yield first, first + len(phrase)


def _bare(line: str, names: list[Span]) -> Iterator[Span]:
    """The value right behind its name, where nothing else of the line could be one: "user oakley, pw mossbank"."""
    for _, end in names:
        after = {start for start, _ in _spans(line[end + 1 : end + 40], "locks", "networks", "codes", "acts")}
        if _BLANK.match(line, end) and 0 not in after:
            yield from _said_at(line, end)


@cache
def _subject() -> re.Pattern[str]:
    """`tangerine is the guest ` before `password`; what is said of the name has to follow at once."""
    glued = "|".join(sorted(filter(is_undivided, words("access.is")), key=len, reverse=True))
    return re.compile(rf"[\s*_>-]{{0,8}}(?P<value>[^\s:：,;.!?，。⟦⟧]+(?: [^\s:：,;.!?，。⟦⟧]+){{0,4}}?) ?(?:{any_apart(words('access.is'))}|{glued}) ?(?:[^\s,;.!?，。]+ ?){{0,5}}$")  # fmt: skip


def _said_at(line: str, start: int) -> Iterator[Span]:
    """What follows a verb: a value and the words that belong to it, or all that is said unless it begins as a remark does."""
    found = _run().match(line, start)
    if not found or len(found["run"] or "") < 2 or _stands_for_one(found["run"]):
        return
    first = found.start("run")
    if is_undivided(found["run"]) and any(map(str.isdigit, found["run"].split()[0])) and not _is_ordinary(found["run"]):
        if clause := _clause().match(line, first):
            yield clause.span()
    elif any(map(str.isdigit, found["run"].split()[0])):
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
    word = re.match(rf"[^\W\d_{GLUED}]+(?:['’][^\W\d_]+)?", run)
    if word:
        return word[0].lower() in stop_words() or word[0].lower() in _everyday()
    return not is_undivided(run) or run.lower().startswith(_beginnings())


def _stands_for_one(run: str) -> bool:
    """`$PASSWORD`, `<your password>`, `xxxxxx`: where a value would stand."""
    word = run.split()[0]
    return is_reference(word) or is_blank(word)


@cache
def _everyday() -> frozenset[str]:
    return frozenset(words("access.common")) | frozenset(words("access.is"))


@cache
def _beginnings() -> tuple[str, ...]:
    return tuple(one for one in words("access.common") if is_undivided(one))


def _announces(line: str) -> bool:
    """Whether the value is to be expected on the next line."""
    return line.rstrip(" *_").endswith((":", "：")) or line.lstrip().startswith("#")


def _locked(line: str, other: list[Span]) -> Iterator[Span]:
    """A lock and its value right behind it: "shed lock 7-31-12"."""
    alone = _meant(line, other, "alone")
    typed = [*_typed(line)] if alone else []
    for _, end in alone if typed else ():
        near = _NEAR_IT.match(line, end)
        yield from (span for span in typed if near and end <= span[0] <= near.end())


def _beside_what_it_opens(line: str, other: list[Span]) -> Iterator[Span]:
    """Without any word for a code: the lock and a number, the network and a phrase, the account and a made-up word."""
    # `gate01` is a machine, and no gate.
    things = {span for span in _meant(line, other, "locks", "networks") if not line[span[1] : span[1] + 1].isdigit()}
    locks, networks = things & {*_spans(line, "locks")}, things & {*_spans(line, "networks")}
    if locks:
        yield from _lock_numbers(line)
    guests = _spans(line, "guests")
    if locks or networks:
        yield from _spoken_codes(line)
    if locks or networks or guests:
        for start, end in _spans(line, "with"):
            yield from _phrase_at(line, end)
            yield from (found.span() for found in [_LOCK_NUMBER.match(line, end + 1)] if found)
            yield from _words_to_say(line, start, end) if locks else ()
        for _, end in _spans(line, "worded"):
            yield from ((found.start(), found.end()) for found in [_NEXT_WORDS.match(line, end)] if found)
    if locks or networks or _spans(line, "logins", "names"):
        yield from made_up_spans(line)
    named = networks & {*_spans(line, "alone")}  # what people name when they mean its password
    for start, end in _spans(line, "entered") if named or guests else ():
        yield from _phrase_at(line, end, least=1, most=_PURPOSE)
        yield from (
            found.span() for found in [_BEFORE_VERB.search(line, 0, start)] if found and is_undivided(line[start])
        )
    for span in named:
        yield from _network_phrase(line, span[1])
        yield from (found.span() for found in _NUMBERED_WORD.finditer(line))
        yield from (found.span() for found in _JOINED_WORDS.finditer(line) if not _is_everyday(found[0]))
    yield from _numbers_behind(line, _meant(line, other, "codes"))


def _words_to_say(line: str, start: int, end: int) -> Iterator[Span]:
    """What is to be said to who guards a house: between quotation marks behind the verb, or before it where verbs stand last."""
    for found in _quoted().finditer(line):
        before = is_undivided(line[start]) and 0 <= start - found.end() <= 2
        if before or (found.start() >= end and not _STOP_OR_CALL.search(line, end, found.start())):
            yield found.span()


def _lock_numbers(line: str) -> Iterator[Span]:
    """`lockbox behind the bins, 6031`. A telephone may be locked, but `phone 052 417` is the number of one."""
    for found in _LOCK_NUMBER.finditer(line):
        before = folded(line[: found.start()]).rstrip(" #:：").endswith(words("access.numbered"))
        dialled = re.match(r"0\d+ ", found[0]) and follows_telephone(line, found.start())
        if not before and not dialled and not _YEAR.fullmatch(found[0]):
            yield found.span()


def _spoken_codes(line: str) -> Iterator[Span]:
    """Three numbers or more in words, or two that are no one number together: "fifty-four ninety-one"."""
    for found in _spelt().finditer(line):
        parts = re.split(r"[\s,-]+", found[0])
        if len(parts) > 2 or min(map(len, parts)) > _COMPOUND:
            yield found.span()


def _numbers_behind(line: str, names: list[Span]) -> Iterator[Span]:
    """A number right behind a word for a code or a key: "the clock takes code 661-4420"."""
    for _, end in names:
        found = _CODE_NUMBER.match(line, end)
        if found and not _YEAR.fullmatch(found["value"]):
            yield found.span("value")


def _network_phrase(line: str, end: int) -> Iterator[Span]:
    """Three words and more behind "the wifi is", unless they begin as a remark does."""
    stop = _STOP.search(line, end)
    verb = _verb().search(folded(line), end, stop.start() if stop else len(line))
    if verb and len(line[end : verb.start()].split()) <= _PURPOSE:
        yield from _phrase_at(line, verb.end())
        yield from (found.span(1) for found in [_LONG_WORD.match(line, verb.end())] if found)


def _phrase_at(line: str, start: int, least: int = 3, most: int = 100) -> Iterator[Span]:
    """The clause at a place when it has as many words and does not begin as a remark does."""
    found = _clause().match(line, start)
    phrase = found[0].strip() if found else ""
    if found and least <= len(phrase.split()) <= most and not _is_ordinary(phrase):
        yield start + found[0].index(phrase), start + found[0].index(phrase) + len(phrase)


def _hinted(line: str, names: list[Span]) -> Iterator[Span]:
    """A number that is no amount, behind the name: "password: last year's, then 4 twice"."""
    after = min(end for _, end in names)
    run = _run().match(line, after)
    if run and run["run"] and _stands_for_one(run["run"]):
        return
    yield from (found.span() for found in _NUMBER.finditer(line, after))
    stop = _STOP.search(line, after)
    for first, last in _spans(line, "digits"):
        if after < first < (stop.start() if stop else len(line)) and last - first > 1:
            yield first, stop.start() if stop else len(line)
    yield from made_up_spans(line)


def _told_digit_by_digit(line: str) -> Iterator[Span]:
    """Four digits or more in words, one after the other, or figures and a key of the keypad: a code, whatever stands beside it."""
    if line.count("*") <= 1:  # more of them make a word bold
        yield from (found.span() for found in _DIALLED_END.finditer(line))
    digits = words_of_access(line).get("digits", ())
    if len(digits) >= _DIGITS:
        for found in _single_digits().finditer(line):
            if len(set(re.split(r"[\s,-]+", found[0].lower()))) > 1:
                yield found.span()
    for found in _numerals().finditer(line):
        if not _IDIOM.fullmatch(found[0]):
            yield found.span()


@cache
def _single_digits() -> re.Pattern[str]:
    apart = "|".join(sorted((one for one in words("access.digits") if not is_undivided(one)), key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{apart})(?:[\s,-]{{1,2}}(?:{apart})){{{_DIGITS - 1},}}(?!\w)", re.I)


@cache
def _numerals() -> re.Pattern[str]:
    """Ideographs of digits side by side, which a number has not: it says its tens. A year does."""
    signs = "".join(one for one in words("access.digits") if re.fullmatch("[〇\u3400-\u9fff]", one))
    return re.compile(f"[{signs}]{{{_DIGITS},}}(?![{signs}{DATE_SIGNS[0]}])")


def _logins(line: str) -> Iterator[Span]:
    """A name and its password with a stroke between them: "login: ines@mail.example / reh-im-schnee"."""
    for _, end in _spans(line, "logins")[:1] if " / " in line else ():
        yield from (found.span("value") for found in _PAIR.finditer(line, end))


def _listed(line: str) -> Iterator[Span]:
    """Twelve short words and more without one that joins a sentence: a wallet, whatever it is called."""
    for found in _LISTED.finditer(line):
        listed = re.split("[, ]+", found[0])
        if not stop_words().intersection(listed) and len({*listed}) * 2 > len(listed):
            yield found.span()


def _drawn_keys(line: str) -> Iterator[Span]:
    """Letters and figures mixed, right behind the word for a key: "the feed key is QS-44fd0c9be1"."""
    for start, end in _spans(line, "keys"):
        if "_" in line[max(0, start - 1) : start] + line[end : end + 1]:
            continue  # a name in a program, which `labelled` knows better
        for found in _DRAWN.finditer(line, end, end + 110):
            if found.start() - end <= _LEAD and is_key(found[0]):
                yield found.span()


# ---- what opens something though no word of the line says "password"


def _unnamed(line: str) -> Iterator[Span]:
    """Where a line holds what opens something, without a word for it."""
    groups = words_of_access(line)
    yield from _turned(line)
    if "questions" in groups:
        yield from _answered(line)
    if "drawn" in groups:
        yield from _letters_drawn(line)


def _turned(line: str) -> Iterator[Span]:
    """Directions one after the other beside something that is locked: "the tablet: up, right, down"."""
    groups = words_of_access(line)
    turns = groups.get("turns", ())
    if len(turns) < _TURNS or groups.keys().isdisjoint(("locks", "alone", "names")):
        return
    row = [turns[0]]
    for before, after in pairwise((*turns, (len(line) * 2, 0))):
        if after[0] < len(line) and _joins_turns(line[before[1] : after[0]]):
            row.append(after)
            continue
        if len(row) >= _TURNS:
            first, last = _TURNED_BY[0].search(line[: row[0][0]]), _TURNED_BY[1].match(line, row[-1][1])
            yield first.start() if first else row[0][0], last.end() if last else row[-1][1]
        row = [after]


def _joins_turns(between: str) -> bool:
    """A comma, a number, "then": a sentence has other words between its directions."""
    between_words = re.findall(r"[^\W\d_]{2,}", between)
    signs = not between.strip() or any(not (sign.isalpha() or sign.isspace()) for sign in between)
    return len(between) <= 16 and signs and stop_words().issuperset(map(str.lower, between_words))


@cache
def _letter() -> re.Pattern[str]:
    """A letter that stands alone and is no word of one letter."""
    letters, others = "A-Za-z\u0410-\u044f'’.", "".join(words("access.letters"))
    return re.compile(rf"(?<![{letters}])[B-HJ-NP-Z{others}](?![{letters}\d])|[\u3131-\u314e]")


def _letters_drawn(line: str) -> Iterator[Span]:
    """A letter as a finger draws it: "her tablet opens when you draw an N"."""
    groups = words_of_access(line)
    for start, end in groups["drawn"] if "locks" in groups else ():
        if found := _letter().search(line, max(0, start - _DRAWN_NEAR), end + _DRAWN_NEAR):
            yield found.span()


def _answered(line: str) -> Iterator[Span]:
    """What somebody answers when asked for a first pet or a maiden name; the bare fact is no secret."""
    groups = words_of_access(line)
    asked = groups["questions"][-1][1]
    for start, end in groups.get("answers", ()):
        found = _CLAUSE.match(line, end)
        if found and not _is_remark(found["value"]):
            yield found.span("value")
        # "… with plum jam answered": the verb stands last.
        if start > asked and (is_undivided(line[start]) or not line[end:].strip(" .!)")):
            yield asked, start
    if "asked" in groups and (found := _BEHIND_SIGN.search(line, asked)) and not _is_remark(found["value"]):
        yield found.span("value")


def _is_remark(value: str) -> bool:
    return len(value.split()) > _LONGEST_ANSWER or value.split()[0].lower() in stop_words()


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
