"""The commands, one function each: call the library, print what it returns."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import reverie
from reverie.errors import NeedsAYes, NotFound, ReverieError, Unreadable
from reverie.features import forget as forgetting
from reverie.features.start import QUESTIONS
from reverie.privacy.secrets import WITHHELD
from reverie.surfaces import show as shown
from reverie.workspace.layout import Layout, open_workspace
from reverie.workspace.protection import is_secret
from reverie.workspace.read import read, require_workspace
from reverie.workspace.snapshot import Statement

Options = argparse.Namespace


def init(options: Options) -> None:
    answers = {name: getattr(options, name) for name in QUESTIONS}
    if not any(answers.values()) and _on_terminal(options):
        answers = {name: _asked(f"{question} ") for name, question in QUESTIONS.items()}
    begun = reverie.init(options.workspace or ".", options.time, answers)
    _print(options, begun, [
        f"{begun.root} has a memory." if begun.run else f"{begun.root}: the memory that is there stays to the byte.",
        *(f"Left out, because it may hold a secret: the answer about {name}." for name in begun.left_out),
        "`dream plan` shows what a first night would change.",
    ])  # fmt: skip


def review(options: Options) -> None:
    dry_run, where = options.command == "plan" or options.dry_run, _workspace(options)
    with shown.progress("Reading and judging"):
        report = reverie.review(where, options.time, dry_run=dry_run, accept=options.yes, again=options.again)
    _print(options, report, shown.report_lines(report, dry_run=dry_run))


plan = review


def undo(options: Options) -> None:
    if options.to:
        many = reverie.undo_to(_workspace(options), options.time, _day(options.to))
        return _print(options, many, (line for undone in many for line in shown.undone_lines(undone)))
    undone = reverie.undo(_workspace(options), options.time, options.run, options.only)
    return _print(options, undone, shown.undone_lines(undone))


def runs(options: Options) -> None:
    found = reverie.runs(_workspace(options), options.run, _day(options.since) if options.since else None)
    if options.run and not found:
        raise NotFound(f"There is no run {options.run}. `dream runs` lists them.")
    lines = [line for run in found for line in shown.run_lines(run, whole=bool(options.run))]
    _print(options, found, lines or ["Nothing happened yet. `dream review` runs a night."])


def why(options: Options) -> None:
    story = reverie.why(_workspace(options), " ".join(options.text))
    _print(options, story, shown.story_lines(story))


def inbox(options: Options) -> None:
    workspace, answers = _workspace(options), dict[str, str]()
    cards = reverie.inbox(workspace, options.time)
    for word in ("yes", "no", "later"):
        for card_id in (part for words in getattr(options, word) for part in words.split(",") if part):
            if answers.setdefault(card_id, word) != word:
                raise ReverieError(f"The card {card_id} got two answers; nothing was changed.")
    for card in cards if not answers and _on_terminal(options) else ():
        print("\n".join(shown.decision_lines(card)))
        letter = _asked("yes, no, later or quit? [y/n/l/q] ").lower()[:1]
        if letter == "q":
            break
        if word := {"y": "yes", "n": "no", "l": "later"}.get(letter, ""):
            answers[card.id] = word
    if answers:
        answered = reverie.answer_cards(workspace, options.time, answers)
        return _print(options, answered, shown.answered_lines(answered))
    how = "Answer with `dream inbox --yes ID`, `--no ID` or `--later ID`."
    lines = [line for card in cards if not _on_terminal(options) for line in shown.decision_lines(card)]
    return _print(options, cards, [*lines, how] if cards else ["Nothing waits for your word."])


def show(options: Options) -> None:
    workspace = _workspace(options)
    files = reverie.show(workspace)
    for line in filter(is_secret, read(workspace).memory):  # a heading may be what says that it holds one
        files[line.path] = files[line.path].replace(line.raw, WITHHELD)
    heads = {path: [f"── {path} ──"] * (len(files) > 1) for path in files}
    _print(options, files, (line for path in files for line in (*heads[path], shown.safe(files[path].rstrip("\n")))))


def note(options: Options) -> None:
    text, is_owner = " ".join(options.text), not options.speaker and _on_terminal(options)
    text = sys.stdin.read() if text == "-" else text
    noted = reverie.note(_workspace(options), options.time, text, options.kind, is_owner=is_owner)
    memory = "It stands in memory, too." if noted.in_memory else f"Not in memory yet: {noted.why_not}."
    _print(options, noted, [f"{noted.path}: {shown.safe(noted.line)}", memory])


def forget(options: Options) -> None:
    workspace, text = _workspace(options), " ".join(options.text)
    found = forgetting.find_forgettable(workspace, text)
    told = replace(
        found, **{name: tuple(map(shown.without_secret, getattr(found, name))) for name in ("lines", "kept", "near")}
    )
    listed = _listed(told)
    if options.dry_run:
        return _print(options, told, listed)
    if not found.lines and not options.purge:
        print("\n".join([] if options.as_json else listed), end="")
        raise NotFound("No line is clearly meant; nothing was changed. Name one as FILE:LINE.")
    if (len(found.lines) != 1 or options.purge) and not options.yes:
        _confirm(options, listed if found.lines else [f"No line says “{shown.safe(text)}”; the archive may."])
    forgotten = reverie.forget(
        workspace, options.time, text, forever=options.forever, purge=options.purge, lines=found.lines
    )
    lines = [f"Protected, and stays: {line.place}. Take its mark away first." for line in found.kept]
    if erased := forgotten.erased:
        lines += [
            f"Erased from {len(found.lines)} lines and {len(erased.changed)} files of ours. It cannot be undone.",
            *(f"Still holds it, and is not ours to change: {shown.safe(path)}" for path in erased.still_holding),
            *(f"May remember it: {shown.safe(path)}" for path in erased.histories),
        ]
    else:
        lines += [f"    - {line.place}: {shown.safe(line.text)}" for line in told.lines]
        lines += ["Removed from memory. The permanent archive is unaffected."]
    return _print(options, replace(forgotten, lines=told.lines), lines)


def brief(options: Options) -> None:
    text = reverie.brief(_workspace(options), options.time)
    _print(options, {"brief": text}, [text])


def answer(options: Options) -> None:
    workspace = _workspace(options)
    try:
        with sys.stdin.buffer if options.file == "-" else open(options.file, "rb") as file:
            text = file.read(1_000_001).decode("utf-8-sig", "replace")
    except OSError as error:
        raise ReverieError(f"{options.file} cannot be read: {error.strerror}. Name the answer's file, or -.") from None
    report = reverie.answer(workspace, options.time, text, dry_run=options.dry_run)
    if report.refused and not (report.read or report.done or report.waiting):
        raise Unreadable(f"{report.refused[0][1]} Nothing was changed; `dream brief` says how to answer.")
    _print(options, report, shown.report_lines(report, dry_run=options.dry_run))


def _workspace(options: Options) -> Layout:
    layout = open_workspace(options.workspace)
    require_workspace(layout)
    return layout


def _print(options: Options, value: Any, lines: Iterable[str]) -> None:
    print(shown.as_json(value) if options.as_json else "\n".join(lines))


def _on_terminal(options: Options) -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and not options.as_json


def _asked(question: str) -> str:
    try:
        return input(question).strip()
    except EOFError:
        return ""


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ReverieError(f"{text!r} is no day. Write it as 2026-11-15.") from None


def _confirm(options: Options, lines: Sequence[str]) -> None:
    """Shows what would go and asks; where nobody can answer, a purge is refused and the rest is done (seed 000)."""
    if _on_terminal(options):
        print("\n".join(lines))
        purge = "Erase this everywhere? It cannot be undone. [y/N] "
        if _asked(purge if options.purge else "Forget these lines? [y/N] ").lower()[:1] != "y":
            raise NeedsAYes("Nothing was changed.")
    elif options.purge:
        raise NeedsAYes("A purge cannot be undone. Look with --dry-run, then add --yes.")


def _listed(found: forgetting.Forgettable) -> list[str]:
    def places(head: str, lines: Sequence[Statement]) -> list[str]:
        return [head, *(f"    {line.place}  {shown.safe(line.text)}" for line in lines)] if lines else []

    return [
        *(places(f"{len(found.lines)} lines are meant:", found.lines) or ["No line is clearly meant."]),
        *places("Protected, and would stay:", found.kept),
        *places("Alike; name them as FILE:LINE:", found.near),
    ]
