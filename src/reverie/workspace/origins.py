"""Whose words are these? What a host wrote, what it wrapped around a message, what somebody pasted, what machines said.

A host (the harness around an agent) is known by form first and by its protocol strings last; the strings stand in
`harness.toml` and nowhere else. A message is judged after its envelopes are off: heartbeats, cron, notices, replies that say
nothing and memory that was only injected are not what the owner said, and a corpus that keeps them promotes them. A pasted
article is known by two signs together, a link above it and long paragraphs in which nobody says I or you, because each alone
is a person's. Every rule is anchored or walks over a text once: it may hold megabytes that somebody else wrote.
"""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import groupby
from typing import Any

from reverie.lang import words
from reverie.text.markdown import Document, Shape
from reverie.workspace.values import Origin, json_object

_DATA: Mapping[str, Any] = tomllib.loads(files("reverie.workspace").joinpath("harness.toml").read_text("utf-8"))
CHANNELS: str = "|".join(_DATA["channels"]["names"])
ELEMENTS: Mapping[str, str] = {tag: why for why, tags in _DATA["elements"].items() for tag in tags}

_Openings = list[tuple[str, tuple[str, ...]]]
_OPENINGS: _Openings = [(why, tuple(starts)) for why, starts in _DATA["openings"].items()]
_SPOKEN: _Openings = [(why, tuple(starts)) for why, starts in _DATA["spoken"].items()]
_LONGEST = 120  # of a text, what may decide how it begins
_LEAD = " \t*_`~>#"  # emphasis in front of the words
# `Conversation info (untrusted metadata):`, `System (untrusted): …`, `System: [2026-03-18 22:49:37 EDT] …`
_METADATA_LABEL = re.compile(
    r"[A-Z][\w ,'/-]{1,60} \((?:untrusted|metadata)\b[^)\n]{0,100}\):|system:\s*\[[^\]\n]{0,60}\d[-:]\d\d\b[^\]\n]{0,60}\]",
    re.I,
)
_KEYS = "|".join(map(re.escape, _DATA["metadata"]["keys"]))
_METADATA = re.compile(rf"[\s*_`\"'{{]*(?:{_KEYS})[\s*_`\"']*[:：(]", re.I)
_METADATA_ENVELOPE = re.compile(
    rf"\[(?:message_id\b|(?:{CHANNELS})\b[^\]\n]{{0,300}}?(?:\bid:|\d{{4}}-\d\d-\d\d|\d\d:\d\d|\+\d{{6}}))[^\]\n]{{0,300}}\](?!\()",
    re.I,
)
_QUOTED_KEYS = tuple(f'"{key}"' for key in _DATA["metadata"]["keys"])
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)"
_LOG = re.compile(
    rf"\[?\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{{0,40}}\s+(?:\[?[\w.:/-]{{1,40}}\]?\s+){{0,2}}\[?{_LEVEL}\b"
    rf"|\[?{_LEVEL}\]?\s*\[[^\]\n]{{1,60}}\]"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,60} [\w./-]{1,60}(?:\[\d+\])?:|\S{1,60} \S{1,60} \S{1,60} \[\d\d/\w{3}/\d{4}:\d\d:"
    r"|Traceback \(most recent call last\)|File \"[^\"\n]{1,300}\", line \d+|at [\w.$<>\[\] ]{1,120} \([^()\n]{1,300}:\d+:\d+\)"
)
_CALL = re.compile(r"[\w :.-]{1,60}(?=\{\")")
_PAIR = re.compile(r"[\w.-]{1,40}=(?:\"[^\"\n]*\"|\S+)")


def opening_of(text: str, *, spoken: bool) -> str:
    """The reason why a text that begins like this is a host's; empty if nothing says so. `spoken`: a message in a conversation."""
    low = text[:_LONGEST].lstrip(_LEAD).casefold()
    for why, starts in (*_OPENINGS, *_SPOKEN) if spoken else _OPENINGS:
        if low.startswith(starts):
            return why
    return ""


def is_harness(text: str) -> bool:
    """Whether a host wrote this line of a note: its opening, its label, or the shape of a log."""
    plain = text.lstrip(_LEAD)
    shaped = _METADATA_LABEL.match(plain) or _LOG.match(plain)
    return bool(opening_of(text, spoken=False) or shaped) or _is_logfmt(plain)


