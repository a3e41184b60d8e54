"""A model must pass an exam before it leads: what gets which marks, who passes, who leads, and what is kept of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import NIGHT, Build
from reverie.core.layout import MODEL_ANSWERS, MODEL_LOG
from reverie.core.model_calls import Ask, Status
from reverie.core.ports import ScriptedModel, fixed
from reverie.core.settings import Mind
from reverie.judge.brief import Brief
from reverie.judge.brief_text import windows
from reverie.judge.built_in import BuiltIn
from reverie.judge.by_model import checked, question
from reverie.judge.exam import Marks, added, briefs, harm_share, labels_of, marked, names, passes, score
from reverie.night.commands import plan_dream, review
from reverie.night.exam import Standing, examine, result_of, standing_of
from reverie.privacy.redact import holds_secret
from reverie.surfaces.cli import main
from reverie.surfaces.configure import configured
from reverie.workspace.values import Workspace

CLOCK = fixed(NIGHT)
MEMORY = "# Memory\n\n## Workshop\n- The clay store is kept at 8 degrees.\n"
NOTE = "# 2026-11-13\n\n## Workshop\n- The clay store is kept at 11 degrees from now on.\n"
WARMER = {"op": "update", "memory": ["m1"], "from": ["n1"], "old": "8 degrees", "new": "11 degrees", "why": "warmer"}
Answers = Callable[[str, Brief], list[dict[str, Any]]]


# --- who might take it -------------------------------------------------------------------------------------------------


def oracle(name: str, brief: Brief) -> list[dict[str, Any]]:
    """Answers what the labels want."""
    wanted = []
    for note, label in labels_of(name).items():
        does, about = label.get("does"), {"memory": label.get("to", []), "from": [note]}
        if does == "add" and label.get("keep", 0) >= 2:
            wanted.append({"op": "add", "from": [note], "text": label["line"], "section": label["section"]})
        elif does == "conflict":
            wanted.append({"op": "ask", **about, "question": "Which one holds?"})
        elif does == "ends" and "result" not in label:
            wanted.append({"op": "end", **about})
        elif does == "update" and "swap" in label and label["to"][0].startswith("m"):
            wanted += [{"op": "update", **about, "old": old, "new": new} for old, new in label["swap"]]
        elif does in ("update", "ends", "richer") and label["to"][0].startswith("m"):
            wanted.append({"op": "update", **about, "text": label["result"]})
    return wanted


def everything(name: str, brief: Brief) -> list[dict[str, Any]]:
    """Would keep every line of the notes."""
    return [
        {"op": "add", "from": [note.id], "text": note.claim.text, "section": brief.sections[0]} for note in brief.notes
    ]


def inverted(name: str, brief: Brief) -> list[dict[str, Any]]:
    """Keeps the noise, and ends what nobody speaks of."""
    labels = labels_of(name)
    touched = {line for label in labels.values() for line in label.get("to", ())}
    noise = [one for one in everything(name, brief) if not labels.get(one["from"][0], {}).get("keep")]
    ends = [
        {"op": "end", "memory": [line.id], "from": [brief.notes[0].id]}
        for line in brief.memory
        if line.id not in touched
    ]
    return noise + ends


def silent(name: str, brief: Brief) -> list[dict[str, Any]]:
    return []


class Pupil(ScriptedModel):
    """A model that answers the exam in its way, and everything else with one operation."""

    def __init__(
        self, answers: Answers, *, identity: str = "pupil", fails_from: int = 99, status: Status | None = None
    ) -> None:
        super().__init__(identity=identity)
        self.lessons = {
            question(windows(brief)[0]).user: json.dumps({"operations": answers(name, brief)})
            for name, brief in briefs()
        }
        self.examined, self.nights, self.fails_from, self.status = 0, 0, fails_from, status

    def ask(self, ask: Ask, seconds: float) -> Any:
        if "# Refused" in ask.user:
            self.answers = ["[]"]
        elif ask.user in self.lessons:
            self.examined += 1
            late = self.examined > self.fails_from and self.status is not None
            self.answers = [self.status if late and self.status else self.lessons[ask.user]]
        else:
            self.nights += 1
            self.answers = [json.dumps({"operations": [WARMER]})]
        return super().ask(ask, seconds)


@pytest.fixture
def workspace(build: Build, tmp_path: Path) -> Workspace:
    made = build({"MEMORY.md": MEMORY, "memory/2026-11-13.md": NOTE})
    settings = replace(made.settings, model=Mind(kind="command", write=False))
    return replace(made, settings=settings, exams=tmp_path / "state" / "reverie" / "exams.json")


def memory_of(workspace: Workspace) -> str:
    return (workspace.root / "MEMORY.md").read_text()


def marks_of(answers: Answers) -> list[Marks]:
    found = []
    for name, brief in briefs():
        good, _ = checked({"operations": answers(name, brief)}, brief, "pupil")
        found.append(marked(name, good))
    return found


def own_marks() -> list[Marks]:
    return [marked(name, BuiltIn().judge(brief).operations) for name, brief in briefs()]


# --- marks -------------------------------------------------------------------------------------------------------------


def test_the_built_in_judge_gets_the_same_marks_each_time_hurts_nothing_and_leaves_room_above_it() -> None:
    first = own_marks()

    assert first == own_marks() and len(first) == len(names()) == 12
    assert harm_share(first) == 0 and 0 < score(first) < 0.4


def test_whoever_answers_from_the_labels_passes_and_nobody_else_does() -> None:
    own = own_marks()

    assert score(marks_of(oracle)) > 0.8 and passes(marks_of(oracle), own)
    assert not any(passes(marks_of(other), own) for other in (everything, inverted, silent))
    assert not passes(own, own)


def test_one_line_hurt_weighs_as_much_as_three_lines_of_noise() -> None:
    assert score([Marks(8, 3, 0, 10)]) == score([Marks(8, 0, 1, 10)]) == 0.5
    assert score([Marks(0, 9, 9, 10)]) == 0 and score([]) == 0
    assert not passes([Marks(90, 0, 6, 100)], [Marks(0, 0, 0, 100)])


def test_what_gets_which_mark() -> None:
    name, brief = next((name, brief) for name, brief in briefs() if name == "en-work-05")

    def mark(*operations: dict[str, Any]) -> tuple[int, int, int]:
        good, refused = checked({"operations": list(operations)}, brief, "pupil")
        assert not refused, refused
        found = marked(name, good)
        return found.right, found.wrong, found.harm

    update = {"op": "update", "memory": ["m13"], "from": ["n1"], "old": "cheque", "new": "transfer"}
    assert mark(update) == (1, 0, 0)
    assert mark({**update, "from": ["n2"], "new": "vouchers"}) == (0, 0, 0)  # the right line by the wrong note
    assert mark({"op": "end", "memory": ["m13"], "from": ["n1"]}) == (0, 1, 0)  # the parish still buys
    assert mark({"op": "end", "memory": ["m15"], "from": ["n7"]}) == (1, 0, 0)
    assert mark({"op": "end", "memory": ["m14"], "from": ["n7"]}) == (0, 0, 1)
    assert mark({"op": "add", "from": ["n2"], "text": "sold two vouchers and a thimble", "section": "Shop"}) == (
        0,
        1,
        0,
    )


def test_the_briefs_show_no_secret_and_every_line_of_memory_is_a_line() -> None:
    for _, brief in briefs():
        assert not any(holds_secret(line.claim.text) for line in brief.notes)
        assert brief.file is not None and len(brief.file.entries) >= len(brief.memory) > 15


# --- who leads ---------------------------------------------------------------------------------------------------------


def test_a_model_that_passes_leads_at_once_and_the_receipt_holds_what_the_exam_cost(workspace: Workspace) -> None:
    pupil = Pupil(oracle)

    night = review(replace(workspace, model=pupil), CLOCK)

    assert "11 degrees" in memory_of(workspace) and (pupil.examined, pupil.nights) == (12, 1)
    assert night.plan.use and night.plan.use.calls == len(pupil.asked) > 12
    assert night.plan.use.statuses[Status.PASSED] == 1 and night.plan.use.statuses[Status.ANSWERED] == 1
    for path in (MODEL_ANSWERS, MODEL_LOG):  # its answers are no part of this memory
        assert (workspace.root / path).read_text().count("\n") == 1


@pytest.mark.parametrize("answers", [everything, inverted, silent])
def test_a_model_that_fails_never_leads_and_is_not_asked_again(
    workspace: Workspace, build: Build, answers: Answers
) -> None:
    alone = build({"MEMORY.md": MEMORY, "memory/2026-11-13.md": NOTE})
    review(alone, CLOCK)
    pupil = Pupil(answers)

    first = review(replace(workspace, model=pupil), CLOCK)
    (workspace.root / "memory/2026-11-14.md").write_text("# 2026-11-14\n\n- The lathe is sold.\n")
    asked = len(pupil.asked)
    second = review(replace(workspace, model=pupil), CLOCK)

    assert memory_of(alone) in (memory_of(workspace), MEMORY) and pupil.nights == 0 and len(pupil.asked) == asked
    for night in (first, second):
        assert night.plan.use and dict(night.plan.use.statuses) == {Status.NOT_PASSED: 1}


def test_a_model_that_fails_may_still_write_the_diary(workspace: Workspace) -> None:
    told = "Tonight I let the summer fair go, since its day is over, and I kept everything else as quietly as it was before."
    (workspace.root / "MEMORY.md").write_text(f"{MEMORY}- Summer fair, valid until 2026-11-01.\n")

    class Poet(Pupil):
        def ask(self, ask: Ask, seconds: float) -> Any:
            if ask.task != "diary":
                return super().ask(ask, seconds)
            self.answers = [json.dumps({"diary": told})]
            return ScriptedModel.ask(self, ask, seconds)

    mind = replace(workspace.settings.model, write=True)
    poet = replace(workspace, model=Poet(silent), settings=replace(workspace.settings, model=mind))

    night = review(poet, CLOCK)

    assert "Summer fair" not in memory_of(workspace) and told in (workspace.root / "DREAMS.md").read_text()
    assert night.plan.use and night.plan.use.statuses[Status.NOT_PASSED] == 1


def test_without_asking_a_model_that_was_not_examined_does_not_lead(workspace: Workspace) -> None:
    pupil = Pupil(oracle)

    night = plan_dream(replace(workspace, model=pupil), CLOCK, ask=False)

    assert pupil.asked == [] and night.plan.use and dict(night.plan.use.statuses) == {Status.NOT_EXAMINED: 1}


@pytest.mark.parametrize(
    ("change", "leads"), [({"exam": False}, True), ({"leads": False}, False), ({"leads": False, "exam": False}, False)]
)
def test_the_owner_may_do_without_the_exam_or_without_the_model(
    workspace: Workspace, change: dict[str, Any], leads: bool
) -> None:
    pupil = Pupil(everything)
    mind = replace(workspace.settings.model, **change)

    review(replace(workspace, model=pupil, settings=replace(workspace.settings, model=mind)), CLOCK)

    assert pupil.examined == 0 and pupil.nights == leads and ("11 degrees" in memory_of(workspace)) == leads


def test_a_library_user_without_a_place_for_results_is_asked_for_none(workspace: Workspace) -> None:
    pupil = Pupil(everything)

    review(replace(workspace, model=pupil, exams=None), CLOCK)

    assert (pupil.examined, pupil.nights) == (0, 1)


# --- what is kept ------------------------------------------------------------------------------------------------------


def test_a_result_is_kept_once_for_each_model_and_prompt(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Pupil(oracle), Pupil(inverted, identity="other")

    for pupil in (one, other, one, other):
        examine(replace(workspace, model=pupil), CLOCK)

    assert (one.examined, other.examined) == (12, 12)
    assert standing_of(replace(workspace, model=one))[0] is Standing.PASSED
    assert standing_of(replace(workspace, model=other))[0] is Standing.NOT_PASSED
    from reverie.judge import prompts

    newer = replace(prompts.prompt("night"), version="99-new")
    monkeypatch.setattr(prompts, "prompt", lambda task: newer)
    assert standing_of(replace(workspace, model=one))[0] is Standing.NOT_TAKEN


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"exams": 3}', '{"exams": {"a": 1}}', "\udcff", "[" * 100_000])
def test_a_damaged_file_holds_no_result_and_the_exam_is_taken_anew(workspace: Workspace, damage: str) -> None:
    pupil = Pupil(oracle)
    led = replace(workspace, model=pupil)
    assert workspace.exams
    workspace.exams.parent.mkdir(parents=True)
    workspace.exams.write_bytes(damage.encode("utf-8", "surrogateescape"))

    assert result_of(led) is None and examine(led, CLOCK).result.passed
    assert result_of(led) == examine(led, CLOCK).result and pupil.examined == 12


def test_a_result_with_a_part_missing_is_none(workspace: Workspace) -> None:
    led = replace(workspace, model=Pupil(oracle))
    key = examine(led, CLOCK).result.key
    assert workspace.exams
    kept = json.loads(workspace.exams.read_text())
    for part in list(kept["exams"][key]):
        broken = {name: one for name, one in kept["exams"][key].items() if name != part}
        workspace.exams.write_text(json.dumps({"exams": {key: broken}}))
        assert result_of(led) is None


@pytest.mark.parametrize("status", [Status.NO_MODEL, Status.RATE_LIMITED, Status.FAILED])
def test_an_exam_that_ends_in_the_middle_goes_on_where_it_was(workspace: Workspace, status: Status) -> None:
    tired = Pupil(oracle, fails_from=5, status=status)
    night = review(replace(workspace, model=tired), CLOCK)
    standing, result = standing_of(replace(workspace, model=tired))
    assert standing is Standing.UNFINISHED and result and len(result.marks) == 5 and result.why == status
    assert tired.nights == 0 and night.plan.use and dict(night.plan.use.statuses) == {Status.NOT_EXAMINED: 1}

    rested = Pupil(oracle)
    examined = examine(replace(workspace, model=rested), CLOCK)

    assert rested.examined == 7 and examined.result.passed


def test_an_answer_that_is_none_counts_against_the_model(workspace: Workspace) -> None:
    pupil = Pupil(oracle, fails_from=5, status=Status.REFUSED)

    examined = examine(replace(workspace, model=pupil), CLOCK)

    assert (
        examined.result.passed is not None
        and added(Marks(*one) for one in list(examined.result.marks.values())[5:]).right == 0
    )


def test_a_cap_ends_it_and_nothing_is_asked_where_nothing_can_be_kept(workspace: Workspace, tmp_path: Path) -> None:
    pupil = Pupil(oracle)
    mind = replace(workspace.settings.model, max_calls=3)
    short = replace(workspace, model=pupil, settings=replace(workspace.settings, model=mind))
    examined = examine(short, CLOCK)
    assert len(pupil.asked) <= 3 and examined.result.passed is None and examined.result.why == Status.CAPPED

    (tmp_path / "a file").write_text("")
    before = len(pupil.asked)
    nowhere = replace(short, exams=tmp_path / "a file" / "exams.json")
    assert examine(nowhere, CLOCK).result.passed is None and len(pupil.asked) == before


# --- what people see ---------------------------------------------------------------------------------------------------


def test_the_command_shows_the_result_and_status_and_doctor_tell_it(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAM_MODEL", "command:nobody-is-there")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "mine"))
    real = configured(
        workspace.root, {"DREAM_MODEL": "command:nobody-is-there", "XDG_STATE_HOME": str(tmp_path / "mine")}
    )
    assert real.model is not None and real.exams == tmp_path / "mine" / "reverie" / "exams.json"

    def call(*words: str) -> str:
        done = CliRunner().invoke(main, [*words, "--workspace", str(workspace.root), "--now", NIGHT])
        assert done.exit_code in (0, 16), done.output
        return done.output

    assert "Takes the exam before its first night" in call("model")
    examine(replace(real, model=Pupil(inverted, identity=real.model.identity)), CLOCK)

    told = json.loads(call("model", "--json"))
    assert (told["leads"], told["standing"], told["exam"]["passed"]) == (False, "not passed", False)
    table = call("model", "exam")
    assert "en-work-05" in table and "did not pass the exam" in table
    assert all("did not pass the exam" in call(word) for word in ("status", "doctor"))


def test_without_a_model_there_is_nobody_to_examine(workspace: Workspace) -> None:
    here = ["--workspace", str(workspace.root)]

    assert CliRunner().invoke(main, ["model", "exam", *here]).exit_code != 0
    assert json.loads(CliRunner().invoke(main, ["model", "--json", *here]).output)["standing"] == "no model"
    assert "Model" not in CliRunner().invoke(main, ["status", *here]).output


def test_a_glance_finds_the_result_without_the_provider_and_without_numpy(workspace: Workspace, tmp_path: Path) -> None:
    environ = {"DREAM_MODEL": "openai:small", "XDG_STATE_HOME": str(tmp_path / "mine"), "HOME": str(tmp_path)}
    real = configured(workspace.root, environ)
    assert real.model
    examine(replace(real, model=Pupil(oracle, identity=real.model.identity)), CLOCK)
    script = (
        "import sys; from reverie.surfaces.cli import main\n"
        f"main(['status', '--workspace', {str(workspace.root)!r}], standalone_mode=False)\n"
        "print(sorted({'numpy', 'ssl', 'http.client', 'reverie.models.remote'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True, check=True)

    assert "leads: it passed the exam" in done.stdout and done.stdout.rstrip().endswith("[]")
    assert (
        standing_of(configured(workspace.root, environ | {"DREAM_MODEL": "openai:large"}), glance=True)[0]
        is Standing.NOT_TAKEN
    )
