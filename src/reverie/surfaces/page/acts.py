"""What the buttons of the page do: each is one function of the features, done to what was seen, and says what came of it."""

import threading
from collections.abc import Callable
from typing import Any

import reverie
from reverie.errors import Changed, NotFound, ReverieError
from reverie.features import backfill, edit, promote, schedule
from reverie.features.doctor import mend
from reverie.features.forget import find_forgettable
from reverie.surfaces.page.site import Fields, Job, Said, Site, Value, seal_of
from reverie.workspace.layout import MEMORY, NOTES
from reverie.workspace.read import read


def act(site: Site, fields: Fields, pairs: list[tuple[str, str]]) -> None:
    verb, _, rest = fields.get("do", "").partition(" ")
    try:
        if verb in ("yes", "no", "later"):
            chosen = [value for name, value in pairs if name == "pick"] if rest == "picked" else [rest]
            site.said.append(_answer(site, dict.fromkeys(chosen, verb)))
        elif verb in _ACTS:
            site.said.append(_ACTS[verb](site, rest, fields))
        else:
            raise ReverieError("The page knows no such button; nothing was done.")
    except (Changed, NotFound) as error:
        site.said.append(Said(f"{error} This is how memory stands now.", is_wrong=True))
    except ReverieError as error:
        site.said.append(Said(str(error), is_wrong=True))


def _answer(site: Site, answers: dict[str, str]) -> Said:
    if not answers:
        return Said("Nothing was chosen.", is_wrong=True)
    answered = reverie.answer_cards(site.layout, site.now, answers)
    parts = [f"{len(answered.done)} written to memory."] if answered.done else []
    words = {"no": "{} declined; no night asks again.", "later": "{} put off for a week."}
    parts += [words[word].format(list(answers.values()).count(word)) for word in words if word in answers.values()]
    parts += [f"Not done: {refusal.why}" for refusal in answered.refused]
    parts += [f"{len(answered.gone)} had lost its line: memory has changed since."] * bool(answered.gone)
    is_wrong = bool(answered.refused or answered.gone)
    return Said(" ".join(parts) or "Answered.", answered.run.id if answered.run and answered.done else "", is_wrong)


def _take_back(site: Site, rest: str, fields: Fields) -> Said:
    run, _, decision = rest.partition(" ")
    undone = reverie.undo(site.layout, site.now, run or "none", decision)
    if undone.missed:
        return Said(f"{len(undone.missed)} lines were changed since, and stay as they are.", is_wrong=True)
    return Said("Taken back. Memory says again what it said before.", undone.run.id if undone.run else "")


def _bring_back(site: Site, rest: str, _: Fields) -> Said:
    undone = edit.bring_back(site.layout, site.now, rest)
    if undone.missed:
        return Said("Its place in memory was changed since, and stays as it is.", is_wrong=True)
    return Said("Brought back to where it stood.", undone.run.id if undone.run else "")


def _pin(site: Site, rest: str, _: Fields) -> Said:
    run = edit.pin(site.layout, site.now, *_seen(rest))
    return Said("Done. A line with 📌 is touched by no night.", run.id if run else "")


def _edit(site: Site, rest: str, fields: Fields) -> Said:
    run = edit.edit(site.layout, site.now, *_seen(rest), fields.get("words", ""))
    return Said("Written. The archive keeps the line as it was.", run.id if run else "")


def _forget(site: Site, rest: str, _: Fields) -> Said:
    line = edit.line_seen(read(site.layout), *_seen(rest))
    if line not in find_forgettable(site.layout, line.place).lines:
        raise ReverieError("It is protected, or a line below it is: take the mark away first. Nothing was changed.")
    done = reverie.forget(site.layout, site.now, (line,))
    return Said("Forgotten. The notes still say what they said.", done.run.id if done.run else "")


def _note(site: Site, _: str, fields: Fields) -> Said:
    if not site.layout.real(MEMORY).exists():
        reverie.init(site.layout.root, site.now, {})
    noted = reverie.note(site.layout, site.now, fields.get("words", ""), "decision")
    where = "memory and in today's note" if noted.in_memory else f"today's note ({noted.why_not})"
    return Said(f"Written down in {where}.", noted.run.id if noted.run else "")


def _let_happen(site: Site, seal: str, _: Fields) -> Said:
    """The night that was previewed, if it is still the same one."""
    if seal_of(reverie.review(site.layout, site.now, dry_run=True)) != seal:
        raise Changed("What a night would do has changed since the preview; nothing was written.")
    report = reverie.review(site.layout, site.now)
    return Said(f"The night changed {len(report.done)} things; {len(report.waiting)} wait for you.", report.run)


def _run_night(site: Site, _: str, __: Fields) -> Said:
    """A night in the background; `/live` tells how far it is."""
    if site.job.is_running:
        return Said("A night is running already.")
    site.job = Job("Reading what is new", is_running=True)
    threading.Thread(target=_dream, args=(site, site.job), daemon=True).start()
    return Said("A night has begun.")


def _dream(site: Site, job: Job) -> None:
    from reverie.features.lead import judge_of
    from reverie.models.ask import chosen

    judge: Value = {}
    try:
        if site.leader():
            lead = judge_of(chosen(site.model), site.layout)

            def watched(brief: Any) -> Any:
                job.step = f"The model judges {len(brief.notes)} new lines"
                verdict = lead(brief)
                job.step = "Writing"
                return verdict

            judge = {"judge": watched}
        report = reverie.review(site.layout, site.now, **judge)
        sentence = f"The night changed {len(report.done)} things; {len(report.waiting)} wait for you."
        site.said.append(Said(sentence if report.run else "Nothing was new; nothing was written.", report.run))
    except (ReverieError, OSError) as error:
        site.said.append(Said(str(error), is_wrong=True))
    finally:
        job.step, job.is_running = "", False


def _switch(site: Site, rest: str, _: Fields) -> Said:
    schedule.switch(site.layout, on=rest == "on")
    return Said("Nights come by themselves." if rest == "on" else "No night comes by itself until you resume.")


def _fill(site: Site, rest: str, _: Fields) -> Said:
    path = str(site.layout.root / NOTES)
    if rest == "reset":
        done = backfill.roll_back(site.layout, entries=True, short_term=True)
        return Said(f"{done['removedEntries']} entries and {done['removedShortTermEntries']} staged lines taken back.")
    if rest == "promote":
        done = promote.promote(site.layout, site.now, apply=True)["apply"]
        return Said(f"{done['applied']} lines entered memory.", done["run"])
    done = backfill.backfill(site.layout, site.now, path, stage=rest == "stage")
    return Said(f"{done['writtenEntries']} entries in DREAMS.md, {done['stagedShortTermEntries']} lines staged.")


def _finish(site: Site, _: str, __: Fields) -> Said:
    return Said(" ".join(mend(site.layout)) or "Nothing was left to finish.")


def _seen(rest: str) -> tuple[str, str]:
    """Place and hash of a line, as a button carries them."""
    mark, _, place = rest.partition(" ")
    return place, mark


_ACTS: dict[str, Callable[[Site, str, Fields], Said]] = {
    "take-back": _take_back, "bring-back": _bring_back, "pin": _pin, "edit": _edit,
    "forget": _forget, "note": _note, "preview": _let_happen, "run": _run_night,
    "switch": _switch, "backfill": _fill, "finish": _finish,
}  # fmt: skip
