"""Values behind a word that announces a secret: `password: …`, `| key | … |`, `--token …`, `Authorization: Bearer …`.

In prose, tables, JSON, YAML, environment files, code and command lines. Only the value is reported, so that what remains still
says what stood there. The words are in the table `secrets` of the language files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from reverie.lang import words
from reverie.privacy.access_words import folded
from reverie.privacy.placeholders import (
    changes,
    is_blank,
    is_drawn,
    is_example,
    is_key,
    is_lot,
    is_reference,
    is_spoken,
    is_web_token,
)

_HUMP = r"(?:Pass|Pwd|Secret|Token|Auth|Credentials?|Creds|Key(?=Base))"
_STOP = r"\s`'\"<>,;|⟦⟧，。；、：）】」』\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af"
_VALUE = rf"(?:[^{_STOP}\\)\]}}&]|[)\]}}](?=[^{_STOP}\\)\]}}])|&(?!\w+=)|\\(?![\"'nrt\\]))"


def _any(group: str) -> str:
    return "|".join(words(f"secrets.{group}"))


def _key() -> str:
    """A word that can only announce a key, or one with other meanings, which must stand apart or begin a hump (`botToken`)."""
    return rf"(?i:{_any('keys')})|(?<![^\W\d_])(?i:{_any('weak_keys')})"


@cache
def _labelled() -> re.Pattern[str]:
    cjk = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
    blank = r"[^\S\n]"  # a value may stand on the next line, but nothing else of the phrase
    is_, glued_is = f"=|{_any('is')}", _any("glued_is")
    label = rf"(?P<key>{_key()}|(?<=[a-z\d]){_HUMP})|(?P<some>(?<=\w[_-])(?i:key))"
    tail = r"(?P<tail>s?(?:[_-][A-Za-z0-9]{1,20}|[A-Z][a-z0-9]{1,20}|\d{1,3}(?!\w)){0,4}+)(?![A-Za-z])[`*\"'”’»」』】\\)\]]{0,5}+"
    # What the secret is for: `password (admin): …`, `Passwort der Werkstatt: …`, `password for the party was …`.
    purpose = rf"{blank}?\([^)\n⟦⟧]{{1,40}}\)|(?P<gap>{blank}[^\n:=：|⟦⟧.,;!?\"]{{1,50}}?(?={blank}?[:=：]|{blank}(?i:{is_}){blank}))"
    code = rf"::=|[:?.+]=|=>|==?|->|→|[:：＝](?!//)|\|(?=[\s`*])|(?<=[\s*`{cjk}])\||(?P<comma>(?<=[\"']),{blank}?(?=[\"']))|(?<=[\"']){blank}?value{blank}?=|(?<=\w)>"
    said = rf"(?i:\b(?:{is_})\b)(?:{blank}?[:：])?"
    glued = rf"{blank}{{0,2}}(?:{glued_is}|：)[:：]?|(?<=[{cjk}]){blank}{{0,2}}(?=[!-~])"
    opening = rf"(?:{blank}|[`*\"'“„«「『【\\(]){{0,6}}(?:\n{blank}{{0,12}}[`*\"'-]{{0,2}}{blank}?)?"
    return re.compile(
        rf"(?P<label>{label}){tail}(?:{purpose})?(?:{blank}{{0,4}}(?:{code}|{said})|{glued}|(?P<bare>{blank}{{1,2}}(?=[!-~]))){opening}(?P<value>{_VALUE}{{4,120}})"
    )


@cache
def _about() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """`tokenLimit`, `secret_name`, `password_hash` speak about a secret; `public_token`, `nextPageToken` are none."""
    return re.compile(_any("about"), re.I), re.compile(rf"(?:{_any('public')})[_ -]?$", re.I)


@cache
def _flag() -> re.Pattern[str]:
    """`--password hunter22`: an option is divided from its value by a space, which prose must not be."""
    return re.compile(rf"(?<![\w-])--?(?P<name>[A-Za-z][\w-]{{0,40}})\s{{1,3}}[\"']?(?P<value>{_VALUE}{{6,400}})")


@cache
def _flag_name() -> re.Pattern[str]:
    return re.compile(rf"(?:{_key()}|{_HUMP})s?$")


@cache
def _header() -> re.Pattern[str]:
    return re.compile(
        r"(?i:(?:(?<=-h)|\b)authorization\b[\"'\\]{0,3}\s{0,3}[:=,：]\s{0,3}[\"'\\]{0,3}(?:(?:basic|bearer|token|digest|apikey|key|bot|jwt|negotiate|aws4-hmac-sha256)[\s:]{0,3})?|\bbearer\s{1,3})"
        r"[\"'`]?(?P<value>[\w.~+/=:|-]{8,8000})"
    )


@cache
def _then() -> re.Pattern[str]:
    """The second value of a line that announces a change or a pair: `from old to new`, `id / secret`."""
    return re.compile(
        rf"[`*\"'”]{{0,3}}[ \t]{{0,2}}(?:→|->|=>|/|{_any('then')})[ \t]{{0,2}}[`*\"'“]{{0,3}}(?P<value>{_VALUE}{{6,120}})"
    )


@cache
def _rest() -> re.Pattern[str]:
    return re.compile(rf"{_VALUE}*+")


def labelled_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where a value stands behind a word that announces a secret."""
    yield from _logins_in(text)
    for start, end in _worth_reading(text):
        part = text[start:end]
        yield from _values(text, start, end)
        if " -" in part or part.startswith("-") or "`-" in part:
            yield from _flags(text, start, end)
        if "earer" in part or "uthorization" in part or "AUTHORIZATION" in part:
            for found in _header().finditer(text, start, end):
                value = found["value"]
                # A header that is sent opens something, even with the subject of the manuals in its token.
                if is_web_token(value) or (is_drawn(value) and not is_example(value) and not is_reference(value)):
                    yield found.span("value")


