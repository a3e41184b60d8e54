"""Secrets in the shapes of sixty services and ten languages are hidden; examples, variables and prose are left alone."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from random import Random
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conftest import EXAMPLE
from reverie.privacy.password_shapes import is_password_shaped
from reverie.privacy.personal import KINDS
from reverie.privacy.redact import DEFAULT_KINDS, HIDDEN, Found, findings, holds_mask, holds_secret, redacted, shown
from reverie.privacy.token_formats import token_formats

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALNUM = LETTERS + LETTERS.lower() + "0123456789"
HEX = "0123456789abcdef"
LOT = Random(1887)


def drawn(size: int, alphabet: str = ALNUM) -> str:
    """Invented here, at run time: no scanner of this repository shall find a key in it."""
    return "".join(LOT.choice(alphabet) for _ in range(size - 1)) + LOT.choice(alphabet)


def low(size: int) -> str:
    return drawn(size, LETTERS.lower() + "0123456789")


def digits(size: int) -> str:
    return drawn(1, "123456789") + drawn(size - 1, "0123456789")


def uuid() -> str:
    return "-".join(drawn(size, HEX) for size in (8, 4, 4, 4, 12))


TOKENS = {
    "aws": "AK" + "IA" + drawn(16, LETTERS + "234567"), "aws session": "AS" + "IA" + drawn(16, LETTERS + "234567"), "bedrock": "AB" + "SK" + drawn(128) + "=", "google": "AI" + "za" + drawn(35),
    "google oauth": "ya" + "29." + drawn(60), "google client": "GOC" + "SPX-" + drawn(28), "azure": drawn(3) + "8Q" + "~" + drawn(34), "azure devops": drawn(76) + "AZ" + "DO" + drawn(4), "alibaba": "LT" + "AI5t" + drawn(18),
    "tencent": "AK" + "ID" + drawn(32), "digitalocean": "do" + "p_v1_" + drawn(64, HEX), "heroku": "HR" + "KU-AA" + drawn(58), "databricks": "da" + "pi" + drawn(32, HEX), "pulumi": "pu" + "l-" + drawn(40, HEX),
    "doppler": "dp" + ".pt." + drawn(43), "terraform": drawn(14) + ".atlas" + "v1." + drawn(64), "vault": "hv" + "s." + drawn(90), "openshift": "sha" + "256~" + drawn(43), "netlify": "nf" + "p_" + drawn(36),
    "supabase": "sb" + "p_" + drawn(40, HEX), "planetscale": "psc" + "ale_tkn_" + drawn(43), "tailscale": "ts" + "key-auth-" + drawn(12) + "-" + drawn(32), "fly": "fo" + "1_" + drawn(43), "infracost": "ic" + "o-" + drawn(32),
    "github": "gh" + "p_" + drawn(36), "github app": "gh" + "s_" + drawn(36), "github fine": "github" + "_pat_" + drawn(22) + "_" + drawn(59), "gitlab": "gl" + "pat-" + drawn(20), "gitlab deploy": "gl" + "dt-" + drawn(20),
    "gitlab runner": "GR" + "1348941" + drawn(20), "bitbucket": "AT" + "BB" + drawn(32), "atlassian": "AT" + "ATT3" + drawn(180), "sourcegraph": "sg" + "p_local_" + drawn(40, HEX), "npm": "np" + "m_" + drawn(36),
    "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + drawn(120), "rubygems": "ruby" + "gems_" + drawn(48, HEX), "clojars": "CLO" + "JARS_" + drawn(60), "docker": "dc" + "kr_pat_" + drawn(27), "artifactory": "AK" + "Cp" + drawn(69),
    "slack bot": "xo" + "xb-" + digits(12) + "-" + digits(12) + "-" + drawn(24), "slack user": "xo" + "xp-" + digits(11) + "-" + digits(11) + "-" + digits(12) + "-" + drawn(32, HEX), "slack app": "xa" + "pp-1-A" + drawn(10, LETTERS) + "-" + digits(13) + "-" + drawn(64, HEX),
    "slack webhook": "https://hooks." + "slack.com/services/T" + drawn(10, LETTERS) + "/B" + drawn(10, LETTERS) + "/" + drawn(24), "discord": "M" + drawn(25) + "." + drawn(6) + "." + drawn(38),
    "discord webhook": "https://discord" + ".com/api/webhooks/" + digits(18) + "/" + drawn(68), "telegram": digits(10) + ":A" + "A" + drawn(33), "feishu": "https://open." + "feishu.cn/open-apis/bot/v2/hook/" + uuid(),
    "any webhook": "https://chat.tiedemann.example/hooks/" + drawn(26, LETTERS.lower() + "0123456789"), "sendgrid": "S" + "G." + drawn(22) + "." + drawn(43), "sendinblue": "xkey" + "sib-" + drawn(64, HEX) + "-" + drawn(16), "mailgun": "ke" + "y-" + drawn(32, HEX),
    "mailchimp": drawn(32, HEX) + "-u" + "s18", "twilio": "S" + "K" + drawn(32, HEX), "stripe": "sk" + "_live_" + drawn(24), "stripe webhook": "wh" + "sec_" + drawn(32), "square": "sq" + "0csp-" + drawn(43), "shopify": "shp" + "at_" + drawn(32, HEX),
    "razorpay": "rz" + "p_live_" + drawn(14), "plaid": "access-" + "production-" + uuid(), "easypost": "EZ" + "AK" + drawn(54), "facebook": "EA" + "AM" + drawn(180), "facebook app": digits(15) + "|" + drawn(27),
    "anthropic": "sk" + "-ant-api03-" + drawn(93) + "AA", "openai": "sk" + "-proj-" + drawn(40) + "T3Blbk" + "FJ" + drawn(40), "openai old": "s" + "k-" + drawn(48), "openrouter": "sk" + "-or-v1-" + drawn(64, HEX), "groq": "gs" + "k_" + drawn(52), "xai": "xa" + "i-" + drawn(80),
    "perplexity": "pp" + "lx-" + drawn(48), "replicate": "r" + "8_" + drawn(37), "hugging face": "h" + "f_" + drawn(33) + "7", "nvidia": "nv" + "api-" + drawn(64), "langsmith": "ls" + "v2_pt_" + drawn(32, HEX) + "_" + drawn(10, HEX), "tavily": "tv" + "ly-" + drawn(32),
    "new relic": "NR" + "AK-" + drawn(27, LETTERS + "0123456789"), "grafana": "gl" + "sa_" + drawn(32) + "_" + drawn(8, HEX), "sentry": "snt" + "ryu_" + drawn(64, HEX), "dynatrace": "dt0" + "c01." + drawn(24, LETTERS) + "." + drawn(64, LETTERS), "prefect": "pn" + "u_" + drawn(36),
    "notion": "nt" + "n_" + digits(11) + drawn(35), "linear": "li" + "n_api_" + drawn(40), "airtable": "pa" + "t" + drawn(14) + "." + drawn(64, HEX), "figma": "fi" + "gd_" + drawn(42), "postman": "PM" + "AK-" + drawn(24, HEX) + "-" + drawn(34, HEX),
    "1password": "op" + "s_eyJ" + drawn(300), "1password key": "A" + "3-" + "-".join(drawn(n, LETTERS) for n in (6, 6, 5, 5, 5, 5)), "age": "AGE-SECRET-" + "KEY-1" + drawn(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"), "hubspot": "pa" + "t-na1-" + uuid(), "sonar": "sq" + "p_" + drawn(40, HEX),
    "web token": "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "J" + drawn(40) + "." + drawn(43), "unsigned web token": "ey" + "JhbGciOiJub25lIn0.ey" + "J" + drawn(40) + ".",
}  # fmt: skip
PLACES = [
    "deploy works with {} again",
    '{{"value": "{}"}}',
    "| ci | {} |",
    "`{}`",
    "用 {} 部署",
    "export X={}",
    "({})",
    "a\\n{}\\nb",
]


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_is_hidden_wherever_it_stands(name: str) -> None:
    for place in PLACES:
        assert redacted(place.format(TOKENS[name])) == place.format(HIDDEN), place


def test_the_table_knows_many_services() -> None:
    assert len(TOKENS) >= 80
    assert len(token_formats()) >= 100
    assert len({rule.id for rule in token_formats()}) == len(token_formats())


def test_every_token_holds_a_keyword_of_its_form() -> None:
    for rule in token_formats():
        met = [token for token in TOKENS.values() if re.search(rule.regex, token, re.ASCII)]
        assert all(any(word in token for word in rule.keywords) for token in met), rule.id


MARKED = [name for name in TOKENS if "webhook" not in name and "web token" not in name and name != "feishu"]


@pytest.mark.parametrize("name", MARKED)
def test_the_form_without_a_drawn_value_is_an_example(name: str) -> None:
    """`ghp_xxxxxxxxxxxx`: the first characters are the service's, the rest is one letter."""
    token = TOKENS[name]
    filler = token[:4] + re.sub("[A-Za-z0-9]", "x", token[4:])

    assert redacted(f"put {filler} here") == f"put {filler} here"


