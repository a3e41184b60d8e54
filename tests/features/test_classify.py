"""`dream classify`: every memory in its drawer, nothing invented, nothing lost, nothing written twice."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NIGHT, Build, tree
from reverie.core.errors import BadInput, RefusedPlan
from reverie.core.layout import LEDGER, may_compose
from reverie.core.ports import fixed
from reverie.core.settings import Memory, Settings
from reverie.features.classify.classify import sort_memories, sort_statement
from reverie.features.classify.filing import LONGEST_LINK, Memo, link_line
from reverie.features.classify.memories import items_of, name_of, slug_of
from reverie.features.classify.sorting import Sort
from reverie.features.search import default_embedder
from reverie.night import commands
from reverie.plan.promises import check_promises
from reverie.text.lines import count_units
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import ABSENT, Edit, Intent, Plan, Source, Workspace
from terminal import TOKEN, call

CLOCK = fixed(NIGHT)
INDEX = Settings(memory=Memory(shape="index"))
MEMORY = """# Ada

## About me
- **Role:** data analyst, works mostly in Python
- Prefers bullet lists in answers, never tables

## Rules
- 📌 Never send a mail without showing it first
- Stage the release on Tuesdays, because the support desk is full then
  - Why: two failed Fridays in 2025

## Projects
- **Harbour map** (tiles for the port office)
  - Status: active
  - We take vector tiles; raster was too slow on phones
  - [ ] Ask Tom for the depth soundings

