"""Memory and Palace: MEMORY.md line by line, each with where it came from; why, pin and forget beside it; and its views."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from reverie.apply.runs import runs
from reverie.core.errors import BadInput
from reverie.features.forget import forget as forgetting
from reverie.features.forget.forget import ForgottenLine
from reverie.features.palace import palace as views
from reverie.lang.messages import say
from reverie.night import commands
from reverie.plan.quoting import Page
from reverie.surfaces.web.html import (
    Html,
    Inside,
    as_read,
    badge,
    bar,
    because,
    button,
    card,
    formatted,
    h,
    hidden,
    in_words,
    quiet,
    row,
    safe,
)
from reverie.surfaces.web.plans import run_of
from reverie.surfaces.web.state import Form, Site, Visit, given
from reverie.text.lines import bare, count_units
from reverie.text.markdown import STATEMENTS, Shape
from reverie.text.marks import PIN, is_pinned
from reverie.text.sections import OURS, own_lines
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Run, Workspace

MOST = 20  # chapters of a story
_PINNABLE = (Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH)


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a line: the run, its reason and its sources."""

    run: str
    why: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LineView:
    """One line of MEMORY.md."""

    number: int
    text: str
    level: int  # of a heading; 0 for other lines
    entry: bool  # whether a statement begins here
    id: str  # of a line that a dream wrote
    pinned: bool
    protected: bool
    ours: bool  # of the `## Dream` section, which each night writes anew
    can_pin: bool
    author: Author | None


@dataclass(frozen=True, slots=True)
class MemoryView:
    path: str
    lines: tuple[LineView, ...]
    characters: int
    limit: int


def memory_view(workspace: Workspace) -> MemoryView:
    """MEMORY.md line by line, each with what is known about where it came from."""
    snapshot = read_workspace(workspace)
    file, limit = snapshot.files.get(snapshot.memory_path), workspace.settings.memory.hard_limit
    if file is None:
        return MemoryView(snapshot.memory_path, (), 0, limit)
    authors = _authors(runs(workspace), snapshot.memory_path)
    ours = set(own_lines(file.document))
    heads = {block.first: block.level for block in file.document.blocks if block.shape is Shape.HEADING}
    entries = {entry.block.first: entry for entry in file.entries if entry.block.shape in STATEMENTS}
    lines = []
    for at, raw in enumerate(file.document.lines):
        text, entry = bare(raw), entries.get(at)
        mark, pinned = OURS.search(text), is_pinned(text) and entry is not None and entry.protected
        line = LineView(
            number=at + 1,
            text=OURS.sub("", text).rstrip(),
            level=heads.get(at, 0),
            entry=entry is not None,
            id=mark[1] if mark else "",
            pinned=pinned,
            protected=entry is not None and entry.protected,
            ours=at in ours,
            can_pin=entry is not None and entry.block.shape in _PINNABLE and at not in ours and not pinned,
            author=authors.get(text),
        )
        lines.append(line)
    return MemoryView(snapshot.memory_path, tuple(lines), count_units(file.text), limit)


def _authors(history: tuple[Run, ...], path: str) -> dict[str, Author]:
    """The run that last wrote a line, by the line as it stands."""
    found: dict[str, Author] = {}
    for run in history:
        if run.undone_by or run.plan.undoes:
            continue
        for edit in run.plan.edits:
            if edit.path == path:
                author = Author(run.id, edit.why, tuple(map(str, edit.sources)))
                found |= {bare(line): author for line in edit.new if line.strip() and line not in edit.old}
    return found


def memory(site: Site, visit: Visit) -> Html:
    found = site.cache.get("memory", lambda: memory_view(site.workspace))
    if not found.lines:
        return card(h("p", say("page.no_memory")))
    told = say("page.characters", size=found.characters, limit=found.limit)
    size = h("div", bar(found.characters, found.limit, told), quiet(told), class_="size")
    lines = [_line(line, found.path) for line in found.lines if line.text]
    return h("div", size, h("div", lines, class_="paper list"), visit.form("/pin", id="pinning"))


