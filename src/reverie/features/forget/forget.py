"""`dream forget`: finds what a description means in memory, notes and archive, and takes it out; can be undone.

A description may also be the id that an earlier answer showed, or a place such as `MEMORY.md:12`. What is only near is named and
left, also what only means the same in other words (as `dream search` finds it): by its id it can be forgotten next. With `purge` the words are erased from every file of ours, which cannot be undone; what holds a
secret leaves no copy in the record of its run either.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from reverie.apply.erase import erase_answers, erase_state, histories, still_holding, with_names
from reverie.apply.files import Disk
from reverie.core.errors import BadInput, RefusedFile
from reverie.core.layout import LEDGER, PEER_JOURNAL, PEER_RECALLS, RECALLS, Kind, place_of
from reverie.core.ports import Clock
from reverie.evidence.claims import claims_of
from reverie.evidence.index import remove_index
from reverie.evidence.recall_store import let_go_unsaid
from reverie.features.forget.classified import besides
from reverie.features.forget.plan import Cut, forget_plan, purge_plan
from reverie.features.search import ask, reindex
from reverie.judge.descriptions import NEAREST, Candidate, Description, find_described
from reverie.judge.forgotten import Recognised, recognised, statement, tombstone
from reverie.lang.messages import say
from reverie.night.live_lines import recall_state
from reverie.night.transaction import transaction
from reverie.plan.ledger import Archived, read_ledger
from reverie.plan.promises import FORGETTABLE, PURGEABLE, check_promises
from reverie.plan.splices import texts_after
from reverie.privacy.redact import holds_secret
from reverie.text.lines import sentences, split_lines
from reverie.text.lookalikes import unmasked
from reverie.text.markdown import Block, Shape
from reverie.text.marks import is_generic
from reverie.text.sections import OURS, area_of
from reverie.text.terms import asked, plain, terms
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import File, Plan, Run, Snapshot, Statement, Workspace, short_id

PERHAPS = 0.03  # chance, as a search gives it, from which a line in other words is named
MOST_ALIKE = 20  # lines elsewhere that say the same
NEWEST = 100  # files with some of the words that are looked at
MOST = 200  # statements that one description may mean; more is a word, not a description
_TELLING = (PURGEABLE | {Kind.PROFILE}) - FORGETTABLE - {Kind.INDEX}  # lists of ours hold what can come back
_ID = re.compile(r"\[?([0-9a-f]{8})\]?")
_PLACE = re.compile(r"(?P<path>\S.*?):(?P<first>\d{1,7})(?:-(?P<last>\d{1,7}))?")
_LINEWISE = frozenset({Shape.CODE, Shape.QUOTE, Shape.MANAGED, Shape.RECALLED})  # line by line: the rest is not meant


@dataclass(frozen=True, slots=True)
class ForgottenLine:
    """A statement and where it stood (line from one)."""

    path: str
    line: int
    text: str
    why: str = ""

    @property
    def id(self) -> str:
        return short_id(statement(self.text))


@dataclass(frozen=True, slots=True)
class Targets:
    """What is meant and may leave, what is meant and must stay, what is only near; and how a text is asked."""

    cuts: tuple[Cut, ...]
    stays: tuple[ForgottenLine, ...]
    near: tuple[ForgottenLine, ...]
    blocks: tuple[Archived, ...]
    says: Callable[[str], bool]
    quotes: tuple[Cut, ...] = ()  # lines of classified files that tell it again: front matter, a reason
    files: tuple[str, ...] = ()  # classified files that say nothing else
    left: tuple[str, ...] = ()  # where it is still told, and what takes it out there


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What came of it: what left, what had to stay, what was near, and which entries of the archive say it too."""

    removed: tuple[ForgottenLine, ...] = ()
    stays: tuple[ForgottenLine, ...] = ()
    near: tuple[ForgottenLine, ...] = ()
    archive: tuple[str, ...] = ()
    run: str = ""
    erased: tuple[str, ...] = ()  # files of our own state that a purge cleaned
    left: tuple[str, ...] = ()  # where the words still are, and why
    files: tuple[str, ...] = ()  # classified files that said nothing else, and left whole
    final: bool = (
        False  # nothing brings it back: it was purged, or it held a secret, of which no record may keep a copy
    )


