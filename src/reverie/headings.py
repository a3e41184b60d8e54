"""A heading as it is compared: without signs, numbers and case. Alone, because `dream status` needs it and no mark."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)  # asked for every entry below the heading
def plain_heading(text: str) -> str:
    first, end = 0, len(text)
    while first < end and (not text[first].isalnum() or text[first].isdecimal()):
        first += 1
    while end > first and not text[end - 1].isalnum():
        end -= 1
    return text[first:end].casefold()