## Links
- **Tide tables:** https://tides.example.org, updated every Monday
- [x] 2026-03-02 Renewed the licence for the tide tables
"""


@pytest.fixture
def ada(build: Build) -> Workspace:
    return build({"MEMORY.md": MEMORY})


def files(workspace: Workspace) -> dict[str, str]:
    return {
        path: text.decode()
        for path, text in tree(workspace.root).items()
        if may_compose(path) or path in ("todos.md", "MEMORY.md")
    }


def test_a_dry_run_writes_nothing_and_says_where_everything_belongs(ada: Workspace) -> None:
    before = tree(ada.root, without=())

    found = sort_memories(ada, CLOCK)

    assert tree(ada.root, without=()) == before
    kinds = [(one.sort.value, one.kind) for one in found.placements]
    assert kinds == [
        ("memory", "user"), ("memory", "feedback"), ("memory", "feedback"), ("memory", "feedback"), ("memory", "project"),
        ("memory", "reference"), ("finished", ""),
    ]  # fmt: skip


def test_each_memory_gets_a_file_with_its_words_and_no_others(ada: Workspace) -> None:
    sort_memories(ada, CLOCK, apply=True)

    written = files(ada)
    assert written["MEMORY.md"] == MEMORY
    assert written["memory/feedback/stage-release-tuesdays.md"] == (
        "---\nname: Stage the release on Tuesdays\n"
        "description: Stage the release on Tuesdays, because the support desk is full then\ntype: feedback\n"
        "created: 2026-11-15\n---\n\n## Rule / Fact\n"
        "- Stage the release on Tuesdays, because the support desk is full then\n\n"
        "## Why\ntwo failed Fridays in 2025\n\n## How to apply\n"
    )
    assert (
        "## Why\n\n## How to apply\n" in written["memory/user/role-data-analyst.md"]
    )  # nobody gave a reason, so none is told


def test_a_reason_is_told_only_where_the_sentence_gives_one(build: Build) -> None:
    rules = "# A\n\n## Rules\n- Keep the logs for ten days, because the auditor asks\n- 图片先压缩，不然页面打不开\n- Label every cable at both ends\n"
    workspace = build({"MEMORY.md": rules})

    sort_memories(workspace, CLOCK, apply=True)

    reasons = {path: text.partition("## Why\n")[2].partition("\n")[0] for path, text in files(workspace).items()}
    assert reasons["memory/feedback/keep-logs-ten-days.md"] == "because the auditor asks"
    assert reasons["memory/feedback/图片先压缩.md"] == "不然页面打不开"
    assert reasons["memory/feedback/label-every-cable-both-ends.md"] == ""


def test_two_memories_of_one_name_get_two_files_and_no_file_is_overwritten(build: Build) -> None:
    taken = "---\nname: Kiln\ntype: reference\n---\n\nsomething else entirely\n"
    links = "# A\n\n## Links\n- **Kiln:** manual at https://kiln.example.org\n- **Kiln:** spare parts from the yard in Gent\n"
    workspace = build({"MEMORY.md": links, "memory/reference/kiln.md": taken})

    sort_memories(workspace, CLOCK, apply=True)

    written = {path: text for path, text in files(workspace).items() if "kiln" in path}
    assert len(written) == 3
    assert written["memory/reference/kiln.md"] == taken


def test_work_in_progress_goes_to_the_todos_and_the_tracker(ada: Workspace) -> None:
    sort_memories(ada, CLOCK, apply=True)

    written = files(ada)
    assert written["todos.md"] == "## From memory\n- [ ] Harbour map: Ask Tom for the depth soundings\n"
    assert "- Status: active ([MEMORY.md:14](../MEMORY.md#L14))" in written["knowledge/project-tracker.md"]
    assert "vector tiles" in written["memory/project/harbour-map.md"]
    assert "Status" not in written["memory/project/harbour-map.md"]
    assert "soundings" not in written["memory/project/harbour-map.md"]


@pytest.mark.parametrize("settings", [Settings(), INDEX])
def test_the_second_time_nothing_is_left_to_write_and_undo_brings_every_byte_back(
    build: Build, settings: Settings
) -> None:
    workspace = build({"MEMORY.md": MEMORY, "todos.md": "- [ ] call the port office"}, settings)
    before = tree(workspace.root)

    assert sort_memories(workspace, CLOCK, apply=True).run
    assert sort_memories(workspace, CLOCK, apply=True).run is None

    commands.undo(workspace, CLOCK)
    assert tree(workspace.root) == before


def test_a_file_is_called_after_what_it_says_and_no_two_are_called_the_same(build: Build) -> None:
    rules = (
        "# A\n\n## Rules\n- The kiln door is never opened above 80 degrees\n- The kiln door is opened only by Ada\n"
        "- **Glaze:** two thin coats, not one thick one\n- **Glaze:** mixed by weight, water last\n"
        "- **Glaze:** two thin coats, by brush\n- \u9676\u7a91\u53ea\u5728\u591c\u91cc\u70e7\uff0c\u4e0d\u7136\u8df3\u95f8\n"
    )
    names = []
    for memory in (
        rules,
        rules.replace("## Rules\n", "## Rules\n- Sweep the floor on Fridays\n"),
    ):  # whatever stands beside them
        workspace = build({"MEMORY.md": memory})
        sort_memories(workspace, CLOCK, apply=True)
        names.append({path.rpartition("/")[2] for path in files(workspace) if path.startswith("memory/feedback/")})

    assert names[1] - names[0] == {"sweep-floor-fridays.md"} and names[0] <= names[1]
    assert names[0] == {
        "kiln-door-never-opened-above.md",
        "kiln-door-opened-only-ada.md",
        "glaze-two-thin.md",
        "glaze-mixed-weight.md",
        "glaze-two-thin-coats-brush.md",
        "\u9676\u7a91\u53ea\u5728\u591c\u91cc\u70e7.md",
    }


def test_in_the_index_shape_links_stand_where_the_memories_stood_and_the_ledger_has_their_bytes(build: Build) -> None:
    workspace = build({"MEMORY.md": MEMORY}, INDEX)

    found = sort_memories(workspace, CLOCK, apply=True)

    after = files(workspace)["MEMORY.md"]
    assert "- [Role](memory/user/role-data-analyst.md) — data analyst, works mostly in Python\n" in after
    assert "- 📌 Never send a mail without showing it first\n" in after  # a pinned line stays whatever the shape
    assert all(count_units(line) < 150 for line in after.split("\n"))
    ledger = read_workspace(workspace).text_of(LEDGER)
    gone = set(MEMORY.split("\n")) - set(after.split("\n"))
    assert [line for line in gone if line not in ledger] == []
    assert {path for path in found.plan.paths if path.startswith("vault:")} == {LEDGER, "vault:ledger-index.json"}
    assert all((workspace.root / path).exists() for path in _linked(after))


def test_in_the_index_shape_a_known_memory_becomes_a_link_to_the_file_that_says_it(build: Build) -> None:
    file = "---\nname: Tide tables\ntype: reference\n---\n\n## Rule / Fact\n- the tide tables change every Monday\n"
    other = file.replace("Tide tables", "Ferry").replace("tide tables change", "ferry leaves twice")
    workspace = build({
        "MEMORY.md": "# A\n\n## Links\n- the tide tables change every Monday\n- the tide tables change every Monday\n",
        "memory/reference/tides.md": file, "memory/reference/ferry.md": other,
    }, INDEX)  # fmt: skip

    found = sort_memories(workspace, CLOCK, apply=True)

    link = "- [the tide tables change…](memory/reference/tides.md) — the tide tables change every Monday\n"
    assert files(workspace)["MEMORY.md"] == f"# A\n\n## Links\n{link}"
    assert found.unlinked == ("memory/reference/ferry.md",)


def _linked(text: str) -> list[str]:
    return [
        line.partition("](")[2].partition(")")[0]
        for line in text.split("\n")
        if line.startswith("- [") and "](" in line
    ]


REFUSED = {
    "git history": ["Merged PR #214 into main on Friday", "Commit 4f2a9c1 moved the parser", "已把 PR #12 合并到 main 分支"],
    "code pattern": ["The class TileStore lives in src/tiles/store.py", "解析函数 parse_tile() 在 src/tile.py 里"],
    "debugging fix": ["Fixed the KeyError bug in the tile cache", "修复了切片缓存的 KeyError", "IndexError beim Laden der Kacheln behoben"],
    "untrusted": ["user: can you look at the map again"],
    "secret or personal": [f"the deploy token is {TOKEN}"],
}  # fmt: skip


@pytest.mark.parametrize(("why", "text"), [(why, text) for why, texts in REFUSED.items() for text in texts])
def test_what_must_not_be_saved_is_refused_with_the_reason(ada: Workspace, why: str, text: str) -> None:
    placement = sort_statement(ada, text)

    assert (placement.sort, why in placement.why) == (Sort.REFUSED, True), placement.why


DRAWERS = [
    ("user", "About me", "Grew up on a farm near Odense and speaks Danish at home"),
    ("user", "关于我", "在杭州长大，家里说吴语，平时习惯早起写作"),
    ("feedback", "经验教训", "上线之前先备份数据库，去年丢过一次"),
    ("feedback", "Lehren", "Nie am Freitag ausliefern, im Mai stand der Laden zwei Tage still"),
    ("project", "Projets", "On garde le format vectoriel, le client l'a validé en mars"),
    ("reference", "Contactos", "La imprenta abre a las ocho y cierra los miércoles"),
    ("reference", "Инструменты", "Сервер карт стоит в подвале, порт 8443"),
    ("reference", "연락처", "인쇄소는 수요일에 문을 닫고 여덟 시에 연다"),
    ("feedback", "ルール", "メールは必ず送る前に見せること"),
]


@pytest.mark.parametrize(("kind", "heading", "text"), DRAWERS)
def test_the_owners_headings_name_the_drawer_in_nine_languages(
    ada: Workspace, kind: str, heading: str, text: str
) -> None:
    placement = sort_statement(ada, text, heading)

    assert (placement.sort, placement.kind) == (Sort.MEMORY, kind), placement.why


@pytest.fixture
def seeing(ada: Workspace, tmp_path: Path) -> Workspace:
    return replace(ada, embedder=default_embedder(tmp_path))


@pytest.mark.parametrize(
    "text", ["Oil and water and the usual", "Absturz beim Laden der Kacheln behoben", "修复了切片缓存崩溃的问题"]
)
def test_without_a_heading_a_judge_who_is_not_sure_leaves_it_where_it_is(seeing: Workspace, text: str) -> None:
    assert sort_statement(seeing, text).sort in (Sort.UNSURE, Sort.REFUSED)


@pytest.mark.parametrize(
    "text", ["Answers should be short: no greeting, no tables", "Antworten bitte immer ohne Emojis"]
)
def test_a_wish_about_answers_is_feedback_under_any_heading_or_none(seeing: Workspace, text: str) -> None:
    assert [sort_statement(seeing, text, heading).kind for heading in ("", "About me")] == ["feedback", "feedback"]


def test_code_that_a_rule_of_the_owner_names_may_be_remembered(seeing: Workspace) -> None:
    rule = "Rule: never edit settings.py on the server by hand, changes go through the release from now on"

    assert sort_statement(seeing, rule, "Rules").kind == "feedback"


def test_what_a_classified_file_says_already_is_not_written_again(build: Build) -> None:
    known = "---\nname: Short answers\ndescription: Three lines at most, no greeting\ntype: feedback\n---\n\n## Rule / Fact\n"
    workspace = build({
        "MEMORY.md": "# A\n\n## Rules\n- Answers: three lines at most, no greeting\n- Answers: four lines at most, no greeting\n",
        "memory/feedback/short.md": known + "Answers have three lines at most.\n",
    })  # fmt: skip

    found = sort_memories(workspace, CLOCK)

    assert [one.sort for one in found.placements] == [Sort.KNOWN, Sort.MEMORY]  # another number is another rule
    assert found.placements[0].said_by == "memory/feedback/short.md"


def test_a_project_with_a_short_name_is_written_once(build: Build) -> None:
    workspace = build(
        {"MEMORY.md": "# A\n\n## Projects\n- **Kiln**\n  - Status: active\n  - fires clay at 1040 degrees\n"}
    )

    assert sort_memories(workspace, CLOCK, apply=True).run
    assert sort_memories(workspace, CLOCK, apply=True).run is None
    assert [path for path in files(workspace) if "kiln" in path] == ["memory/project/kiln.md"]


def test_a_night_after_it_and_another_change_nothing_of_it(build: Build) -> None:
    workspace = build({"MEMORY.md": MEMORY, "memory/2026-11-14.md": "# 2026-11-14\n- sailed to the island\n"})
    sort_memories(workspace, CLOCK, apply=True)
    written = files(workspace)

    commands.review(workspace, CLOCK)

    assert files(workspace) == written
    assert commands.review(workspace, CLOCK).run is None


@pytest.mark.parametrize(
    ("intent", "path", "old", "new", "promise"),
    [
        (Intent.CLASSIFY, "memory/user/x.md", (), "- Ada owns 3 boats\n", "every_new_line_has_a_source"),
        (Intent.CLASSIFY, "MEMORY.md", ("- Ada\n",), "- [Ada](memory/user/none.md) — Ada\n", "every_new_line_has_a_source"),
        (Intent.CLASSIFY, "knowledge/playbook.md", (), "- without any link\n", "only_paths_of_the_layout"),
        (Intent.CLASSIFY, "memory/palace/timeline.md", (), "# T\n", "only_paths_of_the_layout"),
        (Intent.CLASSIFY, "memory/user/old.md", ("- old\n",), "- Ada\n", "only_paths_of_the_layout"),
        (Intent.CLASSIFY, "USER.md", ("- old\n",), "- Ada\n", "sources_stay_as_they_are"),
        (Intent.DREAM, "USER.md", (), "- Ada\n", "sources_stay_as_they_are"),
        (Intent.DREAM, "memory/user/x.md", (), "- Ada\n", "only_paths_of_the_layout"),
        (Intent.PALACE, "memory/palace/timeline.md", (), "- Ada ([MEMORY.md:9](../../MEMORY.md#L9))\n", "every_new_line_has_a_source"),
        (Intent.PALACE, "memory/palace/x.md", (), "# T\n", "only_paths_of_the_layout"),
        (Intent.SUBLIMATE, "knowledge/playbook.md", ("- mine\n",), "# T\n", "only_paths_of_the_layout"),
    ],
)  # fmt: skip
def test_a_plan_that_composes_what_it_may_not_is_refused(
    build: Build, intent: Intent, path: str, old: tuple[str, ...], new: str, promise: str
) -> None:
    workspace = build({"MEMORY.md": "# Ada\n- Ada\n", **({path: "".join(old)} if old and path != "MEMORY.md" else {})})
    snapshot = read_workspace(workspace)
    at = 1 if path == "MEMORY.md" else 0
    kept = Edit("forged", LEDGER, 0, (), ("Content: - Ada\n",), "classify", "because")
    edit = Edit("forged", path, at, old, (new,), "classify", "because", (Source("MEMORY.md", 2, 2),))
    plan = Plan(intent, NIGHT, {path: snapshot.hash_of(path) if old else ABSENT, LEDGER: ABSENT}, (edit, kept))

    with pytest.raises(RefusedPlan) as refused:
        check_promises(snapshot, plan)

    assert promise in str(refused.value)


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=90)


@given(NAMES, NAMES, st.sampled_from(("user", "feedback", "project", "reference")))
def test_every_name_makes_a_plain_path_and_every_link_stays_under_its_limit(name: str, said: str, kind: str) -> None:
    path = f"memory/{kind}/{slug_of(name)}.md"

    assert may_compose(path)
    assert count_units(link_line(Memo(kind, name, said, ("- x",)), path)) <= LONGEST_LINK


def test_the_command_tells_people_and_programs_the_same(ada: Workspace) -> None:
    told = call("classify", "--workspace", ada.root, "--now", NIGHT)
    value = json.loads(call("classify", "--workspace", ada.root, "--now", NIGHT, "--json").out)

    assert "nothing was written" in told.out and "Every line stays in MEMORY.md" in told.out
    assert (
        "7 memories: 1 user, 2 feedback, 1 project, 1 reference, 1 unsure, 1 finished; open tasks for todos.md: 1"
        in told.out
    )
    assert [one["kind"] for one in value["memories"]][:2] == ["user", "feedback"]
    assert call("classify", "--workspace", ada.root, "Answers should be short, no tables").out.startswith("feedback")
    with pytest.raises(BadInput):
        sort_statement(ada, "  ")


SAID = {
    "user": (
        "I'm a data analyst, mostly working with Python",
        "我是数据分析师，主要用 Python",
        "I have tea in the morning",
    ),
    "feedback": (
        "Don't use Markdown tables, use lists",
        "Not like that",
        "yes exactly, keep that",
        "不是这样",
        "完美，保持这样",
    ),
    "project": ("Decision: approach A over B because lower cost", "决定选方案 A 而不是 B，因为成本更低"),
    "reference": ("Grafana dashboard is at https://grafana.example.org", "监控面板在 https://grafana.example.org"),
}  # the examples of seed 003, and a few like them


@pytest.mark.parametrize("heading", ["Stable Knowledge", ""])
def test_what_a_line_says_decides_and_a_heading_for_everything_does_not(seeing: Workspace, heading: str) -> None:
    found = {text: sort_statement(seeing, text, heading).kind for texts in SAID.values() for text in texts}

    assert found == {text: kind for kind, texts in SAID.items() for text in texts}


def test_a_heading_that_names_a_kind_does_not_decide_alone(seeing: Workspace) -> None:
    assert sort_statement(seeing, "The fuse box is behind the cellar door", "About me").kind == "reference"


def test_lines_that_were_never_learnt_from_are_told_apart(seeing: Workspace) -> None:
    """Six in ten are told, and nine in ten of these rightly; the others stay where they are."""
    held = Path(__file__).parents[2] / "training" / "kinds_held_out.tsv"
    rows = [line.split("\t") for line in held.read_text("utf-8").strip().split("\n") if not line.startswith("none")]
    told = [
        (kind, one.kind or "state")
        for kind, text in rows
        if (one := sort_statement(seeing, text)).sort in (Sort.MEMORY, Sort.STATE)
    ]

    assert len(told) > 0.6 * len(rows) and sum(kind == said for kind, said in told) > 0.9 * len(told)


@pytest.mark.parametrize("text", ["Booking app needs a second tester", "预订应用还缺一个测试的人"])
def test_how_far_work_has_come_goes_to_the_tracker_under_the_name_of_the_project(
    build: Build, tmp_path: Path, text: str
) -> None:
    memory = f"# Memory\n\n## Stable Knowledge\n- {text}\n"
    workspace = replace(build({"MEMORY.md": memory}), embedder=default_embedder(tmp_path))

    sort_memories(workspace, CLOCK, apply=True)

    tracker = files(workspace)["knowledge/project-tracker.md"]
    assert f"- {text}" in tracker and ("## Booking app\n" in tracker or "## 预订应用\n" in tracker)


def test_what_memory_says_of_you_is_proposed_for_your_page_and_added_at_your_word(build: Build) -> None:
    page = "# Me\n\n- Works mostly in Python as a data analyst\n"
    memory = "# Ada\n\n## About me\n- A data analyst, works mostly in Python\n- Likes oat milk in the morning coffee\n"
    workspace = build({"MEMORY.md": memory, "USER.md": page})
    before = tree(workspace.root)

    proposed = sort_memories(workspace, CLOCK, apply=True)
    assert files_text(workspace, "USER.md") == page
    assert proposed.about_the_user == ("Likes oat milk in the morning coffee",)

    sort_memories(workspace, CLOCK, apply=True, user=True)
    assert files_text(workspace, "USER.md") == page + "\n## About me\n- Likes oat milk in the morning coffee\n"
    assert sort_memories(workspace, CLOCK, apply=True, user=True).run is None
    commands.undo(workspace, CLOCK)
    commands.undo(workspace, CLOCK)
    assert tree(workspace.root) == before


def test_how_you_like_to_be_answered_is_offered_for_your_page_and_a_rule_is_not(build: Build) -> None:
    rules = "- I like brief replies without greetings\n- Put the number first in every answer\n"
    workspace = build({"MEMORY.md": f"# Ada\n\n## Feedback\n{rules}"})

    assert sort_memories(workspace, CLOCK).about_the_user == ("I like brief replies without greetings",)


def test_a_page_says_once_what_the_four_kinds_are(ada: Workspace) -> None:
    sort_memories(ada, CLOCK, apply=True)

    page = files_text(ada, "memory/memory-types.md")
    assert all(f"`memory/{kind}/`" in page for kind in ("user", "feedback", "project", "reference"))
    (ada.root / "memory/memory-types.md").write_text("mine\n")
    (ada.root / "MEMORY.md").write_text(MEMORY + "- **Ferry:** leaves twice a day\n")
    sort_memories(ada, CLOCK, apply=True)
    assert files_text(ada, "memory/memory-types.md") == "mine\n"


def test_an_index_line_has_a_title_of_its_own_and_says_what_the_memory_says(build: Build, tmp_path: Path) -> None:
    lines = "- Grafana dashboard is at https://grafana.example.org\n- I have green tea in the morning\n"
    workspace = build({"MEMORY.md": f"# M\n\n## Stable Knowledge\n{lines}"}, INDEX)

    sort_memories(replace(workspace, embedder=default_embedder(tmp_path)), CLOCK, apply=True)

    assert files_text(workspace, "MEMORY.md").endswith(
        "- [Grafana dashboard](memory/reference/grafana-dashboard.md) — is at https://grafana.example.org\n"
        "- [I have green tea in…](memory/user/green-tea-morning.md) — I have green tea in the morning\n"
    )


def files_text(workspace: Workspace, path: str) -> str:
    return (workspace.root / path).read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Decision: we take ink over laser because toner smells", "we take ink over laser because toner smells"),
        ("**Decision:** guests park behind the mill", "guests park behind the mill"),
        ("Yes exactly, put the totals above the table", "put the totals above the table"),
        ("决定：票据用墨水而不用激光", "票据用墨水而不用激光"),
        ("Ferry pass: renew it in May", "Ferry pass"),
    ],
)
def test_a_memory_is_called_by_what_it_is_about_and_not_by_its_label(build: Build, line: str, title: str) -> None:
    workspace = build({"MEMORY.md": f"# Ada\n\n## Notes\n- {line}\n"})

    (item,) = items_of(read_workspace(workspace).files["MEMORY.md"])

    assert name_of(item) == title


def test_in_chinese_every_kind_has_a_chinese_name(build: Build) -> None:
    memory = (
        "# 记忆\n\n## 关于我\n- 我是木匠，住在图尔库的河边\n\n## 规则\n- 回答不要超过三行\n\n## 其他\n- [ ] 给船刷漆\n"
    )

    told = call("classify", "--workspace", build({"MEMORY.md": memory}).root, "--now", NIGHT).out

    counted = next(line for line in told.splitlines() if "条记忆" in line)
    assert not {"user", "feedback", "state", "unsure", "known"} & set(re.findall(r"[a-z]+", counted))
