"""DREAM.md: the owner's own page of wishes, in several languages and any layout."""

from __future__ import annotations

from typing import Any

import pytest

from reverie.core.errors import BadSettings
from reverie.core.settings import Settings, merged
from reverie.workspace.settings_files import read_dream_md

ENGLISH = """# DREAM.md
Some words.

## Settings
- max_memory_lines: 300
- `lookback_days`: 7   # a week
* **min_hours_between_dreams** = 12

timezone: Europe/Berlin

## Protected Sections
- House rules
- ## 经验教训
- "Prices"

## Custom Rules
- Always keep prices
- Never store health
Free text is a rule too.

## Diary
- max_memory_lines: 1
"""
CHINESE = """# 梦

## 设置
- max_memory_lines：300

## 受保护章节
- 经验教训

## 自定义规则
- 价格永远保留
"""


def test_the_english_page() -> None:
    assert read_dream_md(ENGLISH) == {
        "memory": {"max_lines": 300},
        "dream": {"lookback_days": 7, "min_hours_between_dreams": 12},
        "timezone": "Europe/Berlin",
        "protected_sections": ["House rules", "经验教训", "Prices"],
        "custom_rules": ["Always keep prices", "Never store health Free text is a rule too."],
    }


def test_the_chinese_page() -> None:
    assert read_dream_md(CHINESE) == {
        "memory": {"max_lines": 300},
        "protected_sections": ["经验教训"],
        "custom_rules": ["价格永远保留"],
    }


@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_what_is_read_fits_the_settings(text: str) -> None:
    assert merged(Settings(), read_dream_md(text), lambda key: key, trusted=False).memory.max_lines == 300


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("", {}),
        ("no headings: at all\n", {}),
        ("## Settings\n\nThese are mine.\n", {}),
        ("## SETTINGS:\r\n- maxMemoryLines: 99\r\n", {"memory": {"max_lines": 99}}),
        ("### ⚙️ Settings\n1. max-memory-lines: 99\n", {"memory": {"max_lines": 99}}),
        ("## Settings\n### Size\n- max_memory_lines: 99\n", {"memory": {"max_lines": 99}}),
        (
            "\ufeff## Settings\n- lookback_days: 3\n- min_hours_between_dreams: 5\n",
            {"dream": {"lookback_days": 3, "min_hours_between_dreams": 5}},
        ),
        ("## Settings\n```\nmax_memory_lines: 1\n```\n<!-- lookback_days: 1 -->\n", {}),
        ("## Protected Sections\nA sentence about them.\n- One\n", {"protected_sections": ["One"]}),
    ],
)
def test_other_layouts(text: str, table: dict[str, Any]) -> None:
    assert read_dream_md(text) == table


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- max_memory_line: 3", "DREAM.md:4 sets `max_memory_line`, which is not a setting; did you mean `max_memory_lines`?"),
        ("- colour: 3", "DREAM.md:4 sets `colour`, which is not a setting. Known are max_memory_lines, lookback_days and min_hours_between_dreams."),
        ("- lookback_days: soon", "DREAM.md:4 sets `lookback_days` to 'soon'; it must be a whole number."),
        ("- lookback_days: -3", "DREAM.md:4 sets `lookback_days` to '-3'; it must be a whole number."),
    ],
)  # fmt: skip
def test_an_unknown_setting_is_refused_with_its_line_and_the_nearest(line: str, said: str) -> None:
    with pytest.raises(BadSettings) as bad:
        read_dream_md(f"# DREAM\n\n## Settings\n{line}\n")

    assert str(bad.value) == said


@pytest.mark.parametrize("line", ["- vault: /etc", "- workspace: /", "- lock_wait: 0"])
def test_what_only_the_owner_may_set_is_no_setting_of_this_page(line: str) -> None:
    with pytest.raises(BadSettings, match=r"^DREAM.md:4 sets"):
        read_dream_md(f"# DREAM\n\n## Settings\n{line}\n")
