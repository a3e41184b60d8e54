"""On whose word a line stands: its owner's, a stranger's, an agent's, or a machine's. Place first, form second, words last.
The strings by which hosts are known stand in `harness.toml` and nowhere else."""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Sequence
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

from reverie.text.markdown import Block, Kind
from reverie.text.regions import regions_of

LARGEST_TURN, _ACKNOWLEDGED = 16_000, 300  # characters: more was pasted; more than HEARTBEAT_OK alone speaks of it
_LOOKED_AT = 120  # characters that may decide how a text begins
_EMPHASIS = " \t*_`~>#"
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)"
_LOG = re.compile(
    rf"\[?\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{{0,40}}\s+(?:\[?[\w.:/-]{{1,40}}\]?\s+){{0,2}}\[?{_LEVEL}\b"
    rf"|\[?{_LEVEL}\]?\s*\[[^\]\n]{{1,60}}\]"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,60} [\w./-]{1,60}(?:\[\d+\])?:|\S{1,60} \S{1,60} \S{1,60} \[\d\d/\w{3}/\d{4}:\d\d:"
    r"|Traceback \(most recent call last\)|File \"[^\"\n]{1,300}\", line \d+|at [\w.$<>\[\] ]{1,120} \([^()\n]{1,300}:\d+:\d+\)"
)
# An object, a list of quoted things or numbers, or a `"key": value,` line; `[note] text` is a person's.
_JSON = re.compile(r"\{\s*(?:\"|\}|$)|\[\s*(?:[\"\d{\]-]|$)|\"[\w .-]{1,60}\"\s*:")
_FOOTER = re.compile(r"[*_(\s-]{0,6}(?:last updated|最后更新|zuletzt aktualisiert)\s{0,3}[:：]?.{0,60}", re.I)
_PAIR = re.compile(r"[\w.-]{1,40}=(?:\"[^\"\n]{0,200}\"|\S{1,200})")
_DREAM_FIGURES = re.compile(
    r"\[score=[\d.]+ |\bconfidence: ?[01]\.\d+\b.{0,80}\b(?:evidence|recalls)\b|^\s*\[[0-9a-f]{8}\]"
)
_RECALLED = re.compile(r"\bSource: memory/\S+#L\d")
_DREAM_SECTION = re.compile(r"[\W\d_]*(?:(?:light|rem|deep) sleep|dream(?: diary| log)?|梦境(?:日记|日志)?)\W*", re.I)
_MAY_BEGIN = re.compile(r"[:：]|-$")  # which spares most lines the patterns
_SILENT = re.compile(r"[\W_]*(?:HEARTBEAT_OK|NO_REPLY)[\W_]*")
_COMMAND = re.compile(r"/[a-z][\w:-]*", re.I)
_ELEMENT = re.compile(r"<(/?)[a-z][a-z0-9]{0,30}[-_][a-z0-9_-]{0,60}(?:\s[^<>\n]{0,200})?>", re.I)
_TURN_ROLES = {"user": "owner", "human": "owner", "assistant": "agent", "ai": "agent", "system": "machine", "tool": "machine"}  # fmt: skip


class Origin(StrEnum):
    OWNER = "owner"
    QUOTED = "quoted"  # a mail, a page, somebody else's words: never obeyed, never promoted
    AGENT = "agent"  # the assistant's side of a conversation
    MACHINE = "machine"  # output of a program, a host's own words, a dream's own text


def turn_origin(role: str) -> Origin:
    return Origin(_TURN_ROLES[role.lower()])


def origin_by_form(text: str, headings: tuple[str, ...]) -> Origin | None:
    """What its place or its form says of a text; None where neither does."""
    if _is_dreams(headings) or _FOOTER.fullmatch(text):
        return Origin.MACHINE
    if not (bare := text.lstrip(_EMPHASIS)):
        return None
    # A log, JSON, pairs of `key=value`, a dream's figures, what a host says of itself.
    is_told = "[" in text or "confidence" in text or "Source:" in text  # which spares most lines the patterns
    is_logged = (
        _LOG.match(bare) or ("_" in text and _SILENT.fullmatch(text)) or (is_told and _DREAM_FIGURES.search(text[:400]))
    )
    is_json = bare[0] in '{["' and text.rstrip()[-1] in '}],"' and _JSON.match(bare)
    pairs = _PAIR.findall(bare[:4_000]) if bare.count("=") >= 3 else []
    is_paired = len(pairs) >= 3 and sum(map(len, pairs)) * 3 >= len(bare) * 2
    is_output = is_logged or ("#L" in text and _RECALLED.search(text[:400])) or is_json or is_paired
    (openings, metadata), begins = _harness(), bare[:_LOOKED_AT].casefold()
    return Origin.MACHINE if is_output or begins.startswith(openings) or metadata.match(begins) else None


@lru_cache(maxsize=256)
def _is_dreams(headings: tuple[str, ...]) -> bool:
    return any(_DREAM_SECTION.fullmatch(heading) for heading in headings)


