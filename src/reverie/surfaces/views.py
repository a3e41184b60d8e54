"""The commands about what memory is made into: types, views, pages, a second look, sessions, other hosts' files."""

import argparse
import sys

import reverie
from reverie.errors import ReverieError
from reverie.surfaces import show as shown
from reverie.surfaces.commands import print_value, workspace_of

Options = argparse.Namespace


def palace(options: Options) -> None:
    made = reverie.palace(workspace_of(options))
    lines = [f"memory/palace/{name}.md quotes {count} lines." for name, count in made.views.items() if count]
    lines += [f"Left alone, because it is not ours: {path}" for path in made.left_alone]
    lines += [f"Left alone: {path} ({why})" for path, why in made.unread.items()]
    print_value(options, made, lines or ["Memory has nothing that a view would quote yet."])


def sublimate(options: Options) -> None:
    found = reverie.sublimate(workspace_of(options), options.time, apply=options.apply)
    lines = [f"? {question}" for question in found.proposed] or ["Nothing is ready to become a page."]
    if found.run:
        lines = [f"Written: {path}" for path in dict.fromkeys(change.path for change in found.run.changes)]
    elif found.proposed and not options.apply:
        lines += ["`dream sublimate --apply` makes the pages; the inbox asks about them, too."]
    print_value(options, found, lines)


def classify(options: Options) -> None:
    kinds = dict(pair.rpartition("=")[::2] for pair in options.kind)
    found = reverie.classify(workspace_of(options), options.time, kinds, apply=options.apply, user_file=options.user)
    lines = []
    for item in found.items:
        where = f"{item.kind} → {item.path}" if item.kind else f"stays ({item.why})"
        lines.append(f"{item.place}  {where}\n    {shown.safe(item.text)}")
    how = (
        "`dream undo` takes it back."
        if found.run
        else "`--apply` files them; `--kind PLACE=TYPE` says what form cannot."
    )
    print_value(options, found, [*lines, how])


def refine(options: Options) -> None:
    found = reverie.refine(workspace_of(options), options.time)
    lines = [f"{f.line.place}  {f.what}: {shown.safe(f.why)}\n    {shown.safe(f.line.text)}" for f in found.findings]
    asked = [f"{len(found.run.waiting)} wait for your word: `dream inbox`."] if found.run else []
    print_value(options, found, [*lines, *asked] or ["What the last nights wrote holds."])


def session(options: Options) -> None:
    workspace = workspace_of(options)
    if options.what == "start":
        started = reverie.session_start(workspace, options.time)
        return print_value(options, started, [started.text])
    words = sys.stdin.read() if options.summary in ("", "-") else options.summary
    ended = reverie.session_end(workspace, options.time, words)
    lines = [
        f"Written into {ended.path}: {len(ended.lines)} lines." if ended.lines else "There was nothing to write down."
    ]
    lines += [f"{ended.left_out} lines were left out because they may hold a secret."] * bool(ended.left_out)
    lines += [f"The next night will probably keep: {shown.safe(text)}" for text in ended.candidates]
    lines += [f"Likely to be over: {place}" for place in ended.fading]
    return print_value(options, ended, lines)


def project(options: Options) -> None:
    workspace = workspace_of(options)
    if options.remove:
        reverie.unproject(workspace, options.file)
        return print_value(options, {options.file: "removed"}, [f"{options.file} does not show memory any more."])
    if options.file:
        fates = reverie.project(workspace, options.file, budget=_number(options.budget))
    else:
        fates = reverie.refresh(workspace)
    lines = [f"{path}: {fate}" for path, fate in fates.items()]
    return print_value(
        options, fates, lines or ["Memory is shown in no other file. `dream project FILE` shows it there."]
    )


def _number(text: str) -> int:
    if not text.isdecimal() and text:
        raise ReverieError(f"{text!r} is no number of characters.")
    return int(text or 0)
