"""The inbox: what a night would not do without its owner's word. One list of suggestions and questions: yes, no, later."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec

from reverie.archive.records import read_records
from reverie.errors import NotFound
from reverie.features.decisions import Decision, decision_of
from reverie.features.sublimate import page_splices
from reverie.operations import Op, Operation
from reverie.plan.plan import Refusal, build_plan
from reverie.store.disk import DISK, Disk
from reverie.store.journal import commit, opened
from reverie.store.runs import Run
from reverie.store.state import open_cards, read_state
from reverie.store.views import settle
from reverie.workspace.layout import Layout
from reverie.workspace.read import read

LATER = timedelta(days=7)
_QUESTIONS: dict[str, str] = {Op.ADD: "Add this line?", Op.END: "Archive this line?"}


@dataclass(frozen=True)
class Answered:
    run: Run | None
    done: tuple[Operation, ...] = ()
    refused: tuple[Refusal, ...] = ()
    gone: tuple[Operation, ...] = ()  # their lines are not there any more


def inbox(layout: Layout, now: datetime) -> list[Decision]:
    """What waits for a word today."""
    cards = open_cards(read_state(layout), now.date(), read(layout).settings.dream.ask_nights)
    shown = (decision_of(card.operation, run=card.run, at=card.asked) for card in cards)
    return [replace(card, question=card.question or _QUESTIONS.get(card.what, "Change this line?")) for card in shown]


def answer_cards(layout: Layout, now: datetime, answers: Mapping[str, str], disk: Disk = DISK) -> Answered:
    """Do what was answered with yes, decline what was answered with no, ask again in a week for later."""
    with opened(layout, "inbox", disk):
        snapshot, cards = read(layout), read_state(layout).cards
        if unknown := next((card_id for card_id in answers if card_id not in cards), ""):
            raise NotFound(f"No card {unknown} waits. `dream inbox` lists them.")
        wanted = [cards[card_id].operation for card_id, answer in answers.items() if answer == "yes"]
        pages = [
            splice
            for wish in wanted
            if wish.kind == "page"
            for splice in page_splices(snapshot, wish.under[0], wish.id)
        ]
        owned = [msgspec.structs.replace(wish, judge="owner", is_certain=True) for wish in wanted if wish.op != Op.ASK]
        plan = build_plan(snapshot, owned, now, {}, read_records(layout), accept=True)
        refused = {refusal.operation.id for refusal in plan.refused}
        week = str((now + LATER).date())
        settled = {id_: week if answer == "later" else answer for id_, answer in answers.items() if id_ not in refused}
        declined = tuple(cards[card_id].operation for card_id, answer in answers.items() if answer == "no")
        made = tuple(wish for wish in wanted if wish.kind == "page")
        plan = replace(plan, splices=(*plan.splices, *pages), done=(*plan.done, *made))
        run = commit(replace(plan, answered=settled, declined=declined, refused=()), now, "inbox", disk)
        settle(layout, disk, snapshot)
    return Answered(run, plan.done, plan.refused, plan.missed)
