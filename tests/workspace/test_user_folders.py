"""Where this user's settings, state and caches lie, told for Linux, macOS and Windows on whatever machine runs the tests."""

from __future__ import annotations

from pathlib import PurePath, PurePosixPath, PureWindowsPath

import pytest

from reverie.workspace.settings_files import named_home, user_folder

LINUX, MACOS, WINDOWS = PurePosixPath("/home/ada"), PurePosixPath("/Users/ada"), PureWindowsPath(r"C:\Users\ada")


@pytest.mark.parametrize(
    ("home", "config", "state", "cache"),
    [
        (LINUX, "/home/ada/.config/reverie", "/home/ada/.local/state/reverie", "/home/ada/.cache/reverie"),
        (MACOS, "/Users/ada/.config/reverie", "/Users/ada/.local/state/reverie", "/Users/ada/.cache/reverie"),
        (
            WINDOWS,
            r"C:\Users\ada\.config\reverie",
            r"C:\Users\ada\.local\state\reverie",
            r"C:\Users\ada\.cache\reverie",
        ),
    ],
)
def test_the_same_folders_on_every_system(home: PurePath, config: str, state: str, cache: str) -> None:
    found = [str(user_folder(kind, {}, home)) for kind in ("config", "state", "cache")]

    assert found == [config, state, cache]


def test_xdg_decides_where_it_names_a_whole_path() -> None:
    assert user_folder("state", {"XDG_STATE_HOME": "/srv/state"}, LINUX) == PurePosixPath("/srv/state/reverie")
    assert user_folder("state", {"XDG_STATE_HOME": r"D:\state"}, WINDOWS) == PureWindowsPath(r"D:\state\reverie")


@pytest.mark.parametrize("named", ["", "state", "./state", "../state"])
def test_a_relative_folder_would_be_another_one_in_every_workspace(named: str) -> None:
    assert user_folder("state", {"XDG_STATE_HOME": named}, LINUX) == LINUX / ".local/state/reverie"
    assert user_folder("state", {"XDG_STATE_HOME": named}, WINDOWS) == WINDOWS / ".local/state/reverie"


def test_a_path_of_another_system_is_not_whole_on_this_one() -> None:
    assert user_folder("cache", {"XDG_CACHE_HOME": r"D:\cache"}, LINUX) == LINUX / ".cache/reverie"
    assert user_folder("cache", {"XDG_CACHE_HOME": "/cache"}, WINDOWS) == WINDOWS / ".cache/reverie"


def test_home_is_what_the_tilde_means() -> None:
    both = {"HOME": "/home/ada", "USERPROFILE": r"C:\Users\ada"}  # as a Unix shell on Windows sets them

    assert named_home(both, windows=False) == "/home/ada"
    assert named_home(both, windows=True) == r"C:\Users\ada"
    assert named_home({"HOME": r"C:\Users\ada"}, windows=True) == r"C:\Users\ada"
    assert named_home({}, windows=True) == named_home({}, windows=False) == "~"
