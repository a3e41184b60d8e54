"""One key of the owner's reverie.toml is set or cleared, and every other byte stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.apply.settings_file import set_key, spliced
from reverie.core.errors import BadInput, BadSettings

MINE = '# mine\ntimezone = "Europe/Berlin"\n\n[memory]\nnew_lines = 8  # enough\n\n[[project]]\npath = "~/a.md"\nhost = "hermes"\n'


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("memory.new_lines", 5, "new_lines = 8  # enough", "new_lines = 5  # enough"),
        ("memory.new_lines", None, "new_lines = 8  # enough\n", ""),
        ("memory.hard", 0.8, "[memory]\n", "[memory]\nhard = 0.8\n"),
        ("timezone", "Asia/Shanghai", "Europe/Berlin", "Asia/Shanghai"),
        ("language", "zh", '"Europe/Berlin"\n\n', '"Europe/Berlin"\n\nlanguage = "zh"\n\n'),
        ("diary.enabled", False, '"hermes"\n', '"hermes"\n\n[diary]\nenabled = false\n'),
        ("diary.enabled", None, "", ""),
    ],
)
def test_one_line_changes(tmp_path: Path, key: str, value: bool | float | str | None, old: str, new: str) -> None:
    file = tmp_path / "reverie.toml"
    file.write_text(MINE, "utf-8")

    set_key(file, key, value)

    assert file.read_text("utf-8") == MINE.replace(old, new, 1)


def test_the_first_setting_makes_the_file_and_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "reverie" / "reverie.toml"

    set_key(file, "review.mode", "propose")

    assert file.read_text("utf-8") == '[review]\nmode = "propose"\n'


def test_line_ends_stay_as_they_are() -> None:
    assert spliced("[memory]\r\nhard = 0.9\r\n", "memory.hard", 0.8) == "[memory]\r\nhard = 0.8\r\n"
    assert spliced('language = "en"', "memory.hard", 0.8) == 'language = "en"\n\n[memory]\nhard = 0.8\n'


@pytest.mark.parametrize(
    ("text", "key", "value", "error"),
    [
        (MINE, "memory.hard", 7.0, BadSettings),
        (MINE, "review.mode", "guess", BadSettings),
        ("not toml at all", "review.mode", "propose", BadSettings),
        ("memory = { new_lines = 8 }\n", "memory.new_lines", 5, BadInput),
        ('[storage]\nmode = """\ninline"""\n', "storage.mode", "both", BadInput),
    ],
)
def test_what_cannot_be_done_for_certain_changes_nothing(
    tmp_path: Path, text: str, key: str, value: float | str, error: type[Exception]
) -> None:
    file = tmp_path / "reverie.toml"
    file.write_text(text, "utf-8")

    with pytest.raises(error):
        set_key(file, key, value)
    assert file.read_text("utf-8") == text
