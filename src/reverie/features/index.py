"""`dream index`: a page, a link or a text gets a line in the content index and in those of its topics (seed 000):

- 2026-11-15 [Title](https://example.org/page) (source) — summary #topic <!-- index:e846cc85 -->
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from reverie.archive.ledger import short_hash
from reverie.errors import ReverieError
from reverie.features.note import noted
from reverie.operations import Op, Operation
from reverie.plan.plan import Plan
from reverie.plan.splices import Splice, whole_lines
from reverie.privacy.secrets import holds_secret
from reverie.store.disk import DISK, Disk
from reverie.store.journal import commit, opened
from reverie.store.runs import Run
from reverie.text.lines import clipped, line_ending
from reverie.text.terms import folded, plain, terms
from reverie.workspace.layout import CONTENT, NOTES, Layout
from reverie.workspace.read import read

_TITLE, _SUMMARY, _TOPIC = 80, 120, 40  # characters
_URL = re.compile(r"https?://(?:[^\s<>()\"']|\([^\s<>()\"']*\))+", re.I)
_TAG = re.compile(r"(?<![\w#])#([^\W\d_][\w-]{1,30})")
_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+|(?<=[。！？])")
_PREFERENCE = re.compile(
    r"(?:(?:I|we)(?: really| always)? (?:prefer|love|hate)\b|我们?[更最很]?(?:不?喜欢|偏好|讨厌))[^?？]*", re.I
)


class Content(NamedTuple):
    title: str
    url: str
    source: str
    day: date
    summary: str
    topics: tuple[str, ...]

    @property
    def id(self) -> str:
        """The same for the same address, else for the same title."""
        address = re.sub(r"^[^/]*//[^/]*", lambda host: host[0].casefold(), self.url).rstrip("/")
        return short_hash(address or self.title.casefold())

    @property
    def line(self) -> str:
        name = f"[{self.title}]({self.url})" if self.url else f"**{self.title}**"
        source, tags = f" ({self.source})" * bool(self.source), "".join(f" #{topic}" for topic in self.topics)
        return f"- {self.day} {name}{source} — {self.summary}{tags} <!-- index:{self.id} -->"


@dataclass(frozen=True)
class Indexed:
    line: str
    run: Run | None = None  # None: the index had it already
    preference: str = ""


def index(
    layout: Layout, now: datetime, text: str, *, title: str = "", url: str = "", source: str = "", summary: str = "",
    topics: Sequence[str] = (), day: date | None = None, disk: Disk = DISK,
) -> Indexed:  # fmt: skip
    """Add content to the index, once for each address or title; what is not given is taken from its words."""
    content = content_of(text, day or now.date(), title, url, source, summary, topics)
    if not content.title or (url and not _URL.fullmatch(url)) or holds_secret(content.line):
        raise ReverieError(
            "Nothing was indexed: give words, or a link with https://, and no line that may hold a secret."
        )
    # Of a page somebody else may say that they prefer something; words without a source are the owner's.
    own = [said for said in _sentences(text) if _PREFERENCE.fullmatch(said) and not holds_secret(said)]
    preference = own[0][:300] if own and not (source or url or layout.is_hosted) else ""
    with opened(layout, "index", disk):
        snapshot, splices = read(layout), list[Splice]()
        done = Operation(Op.ADD, f"indexed: {content.title}", under=(CONTENT, content.id), judge="owner")
        heads = {"_index": "Content index"} | {f"topics/{topic}": topic for topic in content.topics}
        for path, head in ((f"{CONTENT}/{name}.md", head) for name, head in heads.items()):
            lines = snapshot.file(path).lines
            if not splices and is_indexed(lines, content):
                return Indexed(content.line)
            older = (number for number, line in enumerate(lines) if "- " < line[:12] <= f"- {content.day}")
            ending = line_ending(lines)
            new = (*(() if lines else (f"# {head}{ending}", ending)), content.line + ending)
            splices += whole_lines([Splice(path, next(older, len(lines)), (), new, done.id)], lines)
        if preference:
            line, note = f"- {now:%H:%M} {preference} (from: {content.title})", f"{NOTES}/{now.date()}.md"
            splices += noted(snapshot.file(note).lines, now, note, [line], done.id)
        run = commit(Plan(snapshot, tuple(splices), done=(done,)), now, "index", disk)
    return Indexed(content.line, run, preference)


def is_indexed(lines: Iterable[str], content: Content) -> bool:
    """Whether the same address is there, or the same title where one of the two has no address."""
    names = [f"index:{content.id} ", f"**{content.title}**", f"[{content.title}]("][: 2 if content.url else 3]
    return any(name.casefold() in line.casefold() for line in lines for name in names)


def content_of(
    text: str, day: date, title: str = "", url: str = "", source: str = "", summary: str = "", topics: Iterable[str] = ()
) -> Content:  # fmt: skip
    """What is given, and of the rest what the text says: its heading, its first sentence, its tags, its title's words."""
    said = _sentences(text)
    url = url or (found[0].rstrip(".,;:!?") if (found := _URL.search(text)) else "")
    heading = next((line for line in text.split("\n") if line.startswith("# ")), "")
    title = _clean(title or heading.lstrip("# ") or (said or [url])[0], _TITLE)
    summary = _clean(summary or next((other for other in said if _clean(other, _TITLE) != title), title), _SUMMARY)
    often = (word for word in terms(title) if len(word) > 4 and folded(text).count(word) > 1)
    names = (re.sub(r"[^\w-]+|_", "-", folded(word)).strip("-") for word in (*topics, *_TAG.findall(text), *often))
    chosen = dict.fromkeys(name[:_TOPIC] for name in names if name)
    return Content(title, url, _clean(source, _TITLE), day, summary, tuple(chosen)[:5])  # seed 000


def _sentences(text: str) -> list[str]:
    return [said for part in _SENTENCE.split(_URL.sub(" ", text[:20_000])) if (said := part.strip().lstrip("#->* \t"))]


def _clean(text: str, most: int) -> str:
    """Words that stand in one line of Markdown and are nothing else there."""
    return clipped(re.sub(r"[\x00-\x1f\x7f<>*`]+", " ", plain(text)).strip().translate({91: 40, 93: 41}), most)
