"""What light, REM and deep leave behind a night: signals that order the next one, and reports. Neither is ever evidence."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from reverie.errors import Unreadable
from reverie.operations import Operation
from reverie.plan.diary import TITLES, with_block
from reverie.signals.entries import changed, met
from reverie.signals.phases import considered, light_lines, rem_lines, staged, truths
from reverie.signals.store import save
from reverie.signals.weigh import Lane
from reverie.store.disk import Disk, bytes_of
from reverie.store.logs import write_diary
from reverie.workspace.layout import NOTES


def remember(lane: Lane, done: Sequence[Operation], now: datetime, disk: Disk) -> None:
    """Keep what was recalled and what the phases met tonight, and write the reports that their owner wants."""
    layout, settings, signals = lane.snapshot.layout, lane.snapshot.settings.dream, dict(lane.signals)
    worded = [entry for entry in lane.entries.values() if entry.snippet]
    light = staged(worded, signals, lane.profile, lane.now)
    signals |= {entry.key: met(signals.get(entry.key), entry.key, "light", lane.now) for entry in light}
    rem = [entry.tagged() for entry in considered(worded, signals, lane.profile, lane.now)]
    found = truths(rem, lane.profile)
    signals |= {truth.key: met(signals.get(truth.key), truth.key, "rem", lane.now) for truth in found}
    ours = {name: s for name, s in signals.items() if name in lane.entries and s != lane.peer.signals.get(name)}
    save(layout, changed(lane.store, signals=ours), disk)
    count = sum(wish.judge == "signals" for wish in done)
    deep = [f"- Ranked {len(lane.weighed())} candidate(s) for durable promotion."] * bool(count)
    deep += [f"- Promoted {count} candidate(s) into MEMORY.md."] * bool(count)
    reports = {"light": light_lines(light) if light else [], "rem": rem_lines(rem, found) if rem else [], "deep": deep}
    folder, mode = layout.root / NOTES, settings.phases
    if deep and settings.diary:
        write_diary(layout, lambda text: with_block(text, "deep", deep), disk)
    for phase, lines in reports.items() if not (folder.is_symlink() or layout.is_hosted) else ():
        report = folder / "dreaming" / phase / f"{now:%Y-%m-%d}.md"
        if lines and mode in {"separate", "both"} and not any(p.is_symlink() for p in (report, *report.parents[:2])):
            disk.replace(report, "\n".join((f"# {TITLES[phase]}", "", *lines, "")).encode())
        if lines and mode in {"inline", "both"} and phase != "deep":
            _into_note(folder / report.name, phase, lines, disk)


def _into_note(path: Path, phase: str, lines: Sequence[str], disk: Disk) -> None:
    """A block at the end of the day's note, once a day: appending takes no word from whoever types there."""
    with suppress(Unreadable):
        before = bytes_of(path) or b""
        after = with_block(before.decode("utf-8", "surrogateescape"), phase, lines).encode("utf-8", "surrogateescape")
        if after.startswith(before) and after != before:
            disk.append(path, after[len(before) :])
