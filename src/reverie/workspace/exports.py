"""Memories and conversations that other systems gave out, as values. Reads only; `features/imports.py` makes notes of them.

What each system writes is in docs/internals/imports.md, with where that is documented. A record is known by its own keys, never by
the name of its file. A list is read one record at a time, so an export of any size needs the room of its largest conversation.
"""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from reverie.core.errors import BadInput
from reverie.lang import words
from reverie.lang.messages import say
from reverie.text.lines import bare, split_lines
from reverie.text.markdown import STATEMENTS, Shape, parse
from reverie.text.marks import is_generic
from reverie.workspace.claude_topics import front_matter
from reverie.workspace.transcripts import moment
from reverie.workspace.values import to_text

CHATGPT, CLAUDE, GEMINI, MEM0 = "chatgpt", "claude", "gemini", "mem0"
CLAUDE_CODE, BASIC = "claude-code", "basic-memory"
KINDS = (CHATGPT, CLAUDE, GEMINI, CLAUDE_CODE, MEM0, BASIC)
OWNER, REPLY, SAVED = (
    "owner",
    "reply",
    "saved",
)  # whose words: the owner's, an assistant's, or what one wrote down of the owner
EDITED, WORDLESS = "edited", "wordless"  # not to be taken: another message took its place, or it is a picture or sound
CHUNK = 1024 * 1024  # characters that are read at a time
LARGEST = 64 * CHUNK  # of one record: no conversation of a person is larger
_SKIP = re.compile(r"[\s,]*")
_TAG = re.compile(r"<[^>]{0,2000}>")
_LISTED = re.compile(r"\s*(?:[-*•]|\d+[.)])?\s*(?:\[(?P<day>\d{4}-\d\d-\d\d)[^\]]{0,20}\]\s*[-–:.]?\s*)?(?P<text>.*)")
_OBSERVED = re.compile(r"\[(?P<category>[^\]\[()]{2,60})\]\s+(?P<text>\S.*)", re.S)
_TAGS = re.compile(r"(?:\s+#[^\s#]+)+(?=\s*(?:\([^()]*\)\s*)?\Z)")  # before the context, in brackets
_LEADS_ON = re.compile(
    r"\[[^\]]*\]\([^)\s]+\.md\)|[\w -]{0,60}\[\[[^\]]+\]\]"
)  # a line that only points to another file
_INSIDE = ("results", "memories", "conversations")  # of an object, the list that holds the records
_BARE_DAY = len("2024-05-03")
_DAYS = ("created_at", "created", "date", "updated_at", "modified")
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that an export holds: a message or a saved memory, whose it is, when and where it was said."""

    kind: str
    text: str
    whose: str
    at: datetime | None = None  # aware; None: nothing but its file's time is known
    title: str = ""
    fallback: datetime | None = None  # when its file was written


def read_export(where: Path, kind: str = "") -> Iterator[Told]:
    """What stands at this path: a file, a zip, or a folder. `kind` is needed for plain text only, which names no system itself.

    Raises BadInput with a sentence where nothing can be made of it, and before that may have told a part.
    """
    if not (where.is_file() or where.is_dir()):  # a pipe would be waited for
        raise BadInput(say("imports.missing", path=where))
    found = False
    for part in _parts(where, kind):
        for one in part:
            if not kind or one.kind == kind:
                found = True
                yield one
    if not found:
        raise BadInput(say("imports.unknown", path=where, kinds=", ".join(KINDS)))


def _parts(where: Path, kind: str) -> Iterator[Iterable[Told]]:
    if where.is_dir():
        files = [path for path in sorted(where.rglob("*")) if _is_plain(where, path)]
        yield from (_of_json(path) for path in files if path.suffix == ".json")
        yield from _of_folder(where, [path for path in files if path.suffix == ".md"], kind)
    elif zipfile.is_zipfile(where) or where.suffix.lower() == ".zip":  # a damaged one says so itself
        yield _of_zip(where)
    elif where.suffix.lower() == ".json":
        yield _of_json(where)
    elif kind in (CHATGPT, CLAUDE, GEMINI):
        yield _of_list(where, kind)
    else:
        raise BadInput(say("imports.whose_text", path=where))


def _is_plain(folder: Path, path: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return not hidden and path.is_file() and not path.is_symlink()


@contextmanager
def _readable(name: Path | str) -> Iterator[None]:
    """Turns what a damaged file does into one sentence that names it."""
    try:
        yield
    except OSError as error:
        raise BadInput(say("imports.unread", path=name, why=error.strerror or type(error).__name__)) from None
    except (ValueError, RecursionError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError):
        raise BadInput(say("imports.broken", path=name)) from None


def _of_json(path: Path) -> Iterator[Told]:
    with _readable(path), path.open("rb") as stream:
        yield from _told(_records(stream, path), datetime.fromtimestamp(path.stat().st_mtime, UTC))


def _of_zip(where: Path) -> Iterator[Told]:
    with _readable(where), zipfile.ZipFile(where) as archive:
        for member in archive.infolist():
            if member.filename.endswith(".json") and not member.is_dir():
                if member.flag_bits & 1:
                    raise BadInput(say("imports.locked", path=where))
                with archive.open(member) as stream:
                    written = datetime(*member.date_time, tzinfo=UTC)
                    yield from _told(_records(stream, f"{where}:{member.filename}"), written)


def _records(stream: IO[bytes], name: Path | str) -> Iterator[Record]:
    """The records of a JSON file: the elements of its list, or of the list that its object holds, or the object itself."""
    with io.TextIOWrapper(stream, "utf-8-sig", "replace") as text:
        yield from _decoded(text, name)


def _decoded(text: io.TextIOWrapper, name: Path | str) -> Iterator[Record]:
    decoder, buffer, at = json.JSONDecoder(), text.read(CHUNK), 0
    listed = buffer.lstrip().startswith("[")
    at = buffer.find("[") + 1 if listed else 0
    while True:
        at = _SKIP.match(buffer, at).end()  # type: ignore[union-attr]  # it matches everywhere
        if buffer.startswith("]", at):
            return
        try:
            found, end = decoder.raw_decode(buffer, at)
        except ValueError:
            buffer, at = buffer[at:], 0
            more = text.read(max(CHUNK, len(buffer)))  # twice as much each time: a large record costs twice its size
            if not more or len(buffer) > LARGEST:
                raise BadInput(say("imports.broken" if not more else "imports.too_large", path=name)) from None
            buffer += more
            continue
        inner = next((_list(_object(found).get(key)) for key in _INSIDE if _list(_object(found).get(key))), [found])
        yield from (one for one in inner if isinstance(one, dict))
        if not listed:
            return
        at = end


def _told(records: Iterable[Record], written: datetime) -> Iterator[Told]:
    for record in records:
        reader = next((read for mark, read in _READERS.items() if mark in record), None)
        for one in reader(record) if reader else ():
            if one.text.strip() or one.whose == WORDLESS:
                yield replace(one, fallback=written)


def _chatgpt(record: Record) -> Iterator[Told]:
    """A conversation is a tree of messages, of which the branch of `current_node` is what was said in the end."""
    nodes, title = _object(record["mapping"]), str(record.get("title") or "")
    branch = set(_branch(nodes, record.get("current_node")))
    for name, node in nodes.items():
        message = _object(_object(node).get("message"))
        content, metadata = _object(message.get("content")), _object(message.get("metadata"))
        said = moment(message.get("create_time")) or moment(record.get("create_time"))
        if (
            content.get("content_type") == "model_editable_context"
        ):  # what it has saved so far, given to it at the start
            yield from _listed(str(content.get("model_set_context") or ""), CHATGPT)
        elif (whose := _chatgpt_whose(message)) and not metadata.get("is_visually_hidden_from_conversation"):
            text = _chatgpt_text(content)
            if whose != SAVED and branch and name not in branch:
                whose = EDITED
            elif whose == OWNER and not text.strip():
                whose = WORDLESS
            yield Told(CHATGPT, text, whose, said, "" if whose == SAVED else title)


def _branch(nodes: Record, last: object) -> Iterator[str]:
    """From the last message up to the root; nothing where it is not told which one is the last."""
    seen = set[str]()
    while isinstance(last, str) and last in nodes and last not in seen:
        yield last
        seen.add(last)
        last = _object(nodes[last]).get("parent")


def _chatgpt_whose(message: Record) -> str:
    """Whose words a message is; what the assistant sends to `bio` is a memory that it saves, to other tools nobody's word."""
    role, to = _object(message.get("author")).get("role"), message.get("recipient")
    kind = _object(message.get("content")).get("content_type")
    if role == "user":
        return "" if kind == "user_editable_context" else OWNER  # custom instructions
    if kind not in ("text", "multimodal_text", "code"):
        return ""
    return SAVED if to == "bio" else REPLY if (role, to) == ("assistant", "all") else ""


