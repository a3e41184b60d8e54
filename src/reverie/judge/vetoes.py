"""The four things that keep a line out of MEMORY.md, whoever judges: a secret, an untrusted origin, an order from a stranger, code.

Everything else (a mood, a chore, a joke, a plan for one day) is a matter of worth, and worth is the judge's.

What belongs to somebody else: told in confidence, about a stranger's health, a home, a wage. None of it is for a memory.

`MEMORY.md` is put into every conversation, whoever listens. Such lines stay in the notes, where their owner wrote them down.
The words stand in `lang/`, table `private`.

Words that want something done now, or done behind the owner's back: a task at best, an injection at worst, no memory.

A rule of the owner's is an order too (“always answer in German”), but it says when it holds: always, never, before, every.
So an order without such a word is a request, and a request that would act with other people's accounts, hide something or
switch a protection off is one whatever it says. Only the shape of a line is looked at; the words stand in `lang/`, table
`requests`. The learned judge does not replace them: of injections that stand alone in a note it knows one in seven.

Text that came out of a dream, a prompt or a transcript, and so must not be remembered as if it had been said.

The rules are OpenClaw's (2026.9): each is a trace that its own machinery leaves in a text.
"""

from __future__ import annotations

import re
from functools import cache

from reverie.lang import words
from reverie.lang.lexicon import either, pattern, phrases
from reverie.lang.messages import said_with, say
from reverie.privacy.personal import KINDS
from reverie.privacy.redact import findings, holds_mask, holds_secret
from reverie.text.terms import terms
from reverie.workspace.openclaw_format import PeerRecall

TRUSTED = frozenset({"owner", "session"})
# These are counted and kept with a night: codes, which `shown_reason` turns into words.
SECRET, UNTRUSTED, INSTRUCTION, CODE = "secret or personal data", "untrusted", "instruction", "code"
JUDGED = "judged "  # … and the kind that a judge took a line for
_CODE = re.compile(
    r"^\s*(?:npm|pip|git|docker|kubectl|curl|ssh) (?!.*[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2})|^\s*(?:\$|>>>|sudo |SELECT |INSERT |UPDATE \w+ SET|ALTER |CREATE |Traceback|at [\w.$]+\()"
    r"|^[\s`]*(?:[\w./~-]+/[\w./-]+|https?://\S+|[A-Z_]{4,}=\S+)[\s`]*$|[{}\[\]]\s*$|;\s*$|=>|\b(?:null|undefined|NaN)\b",
)
_INSIDE = re.compile(r"\b(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d")

_LABEL = re.compile(r"[:：]\s*$|^\s*(?:\*\*|__)[^*_]{1,60}(?:\*\*|__)\s*$")
_QUESTION = re.compile(r"[?？][\s\"'”」)）]*$")
_TURN = re.compile(r"\s*\**(?:user|assistant|system|tool|human|ai|bot)\**\s*[:：]\s", re.I)
_METADATA = re.compile(
    r"^[\W_]*(?:message|chat|session|thread|sender|channel|conversation|request|trace|commit|run|job)[ _-]?(?:id|key|sha|hash)\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-|\b[0-9a-f]{24,}\b",
    re.I,
)
_SHORTEST = 3  # words; fewer name a thing and say nothing about it


def veto(text: str, context: str = "", origin: str = "owner") -> str:
    """Why this line must not enter MEMORY.md; empty when nothing certain speaks against it."""
    said = text.strip()
    if origin not in TRUSTED or is_contaminated(said):
        return UNTRUSTED
    if holds_mask(said) or holds_secret(said) or _holds_personal(said):
        return SECRET
    if is_for_machines(context) or is_for_machines(said) or is_request(said):
        return INSTRUCTION
    return CODE if _is_code(said) else ""


def shown_reason(code: str) -> str:
    """Why a line stays in its note, for people: a veto, or what the judge took it for."""
    if code.startswith(JUDGED):
        return say("why.judged", kind=said_with("kinds", code.removeprefix(JUDGED)))
    return said_with("vetoes", code)


def is_chatter(text: str) -> bool:
    """A turn of a chat, or the id of a message: no statement of anybody's."""
    return bool(_TURN.match(text.strip()) or _METADATA.search(text.strip()))


def is_statement(text: str) -> bool:
    """Whether a line states something by itself: no label, no question, no turn of a chat, no id, no half sentence."""
    said = text.strip()
    if any(form.search(said) for form in (_LABEL, _QUESTION, _METADATA)) or _TURN.match(said):
        return False
    return len([term for term in terms(said) if len(term) > 1 or not term.isascii()]) >= _SHORTEST


def _is_code(text: str) -> bool:
    if _CODE.search(text):
        return True
    inside = sum(len(part) for part in re.findall(r"`[^`]*`", text))
    signs = sum(1 for char in text if char in "{}[]<>=;|\\/$#_")
    return inside > 0.6 * len(text) or signs > 0.12 * len(text)


def unfit(text: str, context: str = "", origin: str = "owner") -> str:
    """Why a line is not shown as something remembered: one of the four, or that it states nothing by itself."""
    return veto(text, context, origin) or ("" if is_statement(text) else "no statement")


