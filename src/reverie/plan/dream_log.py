"""The dream log of a night, in seed 001's form and the owner's language: what changed and why, what a person should settle.

Append-only: a second night of the same day adds its own part below the first. A night that changed nothing writes none. The
log is for people; nothing reads it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from reverie.core.layout import LAST_DISTILL, Kind, dream_log
from reverie.judge.operation import Op, Operation, words_after
from reverie.lang.detect import language_of
from reverie.plan.pages import one_line
from reverie.plan.receipt import OF_MODEL, receipt_lines
from reverie.plan.splices import difference, spliced
from reverie.plan.views import TAG
from reverie.privacy.redact import holds_secret
from reverie.text.lines import appended, ending_of, split_lines
from reverie.text.markdown import Shape, parse
from reverie.text.marks import days_in
from reverie.workspace.news import unjudged
from reverie.workspace.values import MARK, Edit, Notice, Plan, Snapshot

_WHY = "what the night changed, for people to read"
_TAGS = {
    "superseded": "contradiction", "contradiction": "contradiction", "duplicate": "duplicate", "merged": "duplicate", "stale": "stale", "completed": "stale",
    "over budget": "budget", "lesson": "distill", "re-emerged": "re-emerged",
}  # fmt: skip
_CHINESE = {
    "Dream Log": "梦境日志", "Changes Made": "所做更改", "Needs Human Review": "需要人工审核", "MEMORY.md Stats": "MEMORY.md 统计", "Skipped": "已跳过",
    "Lines": "行数", "Sections": "章节", "unchanged": "未变", "was": "原为", "date-fix": "日期修复", "contradiction": "矛盾", "duplicate": "重复", "stale": "过时",
    "promote": "提升", "distill": "提炼", "re-emerged": "重现", "budget": "精简", "days written out": "处日期写成具体日期", "lines": "条", "routine": "常规记录",
    "untrusted": "来源不可信", "label": "只是标签", "question": "问句", "code": "代码", "instruction": "指令", "chat turn": "对话", "half a sentence": "不成句",
    "metadata": "元数据", "reported words": "转述", "dream output": "梦境输出", "secret or personal data": "机密或个人信息", "not one line": "无法成句",
    "said by the agent": "助手所说", "Model": "模型",
}  # fmt: skip


def log_edits(
    snapshot: Snapshot,
    operations: Sequence[Operation],
    notices: Sequence[Notice],
    edits: Sequence[Edit],
    refused: Mapping[str, int],
    now: datetime,
) -> list[Edit]:
    """The night's part of the log; nothing when MEMORY.md stays as it is and nothing is asked."""
    path = dream_log(now.date())
    ours = [edit for edit in edits if edit.path == snapshot.memory_path]
    asked = [one for one in operations if one.op is Op.ASK]
    moved = any(edit.tag not in (TAG, "init") for edit in ours)
    if not (moved or asked) or not snapshot.workspace.settings.storage.dream_log:
        return []
    if path in {refusal.path for refusal in snapshot.refused}:
        return []  # a link in a place of ours costs the log, not the night
    there = split_lines(snapshot.text_of(path))
    say = _words(snapshot)
    stamp = f" ({now:%H:%M})" if there else ""
    head = ("",) if there else (f"# {say('Dream Log')} {now:%Y-%m-%d}", "")
    told = notices if moved else ()  # what a night noticed and could not do is not what it did
    parts = [*head, *_changes(snapshot, operations, told, say, stamp), *_stats(snapshot, ours, say, stamp)]
    parts += _skipped(refused, say, stamp)
    parts = [line if not holds_secret(line) else "- …" for line in parts]  # told apart nothing in it was a secret
    at, old, new = appended(there, parts[:-1] if parts[-1] == "" else parts)
    return [Edit("log", path, at, old, new, TAG, _WHY)]


def with_receipt(snapshot: Snapshot, plan: Plan) -> Plan:
    """The plan with the model's receipt at the end of its part of the log; the same plan without either of them."""
    say = _words(snapshot)
    kinds = snapshot.workspace.settings.privacy.kinds
    told = [f"- {one_line(line, kinds)}" for line in receipt_lines(plan.use, chinese=say.chinese)]
    made = datetime.fromisoformat(plan.made)
    log = next((edit for edit in plan.edits if edit.id == "log" and edit.path == dream_log(made.date())), None)
    if log is None or not told:
        return plan
    there = split_lines(snapshot.text_of(log.path))
    stamp = f" ({made:%H:%M})" if there else ""
    ending = ending_of(there)
    part = tuple(line + ending for line in ("", f"## {say('Model')}{stamp}", *told))
    longer = replace(log, new=(*log.new, *part))
    return replace(plan, edits=tuple(longer if edit is log else edit for edit in plan.edits))


