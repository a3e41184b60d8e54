"""The content index (seed 000): what was read elsewhere, a line each, in `_index.md` and in `topics/TOPIC.md`.

- 2026-11-15 [Title](https://example.org/page) (source) — summary #topic <!-- index:e846cc85 -->
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from reverie.archive.ledger import short_hash
from reverie.text.lines import clipped
from reverie.text.terms import folded, plain, terms

URL = re.compile(r"https?://(?:[^\s<>()\"']|\([^\s<>()\"']*\))+", re.I)
MOST_TOPICS = 5  # seed 000
_TITLE, _SUMMARY = 80, 120  # characters
_TAG = re.compile(r"(?<![\w#])#([^\W\d_][\w-]{1,30})")
_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+|(?<=[。！？])")


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
        host, slash, path = self.url.partition("://")[2].partition("/")
        return short_hash(f"{host.casefold()}{slash}{path}".rstrip("/") or folded(self.title))

    @property
    def line(self) -> str:
        name = f"[{self.title}]({self.url})" if self.url else f"**{self.title}**"
        source, tags = f" ({self.source})" * bool(self.source), "".join(f" #{topic}" for topic in self.topics)
        return f"- {self.day} {name}{source} — {self.summary}{tags} <!-- index:{self.id} -->"


def content_of(text: str, day: date, title: str, url: str, source: str, summary: str, topics: Iterable[str]) -> Content:
    """What is given, and of the rest what the text says: its heading, its first sentence, its tags, its title's words."""
    said = sentences(text)
    url = url or (found[0].rstrip(".,;:!?") if (found := URL.search(text)) else "")
    heading = next((line for line in text.split("\n") if line.startswith("# ")), "")
    title = _clean(title or heading.lstrip("# ") or (said or [url])[0], _TITLE)
    summary = _clean(summary or next((other for other in said if _clean(other, _TITLE) != title), title), _SUMMARY)
    often = (word for word in terms(title) if len(word) > 4 and folded(text).count(word) > 1)
    names = (re.sub(r"[^\w-]+|_", "-", folded(word)).strip("-") for word in (*topics, *_TAG.findall(text), *often))
    chosen = dict.fromkeys(name[:40] for name in names if name)
    return Content(title, url, _clean(source, _TITLE), day, summary, tuple(chosen)[:MOST_TOPICS])


def is_indexed(content: Content, lines: Iterable[str]) -> bool:
    """Whether the index has the address, or the title where one of the two has no address."""
    names = [f"index:{content.id} ", f"**{content.title}**", *([] if content.url else [f"[{content.title}]("])]
    return any(name.casefold() in line.casefold() for line in lines for name in names)


def place_of(content: Content, lines: Sequence[str]) -> int:
    """Before the first line of the same or an earlier day, else at the end."""
    return next(
        (at for at, line in enumerate(lines) if line[:2] == "- " and line[2:12] <= str(content.day)), len(lines)
    )


def sentences(text: str) -> list[str]:
    return [said for part in _SENTENCE.split(URL.sub(" ", text)) if (said := part.strip().lstrip("#->* \t"))]


def _clean(text: str, most: int) -> str:
    """Words that stand in one line of Markdown and are nothing else there."""
    return clipped(re.sub(r"[\x00-\x1f\x7f<>*`]+", " ", plain(text)).strip().translate({91: 40, 93: 41}), most)
