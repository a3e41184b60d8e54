"""The commands, one function each: call the library, print what it returns."""

import argparse
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from threading import Timer
from typing import Any

import reverie
from reverie.errors import LACKS, NeedsAYes, NotFound, ReverieError, Unreadable
from reverie.store.runs import old_records
from reverie.surfaces import show as shown
from reverie.workspace.layout import Layout, open_workspace
from reverie.workspace.read import require_workspace

Options = argparse.Namespace


def init(options: Options) -> None:
    from reverie.features.start import QUESTIONS

    answers = {name: getattr(options, name) for name in QUESTIONS}
    if not any(answers.values()) and is_on_terminal(options):
        answers = {name: ask(f"{question} ") for name, question in QUESTIONS.items()}
    if not options.workspace and (here := open_workspace()).is_hosted:
        raise ReverieError(
            f"The memory of this folder is {here.root}. `dream init -w .` begins another here, which would take its place."
        )
    begun = reverie.init(options.workspace or ".", options.time, answers)
    there = "has a memory" if begun.run else "had a memory before, and it stays to the byte"
    secret = (f"Left out, because it may hold a secret: the answer about {name}." for name in begun.left_out)
    print_value(
        options, begun, [f"{begun.root} {there}.", *secret, "`dream plan` shows what a first night would change."]
    )


def review(options: Options) -> None:
    dry_run, where = options.command == "plan" or options.dry_run, workspace_of(options)
    judge: dict[str, Any] = {}
    if options.model or os.environ.get("DREAM_MODEL") or getattr(options, "estimate", False):
        from reverie.features.lead import judge_of, tried
        from reverie.models.ask import chosen

        model = chosen(options.model)
        if model.kind == "none" and "auto" in (options.model, os.environ.get("DREAM_MODEL")):
            print("No program of a model is installed here; the rules judge.", file=sys.stderr)
        if getattr(options, "estimate", False):
            return _estimate(options, where, model)
        if any(model.price) and tried(model) is None:  # the first night that costs something
            print(model.estimate(_tokens(options, where)), file=sys.stderr)
        judge = {"judge": judge_of(model, where)}
    timer = Timer(2.0, print, ["Reading and judging …"], {"file": sys.stderr})
    timer.daemon = True
    if sys.stderr.isatty():
        timer.start()
    try:
        report = reverie.review(where, options.time, dry_run=dry_run, accept=options.yes, again=options.again, **judge)
    finally:
        timer.cancel()
    print_value(options, report, shown.report_lines(report, dry_run=dry_run))


plan = review


def _estimate(options: Options, where: Layout, model: Any) -> None:
    tokens = _tokens(options, where)
    print_value(options, {"model": model.shown, "tokens": tokens}, [model.estimate(tokens)])


def _tokens(options: Options, where: Layout) -> int:
    from reverie.judge.brief import estimated_tokens

    return estimated_tokens(reverie.brief(where, options.time, keep=False))


def undo(options: Options) -> None:
    where = workspace_of(options)
    if options.to and (options.run or options.only):
        raise ReverieError("`--to DAY` takes back everything since that day; name no run and no decision beside it.")
    many = reverie.undo_to(where, options.time, _day(options.to)) if options.to else []
    done = many or [reverie.undo(where, options.time, options.run, options.only)]
    found = [undone.run.undoes for undone in done if undone.run]
    lines = [f"Run {run} is undone." for run in found] or ["Nothing was left to undo."]
    if options.only and found:
        lines = [f"Of run {found[0]} the decision {shown.safe(options.only)} is undone."]
    missed = (line.strip() for undone in done for line in undone.missed)
    lines += [f"Changed since, and left as it is: {shown.safe(line)}" for line in missed]
    print_value(options, many or done[0], lines)


def runs(options: Options) -> None:
    workspace = workspace_of(options)
    found = reverie.runs(workspace, options.run, _day(options.since) if options.since else None)
    if options.run and not found:
        raise NotFound(f"There is no run {options.run}. `dream runs` lists them.")
    lines = list(filter(None, [old_records(workspace) if not options.run else ""]))
    lines += [] if found else ["Nothing happened yet. `dream review` runs a night."]
    for run in found:
        part = "in part " * any(not decision.is_undone for decision in run.decisions)
        undone = f", {part}undone by {run.undone_by}" if run.undone_by else ""
        asked = f", {run.waiting} asked" if run.waiting else ""
        lines += [f"{run.id}  {run.at:%Y-%m-%d %H:%M}  {run.command}: {len(run.decisions)} decisions{asked}{undone}"]
        lines += [f"    judged by {run.judged_by}"] * bool(options.run and run.judged_by)
        lines += shown.decision_lines(run.decisions if options.run else ())
    print_value(options, found, lines)


