"""The records of an agent's logs about itself, one value each: what happened, what to do instead, how often, when.

`memory/self-improving/*.jsonl` has one record a line. `.learnings/*.md` has either plain lines or entries
`## [ERR-20260310-001] name` with fields below headings (Summary, Suggested Fix, Metadata); what the fields hold besides
a summary and an advice (stack traces, priorities, file names) is the log's own business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reverie.text.lines import plain_heading
from reverie.workspace.values import File, Origin, Source, Statement

_ID = re.compile(r"^\W*(?P<kind>LRN|ERR|FEAT)-(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})-\w+\W*(?P<name>.*)$")
_TIMES = re.compile(r"(?:recurrence|occurrence)s?[ -]?(?:count)?\W{1,6}(\d{1,4})", re.I)
_FIELD = re.compile(
    r"^\W*(?:logged|priority|status|area|source|related files?|tags|see also|pattern-key|first-seen|last-seen|reproducible|recurrence-count|"
    r"时间|优先级|状态|来源|标签|日期)\W{0,4}[:：]",
    re.I,
)
_SUMMARY = frozenset(
    {"summary", "总结", "摘要", "概述", "zusammenfassung", "resumen", "résumé", "resumo", "итог", "概要", "요약"}
)
_ADVICE = frozenset({
    "suggested action", "suggested fix", "suggestion", "fix", "rule", "lesson", "prevention", "建议", "改进", "规则", "教训", "lösung", "lehre", "解决方案", "対策", "대책",
})  # fmt: skip
_KINDS = {
    "error": ("error", "errors", "err", "错误", "失败"),
    "correction": ("correction", "corrections", "lrn", "learning", "learnings", "lesson", "lessons", "纠正", "更正"),
    "best_practice": ("best_practice", "best_practices", "best practice", "best practices", "最佳实践", "经验"),
    "decision": ("decision", "decisions", "决定", "决策"),
    "request": ("feature_request", "feature_requests", "feature requests", "feat", "feature"),
}


@dataclass(frozen=True, slots=True)
class Learnt:
    """One record of a log."""

    text: str
    kind: str  # error, correction, best_practice, decision, request; a log that does not say is one of errors
    context: str
    day: str
    source: Source
    rule: str = ""  # what the record itself advises
    times: int = 1  # how often the record itself says it happened

    @property
    def path(self) -> str:
        return self.source.path


def learnt_in(file: File) -> tuple[Learnt, ...]:
    """The records of one log, in order. Lines that quote or only carry fields are none."""
    said = [entry for entry in file.entries if entry.origin is Origin.OWNER and entry.text.strip()]
    if file.path.endswith(".jsonl"):
        return tuple(_of_jsonl(file, entry) for entry in said)
    plain = [entry for entry in said if _name(entry) is None and not _FIELD.match(entry.text)]
    return (*(_of_line(file, entry) for entry in plain), *_structured(said))


def _of_jsonl(file: File, entry: Statement) -> Learnt:
    first = entry.headings[0] if entry.headings else _stem(file)
    context = entry.headings[1] if len(entry.headings) > 1 else ""
    return Learnt(entry.text, _kind(first), context, str(entry.day or ""), entry.source)


def _of_line(file: File, entry: Statement) -> Learnt:
    kind = next((found for h in reversed(entry.headings) if (found := _kind(h, ""))), "") or _kind(_stem(file))
    return Learnt(entry.text, kind, " > ".join(entry.headings[-1:]), str(entry.day or ""), entry.source)


def _structured(entries: Sequence[Statement]) -> Iterator[Learnt]:
    """The entries with an id: their summary, with the advice and the count that stand below the same heading."""
    groups: dict[str, list[Statement]] = {}
    for entry in entries:
        if name := _name(entry):
            groups.setdefault(name[0], []).append(entry)
    for group in groups.values():
        named = _name(group[0])
        assert named is not None
        summary = next((one for one in group if _under(one, _SUMMARY)), None)
        advice = next((one.text for one in group if _under(one, _ADVICE) and not _FIELD.match(one.text)), "")
        times = max((int(found[1]) for one in group if (found := _TIMES.search(one.text))), default=1)
        if summary is not None:
            last = max(one.source.last for one in group if one is summary or one.text == advice)
            source = Source(summary.source.path, summary.source.first, max(summary.source.last, last))
            yield Learnt(summary.text, named[1], named[2], named[3], source, advice, times)


def _name(entry: Statement) -> tuple[str, str, str, str] | None:
    """(heading, kind, name, day) of the entry with an id that this line stands in."""
    for heading in entry.headings:
        if found := _ID.match(heading):
            kind = _kind(found["name"], "") or _kind(found["kind"])
            return heading, kind, found["name"].strip(), f"{found['year']}-{found['month']}-{found['day']}"
    return None


def _under(entry: Statement, names: frozenset[str]) -> bool:
    return bool(entry.headings) and plain_heading(entry.headings[-1]) in names


def _kind(word: str, otherwise: str = "error") -> str:
    plain = word.strip().casefold()
    return next((kind for kind, names in _KINDS.items() if plain in names or plain == kind), otherwise)


def _stem(file: File) -> str:
    return file.path.rpartition("/")[2].rpartition(".")[0]
