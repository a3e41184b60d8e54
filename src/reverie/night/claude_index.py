"""The index of a host's memory folder (Claude Code): one line for each topic file, and none that leads nowhere.

A topic file without a line gets one, of the words of its own front matter: that is certain, and nothing is lost by it. A line whose
file is not there, and a topic that is over by its own description, are only suggested: a file may be on its way, and its line
may be the last that is known of it. A topic and its line leave together, and what was said after its end stays. What was added once
and is gone again was taken out by somebody, and stays out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from reverie.core.layout import TOPICS
from reverie.judge.operation import Level, Op, Operation
from reverie.lang.messages import say
from reverie.night.promising import breach
from reverie.plan.build import plan_of
from reverie.plan.enter import is_over_topic, topic_end
from reverie.privacy.redact import holds_secret
from reverie.text.lines import appended, bare, count_units, ending_of, split_lines
from reverie.text.marks import days_in, is_marked
from reverie.workspace.claude_topics import front_matter, leads_to, pointers, topic_files, topic_name
from reverie.workspace.values import Edit, File, Intent, Run, Snapshot, Source, Statement, short_id

INDEXED, UNLED, OVER = (
    "indexed",
    "index",
    "stale",
)  # tags: a new line of the index, one that leads nowhere, a topic that ended
_WORTH = 0.6  # of what is suggested here, among other suggestions


def leading_lines(snapshot: Snapshot) -> frozenset[Source]:
    """The lines of the index that lead to a topic which says something: no judge's, whatever their words.

    A line that stands there twice leads there once.
    """
    says = {file.path for file in topic_files(snapshot) if file.entries}
    first: dict[tuple[str, str], Source] = {}
    for entry, path in pointers(snapshot):
        if path in says:
            first.setdefault((path, entry.text), entry.source)
    return frozenset(first.values())


def index_suggestions(snapshot: Snapshot, runs: Sequence[Run], today: date) -> Iterator[Operation]:
    """What should leave the index: lines that lead nowhere, and with its whole topic the line of one that is over."""
    there = {file.path: file for file in topic_files(snapshot)}
    refused, says = {refusal.path for refusal in snapshot.refused}, {path for path in there if there[path].entries}
    kept, led = leading_lines(snapshot), dict[str, Statement]()
    for entry, path in pointers(snapshot):
        led.setdefault(path, entry)
        if path not in there and path not in refused and entry.source not in kept:
            yield _ending(say("claude.no_file", name=path.removeprefix(TOPICS)), (entry,), UNLED)
    for path, file in there.items():
        line = (led[path],) if path in led and says.intersection(leads_to(led[path])) <= {path} else ()
        if file.entries and is_over_topic(file, today):
            if ended := _said_before_its_end(file, runs):
                line = line if len(ended) == len(file.entries) else ()
                why = say("claude.over", name=path.removeprefix(TOPICS), n=len(ended) + len(line))
                yield _ending(why, (*ended, *line), OVER)
        elif line and not file.entries:
            yield _ending(say("claude.empty", name=path.removeprefix(TOPICS)), line, UNLED)


def index_edits(snapshot: Snapshot, runs: Sequence[Run], now: datetime) -> list[Edit]:
    """The lines that topic files are missing in the index, as long as it stays within what the host reads."""
    known = {path for _, path in pointers(snapshot)}
    added = {bare(line) for run in runs for edit in run.plan.edits if edit.tag == INDEXED for line in edit.new}
    index, limits = snapshot.text_of(snapshot.memory_path), snapshot.workspace.settings.memory
    lines, room = split_lines(index), limits.hard_limit - count_units(index)
    mark = next((bare(lines[entry.block.first])[:2] for entry, _ in pointers(snapshot)), "- ")
    orphans = [file for file in topic_files(snapshot) if file.path not in known and file.entries]
    new = list[tuple[str, Source]]()
    for file, line in ((file, _line(file, mark)) for file in orphans if not is_over_topic(file, now.date())):
        room -= count_units(line) + 1
        if line not in added and room >= 0 and len(lines) + len(new) < limits.max_lines and not holds_secret(line):
            new.append((line, Source(file.path, 1, max(1, file.entries[0].first - 1))))
    if new and _breaks(snapshot, new, now):  # one that may not come back costs no other its place
        new = [one for one in new if not _breaks(snapshot, [one], now)]
    return [_added(snapshot, new)] if new and not _breaks(snapshot, new, now) else []


def _added(snapshot: Snapshot, new: Sequence[tuple[str, Source]]) -> Edit:
    """These lines behind the last one that leads to a topic."""
    lines, told = split_lines(snapshot.text_of(snapshot.memory_path)), [line for line, _ in new]
    at = max((entry.block.tail for entry, _ in pointers(snapshot)), default=len(lines))
    at, old, whole = (at, (), tuple(x + ending_of(lines) for x in told)) if at < len(lines) else appended(lines, told)
    sources, why = tuple(source for _, source in new), say("claude.indexed", n=len(new))
    return Edit(short_id(told[0]), snapshot.memory_path, at, old, whole, INDEXED, why, sources, op="add")


def _breaks(snapshot: Snapshot, new: Sequence[tuple[str, Source]], now: datetime) -> bool:
    """Whether a promise is against these lines."""
    return bool(breach(snapshot, lambda *_, **__: plan_of(snapshot, Intent.DREAM, [_added(snapshot, new)], now), ()))


def _line(file: File, mark: str) -> str:
    """The line of a topic as Claude Code writes it. A description that reads like the owner's command is left out: only they mark a line."""
    about = front_matter(file.text).get("description", "")
    name = re.sub(r"[\[\]\\]", r"\\\g<0>", topic_name(file.path, file.text))
    line = f"{mark}[{name}]({file.path.removeprefix(TOPICS)})"
    return f"{line} — {about}" if about and not is_marked(about) else line


def _said_before_its_end(file: File, runs: Sequence[Run]) -> list[Statement]:
    """What a topic says without what names a later day than its own end, or was written by us after that."""
    end, lines = topic_end(file) or date.max, file.document.lines
    later = {
        bare(line).strip()
        for run in runs
        for edit in run.plan.edits
        if edit.path == file.path and run.at[:10] > end.isoformat()
        for line in edit.new
    }
    return [
        entry
        for entry in file.entries
        if bare(lines[entry.block.first]).strip() not in later and max((*days_in(entry.text), end)) <= end
    ]


def _ending(why: str, entries: Sequence[Statement], tag: str) -> Operation:
    return Operation(Op.END, why, (), tuple(entries), level=Level.LIKELY, worth=_WORTH, tag=tag)
