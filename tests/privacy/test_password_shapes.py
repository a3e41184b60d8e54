"""A password is known by its shape; tickets, addresses, files, versions and names are not taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.privacy.password_shapes import is_password_shaped
from reverie.privacy.redact import holds_secret, shown

SECRETS = [
    ("The banking PIN is now Harbour#7290-Kite, keep it nowhere.", "Harbour#7290-Kite"),
    ("VPN login for the spare laptop: qW7-linnet-Oak+40x (delete later)", "qW7-linnet-Oak+40x"),
    ("사내망 비번 임시로 Hangul!309zip 씀", "Hangul!309zip"),
    ("集群账号先记这：Sesame@6m4-Delta，回头删", "Sesame@6m4-Delta"),
    ("wifi: Rye_52&Oats", "Rye_52&Oats"),
    ("neu: Moos$21Farn", "Moos$21Farn"),
]
PLAIN = [
    "Issue#1234 is closed, PR#88 waits", "write to Orla.Finn22@mail.example", "Node20+React18 and Python3+Django42",
    "R&D2024 costs 50% more", "see Report#2_Final22.pdf", "https://shop.example/Item%20Kite22#Part4", "C++17 and C#12",
    "Admin@Server01 is the host", "path/To#File22/Kite", "HB-2024-113-K", "24/7 since 2019, A1+B2 levels", "Kurs B2! Das ist gut",
    "v1.2.3-Beta+build45", "Tue22Nov", "the score was 3:2!Great",
]  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_password_is_masked_whatever_stands_before_it(text: str, secret: str) -> None:
    assert holds_secret(text) and secret not in shown(text) and secret[-4:] not in shown(text)


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_odd_is_left_alone(text: str) -> None:
    assert shown(text) == text


@given(st.from_regex(r"\A[a-z ,.0-9!#$%&+@-]{0,60}\Z"))
def test_without_capitals_nothing_is_a_password_by_its_shape(text: str) -> None:
    assert not any(is_password_shaped(word) for word in text.split())
