"""Words, patterns and tokens of `words.toml` and `formats.toml`, which say what they mean; compiled when first needed."""

import re
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

_LETTER = r"[a-z\xdf-\u024f\u0400-\u04ff]"  # not the Chinese ones: they stand beside Latin words without a space


@cache
def data(name: str) -> dict[str, Any]:
    import tomllib  # a fifth of what a command costs that shows no line of a note

    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


@cache
def form(name: str) -> re.Pattern[str]:
    """A pattern of `formats.toml`."""
    alternatives = "|".join(data("formats.toml")["forms"][name])
    return re.compile(re.sub(r"<([a-z]{4,6})>", lambda found: choice(found[1]), alternatives))


@cache
def words(table: str) -> re.Pattern[str]:
    """Any word of a table of `words.toml`, in a text of small letters."""
    return re.compile(choice(table))


def mentioned(small: str) -> set[str]:
    """The tables of words about access of which a text of small letters holds one; most lines cost no pattern."""
    near = {table for word in small.split() for table in begins(word)}
    return {table for table in near if words(table).search(small)} if near else near


@lru_cache(maxsize=50_000)
def begins(word: str) -> tuple[str, ...]:
    tables = ("names", "keys", "things", "opens")
    return tuple(table for table in tables if any(map(word.__contains__, _beginnings(table))))


@lru_cache(maxsize=50_000)
def tells(word: str) -> bool:
    """Whether a word of small letters is about access, or may begin a term of several words that is."""
    for table in set(begins(word)) - {"opens"}:
        firsts = tuple(term.strip("*").partition(" ")[0] for term in _list(table) if " " in term)
        if word.endswith(firsts) or words(table).search(word):
            return True
    return False


def choice(table: str) -> str:
    groups: dict[tuple[str, str], list[str]] = {}
    for word in sorted(_list(table), key=len, reverse=True):
        is_asian = ord(word[0]) > 0x2E80  # Chinese, Japanese and Korean do not divide words
        before = "" if is_asian or word[0] == "*" else f"(?<!{_LETTER})"
        after = "" if is_asian or word[-1] == "*" else f"(?!{_LETTER})"
        groups.setdefault((before, after), []).append(re.escape(word.strip("*")).replace(r"\ ", "[ _-]?"))
    parts = (f"{before}(?:{'|'.join(bodies)}){after}" for (before, after), bodies in groups.items())
    return f"(?:{'|'.join(parts)})"


@cache
def _beginnings(table: str) -> tuple[str, ...]:
    shortest: list[str] = []
    for word in sorted({word.strip("*").split(" ")[0] for word in _list(table)}, key=len):
        if not any(known in word for known in shortest):
            shortest.append(word)
    return tuple(shortest)


def _list(table: str) -> set[str]:
    return {word for language in data("words.toml")[table].values() for word in language}


def holds_token(text: str) -> bool:
    """Whether a line holds a token of a known service, a piece of a private key or an address with a password."""
    if form("key_begins").search(text) or ("://" in text and form("address").search(text)):
        return True
    runs = [run for run in form("run").findall(text) if run.isupper() or not run.isalpha()]
    for run in runs:
        rules = (rule for rule in data("formats.toml")["rule"] if any(map(run.__contains__, rule["keywords"])))
        if any(_is_real(found[0], rule) for rule in rules for found in _rule(rule["regex"]).finditer(run)):
            return True
    return bool(runs) and form("key_line").fullmatch(text) is not None


@cache
def _rule(regex: str) -> re.Pattern[str]:
    """A token ends where letters end; it may follow an escaped line break, as `\\nghp_…` inside a JSON string."""
    return re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:{regex})(?![A-Za-z0-9_])", re.ASCII)


def _is_real(value: str, rule: dict[str, Any]) -> bool:
    """Neither an example nor `ghp_xxxxxxxx` nor the web token of the manuals, whose subject is 1234567890."""
    if ".eyJzdWIiOiIxMjM0NTY3ODkw" in value or ("loose" in rule and form("example").search(value)):
        return False
    return max(Counter(value).values()) * 5 < len(value) * 2