def forget(
    workspace: Workspace,
    clock: Clock,
    description: str,
    *,
    dry_run: bool = False,
    forever: bool = False,
    purge: bool = False,
    disk: Disk | None = None,
) -> Forgotten:
    """Take what a description means out of MEMORY.md and the notes."""
    gone = _forgotten(workspace, clock, description, dry_run=dry_run, forever=forever, purge=purge, disk=disk)
    named = _PLACE.fullmatch(description.strip()) or _ID.fullmatch(description.strip())
    if gone.removed or gone.stays or gone.near or gone.archive or named:
        return gone
    return replace(gone, near=tuple(_in_other_words(workspace, clock, Description(description).said)))


def _in_other_words(workspace: Workspace, clock: Clock, said: str) -> Iterator[ForgottenLine]:
    """What a search finds: the lines that somebody may mean who uses other words than they have."""
    for hit in ask(workspace, workspace.embedder, clock, said, limit=NEAREST, record=False).hits:
        if place_of(hit.claim.path).kind in FORGETTABLE and hit.chance >= PERHAPS:
            yield ForgottenLine(hit.claim.path, hit.claim.first, statement(hit.claim.text))


def _forgotten(
    workspace: Workspace,
    clock: Clock,
    description: str,
    *,
    dry_run: bool,
    forever: bool,
    purge: bool,
    disk: Disk | None,
) -> Forgotten:
    if not description.strip():
        raise BadInput(say("forget.empty"))
    if dry_run:
        snapshot = read_workspace(workspace)
        found, plan = _decided(snapshot, description, clock, forever=forever, purge=purge)
        check_promises(snapshot, plan)
        return replace(_result(found, left=found.left), final=purge or bool(_secrets(found)))
    with transaction(workspace, clock, "forget", disk) as work:

        def decide(snapshot: Snapshot) -> tuple[Targets, Plan]:
            return _decided(snapshot, description, clock, forever=forever, purge=purge)

        found, run = work.write(decide, read=read_workspace)
        still = tuple(
            say("forget.may_hold", path=one.path, why=one.why.rstrip(".")) for one in work.refresh() if one.why
        )
        if forever and not purge:
            still += _brought_up_to_date(workspace, found, disk)
        if not purge:
            secrets = _secrets(found) if run else ()
            holds = _holding(replace(found, cuts=secrets, blocks=(), says=_never))
            erased = erase_state(workspace, holds, run.id, disk) if run and secrets else ()
            done = _result(found, run.id if run else "", erased, (*found.left, *still))
            return replace(done, final=bool(secrets))
        erased, left = _erase(workspace, found, run, disk)
        if let_go_unsaid(workspace.root, recall_state(workspace).recalls, clock.now()):
            erased = tuple(sorted({*erased, RECALLS}))
        done = _result(found, run.id if run else "", erased, (*found.left, *left, *still))
        return replace(done, final=True)


def _secrets(found: Targets) -> tuple[Cut, ...]:
    """What leaves and holds a secret: it may stand in no record of ours, so nothing can bring it back."""
    return tuple(cut for cut in found.cuts if holds_secret(cut.text))


def _brought_up_to_date(workspace: Workspace, found: Targets, disk: Disk | None) -> tuple[str, ...]:
    """The index without what was forgotten, now and not at the next search, and no answer of a model that tells it."""
    holds = _holding(found)
    erase_answers(workspace, holds, disk)
    try:
        reindex(workspace, workspace.embedder)
    except (sqlite3.Error, OSError, RefusedFile):
        remove_index(workspace.root)
    peers = [path for path in still_holding(workspace, holds) if path in (PEER_RECALLS, PEER_JOURNAL)]
    return tuple(say("forget.peer_holds", path=path) for path in peers)


