"""`dream index`: a page, a link or a text gets a line in the content index; a clear preference one in today's note, too."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from reverie.archive.content import MOST_TOPICS, URL, content_of, is_indexed, place_of, sentences
from reverie.errors import ReverieError
from reverie.features.note import written_down
from reverie.operations import Op, Operation
from reverie.plan.plan import Plan
from reverie.plan.splices import Splice, whole_lines
from reverie.privacy.secrets import holds_secret
from reverie.store.disk import Disk
from reverie.store.journal import commit, writing
from reverie.store.runs import Run
from reverie.store.views import settle
from reverie.text.lines import line_ending
from reverie.workspace.layout import CONTENT, NOTES, Layout
from reverie.workspace.read import read

_PREFERENCE = re.compile(
    r"(?:(?:I|we)(?: really| always)? (?:prefer|love|hate|dislike)\b|我们?[更最很]?(?:不?喜欢|偏好|讨厌))[^?？]*", re.I
)


@dataclass(frozen=True)
class Indexed:
    line: str
    run: Run | None = None  # None: the index had it already
    preference: str = ""


def index(
    layout: Layout, now: datetime, text: str, *, title: str = "", url: str = "", source: str = "", summary: str = "",
    topics: Sequence[str] = (), day: date | None = None, disk: Disk | None = None,
) -> Indexed:  # fmt: skip
    """Add content to the index, once for each address or title; what is not given is taken from its words."""
    disk, content = disk or Disk(), content_of(text, day or now.date(), title, url, source, summary, topics)
    if not content.title or (url and not URL.fullmatch(url)) or len(topics) > MOST_TOPICS:
        raise ReverieError("Nothing was indexed: give words, a link with http:// or https://, at most five topics.")
    if holds_secret(content.line):
        raise ReverieError("The entry may hold a secret, and nothing was written. Say what it is about with --summary.")
    # Of a page somebody else may say that they prefer something; words without a source are the owner's.
    own = [said for said in sentences(text) if _PREFERENCE.fullmatch(said) and not holds_secret(said)]
    preference = own[0][:300] if own and not (source or url or layout.is_hosted) else ""
    with writing(layout, "index", disk):
        settle(layout, disk)
        snapshot, splices = read(layout), list[Splice]()
        done = Operation(Op.ADD, f"indexed: {content.title}", under=(CONTENT, content.id), judge="owner")
        heads = {"_index": "Content index"} | {f"topics/{topic}": topic for topic in content.topics}
        for path, head in ((f"{CONTENT}/{name}.md", head) for name, head in heads.items()):
            lines = snapshot.file(path).lines
            if not splices and is_indexed(content, lines):
                return Indexed(content.line)
            ending, at = line_ending(lines), place_of(content, lines)
            above = () if lines else (f"# {head}{ending}", ending)
            splices += whole_lines([Splice(path, at, (), (*above, content.line + ending), done.id)], lines)
        if preference:
            line, note = f"- {now:%H:%M} {preference} (from: {content.title})", f"{NOTES}/{now.date()}.md"
            splices += written_down(note, snapshot.file(note).lines, line, now, done.id)
        run = commit(Plan(snapshot, tuple(splices), done=(done,)), now, "index", disk)
        settle(layout, disk)
    return Indexed(content.line, run, preference)
