"""The commands, one function each: call the library, print what it returns."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

import reverie
from reverie.errors import NeedsAYes, NotAWorkspace, NotFound, ReverieError
from reverie.surfaces import show as shown
from reverie.workspace.layout import Layout, open_workspace

if TYPE_CHECKING:
    from reverie.features.forget import Forgettable, Forgotten
    from reverie.features.inbox import ShownCard
    from reverie.workspace.snapshot import Statement


def next_steps(options: argparse.Namespace) -> None:
    """`dream` alone: how things stand, and what to do next."""
    from reverie.surfaces.glance import status_lines

    try:
        print("\n".join(status_lines(reverie.status(_workspace(options), options.time))))
    except NotAWorkspace as error:
        print(f"{error}\n`dream --help` lists all commands.")


def init(options: argparse.Namespace) -> None:
    from reverie.features.start import QUESTIONS

    answers = {name: getattr(options, name) for name in QUESTIONS}
    if not any(answers.values()) and sys.stdin.isatty() and sys.stdout.isatty():
        answers = {name: _asked(f"{question} ") for name, question in QUESTIONS.items()}
    begun = reverie.init(options.workspace or ".", options.time, answers)
    _print(options, begun, [
        f"{begun.root} has a memory." if begun.run else f"{begun.root}: the memory that is there stays to the byte.",
        *(f"Left out, because it may hold a secret: the answer about {name}." for name in begun.left_out),
        "`dream plan` shows what a first night would change.",
    ])  # fmt: skip


def review(options: argparse.Namespace) -> None:
    dry_run = options.command == "plan" or options.dry_run
    with shown.progress("Reading and judging"):
        report = reverie.review(
            _workspace(options), options.time, dry_run=dry_run, accept=options.yes, again=options.again
        )
    _print(options, report, shown.report_lines(report, dry_run=dry_run))


plan = review


def undo(options: argparse.Namespace) -> None:
    if options.to:
        many = reverie.undo_to(_workspace(options), options.time, _day(options.to))
        return _print(options, many, [line for undone in many for line in shown.undone_lines(undone)])
    undone = reverie.undo(_workspace(options), options.time, options.run, options.only)
    return _print(options, undone, shown.undone_lines(undone))


def runs(options: argparse.Namespace) -> None:
    found = reverie.runs(_workspace(options), options.run, _day(options.since) if options.since else None)
    if options.run and not found:
        raise NotFound(f"There is no run {options.run}. `dream runs` lists them.")
    lines = [line for run in found for line in shown.run_lines(run, whole=bool(options.run))]
    _print(options, found, lines or ["Nothing happened yet. `dream review` runs a night."])


def why(options: argparse.Namespace) -> None:
    story = reverie.why(_workspace(options), " ".join(options.text))
    _print(options, story, shown.story_lines(story))


def inbox(options: argparse.Namespace) -> None:
    workspace = _workspace(options)
    answers = _answers(options)
    cards = reverie.inbox(workspace, options.time)
    if not answers and sys.stdin.isatty() and sys.stdout.isatty() and not options.as_json:
        answers = _ask_cards(cards)
    elif not answers:
        lines = [line for card in cards for line in shown.card_lines(card)]
        how = "Answer with `dream inbox --yes ID`, `--no ID` or `--later ID`."
        return _print(options, cards, [*lines, how] if lines else ["Nothing waits for your word."])
    if not answers:
        return None
    answered = reverie.answer_cards(workspace, options.time, answers)
    return _print(options, answered, shown.answered_lines(answered))


def show(options: argparse.Namespace) -> None:
    files = reverie.show(_workspace(options))
    lines = []
    for path, text in files.items():
        lines += [f"── {path} ──"] if len(files) > 1 else []
        lines.append(shown.safe(text.rstrip("\n")))
    _print(options, files, lines)


def note(options: argparse.Namespace) -> None:
    words = " ".join(options.text)
    text = sys.stdin.read() if words == "-" else words
    is_owner = not options.speaker and sys.stdin.isatty() and sys.stdout.isatty()
    noted = reverie.note(_workspace(options), options.time, text, options.kind, is_owner=is_owner)
    memory = "It stands in memory, too." if noted.in_memory else f"Not in memory yet: {noted.why_not}."
    _print(options, noted, [f"{noted.path}: {shown.safe(noted.line)}", memory])


def forget(options: argparse.Namespace) -> None:
    from reverie.features import forget as forgetting

    workspace, text = _workspace(options), " ".join(options.text)
    found = forgetting.find_forgettable(workspace, text)
    if options.dry_run:
        return _print(options, found, _forgettable_lines(found))
    if not found.lines and not options.purge:
        print("\n".join(_forgettable_lines(found)))
        raise NotFound("No line is clearly meant; nothing was changed. Name one as FILE:LINE.")
    if (len(found.lines) != 1 or options.purge) and not options.yes:
        _confirm(found, text, purge=options.purge)
    if not found.lines:
        forgotten = forgetting.purge_words(workspace, options.time, text)
    else:
        forgotten = forgetting.forget_lines(
            workspace, options.time, found.lines, forever=options.forever, purge=options.purge
        )
    lines = [*(f"    - {line.place}: {shown.safe(line.text)}" for line in forgotten.lines if not forgotten.erased)]
    lines += [f"Protected, and stays: {line.place}. Take its mark away first." for line in found.kept]
    lines += _erased_lines(forgotten) if forgotten.erased else [forgetting.MESSAGE]
    return _print(options, forgotten, lines)


def brief(options: argparse.Namespace) -> None:
    text = reverie.brief(_workspace(options), options.time)
    _print(options, {"brief": text}, [text])


def answer(options: argparse.Namespace) -> None:
    text = sys.stdin.read() if options.file == "-" else _file(options.file)
    report = reverie.answer(_workspace(options), options.time, text, dry_run=options.dry_run)
    _print(options, report, shown.report_lines(report, dry_run=options.dry_run))


def _workspace(options: argparse.Namespace) -> Layout:
    return open_workspace(options.workspace)


def _print(options: argparse.Namespace, value: Any, lines: Iterable[str]) -> None:
    print(shown.as_json(value) if options.as_json else "\n".join(lines))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ReverieError(f"{text!r} is no day. Write it as 2026-11-15.") from None


def _file(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(1_000_001).decode("utf-8-sig", "replace")
    except OSError as error:
        raise ReverieError(f"{path} cannot be read: {error.strerror}. Name the file with the answer, or -.") from None


def _asked(question: str) -> str:
    try:
        return input(question).strip()
    except EOFError:
        return ""


def _answers(options: argparse.Namespace) -> dict[str, str]:
    """The ids behind --yes, --no and --later; one id has one answer."""
    answers: dict[str, str] = {}
    for answer in ("yes", "no", "later"):
        for card_id in (part for word in getattr(options, answer) for part in word.split(",") if part):
            if answers.setdefault(card_id, answer) != answer:
                raise ReverieError(f"The card {card_id} got two answers; nothing was changed.")
    return answers


def _ask_cards(cards: Sequence[ShownCard]) -> dict[str, str]:
    """One card after the other: y, n, l, or q to stop."""
    answers: dict[str, str] = {}
    for card in cards:
        print("\n".join(shown.card_lines(card)))
        word = _asked("yes, no, later or quit? [y/n/l/q] ").lower()[:1]
        if word == "q":
            break
        if word in "ynl" and word:
            answers[card.id] = {"y": "yes", "n": "no", "l": "later"}[word]
    if not cards:
        print("Nothing waits for your word.")
    return answers


def _confirm(found: Forgettable, text: str, *, purge: bool) -> None:
    """Shows what would go and asks; where nobody can answer, a purge is refused and the rest is done (seed 000)."""
    if not sys.stdin.isatty():
        if purge:
            raise NeedsAYes("A purge cannot be undone. Look with --dry-run, then add --yes.")
        return
    print(
        "\n".join(
            _forgettable_lines(found) if found.lines else [f"No line says “{shown.safe(text)}”; the archive may."]
        )
    )
    question = "Erase this everywhere? It cannot be undone. [y/N] " if purge else "Forget these lines? [y/N] "
    if _asked(question).lower()[:1] != "y":
        raise NeedsAYes("Nothing was changed.")


def _forgettable_lines(found: Forgettable) -> list[str]:
    def listed(lines: Sequence[Statement]) -> list[str]:
        return [f"    {line.place}  {shown.safe(line.text)}" for line in lines]

    return [
        f"{len(found.lines)} lines are meant:" if found.lines else "No line is clearly meant.",
        *listed(found.lines),
        *(["Protected, and would stay:", *listed(found.kept)] if found.kept else []),
        *(["Alike; name them as FILE:LINE:", *listed(found.near)] if found.near else []),
    ]


def _erased_lines(forgotten: Forgotten) -> list[str]:
    erased = forgotten.erased
    assert erased
    return [
        f"Erased from {len(forgotten.lines)} lines and {len(erased.changed)} files of ours. It cannot be undone.",
        *(f"Still holds it, and is not ours to change: {shown.safe(path)}" for path in erased.still_holding),
        *(f"May remember it: {path}" for path in erased.histories),
    ]