VALUE = "Kiefer" + "-47x!Harz"
KEY = drawn(32, HEX)
LABELLED = [
    "password: {}", "Passwd = {}", "DB_PASSWORD={}", 'password="{}"', "'password': '{}',", '"db_password" : "{}"', "<password>{}</password>", '<add key="Password" value="{}" />',
    "password => '{}'", "password := `{}`", 'login("password", "{}")', "| Password | {} |", "|密码|{}|", "- **Password**: `{}`", "--password {}", "--password={}", "-DbPassword '{}'",
    "password changed to {}", "the password was set to {}", "password (admin): {}", "password for the guests is {}", "password {}", "Server=a;Password={};Database=b", "https://a.example/?password={}&x=1",
    "das Passwort der Werkstatt für Malte: {}", "Kennwort lautet {}", "Passwort: {}", "la contraseña es {}", "Contraseña de la red: {}", "le mot de passe est {}", "mot de passe : {}", "a senha é {}", "senha: {}",
    "пароль: {}", "пароль от роутера: {}", "密码：{}", "密码是{}", "密码改为 {}", "管理员密码 {}", "口令：{}", "パスワードは{}", "パスワード：{}", "비밀번호는 {}", "비밀번호: {}", "암호: {}",
    "camera login: admin / {}", "Zugang Ablage: jette / {}", "账号 ana / {}", 'curl -u "ada:{}" https://a.example', "curl --user ada:'{}' x", "curl -u ada:{} x",
]  # fmt: skip
KEYED = [
    "token: {}", "TOKEN={}", '"access_token":"{}"', "botToken = '{}'", "api key: {}", "API-Key：{}", "X-Api-Key: {}", "apiKey:'{}'", "client_secret={}", "secret_key_base: {}", "server token {}", "application key {} is new", "AUTH_TOKEN ?= {}",
    "令牌：{}", "新的密钥 {}，旧的作废", "токен: {}", "トークン：{}", "토큰: {}", "jeton : {}", "Authorization: Bearer {}", 'curl -H "Authorization: Token {}"', 'curl -H "Fastly-Key: {}"', "--api-key {}", "-vaultToken {}",
]  # fmt: skip


