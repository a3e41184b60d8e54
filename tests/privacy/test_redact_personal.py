"""Personal data is hidden by kind, each kind can be switched off, and the numbers of ordinary notes stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum.luhn import is_valid as luhn

from conftest import EXAMPLE
from reverie.privacy.personal import KINDS, is_card, is_iban
from reverie.privacy.redact import findings, holds_mask, holds_secret, redacted, shown

MOST = KINDS - {"ip"}  # addresses of machines are another matter
EMAILS = [
    "jonna@tiedemann-shen.example.com",
    "ada.l+notes@b.co.uk",
    "o'neil@example.org",
    "沈@例子.公司",
    "JONNA@EXAMPLE.COM",
    "a_b-c@sub.example.io",
]
PHONES = [
    "+49 40 66969 041", "+49 (0)40 66969-041", "+1 415 555 0100", "+1-903-140-4508x769", "+447700 921 916", "+86 138 0013 0926", "+7 (912) 345-67-89", "0049 40 66969041", "001-253-366-9781",
    "(602)272-9781", "(602) 272-9781", "201-948-1927", "259.735.7502x459", "(71) 4233-6306", "040 66969041", "040/66969041", "0171 1234567", "0490 39 07 81", "01.84.17.61.18", "01 84 17 61 18", "07700 063 966", "090-1234-5678", "010-1234-5678",
    "13800130926", "138-0013-0926", "0512-66881234", "8 (912) 345-67-89", "8-912-345-67-89",
]  # fmt: skip
NAMED_PHONES = [
    "Phone: 467 3395",
    "Tel. 611 555 204",
    "Mobile: 99 577450",
    "Can someone call me on 9472 7916",
    "电话：6688 1234",
    "teléfono 644 555 018",
    "тел. 345 67 89",
    "携帯 1234 5678",
    "Fax: 78 651 450",
    "Phone:\n467 3395",
    "21 253 109 8211-Office",
]
CARDS = [
    "4111111111111111",
    "4111 1111 1111 1111",
    "5555-5555-5555-4444",
    "378282246310005",
    "6011111111111117",
    "3530111333300000",
    "30569309025904",
    "6200000000000005",
]
IBANS = [
    "DE89370400440532013000",
    "DE89 3704 0044 0532 0130 00",
    "gb82west12345698765432",
    "FR14 2004 1010 0505 0001 3M02 606",
    "NL91ABNA0417164300",
    "NO93 8601 1117 947",
    "CH93 0076 2011 6238 5295 7",
]
PEOPLE = [
    "460-89-9847", "SSN: 460899847", "912-70-1234", "Steuer-ID 86 095 742 719", "IdNr. 86095742719", "11010519491231002X", "12345678Z", "X1234567L", "255081416802538", "2 55 08 14 168 025 38", "529.982.247-25", "CPF 52998224725", "112-233-445 95",
    "СНИЛС 11223344595", "ИНН 500100732259", "RSSMRA85T10A562S", "900101-1234567", "personnummer 811218-9876", "PESEL 44051401359", "BSN 111222333", "NIF 123456789", "SIN 046 454 286", "マイナンバー 1234 5678 9018", "National Insurance AB 12 34 56 C", "Aadhaar 2345 6789 0123", "Passport no. C01234567",
]  # fmt: skip
CHATS = [
    '"sender_id": "6120938847"', "chat_id=6120938847", "agent:main:telegram:direct:6120938847", "ALERT_CHAT=-100482210937", "<@123456789012345678>", "<#123456789012345678>", "discord user id: 123456789012345678", "4915112345678@s.whatsapp.net", "Telegram-ID 6120938847", "群号：123456789",
    "telegram:group:-1001234567890",
]  # fmt: skip
ORDINARY = [
    "2026-10-24T12:51:00+02:00", "2026-10-24 12:51", "24.10.2026", "10/24/2026", "20261024", "2026-11-02 0915", "14./15.10.2018", "29/2-1/3/2019", "20 02 2014", "5,200 € incl. VAT", "1,234,567.89", "12 345 678 €", "1.7.8.2", "v2026.9.6", "192.168.178.40", "10.14.3.20:5432", "HV-20417-88", "NK-55120", "9202 10 00", "invoice 2026-158 over 888 €",
    "LRN-20261027-001", "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", "550e8400-e29b-41d4-a716-446655440000", "1793606400", "1793606400000", "load 0.44 0.51 0.60", "48 / 55 / 49", "00:00-23:59", "memory/2026-11-02.md:26-26", "3.14159265358979", "MA 02110-1301", "#12345678", "ticket 12345678", "order no. 4417829301", "4111111111111112", "DE88370400440532013000",
    "12345678A", "529.982.247-24", "git@github.com:owner/repo.git", "icon@2x.png", "@scope/pkg@1.2.3", "user@host", "a @ b", "message_id: 20418831", "000-00-0000", "version 1.2.3.4", "rows 1000000 to 2000000", "width 1920 1080 60", "26-01 to 26-12", "EORI number DE1234567", "server ID 7890123", "ISBN 978-3-16-148410-0", "20 000 000 tokens", "1-2-3-4-5-6-7-8",
]  # fmt: skip


def kinds_in(text: str, kinds: frozenset[str] = MOST) -> list[str]:
    return [found.kind for found in findings(text, kinds)]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (kind, value)
        for kind, values in (("email", EMAILS), ("phone", PHONES), ("card", CARDS), ("iban", IBANS))
        for value in values
    ],
)
def test_a_value_is_hidden_whole_and_alone(kind: str, value: str) -> None:
    for place in ("reach her: {}, she said", "| Ada | {} |", "（{}）", '"{}"', "{}", "wie {}."):
        assert redacted(place.format(value), MOST) == place.format(f"⟦{kind}⟧")


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (kind, line)
        for kind, lines in (("phone", NAMED_PHONES), ("national-id", PEOPLE), ("chat-id", CHATS))
        for line in lines
    ],
)
def test_a_number_is_known_by_its_form_or_by_its_word(kind: str, line: str) -> None:
    assert kinds_in(line) == [kind]
    assert redacted(line, MOST - {kind}).count("⟦") <= 1


@pytest.mark.parametrize("line", ORDINARY)
def test_the_numbers_of_ordinary_notes_stay(line: str) -> None:
    for place in ("{}", "- see {} for more", '{{"text": "{}"}}'):
        assert redacted(place.format(line), MOST) == place.format(line)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_can_be_switched(kind: str) -> None:
    text = "ada@example.org, +49 40 66969 041, 4111111111111111, DE89370400440532013000, 460-89-9847, chat_id: 6120938847, 10.14.3.20"

    assert kinds_in(text, frozenset({kind})) == [kind]
    assert kind not in kinds_in(text, KINDS - {kind})
    assert sorted(kinds_in(text, KINDS)) == sorted(KINDS)
    assert sorted(kinds_in(text)) == sorted(KINDS - {"ip"})


@pytest.mark.parametrize("address", ["10.14.3.20", "203.0.113.77", "2001:db8::7:1", "fe80::1"])
def test_network_addresses_are_hidden_only_when_asked_for(address: str) -> None:
    assert redacted(f"host {address} up", MOST) == f"host {address} up"
    assert redacted(f"host {address} up", KINDS) == "host ⟦ip⟧ up"


def test_secrets_are_hidden_whatever_the_kinds() -> None:
    line = "mail ada@example.org, password: Kiefer" + "-47x!Harz"

    assert redacted(line, frozenset()) == "mail ada@example.org, password: ⟦secret⟧"
    assert redacted(line, MOST) == "mail ⟦email⟧, password: ⟦secret⟧"


def test_what_is_shown_hides_secrets_but_not_people() -> None:
    line = "Ada, ada@example.org, +49 40 66969 041"

    assert shown(line) == line
    assert not holds_secret(line)
    assert holds_mask(redacted(line, MOST))


def test_an_id_learned_from_its_label_is_hidden_in_the_whole_envelope() -> None:
    text = '{"sender_id": "6120938847"}\n{"label": "Jonna T (6120938847)", "id": "6120938847"}\n'

    assert redacted(text, MOST) == '{"sender_id": "⟦chat-id⟧"}\n{"label": "Jonna T (⟦chat-id⟧)", "id": "⟦chat-id⟧"}\n'


def test_a_word_names_only_the_number_that_follows_it() -> None:
    assert redacted("Phone: 467 3395, house 668 5702", MOST) == "Phone: ⟦phone⟧, house 668 5702"


def test_in_the_example_only_lines_with_a_secret_or_a_person_change() -> None:
    lines = [line for path in sorted(EXAMPLE.rglob("*.md")) for line in path.read_text("utf-8", "replace").split("\n")]

    def changed(*kinds: frozenset[str]) -> list[str]:
        return [line for line in lines if redacted(line, *kinds) != line and not holds_secret(line)]

    marks = ("+49 40", "@", "_id", "telegram:direct:")
    assert all(any(mark in line for mark in marks) for line in changed(MOST))
    assert len(changed()) <= 0.005 * len(lines)


@given(st.integers(0, 10**15 - 1))
def test_a_changed_digit_is_noticed_in_a_card(number: int) -> None:
    body = f"4{number:015d}"[:15]
    valid = [body + str(last) for last in range(10) if luhn(body + str(last))]

    assert len(valid) == 1
    assert is_card(valid[0], named=False)


@given(st.integers(0, 10**18 - 1))
def test_an_account_has_one_valid_pair_of_check_digits(number: int) -> None:
    valid = [check for check in range(2, 99) if is_iban(f"DE{check:02d}{number:018d}")]

    assert len(valid) == 1


@pytest.mark.parametrize(
    "line",
    ["Dentist: Dr. Lee, phone 555-0134", "Keller, Tel. 0431-2211", "牙医电话 555-0134", "Roof: Moser, phone 052 417"],
)
def test_a_number_behind_a_word_for_a_telephone_is_personal_and_no_secret(line: str) -> None:
    assert shown(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "the phone pin is 4417",
        "phone unlock code 8841553",
        "phone password 5550134",
        "unlock my phone 052 417",
        "phone 4417",
    ],
)
def test_what_opens_a_telephone_is_still_a_secret(line: str) -> None:
    assert shown(line) != line
