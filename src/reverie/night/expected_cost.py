"""What a night would cost at most, before anybody is asked. Writes nothing and calls nobody."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

from reverie.core.model_calls import NONE, Ask, Status, Use, together
from reverie.core.ports import Clock
from reverie.core.settings import Mind
from reverie.judge.asker import Spent, cap_reached, estimate_tokens
from reverie.judge.brief import DIARY, Brief
from reverie.judge.brief_text import windows
from reverie.judge.by_model import question
from reverie.judge.operation import AGENT
from reverie.judge.prompts import asked
from reverie.lang.messages import say
from reverie.night.briefing import brief_of
from reverie.night.exam import Standing, exam_asker, exam_questions, standing_of
from reverie.night.judging import asker_of
from reverie.workspace.values import Workspace

_FOREVER = 1e9  # seconds


@dataclass(frozen=True, slots=True)
class Expected:
    """The most that a night may cost; without `use` there is no model to pay."""

    use: Use | None = None
    cap: str = ""  # which cap would end the asking, as a clause; empty if none would
    capped: int = 0  # questions that it would leave to the rules
    slow: int = 0  # calls after which model.max_seconds would end it, if each took all its time; 0: it would not
    exam: int = 0  # calls among them of its exam, which comes before its first night


def expected_cost(workspace: Workspace, clock: Clock) -> Expected:
    """Calls, tokens, money and seconds of a night now, each at most; what is answered already costs nothing."""
    mind = workspace.settings.model
    if workspace.model is None and mind.kind != AGENT:
        return Expected()
    # A quick model asks more within the same time, so the cap on time must not make the bill smaller than it may become.
    patient = replace(mind, max_seconds=_FOREVER)
    asking = replace(workspace, settings=replace(workspace.settings, model=patient))
    if mind.kind == AGENT:  # it costs us nothing
        return Expected(Use(AGENT))
    brief = brief_of(asking, clock)
    standing, _ = standing_of(asking)
    leads = standing not in (Standing.NEVER, Standing.NOT_PASSED)
    asks = _questions(asking, brief) if leads else _diary_alone(asking, brief)
    use = asker_of(asking, clock, ask=False).would_cost(asks)
    capped = use.statuses.get(Status.CAPPED, 0)
    sizes = [(estimate_tokens(ask.system) + estimate_tokens(ask.user), ask.most_tokens) for ask in asks]
    cap = _cap(patient, use, *max(sizes, default=(0, 0))) if capped else ""
    slow = ceil(mind.max_seconds / mind.timeout) if use.seconds > mind.max_seconds else 0
    found = Expected(replace(use, seconds=min(use.seconds, mind.max_seconds)), cap, capped, slow)
    first = asks and standing in (Standing.NOT_TAKEN, Standing.UNFINISHED)
    return _with_exam(found, asking, mind) if first else found


def _with_exam(found: Expected, asking: Workspace, mind: Mind) -> Expected:
    """The bill of a first night: the exam comes before it, within caps of its own."""
    exam = exam_asker(asking).would_cost(exam_questions(asking))
    exam = replace(exam, statuses=NONE, seconds=min(exam.seconds, mind.max_seconds))
    return replace(found, use=together(found.use, exam), exam=exam.calls)


def _questions(workspace: Workspace, brief: Brief) -> list[Ask]:
    """What a model would be asked at most: about every window, and once more about what might be refused of it."""
    parts = windows(brief, workspace.settings.model.brief_tokens) if brief.notes else ()
    return [*(question(part) for part in parts), *(question(part, refused=True) for part in parts)]


def _diary_alone(workspace: Workspace, brief: Brief) -> list[Ask]:
    """What a model is asked that may not lead: to tell what a small night changed, here as long as it can become."""
    longest = sorted((note.claim.text for note in brief.notes), key=len)[-workspace.settings.memory.new_lines :]
    if not longest or DIARY not in brief.tells:
        return []
    return [asked("diary", {"added": longest}, brief.diary_language or brief.language, style=brief.diary_style)]


def _cap(mind: Mind, use: Use, largest: int, longest: int) -> str:
    """The cap that the next question would meet, by the largest one that is asked."""
    spent = Spent(use.calls, use.tokens_in, use.tokens_out, use.seconds)
    return cap_reached(mind, spent, largest, longest) or say("exam.a_cap")