def _holds_personal(text: str) -> bool:
    kinds = KINDS - {"ip"} if _INSIDE.search(text) else KINDS  # an address of one's own network names nobody
    return is_private(text) or bool(findings(text, kinds))


_NAME = r"(?-i:[A-Z\u00c0-\u00de\u0410-\u042f])"  # begins with a capital


def is_private(text: str) -> bool:
    """Told in confidence, or about somebody's home, wage or fate."""
    if any(form().search(text) for form in (_confided, _in_bed, _address, _lives_at, _earns)):
        return True
    return bool(_stranger().search(text) and _befell().search(text))


def _private(group: str) -> str:
    return either(words(f"private.{group}"))


@cache
def _confided() -> re.Pattern[str]:
    """Whoever said so did not mean a file that is read before every conversation."""
    return re.compile(phrases(words("private.confided"), 6), re.I)


@cache
def _in_bed() -> re.Pattern[str]:
    """A person with a room or a bed."""
    person = rf"(?:{_private('titles')}|{_private('patients')})"
    return re.compile(
        rf"{person}\.?[^.]{{0,60}}(?:{_private('beds')})\s*\d|(?:{_private('patients')})[^。]{{0,20}}(?:{_private('bedside')})",
        re.I,
    )


@cache
def _address() -> re.Pattern[str]:
    return re.compile(rf"(?:{_private('addresses')})[^.:：]{{0,40}}[:：]\s*\S[^.]{{0,40}}\d|{_private('homes')}", re.I)


@cache
def _lives_at() -> re.Pattern[str]:
    """Where a person lives: a name with a house number, or a flat in a block."""
    ends = "|".join(re.escape(end) for end in words("private.street_ends"))
    streets, flats, number = _private("streets"), _private("flats"), _private("house_numbers")
    return re.compile(
        rf"(?:{_private('titles')})\.? [^\W\d_][^,;.]{{1,40}}, (?-i:\d{{1,4}}[a-z]? [A-Z]|[A-Z\u00c4\u00d6\u00dc][^\W\d_]{{1,24}}(?:{ends}) \d{{1,4}}\b)"
        rf"|(?:{_private('lives_at')}) [^,;.]{{0,30}}\d{{1,4}}\b|(?:{_private('roads')}) (?:[a-z]{{1,3}} ){{0,2}}{_NAME}\S+(?: \S+){{0,2}},? \d{{1,4}}\b"
        rf"|[^\W\d_]{{2}}(?:{streets})\s?\d{{1,5}}\s?(?:{number})[^，。]{{0,12}}?(?:\d{{1,4}}\s?(?:{flats})|\d{{3,4}})"
        rf"|(?:{flats})\s?\d{{1,2}}\s?(?:{flats})",
        re.I,
    )


@cache
def _earns() -> re.Pattern[str]:
    """What somebody else earns. One's own rates are one's own to remember."""
    return re.compile(
        rf"{_NAME}[^\W\d_]+['’]s (?:{_private('wages')})|(?:{_private('wages_of')}) {_NAME}|[^\W\d_](?:{_private('wages_behind')})",
        re.I,
    )


@cache
def _stranger() -> re.Pattern[str]:
    """Somebody who is not of the house: a customer, a colleague, a neighbour, or somebody's kin."""
    return re.compile(
        rf"{_private('titles')}|{_private('strangers')}|{_NAME}[^\W\d_]+['’]s (?:{_private('kin')})", re.I
    )


@cache
def _befell() -> re.Pattern[str]:
    return re.compile(_private("befell"), re.I)


_SENTENCE = re.compile(r"[.!。！](?:\s|$)")
_WORDS = r"\s*(?:[\w'’]+\s+){0,3}?"  # a few words between two


def is_request(text: str) -> bool:
    """Whether a line only asks for something to be done, or would have it done behind somebody's back."""
    if _harm().search(text) or _is_secret(text):
        return True
    if _any("rules").search(text):
        return False
    first = _SENTENCE.split(text, maxsplit=1)[0]  # what follows a request often begins with “if”
    wanted = _order().search(first) and not _any("when").search(_any("no_when").sub("", first))
    return bool(wanted or _polite().search(text) or _yours().search(text))


def is_for_machines(text: str) -> bool:
    """Whether somebody speaks to the machine, not about the owner's life: “dear assistants”, “store permanently”."""
    return _for_machines().search(text) is not None


def _is_secret(text: str) -> bool:
    """“Never buy anything without asking” is a rule; without the never it is the opposite."""
    found = _unasked().search(text)
    return found is not None and not pattern("negations").search(text[: found.start()])


@cache
def _any(group: str) -> re.Pattern[str]:
    return re.compile(_requested(group), re.I)


def _requested(group: str) -> str:
    return either(words(f"requests.{group}"))


def _lead() -> str:
    return rf"^[\W_]*(?:(?:{_requested('leads')})[,:]?\s+)*"