def _line(line: LineView, path: str) -> Html:
    if line.level:
        return h(f"h{min(line.level + 1, 6)}", safe(line.text.lstrip("#").strip()))
    if not line.entry:
        return h("p", formatted(line.text), class_="rest")
    marks: list[Inside] = []
    if line.pinned:
        marks.append(badge(say("page.pinned"), "note"))
    elif line.protected:
        marks.append(badge(say("page.protected")))
    if line.id:
        marks.append(h("span", "☾", class_="ours", aria_hidden="true"))
    origin = _origin(line.author)
    depth = min(2, (len(line.text) - len(line.text.lstrip())) // 2)
    words = formatted(as_read(line.text.replace(f"{PIN} ", "", 1)))
    shown = h("span", words, class_=f"words in{depth}", title=origin if line.author else None)
    return h(
        "details",
        h("summary", h("span", line.number, class_="no"), shown, h("span", marks, class_="marks")),
        h("div", h("p", origin, class_="why"), _doing(line, path), class_="under"),
        tabindex="-1",
    )


def _origin(author: Author | None) -> str:
    """Where a line came from, in a sentence: the owner, or a run with its reason and its sources."""
    if author is None:
        return say("page.your_words")
    told = say("page.by_run", run=author.run, why=safe(author.why))
    return f"{told} · {say('page.sources', sources=', '.join(author.sources[:4]))}" if author.sources else told


def _doing(line: LineView, path: str) -> Html:
    named = line.id or line.text
    story = None
    if named == safe(named):  # a secret stays out of the address bar too
        story = h("a", say("page.why"), href=f"/memory/why?{urlencode({'line': named})}", class_="button")
    seen = f"{line.number} {commands.seen_as(line.text)}"
    pin_it = button("pin", name="line", value=seen, form="pinning") if line.can_pin else None
    gone = None
    if not (line.ours or line.pinned or line.protected):
        place = urlencode({"what": f"{path}:{line.number}"})
        gone = h("a", say("page.forget"), href=f"/forget?{place}", class_="button danger")
    return row(story, pin_it, gone)


def pin(site: Site, form: Form) -> str:
    number, _, seen = given(form, "line").partition(" ")
    if not number.isdecimal() or len(number) > 9:
        raise BadInput(say("page.which_line"))
    return run_of(commands.pin(site.workspace, site.clock, int(number), seen))


def why(site: Site, visit: Visit) -> Html:
    """The story of one line."""
    asked = visit.asked("line")
    story = commands.why(site.workspace, asked)
    chapters = [
        h(
            "li",
            h("time", chapter.at[:16].replace("T", " ")),
            " ",
            h("b", in_words(chapter.did)),
            " ",
            h("a", chapter.run, href=f"/runs?run={chapter.run}"),
            [h("blockquote", safe(text)) for text in chapter.text.split("\n")],
            because(chapter.why),
            quiet(say("page.sources", sources=", ".join(chapter.sources))) if chapter.sources else None,
            h("p", say("page.undone", run=chapter.undone_by), class_="warn") if chapter.undone_by else None,
        )
        for chapter in story.chapters[-MOST:]
    ]
    stands = [h("p", say("page.stands"), " ", h("code", place)) for place in story.stands[:MOST]]
    kept = [
        h("li", h("code", block.id), f" {block.archived} ({in_words(block.category)}) ", safe(block.note))
        for block in story.archived[-MOST:]
    ]
    told = h("ol", chapters, class_="story"), stands, h("ul", kept)
    nothing = h("p", say("page.no_story"))
    quoted = h("blockquote", safe(asked))
    return card(quoted, nothing if story.empty else told, _back(), title=say("page.story"), wide=True)


def _back() -> Html:
    return h("p", h("a", say("page.back"), href="/memory"))


def forget(site: Site, visit: Visit) -> Html:
    """What would leave, before anybody says yes."""
    what = visit.asked("what")
    if not what.strip():
        raise BadInput(say("page.forget_what"))
    found = forgetting.forget(site.workspace, site.clock, what, dry_run=True)
    others = _gone("stays", found.stays), _gone("near", found.near)
    if not found.removed:
        return card(h("p", say("page.nothing_meant")), others, _back())
    forever = h("label", h("input", type="checkbox", name="forever", value="1"), say("page.forget_forever"))
    fields = hidden("what", what), hidden("seen", _fingerprint(found.removed)), forever
    sure = visit.form("/forget", fields, row(button("forget_really", "danger")))
    hint = quiet(say("page.forget_hint"))
    return card(_gone("would_leave", found.removed), others, sure, hint, _back(), wide=True)


def forget_now(site: Site, form: Form) -> str:
    """Forget it, if what would leave is still what was shown."""
    what = given(form, "what")
    would = forgetting.forget(site.workspace, site.clock, what, dry_run=True)
    if _fingerprint(would.removed) != given(form, "seen"):
        raise BadInput(say("page.forget_is_another"))
    gone = forgetting.forget(site.workspace, site.clock, what, forever="forever" in form)
    return " · ".join(filter(None, (gone.run, *(safe(line.text) for line in gone.removed[:3]))))


def _fingerprint(gone: tuple[ForgottenLine, ...]) -> str:
    return " ".join(one.id for one in gone)


def _gone(key: str, lines: tuple[ForgottenLine, ...]) -> Html | None:
    if not lines:
        return None
    told = [
        h("li", h("code", f"{one.path}:{one.line}"), " ", safe(one.text), f" ({one.why})" if one.why else "")
        for one in lines
    ]
    return h("div", h("h2", say(f"page.{key}")), h("ul", told, class_="plainlist"))


def palace(site: Site, visit: Visit) -> Html:
    """The views of a memory by time, project, technology and the owner's own words."""
    found = site.cache.get("palace", lambda: views.show(site.workspace), 60, old_will_do=True)
    pages = {page.path.rsplit("/", 1)[-1].removesuffix(".md"): page for page in found.pages}
    here = pages.get(visit.asked("view"), next(iter(pages.values()), None))
    doors = []
    for name, page in pages.items():
        current = "true" if page is here else None
        count = h("small", len(page.quotes))
        doors.append(h("li", h("a", safe(page.title), " ", count, href=f"/palace?view={name}", aria_current=current)))
    nav = h("nav", h("ul", doors, class_="months"), aria_label=say("page.palace"))
    return h("div", nav, _view(here), visit.form("/palace/rebuild", button("rebuild")))


def rebuild(site: Site, form: Form) -> str:
    found = views.rebuild(site.workspace, site.clock)
    return found.run.id if found.run else ""


def _view(page: Page | None) -> Html:
    if page is None or not page.chapters:
        return card(quiet(say("page.view_empty")))
    chapters = []
    for chapter in page.chapters:
        quotes = []
        for quote in chapter.quotes:
            subject = h("b", safe(quote.subject), ": ") if quote.subject else None
            quotes.append(h("li", subject, formatted(quote.text), " ", h("code", str(quote.source))))
        title = h("h2" if chapter.level <= 2 else "h3", safe(chapter.title))
        chapters.append(h("section", title, h("ul", quotes) if quotes else None))
    return h("div", chapters, class_="paper palace")