@pytest.mark.parametrize("line", LABELLED)
def test_a_password_is_hidden_behind_its_word_and_the_word_stays(line: str) -> None:
    assert redacted(line.format(VALUE)) == line.format(HIDDEN)


@pytest.mark.parametrize("line", KEYED)
def test_a_key_is_hidden_behind_its_word(line: str) -> None:
    assert redacted(line.format(KEY)) == line.format(HIDDEN)


@pytest.mark.parametrize(
    "value",
    ["xxxxxxxxxxxx", "****************", "${DB_PASSWORD}", "$PASSWORD", "{{ vault.password }}", "<your-password>", "%PASSWORD%", "your_token_here", "changeme", "see", "null", "ACCESS_TOKEN", "process.env.TOKEN2", "os.environ['X1']", "settings.token_v2", "2026-10-01", "12:30", "128k", "v2.13.0", "/etc/app/token1.txt", "~/.ssh/id_ed25519",
     "secrets/prod1.json", "op://vault/item1/field", "https://example.com/1", "ada1@example.com", "getToken(1)", "⟦secret⟧", "[REDACTED]", "sk-ant…w7x9"],
)  # fmt: skip
@pytest.mark.parametrize("line", ["password: {}", "token = {}", "api_key={}"])
def test_a_blank_or_a_reference_is_no_secret(line: str, value: str) -> None:
    assert redacted(line.format(value), frozenset()) == line.format(value)


