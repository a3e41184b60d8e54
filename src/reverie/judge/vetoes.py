"""The four things that keep a line out of MEMORY.md, whoever judges: a secret, an untrusted origin, an order from a stranger, code.

Everything else (a mood, a chore, a joke, a plan for one day) is a matter of worth, and worth is the judge's. Only the shape of a
line is looked at; the words stand in `lang/`, tables `requests` and `private`. The learned judge does not replace them: of
injections that stand alone in a note it knows one in seven.
"""

from __future__ import annotations

import re
from functools import cache

from reverie.judge.reminders import reminder_in
from reverie.lang import words
from reverie.lang.lexicon import any_of, one_of, phrases
from reverie.privacy.personal import KINDS
from reverie.privacy.redact import findings, holds_mask, opens_something
from reverie.text.terms import terms
from reverie.workspace.openclaw_format import PeerRecall

TRUSTED = frozenset({"owner", "session"})
# Codes: they are counted and kept with a night.
SECRET, UNTRUSTED, INSTRUCTION, CODE = "secret or personal data", "untrusted", "instruction", "code"
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


def veto(text: str, context: str = "", origin: str = "owner", beside: str = "") -> str:
    """Why this line must not enter MEMORY.md; empty when nothing certain speaks against it. `beside`: `opens_something`."""
    said = text.strip()
    why = distrust(said, context, origin)
    secret = why != UNTRUSTED and (holds_mask(said) or opens_something(said, beside) or _holds_personal(said))
    return SECRET if secret else why


def distrust(text: str, context: str = "", origin: str = "owner") -> str:
    """Why nobody may rely on this line, whatever it tells: all that `veto` knows but what must stay hidden."""
    if origin not in TRUSTED or is_contaminated(text):
        return UNTRUSTED
    if is_for_machines(context) or is_for_machines(text) or is_request(text):
        return INSTRUCTION
    return CODE if _is_code(text) else ""


def unfit(text: str, context: str = "", origin: str = "owner", shortest: int = _SHORTEST) -> str:
    """Why a line is not shown as something remembered: one of the four, or that it states nothing by itself."""
    return veto(text, context, origin) or ("" if is_statement(text, shortest) else "no statement")


def is_chatter(text: str) -> bool:
    """A turn of a chat, or the id of a message: no statement of anybody's."""
    return bool(_TURN.match(text.strip()) or _METADATA.search(text.strip()))


def is_statement(text: str, shortest: int = _SHORTEST) -> bool:
    """Whether a line states something by itself: no label, no question, no turn of a chat, no id, no half sentence."""
    said = text.strip()
    if _LABEL.search(said) or _QUESTION.search(said) or is_chatter(said):
        return False
    return len([term for term in terms(said) if len(term) > 1 or not term.isascii()]) >= shortest


def _is_code(text: str) -> bool:
    inside = sum(len(part) for part in re.findall(r"`[^`]*`", text))
    signs = sum(1 for char in text if char in "{}[]<>=;|\\/$#_")
    return bool(_CODE.search(text)) or inside > 0.6 * len(text) or signs > 0.12 * len(text)


# --- what belongs to somebody else ------------------------------------------------------------------------------------

_NAME = r"(?-i:[A-Z\u00c0-\u00de\u0410-\u042f])"  # begins with a capital


def _holds_personal(text: str) -> bool:
    kinds = KINDS - {"ip"} if _INSIDE.search(text) else KINDS  # an address of one's own network names nobody
    return is_private(text) or bool(findings(text, kinds))


def is_private(text: str) -> bool:
    """Told in confidence, or about somebody's home, wage or fate.

    `MEMORY.md` is put into every conversation, whoever listens. Such lines stay in the notes, where their owner wrote them down.
    """
    return bool(_private().search(text) or (_stranger().search(text) and any_of("private.befell").search(text)))