def why(options: Options) -> None:
    story = reverie.why(workspace_of(options), " ".join(options.text), options.time)
    lines = [*shown.decision_lines(story.events)]
    lines += [f"It stands in {shown.safe(place)}, now." for place in story.stands]
    lines += [f"The archive holds it: {shown.safe(line)}" for line in story.archived]
    lines += [] if story.stands else ["It is not in memory.", *(f"  {shown.safe(reason)}" for reason in story.reasons)]
    print_value(options, story, lines)


def inbox(options: Options) -> None:
    workspace, answers = workspace_of(options), dict[str, str]()
    cards = reverie.inbox(workspace, options.time)
    for word in ("yes", "no", "later"):
        for card_id in " ".join(getattr(options, word)).replace(",", " ").split():
            if answers.setdefault(card_id, word) != word:
                raise ReverieError(f"The card {card_id} got two answers; nothing was changed.")
    is_asked = not answers and is_on_terminal(options)
    for card in cards if is_asked else ():
        print("\n".join(shown.decision_lines([card])))
        try:
            letter = ask("yes, no, later or quit? [y/n/l/q] ").lower()[:1]
            while letter and letter not in "ynlq":
                letter = ask("Type y, n, l or q: ").lower()[:1]
        except KeyboardInterrupt:  # the answers so far were given
            letter = "q"
        if letter == "q":
            break
        if word := {"y": "yes", "n": "no", "l": "later"}.get(letter, ""):
            answers[card.id] = word
    if answers:
        answered = reverie.answer_cards(workspace, options.time, answers)
        lines = [*shown.decision_lines(answered.done)]
        lines += [f"Not done: {refusal.operation.id}: {shown.safe(refusal.why)}" for refusal in answered.refused]
        lines += [f"Not done: {operation.id}, its lines are not there any more." for operation in answered.gone]
        back = f" `dream undo {answered.run.id}` takes it back." if answered.run and answered.done else ""
        others = [f" {word}: {count}." for word in ("no", "later") if (count := [*answers.values()].count(word))]
        return print_value(options, answered, [*lines, f"{len(answered.done)} done.{''.join(others)}{back}"])
    how = "Answer with `dream inbox --yes ID`, `--no ID` or `--later ID`." if cards else "Nothing waits for your word."
    return print_value(options, cards, [*shown.decision_lines(() if is_asked else cards), how])


def show(options: Options) -> None:
    from reverie.features.excerpt import shown_memory

    files, lines = shown_memory(workspace_of(options)), list[str]()
    for path, text in files.items():
        lines += [f"── {path} ──"] * (len(files) > 1) + [shown.safe(text.rstrip("\n"))]
    print_value(options, files, lines)


def note(options: Options) -> None:
    text, is_owner = " ".join(options.text), not options.speaker and sys.stdin.isatty() and sys.stdout.isatty()
    text = sys.stdin.read() if text == "-" else text
    noted = reverie.note(workspace_of(options), options.time, text, options.kind, is_owner=is_owner)
    memory = "It stands in memory, too." if noted.in_memory else f"Not in memory yet: {noted.why_not}."
    print_value(options, noted, [f"{noted.path}: {shown.safe(noted.line)}", memory])


def index(options: Options) -> None:
    text = " ".join(options.content)
    about = {name: getattr(options, name) for name in ("title", "url", "source", "summary")}
    if text == "-" or os.path.isfile(text):
        about["source"] = about["source"] or os.path.basename(text).strip("-")
        text = sys.stdin.read() if text == "-" else Path(text).read_text("utf-8-sig", "replace")
    elif text.startswith(("/", "./", "../", "~/")) and len(options.content) == 1:
        raise NotFound(f"There is no file {text}.")
    day = _day(options.date) if options.date else None
    indexed = reverie.index(workspace_of(options), options.time, text, topics=options.topics, day=day, **about)
    print_value(options, indexed, [shown.safe(indexed.line) if indexed.run else "It is in the index already."])


