"""One conversation, kept as it stands now: for a host that says which transcript it is writing.

Engine level. The turns go into the session corpus, redacted and exactly once, as the nights themselves read them; a night that
reads the same folder later finds them there already.
"""

from __future__ import annotations

from pathlib import Path

from reverie.core.errors import BadInput
from reverie.core.ports import Clock
from reverie.evidence.ingest import Ingested, append_turns, read_cursors
from reverie.workspace.sessions import find_transcripts
from reverie.workspace.transcripts import Transcript, read_transcript
from reverie.workspace.values import Refusal, Workspace


def overhear(workspace: Workspace, clock: Clock, transcript: Path) -> Ingested:
    """Append what is new in this transcript to the corpus of its day."""
    named = [found for found in find_transcripts([transcript.parent]) if found[1] == transcript]
    if not named:
        raise BadInput(f"{transcript} is no transcript of a conversation.")
    path, real, agent = named[0]
    found: list[Transcript] = []
    cursor = read_cursors(workspace.root).get(path)
    while True:
        read = read_transcript(real, path, agent, cursor)
        if isinstance(read, Refusal):
            raise BadInput(f"{transcript} {read.why}.")
        found.append(read)
        cursor = read.cursor
        if not read.more:
            break
    now = clock.now()
    return append_turns(workspace.root, found, now.tzinfo, now=now, kinds=workspace.settings.privacy.kinds)


__all__ = ["Ingested", "overhear"]