def _decided(snapshot: Snapshot, description: str, clock: Clock, *, forever: bool, purge: bool) -> tuple[Targets, Plan]:
    found = _with_besides(snapshot, targets_of(snapshot, description))
    found = with_alike(snapshot, found) if forever or purge else found
    plan = _plan(snapshot, found, clock, forever=forever, purge=purge)
    return (found if purge else replace(found, left=(*found.left, *_still_told(snapshot, found, plan)))), plan


def _with_besides(snapshot: Snapshot, found: Targets) -> Targets:
    """The targets with what else tells them in classified files."""
    more = besides(snapshot, found.cuts, found.says)
    along = [Candidate((file, one.block, one), one.text) for file, one in more.statements]
    cuts = [cut for one in along if not _is_protected(one) for cut in _whole(one)]
    return replace(
        found,
        cuts=_each_once([*found.cuts, *cuts]),
        stays=(
            *found.stays,
            *(stays for one in along if _is_protected(one) and (stays := _stays(one)) not in found.stays),
        ),
        quotes=tuple(more.quotes),
        files=tuple(more.files),
        left=tuple(say("forget.named", path=path) for path in more.named),
    )


def _still_told(snapshot: Snapshot, found: Targets, plan: Plan) -> Iterator[str]:
    """What dreams told of it, and the owner's own pages: a `forget` leaves both as they are."""
    holds, after = _holding(found), texts_after(snapshot, plan)
    if not found.cuts:
        return
    told = [
        file
        for path, file in sorted(snapshot.files.items())
        if file.place.kind in _TELLING and any(map(holds, split_lines(after.get(path, file.text))))
    ]
    if ours := [file.path for file in told if file.place.kind in PURGEABLE]:
        yield say("forget.still_told", paths=", ".join(ours))
    yield from (say("forget.still_holds", path=file.path) for file in told if file.place.kind not in PURGEABLE)


def _plan(snapshot: Snapshot, found: Targets, clock: Clock, *, forever: bool, purge: bool) -> Plan:
    also = [line for block in found.blocks for line in block.content if statement(line)]
    if purge:
        texts = list(dict.fromkeys([*(cut.text for cut in found.cuts), *also]))
        cuts = (*found.cuts, *found.quotes)
        holds = with_names(snapshot.workspace, _holding(found), found.files)
        return purge_plan(snapshot, cuts, holds, found.says, texts, clock.now(), files=found.files)
    return forget_plan(
        snapshot,
        found.cuts,
        found.says,
        clock.now(),
        forever=forever,
        also=also,
        quotes=found.quotes,
        files=found.files,
    )


def _holding(found: Targets) -> Callable[[str], bool]:
    """Whether a text holds what is to be erased: all words of the description, or a statement that leaves."""
    gone = {plain(statement(cut.text)) for cut in found.cuts} | {
        plain(statement(line)) for block in found.blocks for line in block.content
    }
    whole = {words: max(words.split(), key=len) for words in gone if len(words) > 2}

    def holds(text: str) -> bool:
        if found.says(text):
            return True
        low = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
        likely = [words for words, longest in whole.items() if longest in low]
        said = f" {plain(text)} " if likely else ""
        return any((f" {words} " if words.isascii() else words) in said for words in likely)

    return holds


