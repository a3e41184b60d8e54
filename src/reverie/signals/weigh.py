"""The judgement on what was recalled: what passes the gates and enters memory, and why the rest stays out. One for all who ask."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from posixpath import basename
from typing import Any

from reverie.archive.records import read_records, summary
from reverie.errors import Unreadable
from reverie.judge.brief import Brief, BriefLine
from reverie.judge.checks import refusal
from reverie.judge.rules import LIKELY, addition, says, worth_of
from reverie.operations import Operation
from reverie.plan.diary import TITLES, with_block
from reverie.plan.plan import declined_on
from reverie.settings import GATES
from reverie.signals.journal import line_claim, line_key
from reverie.signals.peer import Peer, read_peer
from reverie.signals.phases import considered, light_lines, rem_lines, staged, truths
from reverie.signals.score import PROFILES, Entry, Profile, Scored, changed, is_contaminated, ranked, scored, with_phase
from reverie.signals.store import Store, counted, joined, load, save
from reverie.store.disk import Disk, bytes_of
from reverie.store.logs import write_diary
from reverie.store.state import State, declined_days, read_state
from reverie.text.terms import key, terms
from reverie.workspace.layout import CORPUS, MEMORY, NOTES, FileKind, parse_day
from reverie.workspace.origins import Origin
from reverie.workspace.protection import is_secret
from reverie.workspace.sections import best_section
from reverie.workspace.snapshot import File, Snapshot, Statement

NOTED, NOTED_TURN, NOTED_DAYS = 0.62, 0.58, 31  # what a day counts that said it; how far back days are counted
_DREAMT = timedelta(days=3)  # since OpenClaw's last dream: it dreams here
_MOST, _PAGES, _PAGE = 100, 1_000, 40  # candidates whose words are looked for; pages that count, and their lines


@dataclass(frozen=True)
class Weighed:
    scored: Scored
    statement: Statement | None  # where its words stand now
    why_not: str  # empty: it enters
    operation: Operation | None = None


@dataclass(frozen=True)
class Recalls:
    """All that is known of what was recalled, at one moment."""

    snapshot: Snapshot
    now: datetime
    profile: Profile
    entries: dict[str, Entry]
    signals: dict[str, Any]
    store: Store
    peer: Peer
    rests: str  # why nothing is promoted by itself
    state: State
    lines: dict[str, Statement]  # where the words of an entry stand, by its claim
    declined: dict[str, date]
    archived: dict[str, date]  # what left memory, and when: only a later day says it again
    memory_words: list[set[str]]

    def promotions(self, others: Iterable[Operation] = ()) -> list[Operation]:
        """What enters memory by itself tonight; what others speak for is theirs."""
        used = {ref for other in others for ref in other.cites}
        wishes = [] if self.rests else [weighed.operation for weighed in self.weighed()]
        return [wish for wish in wishes if wish and used.isdisjoint(wish.cites)]

    def weighed(self, *, include_promoted: bool = False) -> list[Weighed]:
        """What passes the gates, best first, with what keeps it out all the same."""
        often = (entry for entry in self.entries.values() if entry.signals >= self.profile.min_recall_count)
        rated = ranked(often, self.signals, self.profile, self.now, at_best=True)
        possible = [found.entry for found in rated if found.passes][:_MOST]
        result, seen, room = list[Weighed](), set[str](), self.profile.limit
        for found in sorted(map(self.judged, possible), key=lambda found: -found.scored.score):
            words = key(found.statement.text) if found.statement else found.scored.entry.key
            is_known = found.why_not in {"promoted", "known"} and not include_promoted
            if found.scored.passes and words not in seen and not is_known:
                seen.add(words)
                is_late = found.operation and room is not None and sum(not w.why_not for w in result) >= room
                result.append(Weighed(found.scored, found.statement, "limit") if is_late else found)
        return result

    def worded(self) -> list[Entry]:
        """The entries with their words, but for those whose line shows a secret."""
        return with_words(self.entries.values(), self.lines.values())

    def judged(self, entry: Entry) -> Weighed:
        """One entry with its score, whether or not it passes the gates."""
        line, why_not = self._found_again(entry)
        if line and is_secret(line):
            line, why_not = None, "secret"
        entry = changed(entry, snippet=entry.snippet or (line.text if line else "")).tagged()
        found = scored(entry, self.signals.get(entry.key), self.profile, self.now)
        failed = ", ".join(name for name, (_, _, passes) in found.gates.items() if not passes)
        why_not = f"below the gate: {failed}" if failed else why_not or self._why_not(entry, line)
        wish = None
        if line and not why_not:
            why = f"recalled {entry.recalls}×, said or asked for on {len(entry.days)} days (score {found.score:.2f})"
            under = best_section(self.snapshot, set(terms(line.text)), line.headings)
            wish = changed(addition(line, under, why), judge="signals")
        return Weighed(found, line, why_not, wish)

    def _found_again(self, entry: Entry) -> tuple[Statement | None, str]:
        """The one statement that an entry is about, as it stands now. A whole page is no fact."""
        files, lines, wanted = self.snapshot.files, list[Statement](), key(entry.snippet)
        file = files.get(entry.path) or files.get(f"{NOTES}/{basename(entry.path)}")
        with suppress(Unreadable):
            is_evidence = file and file.kind in {FileKind.NOTE, FileKind.LOG}
            lines = (sorted(file.statements, key=lambda s: abs(s.start + 1 - entry.first)) if file and is_evidence else [])  # fmt: skip
        if entry.key == line_key(entry.claim):
            return next(((line, "") for line in lines if line_claim(line.text) == entry.claim), (None, "gone"))
        ways = [(line, ("", " ".join(line.parents), *line.headings[-1:])) for line in lines]
        near = [line for line, over in ways if wanted in {key(f"{above} {line.text}") for above in over}]
        is_page = sum(key(line.text) in wanted for line in lines) > 1
        return (near[0], "") if near else (None, "a page of several lines" if is_page else "gone")

    def _why_not(self, entry: Entry, line: Statement | None) -> str:
        """A word or two on what keeps a line out that has every number."""
        if line is None:
            return "gone"
        day, wish, known = line.day or date.min, addition(line, (), ""), self.snapshot.memory_keys
        gone = self.archived.get(summary(line.text))
        declined, mark = declined_on(wish, self.declined), f"<!-- openclaw-memory-promotion:{entry.key} -->"
        is_known = key(line.text) in known or key(wish.text) in known
        reasons = (
            (is_contaminated(line.text), "contaminated"),
            (self.state.is_forgotten(line.text), "forgotten"),
            (entry.promoted or (is_known and key(wish.text) in self.state.added), "promoted"),
            (mark in "".join(self.snapshot.file(MEMORY).lines), "promoted"),
            (is_known or says(self.memory_words, set(terms(line.text))), "known"),
            (declined and day <= declined, "declined"),
            (gone and day <= gone, "archived"),
            (line.text.rstrip().endswith(("?", "？", ":", "：")), "no fact"),
            (not entry.recalls and worth_of(line) < LIKELY, "nobody asked for it"),
        )
        return next((why for is_so, why in reasons if is_so), "") or refusal(wish, (), (line,), self.snapshot)


def open_recalls(snapshot: Snapshot, now: datetime, **gates: float | None) -> Recalls:
    """What was recalled and said by now, under the owner's gates or those that are asked for."""
    layout, wanted, at = snapshot.layout, snapshot.settings.deep, now.astimezone(UTC)
    chosen = PROFILES[wanted.profile].with_gates(**{name: getattr(wanted, name) for name in GATES.values()})
    profile, oldest = chosen.with_gates(**gates), str(now.date() - timedelta(days=NOTED_DAYS))
    store, peer, state, entries = load(layout), read_peer(layout), read_state(layout), dict[str, Entry]()
    notes = [file for file in snapshot.of_kind(FileKind.NOTE) if profile.days_count and basename(file.path) >= oldest]
    said, lines = noted(notes)
    for entry in (*store.entries.values(), *said):  # a backfill's count and a note's join what was recalled
        name = line_key(entry.claim)
        entries[name] = joined(entries.get(name), entry if entry.key == name else changed(entry, key=name))
    dreamt = max((when for when, _ in peer.dreams), default=None)
    is_theirs = snapshot.settings.openclaw_dreams or (dreamt is not None and at - dreamt < _DREAMT)
    rests = "OpenClaw is dreaming at this moment; nothing is promoted beside it." * peer.is_at_work(at)
    if is_theirs and not wanted.beside_openclaw:
        rests = "OpenClaw promotes here itself; with `deep.beside_openclaw` both do."
    removed = sorted((str(r.get("removed_at"))[:10], str(r.get("summary"))) for r in read_records(layout).removed)
    return Recalls(
        snapshot, at, profile, entries | peer.entries, peer.signals | store.signals, store, peer, rests, state, lines,
        declined_days(state, snapshot), {said: day for at, said in removed if (day := parse_day(at))},
        [set(terms(line.text)) for line in snapshot.memory],
    )  # fmt: skip


