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
    alternatives = re.sub(r"\n\s*", "", "|".join(data("formats.toml")["forms"][name]))
    return re.compile(re.sub(r"<([a-z]{4,6})>", lambda found: choice(found[1]), alternatives))


def choice(table: str) -> str:
    """Any word of a table of `words.toml`, in a text of small letters."""
    groups: dict[tuple[str, str], list[str]] = {}
    for word in sorted(set().union(*data("words.toml")[table].values()), key=lambda word: (-len(word), word)):
        is_asian = ord(word[0]) > 0x2E80  # Chinese, Japanese and Korean do not divide words
        before = "" if is_asian or word[0] == "*" else f"(?<!{_LETTER})"
        after = "" if is_asian or word[-1] == "*" else f"(?!{_LETTER})"
        groups.setdefault((before, after), []).append(re.escape(word.strip("*")).replace(r"\ ", "[ _-]?"))
    parts = (f"{before}(?:{'|'.join(bodies)}){after}" for (before, after), bodies in groups.items())
    return f"(?:{'|'.join(parts)})"


def holds_token(text: str) -> bool:
    """Whether a line holds a token of a service, a piece of a private key or an address with a password."""
    is_named = form("key_begins").search(text) or form("named_run").search(text)
    if is_named or ("://" in text and form("address").search(text)):
        return True
    runs = [run for run in form("run").findall(text) if run.isupper() or not run.isalpha()]
    return any(map(_is_token, runs)) or (bool(runs) and form("key_line").fullmatch(text) is not None)


@lru_cache(maxsize=10_000)
def _is_token(run: str) -> bool:
    """Whether signs without a blank are one: drawn by chance, or in a form that is known."""
    run = re.sub(r"\\[nrt]", " ", run)  # an escaped line break, as in `\\nghp_…` inside a JSON string
    found = (form(name).search(run) for name in ("known", "hexadecimal"))
    if any(hit and not _is_example(hit[0]) for hit in found):
        return True
    rest = re.split("[?#&=]", run, maxsplit=1)[-1] if "://" in run else run  # the path of an address names a page
    rest = "" if "://" in rest else rest
    pieces = (re.sub("[_~-]", "", piece) for piece in re.findall(r"[\w~-]{20,}", rest, re.A))
    return any(map(is_drawn, (*form("mixed_run").findall(rest), *pieces)))


def is_drawn(part: str) -> bool:
    """Whether letters and figures take turns as only chance lets them: neither words nor counters nor hashes do."""
    figures, size = sum(map(str.isdigit, part)), len(part)
    if size < 16 or form("plain_run").fullmatch(part) or _is_example(part):
        return False
    share = len(form("change").findall(part)) / size
    # `getUserById2`, CamelCase and slugs change less; a short one needs figures, a long one may lack them by chance.
    return share >= (
        0.27 if figures > 2 and size - figures > 3 else 0.4 if figures and size > 19 else 0.45 if size > 27 else 1
    )


def _is_example(value: str) -> bool:
    """`ghp_xxxxxxxx`, `your-key-goes-here`, and the web token of the manuals, whose subject is 1234567890."""
    is_known = ".eyJzdWIiOiIxMjM0NTY3ODkw" in value or form("example").search(value) is not None
    return is_known or max(Counter(value).values()) * 5 >= len(value) * 2
