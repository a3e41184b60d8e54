"""What speaks against a line that has earned its place: it is known, retired, forgotten or overtaken.

Words decide: the same frame with another number or a "not" is another fact (`sense`). In doubt a line
is taken for known, retired or overtaken; a missing memory is asked for again, a wrong one is believed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from reverie.headings import plain_heading
from reverie.judge.relation import Kind, relation
from reverie.layout import LEDGER, TOMBSTONES
from reverie.layout import Kind as FileKind
from reverie.lines import bare, split_lines
from reverie.model import Snapshot, Source
from reverie.sense import same_sense, shared
from reverie.terms import plain
from reverie.tombstones import Tombstone, forgotten, from_records

_FRAME = 0.5  # shared words from which two lines may be two versions of one fact
_LATEST, _FRAMES = 60, 3  # notes that are looked at for headings, and how many of them make one a frame
_NOTES = frozenset({FileKind.DAILY, FileKind.SESSION, FileKind.CORPUS, FileKind.TOPIC, FileKind.CLASSIFIED})


class Standing:
    """What a memory, its archive and its newer notes say about a line. Reads each of them once, when first asked."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def known(self, *wordings: str) -> str:
        """Where memory says this, in these words or nearly; empty when it does not."""
        for said, where in self._memory:
            if any(_says(said, wording) for wording in wordings):
                return where
        return ""

    def retired(self, *wordings: str) -> bool:
        """Whether the archive holds these words: what a dream took out does not come back by being old."""
        return any(plain(wording) in self._retired for wording in wordings)

    def forgotten(self, text: str, day: str = "") -> str:
        """Why the owner's word keeps this away; empty when nobody wanted it gone. `day` is when it was last said."""
        return forgotten(text, self._stones, day=day)

    def overtaken(self, text: str, day: str, own: Iterable[Source] = ()) -> Source | None:
        """A line of memory, or one of a later day, that says the same with another value; None when there is none."""
        places = set(own)
        found = [(said, where) for said, where in self._otherwise(text, day) if where not in places]
        changing = (Kind.UPDATE, Kind.TURNED)
        return next((where for said, where in found if relation(text, said).kind in changing), None)

    @cached_property
    def _memory(self) -> list[tuple[str, str]]:
        file = self._snapshot.files.get(self._snapshot.memory_path)
        return [(entry.text, str(entry.source)) for entry in file.entries] if file else []

    @cached_property
    def common(self) -> frozenset[str]:
        """Headings that stand in several notes: the frame of a day, no subject."""
        notes = sorted(path for path, file in self._snapshot.files.items() if file.place.kind is FileKind.DAILY)[
            -_LATEST:
        ]
        seen: Counter[str] = Counter()
        for path in notes:
            lines = self._snapshot.text_of(path).split("\n")
            seen.update({plain_heading(line.lstrip("# ")) for line in lines if line.startswith("#")})
        return frozenset(heading for heading, count in seen.items() if count >= _FRAMES)

    @cached_property
    def _stones(self) -> tuple[Tombstone, ...]:
        try:
            records = json.loads(self._snapshot.text_of(TOMBSTONES) or "[]")
        except (ValueError, RecursionError):
            return ()  # `dream forget` refuses to go on with a damaged file; a night reads it as empty
        return from_records([one for one in records if isinstance(one, dict)] if isinstance(records, list) else [])

    @cached_property
    def _retired(self) -> frozenset[str]:
        lines = (bare(line).removeprefix("Content: ") for line in split_lines(self._snapshot.text_of(LEDGER)))
        return frozenset(words for line in lines if (words := plain(line)))

    def _otherwise(self, text: str, day: str) -> Iterable[tuple[str, Source]]:
        """Lines that share a word with the text: all of memory, and of the notes those of later days."""
        wanted = [word for word in plain(text).split() if len(word) > 3 or not word.isascii()]
        for path, file in self._snapshot.files.items():
            noted = file.place.kind in _NOTES and file.place.day is not None and file.place.day.isoformat() > day > ""
            if not noted and path != self._snapshot.memory_path:
                continue
            low = file.text.casefold()
            if not any(word in low for word in wanted):
                continue
            for entry in file.entries:
                if shared(text, entry.text) >= _FRAME:
                    yield entry.text, entry.source


def _says(said: str, wanted: str) -> bool:
    """The same words, with more around them or not, or hardly any word apart."""
    have, want = plain(said), plain(wanted)
    return bool(want) and (f" {want} " in f" {have} " or same_sense(wanted, said))
