"""A code that opens a door is a secret; a code that means something else is not."""

from __future__ import annotations

import pytest

from reverie.privacy.redact import holds_secret, shown

OPENS = [
    ("The key safe code is 4471-HERON, she read it out.", "4471-HERON"),
    ("Door code: 8812", "8812"),
    ("code for the garage door: 3390#", "3390#"),
    ("Türcode 7712A, gilt ab morgen", "7712A"),
    ("el código de la alarma es 6624", "6624"),
    ("le code du portail est 55B21", "55B21"),
    ("o código do portão é 9182", "9182"),
    ("код от домофона 45К1234", "45К1234"),
    ("le code wifi c'est renard2024", "renard2024"),
    ("contraseña del wifi: erizo2024", "erizo2024"),
    ("пароль от почты: barsuk2020", "barsuk2020"),
    ("PIN for the bank card is 4821", "4821"),
    ("Die Zugangs-PIN fürs Konto lautet 7290", "7290"),
    ("recovery code 83920-11823", "83920-11823"),
    ("门禁密码是 5571#", "5571#"),
    ("玄関の暗証番号は4471です", "4471"),
    ("Oskar hat mir die PIN vom Schließfach geschickt, 550918, die muss weg", "550918"),
    ("she typed the new PIN into the chat (6620)", "6620"),
    ("the tracker key is 4b1d90e2c77a43f8b6a1d03355fe9c21 for all of us", "4b1d90e2c77a43f8b6a1d03355fe9c21"),
    ("仪表盘的 key 是 4b1d90e2c77a43f8b6a1d03355fe9c21，别发群里", "4b1d90e2c77a43f8b6a1d03355fe9c21"),
]
OPENS_NOTHING = [
    "error code 5012 again", "discount code SPRING25", "area code is 0441", "postal code 10115", "building code 2019 applies",
    "the door code changes on 2026-11-20", "lock code review moved to 10:00", "the password for the wifi is on the fridge", "wifi channel: 36",
    "PIN layout of the chip: 4 rows", "the PIN was changed in 2024", "PIN pads arrive on 2026-11-20", "commit 4b1d90e2c77a43f8b6a1d03355fe9c21 is in", "the pin on the map, 4471 m",
    "PIN vergessen, um 14:30 neu beantragt", "código postal 28004", "код ошибки 5012", "错误代码 5012",
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), OPENS)
def test_a_code_that_opens_something_is_masked(text: str, code: str) -> None:
    assert holds_secret(text) and code not in shown(text)
    assert shown(text).startswith(text.partition(code)[0]) and shown(text).endswith(text.partition(code)[2])


@pytest.mark.parametrize("text", OPENS_NOTHING)
def test_other_codes_are_left_alone(text: str) -> None:
    assert shown(text) == text
