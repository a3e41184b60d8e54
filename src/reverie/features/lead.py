"""Who judges a night: the model that its owner chose, if it once showed that it can; else the rules do what is certain."""

import os
import tempfile
import zlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import msgspec

from reverie.errors import ModelFailed
from reverie.hosts.connect import connections
from reverie.judge import rules
from reverie.judge.answer import prompt_head
from reverie.judge.brief import Judge
from reverie.judge.model import led_by, model_judge
from reverie.models.ask import Asking, Model, chosen
from reverie.night import run_night
from reverie.store.disk import Disk, bytes_of
from reverie.workspace.layout import MEMORY, Layout, layout_of, user_folder

# One night whose outcome nobody doubts: a value that changed, a fact worth keeping, small talk.
_NOW = datetime(2026, 3, 6, 3, 30)
_SCENE = {
    "MEMORY.md": "# Workshop\n\n## Machines\n- The lathe runs at 900 rpm\n\n## People\n- Ines keeps the books\n",
    "memory/2026-03-05.md": "- The lathe runs at 1,100 rpm now, not at 900\n- Bruno is allergic to hazelnuts\n- Long rain today\n",
}


def judge_of(model: Model, layout: Layout) -> Judge:
    """The judge that this model makes: asked a trial question once, and within the caps of a night."""
    if model.kind in ("none", "agent"):
        return rules.decide
    asking = Asking(model, layout.answers)

    def ask(prompt: str) -> str:
        if not can_lead(model, asking):
            raise ModelFailed(f"{model.shown} did not pass a small trial night and does not lead.")
        return asking(prompt)

    return led_by(ask, lambda: asking.used)


def scheduled_model(layout: Layout, named: str = "") -> Model:
    """Who leads a night that nobody asked for: what is named, else the agent of a host that is connected."""
    if named or os.environ.get("DREAM_MODEL") or not any(each.is_connected for each in connections(layout)):
        return chosen(named)
    return Model("agent")


def can_lead(model: Model, ask: Callable[[str], str]) -> bool:
    """Whether the model judges the trial night as anybody would: tried once for each model and wording of the question."""
    if (known := tried(model)) is not None:
        return known
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _SCENE.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        night = run_night(layout_of(Path(folder)), _NOW, model_judge(ask), dry_run=True)
    after = "".join(night.plan.lines_after(MEMORY))
    passed = "1,100" in after and "900" not in after and "hazelnuts" in after and "keeps the books" in after
    Disk().replace(trial_file(model), msgspec.json.encode(passed))
    return passed


def tried(model: Model) -> bool | None:
    """What came of the trial; None where there was none yet."""
    return {b"true": True, b"false": False}.get(bytes_of(trial_file(model)) or b"")


def trial_file(model: Model) -> Path:
    wording = zlib.crc32(prompt_head().encode())
    return user_folder("XDG_STATE_HOME", ".local/state") / "models" / f"{model.identity}-{wording:08x}"