@pytest.mark.parametrize("value", ["EXAMPLE-KEY-123", "1234567890", "abc123", "abcdef123456", "20000", "1.7.8", "00000000000000000000", "aaaaaaaaaaaa1", "qwerty123"])  # fmt: skip
@pytest.mark.parametrize("line", ["token = {}", "api_key={}"])
def test_an_example_behind_a_word_with_other_meanings_is_no_secret(line: str, value: str) -> None:
    assert redacted(line.format(value), frozenset()) == line.format(value)


@pytest.mark.parametrize(
    "line",
    ["token_limit: 9f8e7d6c5b4a3928", "secretName: prod-9f8e7d6c5b4a", "password_hash: 9f8e7d6c5b4a39281706", "publicToken = 9Cnzj4p4WGeKLs1Pt8QuKUpR", "csrf_token: 9f8e7d6c5b4a39281706", "nextPageToken: 9f8e7d6c5b4a39281706",
     "credentialsId: '29f63271-dc2f-4734-8221-5b31b5169bac'", "cache_key: node-modules-v3-linux", "jsonwebtoken:jjwt-jackson-0.11.2", "tokenizer: cl100k_base2", "secret: phase-2", "token: step3", "api key: Backblaze-B2",
     "commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", "curl -u $USER:$PASS https://a.example", 'curl -u "user:password" x', "curl -u : x", "http://user:password@host/", "postgres://app:${PW}@db/app", "Authorization: Bearer $(print-token)",
     "Authorization: Basic authentication is used", "s.AcceptanceTimeoutSeconds", "risk-assessment-2026-10-01-final-version", "standard 350861"],
)  # fmt: skip
def test_what_only_speaks_about_secrets_stays(line: str) -> None:
    assert redacted(line, frozenset()) == line


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Handy: TAN 350861", "Handy: TAN ⟦secret⟧"), ("PIN: 4711", "PIN: ⟦secret⟧"), ("验证码：350861", "验证码：⟦secret⟧"), ("verification code is 350861", "verification code is ⟦secret⟧"),
        ("postgres://app:Kirsche7@db:5432/app", "⟦secret⟧/app"), ("redis://:" + "s3cr3t@10.0.0.1/0", "⟦secret⟧/0"), ("amqp://guest:guest@mq", "⟦secret⟧"),
        (f"password changed from {VALUE} to {VALUE}y", "password changed from ⟦secret⟧ to ⟦secret⟧"), (f"密钥：{TOKENS['aws']} / {drawn(40)}", "密钥：⟦secret⟧ / ⟦secret⟧"), (f"{TOKENS['aws']}, {drawn(40)}", "⟦secret⟧, ⟦secret⟧"),
        ("kind: Secret\ndata:\n  user: " + base64.b64encode(b"ada-lovelace").decode() + "\ntype: Opaque", "kind: Secret\ndata:\n  user: ⟦secret⟧\ntype: Opaque"),
    ],
)  # fmt: skip
def test_short_codes_addresses_and_pairs_are_hidden(text: str, hidden: str) -> None:
    assert redacted(text, frozenset()) == hidden


BEGIN, END = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"a\n{BEGIN}\n{drawn(64)}\n{drawn(20)}\n{END}\nb", "a\n⟦secret⟧\nb"), (f'"key": "{BEGIN}\\n{drawn(64)}\\n{END}\\n"', '"key": "⟦secret⟧\\n"'), (f"a\n{BEGIN}\n{drawn(64)}\n{drawn(64)}\nplain words follow", "a\n⟦secret⟧\nplain words follow"),
        (f"{BEGIN} is how it begins", "⟦secret⟧ is how it begins"), (f"> {BEGIN}\n> {drawn(64)}\n> {END}", "> ⟦secret⟧"),
    ],
)  # fmt: skip
def test_a_private_key_is_hidden_to_its_end(text: str, hidden: str) -> None:
    assert redacted(text) == hidden


@pytest.mark.parametrize(
    ("text", "mask"),
    [("token gh" + "p_R7…Ko5T ok", True), ("key: sk-abc…stuv", True), ("Bearer abcdef…wxyz", True), ("it was raining…then it stopped", False), ("Sunday…then Monday", False), ("⟦email⟧", True), ("⟦national-id⟧", True), ("⟦Foo⟧ bar", True), ("[1…9]", False)],
)  # fmt: skip
def test_masks_of_ours_and_of_the_peer_are_known(text: str, mask: bool) -> None:
    assert holds_mask(text) is mask