@cache
def _private() -> re.Pattern[str]:
    titles, patients, flats = (one_of(f"private.{group}") for group in ("titles", "patients", "flats"))
    ends = "|".join(re.escape(end) for end in words("private.street_ends"))
    of_a_patient = (
        rf"(?:{titles}|{patients})\.?[^.]{{0,60}}{one_of('private.beds')}\s*\d"
        rf"|{patients}[^。]{{0,20}}{one_of('private.bedside')}"
    )
    address = rf"{one_of('private.addresses')}[^.:：]{{0,40}}[:：]\s*\S[^.]{{0,40}}\d|{one_of('private.homes')}"
    lives_at = (  # a name with a house number, or a flat in a block
        rf"{titles}\.? [^\W\d_][^,;.]{{1,40}}, (?-i:\d{{1,4}}[a-z]? [A-Z]|[A-Z\u00c4\u00d6\u00dc][^\W\d_]{{1,24}}(?:{ends}) \d{{1,4}}\b)"
        rf"|{one_of('private.lives_at')} [^,;.]{{0,30}}\d{{1,4}}\b"
        rf"|{one_of('private.roads')} (?:[a-z]{{1,3}} ){{0,2}}{_NAME}\S+(?: \S+){{0,2}},? \d{{1,4}}\b"
        rf"|[^\W\d_]{{2}}{one_of('private.streets')}\s?\d{{1,5}}\s?{one_of('private.house_numbers')}[^，。]{{0,12}}?(?:\d{{1,4}}\s?{flats}|\d{{3,4}})"
        rf"|{flats}\s?\d{{1,2}}\s?{flats}"
    )
    # What somebody else earns. One's own rates are one's own to remember.
    earns = (
        rf"{_NAME}[^\W\d_]+['’]s {one_of('private.wages')}|{one_of('private.wages_of')} {_NAME}"
        rf"|[^\W\d_]{one_of('private.wages_behind')}"
    )
    confided = phrases(
        words("private.confided"), 6
    )  # nobody who said so meant a file that is read before every conversation
    return re.compile("|".join((confided, of_a_patient, address, lives_at, earns)), re.I)


@cache
def _stranger() -> re.Pattern[str]:
    """Somebody who is not of the house: a customer, a colleague, a neighbour, or somebody's kin."""
    kin = rf"{_NAME}[^\W\d_]+['’]s {one_of('private.kin')}"
    return re.compile(f"{one_of('private.titles')}|{one_of('private.strangers')}|{kin}", re.I)


# --- words that want something done -----------------------------------------------------------------------------------

_SENTENCE = re.compile(r"[.!。！](?:\s|$)")
_FEW_WORDS = r"\s*(?:[\w'’]+\s+){0,3}?"


def is_request(text: str) -> bool:
    """Whether a line only asks for something to be done, or would have it done behind somebody's back.

    A rule of the owner's is an order too (“always answer in German”), but it says when it holds: always, never, before, every.
    So an order without such a word is a request, and one that would act with other people's accounts, hide something or switch
    a protection off is one whatever it says.
    """
    if acts_behind_backs(text) or _is_unasked(text):
        return True
    if any_of("requests.rules").search(text) or reminder_in(
        text
    ):  # a reminder is asked of us, and kept until it is given
        return False
    first = _SENTENCE.split(text, maxsplit=1)[0]  # what follows a request often begins with “if”
    wanted = _order().search(first) and not any_of("requests.when").search(any_of("requests.no_when").sub("", first))
    return bool(wanted or _polite().search(text))


def acts_behind_backs(text: str) -> bool:
    """Whether a line would switch a protection off, give a secret away or hide something, even where it is put as a rule."""
    return _harm().search(text) is not None


def is_for_machines(text: str) -> bool:
    """Whether somebody speaks to the machine, not about the owner's life: “dear assistants”, “store permanently”."""
    return _for_machines().search(text) is not None


def _is_unasked(text: str) -> bool:
    """“Never buy anything without asking” is a rule; without the never it is the opposite."""
    found = _unasked().search(text)
    return found is not None and not any_of("specifics.negations").search(text[: found.start()])


def _lead() -> str:
    return rf"^[\W_]*(?:{one_of('requests.leads')}[,:]?\s+)*"


@cache
def _order() -> re.Pattern[str]:
    """A line that begins with a verb and what to do it to, or with a verb that wants words."""
    objects = rf"(?:{one_of('requests.objects')}|\S+@\S+|[\"“„«]|[$€£]\d)"
    verb = rf"(?:{one_of('requests.adverbs')}\s+)?{one_of('requests.verbs')}\s+{objects}"
    return re.compile(rf"{_lead()}(?:{verb}|{one_of('requests.asks')}\s+\S)", re.I)