def is_metadata(text: str) -> bool:
    """Whether a text is a channel's or a host's data about a message: a key, an envelope, JSON or a line of it."""
    return bool(_METADATA.match(text) or _METADATA_ENVELOPE.match(text)) or _is_json(text)


def names_metadata(code: str) -> bool:
    """Whether a fenced block is data about a message."""
    low = code.lower()
    return any(key in low for key in _QUOTED_KEYS)


def _is_json(text: str) -> bool:
    if named := _CALL.match(text):  # `Tool call: exec {"command": "ls"}`
        text = text[named.end() :]
    elif text[:1] == '"':  # `"key": value,` out of an object
        text = f"{{{text.rstrip().rstrip(',')}}}"
    if not (text[:1] in ("{", "[") and text[-1:] in ("}", "]")):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _is_logfmt(text: str) -> bool:
    """`level=info msg="started" port=80`: three pairs or more, and little else."""
    if text.count("=") < 3:
        return False
    pairs = _PAIR.findall(text)
    return len(pairs) >= 3 and sum(map(len, pairs)) * 3 >= len(text) * 2


_ENVELOPE = re.compile(
    rf"\[(?:(?:{CHANNELS})\b(?P<who>[^\]\n]{{0,300}})|(?:mon|tue|wed|thu|fri|sat|sun)\w* \d{{4}}-\d\d-\d\d[^\]\n]{{0,40}})\][ \t]*",
    re.I,
)
_GROUP = re.compile(r"\bid:-\d|\bgroup\b|\bchannel id:|(?:^|\s)#\w", re.I)
_NAMED = re.compile(r"\s*(?P<name>[^\d+][^\]]*?)\s+id:", re.I)
_LABEL = re.compile(
    r"[A-Z][A-Za-z ,'/-]{2,60} \((?:untrusted|metadata)\b[^)\n]{0,100}\):[ \t]*\r?\n?", re.I
)  # `Conversation info (untrusted metadata):`, `Thread starter (untrusted, for context):`
_SYSTEM = re.compile(r"System(?: \(untrusted\):|: \[[^\]\n]{0,80}\])", re.I)
_BANNER = ("[startup context", "[untrusted ")  # in front of a message, a paragraph each
_ATTACHED = re.compile(r"(?:\[media attached\b[^\]\n]{0,1000}\]|To send an image back, [^\n]{0,1000})[ \t]*\n?", re.I)
_HISTORY, _CURRENT = "[chat messages since", "[current message - respond to this]"
_REPLIED = ("[Replying to ", "[/Replying]")
_QUEUE = "[queued messages"
_QUEUED = re.compile(r"(?:\A|\n)---[ \t]*\r?\nQueued #\d+[^\n]*\r?\n")
_MESSAGE_ID = re.compile(r"\s*\[message_id:[^\]\n]{0,120}\]\s*\Z", re.I)
_ITS_ID = re.compile(r"\[message_id:[^\]\n]{0,120}\]\s*", re.I)
_REPLY_TAG = re.compile(r"\[\[\s*reply_to[^\]\n]{0,80}\]\]\s*", re.I)
_CONTEXT = re.compile(r"(?:context|untrusted context \([^)\n]{0,100}\)):", re.I)
# An element with several words in its name is a host's, whether we know it or not; of the known ones the reason is told.
_TAG = re.compile(r"<([a-z][a-z0-9]*[-_][a-z0-9_-]*)(?:\s[^<>\n]{0,200})?>", re.I)
_CLOSE = re.compile(r"</([a-z][a-z0-9]*[-_][a-z0-9_-]*)\s*>", re.I)
_BLANK = re.compile(r"\r?\n[ \t]*\r?\n")
_INDENTED = re.compile(r"(?:\A|\n)[ \t]*\Z")
# `<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>`, `<<<EXTERNAL_UNTRUSTED_CONTENT id="7">>>`, `BEGIN_QUOTED_NOTES`
_BEGIN = re.compile(r"(?:<<<(?!END_)(?:BEGIN_)?|^BEGIN_)([A-Z][A-Z0-9]*_[A-Z0-9_]*)\b[^>\n]{0,80}(?:>>>|$)", re.M)
_END = re.compile(r"(?:<<<|^)END_([A-Z][A-Z0-9_]*)\b[^>\n]{0,80}(?:>>>|$)", re.M)
_DEEPEST = 24  # nobody wraps a message more often


