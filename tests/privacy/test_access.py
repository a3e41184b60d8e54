"""A line that speaks of access and holds what could be the value stays in its note: a hundred invented ones, nine languages."""

from __future__ import annotations

from time import process_time

import pytest

from reverie.privacy.access import speaks_of_access
from reverie.privacy.redact import holds_mask, holds_secret, redacted, shown

IN_WORDS = [
    ("VPN preshared key for the warehouse is grey.heron.monday", "grey.heron.monday"),
    ("the alarm code is seven-three-zero-five", "seven-three-zero-five"),
    ("wifi at the cabin: password is velvet otter canyon dust", "velvet otter canyon dust"),
    ("Seed phrase: lantern orbit walnut crisp meadow tunnel velvet spoon anchor ribbon gravel plum", "walnut crisp meadow"),
    ("my passphrase is marmalade on the moon", "marmalade"),
    ('safe combination: "left nine, right four, left two"', "right four"),
    ("The login for the printer is admin and the password is tangerine", "tangerine"),
    ("recovery words are hazel, copper, violin, tide, ember, quarry", "copper, violin"),
    ("gate keypad: four four one eight, then hash", "four four one eight"),
    ("Das WLAN-Passwort lautet Sonnenblume im Regen", "Sonnenblume"),
    ("Türcode ist drei sieben null zwei", "drei sieben null zwei"),
    ("Kennwort vom Tresor: Apfel-Birne-Quitte", "Apfel-Birne-Quitte"),
    ("Die Wiederherstellungsphrase: Wolke Tisch Garten Löffel Hafen Birke", "Garten Löffel"),
    ("la contraseña del router es girasol amarillo", "girasol"),
    ("El código de la alarma es cuatro uno siete nueve", "cuatro uno siete nueve"),
    ("clave del wifi: perro.verde.lunes", "perro.verde.lunes"),
    ("le mot de passe du NAS est tournesol-brume-canif", "tournesol-brume-canif"),
    ("code de la porte : deux huit six un", "deux huit six un"),
    ("a senha do portão é três nove zero quatro", "três nove zero quatro"),
    ("frase de recuperação: lanterna nuvem garfo telhado pomar vidro", "garfo telhado"),
    ("пароль от роутера — синий кит вторник", "синий кит"),
    ("код от сейфа: пять ноль два восемь", "пять ноль два восемь"),
    ("сид-фраза: фонарь облако вилка крыша сад стекло", "вилка крыша"),
    ("大门密码是六零七三", "六零七三"),
    ("家里wifi密码：芝麻开门吧", "芝麻开门"),
    ("助记词：灯笼 云朵 叉子 屋顶 果园 玻璃", "叉子 屋顶"),
    ("保险箱的暗号是蓝色鲸鱼星期二", "蓝色鲸鱼"),
    ("ルーターのパスワードは「ひまわりのあめ」です", "ひまわりのあめ"),
    ("玄関の暗証番号は四二一九", "四二一九"),
    ("復元フレーズ：ランタン くも フォーク やね かじゅ ガラス", "フォーク やね"),
    ("현관 비밀번호는 사이일구", "사이일구"),
    ("와이파이 비번: 해바라기 소나기", "해바라기"),
    ("passphrase for the backup drive = copper/violin/tide", "copper/violin/tide"),
    ("I set 'blue kettle' as the unlock phrase on dad's phone", "blue kettle"),
    ("Zugang Lieferantenportal: Benutzer huber, Kennwort Lavendel", "Lavendel"),
    ("пин-код от карты четыре нуля", "четыре нуля"),
    ("in this order: crane, fable, tooth, lamp, river, onion, coat, glass, jury, pony, bench, wheat", "tooth, lamp"),
    ("WiFi 名 lorber 密码 kitchentable", "kitchentable"),
    ("quiet-maple-lantern is the guest wifi password this month", "quiet-maple-lantern"),
    ("the man from the alarm set it to eight-eight-two-one", "eight-eight-two-one"),
    ("Anja sagt sieben-eins-eins-null und dann Pfeil", "sieben-eins-eins-null"),
    ("侧门 六六二一 再按井号", "六六二一"),
    ("disk encryption phrase: the moose wears galoshes", "moose wears"),
    ("archive password: as last year but with a 4 in front", "a 4 in"),
    ("el wifi de la abuela es gatos negros en fila", "gatos negros"),
    ("the guest network now takes plum-harbour-sky", "plum-harbour-sky"),
    ("old drives open with nine herons under glass", "nine herons"),
    ("Passwort fürs Tablet ist der Name vom Kater", "Name vom Kater"),
    ("вайфай — ромашки за старым сараем", "ромашки за"),
]  # fmt: skip
IN_SIGNS = [
    ("大门密码是 6073", "6073"),
    ("the alarm code at mum's is 4419", "4419"),
    ("shed lock 7-31-12", "7-31-12"),
    ("SIM PIN of the spare phone: 0417", "0417"),
    ("luggage lock is set to 508", "508"),
    ("PUK for the old SIM 48820173", "48820173"),
    ("building entry: press 12 then code 9034#", "9034#"),
    ("mysql -u root -pKorb2Lampe shop", "Korb2Lampe"),
    ("ssh works with sshpass -p tulip77 ssh pi@shed.local", "tulip77"),
    ("curl -u ines:reh42 https://files.example/list", "reh42"),
    ("Authorization:Bearer mF9kQ27xTb1LzR84cW", "mF9kQ27xTb1LzR84cW"),
    ("rsync from ftp.example with pavel:krokus5@ftp.example", "krokus5"),
    ("Netflix login: ines@mail.example / reh-im-schnee", "reh-im-schnee"),
    ("laptop unlock is 2846", "2846"),
    ("PIN der Bankkarte 5530", "5530"),
    ("Fahrradschloss: 4-1-9-2", "4-1-9-2"),
    ("el pin del móvil es 9051", "9051"),
    ("código del candado 7 3 1", "7 3 1"),
    ("le digicode c'est 47B19", "47B19"),
    ("cadenas du vélo : 3108", "3108"),
    ("o pin do cartão é 7742", "7742"),
    ("код домофона 38в1290", "38в1290"),
    ("пин от карты 6620", "6620"),
    ("门锁改成 905517 了", "905517"),
    ("支付密码 330718，别告诉别人", "330718"),
    ("金庫の番号は 28-14-6", "28-14-6"),
    ("도어락 번호 7724*", "7724*"),
    ("유심 핀번호 0193", "0193"),
    ("wifi key for guests: sommer-2031", "sommer-2031"),
    ("Garage opens with 7719, tell nobody the code", "7719"),
    ("root pw on the pi is changeme99", "changeme99"),
    ("if the alarm goes off enter 7-7-0-1 and wait", "7-7-0-1"),
    ("Tresor: links 12, rechts 40, links 7", "40"),
    ("Grandma's iPad unlocks with 1944", "1944"),
    ("금고는 오른쪽 12 왼쪽 30", "12"),
    ("the code to mum's key box is now 3307", "3307"),
    ("told the plumber about the side gate, 1470", "1470"),
    ("boiler wakes up with 6604#", "6604#"),
    ("Kellertür: 2468, danach Pfeil", "2468"),
    ("alarme da loja 5521 e enter", "5521"),
    ("와이파이 haebaragi77", "haebaragi77"),
    ("保险箱先右转到15再左转到40", "15"),
    ("backup drive unlocks w/ wombat-tuxedo-9", "wombat-tuxedo-9"),
    ("got in with paul and TeaKettle_4 after three tries", "TeaKettle_4"),
    ("signed up for the library: karl / Specht!grau6", "Specht!grau6"),
    ("the sticker says QX7R-99PL-M2ZA", "QX7R-99PL-M2ZA"),
    ("tides from https://tides.example/v2?appid=4b90e1c7d2&port=oslo", "4b90e1c7d2"),
    ("posts to https://hooks.example/in/T1/zq8LmPd42kkV", "zq8LmPd42kkV"),
    ("export MAIL_PASS=pebbleCrow", "pebbleCrow"),
    ("the other bot is 5528190437:Bq7ZrVwLu0x2MtAAk", "Bq7ZrVwLu0x2MtAAk"),
]  # fmt: skip
UNNAMED = [
    ("grafana on the spare box => Pv3!lantern", "Pv3!lantern"),
    ("disney is my usual with 41 at the end: Walnut41", "Walnut41"),
    ("I set the NAS to Kestrel_88 this morning", "Kestrel_88"),
    ("| Backup | root | moorhen77! |", "moorhen77!"),
    ("ticket shop, mara.k@mail.example, Flamingo-Sock-12", "Flamingo-Sock-12"),
    ("ルーター裏のシール：k7q2mzp94x", "k7q2mzp94x"),
    ("J'ai changé aussi l'accès à la banque : Hirondelle_5k2", "Hirondelle_5k2"),
    ("the login in one piece, ZGVwbG95OnN1bW1lci1yYWlu7Q==", "ZGVwbG95OnN1bW1lci1yYWlu7Q=="),
    ("second factor again with KQ3F7ZLM2VXT5BNA", "KQ3F7ZLM2VXT5BNA"),
    ("it is vendorx_Zt7Qm2Lk9RwPx3Bv and nothing else", "Zt7Qm2Lk9RwPx3Bv"),
    ("send X-Shop-Sig as qz4.8d1f0c77be2a94416f3301cc", "8d1f0c77be2a94416f3301cc"),
    ("Die Bank fragt nach dem ersten Haustier, ich antworte immer Baron Schnurr", "Baron Schnurr"),
    ("支付宝问母亲姓名，我填的是上官翠花", "上官翠花"),
    ("秘密の質問「最初のペット」には「ぽんぽこ丸」と登録", "ぽんぽこ丸"),
    ("téléphone de maman : haut, droite, bas, gauche", "haut, droite, bas, gauche"),
    ("할머니 휴대폰은 위, 오른쪽, 아래, 왼쪽", "위, 오른쪽, 아래, 왼쪽"),
    ("Сейф: вправо 20, влево 35, вправо 7", "влево 35"),
    ("Mom's iPad: draw an N from the corner", " N "),
    ("Cuando llame la central de alarmas hay que decir «pan con tomate»", "pan con tomate"),
    ("警備会社から電話が来たら「みどりの傘」と答える", "みどりの傘"),
    ("wifi dos convidados: é só digitar jabuticabadoce", "jabuticabadoce"),
    ("客人连wifi输入xihongshichaodan", "xihongshichaodan"),
    ("el portal se abre con 47B12 y campana", "47B12"),
]
SECRETS = IN_WORDS + IN_SIGNS + UNNAMED
ORDINARY = [
    "the login page is slow", "code review on Friday", "key decision: we stay on Postgres 15", "PIN the version to 4.2.1 before the release",
    "The password policy changes in 2027", "the password for the wifi is on the fridge", "Forgot the password again, reset took 20 minutes",
    "error code 5012 again", "postal code 10115", "the key takeaways: ship less, test more", "Login with GitHub works since 14:30",
    "keys are with the neighbour until 2026-11-20", "password manager is Bitwarden for the whole family", "the door is red and the alarm is loud",
    "Wifi in the cabin is slow after 18:00", "rotate the API keys every 90 days", "access to the archive is granted by Ines", "Passwort-Manager: Bitwarden statt Notizzettel",
    "Der Schlüssel liegt bei der Nachbarin", "Code-Review am Freitag um 10 Uhr", "la clave es escuchar a los clientes", "le code est en revue, 3 commentaires restent",
    "ключевая встреча в 15:00", "код ревью перенесли на 12 мая", "登录页面很慢，要优化", "关键是先把 3 个接口测完", "コードレビューは金曜日", "키 크는 아이 3명", "验证码经常收不到，投诉 12 次",
    "- tokens per day: 12000 <!-- dream:82f13e77 -->", "- [9a9c6914] 账号体系迁移到新平台，旧登录停用", "- token budget moved to the platform team <!-- dream:82f13e77 -->",
    "the password was archived in run 0007-2026-11-15", "PIN layout of the chip: 4 rows", "lock file is regenerated by CI", "the safe option is to wait 2 weeks", "secret santa draw is on 12 December",
    "alarm at 6:45 on weekdays", "the bike costs 1,200 EUR", "Door opens at 19:00, show at 20:00", "combination of 3 drugs, 20 mg each", "SIM swap fraud up 30 %", "Gate B12 closes at 10:35",
    "moved the door to gate01, port 8447", "garage inspection is valid until 12 September 2028", "PR#412 and kelp-01 are merged into release-v2.4.1", "a laptop with 3 fans from 2019", "see https://video.example/watch?v=dQw4w9WgXcQ",
    "vendor portal 上的 net 45 写错了，合同是 net 30", "不想绑 token 计费", "the barrier opens with the blue card", "locker 118 is mine until June", "PLZ vom neuen Lager: Büro ist 20457",
    'the bank password lives in 1Password under "Family"', "銀行のパスワードは1Passwordに保存", "은행 비밀번호는 비트워든에 있음", "DB_ROOT_PASSWORD=${DB_ROOT_PASSWORD} is read from the host", "the page now shows an error when the password is shorter than 12 characters",
    "Her maiden name is Kowalski", "server: hz-node-22", "Model: GX-31", "file: Report_2024", "LLM: Qwen2.5-Coder-32B", "class: HttpServer2FactoryV3Builder", "uuid: 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "changed the login flow: OAuth2", "it takes Python311 and Postgres16", "we set Max_Tokens_4096 in the config", "turn left, then right at the gate, then left again",
    "| Kim | kim@mail.example | Python3.12 | WH-1000XM5 |", "Guests come with their own router", "integrity sha512-q83vEjRWeJA7b0x3mYkXk1o2n3p4q5r6s7t8u9v0w1x2y3z4==",
    "三三两两地来了，七七八八", "二〇二六年的计划", "one or two of them, three at most", "Qwen2-VL-7B-Instruct runs on the GPU box", "SORT_KEY=created_at in the settings", "the wifi is slow again upstairs",
]  # fmt: skip


