"""The receipt of a model in plain sentences, English or Chinese: what it was asked, what it cost, what became of its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reverie.core.model_calls import Status, Use

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
_CHINESE = {
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
    return "：".join(_CHINESE.get(part, part) for part in name.split(": "))


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
