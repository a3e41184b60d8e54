"""What a night has to tell people, as words: an entry for the diary, and what each phase noticed."""

from __future__ import annotations

from dataclasses import dataclass

from reverie.privacy.redact import redacted

LONGEST = 400  # characters of a text that is retold; the text itself stands where it was written


@dataclass(frozen=True, slots=True)
class Pages:
    """The words of a night; empty where it has nothing to tell. Where they are written is the plan's business."""

    stamp: str = ""  # the entry's date line, as the peer writes it
    entry: str = ""
    light: tuple[str, ...] = ()
    rem: tuple[str, ...] = ()
    deep: tuple[str, ...] = ()

    @property
    def reports(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Phase and lines, in the order of a night, of those that have something to say."""
        found = (("light", self.light), ("rem", self.rem), ("deep", self.deep))
        return tuple((phase, lines) for phase, lines in found if lines)


def one_line(text: str, kinds: frozenset[str]) -> str:
    """A text on one line, redacted, without comments that could pass for our markers."""
    words = " ".join(redacted(text, kinds).replace("<!--", "").replace("-->", "").split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"


NO_PAGES = Pages()