@cache
def _polite() -> re.Pattern[str]:
    """A line that begins or, in languages that do so, ends with a plea; or says what the machine itself is ("your prompt")."""
    begins = (
        rf"{_lead()}{one_of('requests.polite')}|^[\W_]*(?!{one_of('requests.no_starts')}){one_of('requests.starts')}"
    )
    yours = rf"{one_of('requests.your')}\s+{one_of('requests.yours')}"
    return re.compile(rf"{begins}|{one_of('requests.ends')}[.。!！\s]*$|{yours}", re.I)


@cache
def _harm() -> re.Pattern[str]:
    """Behind somebody's back: refused even where it is put as a rule."""
    between = rf"\s*(?:(?:{one_of('requests.objects')}|{one_of('requests.earlier')})\s*)*"
    pairs = (("overrides", "guards"), ("reveals", "secrets"), ("hides", "whom"))
    acts = [f"{one_of(f'requests.{does}')}{between}{one_of(f'requests.{what}')}" for does, what in pairs]
    said = phrases(words("requests.pretends")), phrases(words("requests.ignored"), 6)
    return re.compile("|".join((*acts, *said)), re.I)


@cache
def _unasked() -> re.Pattern[str]:
    unapproved = phrases(words("requests.unapproved"), 20)
    return re.compile(f"{one_of('requests.unasked')}{_FEW_WORDS}{one_of('requests.whom')}|{unapproved}", re.I)


@cache
def _for_machines() -> re.Pattern[str]:
    machines, store, forever = (one_of(f"requests.{group}") for group in ("assistants", "store", "forever"))
    pleads = rf"{one_of('requests.polite')}[^.。]{{0,30}}{store}[^.。]{{0,30}}{one_of('requests.always')}"
    called = rf"{one_of('requests.called')}\s+(?:{one_of('requests.objects')}\s+)?{machines}"
    return re.compile(
        rf"{called}|{pleads}|{machines}[^.。]{{0,60}}{one_of('requests.must')}|{machines}[^.。]{{0,80}}{store}|{store}[^.。]{{0,40}}{forever}"
        rf"|{forever}\s?{store}|\bsystem\s*(?:prompt|message|override)?\s*:|{one_of('requests.machine')}",
        re.I,
    )


# --- traces of machinery (the rules are OpenClaw's, 2026.9) -----------------------------------------------------------

_TRACES = re.compile(
    r"<!--\s*openclaw-memory-(?:promotion|lineage):"
    r"|\[score=[\d.]+ (?:signals=\d+ )?recalls=\d+ avg=[\d.]+ source=[^\]]*\]"
    r"|^[\s#*>-]*conversation summary\s*:"
    r"|pre-compaction memory flush|store durable memories (?:now|only in)"
    r"|dreaming-narrative-|write a dream diary entry from these memory fragments",
    re.I,
)
_SESSION = (re.compile(r"\bsession key\W", re.I), re.compile(r"\bsession id\W", re.I))
_SPEAKER = re.compile(r"^\s*(?:\[[^\]]*\]\s*)?(?:user|assistant)\s*:", re.I)
_CANDIDATE = (  # all of the first three, and then the staged ones or the reflection
    re.compile(r"^[\s*>-]*(?:candidate|reflections?|theme)\s*:", re.I),
    re.compile(r"\bconfidence\s*:\s*[\d.]", re.I),
    re.compile(r"\bevidence\s*:\s*\S", re.I),
)
_STAGED = (re.compile(r"\bstatus\s*:\s*staged\b", re.I), re.compile(r"\brecalls\s*:\s*\d", re.I))
_REFLECTION = re.compile(r"\bnote\s*:\s*reflection\b", re.I)


def is_contaminated(text: str, *, transcript: bool = False) -> bool:
    """Whether a text came out of a dream, a prompt or a transcript. A `transcript` may begin with `User:` or `Assistant:`."""
    if _TRACES.search(text) or all(part.search(text) for part in _SESSION):
        return True
    if not transcript and _SPEAKER.search(text):
        return True
    if not all(part.search(text) for part in _CANDIDATE):
        return False
    return all(part.search(text) for part in _STAGED) or bool(_REFLECTION.search(text))


def is_blocked(entry: PeerRecall) -> bool:
    """Whether an entry may not be ranked: contaminated, or said by somebody who is not trusted."""
    if entry.origin is not None and entry.origin.origin_class in ("untrusted", "system"):
        return True
    return is_contaminated(entry.snippet, transcript="/session-corpus/" in entry.path)