def words_of(message: str) -> str:
    """What a message says without what hosts put around and into it; empty where none of it is a person's or an agent's."""
    text, metadata, (envelope, room, prompts) = message.lstrip().replace("\r\n", "\n"), _harness()[1], _envelopes()
    is_silent = "HEARTBEAT_OK" in text and len(text) <= _ACKNOWLEDGED
    if is_silent or len(text) > LARGEST_TURN or room.search(text[:2_000]) or _COMMAND.fullmatch(text.strip()):
        return ""
    text = text.partition("[/Replying]")[2] if text.startswith("[Replying to ") else text
    # What a host puts in gets lines of its own, as it has them in notes.
    lines = _ELEMENT.sub(lambda tag: f"{tag[0]}\n" if tag[1] else f"\n{tag[0]}", text).split("\n")
    foreign, kept, in_metadata = regions_of(lines), list[str](), False
    for number, line in enumerate(lines):
        line = line.strip() if kept else envelope.sub("", line.strip())
        begins, is_foreign = line[:_LOOKED_AT].casefold(), number in foreign
        in_metadata = bool(line) and not is_foreign and (in_metadata or metadata.match(begins) is not None)
        if not kept and not is_foreign and begins.startswith(prompts):
            return ""
        if line and not (is_foreign or in_metadata or origin_by_form(line, ()) is Origin.MACHINE):
            kept.append(line)
    return "\n".join(kept)


@cache
def _envelopes() -> tuple[re.Pattern[str], re.Pattern[str], tuple[str, ...]]:
    """What stands before the words of a message, what shows that others read along, and how those of hosts begin."""
    data = tomllib.loads(Path(__file__).with_name("harness.toml").read_text("utf-8"))
    mark = rf"\[(?:{'|'.join(data['channels']['names'])})\b[^\]\n]{{0,300}}"
    dated = r"\[(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6} \d{4}-\d\d-\d\d[^\]\n]{0,40}"
    tags = r"\[message_id:[^\]\n]{0,120}|\[\[\s?reply_to[^\]\n]{0,80}\]|\[media attached[^\]\n]{0,1000}"
    keys = (
        r"\"(?:group_subject\"\s?:\s?\"[^\"]|is_group_chat\"\s?:\s?true|chat_type\"\s?:\s?\"(?:group|channel|thread)\")"
    )
    room = rf"\A{mark}?(?:\bid:-\d|\bgroup\b|\bchannel id:|\s#\w)|{keys}"
    prompts = (*_harness()[0], *data["spoken"]["openings"])
    return re.compile(rf"\A(?:(?:{mark}|{dated}|{tags})\]\s*)+", re.I), re.compile(room, re.I), prompts


def pasted(all_blocks: Sequence[Block]) -> set[int]:
    """The blocks of a note that somebody pasted: a mail behind its head, what stands below a heading or a label that names
    a mail or a page. It ends with its section: where the mail itself ends nobody can see, unless it is quoted anyway."""
    found, section, until, (head, kind) = set[int](), 0, 0, _pasted()
    for number, block in enumerate(all_blocks):
        if block.kind is Kind.HEADING:
            section, is_named = block.level, kind.match(block.text) is not None
            until = section if is_named else until if section > until else 0
        elif not until and block.kind in (Kind.ITEM, Kind.TEXT) and _MAY_BEGIN.search(block.text):
            near = [other for other in all_blocks[number : number + 4] if other.text and other.kind is not Kind.HEADING]
            is_label = kind.match(block.text) and _MAY_BEGIN.search(block.text[-1])
            if is_label and block.kind is Kind.ITEM:
                found.update(range(number, bisect_left(all_blocks, block.tail, key=lambda other: other.start)))
            elif head.match("\n".join(o.text for o in near)) or (
                is_label and near[1:] and near[1].kind is not Kind.QUOTE
            ):
                until = section if section > 1 else 6
        if until:
            found.add(number)
    return found


@cache
def _pasted() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The head of a mail, which names a sender and an address or a subject; a line that says what was pasted below it."""
    data = tomllib.loads(Path(__file__).with_name("harness.toml").read_text("utf-8"))["pasted"]
    sender, about, kinds = ("|".join(map(re.escape, data[name])) for name in ("from", "about", "kinds"))
    mark = r"[\s*_`>#-]{0,8}"
    head = rf"{mark}(?:{sender}){mark}[:：][^\n]{{0,200}}(?:[@<‹]|\n{mark}(?:(?!{about})[^\n]{{0,200}}\n{mark}){{0,2}}(?:{about}){mark}[:：])"
    kind = rf"{mark}(?:{kinds})(?:{mark}[:：]|-{{2,}}$|\s(?:from|by|of|von|de|du|da|от)\b|\s?来自)"
    return re.compile(head, re.I), re.compile(kind, re.I)


@cache
def _harness() -> tuple[tuple[str, ...], re.Pattern[str]]:
    data = tomllib.loads(Path(__file__).with_name("harness.toml").read_text("utf-8"))
    keys, channels = "|".join(map(re.escape, data["metadata"]["keys"])), "|".join(data["channels"]["names"])
    metadata = (
        rf"[\s*_`\"'{{]{{0,8}}(?:{keys})[\s*_`\"']{{0,8}}[:：(]"
        rf"|\[(?:message_id\b|(?:{channels})\b[^\]\n]{{0,80}}(?:\bid:|\d{{4}}-\d\d-\d\d|\d\d:\d\d))"
        r"|[a-z][\w ,'/-]{1,60} \((?:untrusted|metadata)\b|system:\s*\[[^\]\n]{0,60}\d[-:]\d\d\b|<[a-z]+[-_][a-z_-]+>"
    )
    return tuple(start for starts in data["openings"].values() for start in starts), re.compile(metadata)
