"""The doors to the world, each a small protocol with a published fake.

Only what a dream cannot compute comes through here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # most commands ask no model, and `dream status` counts every import
    from reverie.core.model_calls import Ask, Reply, Status


class Clock(Protocol):
    """What time is it, where the owner lives?"""

    def now(self) -> datetime:
        """The present moment with its time zone; never naive."""
        ...


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock, told in the owner's zone (or the machine's own when none is set)."""

    zone: str = ""

    def now(self) -> datetime:
        if not self.zone:
            return datetime.now().astimezone()
        from zoneinfo import ZoneInfo  # only for those who set a zone: it costs as much as a small command

        return datetime.now(ZoneInfo(self.zone))


class MachineZone(tzinfo):
    """The zone of this machine with its summer time, whatever its name; a moment's own offset knows only today's."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        return moment.replace(tzinfo=None).astimezone().utcoffset() if moment else None

    def dst(self, moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, moment: datetime | None) -> str | None:
        return moment.replace(tzinfo=None).astimezone().tzname() if moment else None

    def fromutc(self, moment: datetime) -> datetime:
        return datetime.fromtimestamp(moment.replace(tzinfo=UTC).timestamp()).replace(tzinfo=self)


@dataclass(frozen=True, slots=True)
class FixedClock:
    """The published fake: it is always the same moment."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment if self.moment.tzinfo else self.moment.astimezone()


def fixed(text: str, zone: tzinfo | None = None) -> FixedClock:
    """A clock stopped at an ISO moment, told in `zone`; without an offset it is read there, else in the machine's."""
    moment = datetime.fromisoformat(text)
    if zone is not None:
        moment = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
    return FixedClock(moment)


class Embedder(Protocol):
    """Turns texts into vectors. Its identity says which vectors may be compared; any change of it is a new one."""

    @property
    def identity(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Any:
        """An array of floats, one row of length one a text. May raise; a search then goes on without vectors."""
        ...


class HashEmbedder:
    """The published fake: words hashed into a few dimensions. The same words give the same vector, always."""

    def __init__(self, dimensions: int = 64, identity: str = "") -> None:
        self.dimensions = dimensions
        self.identity = identity or f"hash-{dimensions}"

    def embed(self, texts: Sequence[str]) -> Any:
        import hashlib

        import numpy as np  # the ground floor does not need these otherwise

        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().split():
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
                rows[row, int.from_bytes(digest) % self.dimensions] += (
                    1.0  # never taken back, so words never cancel out
                )
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.maximum(length, 1e-9)


class Idle(Protocol):
    """Is the agent at work, so that a night had better wait?"""

    def busy(self) -> str:
        """What it is at, as a clause for people; empty when it rests or when nobody can tell. Never raises."""
        ...


class ScriptedIdle:
    """The published fake: gives its answers in order and then rests for good. `ScriptedIdle()` is never at work."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    def busy(self) -> str:
        return self.answers.pop(0) if self.answers else ""


class Model(Protocol):
    """A language model, wherever it runs. It gives one answer to one question and remembers nothing."""

    @property
    def identity(self) -> str:
        """Kind, address and name: answers of another identity are another model's."""
        ...

    def ask(self, ask: Ask, seconds: float) -> Reply:
        """The answer within so many seconds. Raises ModelTrouble with its status, and nothing else."""
        ...


class ScriptedModel:
    """The published fake: gives its answers in order, and then says that there is no model.

    An answer is the text, a status (it is raised) or a function of the question.
    """

    def __init__(self, *answers: str | Status | Callable[[Ask], str], identity: str = "scripted") -> None:
        self.answers = list(answers)
        self.identity = identity
        self.asked: list[Ask] = []

    def ask(self, ask: Ask, seconds: float) -> Reply:
        from reverie.core.model_calls import ModelTrouble, Reply, Status  # see above

        self.asked.append(ask)
        answer = self.answers.pop(0) if self.answers else Status.NO_MODEL
        if isinstance(answer, Status):
            raise ModelTrouble(answer)
        text = answer if isinstance(answer, str) else answer(ask)
        return Reply(text, (len(ask.system) + len(ask.user)) // 4, len(text) // 4)