def _chatgpt_text(content: Record) -> str:
    """The words of a message: its parts of text, and what was understood of its sound."""
    parts = _list(content.get("parts")) or [content.get("text")]
    words_of = (_object(part).get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(part for part in words_of if isinstance(part, str))


def _claude(record: Record) -> Iterator[Told]:
    for message in map(_object, _list(record["chat_messages"])):
        parts = [part for part in map(_object, _list(message.get("content"))) if part.get("type") == "text"]
        text = "\n".join(str(part.get("text") or "") for part in parts) or str(message.get("text") or "")
        whose = OWNER if message.get("sender") == "human" else REPLY
        said = moment(message.get("created_at")) or moment(record.get("created_at"))
        yield Told(CLAUDE, text, whose, said, str(record.get("name") or ""))


def _claude_memory(record: Record) -> Iterator[Told]:
    """What Claude keeps of a person, and of each project: prose in Markdown."""
    texts = [record.get("conversations_memory"), *_object(record.get("project_memories")).values()]
    yield from (Told(CLAUDE, line, SAVED) for text in texts if isinstance(text, str) for line in _stated(text))


def _claude_project(record: Record) -> Iterator[Told]:
    """What a project is about, in its owner's words. Its instructions are for a machine, and its documents are documents."""
    said = moment(record.get("created_at"))
    yield Told(CLAUDE, str(record.get("description") or ""), OWNER, said, str(record.get("name") or ""))


def _gemini(record: Record) -> Iterator[Told]:
    """An activity with an answer is a prompt, unless Gemini made something; feedback, drafts and the like have none."""
    answers, title = _list(record.get("safeHtmlItem")), str(record.get("title") or "")
    lead = next((lead for lead in words("imports.prompted") if title.startswith(lead)), "")
    if "products" not in record or not (lead or answers) or title.startswith(tuple(words("imports.made"))):
        return
    said = moment(record.get("time"))
    yield Told(GEMINI, html.unescape(title.removeprefix(lead)), OWNER, said)
    answer = str(_object(answers[0]).get("html") or "") if answers else ""
    yield Told(GEMINI, html.unescape(_TAG.sub(" ", answer)), REPLY, said)


def _mem0(record: Record) -> Iterator[Told]:
    if isinstance(record["memory"], str):
        yield Told(MEM0, record["memory"], SAVED, _day_in(record))


_READERS: Mapping[str, Callable[[Record], Iterator[Told]]] = {
    "mapping": _chatgpt, "chat_messages": _claude, "conversations_memory": _claude_memory, "project_memories": _claude_memory,
    "prompt_template": _claude_project, "header": _gemini, "memory": _mem0,
}  # fmt: skip


def _object(value: object) -> Record:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _day_in(record: Record) -> datetime | None:
    return next((found for name in _DAYS if (found := _moment(record.get(name)))), None)


def _moment(value: object) -> datetime | None:
    """A moment; of a bare day its noon, which is the same day nearly everywhere."""
    return moment(f"{value}T12:00" if isinstance(value, str) and len(value) == _BARE_DAY else value)


def _text(path: Path) -> str:
    with _readable(path):
        if path.stat().st_size > LARGEST:
            raise BadInput(say("imports.too_large", path=path))
        return to_text(path.read_bytes())


def _of_list(where: Path, kind: str) -> Iterator[Told]:
    """Saved memories as people copy them: a line each, with `[2024-05-03] -` before it where the day is known."""
    written = datetime.fromtimestamp(where.stat().st_mtime, UTC)
    yield from (replace(one, fallback=written) for one in _listed(_text(where), kind))


def _listed(text: str, kind: str) -> Iterator[Told]:
    for line in split_lines(text):
        found = _LISTED.match(bare(line))
        if found and found["text"].strip() and not found["text"].startswith("#"):
            yield Told(kind, found["text"], SAVED, _moment(found["day"]))


def _of_folder(where: Path, files: list[Path], kind: str) -> Iterator[Iterable[Told]]:
    """The notes of basic-memory (each has a `permalink`, or observations) or Claude Code's memory (it has a MEMORY.md)."""
    texts = {path: _text(path) for path in files}
    if kind != BASIC and where / "MEMORY.md" in texts:
        yield from (_of_topic(path, text) for path, text in texts.items())
    elif kind == BASIC or any("permalink" in front_matter(text) for text in texts.values()):
        yield from (_of_note(path, text) for path, text in texts.items())


def _of_topic(path: Path, text: str) -> Iterator[Told]:
    about, written = front_matter(text), datetime.fromtimestamp(path.stat().st_mtime, UTC)
    for line in _stated(text):
        yield Told(CLAUDE_CODE, line, SAVED, None, about.get("name", path.stem), written)


def _of_note(path: Path, text: str) -> Iterator[Told]:
    """The observations of a note; all that it states, if it has none."""
    about, written = front_matter(text), datetime.fromtimestamp(path.stat().st_mtime, UTC)
    lines = list(_stated(text))
    observed = [found for line in lines if (found := _OBSERVED.match(line))]
    for line in [_observation(one) for one in observed] or lines:
        yield Told(BASIC, line, SAVED, _day_in(about), about.get("title", path.stem), written)


def _observation(found: re.Match[str]) -> str:
    """Its words without the tags behind them; its category only where that tells something ("fact" does not)."""
    text = _TAGS.sub("", found["text"])
    return text if is_generic(found["category"]) else f"{found['category']}: {text}"


def _stated(text: str) -> Iterator[str]:
    """What a Markdown text states, without code and without lines that only lead to other files."""
    for block in parse(text).blocks:
        if block.shape in STATEMENTS and block.shape is not Shape.CODE and not _LEADS_ON.match(block.text):
            yield f"> {block.text}" if block.shape is Shape.QUOTE else block.text
