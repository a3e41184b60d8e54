"""Which model leads, and how much of it a night may use. The choice is the owner's: a flag, the environment, never a workspace."""

import os
import shlex
import time
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from reverie.errors import BadSettings, ModelFailed, ReverieError
from reverie.judge.brief import estimated_tokens
from reverie.models.programs import ask_preset, installed, presets, run
from reverie.models.remote import KEYS, ask_remote
from reverie.store.disk import Disk, bytes_of

CALLS, TOKENS, SECONDS, ONE = 40, 200_000, 1_200.0, 240.0  # of a night; seconds of one answer
_ANSWERED = 2_000  # tokens of a usual answer
_KEPT = 40  # answers


@dataclass(frozen=True)
class Model:
    kind: str  # none, agent, a program's name, openai, anthropic, ollama or command
    name: str = ""
    url: str = ""
    price: tuple[float, float] = (0.0, 0.0)  # of a million tokens, there and back
    most: float = 0.0  # that a night may cost; 0: whatever the other caps allow

    @property
    def shown(self) -> str:
        """Its name for people; the words of a command may hold a key."""
        return self.kind if self.kind == "command" or not self.name else f"{self.kind}:{self.name}"

    @property
    def identity(self) -> str:
        return sha256("\0".join((self.kind, self.name, self.url)).encode()).hexdigest()[:16]

    def cost(self, there: int, back: int) -> float:
        return (there * self.price[0] + back * self.price[1]) / 1_000_000

    def estimate(self, tokens: int) -> str:
        """What a night with a question of so many tokens would send and cost."""
        if self.kind == "none":
            return f"No model is chosen and nothing is sent; a question would have about {tokens:,} tokens."
        cost = f", and cost about {self.cost(tokens, _ANSWERED):.2f}" if any(self.price) else ""
        return f"A night led by {self.shown} sends about {tokens:,} tokens, gets about {_ANSWERED:,} back{cost}."


def chosen(text: str = "") -> Model:
    """The model of a flag or of DREAM_MODEL: `claude`, `openai:gpt-5`, `ollama:llama3`, `command:my-model --json`, auto, none."""
    kind, _, name = (text or os.environ.get("DREAM_MODEL", "") or "none").partition(":")
    if kind == "auto":
        kind = next(iter(installed()), "none")
    if kind not in {"none", "agent", "command", *KEYS, *presets()}:
        known = ", ".join(sorted({"agent", "auto", "none", "command", *KEYS, *presets()}))
        raise BadSettings(f"{kind!r} is no kind of model; there are {known}.")
    if kind in {"anthropic", "ollama", "command"} and not name.strip():
        raise BadSettings(f"Name the model as well: {kind}:NAME.")
    price, most = _numbers("DREAM_MODEL_PRICE", 2), _numbers("DREAM_MODEL_MOST", 1)
    if any(most) and not any(price):
        raise BadSettings("DREAM_MODEL_MOST needs DREAM_MODEL_PRICE, as `3 15`: of a million tokens there and back.")
    return Model(kind, name, os.environ.get("DREAM_MODEL_URL", ""), (price[0], price[1]), most[0])


def _numbers(variable: str, count: int) -> list[float]:
    words = os.environ.get(variable, "").split() or ["0"] * count
    with suppress(ValueError):
        if len(numbers := [float(word) for word in words]) == count and all(0 <= number < 1e6 for number in numbers):
            return numbers
    raise BadSettings(f"{variable} is {'a number' if count == 1 else f'{count} numbers with a blank between them'}.")


@dataclass
class Asking:
    """One function from a prompt to an answer, within the caps of a night. The same prompt is paid for once."""

    model: Model
    kept: Path | None = None  # the folder where answers are kept
    started: float = field(default_factory=time.monotonic)
    calls: int = 0
    there: int = 0  # tokens
    back: int = 0
    of_process: ClassVar[int] = 0  # calls of all of them

    def __call__(self, prompt: str) -> str:
        key = f"{self.model.identity}-{sha256(prompt.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
        if self.kept and (known := bytes_of(self.kept / key)):
            return known.decode()
        self._count(estimated_tokens(prompt))
        answer = ask_model(self.model, prompt, min(ONE, self.started + SECONDS - time.monotonic()))
        self.back += estimated_tokens(answer)
        if self.kept and '"operations"' in answer:  # what is none may come out better when it is asked again
            self._keep(self.kept, key, answer)
        return answer

    @property
    def used(self) -> str:
        """What a night has asked of it, for people."""
        cost = f", about {self.model.cost(self.there, self.back):.2f}" if any(self.model.price) else ""
        return f"{self.model.shown}: {self.calls} questions, about {self.there + self.back:,} tokens{cost}"

    def _count(self, tokens: int) -> None:
        calls, there = self.calls + 1, self.there + tokens
        if calls > CALLS or there > TOKENS or time.monotonic() > self.started + SECONDS:
            most = f"{CALLS} times, {TOKENS:,} tokens and {SECONDS:.0f} seconds"
            raise ModelFailed(f"A night asks a model at most {most}.")
        if self.model.most and self.model.cost(there, self.back + _ANSWERED) > self.model.most:
            raise ModelFailed(f"A night may cost {self.model.most:.2f} (DREAM_MODEL_MOST), and this would cost more.")
        self.calls, self.there = calls, there
        Asking.of_process += 1

    @staticmethod
    def _keep(folder: Path, key: str, answer: str) -> None:
        with suppress(OSError, ReverieError):  # a cache
            Disk().replace(folder / key, answer.encode("utf-8", "replace"))
            for old in sorted(folder.iterdir(), key=os.path.getmtime)[:-_KEPT]:
                old.unlink()


def ask_model(model: Model, prompt: str, seconds: float) -> str:
    """What it answers; ModelFailed in one sentence where it does not."""
    if model.kind == "command":
        try:
            words = shlex.split(model.name)
        except ValueError:
            why = "The command of the model cannot be read; quote its words as a shell wants them."
            raise BadSettings(why) from None
        return run(words, prompt, seconds)
    if model.kind in KEYS:
        key = os.environ.get(KEYS[model.kind], "").strip()
        return ask_remote(model.kind, model.name, prompt, seconds, model.url, key)
    return ask_preset(model.kind, model.name, prompt, seconds)
