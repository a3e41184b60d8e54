"""`dream index`: a link or a text becomes one line of the content index and of its topics (seed 000).

Nothing is fetched: title, summary and topics come from what was given. The same link, or the same title, is indexed
once. A preference in the text also becomes one line of today's note, for the next night to judge.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core.layout import CONTENT_INDEX, VAULT
from reverie.lang.lexicon import any_of
from reverie.lang.messages import say
from reverie.plan.build import plan_of
from reverie.plan.ledger import summary as plain_summary
from reverie.text.lines import appended, ending_of, split_lines
from reverie.text.terms import plain, stop_words
from reverie.workspace.values import Edit, Intent, Plan, Snapshot, Source, short_id

if TYPE_CHECKING:
    from reverie.judge.worth import Worth

MOST_TOPICS = 5
SUMMARY = 120
MOST_SENTENCES = 200  # of a text that are looked at for a preference
_LIKING = ("preference", "mood")  # kinds of a sentence that says what somebody likes, for good or today
PREFERS, OWN = 0.8, 0.55  # share of "preference" among the kinds that last, from which a sentence tells one; one's own
PLAIN = 10.0  # negative log probability below which a word is said about everything
_URL = re.compile(r"https?://(?:[^\s<>()\"']|\([^\s<>()\"']*\))+", re.I)
_TAG = re.compile(r"(?<!\w)#([^\W\d_][\w-]{1,30})")
_MARK = re.compile(r"<!-- index:([0-9a-f]{8}) -->")
_TITLE = re.compile(r"^- \S+ (?:\[(?P<linked>.+?)\]\((?P<url>[^)\n]+)\)?|\*\*(?P<bold>.+?)\*\*)", re.M)
_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+|(?<=[。！？])")
_WORD = re.compile(r"[^\W\d_]{4,}")
_HAN = re.compile(r"[\u4e00-\u9fff]{2,6}")


@dataclass(frozen=True, slots=True)
class Item:
    """What is known about one piece of content."""

    id: str
    title: str
    url: str
    summary: str
    topics: tuple[str, ...]
    preference: str = ""


def item_of(content: str, title: str = "", topics: Sequence[str] = ()) -> Item:
    """Read a link or a text: its title, a one-line summary and at most five topics."""
    found = _URL.search(content)
    url = found[0].rstrip(".,;:!?") if found else ""
    text = " ".join(_URL.sub(" ", content).split())
    said = _sentences(content)
    named = plain_summary(title or (said[0] if said else "") or _from_url(url), 80)
    chosen = [
        _topic(topic)
        for topic in (*topics, *_TAG.findall(text), *_frequent(text if text.startswith(named) else f"{named} {text}"))
    ]
    short = plain_summary(text.removeprefix(named).lstrip(" .:—-") or named, SUMMARY)
    return Item(
        id=short_id(_same(url) or " ".join(named.casefold().split())),
        title=named, url=url, summary=short, topics=tuple(dict.fromkeys(filter(None, chosen)))[:MOST_TOPICS],
    )  # fmt: skip


def preference_in(content: str) -> str:
    """The first sentence that tells what somebody prefers, as the learned judge sees it; empty if none does."""
    from reverie.evidence.encoder import encode  # numpy, the judge and its weights: only for what enters
    from reverie.judge.worth import LineToWeigh, worth_of

    said = _sentences(content)[:MOST_SENTENCES]
    judged = zip(said, worth_of([LineToWeigh(line) for line in said], encode), strict=True)
    return next((line for line, its in judged if _tells_preference(line, its)), "")


def _tells_preference(line: str, its: Worth) -> bool:
    bar = OWN if any_of("person.self").search(line) else PREFERS
    return its.kind in _LIKING and its.drawer == "preference" and its.drawer_chance >= bar


def _sentences(content: str) -> list[str]:
    parts = _SENTENCE.split(_URL.sub("\n", content))
    return [part.strip().lstrip("# ").strip() for part in parts if part.strip("# \t")]


def is_indexed(snapshot: Snapshot, item: Item) -> bool:
    """Whether the link, or the title, is in the index already (`--dedup-index`: exists or new).

    The same title at another address is another text.
    """
    index = snapshot.text_of(CONTENT_INDEX)
    titles = [(plain(one["linked"] or one["bold"]), one["url"]) for one in _TITLE.finditer(index)]
    same = any(title == plain(item.title) and not (url and item.url) for title, url in titles)
    return same or item.id in _MARK.findall(index)


def content_plan(snapshot: Snapshot, item: Item, now: datetime) -> Plan:
    """The lines to add. An item that is known already changes nothing."""
    if is_indexed(snapshot, item):
        return plan_of(snapshot, Intent.INDEX, [], now)
    line = _line(item, now)
    edits = [_newest_first(snapshot, CONTENT_INDEX, "# Content index", line)]
    topics = [(f"{VAULT}obsidian-index/topics/{topic}.md", f"# {topic}") for topic in item.topics]
    edits += [_newest_first(snapshot, path, title, line) for path, title in topics]
    if item.preference:
        path = f"memory/{now:%Y-%m-%d}.md"
        at, old, new = appended(split_lines(snapshot.text_of(path)), (f"- {item.preference} (from: {item.title})",))
        edits.append(Edit(item.id, path, at, old, new, "index", say("why.preference")))
    return plan_of(snapshot, Intent.INDEX, edits, now)


def _line(item: Item, now: datetime) -> str:
    name = f"[{item.title}]({item.url})" if item.url else f"**{item.title}**"
    tags = "".join(f" #{topic}" for topic in item.topics)
    return f"- {now:%Y-%m-%d} {name} — {item.summary}{tags} <!-- index:{item.id} -->"


def _newest_first(snapshot: Snapshot, path: str, title: str, line: str) -> Edit:
    """Below the heading; an index reads from the newest to the oldest."""
    lines = split_lines(snapshot.text_of(path))
    why = say("why.indexed")
    source = (Source("index", 1, 1),)
    if not lines:
        return Edit("index", path, 0, (), (f"{title}\n", "\n", f"{line}\n"), "index", why, source)
    at = next((i for i, text in enumerate(lines) if text.startswith("- ")), len(lines))
    if at == len(lines):
        at, old, new = appended(lines, (line,))
        return Edit("index", path, at, old, new, "index", why, source)
    return Edit("index", path, at, (), (line + ending_of(lines),), "index", why, source)


def _same(url: str) -> str:
    """An address as it is compared: the name of a server has no case, the rest has."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}".casefold() + f"{slash}{path}".rstrip("/") if url else ""


