"""What a person should look at: files that were not read, and places where the text itself is in doubt.

Nothing moves because of these. They exist so that a night never looks better than it was.
"""

from __future__ import annotations

from reverie.evidence.claims import Evidence
from reverie.workspace.news import unjudged
from reverie.workspace.values import Notice, Snapshot, Source

TAG = "doubt"


def find_unread(evidence: Evidence) -> tuple[Notice, ...]:
    """What a peer left behind that could not be read: a night does without it, and says so."""
    why = "the night went on without it"
    return tuple(Notice("unread", f"{doubt}.", why) for doubt in evidence.doubts)


def find_doubts(snapshot: Snapshot) -> tuple[Notice, ...]:
    """Refused files, and doubts about the marks of MEMORY.md and the notes."""
    found = [
        Notice(
            "unread",
            f"{refusal.path} {refusal.why}.",
            "it was not read",
            (Source(refusal.path, 1, 1),),
        )
        for refusal in snapshot.refused
    ]
    new = {file.path for file in unjudged(snapshot)}  # what was doubtful in an old note was told when it was new
    for path in sorted(new | {snapshot.memory_path} & set(snapshot.files)):
        file = snapshot.files[path]
        for doubt in sorted(file.document.doubts):
            source = Source(path, 1, max(1, len(file.document.lines)))
            found.append(Notice(TAG, f"{path} has {doubt}.", "what it covers is left alone", (source,)))
    return tuple(found)
