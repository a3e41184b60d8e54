"""The dream log of a night, in seed 001's form and the owner's language: what changed and why, what a person should settle,
what a model was asked and what it cost.

Append-only: a second night of the same day adds its own part below the first. A night that changed nothing writes none. The
log is for people; nothing reads it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from reverie.core.layout import LAST_DISTILL, Kind, dream_log
from reverie.core.model_calls import Status, Use
from reverie.judge.operation import Op, Operation, words_after
from reverie.lang.detect import language_of
from reverie.plan.reports import one_line
from reverie.plan.splices import difference, spliced
from reverie.plan.views import TAG
from reverie.privacy.redact import holds_secret
from reverie.text.lines import appended, ending_of, split_lines
from reverie.text.markdown import Shape, parse
from reverie.text.marks import days_in
from reverie.workspace.news import unjudged
from reverie.workspace.values import MARK, Edit, Notice, Plan, Snapshot

AGENT = "agent"  # the host agent answers by hand: nobody is called, and nothing is paid
OF_MODEL = "model: "  # how the reasons of a plan begin for which a model's words were dropped
WHOLE = "dropped whole: "  # how the status of counsel begins that would have broken a promise
_HEARD = (Status.ANSWERED, Status.CACHED)
_EXAM: Mapping[str, tuple[str, str]] = {
    Status.PASSED: ("It took the exam first, and passed.", "它先参加了考试，并且通过了。"),
    Status.NOT_PASSED: (
        "It did not pass the exam, so the built-in judge decided alone.",
        "它没有通过考试，由内置评判独自决定。",
    ),
    Status.NOT_EXAMINED: (
        "It has no result of the exam yet, so the built-in judge decided alone.",
        "它还没有考试结果，由内置评判独自决定。",
    ),
}
_TROUBLE: Mapping[str, tuple[str, str]] = {
    Status.NO_MODEL: ("Nobody answered {n}", "{n}无人回答"),
    Status.SLOW: ("The answer to {n} did not come in time", "{n}的回答没有及时到来"),
    Status.REFUSED: ("It declined to answer {n}", "它拒绝回答{n}"),
    Status.INVALID: ("The answer to {n} had not the shape that was asked for", "{n}的回答不符合要求的格式"),
    Status.TRUNCATED: ("The answer to {n} was cut short", "{n}的回答不完整"),
    Status.RATE_LIMITED: ("The provider put off {n}", "服务方推迟了{n}"),
    Status.FAILED: ("The provider failed at {n}", "服务方处理{n}时出错"),
    Status.WRONG_LANGUAGE: ("The answer to {n} came in another language", "{n}的回答用了别的语言"),
    Status.OBEYED: (
        "The answer to {n} obeyed an instruction in the notes and was dropped",
        "{n}的回答听从了笔记里的指令，已丢弃",
    ),
    Status.UNGROUNDED: (
        "The answer to {n} said what nothing says and was dropped",
        "{n}的回答没有依据，已丢弃",
    ),
    Status.CAPPED: ("A cap that you set ended the asking before {n}", "达到您设定的上限，还有{n}没有提出"),
}
_RECEIPT_CHINESE = {
    "add": "新增", "update": "更新", "end": "结束", "merge": "合并", "ask": "提问",
    "added": "新增", "superseded": "更新", "stale": "过时", "duplicate": "重复", "diary": "日记", "reflection": "反思",
    "cites what it was not shown": "引用了没有给它看的内容", "cites the wrong number of lines": "引用的行数不对", "contradicts itself": "自相矛盾",
    "is wrong about what is certain": "对确定无疑的内容判断错误", "cites what may not enter": "引用了不得进入的内容", "too long": "太长",
    "says other words than its source": "用了来源里没有的词", "must not enter": "不得进入", "merges two facts": "把两件事合并了",
    "says the same": "说的是同一件事", "is about something else": "说的是另一件事", "too many questions": "问题太多",
    "sees a contradiction where none is": "把不矛盾的看成矛盾",
    "no model": "没有模型", "too slow": "太慢", "refused": "拒绝", "invalid answer": "回答无效", "cut short": "不完整", "rate limited": "被限流",
    "failed": "出错", "wrong language": "语言不对", "obeyed an instruction in the notes": "听从了笔记里的指令",
    "said what nothing says": "没有依据", "cap reached": "达到上限", "themes": "主题",
}  # fmt: skip


def receipt_lines(use: Use | None, *, chinese: bool = False) -> Iterator[str]:
    """The receipt, a sentence each. Nothing without a model, and nothing where a model had nothing to say."""
    if use is None or not (use.statuses or use.accepted or use.dropped):
        return
    yield _asked_chinese(use) if chinese else _asked(use)
    if use.accepted or use.dropped:
        yield _became(use, chinese=chinese)
    for status, count in use.statuses.items():
        if status not in _HEARD:
            yield _alone(status, count, chinese=chinese)


def _asked(use: Use) -> str:
    if use.model == AGENT:
        return f"The host agent had answered {_questions(use.statuses.get(Status.CACHED, 0))}."
    before = f", {_questions(use.cached)} answered before" if use.cached else ""
    paid = f"; cost {use.cost:.4f}" if use.cost else ""
    calls = f"{use.calls:,} call" + ("" if use.calls == 1 else "s")
    tokens = f"{use.tokens_in:,} tokens sent, {use.tokens_out:,} received"
    return f"The model {use.model}: {calls}{before}; {tokens}{paid}; {use.seconds:.1f} seconds."


def _asked_chinese(use: Use) -> str:
    if use.model == AGENT:
        return f"宿主智能体已回答 {use.statuses.get(Status.CACHED, 0)} 个问题。"
    before = f"，{use.cached} 个问题已有答案" if use.cached else ""
    paid = f"；费用 {use.cost:.4f}" if use.cost else ""
    tokens = f"发送 {use.tokens_in:,} 个词元，收到 {use.tokens_out:,} 个"
    return f"模型 {use.model}：调用 {use.calls:,} 次{before}；{tokens}{paid}；用时 {use.seconds:.1f} 秒。"


def _became(use: Use, *, chinese: bool) -> str:
    accepted, dropped = _counted(use.accepted, chinese=chinese), _counted(use.dropped, chinese=chinese)
    if chinese:
        return f"它的意见：采纳 {accepted or '无'}；舍弃 {dropped or '无'}。"
    return f"Of what it wanted, accepted: {accepted or 'nothing'}; dropped: {dropped or 'nothing'}."


def _counted(counts: Mapping[str, int], *, chinese: bool) -> str:
    if chinese:
        return "、".join(f"{count} 项（{_in_chinese(name)}）" for name, count in counts.items())
    return ", ".join(f"{count} ({name})" for name, count in counts.items())


def _in_chinese(name: str) -> str:
    """A reason, or a text and what was wrong with it ("diary: too slow")."""
    return "：".join(_RECEIPT_CHINESE.get(part, part) for part in name.split(": "))


def _alone(status: str, count: int, *, chinese: bool) -> str:
    """What went wrong, and that the rules alone decided; or what the exam said."""
    if status in _EXAM:
        return _EXAM[status][chinese]
    if status.startswith(WHOLE):
        promise = status.removeprefix(WHOLE)
        if chinese:
            return f"它的意见会违背承诺“{promise}”，已全部舍弃；仅由规则决定。"
        return f"What it wanted would have broken the promise “{promise}”; all of it was dropped, and the rules decided alone."
    english, words = _TROUBLE.get(status, (f"{{n}} came to nothing ({status})", f"{{n}}没有结果（{status}）"))
    if chinese:
        return words.format(n=f" {count} 个问题").strip() + "；仅由规则决定。"
    return english.format(n=_questions(count)) + "; there the rules decided alone."


def _questions(count: int) -> str:
    return f"{count:,} question" + ("" if count == 1 else "s")


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
