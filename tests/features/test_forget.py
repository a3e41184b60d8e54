"""`dream forget`: what is meant leaves and nothing else; it can be undone, kept away for good, or erased everywhere."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NIGHT, Build, tree
from reverie.apply.runs import runs
from reverie.core.errors import BadInput, RefusedPlan, UndoCollision, UnknownRun
from reverie.core.ports import FixedClock, fixed
from reverie.features.forget.forget import Forgotten, forget
from reverie.features.forget.plan import owner_removed, tombstones_in
from reverie.features.search import default_embedder
from reverie.judge.descriptions import Candidate, Description, find_described
from reverie.judge.forgotten import forgotten, statement, tombstone
from reverie.night import commands
from reverie.plan.promises import check_promises
from reverie.surfaces.cli import common
from reverie.text.lines import sentences, split_lines, without_sentences
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Edit, Intent, Plan, Workspace
from terminal import call
from wishes import Wishing, add

FOREVER, FORGOTTEN, BY_HAND = "forgotten for ever on 2026-11-15", "forgotten on 2026-11-15", "you took it out by hand"
CLOCK = fixed(NIGHT)
MEMORY = (
    "# Ada\n\n## Notes\n- likes black tea\n- lives in Bern\n- 📌 black tea from the corner shop\n- Harbour walk:\n  - starts at the crane\n"
    "  - ends at the mill\n\n## Boat\n- varnish every spring\n- The mast is oak. The boat leaks. Ropes are new.\n"
)
NOTE = (
    "# 2026-11-14\r\n\r\n- 14:00 bought black tea\r\n- walked 12 km\r\n> black tea stains\r\n> green tea does not\r\n"
)
FILES: dict[str, str | bytes] = {
    "MEMORY.md": MEMORY,
    "memory/2026-11-14.md": NOTE,
    "memory/2026-11-13.md": "- black tea\n",
}


@pytest.fixture
def workspace(build: Build) -> Workspace:
    return build(FILES)


def text(workspace: Workspace, path: str = "MEMORY.md") -> str:
    return (workspace.root / path).read_bytes().decode()


def places(gone: Forgotten) -> list[str]:
    return [f"{one.path}:{one.line}" for one in gone.removed]


def everything(root: Path) -> str:
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in sorted(root.rglob("*")) if path.is_file())


def test_what_is_meant_leaves_and_no_other_byte_changes(workspace: Workspace) -> None:
    gone = forget(workspace, CLOCK, "black tea")

    assert places(gone) == ["MEMORY.md:4", "memory/2026-11-13.md:1", "memory/2026-11-14.md:3", "memory/2026-11-14.md:5"]
    assert text(workspace) == MEMORY.replace("- likes black tea\n", "")
    assert text(workspace, "memory/2026-11-14.md") == NOTE.replace("- 14:00 bought black tea\r\n", "").replace(
        "> black tea stains\r\n", ""
    )


def test_a_pinned_line_stays_and_is_named(workspace: Workspace) -> None:
    (pinned,) = forget(workspace, CLOCK, "black tea").stays

    assert (pinned.path, pinned.line) == ("MEMORY.md", 6)
    assert "pinned" in pinned.why and "📌 black tea" in text(workspace)


def test_undo_brings_back_every_byte_and_the_tombstones_go(workspace: Workspace) -> None:
    before = tree(workspace.root)
    forget(workspace, CLOCK, "black tea", forever=True)
    commands.undo(workspace, CLOCK)

    assert tree(workspace.root) == before


def test_a_dry_run_tells_the_same_and_writes_nothing(workspace: Workspace) -> None:
    before = tree(workspace.root)
    told = forget(workspace, CLOCK, "black tea", dry_run=True)

    assert tree(workspace.root) == before
    assert places(told) == places(forget(workspace, CLOCK, "black tea"))


def test_an_item_leaves_with_what_hangs_on_it(workspace: Workspace) -> None:
    forget(workspace, CLOCK, "the harbour walk")

    assert "crane" not in text(workspace) and "lives in Bern" in text(workspace)


def test_under_its_own_heading_everything_is_about_it_and_sentences_beside_it_stay(workspace: Workspace) -> None:
    forget(workspace, CLOCK, "boat")

    assert "varnish" not in text(workspace)
    assert "- The mast is oak. Ropes are new.\n" in text(workspace)


def test_a_summary_with_time_and_hash_is_kept_and_the_archive_is_not_touched(workspace: Workspace) -> None:
    forget(workspace, CLOCK, "likes black tea")

    (first, *_) = json.loads((workspace.vault / "meta/removed-entries.json").read_text())
    assert (first["summary"], first["removed_at"], first["forgotten"]) == ("likes black tea", "2026-11-15 03:00", True)
    assert len(first["content_hash"]) == 64
    assert not (workspace.vault / "ledger.md").exists()


def test_what_is_only_near_is_left_and_can_be_forgotten_by_its_id_or_place(build: Build) -> None:
    workspace = build({"MEMORY.md": "- favourite colour is cyan\n- favourite dish is soup\n- owns a kayak\n"})
    gone = forget(workspace, CLOCK, "favourite colour purple")

    assert gone.removed == () and [one.line for one in gone.near] == [1]
    assert places(forget(workspace, CLOCK, gone.near[0].id)) == ["MEMORY.md:1"]
    assert places(forget(workspace, CLOCK, "MEMORY.md:2")) == ["MEMORY.md:2"]
    assert text(workspace) == "- favourite dish is soup\n"


def test_what_is_said_in_other_words_is_shown_and_leaves_only_by_its_id(build: Build, tmp_path: Path) -> None:
    files = {"MEMORY.md": "- Carla does the tax papers\n- owns a kayak\n- rent is 890 a month\n"}
    workspace = replace(build(files), embedder=default_embedder(tmp_path / "cache"))  # type: ignore[arg-type]
    for words in ("what I said about my tax adviser", "my accountant"):
        gone = forget(workspace, CLOCK, words)
        assert (gone.removed, gone.run, gone.near[0].text) == ((), "", "Carla does the tax papers")

    assert places(forget(workspace, CLOCK, gone.near[0].id)) == ["MEMORY.md:1"]


@pytest.mark.parametrize("words", ["", "  ", "the", "everything"])
def test_a_description_must_name_something(workspace: Workspace, words: str) -> None:
    with pytest.raises(BadInput):
        forget(workspace, CLOCK, words)


LINES = (
    "likes black tea", "drinks green tea", "never drinks black tea after four", "rent is 890 a month", "rent of the shed is 120",
    "Mila calls on Mondays", "Mila Brandt prefers letters", "每天早上喝咖啡", "服务器在法兰克福", "Die Katzen fressen um 7",
    "Мария работает в банке", "家賃は月8万円", "고양이는 나비라고 한다", "no sugar in the coffee",
)  # fmt: skip
MEANT = [
    ("black tea", [0, 2]), ("everything about black tea", [0, 2]), ("rent of the shed", [4]), ("rent 890", [3]), ("rent 891", []),
    ("Mila Brandt", [6]), ("Mila", [5, 6]), ("关于咖啡的一切", [7]), ("请忘掉服务器", [8]), ("meine Katze", [9]), ("всё про Марию", [10]),
    ("家賃のこと", [11]), ("고양이", [12]), ("that there is sugar in the coffee", []), ("white tea", []), ("tea pot", []),
]  # fmt: skip


@pytest.mark.parametrize(("words", "expected"), MEANT)
def test_words_say_what_is_meant_in_many_languages(words: str, expected: list[int]) -> None:
    found = find_described(Description(words), [Candidate(i, line) for i, line in enumerate(LINES)])

    assert [one.place for one in found.clear] == expected


def test_what_was_forgotten_may_come_back_later_and_what_is_gone_for_good_may_not(workspace: Workspace) -> None:
    forget(workspace, CLOCK, "likes black tea")
    for_now = tombstones_in(read_workspace(workspace))
    said = "- 09:12 likes black tea <!-- dream:6e14d553 -->"

    assert forgotten(said, for_now, day="2026-11-14") == FORGOTTEN
    assert forgotten(said, for_now, day="2026-11-16") == ""

    commands.undo(workspace, CLOCK)
    forget(workspace, CLOCK, "likes black tea", forever=True)
    assert forgotten(said, tombstones_in(read_workspace(workspace)), day="2026-11-16") == FOREVER


@pytest.mark.parametrize(
    ("said", "covered"),
    [
        ("The rent of the old mill is 890 francs", True),
        ("the rent of the mill is now 890 francs", True),
        ("the rent of the old mill is 935 francs", False),
        ("the rent of the old mill is not 890 francs", False),
        ("the lease of the new barn is 890 francs", False),
    ],
)
def test_a_tombstone_knows_what_is_nearly_the_same_and_nothing_else(said: str, *, covered: bool) -> None:
    assert tombstone("- rent of the old mill is 890 francs").covers(said) is covered


def test_a_tombstone_cannot_be_read(workspace: Workspace) -> None:
    forget(workspace, CLOCK, "likes black tea", forever=True)

    kept = (workspace.vault / "meta/tombstones.json").read_text()
    assert "tea" not in kept and "black" not in kept


def test_a_line_of_ours_that_the_owner_deletes_is_known(workspace: Workspace) -> None:
    from reverie.features.note import note

    note(workspace, CLOCK, "I have decided to paint the boat green")
    assert owner_removed(read_workspace(workspace), runs(workspace)) == frozenset()
    kept = [line for line in text(workspace).split("\n") if "paint the boat" not in line]
    (workspace.root / "MEMORY.md").write_text("\n".join(kept))

    by_hand = owner_removed(read_workspace(workspace), runs(workspace))
    assert by_hand == {"I have decided to paint the boat green"}
    assert forgotten("I've decided to paint the boat green", (), by_hand) == BY_HAND
    assert note(workspace, CLOCK, "I have decided to paint the boat green").line == ""


def test_what_a_run_took_out_was_not_taken_out_by_hand(workspace: Workspace) -> None:
    from reverie.features.note import note

    note(workspace, CLOCK, "I have decided to paint the boat green")
    commands.undo(workspace, CLOCK)

    assert owner_removed(read_workspace(workspace), runs(workspace)) == frozenset()


@pytest.fixture
def lived(workspace: Workspace) -> Workspace:
    """The words are in memory, notes, archive, diary, a run, the journal, a store and the index."""
    forget(workspace, CLOCK, "likes black tea")  # a run that holds them
    commands.undo(workspace, CLOCK)
    (workspace.vault / "meta").mkdir(parents=True, exist_ok=True)
    (workspace.vault / "ledger.md").write_text(
        "# Ledger\n\n---\nID: 11111111\nArchived: 2026-11-01 03:00\nCategory: [old]\nContent: - sold black tea\nSource: MEMORY.md:1\nNote: done\n---\n"
        "---\nID: 22222222\nArchived: 2026-11-01 03:00\nCategory: [old]\nContent: - sold the car\nSource: MEMORY.md:2\nNote: done\n---\n"
    )
    (workspace.vault / "ledger-index.json").write_text('[\n  {"id": "11111111", "summary": "sold black tea"}\n]\n')
    (workspace.vault / "meta/questions.json").write_text(
        '[\n  {"id": "1", "first": "black tea?"},\n  {"id": "2", "first": "boat?"}\n]\n'
    )
    (workspace.root / "DREAMS.md").write_text("I dreamt of rain. Black tea was poured. Then it was quiet.\n")
    state = workspace.root / "memory/.dreams"
    (state / "events.jsonl").write_text('{"query":"black tea?","results":[]}\n{"query":"boat","results":[]}\n')
    (state / "short-term-recall.json").write_text(
        '{"version":1,"entries":{"a":{"snippet":"black \\u0074ea"},"b":{"snippet":"boat"}}}\n'
    )
    (workspace.root / "MEMORY.md").write_text(MEMORY.replace("📌 ", ""))
    return workspace


def test_a_purge_leaves_the_words_in_no_file_and_says_so(lived: Workspace) -> None:
    gone = forget(lived, CLOCK, "black tea", purge=True)

    assert gone.left == ()
    assert "tea" not in everything(lived.root).replace("green tea", "")
    assert "boat" in everything(lived.root) and text(lived, "DREAMS.md") == "I dreamt of rain. Then it was quiet.\n"
    assert json.loads((lived.vault / "meta/questions.json").read_text()) == [{"id": "2", "first": "boat?"}]
    assert json.loads(text(lived, "memory/.dreams/short-term-recall.json"))["entries"] == {"b": {"snippet": "boat"}}


def test_the_archive_keeps_a_stub_in_the_place_of_what_was_erased(lived: Workspace) -> None:
    forget(lived, CLOCK, "black tea", purge=True)

    ledger = (lived.vault / "ledger.md").read_text()
    assert (
        "---\nID: 11111111\nUpdated: 2026-11-15 03:00\nEvent: erased\nNote: erased at the owner's word\n---\n" in ledger
    )
    assert "Content: - sold the car" in ledger


def test_a_purge_cannot_be_undone_and_earlier_runs_bring_nothing_of_it_back(lived: Workspace) -> None:
    run = forget(lived, CLOCK, "black tea", purge=True).run

    with pytest.raises(UnknownRun, match="purge"):
        commands.undo(lived, CLOCK, run)
    with pytest.raises(UnknownRun):
        commands.undo(lived, CLOCK)
    assert runs(lived)[-1].plan.edits == ()


def test_a_purge_names_what_is_not_ours_to_change(lived: Workspace) -> None:
    (lived.root / "USER.md").write_text("- Ada drinks black tea\n")
    (lived.root / ".git").mkdir()

    left = forget(lived, CLOCK, "black tea", purge=True).left
    assert [line.split()[0] for line in left] == ["USER.md", ".git"]


@given(st.text(alphabet="ab .!?。\n-A", max_size=60))
def test_sentences_joined_are_the_text(words: str) -> None:
    assert "".join(sentences(words)) == words


@given(st.lists(st.sampled_from(["Tea is hot.", "Rain fell.", "茶很好。", "A mill stands."]), min_size=1, max_size=5))
def test_cutting_takes_out_what_says_it_and_nothing_else(parts: list[str]) -> None:
    line = "- " + " ".join(parts) + "\n"
    left = "".join(without_sentences(split_lines(line), lambda said: "Tea" in said))

    kept = [part for part in parts if "Tea" not in part]
    changes = kept and kept != parts  # where all of it says it, or none, the caller decides about the whole
    assert left.replace(" ", "") == (f"-{''.join(kept)}\n".replace(" ", "") if changes else "")


def test_a_statement_is_its_words() -> None:
    assert statement("- [x] 14:00 bought tea <!-- dream:0a1b2c3d -->") == "bought tea"


def test_the_command_shows_what_left_and_tells_about_the_archive(workspace: Workspace) -> None:
    done = call("forget", "likes", "black", "tea", "--workspace", workspace.root, "--now", NIGHT)

    assert done.out.startswith("- MEMORY.md:4  likes black tea\n")
    assert "Removed from memory. The permanent archive is unaffected." in done.out


def test_a_purge_says_first_that_there_is_no_way_back(workspace: Workspace) -> None:
    done = call("forget", "lives in Bern", "--purge", "--yes", "--json", "--workspace", workspace.root, "--now", NIGHT)

    assert done.err.startswith("A purge cannot be undone.")
    assert json.loads(done.out)["purged"] is True and "Bern" not in text(workspace)


def test_a_purge_shows_the_lines_and_asks_first_and_without_a_terminal_it_wants_a_yes(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    purge = ("forget", "lives in Bern", "--purge", "--workspace", workspace.root, "--now", NIGHT)
    before = tree(workspace.root)

    nobody = call(*purge)
    monkeypatch.setattr(common, "person_answers", lambda: True)
    no = call(*purge, stdin="n\n")

    assert nobody.code == BadInput.exit_code and "--yes" in nobody.err
    assert no.code == 1 and "lives in Bern" in no.out and "[y/N]" in no.out
    assert tree(workspace.root, without=("memory/.dreams/lock",)) == before

    yes = call(*purge, stdin="y\n")
    assert yes.out.count("lives in Bern") == 1 and "Bern" not in text(workspace)


@pytest.mark.parametrize(
    ("intent", "path", "old", "new", "tag"),
    [
        (Intent.FORGET, "memory/2026-11-13.md", "- black tea\n", "- green tea\n", "forget"),  # other words
        (Intent.FORGET, "USER.md", "- Ada\n", "", "forget"),  # not a note
        (Intent.FORGET, "vault:ledger.md", "# Ledger\n", "", "forget"),  # only a purge may
        (Intent.FORGET, "MEMORY.md", "- 📌 black tea from the corner shop\n", "", "forget"),  # pinned
        (Intent.DREAM, "memory/2026-11-13.md", "- black tea\n", "", "forget"),  # a dream is not the owner
        (Intent.NOTE, "memory/2026-11-13.md", "", "- late\n", "note"),  # not today's
        (Intent.NOTE, "memory/2026-11-15.md", "- early\n", "- late\n", "note"),  # not at the end
    ],
)
def test_the_promises_let_forget_and_note_do_no_more_than_that(
    build: Build, intent: Intent, path: str, old: str, new: str, tag: str
) -> None:
    extra: dict[str, str | bytes] = {
        "USER.md": "- Ada\n",
        "memory/2026-11-15.md": "- early\n",
        "dream-vault/ledger.md": "# Ledger\n",
    }
    snapshot = read_workspace(build(FILES | extra))
    at = split_lines(snapshot.text_of(path)).index(old) if old else 1
    edit = Edit("forged", path, at, (old,) if old else (), (new,) if new else (), tag, "because I say so")
    plan = Plan(intent, NIGHT, {path: snapshot.hash_of(path)}, (edit,))

    with pytest.raises(RefusedPlan):
        check_promises(snapshot, plan)


def test_a_crash_between_the_two_halves_of_a_purge_is_mended_by_purging_again(lived: Workspace) -> None:
    forget(lived, CLOCK, "black tea")  # the first half: gone from the notes, still in records and archive
    forget(lived, CLOCK, "black tea", purge=True)

    assert "tea" not in everything(lived.root).replace("green tea", "")


def test_an_earlier_run_is_undone_without_what_was_erased_since(build: Build) -> None:
    workspace = build({"MEMORY.md": "# Ada\n- a rope in the black tea\n- keeps bees\n- an old rope\n- lives in Bern\n"})
    forget(workspace, CLOCK, "rope")
    forget(workspace, CLOCK, "black tea", purge=True)
    commands.undo(workspace, CLOCK)

    assert text(workspace) == "# Ada\n- keeps bees\n- an old rope\n- lives in Bern\n"
    assert "black tea" not in everything(workspace.root)


SAID = "Invoices for the boatyard go out on the first Monday of every month"
TOLD: dict[str, str | bytes] = {
    "MEMORY.md": "# Ada\n\n## Stable Knowledge\n- keeps bees\n",
    "memory/2026-11-13.md": f"# 2026-11-13\n\n- {SAID}\n- rain all day\n",
    "memory/2026-11-14.md": f"# 2026-11-14\n\n- {SAID}\n",
}


def night(workspace: Workspace, number: int) -> str:
    """A night whose judge wants every line of the notes."""
    judge = Wishing(lambda brief: [replace(add(note.claim.text), cites=(note.claim,)) for note in brief.notes])
    commands.review(workspace, FixedClock(CLOCK.now() + timedelta(days=number)), judge=judge)
    return text(workspace)


def say(workspace: Workspace, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        (workspace.root / path).write_text(str(content))


@pytest.fixture
def dreamt(build: Build) -> Workspace:
    """A night has brought one statement of two notes into MEMORY.md."""
    workspace = build(TOLD)
    assert "boatyard" in night(workspace, 0)
    return workspace


AGAIN: dict[str, str | bytes] = {path: text for path, text in TOLD.items() if path != "MEMORY.md"}
LATER: dict[str, str | bytes] = {"memory/2026-11-16.md": f"# 2026-11-16\n\n- {SAID}\n"}


def test_a_line_that_the_owner_deletes_by_hand_stays_gone_though_it_is_said_again(dreamt: Workspace) -> None:
    kept = [line for line in text(dreamt).split("\n") if "boatyard" not in line]
    (dreamt.root / "MEMORY.md").write_text("\n".join(kept))

    assert "boatyard" not in night(dreamt, 1)
    say(dreamt, LATER)
    assert "boatyard" not in night(dreamt, 2)


@pytest.mark.parametrize("how", ["forever", "purge"])
def test_what_is_gone_for_good_stays_gone_whatever_is_fed(dreamt: Workspace, how: str) -> None:
    forget(dreamt, CLOCK, "the boatyard", **{how: True})
    say(dreamt, AGAIN)
    assert "boatyard" not in night(dreamt, 1)

    (dreamt.root / "memory/.dreams/index.db").unlink(missing_ok=True)
    say(dreamt, LATER)
    assert "boatyard" not in night(dreamt, 2)


def test_what_was_forgotten_comes_back_from_new_words_only(dreamt: Workspace) -> None:
    forget(dreamt, CLOCK, "the boatyard")
    say(dreamt, AGAIN)
    assert "boatyard" not in night(dreamt, 1)

    say(dreamt, LATER)
    assert "boatyard" in night(dreamt, 2)


DOCTOR = "My therapist is Dr. Anna Mulder, because of the burnout"
PAGE = "memory/user/therapist-dr-anna-mulder.md"
CLASSIFIED: dict[str, str | bytes] = {
    "MEMORY.md": f"# Ada\n\n- drinks tea\n- [My therapist]({PAGE}) — Dr. Anna Mulder\n",
    PAGE: f"---\nname: My therapist is Dr. Anna Mulder\ndescription: {DOCTOR}\ntype: user\ncreated: 2026-11-14\n---\n\n"
    f"## Rule / Fact\n- {DOCTOR}\n\n## Why\nbecause of the burnout\n\n## How to apply\n",
    "memory/dream-log-2026-11-14.md": f"# Dream Log\n- [promote] {DOCTOR}\n",
}


@pytest.mark.parametrize("description", ["my therapist", f"{PAGE}:9"])
def test_a_classified_file_that_says_nothing_else_leaves_whole_with_its_link(build: Build, description: str) -> None:
    workspace = build(CLASSIFIED)
    before = tree(workspace.root)

    gone = forget(workspace, CLOCK, description)
    assert gone.files == (PAGE,) and not (workspace.root / PAGE).exists()
    assert text(workspace) == "# Ada\n\n- drinks tea\n"
    assert gone.left == (
        "it is still told in memory/dream-log-2026-11-14.md; `dream forget --purge` erases it there too",
    )

    undo = commands.undo(workspace, CLOCK).run
    assert {path: data for path, data in tree(workspace.root).items() if ".dreams/" not in path} == before
    assert undo is not None
    commands.undo(workspace, CLOCK, undo.id)
    assert not (workspace.root / PAGE).exists()


def test_a_classified_file_that_says_more_keeps_that_and_its_front_matter_says_nothing_of_the_rest(
    build: Build,
) -> None:
    page = str(CLASSIFIED[PAGE]).replace("\n\n## Why", "\n- The gym opens at seven\n\n## Why")
    workspace = build(CLASSIFIED | {PAGE: page})
    before = tree(workspace.root)

    gone = forget(workspace, CLOCK, f"{PAGE}:9")
    assert text(workspace, PAGE) == (
        "---\ntype: user\ncreated: 2026-11-14\n---\n\n## Rule / Fact\n- The gym opens at seven\n\n## Why\n\n## How to apply\n"
    )
    assert gone.files == () and gone.left[0].startswith(f"the name of {PAGE} still tells it")

    commands.undo(workspace, CLOCK)
    assert {path: data for path, data in tree(workspace.root).items() if ".dreams/" not in path} == before


@pytest.mark.parametrize("first", [False, True])  # after a `forget` that can be undone, or at once
def test_a_purge_erases_the_name_of_a_classified_file_from_the_records_too(build: Build, *, first: bool) -> None:
    workspace = build(CLASSIFIED)
    if not first:
        forget(workspace, CLOCK, "the burnout")

    assert forget(workspace, CLOCK, "the burnout", purge=True).left == ()
    assert "mulder" not in "\n".join([*tree(workspace.root), everything(workspace.root)]).lower()
    assert len(runs(workspace)) == 1 + (not first)  # their records can still be read


def test_a_file_that_has_the_name_by_now_stays(build: Build) -> None:
    workspace = build(CLASSIFIED)
    forget(workspace, CLOCK, "my therapist")
    (workspace.root / PAGE).write_text("mine\n")

    with pytest.raises(UndoCollision):
        commands.undo(workspace, CLOCK)
    assert text(workspace, PAGE) == "mine\n"


def test_only_a_classified_file_may_leave_whole(build: Build) -> None:
    snapshot = read_workspace(build(FILES))
    path = "memory/2026-11-13.md"
    edit = Edit("forged", path, 0, ("- black tea\n",), (), "forget", "because I say so")

    with pytest.raises(RefusedPlan):
        check_promises(snapshot, Plan(Intent.FORGET, NIGHT, {path: snapshot.hash_of(path)}, (edit,), (path,)))


def test_a_line_that_is_masked_can_be_forgotten_and_no_record_keeps_its_value(build: Build) -> None:
    workspace = build({"MEMORY.md": '# Me\n\n- likes tea\n- Wifi network for guests is "kornblume-gast"\n'})
    would = call("forget", "MEMORY.md:4", "--dry-run", "--workspace", workspace.root, "--now", NIGHT)
    done = call("forget", "MEMORY.md:4", "--workspace", workspace.root, "--now", NIGHT)

    assert text(workspace) == "# Me\n\n- likes tea\n"
    assert "kornblume-gast" not in everything(workspace.root) + would.out + done.out
    assert "nothing brings it back" in would.out and "nothing brings it back" in done.out
    assert "dream undo" not in done.out
    with pytest.raises(UnknownRun):
        commands.undo(workspace, CLOCK)


def test_a_secret_in_a_note_can_be_forgotten_with_what_stands_around_it_left_alone(build: Build) -> None:
    note = "- walked 12 km\n- The password of the scanner is Moorhuhn-88\n- bought rope\n"
    workspace = build({"MEMORY.md": "# Me\n", "memory/2026-11-14.md": note})

    gone = forget(workspace, CLOCK, "password of the scanner")

    assert text(workspace, "memory/2026-11-14.md") == "- walked 12 km\n- bought rope\n"
    assert gone.final and "Moorhuhn" not in everything(workspace.root)