@cache
def _logins() -> re.Pattern[str]:
    """A login in a command whose option says nothing by itself: `unzip -P …`, `lftp -u anna,…`, `xfreerdp /p:…`.

    What the line says in words, and the commands that everybody knows, are read as language (`access.py`).
    """
    value = r"(?P<{}>[^\s\"'⟦⟧$<{{][^\s\"'⟦⟧,]{{2,100}})"
    return re.compile(
        rf"\b(?:mongo\w{{0,8}}|sqlcmd|bcp|ipmitool|unzip|zip|unrar|rar|rdesktop|ldap\w{{1,8}}|influx|rabbitmqadmin)\b[^\n|;]{{0,80}}?\s-[pPw][ =]?[\"']?{value.format('option')}"
        rf"|\b(?:curl|wget|lftp|ncftp)\b[^\n|;]{{0,120}}?\s(?:-u|--(?:proxy-)?user)[ =]?[\"']?[^\s:,\"'⟦⟧]{{1,60}}[:,]{value.format('pair')}"
        rf"|\b(?:xfreerdp|wfreerdp|mstsc|cmdkey)\b[^\n|;]{{0,120}}?\s/(?:p|pass):[\"']?{value.format('slash')}"
        rf"|\bopenssl\b[^\n|;]{{0,120}}?\spass:{value.format('told')}|\brclone\sobscure\s[\"']?{value.format('hidden')}"
        rf"|\bnet\suse\s[^\n|;]{{0,60}}?\\\\\S{{1,80}}\s{value.format('share')}(?=\s/user:)"
    )


def _logins_in(text: str) -> Iterator[tuple[int, int]]:
    if " -" in text or "/p" in text or "rclone" in text or "net use" in text:
        for found in _logins().finditer(text):
            name = found.lastgroup or ""
            if not is_reference(found[name]) and not is_blank(found[name]):
                yield found.span(name)


def _worth_reading(text: str) -> list[tuple[int, int]]:
    """The parts of a text in which a word may announce a secret: its line and the next, joined where they touch."""
    places = _lines_with(folded(text), words("secrets.stems"))
    parts: list[tuple[int, int]] = []
    for start in sorted(places):
        first = text.find("\n", start)
        second = text.find("\n", first + 1) if first >= 0 else -1
        end = second if second >= 0 else len(text)
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
    return parts


def _lines_with(text: str, stems: tuple[str, ...]) -> set[int]:
    """Where the lines begin that hold one of these; a line without any costs no more than `in`."""
    places: set[int] = set()
    for stem in stems:
        at = text.find(stem)
        while at >= 0:
            places.add(text.rfind("\n", 0, at) + 1)
            after = text.find("\n", at)
            at = text.find(stem, after) if after >= 0 else -1
    return places


def _flags(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _flag().finditer(text, start, end):
        if _flag_name().search(found["name"]) and is_key(found["value"]):
            yield _whole(text, *found.span("value"))


def _values(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    pattern = _labelled()
    while found := pattern.search(text, start, end):
        start = found.end("label")
        if not _is_secret(text, found):
            continue
        first, start = _whole(text, *found.span("value"))
        yield first, start
        if then := _then().match(text, start, end):
            if is_spoken(then["value"]) or (is_key(then["value"]) and is_lot(then["value"])):
                yield _whole(text, *then.span("value"))
            start = then.start("value")


def _is_secret(text: str, found: re.Match[str]) -> bool:
    value = found["value"].rstrip(".:…")
    if not any(map(str.isdigit, value)):  # the cheapest question first
        return False
    about, public = _about()
    tail = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", found["tail"])
    if any(map(about.fullmatch, tail)) or public.search(text, max(0, found.start() - 16), found.start()):
        return False
    if found["bare"] and found["label"].lower() in words("secrets.verbs"):  # verbs and names as well
        return is_spoken(value) and changes(value) >= 3
    if found["gap"] or found["bare"] or found["comma"]:  # prose and code: only what nobody would say otherwise
        return is_spoken(value) or (is_lot(value) and is_key(value))
    if found["some"]:
        return is_lot(value) and is_key(value)
    return is_key(value)


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """A value to its real end, without the full stop of the sentence."""
    rest = _rest().match(text, end)
    end = rest.end() if rest else end
    while text[end - 1] in ".:…":
        end -= 1
    return start, end