@dataclass(frozen=True, slots=True)
class Opened:
    """A message out of its envelopes: the words, who the channel says sent them, and what the wrapping was."""

    text: str
    sender: str = ""
    group: bool = False
    notices: tuple[str, ...] = ()  # the machine's paragraphs in front of the words
    blocks: tuple[str, ...] = ()  # why each block inside was taken out
    why: str = ""  # why the words are left out


def opened(text: str, *, inbound: bool) -> Opened:
    """A message without its wrapping. Only what came in (a user's turn) has envelopes and metadata."""
    text, blocks = _without_blocks(_without_internal(text))
    text = _REPLY_TAG.sub("", text).strip()
    if not inbound:
        return Opened(text, blocks=tuple(blocks))
    text = _without_replied(text)
    if not text[:40].lower().startswith(_QUEUE):
        return _unwrapped(text, tuple(blocks))
    found = [_unwrapped(part, ()) for part in _QUEUED.split(text)[1:]]  # several messages that waited for the agent
    words = "\n\n".join(one.text for one in found if one.text)
    sender = next((one.sender for one in found if one.sender), "")
    notices = (_QUEUE, *(notice for one in found for notice in one.notices))
    return Opened(words, sender, any(one.group for one in found), notices, tuple(blocks))


def _unwrapped(text: str, blocks: tuple[str, ...]) -> Opened:
    sender, group, notices = "", False, []
    for _ in range(_DEEPEST):
        text = text.lstrip()
        if found := _ENVELOPE.match(text):
            who = found["who"] or ""
            named = _NAMED.match(who)
            sender, group = sender or (named["name"] if named else ""), group or bool(_GROUP.search(who))
            text = text[found.end() :]
        elif _SYSTEM.match(text) or text[:40].lower().startswith(_BANNER):
            notice, _, text = _paragraph(text)
            notices.append(notice)
        elif found := _LABEL.match(text):
            about, text = _metadata(text[found.end() :])
            sender = sender or _sender(about)
            group = group or _is_group(about)
        elif found := _ITS_ID.match(text) or _ATTACHED.match(text):
            text = text[found.end() :]
        elif text[:40].lower().startswith(_HISTORY):  # what others said in the room, and then the message
            group, text = True, text[max(0, text.lower().rfind(_CURRENT)) :].partition("]")[2]
        else:
            break
    text = _MESSAGE_ID.sub("", text).strip()
    if sender and text.startswith(f"{sender}: "):  # some channels repeat the name in front of the words
        text = text[len(sender) + 2 :]
    return Opened(text, sender, group, tuple(notices), blocks)


def _metadata(text: str) -> tuple[Mapping[str, object], str]:
    """The object behind a metadata label, fenced or bare, and the text after it."""
    text = text.lstrip()
    if text.startswith("```"):
        body, closed, rest = text[3:].partition("\n```")
        if not closed:
            return {}, _paragraph(text)[2]
        return json_object(body[body.find("\n") + 1 :] if body[:1] not in "{[" else body), rest.lstrip("`")
    if text.startswith(("{", "[")):
        try:
            found, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return {}, _paragraph(text)[2]
        return found if isinstance(found, dict) else {}, text[end:]
    return {}, _paragraph(text)[2]


def _sender(about: Mapping[str, object]) -> str:
    for key in ("sender_name", "name", "sender", "label", "username"):
        if isinstance(said := about.get(key), str) and said.strip():
            return said.strip()[:120]
    return ""


def _is_group(about: Mapping[str, object]) -> bool:
    kind = str(about.get("chat_type", "")).lower()
    return (
        about.get("is_group_chat") is True or kind in ("group", "channel", "thread") or bool(about.get("group_subject"))
    )


def _paragraph(text: str) -> tuple[str, str, str]:
    found = _BLANK.search(text)
    return (text, "", "") if found is None else (text[: found.start()], found[0], text[found.end() :])


def _without_internal(text: str) -> str:
    """The text without what stands between a host's markers; one that says BEGIN and is not closed holds all that follows."""
    ends = _positions(_END, text)
    kept: list[str] = []
    at = begin = 0
    while found := _BEGIN.search(text, at):
        at = found.end()
        end = _next(ends, found[1], at) or (len(text) if "BEGIN_" in found[0] else None)
        if end is not None:
            kept.append(text[begin : found.start()])
            at = begin = end
    return "".join([*kept, text[begin:]])


