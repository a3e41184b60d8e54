"""`dream search`. It stands alone because it must be quick: the index holds no line with a secret, so none is looked for."""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import closing

from reverie.errors import ReverieError
from reverie.privacy.secrets import masked, visible
from reverie.retrieval.search import Answer, Hit, Searcher
from reverie.retrieval.search import search as find
from reverie.workspace.layout import open_workspace

_COMMENT = re.compile(r"\s*<!--(?:[^-]|-(?!->))*-->")  # our marks behind a line
_GROUPS = {"memory": "Memory", "archive": "Permanent Archive", "index": "Content Index", "notes": "Notes"}


def search(options: argparse.Namespace) -> None:
    if not 1 <= options.limit <= 10_000 or options.days < 0:
        raise ReverieError("--limit is 1 to 10,000, and --days is 0 (all of them) or more.")
    about = {name: getattr(options, name) for name in ("limit", "days", "where", "rebuild")}
    found = find(open_workspace(options.workspace), options.time, " ".join(options.text), **about)
    if options.as_json:
        value = {"question": found.question, "note": found.note, "hits": [hit._asdict() for hit in found.hits]}
        print(json.dumps(value, indent=1))
    else:
        sys.stdout.writelines(f"{visible(line)}\n" for line in _lines(found))


def reindex(options: argparse.Namespace) -> None:
    workspace = open_workspace(options.workspace)
    workspace.cache.unlink(missing_ok=True)
    with closing(Searcher(workspace)) as searcher:
        lines = searcher.count()
    print(json.dumps({"lines": lines}) if options.as_json else f"{lines:,} lines can be found.")


def recall(options: argparse.Namespace) -> None:
    from reverie.retrieval.recall import active_config, active_of
    from reverie.retrieval.recall import recall as recalled

    workspace = open_workspace(options.workspace)
    words = sys.stdin.read() if options.text == ["-"] else " ".join(options.text)
    active = active_of(active_config(workspace.root) | ({"promptStyle": options.style} if options.style else {}))
    found = recalled(workspace, options.time, words, active=active)
    if options.as_json:
        print(json.dumps(found._asdict(), indent=1))
    elif found.text:
        print(visible(found.text))


def _score(hit: Hit) -> str:
    return f"archive score {100 * hit.score:.0f}"


def _lines(answer: Answer) -> Iterator[str]:
    """The hits in the groups of seed 000, each with its place, heading, days and what makes it doubtful."""
    yield from [answer.note] * bool(answer.note)
    asked = answer.question if re.fullmatch(r"[^\W\d_]+(?:\s+[^\W\d_]+)*", answer.question) else masked(answer.question)
    yield f"🔍 Results for “{asked}”:" if answer.hits else "Nothing answers this. Try other words."
    for kind, title in _GROUPS.items():
        hits = [hit for hit in answer.hits if hit.kind == kind]
        yield from [f"── {title} ──"] * bool(hits)
        for hit in hits:
            often = [f"said on {len(hit.days)} days"] * (len(hit.days) > 1)
            under, marks = f" [{hit.heading}]" * bool(hit.heading), "; ".join((*often, *hit.marks))
            place = f"{hit.place}{under} {hit.day}".rstrip()
            if kind == "archive":  # as seed 000 prints it
                entry_id, _, category = hit.heading.partition(" ")
                place, marks = f"[{entry_id}] {hit.day} [{category}]", "; ".join(filter(None, (_score(hit), marks)))
            yield f"· {place}: {_COMMENT.sub('', hit.text)}" + f" ({marks})" * bool(marks)
