"""A Chinese owner's night, told in Chinese: what commands print and what stands in the log hold no English sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import Build
from terminal import call

NOW = "2026-11-15T03:00:00+01:00"
FILES: dict[str, str | bytes] = {
    "MEMORY.md": "# 记忆\n\n## 项目\n- **端口:** 8080\n- 周会在每周三上午十点\n- 喜欢喝乌龙茶\n- 喜欢喝乌龙茶\n\n## 待办\n- [x] 续签域名\n",
    "memory/2026-11-13.md": "## 项目\n- **端口:** 9090\n- 决定：以后账单统一用 PDF 发送\n- 今天有点累\n",
    "memory/2026-11-14.md": "- 天气不错\n<!-- openclaw:dreaming:light:start -->\n- 没有关闭\n\n```\n没有关闭的代码\n",
}
OWNERS = re.compile(
    r"`[^`]*`|dream [a-z -]+|“[^”]*”|\S*[/.:_]\S*|MEMORY\.md|\[\w{8}\]"
)  # commands, quotations, paths, ids
SENTENCE = re.compile(r"[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,})+")


def english(text: str) -> list[str]:
    return [line for line in text.split("\n") if SENTENCE.search(OWNERS.sub(" ", line))]


@pytest.mark.parametrize(
    "words",
    [["runs"], ["why", "端口"], ["why-not", "今天有点累"], ["status"], ["doctor"], ["suggestions"], ["undo"]],
    ids=lambda words: words[0],
)
def test_after_a_night_every_command_speaks_chinese(build: Build, words: list[str]) -> None:
    workspace = build(FILES)
    night = call("review", "--now", NOW, "--workspace", str(workspace.root))
    again = call("undo", "--now", NOW, "--workspace", str(workspace.root)) if words == ["runs"] else night

    said = call(*words, "--now", NOW, "--workspace", str(workspace.root))

    assert (night.code, again.code, said.code) == (0, 0, said.code)
    assert english(night.out + said.out) == []


def test_the_log_of_the_night_is_chinese(build: Build) -> None:
    workspace = build(FILES)

    call("review", "--now", NOW, "--workspace", str(workspace.root))
    kept = call("review", "--now", "2026-11-15T04:00:00+01:00", "--workspace", str(workspace.root))

    (log,) = Path(workspace.root, "memory").glob("dream-log-*.md")
    assert english(log.read_text("utf-8")) == [] and english(kept.out) == []
    assert "没有关闭的代码块" in log.read_text("utf-8")