def distill_edits(snapshot: Snapshot, now: datetime) -> list[Edit]:
    """`.last_distill` moves on when a log of the agent about itself was read (seed 001)."""
    if not any(file.place.kind is Kind.LOG for file in unjudged(snapshot)):
        return []
    if not any(path.startswith("memory/self-improving/") for path in snapshot.files):
        return []  # lessons may also come from `.learnings/`; no folder is made for a time stamp
    text = now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") + "\n"
    why = "how far this night came"
    return list(difference(LAST_DISTILL, snapshot.text_of(LAST_DISTILL), text, id="cursor", tag=TAG, why=why))


class _Say:
    """English words in the owner's language."""

    def __init__(self, *, chinese: bool) -> None:
        self.chinese = chinese

    def __call__(self, word: str) -> str:
        return _CHINESE.get(word, word) if self.chinese else word


def _words(snapshot: Snapshot) -> _Say:
    memory = snapshot.files.get(snapshot.memory_path)
    return _Say(chinese=memory is not None and language_of([entry.text for entry in memory.entries]) == "zh")


def _changes(
    snapshot: Snapshot, operations: Sequence[Operation], notices: Sequence[Notice], say: _Say, stamp: str
) -> Iterator[str]:
    yield f"## {say('Changes Made')}{stamp}"
    if fixed := sum(_written_out(snapshot, one) for one in operations):
        yield f"- [{say('date-fix')}] {fixed} {say('days written out')}"
    kinds = snapshot.workspace.settings.privacy.kinds
    for one in operations:
        if one.op is not Op.ASK:
            text = one_line(words_after(one).removeprefix(MARK).strip(), kinds)
            old = one_line(one.target.text, kinds) if one.op is Op.UPDATE and one.target else ""
            was = f" ({say('was')}: {old})" if old else ""
            yield f"- [{say(_TAGS.get(one.tag, 'promote'))}] {text}{was} — {one_line(one.why, kinds)}"
    yield ""
    asked = [one for one in operations if one.op is Op.ASK]
    if asked or notices:
        yield f"## {say('Needs Human Review')}{stamp}"
        for said, why, sources in (
            *((one.text, one.why, one.sources) for one in asked),
            *((flag.text, flag.why, flag.sources) for flag in notices),
        ):
            where = ", ".join(map(str, sources))
            yield f"- {one_line(said, kinds)} — {one_line(why, kinds)}" + (f" ({where})" if where else "")
        yield ""


def _written_out(snapshot: Snapshot, operation: Operation) -> int:
    """How many days of a new line stood in its source as "tomorrow" or 昨天."""
    if operation.op not in (Op.ADD, Op.UPDATE):
        return 0
    told = "".join(
        line
        for source in operation.sources
        for line in split_lines(snapshot.text_of(source.path))[source.first - 1 : source.last]
    )
    return len(set(days_in(operation.new or operation.text)) - set(days_in(told)))


def _stats(snapshot: Snapshot, ours: Sequence[Edit], say: _Say, stamp: str) -> Iterator[str]:
    before = snapshot.text_of(snapshot.memory_path)
    after = spliced(before, ours)
    lines, sections = [len(split_lines(text)) for text in (before, after)], [_sections(before), _sections(after)]
    yield f"## {say('MEMORY.md Stats')}{stamp}"
    yield f"- {say('Lines')}: {lines[0]} → {lines[1]}"
    same = sections[0] == sections[1]
    yield f"- {say('Sections')}: " + (
        f"{sections[0]} ({say('unchanged')})" if same else f"{sections[0]} → {sections[1]}"
    )
    yield ""


def _sections(text: str) -> int:
    return sum(1 for block in parse(text).blocks if block.shape is Shape.HEADING and block.level > 1)


def _skipped(refused: Mapping[str, int], say: _Say, stamp: str) -> Iterator[str]:
    lines = {reason: count for reason, count in refused.items() if not reason.startswith(OF_MODEL)}
    if not lines:
        return  # what a model wanted and did not get stands in its receipt
    yield f"## {say('Skipped')}{stamp}"
    for reason, count in sorted(lines.items(), key=lambda item: (-item[1], item[0])):
        yield f"- {count} {say('lines')}: {say(reason)}"
