"""The inbox: what a night would not do without its owner's word. One list of suggestions and questions: yes, no, later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

import msgspec

from reverie.archive.records import read_records
from reverie.errors import NotFound
from reverie.operations import Op, Operation
from reverie.plan.draft import Refused, retold
from reverie.plan.plan import Refusal, build_plan
from reverie.store.disk import Disk
from reverie.store.journal import commit, writing
from reverie.store.runs import Run
from reverie.store.state import Card, open_cards, read_state
from reverie.store.views import settle
from reverie.workspace.layout import Layout
from reverie.workspace.read import read
from reverie.workspace.snapshot import Snapshot

LATER = timedelta(days=7)


@dataclass(frozen=True)
class ShownCard:
    """A card as its owner sees it: the whole lines before and after, so that a yes never surprises."""

    id: str
    op: Op
    why: str
    question: str
    before: tuple[str, ...]
    after: str
    under: str
    sources: tuple[str, ...]
    asked: date
    run: str


@dataclass(frozen=True)
class Answered:
    run: Run | None
    done: tuple[Operation, ...] = ()
    refused: tuple[Refusal, ...] = ()
    gone: tuple[Operation, ...] = ()  # their lines are not there any more


def inbox(layout: Layout, now: datetime) -> list[ShownCard]:
    """What waits for a word today."""
    snapshot = read(layout)
    nights = snapshot.settings.dream.ask_nights
    return [_shown(card, snapshot) for card in open_cards(read_state(layout), now.date(), nights)]


def answer_cards(layout: Layout, now: datetime, answers: Mapping[str, str], disk: Disk | None = None) -> Answered:
    """Do what was answered with yes, decline what was answered with no, ask again in a week for later."""
    disk = disk or Disk()
    with writing(layout, "inbox", disk):
        settle(layout, disk)
        snapshot, state = read(layout), read_state(layout)
        cards = {card_id: _card(state.cards, card_id) for card_id in answers}
        wanted = [_owners(cards[card_id].operation) for card_id, answer in answers.items() if answer == "yes"]
        plan = build_plan(
            snapshot, [wish for wish in wanted if wish.op is not Op.ASK], now, {}, read_records(layout), accept=True
        )
        refused = {refusal.operation.id for refusal in plan.refused}
        settled = {card_id: _settled(answer, now) for card_id, answer in answers.items() if card_id not in refused}
        declined = tuple(cards[card_id].operation for card_id, answer in answers.items() if answer == "no")
        run = commit(replace(plan, answered=settled, declined=declined, refused=()), now, "inbox", disk)
        settle(layout, disk, snapshot)
    return Answered(run, plan.done, plan.refused, plan.missed)


def _card(cards: Mapping[str, Card], card_id: str) -> Card:
    if card_id not in cards:
        raise NotFound(f"No card {card_id} waits. `dream inbox` lists them.")
    return cards[card_id]


def _owners(operation: Operation) -> Operation:
    return msgspec.structs.replace(operation, judge="owner", is_certain=True)


def _settled(answer: str, now: datetime) -> str:
    return str((now + LATER).date()) if answer == "later" else answer


def _shown(card: Card, snapshot: Snapshot) -> ShownCard:
    operation = card.operation
    return ShownCard(
        operation.id,
        operation.op,
        operation.why,
        operation.question,
        tuple(ref.words for ref in operation.lines),
        _after(operation, snapshot),
        " > ".join(operation.under),
        tuple(ref.place for ref in operation.cites),
        card.asked,
        card.run,
    )


def _after(operation: Operation, snapshot: Snapshot) -> str:
    """The whole line as it would stand after a yes; empty where a line leaves."""
    first = snapshot.find(operation.lines[0]) if operation.lines else None
    if operation.op in {Op.UPDATE, Op.MERGE} and first:
        try:
            return retold(operation, first)
        except Refused:
            return operation.text
    return f"- {operation.text}" if operation.text else ""