@cache
def _order() -> re.Pattern[str]:
    """A line that begins with a verb and what to do it to, or with a verb that wants words."""
    objects = rf"(?:{_requested('objects')}|\S+@\S+|[\"“„«]|[$€£]\d)"
    return re.compile(
        rf"{_lead()}(?:(?:{_requested('adverbs')})\s+)?(?:{_requested('verbs')})\s+{objects}|{_lead()}(?:{_requested('asks')})\s+\S",
        re.I,
    )


@cache
def _polite() -> re.Pattern[str]:
    """A line that begins or, in languages that do so, ends with a plea."""
    begins = rf"{_lead()}(?:{_requested('polite')})|^[\W_]*(?!{_requested('no_starts')})(?:{_requested('starts')})"
    return re.compile(rf"{begins}|(?:{_requested('ends')})[.。!！\s]*$", re.I)


@cache
def _yours() -> re.Pattern[str]:
    """What the machine itself says or is: only somebody who talks to it says that."""
    return re.compile(rf"(?:{_requested('your')})\s+(?:{_requested('yours')})", re.I)


@cache
def _harm() -> re.Pattern[str]:
    """Behind somebody's back: refused even where it is put as a rule."""
    between = rf"\s*(?:(?:{_requested('objects')}|{_requested('earlier')})\s*)*"
    return re.compile(
        rf"(?:{_requested('overrides')}){between}(?:{_requested('guards')})|(?:{_requested('reveals')}){between}(?:{_requested('secrets')})"
        rf"|(?:{_requested('hides')}){between}(?:{_requested('whom')})|{phrases(words('requests.pretends'))}"
        rf"|{phrases(words('requests.ignored'), 6)}",
        re.I,
    )


@cache
def _unasked() -> re.Pattern[str]:
    unapproved = phrases(words("requests.unapproved"), 20)
    return re.compile(rf"(?:{_requested('unasked')}){_WORDS}(?:{_requested('whom')})|{unapproved}", re.I)


@cache
def _for_machines() -> re.Pattern[str]:
    machines, store, forever = (rf"(?:{_requested(group)})" for group in ("assistants", "store", "forever"))
    pleads = rf"(?:{_requested('polite')})[^.。]{{0,30}}{store}[^.。]{{0,30}}(?:{_requested('always')})"
    called = rf"(?:{_requested('called')})\s+(?:(?:{_requested('objects')})\s+)?{machines}"
    return re.compile(
        rf"{called}|{pleads}|{machines}[^.。]{{0,60}}(?:{_requested('must')})|{machines}[^.。]{{0,80}}{store}|{store}[^.。]{{0,40}}{forever}"
        rf"|{forever}\s?{store}|\bsystem\s*(?:prompt|message|override)?\s*:|{_requested('machine')}",
        re.I,
    )


_TRACES = (
    re.compile(r"<!--\s*openclaw-memory-(?:promotion|lineage):", re.I),
    re.compile(r"\[score=[\d.]+ (?:signals=\d+ )?recalls=\d+ avg=[\d.]+ source=[^\]]*\]", re.I),
    re.compile(r"^[\s#*>-]*conversation summary\s*:", re.I),
    re.compile(r"pre-compaction memory flush|store durable memories (?:now|only in)", re.I),
    re.compile(r"dreaming-narrative-|write a dream diary entry from these memory fragments", re.I),
)
_SESSION_KEY = re.compile(r"\bsession key\W", re.I)
_SESSION_ID = re.compile(r"\bsession id\W", re.I)
_SPEAKER = re.compile(r"^\s*(?:\[[^\]]*\]\s*)?(?:user|assistant)\s*:", re.I)
_LEAD = re.compile(r"^[\s*>-]*(?:candidate|reflections?|theme)\s*:", re.I)
_CONFIDENCE = re.compile(r"\bconfidence\s*:\s*[\d.]", re.I)
_EVIDENCE = re.compile(r"\bevidence\s*:\s*\S", re.I)
_STAGED = re.compile(r"\bstatus\s*:\s*staged\b", re.I)
_RECALLS = re.compile(r"\brecalls\s*:\s*\d", re.I)
_REFLECTION = re.compile(r"\bnote\s*:\s*reflection\b", re.I)
_BLOCKED_ORIGINS = frozenset({"untrusted", "system"})


def is_contaminated(text: str, *, transcript: bool = False) -> bool:
    """Whether a text bears the traces of machinery. A `transcript` may begin with `User:` or `Assistant:`."""
    if any(trace.search(text) for trace in _TRACES):
        return True
    if _SESSION_KEY.search(text) and _SESSION_ID.search(text):
        return True
    if not transcript and _SPEAKER.search(text):
        return True
    if not (_LEAD.search(text) and _CONFIDENCE.search(text) and _EVIDENCE.search(text)):
        return False
    return bool(_STAGED.search(text) and _RECALLS.search(text)) or bool(_REFLECTION.search(text))


def is_blocked(entry: PeerRecall) -> bool:
    """Whether an entry may not be ranked: contaminated, or said by somebody who is not trusted."""
    if entry.origin is not None and entry.origin.origin_class in _BLOCKED_ORIGINS:
        return True
    return is_contaminated(entry.snippet, transcript="/session-corpus/" in entry.path)