def with_counts(brief: Brief) -> Brief:
    """The brief with how often, and on how many days, its lines were recalled; of a page each line."""
    layout = brief.snapshot.layout
    counts = {e.claim: e for e in load(layout).entries.values()}
    pages = [e for e in read_peer(layout).entries.values() if e.recalls][:_PAGES]
    counts |= {f"{e.path}:{n}": e for e in pages for n in range(e.first, min(e.last, e.first + _PAGE) + 1)}

    def counted_in(line: BriefLine) -> BriefLine:
        entry = counts.get(line_claim(line.statement.text)) or counts.get(line.statement.place)
        return line._replace(recalled=(entry.recalls, len(entry.days))) if entry else line

    return replace(brief, notes=tuple(map(counted_in, brief.notes)))


def about(recalls: Recalls, text: str) -> Weighed | None:
    """The best entry that is meant: by key, place or hash, else by its words."""
    names, words, entries = {text.strip()}, set(terms(text)) or {""}, recalls.entries.values()
    exact = [recalls.judged(e) for e in entries if names & {e.key, e.place, f"{e.path}:{e.first}", e.path, e.claim}]
    texts = {claim: line.text for claim, line in recalls.lines.items()}
    said = ((e, e.snippet or texts.get(e.claim, "")) for e in entries if not exact)
    near = (recalls.judged(entry) for entry, snippet in said if not snippet or words <= set(terms(snippet)))
    fitting = [found for found in near if words <= set(terms(found.scored.entry.snippet))]
    return max(exact or fitting, key=lambda found: found.scored.score, default=None)


