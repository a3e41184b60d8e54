"""The words that concept tags are drawn from and kept out of. Data, not logic.

The glossary names the things a household or a small team runs, in the languages we read. Written for this project: a
word is here because it is common in its language, never because one workspace used it.

What a snippet is about, in a few words, and by which names the peer keeps it: tags, hashes, keys, paths.

Tags follow OpenClaw's rules (its word list is our own). Python has no dictionary of Chinese and Japanese words, so a run
of Han characters is cut into pairs, which is what most of their words are.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from functools import lru_cache

_GLOSSARY = """
backup backups archive cache cluster container cron database dataset deploy deployment dns docker email embedding
embeddings encryption endpoint failover firewall gateway github glacier hostname kubernetes kv latency ldap linux
monitoring network openai oauth ollama postgres proxy rabbitmq redis replica restore retention rollback router s3 schema
server smtp snapshot sqlite ssh storage sync tls token vector vlan vpn webhook wifi
copia respaldo servidor enrutador contraseña cortafuegos
sauvegarde serveur routeur réseau chiffrement
sicherung netzwerk datenbank verschlüsselung
roteador criptografia
сервер маршрутизатор резервная шифрование
备份 服务器 路由器 网络 数据库 加密 网关 同步 缓存 部署
備份 伺服器
バックアップ ルーター サーバー ネットワーク データベース ゲートウェイ
백업 서버 라우터 네트워크 데이터베이스 게이트웨이
"""
GLOSSARY = tuple(sorted(_GLOSSARY.split()))
GLOSSARY_2026_4 = tuple(sorted((*GLOSSARY, "qmd")))

_STOP = """
about after again and are because before but can could did does every for from had has have how into its just move next
note notes our out over per should since than that their then there these this those too was were what when where which
while who will with work would your
al como con cual cuando de del desde donde el ella en entre era esa ese eso esta este esto fue hasta las los más muy para
pero por que sin sobre son sus una uno unas unos
avec aux cela ces cette dans des donc elle est été les leur mais nous par pas plus pour que qui sans ses son sont sur une
vous
aber als auch auf aus bei das dass dem den der des die ein eine einem einen einer für hat ihr ist mit nach nicht noch nur
oder sie sind und uns von war wenn wir wird zum zur
的 了 是 在 和 与 或 我们 你们 他们 这个 那个 一个 没有
の は が を に へ と も から まで する した して いる ある ます です こと もの これ それ
은 는 이 가 을 를 에 의 와 과 도 로
csv html ini jpg js json jsonl log md pdfs png py sh toml ts txt xml yaml yml
"""
STOP_2026_4 = frozenset(_STOP.split())
STOP = STOP_2026_4 | {"the", "you", "user", "assistant"}


MOST_TAGS = 8
LONGEST_TAG = 32
DAILY_QUERY = "__dreaming_daily__:"
SESSION_QUERY = "__dreaming_sessions__:"
GROUNDED_QUERY = "__dreaming_grounded_backfill__:"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3040-\u309f\u30a0-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\uac00-\ud7af"
_CJK = re.compile(f"[{_HAN}{_KANA}{_HANGUL}]")
_KANA_ONLY = re.compile(f"[{_KANA}]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_WORD = rf"[^\W_{_HAN}{_KANA}]"
_SEGMENT = re.compile(
    rf"[{_HAN}]+|[\u30a0-\u30ff\u31f0-\u31ff]+|[\u3040-\u309f]+"
    # A stop or an apostrophe joins letters to letters and digits to digits: standup.md, 1.2.3, Elsa's.
    rf"|{_WORD}+(?:(?:(?<=[^\W\d_])[.'’_:](?=[^\W\d_])|(?<=\d)[.,'’_;](?=\d)){_WORD}+)*"
)
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]+(?:[._/-]+[^\W_]+)+")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_NUMBER = re.compile(r"\d+")
_JOINED_NUMBER = re.compile(r"\d+(?:[./-]\d+)+")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?:\.[a-z0-9]+)?")
_CORPUS = re.compile(r"(?:.*/)?memory/\.dreams/session-corpus/(?:.*/)?\d{4}-\d{2}-\d{2}\.(?:txt|md)")
_DAY = r"(?:\d{4}-\d{2}-\d{2})"
_NOTE = re.compile(rf"(?:(?:.*/)?memory/(?:.*/)?)?{_DAY}\.md")
_SLUGGED_NOTE = re.compile(rf"(?:(?:.*/)?memory/(?:.*/)?)?{_DAY}(?:-[^/]+)?\.md")


def concept_tags(path: str, snippet: str, *, before_2026_8: bool = False) -> tuple[str, ...]:
    """At most eight tags, in the order found: words of the glossary, compounds, other words."""
    text = unicodedata.normalize("NFKC", f"{path.rsplit('/', 1)[-1]} {snippet}")
    if not before_2026_8:
        text = uncommented(text, " ")
    found: dict[str, None] = {}
    for word, known in _candidates(text, before_2026_8=before_2026_8):
        tag = _normal(word)
        if _says_something(tag, known=known and not before_2026_8, before_2026_8=before_2026_8):
            found.setdefault(tag)
        if len(found) == MOST_TAGS:
            break
    return tuple(found)


def _candidates(text: str, *, before_2026_8: bool) -> Iterator[tuple[str, bool]]:
    """Words that may become tags, and whether the glossary vouches for them."""
    lowered = text.lower()
    for word in GLOSSARY_2026_4 if before_2026_8 else GLOSSARY:
        if word in lowered and (len(word) > 2 or _CJK.search(word) or _stands_alone(word, lowered)):
            yield word, True
    yield from ((match[0], False) for match in _COMPOUND.finditer(text))
    for match in _SEGMENT.finditer(text):
        if re.match(f"[{_HAN}]", match[0]):
            yield from ((pair, False) for pair in _pairs(match[0]))
        else:
            yield match[0], False


def _stands_alone(word: str, text: str) -> bool:
    """Short words are words only on their own: s3, not the middle of another."""
    return bool(re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text))


def _pairs(run: str) -> list[str]:
    """A run of Han characters in twos; a last one alone joins the pair before it."""
    pairs = [run[i : i + 2] for i in range(0, len(run) - len(run) % 2, 2)]
    if len(run) % 2 and pairs:
        pairs[-1] += run[-1]
    return pairs


def _normal(word: str) -> str:
    trimmed = re.sub(r"^[\W_]+|[\W_]+$", "", word)
    return trimmed.replace("_", "-").lower()


def _says_something(tag: str, *, known: bool, before_2026_8: bool) -> bool:
    if not tag or len(tag) > LONGEST_TAG or tag in (STOP_2026_4 if before_2026_8 else STOP):
        return False
    if _NUMBER.fullmatch(tag) or _DATED.fullmatch(tag):
        return False
    if not before_2026_8 and _JOINED_NUMBER.fullmatch(tag):
        return False
    least = 3 if _KANA_ONLY.fullmatch(tag) else 2 if known or _CJK.search(tag) else 3
    return len(tag) >= least


def script_of(tag: str) -> str:
    """The family of scripts a tag is written in: latin, cjk, mixed or other."""
    latin, cjk = bool(_LATIN.search(tag)), bool(_CJK.search(tag))
    return "mixed" if latin and cjk else "cjk" if cjk else "latin" if latin else "other"


def scripts(tagged: Iterable[Iterable[str]]) -> Mapping[str, int]:
    """How many entries are tagged in which family of scripts."""
    counts = {"latin": 0, "cjk": 0, "mixed": 0, "other": 0}
    for tags in tagged:
        families = {script_of(tag) for tag in tags}
        if "mixed" in families or {"latin", "cjk"} <= families:
            counts["mixed"] += 1
        elif families:
            counts[next(one for one in ("cjk", "latin", "other") if one in families)] += 1
    return counts


def uncommented(text: str, instead: str = "") -> str:
    """A text without its HTML comments. An opening that nothing closes is text, and costs no time."""
    closed = text.rfind("-->") + 3
    return _COMMENT.sub(instead, text[:closed]) + text[closed:] if closed > 2 else text


def collapsed(text: str) -> str:
    return " ".join(text.split())


def claim_hash(snippet: str) -> str:
    """The same for the same words, however they are spaced."""
    return _sha1(collapsed(snippet))


def query_hash(query: str) -> str:
    return _sha1(query.strip().lower())


def message_hash(scope: str, basis: str, snippet: str) -> str:
    """By what a message of a conversation is known: `basis` is `ts:<ms>` or `line:<n>`."""
    return hashlib.sha1(f"{scope}\n{basis}\n{snippet}".encode(errors="surrogatepass")).hexdigest()


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(errors="surrogatepass")).hexdigest()[:12]


def normal_path(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def place_key(path: str, first: int, last: int, claim: str = "") -> str:
    """An entry by its place, and by its words when two stand at one place."""
    return f"memory:{normal_path(path)}:{first}:{last}" + (f":{claim}" if claim else "")


def claim_key(snippet: str) -> str:
    """An entry by its words alone: it stays the same when lines move."""
    return f"memory:claim:{claim_hash(snippet)}"


def is_short_term(path: str, *, before_2026_8: bool = False) -> bool:
    """Whether recalls of this path count: dated notes and the session corpus, never what a dream wrote."""
    normal = normal_path(path)
    if re.search(r"(?:^|/)memory/dreaming/", normal):
        return False
    note = _NOTE if before_2026_8 else _SLUGGED_NOTE
    return bool(note.fullmatch(normal) or _CORPUS.fullmatch(normal))


@lru_cache(maxsize=4096)
def _ingestion_hashes(day: date) -> tuple[str, str]:
    return query_hash(f"{DAILY_QUERY}{day}"), query_hash(f"{SESSION_QUERY}{day}")


def noted_days(queries: Iterable[str], first: date, last: date) -> frozenset[date]:
    """The days whose notes or conversations said it: the peer hides them as the hash of a made-up query.

    A day that is none of these queries was no reading of a note. Days from `first` to `last` are tried.
    """
    asked = frozenset(queries)
    span = range(min((last - first).days, 800) + 1)
    return frozenset(
        day for day in (first + timedelta(days=n) for n in span) if any(one in asked for one in _ingestion_hashes(day))
    )


def ingestion_hashes(first: date, last: date) -> frozenset[str]:
    """The query hashes under which notes and conversations of these days are recorded."""
    span = range(min((last - first).days, 800) + 1)
    made_up = {query_hash(GROUNDED_QUERY + kind) for kind in ("lasting-update", "candidate")}
    return frozenset(made_up.union(*(_ingestion_hashes(first + timedelta(days=n)) for n in span)))