def _without_blocks(text: str) -> tuple[str, list[str]]:
    """The text without the elements a host puts into it; an unclosed known one at the start of a line ends at a blank line."""
    closes = _positions(_CLOSE, text)
    kept: list[str] = []
    reasons: list[str] = []
    at = begin = 0
    while found := _TAG.search(text, at):
        tag, at = found[1].lower(), found.end()
        leads = bool(_INDENTED.search(text, max(0, found.start() - 40), found.start()))
        end = _next(closes, tag, at) if leads or tag in ELEMENTS else None
        if end is None and leads and tag in ELEMENTS:
            blank = _BLANK.search(text, at)
            end = blank.start() if blank else len(text)
        if end is not None:
            kept.append(_without_lead(text[begin : found.start()]))
            reasons.append(ELEMENTS.get(tag, "system"))
            at = begin = end
    return "".join([*kept, text[begin:]]), reasons


def _without_replied(text: str) -> str:
    """The text without the message it answers: `[Replying to Ole id:88] … [/Replying]`."""
    kept, at = [], 0
    while (begin := text.find(_REPLIED[0], at)) >= 0 and (end := text.find(_REPLIED[1], begin)) >= 0:
        kept.append(text[at:begin])
        at = end + len(_REPLIED[1])
    return "".join([*kept, text[at:]])


def _positions(rule: re.Pattern[str], text: str) -> dict[str, list[int]]:
    """Where the marks of each name end, in order: looked for once, whatever the text holds."""
    found: dict[str, list[int]] = {}
    for mark in rule.finditer(text):
        found.setdefault(mark[1].lower(), []).append(mark.end())
    return found


def _next(ends: Mapping[str, list[int]], name: str, after: int) -> int | None:
    known = ends.get(name.lower(), [])
    place = bisect_right(known, after)
    return known[place] if place < len(known) else None


def _without_lead(text: str) -> str:
    """Without the `Context:` that introduces recalled memory."""
    before, _, last = text.rstrip().rpartition("\n")
    return before + "\n" if _CONTEXT.fullmatch(last.strip()) else text


_FEWEST = 3  # paragraphs of an article
_LONG = 240  # characters of one; a script without spaces needs a third
_PERSONAL = 4  # one paragraph in so many may speak of a person: "I was there", said the mayor
_LINK = re.compile(r"https?://\S")
_SAID = re.compile(r"\"[^\"\n]{0,600}\"|“[^”\n]{0,600}”|„[^“\n]{0,600}“|«[^»\n]{0,600}»|「[^」\n]{0,600}」")
_WORD = re.compile(r"[^\W\d_]+")


def pasted_blocks(document: Document) -> frozenset[int]:
    """The paragraphs of a note that were pasted below a link."""
    found: set[int] = set()
    for is_prose, run in groupby(enumerate(document.blocks), key=lambda item: item[1].shape is Shape.PARAGRAPH):
        if not is_prose:
            continue
        indexed = list(run)
        before = document.blocks[indexed[0][0] - 1].text if indexed[0][0] else ""
        found.update(indexed[i][0] for i in pasted([block.text for _, block in indexed], before))
    return frozenset(found)


def pasted(paragraphs: Sequence[str], before: str = "") -> frozenset[int]:
    """Which paragraphs are an article's: those that follow one with a link (or `before`, if it has one)."""
    links = [i for i, text in enumerate((before, *paragraphs)) if _LINK.search(text)]
    if not links or len(paragraphs) < _FEWEST:
        return frozenset()
    return frozenset(
        i for run in _long_runs(paragraphs) if links[0] <= run[0] and _is_article(paragraphs, run) for i in run
    )


def _long_runs(paragraphs: Sequence[str]) -> Iterator[range]:
    at = 0
    for is_long, run in groupby(paragraphs, key=lambda text: _length(text) >= _LONG):
        count = sum(1 for _ in run)
        if is_long and count >= _FEWEST:
            yield range(at, at + count)
        at += count


