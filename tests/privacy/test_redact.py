"""Secrets are recognised in every shape that owners leave them in, and ordinary sentences are not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import EXAMPLE
from reverie.privacy.redact import HIDDEN, holds_mask, holds_secret, shown
from reverie.workspace.values import to_text

DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # what Unicode calls embedding and isolate
# Joined at run time, so that no scanner of this repository takes an invented key for a real one.
ALNUM = "R7kQ2vXm9LtB4wZc8NdF1sHy6JpGa3UeKo5T0aBcDeFgHiJkLmNoPqRsTuVwXyZ12"
TOKENS = [
    "sk-" + ALNUM[:48], "sk-ant-" + "api03-" + ALNUM[:40], "sk-proj-" + ALNUM[:40], "ghp_" + ALNUM[:36], "gho_" + ALNUM[:36],
    "ghs_" + ALNUM[:36], "github_pat_" + ALNUM[:22] + "_" + ALNUM[:40], "glpat-" + ALNUM[:20], "xoxb-" + "123456789012-" + ALNUM[:24],
    "xoxp-" + "123456789012-" + ALNUM[:24], "AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "IOSFODNN7EXAMPLE", "AIza" + ALNUM[:35],
    "ya29." + ALNUM[:40], "sk_live_" + ALNUM[:24], "rk_test_" + ALNUM[:24], "SG." + ALNUM[:22] + "." + ALNUM[:43],
    "npm_" + ALNUM[:36], "pypi-" + "AgEIcHlwaS5vcmc" + ALNUM[:40], "hf_" + ALNUM[:34], "dop_v1_" + "0123456789abcdef" * 4,
    "7318264905:AA" + ALNUM[:33], "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiJ4In0." + ALNUM[:43],
    "M" + ALNUM[:23] + "." + ALNUM[:6] + "." + ALNUM[:27], "-----BEGIN " + "PRIVATE KEY-----", "-----BEGIN RSA " + "PRIVATE KEY-----",
    "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
]  # fmt: skip
VALUE = "Ahorn-Riegel_1887!"
PHRASES = [
    f"admin password={VALUE} for now", f"Password: {VALUE}", f"**Password:** {VALUE}", f"- **Password**: `{VALUE}`", f"the password is {VALUE}",
    f"mqtt_password={VALUE}", f"DB_PASSWORD={VALUE}", f'"password": "{VALUE}"', f"passphrase: {VALUE}", f"pwd={VALUE}", f"pw: {VALUE}",
    f"api_key={VALUE}", f"API key: {VALUE}", f"X-Api-Key: {VALUE}", f"AWS_SECRET_ACCESS_KEY={VALUE}", f"auth token: {VALUE}",
    f"token = {VALUE}", f"client_secret: {VALUE}", f"| admin password | {VALUE} |", f"secret: '{VALUE}'", f"bearer: {VALUE}",
    f"Passwort: {VALUE}", f"das WLAN-Passwort ist {VALUE}", f"Kennwort = {VALUE}", f"contraseña: {VALUE}", f"la clave es {VALUE}",
    f"mot de passe : {VALUE}", f"le mot de passe est {VALUE}", f"senha: {VALUE}", f"пароль: {VALUE}", f"токен = {VALUE}",
    f"密码：{VALUE}", f"密码是 {VALUE}", f"口令为{VALUE}", f"令牌: {VALUE}", f"パスワード：{VALUE}", f"비밀번호: {VALUE}", "password: Скрипка1887",
]  # fmt: skip
GLUED = [
    f"管理员密码：{VALUE}", f"Wi-Fi密码：{VALUE}", f"路由器的密码是{VALUE}", f"管理者パスワード：{VALUE}", f"Adminpasswort: {VALUE}",
    f"dbpassword={VALUE}", f"accessToken: {VALUE}", f"botToken={VALUE}", f"SECRET_KEY={VALUE}", f"secret key: {VALUE}",
    f"Authorization: Bearer {ALNUM[:32]}", f"password for steg: {VALUE}",
]  # fmt: skip
ADDRESSES = [
    "postgres://werkstatt:Kirsche7-undAhorn@10.14.3.20:5432/werkstatt", "https://jonna:geheim123@example.com/x",
    "amqp://guest:guest@localhost", "mongodb+srv://a:p%40ss@cluster0.example.net/db", "see ftp://u:secret@example.org now",
    "redis://:s3cr3tpw@10.0.0.1:6379/0",
]  # fmt: skip
ORDINARY = [
    "the token budget is 20000 tokens", "password rotated 2026-10-01", "the password is in the vault", "password: see the vault",
    "Password: ask Mira", "passwords are kept in 1Password", "the token expires in 90 days", "token limit: 20000", "tokens: 1,204",
    "20000 tokens per day", "Token: 2026-10-01", "the password has 12 characters", "the password is 12 characters long",
    "password changed on 2026-10-01 by Tobi", "Router admin password rotated and stored in the password manager.", "secret: none",
    "the secret is patience", "a secret recipe", "the key is under the mat", "key: drawer 3", "API key renewed; it expires again in 90 days",
    "Set a calendar reminder for the Backblaze API key renewal.", "the API key had expired", "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
    "fixed in 3f2a9b1", "550e8400-e29b-41d4-a716-446655440000", "Session ID: c17fa2d4-03b6-4e58-8a9d-61f0b2c7e945", "+49 40 66969 041",
    "phone: +49 40 66969 087", "IBAN DE89 3704 0044 0532 0130 00", "HV-20417-88", "booking number NK-55120", "tariff number 9202 10",
    "https://example.com/a?b=c#d", "http://localhost:3000/@scope/pkg", "ssh://git@example.com:22/repo.git", "git@github.com:owner/repo.git",
    "mail jonna@tiedemann-shen.example.com", "10.14.3.20:5432", "2026-10-24T12:51:00+02:00", "sha256:" + "0123456789abcdef" * 4,
    "v2026.9.6", "O-12 at 71 € per litre", "sk-learn is a library", "task-management-and-more-than-twenty-letters", "risk-assessment-2026-10-01-final-version",
    "the ghp prefix marks GitHub tokens", "AKIA is how AWS keys begin", "SK-7 strings", "a pass through the Alps", "pass the salt", "he will pass is what I think",
    "Boarding pass: gate 12", "passage: 3rd floor", "compass: north", "the passport is valid until 2031", "Passport: in the safe", "tokenizer: cl100k_base is used",
    "密码在保险箱里", "密码已经换了", "密码：见保险箱", "令牌预算 20000", "口令改于 2026-10-01", "das Passwort steht im Tresor", "Passwort: siehe Tresor",
    "Schlüssel: beim Nachbarn", "la clave del asunto", "clave: paciencia", "пароль: в сейфе", "password: ********", "password: <your password>", "password: ‹secret›",
    "password = None", "password=$PASSWORD", "token: null", "secret santa: 2026-12-06", "Asiatischegeigenholzlieferung", "AsiaPacificHeadquarters", "Nordkaispediteurgesellschaft",
    "private key: in the safe", "-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "```bash", "ssh kolophon 'pct list; zpool status -x'",
    "mosquitto_sub -h wirbel -t 'holz/+/rh' -C 3", "invoice 2026-158 over 888 €", "Ehrlich O-12 | 7 h UV | golden", "9:20, 10:41 and 11:20",
]  # fmt: skip


@pytest.mark.parametrize("token", TOKENS, ids=[token[:14] for token in TOKENS])
def test_every_public_format_of_a_token_is_recognised_and_hidden(token: str) -> None:
    line = f"- deploy works again with {token} in the CI settings"

    assert holds_secret(line)
    assert shown(line) == f"- deploy works again with {HIDDEN} in the CI settings"


@pytest.mark.parametrize("line", PHRASES)
def test_a_keyword_with_a_value_is_a_secret_in_many_languages(line: str) -> None:
    assert holds_secret(line)
    assert "1887" not in shown(line)


@pytest.mark.parametrize("line", GLUED)
def test_a_keyword_is_found_where_no_space_divides_it_from_its_neighbours(line: str) -> None:
    assert holds_secret(line)


@pytest.mark.parametrize("line", ADDRESSES)
def test_an_address_with_a_password_is_a_secret(line: str) -> None:
    assert holds_secret(line)
    assert HIDDEN in shown(line)


@pytest.mark.parametrize("line", ORDINARY)
def test_an_ordinary_sentence_is_not_a_secret(line: str) -> None:
    assert not holds_secret(line)
    assert shown(line) == line


def test_there_are_enough_ordinary_sentences_to_mean_something() -> None:
    assert len(set(ORDINARY)) >= 60


def test_the_body_of_a_private_key_is_hidden_with_its_head() -> None:
    key = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\nq1w2e3r4\n-----END RSA " + "PRIVATE KEY-----\n"

    assert "MIIE" not in shown(f"before\n{key}after\n")
    assert "q1w2e3r4" not in shown(f"before\n{key}after\n")


def test_every_secret_of_a_text_is_hidden_and_nothing_else() -> None:
    text = f"a password={VALUE} b\nredis: https://u:pass12@example.com and {TOKENS[3]}\n"

    assert shown(text) == f"a password={HIDDEN} b\nredis: {HIDDEN} and {HIDDEN}\n"


def test_what_cannot_be_shown_is_made_visible() -> None:
    assert shown("a\tb\nc\x1b[31m\x00\x7f\x9b\udcfc\ud800") == "a\tb\nc\\x1b[31m\\x00\\x7f\\x9b\\xfc\\ud800"


def test_nothing_that_is_shown_turns_the_line_around() -> None:
    turning = [chr(code) for code in range(0x110000) if unicodedata.bidirectional(chr(code)) in DIRECTIONS]
    marks = ["\u061c", "\u200e", "\u200f"]

    assert len(turning) == 9
    for char in turning + marks:
        assert shown(f"pay ada{char}bob") == f"pay ada\\u{ord(char):04x}bob"
    assert shown("שלום, 沈 👩‍🔧 é") == "שלום, 沈 👩‍🔧 é"


@given(st.text())
def test_what_is_shown_can_be_printed_and_hides_its_secrets_for_good(text: str) -> None:
    once = shown(text)

    once.encode("utf-8")
    assert shown(once) == once


@pytest.mark.parametrize(
    ("text", "mask"),
    [
        ("password: [REDACTED]", True), ("[redacted:password]", True), ("password is ***", True), ("key <redacted>", True),
        (f"key {HIDDEN}", True), ("**bold** and ***both***", False), ("2 * 3 ** 4", False), ("it was redacted", False), ("", False),
    ],
)  # fmt: skip
def test_the_mark_of_a_hidden_secret_is_recognised(text: str, mask: bool) -> None:
    assert holds_mask(text) is mask


def test_in_the_example_exactly_the_planted_secrets_are_found() -> None:
    found = {
        (str(path.relative_to(EXAMPLE)), number)
        for path in EXAMPLE.rglob("*")
        if path.is_file()
        for number, line in enumerate(to_text(path.read_bytes()).split("\n"), 1)
        if holds_secret(line)
    }

    assert found == {
        ("memory/2026-10-20.md", 25), ("memory/2026-10-27.md", 7), ("memory/2026-10-29.md", 101), ("memory/2026-10-30.md", 10),
        ("memory/2026-11-02-0915.md", 35), ("memory/2026-11-05.md", 19),
    }  # fmt: skip
