"""What channels and hosts wrap around a message, taken off; what is left is what a person or the agent said.

Every rule is anchored or walks forward only: a transcript may hold megabytes that somebody else wrote.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from reverie.workspace.harness_text import CHANNELS, ELEMENTS

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
        return _object(body[body.find("\n") + 1 :] if body[:1] not in "{[" else body), rest.lstrip("`")
    if text.startswith(("{", "[")):
        try:
            found, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return {}, _paragraph(text)[2]
        return found if isinstance(found, dict) else {}, text[end:]
    return {}, _paragraph(text)[2]


def _object(text: str) -> Mapping[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


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