def noted(files: Iterable[File]) -> tuple[list[Entry], dict[str, Statement]]:
    """What notes say, each line once with the days on which its owner said it; and by its claim where it stands."""
    entries, lines = dict[str, Entry](), dict[str, Statement]()
    for file in files:
        with suppress(Unreadable):
            for line in file.statements:
                if not line.day or line.origin is not Origin.OWNER:
                    continue
                claim, day = line_claim(line.text), line.day
                name, value = line_key(claim), NOTED_TURN if line.path.startswith(CORPUS) else NOTED
                if name not in entries or day not in entries[name].days:
                    words: Any = {"last": line.end, "daily": 1, "claim": claim}
                    at = datetime.combine(day, time(12), UTC)
                    fresh = counted(line.path, line.start + 1, name, at, [day], value, **words)
                    entries[name], lines[claim] = joined(entries.get(name), fresh), line
    return list(entries.values()), lines


def with_words(entries: Iterable[Entry], lines: Iterable[Statement]) -> list[Entry]:
    """The entries that have words, their own or those of a line that shows no secret."""
    texts = {line_claim(line.text): line.text[:4_000] for line in lines if not is_secret(line)}
    worded = [changed(e, snippet=e.snippet or texts.get(e.claim, "")) for e in entries]
    return [entry for entry in worded if entry.snippet]


def remember(recalls: Recalls, done: Sequence[Operation], now: datetime, disk: Disk) -> None:
    """Keep what was recalled and what the phases met tonight, and write the reports that their owner wants."""
    layout, settings, signals = recalls.snapshot.layout, recalls.snapshot.settings.dream, dict(recalls.signals)
    worded = recalls.worded()
    light = staged(worded, signals, recalls.profile, recalls.now)
    signals |= {entry.key: with_phase(signals.get(entry.key), entry.key, "light", recalls.now) for entry in light}
    rem = [entry.tagged() for entry in considered(worded, signals, recalls.profile, recalls.now)]
    found = truths(rem)
    signals |= {entry.key: with_phase(signals.get(entry.key), entry.key, "rem", recalls.now) for _, entry in found}
    ours = {name: s for name, s in signals.items() if name in recalls.entries and s != recalls.peer.signals.get(name)}
    save(layout, changed(recalls.store, signals=ours), disk)
    count, folder, mode = sum(wish.judge == "signals" for wish in done), layout.root / NOTES, settings.phases
    deep = [f"- Ranked {len(recalls.weighed())} candidate(s) for durable promotion."] * bool(count)
    deep += [f"- Promoted {count} candidate(s) into MEMORY.md."] * bool(count)
    reports = {"light": light_lines(light) * bool(light), "rem": rem_lines(rem, found) * bool(rem), "deep": deep}
    if deep and settings.diary and not layout.is_hosted:
        write_diary(layout, lambda text: with_block(text, "deep", deep), disk)
    for phase, lines in reports.items() if not layout.is_hosted else ():
        report = folder / "dreaming" / phase / f"{now:%Y-%m-%d}.md"
        if not lines or any(path.is_symlink() for path in (report, *report.parents[:3])):
            continue
        if mode in {"separate", "both"}:
            disk.replace(report, "\n".join((f"# {TITLES[phase]}", "", *lines, "")).encode())
        if mode in {"inline", "both"} and phase != "deep":
            _into_note(folder / report.name, phase, lines, disk)


def _into_note(path: Path, phase: str, lines: Sequence[str], disk: Disk) -> None:
    """A block at the end of the day's note, once a day: appending takes no word from whoever types there."""
    with suppress(Unreadable):
        before = bytes_of(path) or b""
        after = with_block(before.decode("utf-8", "surrogateescape"), phase, lines).encode("utf-8", "surrogateescape")
        if after.startswith(before) and after != before:
            disk.append(path, after[len(before) :])