def _erase(
    workspace: Workspace, found: Targets, run: Run | None, disk: Disk | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The second half of a purge: our own state. Then every file is searched; what still holds the words is named."""
    holds = with_names(workspace, _holding(found), found.files)
    remove_index(workspace.root)  # the index and its vectors are derived: the next search builds them anew
    erased = erase_state(workspace, holds, run.id if run else "", disk)
    left = [say("forget.still_holds", path=path) for path in still_holding(workspace, holds)]
    left += [say("forget.old_versions", name=name) for name in histories(workspace)]
    if workspace.settings.transcripts:
        left.append(say("forget.conversations"))
    return erased, tuple(left)


def _result(found: Targets, run: str = "", erased: tuple[str, ...] = (), left: tuple[str, ...] = ()) -> Forgotten:
    gone = tuple(ForgottenLine(cut.path, cut.first + 1, statement(cut.text)) for cut in found.cuts)
    archive = tuple(block.id for block in found.blocks)
    return Forgotten(gone, found.stays, found.near, archive, run, erased, left, found.files)


def targets_of(snapshot: Snapshot, words: str) -> Targets:
    """Everything that the words mean here. Raises BadInput for words that mean nothing, or nearly everything."""
    if (found := _PLACE.fullmatch(words.strip())) and found["path"] in snapshot.files:
        lines = range(int(found["first"]) - 1, int(found["last"] or found["first"]))
        return _named(snapshot, [found["path"]], lambda entry: entry.block.first in lines)
    if found := _ID.fullmatch(words.strip()):
        its = found[1]
        return _named(snapshot, sorted(snapshot.files), lambda entry: its in _ids(entry))
    description = Description(words)
    if not description.words:
        raise BadInput(say("forget.names_nothing", words=words))
    embedder = snapshot.workspace.embedder
    candidates = [one for file in _read(snapshot, description) for one in _candidates(description, file)]
    chosen = find_described(description, candidates, embedder.embed if embedder else None)
    if len(chosen.clear) > MOST:
        raise BadInput(say("forget.too_many", words=words, n=len(chosen.clear)))
    cuts = [cut for one in chosen.clear for cut in _cuts(description, one)]
    by_words = any(description.has_all(f"{one.context} {one.text}") for one in chosen.clear) or not chosen.clear
    says = description.has_all if by_words else _never
    near = tuple(ForgottenLine(one.place[0].path, one.place[1].first + 1, statement(one.text)) for one in chosen.near)
    stays = tuple(_stays(one) for one in chosen.clear if _is_protected(one))
    return Targets(_each_once(cuts), stays, near, _blocks(snapshot, says, cuts), says)


def with_alike(snapshot: Snapshot, found: Targets) -> Targets:
    """The targets with all that says the same elsewhere, or perhaps: shown with an id by which it can be forgotten too."""
    stones = tuple(tombstone(cut.text, whole=True) for cut in found.cuts)
    wanted = [frozenset(terms(unmasked(cut.text))) for cut in found.cuts]
    taken = {(cut.path, line) for cut in found.cuts for line in range(cut.first, cut.end)}
    known = {(one.path, one.line) for one in (*found.near, *found.stays)}
    alike = [
        ForgottenLine(file.path, entry.block.first + 1, statement(entry.text))
        for _, file in sorted(snapshot.files.items())
        if file.place.kind in FORGETTABLE and stones
        for entry in file.entries
        if (file.path, entry.block.first) not in taken and (file.path, entry.block.first + 1) not in known
        if _shares(wanted, entry.text) and recognised(entry.text, stones)[0] is not Recognised.OTHER
    ]
    return replace(found, near=(*found.near, *alike[:MOST_ALIKE]))


def _shares(wanted: Sequence[frozenset[str]], text: str) -> bool:
    """A quick look: whether a line has a good part of the words of one of these. Nearly every line ends here."""
    have = set(terms(unmasked(text)))
    return any(len(words & have) * 4 >= len(words) for words in wanted)


def _named(snapshot: Snapshot, paths: Iterable[str], fits: Callable[[Statement], bool]) -> Targets:
    """The statements that an id or a place names, whole."""
    chosen = [
        Candidate((snapshot.files[path], entry.block, entry), entry.text)
        for path in paths
        if snapshot.files[path].place.kind in FORGETTABLE
        for entry in snapshot.files[path].entries
        if fits(entry)
    ]
    cuts = [cut for one in chosen if not _is_protected(one) for cut in _whole(one)]
    stays = tuple(_stays(one) for one in chosen if _is_protected(one))
    return Targets(_each_once(cuts), stays, (), _blocks(snapshot, _never, cuts), _never)


def _never(_: str) -> bool:
    return False


def _ids(entry: Statement) -> set[str]:
    return {short_id(statement(entry.text)), *re.findall(r"dream:([0-9a-f]{8})", entry.text)}


def _read(snapshot: Snapshot, description: Description) -> list[File]:
    """Files that have all the words, and of those with some, memory and the newest: only near lines can be in them.

    Nearly all notes hold no word of it; those are not parsed.
    """
    files = [file for _, file in sorted(snapshot.files.items()) if file.place.kind in FORGETTABLE]
    whole = [file for file in files if description.may_be_in(file.text)]
    some = [file for file in files if description.may_be_in(file.text, any)]
    newest = sorted(some, key=lambda file: (file.path == snapshot.memory_path, file.place.day or date.min))[-NEWEST:]
    known = {file.path for file in (*whole, *newest)}
    return [file for file in files if file.path in known]


def _candidates(description: Description, file: File) -> Iterator[Candidate]:
    if file.place.kind is Kind.CORPUS:
        for claim in claims_of(file):
            yield Candidate(
                (file, Block(Shape.PARAGRAPH, claim.first - 1, claim.last, tail=claim.last), None), claim.text
            )
        return
    for entry in file.entries:
        if entry.block.shape in _LINEWISE:
            for number in range(entry.block.first, entry.block.end):
                line = file.document.lines[number]
                block = Block(Shape.PARAGRAPH, number, number + 1, line, tail=number + 1)
                yield Candidate((file, block, entry), line.strip())
        else:
            context = " ".join((*entry.parents, *_own_headings(description, file, entry)))
            yield Candidate((file, entry.block, entry), entry.text, context)


def _own_headings(description: Description, file: File, entry: Statement) -> list[str]:
    """Headings that are just what was described: what stands under `## Acme` is about Acme. A title or an area is not."""
    found = []
    at = entry.block.heading
    while at is not None:
        block = file.document.blocks[at]
        general = (block.level < 2 and file.place.kind is Kind.MEMORY) or is_generic(block.text) or area_of(block.text)
        if not general and set(asked(block.text)) <= description.all_words:
            found.append(block.text)
        at = block.heading
    return found


def _cuts(description: Description, one: Candidate) -> Iterator[Cut]:
    """The lines that leave for a statement that is meant; of several sentences, those that say it."""
    if _is_protected(one):
        return
    file, block, _ = one.place
    said = [part.strip() for part in sentences(statement(one.text)) if description.has_all(part)]
    if said and len(said) < len(sentences(statement(one.text))):
        yield Cut(file.path, block.first, block.end, " ".join(said))
        return
    yield from _whole(one)


def _whole(one: Candidate) -> Iterator[Cut]:
    """A statement with everything that hangs on it; each of them is forgotten."""
    file, block, entry = one.place
    yield Cut(file.path, block.first, block.tail or block.end, OURS.sub("", one.text).strip(), whole=True)
    for other in file.entries if entry is not None else ():
        if block.first < other.block.first and other.block.end <= block.tail:
            yield Cut(file.path, other.block.first, other.block.tail, other.text, whole=True)


def _is_protected(one: Candidate) -> bool:
    return one.place[2] is not None and one.place[2].protected


def _stays(one: Candidate) -> ForgottenLine:
    return ForgottenLine(one.place[0].path, one.place[1].first + 1, statement(one.text), say("forget.protected"))


def _blocks(snapshot: Snapshot, says: Callable[[str], bool], cuts: Sequence[Cut]) -> tuple[Archived, ...]:
    """The blocks of the archive that say it: by the description, or word for word."""
    gone = {statement(cut.text) for cut in cuts}
    return tuple(
        block
        for block in read_ledger(snapshot.text_of(LEDGER))
        if says(" ".join(map(statement, block.content))) or any(statement(line) in gone for line in block.content)
    )


def _each_once(cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    return tuple(sorted(dict.fromkeys(cuts), key=lambda cut: (cut.path, cut.first, cut.end)))