def test_findings_name_the_place_of_the_value_only() -> None:
    assert findings(f"password: {VALUE} ok") == (Found("secret", 10, 10 + len(VALUE)),)
    assert findings("") == ()


def test_no_line_of_the_example_without_a_secret_changes_when_secrets_are_hidden() -> None:
    texts = [path.read_text("utf-8", "replace") for path in EXAMPLE.rglob("*.md")]
    changed = [line for text in texts for line in text.split("\n") if redacted(line, frozenset()) != line]

    assert len(changed) == 6
    assert all(holds_secret(line) for line in changed)


def web_token(said: object) -> str:
    head, body = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "HS256"}, said)
    )
    return f"{head}.{body}.{drawn(43)}"


@pytest.mark.parametrize(
    ("said", "secret"),
    [
        ({"sub": "1234567890", "iat": 1516239022}, False), ({"sub": "987654321"}, False), ({"humidity": 0.55, "note": None}, False),
        ({"sub": "4417829301"}, True), ({"sub": "ada"}, True), ({"admin": True}, True), ({"user": 7}, True), ({"exp": 1793606400}, True),
    ],
)  # fmt: skip
def test_a_web_token_that_names_nobody_opens_nothing(said: object, secret: bool) -> None:
    for line in ("{}", "token: {}"):
        assert holds_secret(line.format(web_token(said))) is secret


def test_a_web_token_that_is_sent_opens_something_whatever_it_says_and_however_it_is_glued() -> None:
    token = web_token({"sub": "1234567890", "name": "Mira"})
    glued = (
        "Authorization:{}",
        "Authorization:Bearer{}",
        "-HAuthorization:{}",
        "authorization={}",
        "Authorization：{}",
    )
    for line in (*glued, "curl -H 'Authorization: Bearer {}' https://example.org", "Authorization:JWT {}"):
        assert redacted(line.format(token)) == line.format(HIDDEN), line


@pytest.mark.parametrize(
    "line",
    [
        "curl -u anna:{} https://nas.example", "curl --user=anna:{} nas", "curl --proxy-user anna:{} nas", "mysql -uroot -p{} shop",
        "sshpass -p {} ssh nas", "sshpass -p'{}' ssh nas", "git clone https://anna:{}@git.example/x.git", "mongosh -u anna -p {}",
        "unzip -P {} a.zip", "lftp -u anna,{} ftp.example", "xfreerdp /u:anna /p:{} /v:nas", "openssl enc -pass pass:{}",
        "rclone obscure {}", r"net use z: \\nas\share {} /user:anna", "ipmitool -U admin -P {} power", "docker login -u anna -p {} x",
    ],
)  # fmt: skip
def test_a_login_in_a_command_line_is_hidden(line: str) -> None:
    assert "Frost-19" not in redacted(line.format("Frost-19"))
    assert not holds_secret(line.format("$X"))


def test_options_that_look_like_a_login_are_none() -> None:
    for line in (
        "ssh -p 2222 anna@nas", "docker run -u 1000:1000 -p 8080:80 img", "mkdir -p src/main2", "curl -u anna: nas",
        "psql -p 5432", "tar -pxzf a1.tgz", "rsync -avP x:y z", "zip -r a.zip b1", "openssl version -a", "git log -p -u origin:main",
    ):  # fmt: skip
        assert not holds_secret(line), line


def test_hexadecimal_in_both_cases_was_typed_and_not_drawn() -> None:
    assert holds_secret(f"humidity-api-key: {KEY}")
    assert holds_secret(f"humidity-api-key: {KEY.upper()}")
    assert not holds_secret(f"humidity-api-key: {KEY[:16]}{KEY[16:].upper()}")


