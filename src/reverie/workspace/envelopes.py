"""What channels and hosts wrap around a message, taken off; what is left is what a person or the agent said.

Every rule is anchored or walks forward only: a transcript may hold megabytes that somebody else wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

_CHANNELS = "telegram|whatsapp|discord|signal|slack|imessage|matrix|teams|msteams|line|feishu|lark|wechat|irc|sms|webchat|bluebubbles|zalo|mattermost|googlechat|nostr|qq"
_ENVELOPE = re.compile(
    rf"\[(?:(?:{_CHANNELS})\b(?P<who>[^\]\n]{{0,300}})|(?:mon|tue|wed|thu|fri|sat|sun)\w* \d{{4}}-\d\d-\d\d[^\]\n]{{0,40}})\][ \t]*",
    re.I,
)
_GROUP = re.compile(r"\bid:-\d|\bgroup\b|\bchannel id:|(?:^|\s)#\w", re.I)
_NAMED = re.compile(r"\s*(?P<name>[^\d+][^\]]*?)\s+id:", re.I)
_LABEL = re.compile(
    r"[A-Z][A-Za-z ,'/-]{2,60} \((?:untrusted|metadata)\b[^)\n]{0,100}\):[ \t]*\r?\n?", re.I
)  # `Conversation info (untrusted metadata):`, `Thread starter (untrusted, for context):`
_SYSTEM = re.compile(r"System(?: \(untrusted\))?: \[[^\]\n]{0,80}\]", re.I)
_MESSAGE_ID = re.compile(r"\s*\[message_id:[^\]\n]{0,80}\]\s*\Z", re.I)
_REPLY_TAG = re.compile(r"\[\[\s*reply_to[^\]\n]{0,80}\]\]\s*", re.I)
_CONTEXT = re.compile(r"(?:context|untrusted context \([^)\n]{0,100}\)):", re.I)
_RECALLED = ("active_memory_plugin", "relevant-memories", "relevant_memories", "recalled-memory", "recalled_memory", "memory-context", "memory_context")  # fmt: skip
_COMMAND = ("command-name", "command-message", "command-args", "command-contents", "local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-input", "bash-stdout", "bash-stderr")  # fmt: skip
_SYSTEM_TAGS = ("system-reminder", "task-notification", "user-prompt-submit-hook", "ide_opened_file", "ide_selection", "environment_context")  # fmt: skip
_REASON = {
    **dict.fromkeys(_RECALLED, "recalled"),
    **dict.fromkeys(_COMMAND, "command"),
    **dict.fromkeys(_SYSTEM_TAGS, "system"),
}
_TAG = re.compile(rf"<({'|'.join(map(re.escape, _REASON))})\b[^>\n]{{0,200}}>", re.I)
_CLOSE = {tag: re.compile(rf"</{re.escape(tag)}\s*>", re.I) for tag in _REASON}
_BLANK = re.compile(r"\r?\n[ \t]*\r?\n")
_INDENTED = re.compile(r"(?:\A|\n)[ \t]*\Z")
_INTERNAL = ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>")
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
    sender, group, notices = "", False, []
    for _ in range(_DEEPEST):
        text = text.lstrip()
        if found := _ENVELOPE.match(text):
            who = found["who"] or ""
            named = _NAMED.match(who)
            sender, group = sender or (named["name"] if named else ""), group or bool(_GROUP.search(who))
            text = text[found.end() :]
        elif found := _LABEL.match(text):
            about, text = _metadata(text[found.end() :])
            sender = sender or _sender(about)
            group = group or _is_group(about)
        elif _SYSTEM.match(text):
            notice, _, text = _paragraph(text)
            notices.append(notice)
        else:
            break
    return Opened(_MESSAGE_ID.sub("", text).strip(), sender, group, tuple(notices), tuple(blocks))


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
    begin, end = _INTERNAL
    kept = []
    while (at := text.find(begin)) >= 0:
        kept.append(text[:at])
        close = text.find(end, at)
        text = "" if close < 0 else text[close + len(end) :]
    return "".join([*kept, text])


def _without_blocks(text: str) -> tuple[str, list[str]]:
    """The text without the elements a host puts into it; an unclosed one at the start of a line ends at a blank line."""
    kept: list[str] = []
    reasons: list[str] = []
    unclosed: set[str] = set()  # looked for once: no text may make us search it over and over
    at = 0
    while found := _TAG.search(text, at):
        tag = found[1].lower()
        close = None if tag in unclosed else _CLOSE[tag].search(text, found.end())
        if close:
            end = close.end()
        elif _INDENTED.search(text, max(0, found.start() - 40), found.start()):
            unclosed.add(tag)
            blank = _BLANK.search(text, found.end())
            end = blank.start() if blank else len(text)
        else:
            unclosed.add(tag)
            kept.append(text[at : found.end()])
            at = found.end()
            continue
        kept.append(_without_lead(text[at : found.start()]))
        reasons.append(_REASON[tag])
        at = end
    return "".join([*kept, text[at:]]), reasons


def _without_lead(text: str) -> str:
    """Without the `Context:` that introduces recalled memory."""
    before, _, last = text.rstrip().rpartition("\n")
    return before + "\n" if _CONTEXT.fullmatch(last.strip()) else text