def _length(text: str) -> int:
    wide = sum("\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
    return len(text) + 2 * wide


def _is_article(paragraphs: Sequence[str], run: range) -> bool:
    return sum(_is_personal(paragraphs[i]) for i in run) * _PERSONAL <= len(run)


def _is_personal(text: str) -> bool:
    """Whether a paragraph speaks of its author or to its reader, outside of what it quotes."""
    bare = _SAID.sub(" ", text).casefold()
    spaced = set(_WORD.findall(bare))
    return any(
        word in bare if not word.isascii() and word[0] >= "\u2e80" else word in spaced for word in words("person.self")
    )


MACHINES = frozenset({"cron", "heartbeat", "system", "dreaming"})  # a reply to one of these is routine too
STRANGER = "stranger"
LARGEST_TURN = 64_000  # characters; nobody types that much, and what was pasted is not a statement
_ACK = 300  # how much may stand beside HEARTBEAT_OK in an acknowledgement (the peer's ackMaxChars)

_COMMAND = re.compile(r"/[a-z][\w:-]*\s*\Z", re.I)  # `/status`, alone
_POLL = re.compile(r"\s*heartbeat poll\W*\Z", re.I)
_NOTICE = tuple(
    (why, re.compile(pattern, re.I))
    for why, pattern in (
        ("dreaming", r"__openclaw_memory_core_"),
        ("exec", r"\bexec (?:completed|failed|finished|denied|running)"),
        ("heartbeat", r"\bheartbeat"),
        ("cron", r"\bcron\b|scheduled (?:reminder|task)"),
    )
)
_PARAGRAPHS = re.compile(r"\n[ \t\r]*\n")
_SILENT = re.compile(r"[\W_]*NO_?REPLY[\W_]*|\{\s*\"action\"\s*:\s*\"NO_REPLY\"\s*\}", re.I)
_API_ERROR = re.compile(r"API Error: \d{3}\b|no response requested\.?\s*\Z", re.I)


def heard(role: str, text: str) -> Opened:
    """What a person (`user`) or the agent (`assistant`) really said in this message, or why it is left out."""
    inner = opened(text, inbound=role == "user")
    why, said = _reason(role, inner), inner.text
    if not why and role == "user":
        said = _typed(said)
        why = "" if said else "pasted"
    return replace(inner, text="" if why else said, why=why)


def _typed(text: str) -> str:
    """What a person typed around an article that they pasted."""
    paragraphs = _PARAGRAPHS.split(text)
    article = pasted(paragraphs)
    return "\n\n".join(part for i, part in enumerate(paragraphs) if i not in article) if article else text


def _reason(role: str, inner: Opened) -> str:
    text = inner.text
    if not text:
        if inner.notices:
            return next((why for why, rule in _NOTICE if rule.search(inner.notices[-1])), "system")
        return inner.blocks[0] if inner.blocks else "empty"
    if len(text) > LARGEST_TURN:
        return "huge"
    if _SILENT.fullmatch(text):
        return "silent"
    if "HEARTBEAT_OK" in text and _is_heartbeat(role, text):
        return "heartbeat"
    if role == "user":
        return _said_to_agent(text)
    return "system" if _API_ERROR.match(text) else ""


def _said_to_agent(text: str) -> str:
    if _POLL.match(text):
        return "heartbeat"
    if "__openclaw_memory_core_" in text[:120]:
        return "dreaming"
    return "command" if _COMMAND.match(text) else opening_of(text, spoken=True)


def _is_heartbeat(role: str, text: str) -> bool:
    """A long answer may well mention the token; an acknowledgement is short, a prompt names the file."""
    if role == "user":
        return "HEARTBEAT.md" in text or text.strip() == "HEARTBEAT_OK"
    return len(text.replace("HEARTBEAT_OK", "")) <= _ACK


def turn_origin(role: str, why: str, after: str, *, trusted: bool) -> tuple[str, str, Origin]:
    """(why a turn is left out after all, whom the next reply answers, whose words these are).

    A reply belongs to what it answers: to the owner (`after` is empty), to a stranger, or to a machine.
    """
    if role == "user" and (not why or why in MACHINES):
        after = why or ("" if trusted else STRANGER)
    elif role == "assistant" and after in MACHINES:
        why = why or after
    if after == STRANGER:
        return why, after, Origin.QUOTED
    return why, after, Origin.OWNER if role == "user" else Origin.SESSION


def session_reason(key: str) -> str:
    """Why a whole session is left out, by its key (`agent:main:cron:job:run:1`); empty if it is a conversation."""
    low = key.lower()
    if "dreaming-narrative-" in low or "memory-dreaming" in low:
        return "dreaming"
    if ":cron:" in low or low.startswith("cron:"):
        return "cron"
    if ":subagent:" in low or low.startswith("subagent:"):
        return "sub-agent"
    if ":heartbeat" in low:
        return "heartbeat"
    return ""


def is_group_key(key: str) -> bool:
    """Whether a session is a room with other people in it."""
    return any(part in key.lower() for part in (":group:", ":channel:"))