PIECES = [
    *list(TOKENS.values())[::6], VALUE, KEY, "password", "token", "密码", "PIN", "login", "curl -u", "Authorization: Bearer", "--password", ": ", " = ", " ", "\n", "/", " / ", "|", '"', "'", ",", "-", "@", "://", "a", "x1", "is", "to", "⟦", "⟧", "⟦secret⟧", "***", "…", "\\n",
    BEGIN, END, "+49 40 66969 041", "040 66969041", "467 3395", "4111111111111111", "DE89370400440532013000", "123-45-6780", "12345678Z", "chat_id", "6120938847", "ada@b.example", "10.0.0.7", "phone", "card", "https://u:pw12@h", "\x1b", "\x85", "kind: Secret\ndata:\n  k: abcdefgh",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(), st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=14).map("".join)
)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("password for ⟦secret⟧: " + VALUE)
def test_redacting_twice_changes_nothing(text: str) -> None:
    for kinds in (frozenset[str](), DEFAULT_KINDS, KINDS):
        once = redacted(text, kinds)
        assert redacted(once, kinds) == once


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_nothing_outside_the_found_places_changes(text: str) -> None:
    rebuilt, last = "", 0
    for kind, start, end in findings(text, KINDS):
        assert last <= start < end <= len(text)
        rebuilt += text[last:start] + f"⟦{kind}⟧"
        last = end

    assert redacted(text, KINDS) == rebuilt + text[last:]


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_showing_twice_changes_nothing(text: str) -> None:
    assert shown(shown(text)) == shown(text)


ENDLESS: dict[str, Callable[[int], str]] = {
    "letters": lambda n: "a" * n, "digits": lambda n: "1" * n, "signs": lambda n: "=" * n, "keywords": lambda n: "token=" * (n // 6), "words of a login": lambda n: "login a / " * (n // 10), "beginnings": lambda n: "-eyJaaaaaaaaaaaa" * (n // 16),
    "addresses": lambda n: "ab://a:" * (n // 7), "hyphens": lambda n: "a-" * (n // 2), "mail": lambda n: "a.@" * (n // 3), "accounts": lambda n: "DE89 " * (n // 5), "numbers": lambda n: "1-" * (n // 2), "keys": lambda n: f"{BEGIN}\n" * (n // 28), "masks": lambda n: "⟦secret⟧" * (n // 8),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDLESS)
def test_four_times_the_text_takes_about_four_times_as_long(name: str) -> None:
    def cost(size: int) -> float:
        text = ENDLESS[name](size)
        best = float("inf")
        for _ in range(2):
            start = process_time()
            redacted(text, KINDS)
            best = min(best, process_time() - start)
        return best

    redacted(ENDLESS[name](1000), KINDS)
    assert cost(60_000) <= 9 * max(cost(15_000), 0.002)


# ---- a password is known by its shape; tickets, addresses, files, versions and names are not taken for one

SHAPED = [
    ("The banking PIN is now Harbour#7290-Kite, keep it nowhere.", "Harbour#7290-Kite"),
    ("VPN login for the spare laptop: qW7-linnet-Oak+40x (delete later)", "qW7-linnet-Oak+40x"),
    ("사내망 비번 임시로 Hangul!309zip 씀", "Hangul!309zip"),
    ("集群账号先记这：Sesame@6m4-Delta，回头删", "Sesame@6m4-Delta"),
    ("wifi: Rye_52&Oats", "Rye_52&Oats"),
    ("neu: Moos$21Farn", "Moos$21Farn"),
]
UNSHAPED = [
    "Issue#1234 is closed, PR#88 waits", "write to Orla.Finn22@mail.example", "Node20+React18 and Python3+Django42",
    "R&D2024 costs 50% more", "see Report#2_Final22.pdf", "https://shop.example/Item%20Kite22#Part4", "C++17 and C#12",
    "Admin@Server01 is the host", "path/To#File22/Kite", "HB-2024-113-K", "24/7 since 2019, A1+B2 levels", "Kurs B2! Das ist gut",
    "v1.2.3-Beta+build45", "Tue22Nov", "the score was 3:2!Great",
]  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), SHAPED)
def test_a_password_is_masked_whatever_stands_before_it(text: str, secret: str) -> None:
    assert holds_secret(text) and secret not in shown(text) and secret[-4:] not in shown(text)


@pytest.mark.parametrize("text", UNSHAPED)
def test_what_only_looks_odd_is_left_alone(text: str) -> None:
    assert shown(text) == text


@given(st.from_regex(r"\A[a-z ,.0-9!#$%&+@-]{0,60}\Z"))
def test_without_capitals_nothing_is_a_password_by_its_shape(text: str) -> None:
    assert not any(is_password_shaped(word) for word in text.split())