def _from_url(url: str) -> str:
    host, _, path = url.partition("://")[2].partition("/")
    last = path.split("?")[0].split("#")[0].rstrip("/").rpartition("/")[2]
    return re.sub(r"[-_+]|%20", " ", last).rsplit(".", 1)[0].strip() or host


def _frequent(text: str) -> list[str]:
    """The words said most, the rarest first; of Chinese, runs of two to six characters that stand twice."""
    from reverie.evidence.encoder import encode  # numpy and the network: only for what enters

    low = unicodedata.normalize("NFKC", text).casefold()
    counts = Counter(word for word in _WORD.findall(low) if word not in stop_words() and word.isascii())
    rarity = {word: float(one.rarity.sum()) for word, one in zip(counts, encode(list(counts)), strict=True)}
    told = sorted((word for word in counts if rarity[word] >= PLAIN), key=lambda word: (-counts[word], -rarity[word]))
    han = Counter(_HAN.findall(low))
    return [*told[:MOST_TOPICS], *(run for run, n in han.most_common(3) if n > 1)][:MOST_TOPICS]


def _topic(name: str) -> str:
    """A topic as the name of a file: letters, digits and hyphens only, so that no text can lead anywhere else."""
    plain = unicodedata.normalize("NFKC", name).casefold().lstrip("#")
    return re.sub(r"[^\w-]+|_", "-", plain).strip("-")[:40]