def forget(options: Options) -> None:
    from reverie.features.forget import find_forgettable

    workspace, text, purge = workspace_of(options), " ".join(options.text), options.purge
    found = find_forgettable(workspace, text)
    shown_lines = found.shown
    heads = (f"{len(found.lines)} lines are meant:", "Protected, and would stay:", "Alike; name them as FILE:LINE:")
    listed = [] if found.lines else ["No line is clearly meant."]
    for head, part in zip(heads, (shown_lines.lines, shown_lines.kept, shown_lines.near), strict=True):
        listed += [head] * bool(part) + [f"    {line.place}  {shown.safe(line.text)}" for line in part]
    left_alone = [f"Left alone: {shown.safe(path)} ({why})" for path, why in found.unread.items()]
    if options.dry_run:
        return print_value(options, shown_lines, listed + left_alone)
    if not found.lines and not purge:
        sys.stdout.writelines(f"{line}\n" for line in listed if not options.as_json)
        raise NotFound("No line is clearly meant; nothing was changed. Name one as FILE:LINE.")
    if (len(found.lines) != 1 or purge) and not options.yes:
        if (purge or sys.stdin.isatty()) and not is_on_terminal(options):
            raise NeedsAYes("This is not done without a yes. Look with --dry-run, then add --yes.")
        listed += [f"The archive is searched for “{shown.safe(text)}”."] * (not found.lines)
        question = "Erase this everywhere? It cannot be undone." if purge else "Forget these lines?"
        # Where nobody can answer, what can be undone is done (seed 000).
        if is_on_terminal(options) and ask("\n".join((*listed, f"{question} [y/N] "))).lower()[:1] != "y":
            raise NeedsAYes("Nothing was changed.")
    done = reverie.forget(workspace, options.time, found.lines or text, forever=options.forever, purge=purge)
    lines = [f"Protected, and stays: {line.place}. Take its mark away first." for line in found.kept]
    if erased := done.erased:
        lines += [f"Erased from {len(found.lines)} lines and {len(erased.changed)} files of ours. It cannot be undone."]
        lines += [f"Still holds it, and is not ours to change: {shown.safe(path)}" for path in erased.still_holding]
        lines += [f"May remember it: {shown.safe(path)}" for path in erased.histories]
    else:
        lines += [f"    - {line.place}: {shown.safe(line.text)}" for line in shown_lines.lines]
        lines += ["Removed from memory. The permanent archive is unaffected."]
    return print_value(options, replace(done, lines=shown_lines.lines), [*lines, *left_alone])


def brief(options: Options) -> None:
    text = reverie.brief(workspace_of(options), options.time)
    print_value(options, {"brief": text}, [text])


def answer(options: Options) -> None:
    workspace = workspace_of(options)
    try:
        text = sys.stdin.read() if options.file == "-" else Path(options.file).read_text("utf-8-sig", "replace")
    except OSError as error:
        raise ReverieError(f"{options.file} cannot be read: {error.strerror}. Name the answer's file, or -.") from None
    report = reverie.answer(workspace, options.time, text, dry_run=options.dry_run)
    if report.refused and not (report.read or report.done or report.waiting):
        raise Unreadable(f"{report.refused[0][1]} Nothing was changed; `dream brief` says how to answer.")
    print_value(options, report, shown.report_lines(report, dry_run=options.dry_run))


def mcp(options: Options) -> None:
    try:
        from reverie.surfaces.mcp import serve
    except ImportError:
        raise ReverieError(LACKS.format("mcp")) from None
    serve(options.workspace)


def workspace_of(options: Options) -> Layout:
    layout = open_workspace(options.workspace)
    require_workspace(layout)
    return layout


def print_value(options: Options, value: Any, lines: Iterable[str]) -> None:
    has_colours = sys.stdout.isatty() and not (options.as_json or os.environ.get("NO_COLOR"))
    lines = map(shown.painted, lines) if has_colours else lines
    print(shown.as_json(value) if options.as_json else "\n".join(lines))


def is_on_terminal(options: Options) -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and not options.as_json


def ask(question: str) -> str:
    """What is typed; the end of the input is an empty answer."""
    try:
        return input(question).strip()
    except EOFError:
        return ""


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ReverieError(f"{text!r} is no day. Write it as 2026-11-15.") from None