@pytest.mark.parametrize(("line", "value"), SECRETS, ids=[value for _, value in SECRETS])
def test_what_opens_something_is_held_back_and_its_value_is_in_nothing_we_keep(line: str, value: str) -> None:
    assert holds_secret(line) and holds_mask(redacted(line))
    assert value not in redacted(line) and value not in shown(f"- {line}\n")


@pytest.mark.parametrize("line", ORDINARY)
def test_an_ordinary_line_is_kept_whole(line: str) -> None:
    assert not speaks_of_access(line) and redacted(line, frozenset()) == line


def test_words_beside_the_value_can_still_be_found() -> None:
    assert redacted("VPN preshared key for the office is grey.heron.monday") == (
        "VPN preshared key for the office is ⟦secret⟧"
    )


@pytest.mark.parametrize(("line", "value"), SECRETS[::5], ids=[value for _, value in SECRETS[::5]])
def test_hiding_twice_changes_nothing(line: str, value: str) -> None:
    assert redacted(redacted(line)) == redacted(line)


@pytest.mark.parametrize(
    "line", ["a" * 40_000, "password " * 5_000, "code is " * 5_000, "pin 1 " * 7_000, "密码" * 20_000, "'" * 40_000 + "pin", "key:" + "a-" * 20_000, "pin " + "one " * 10_000, "door code" + " " * 40_000, "A_" * 20_000, "http://a/?b=1" * 3_000, "one-" * 10_000, "x9-" * 15_000, "gate 4 " * 6_000, "safe left, " * 4_000, ":" * 40_000, "say 'abc' door " * 3_000, "first pet answer " * 3_000, "Ab3_" * 10_000, "| a1B " * 8_000, "set " * 10_000]
)  # fmt: skip
def test_a_long_line_costs_little(line: str) -> None:
    start = process_time()

    holds_secret(line)
    redacted(line)

    assert process_time() - start < 1.5


# ---- a code that opens a door is a secret; a code that means something else is not

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
