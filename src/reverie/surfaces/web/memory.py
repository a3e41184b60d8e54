"""Memory and Palace: MEMORY.md line by line, each with where it came from; its story, pin, edit and forget beside it; and its views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from urllib.parse import urlencode

from reverie.apply.runs import runs
from reverie.core.errors import BadInput
from reverie.features.figures import quality
from reverie.features.forget import forget as forgetting
from reverie.features.forget.forget import ForgottenLine
from reverie.features.palace import palace as views
from reverie.judge.operation import Op
from reverie.lang.messages import say
from reverie.night import commands, suggesting
from reverie.night.suggesting import Card
from reverie.plan.quoting import Page
from reverie.surfaces.web.files import place_link, rests_on
from reverie.surfaces.web.html import (
    Html,
    Inside,
    as_read,
    badge,
    bar,
    because,
    button,
    card,
    folded,
    formatted,
    h,
    hidden,
    in_words,
    quiet,
    row,
    safe,
    swapped,
)
from reverie.surfaces.web.questions import suggested
from reverie.surfaces.web.runs import author_words, run_of
from reverie.surfaces.web.state import Done, Form, Site, Visit, given
from reverie.text.lines import bare, count_units
from reverie.text.markdown import STATEMENTS, Shape
from reverie.text.marks import PIN, is_pinned
from reverie.text.sections import OURS, own_lines
from reverie.workspace.reader import read_workspace
from reverie.workspace.values import Author, Intent, Run, Workspace

PAGE = Author("owner", "page")
MOST = 20  # moments of a story
LONGEST = 2_000  # characters of an edit
KINDS = ("all", "pinned", "dreams", "own", "doubtful", "over")
_TOUCHABLE = (Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH)
_DOUBTS = ("stale", "contradictions")  # figures whose lines may be outdated


@dataclass(frozen=True, slots=True)
class LineAuthor:
    """Who wrote a line: the run, its reason, its sources, and the owner's surface where one is named."""

    run: str
    why: str
    sources: tuple[str, ...]
    by: str = ""
    night: bool = False  # whether a night did it


@dataclass(frozen=True, slots=True)
class LineView:
    """One line of MEMORY.md."""

    number: int
    text: str
    section: str
    level: int = 0  # of a heading; 0 for other lines
    entry: bool = False  # whether a statement begins here
    whole: str = ""  # all words of that statement, on one line
    seen: str = ""  # a short name for them: what is done to a line is done to the line that was seen
    id: str = ""  # of a line that a dream wrote
    pinned: bool = False
    protected: bool = False
    ours: bool = False  # of the `## Dream` section, which each night writes anew
    can_touch: bool = False  # whether it may be pinned and edited here
    over: bool = False  # stands behind the limit of the file
    author: LineAuthor | None = None

    @property
    def dreamt(self) -> bool:
        """Whether a night wrote it, or changed it last."""
        return bool(self.id) or (self.author is not None and self.author.night)


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
    document, authors = file.document, _authors(runs(workspace), snapshot.memory_path)
    ours = set(own_lines(document))
    heads = {block.first: block.level for block in document.blocks if block.shape is Shape.HEADING}
    entries = {entry.block.first: entry for entry in file.entries if entry.block.shape in STATEMENTS}
    lines, section, size = [], "", 0
    for at, raw in enumerate(document.lines):
        text, entry = bare(raw), entries.get(at)
        size += count_units(raw)
        section = text.lstrip("#").strip() if at in heads else section
        line = LineView(at + 1, OURS.sub("", text).rstrip(), section, heads.get(at, 0), over=size > limit)
        if entry is not None:
            mark, pinned = OURS.search(text), is_pinned(text) and entry.protected
            line = replace(
                line,
                entry=True,
                whole=commands.statement_words(entry.text),
                seen=commands.seen_as(commands.lines_of(document, entry)),
                id=mark[1] if mark else "",
                pinned=pinned,
                protected=entry.protected,
                ours=at in ours,
                can_touch=entry.block.shape in _TOUCHABLE and at not in ours,
                author=authors.get(text),
            )
        lines.append(line)
    return MemoryView(snapshot.memory_path, tuple(lines), count_units(file.text), limit)


def _authors(history: tuple[Run, ...], path: str) -> dict[str, LineAuthor]:
    """The run that last wrote a line, by the line as it stands."""
    found: dict[str, LineAuthor] = {}
    for run in history:
        if run.undone_by or run.plan.undoes:
            continue
        for edit in run.plan.edits:
            if edit.path == path:
                night = run.plan.intent is Intent.DREAM
                author = LineAuthor(run.id, edit.why, tuple(map(str, edit.sources)), edit.by, night)
                found |= {bare(line): author for line in edit.new if line.strip() and line not in edit.old}
    return found


def doubts(site: Site) -> dict[int, str | Card]:
    """The lines that may not hold any more, by their number: what a figure counts and why, and the suggestion that waits."""
    figures = site.cache.get("quality", lambda: quality(site.workspace, site.clock), 30, old_will_do=True)
    cards = site.cache.get("suggestions", lambda: suggesting.suggestions(site.workspace, site.clock))
    found: dict[str, str | Card] = {
        one.place: one.against or in_words(part.name)
        for part in figures.parts
        if part.name in _DOUBTS
        for one in part.lines
    }
    found |= {
        line.place: card
        for card in cards
        if card.op in (Op.UPDATE, Op.END)
        for line in card.lines[:1]
        if line.place in found
    }
    return {line: why for place, why in found.items() if (line := _line_of(place))}


def _line_of(place: str) -> int:
    path, _, lines = place.rpartition(":")
    first = lines.partition("-")[0]
    return int(first) if path.lower() == "memory.md" and first.isdecimal() else 0


def memory(site: Site, visit: Visit) -> Html:
    found = site.cache.get("memory", lambda: memory_view(site.workspace))
    if not found.lines:
        return card(h("p", say("page.no_memory")))
    doubtful = doubts(site)
    kind, section, words = visit.asked("kind"), visit.asked("section"), visit.asked("q").strip()
    kind = kind if kind in KINDS else KINDS[0]
    entries = [line for line in found.lines if line.entry]
    shown = {one.number for one in entries if _is(one, kind, doubtful) and _in(one, section, words)}
    told = say("page.characters", size=found.characters, limit=found.limit)
    size = h("div", bar(found.characters, found.limit, told), quiet(told), class_="size")
    everything = kind == KINDS[0] and not section and not words
    asked = visit.asked("line")
    opened = int(asked) if asked.isdecimal() and len(asked) < 10 else 0
    here = f"/memory?{_query(kind, section, words)}" if not everything else "/memory"
    lines = [
        _line(visit, line, found.path, doubtful.get(line.number), here, opened=line.number == opened)
        for line in found.lines
        if line.text and (everything or line.number in shown or (line.level and _leads(line, found.lines, shown)))
    ]
    counts = {one: sum(_is(line, one, doubtful) for line in entries) for one in KINDS}
    told_count = None if everything else quiet(say("rooms.lines_shown", n=len(shown)))
    paper = h("div", lines, class_="paper list") if lines else card(quiet(say("rooms.no_such_line")))
    return h("div", size, _filters(found, counts, kind, section, words), told_count, paper)


def _is(line: LineView, kind: str, doubtful: Mapping[int, object]) -> bool:
    return {
        "all": True,
        "pinned": line.pinned,
        "dreams": line.dreamt,
        "own": not line.dreamt and not line.ours,
        "doubtful": line.number in doubtful,
        "over": line.over,
    }[kind]


def _in(line: LineView, section: str, words: str) -> bool:
    return (not section or line.section == section) and words.casefold() in line.whole.casefold()


def _leads(head: LineView, lines: Sequence[LineView], shown: set[int]) -> bool:
    """Whether a line that is shown stands right under this heading."""
    under = takewhile(lambda line: not line.level, lines[head.number :])
    return any(line.number in shown for line in under)


def _query(kind: str, section: str, words: str) -> str:
    return urlencode({name: value for name, value in (("kind", kind), ("section", section), ("q", words)) if value})


def _filters(found: MemoryView, counts: Mapping[str, int], kind: str, section: str, words: str) -> Html:
    doors = [
        h(
            "li",
            h(
                "a", say(f"rooms.lines_{one}"), " ", h("small", counts[one]),
                href=f"/memory?{_query(one, section, words)}", aria_current="true" if one == kind else None,
            ),
        )
        for one in KINDS
        if counts[one] or one == kind
    ]  # fmt: skip
    sections = list(dict.fromkeys(line.section for line in found.lines if line.entry and line.section))
    choices = [h("option", say("rooms.every_section"), value="")]
    choices += [h("option", safe(one), value=one, selected=one == section) for one in sections]
    label = say("rooms.filter_text")
    fields = row(
        h("input", type="search", name="q", value=words, maxlength=200, aria_label=label, placeholder=label),
        h("select", choices, name="section", aria_label=say("rooms.section")),
        button("rooms.show"),
    )
    box = h("form", hidden("kind", kind), fields, method="get", action="/memory", role="search")
    nav = h("nav", h("ul", doors, class_="months"), aria_label=say("rooms.filters"))
    return h("div", nav, box, class_="filters")


def _line(visit: Visit, line: LineView, path: str, doubt: str | Card | None, here: str, *, opened: bool) -> Html:
    if line.level:
        return h(f"h{min(line.level + 1, 6)}", safe(line.text.lstrip("#").strip()), id=f"L{line.number}")
    if not line.entry:
        return h("p", formatted(line.text), class_="rest", id=f"L{line.number}")
    marks: list[Inside] = []
    if line.pinned:
        marks.append(badge(say("page.pinned"), "note"))
    elif line.protected:
        marks.append(badge(say("page.protected")))
    if doubt:
        marks.append(badge(say("rooms.doubtful"), "cut"))
    if line.over:
        marks.append(badge(say("rooms.over"), "cut"))
    if line.dreamt:
        marks.append(h("span", "☾", class_="ours", role="img", aria_label=say("rooms.lines_dreams")))
    depth = min(2, (len(line.text) - len(line.text.lstrip())) // 2)
    words = formatted(as_read(line.text.replace(f"{PIN} ", "", 1)))
    shown = h("span", words, class_=f"words in{depth}")
    warned = h("p", say("rooms.doubt_why", why=safe(doubt)), class_="warn") if isinstance(doubt, str) else None
    if isinstance(doubt, Card):
        warned = suggested(visit, doubt, f"{here}#L{line.number}")
    return h(
        "details",
        h("summary", h("span", line.number, class_="no"), shown, h("span", marks, class_="marks")),
        h("div", _origin(line.author), warned, _doing(visit, line, path, here), class_="under"),
        id=f"L{line.number}",
        open=opened,
        class_="here" if opened else None,
        tabindex="-1",
    )


def _origin(author: LineAuthor | None) -> Html:
    """Where a line came from, in a sentence: the owner, or a run with its reason and its sources."""
    if author is None:
        return h("p", say("page.your_words"), class_="why")
    run = h("a", author.run, href=f"/runs?{urlencode({'run': author.run})}#R{author.run}")
    who = f" · {author_words(author.by)}" if author.by.endswith(")") else ""
    told = h("p", safe(author.why), " · ", run, who, class_="why")
    return h("div", told, rests_on(author.sources))


def _doing(visit: Visit, line: LineView, path: str, here: str) -> Html:
    named = line.id or line.whole
    story = None
    if named == safe(named):  # a secret stays out of the address bar too
        story = h("a", say("rooms.story"), href=f"/memory/why?{urlencode({'line': named})}", class_="button")
    back = hidden("back", f"{here}#L{line.number}")
    seen = hidden("line", f"{line.number} {line.seen}")
    pin_it = edit_it = gone = None
    if line.can_touch and (line.pinned or not line.protected):
        off = hidden("off", "1") if line.pinned else None
        pin_it = visit.form("/pin", seen, off, back, button("rooms.unpin" if line.pinned else "pin"))
    if line.can_touch and not line.protected and line.whole == safe(line.whole):
        edit_it = _editing(visit, line, seen, back)
    if not (line.ours or line.pinned or line.protected):
        place = urlencode({"what": f"{path}:{line.number}"})
        gone = h("a", say("page.forget"), href=f"/forget?{place}", class_="button danger")
    return row(story, pin_it, gone, edit_it)


def _editing(visit: Visit, line: LineView, seen: Html, back: Html) -> Html:
    its = f"edit-{line.number}"
    label = h("label", say("rooms.new_words"), for_=its)
    field = h("textarea", line.whole, name="text", id=its, rows=2, maxlength=LONGEST, required=True)
    hint = quiet(say("rooms.edit_hint"))
    form = visit.form("/edit", seen, back, label, field, row(button("rooms.save"), hint))
    words = h("span", say("rooms.edit")), h("span", say("rooms.cancel"))  # the style sheet shows one of them
    return h("details", h("summary", words, class_="button"), form, class_="editing")


def pin(site: Site, form: Form) -> Done:
    """Pin a line, or take its pin off. The session of this page, with its cookie and its token, is the owner's."""
    off = "off" in form
    number, seen = _meant(form)
    run = run_of(commands.pin(site.workspace, site.clock, number, seen, off=off, by=PAGE))
    return Done(say("rooms.unpinned_it" if off else "rooms.pinned_it", n=number), run)


def edit(site: Site, form: Form) -> Done:
    """Put other words in the place of a line."""
    number, seen = _meant(form)
    text = given(form, "text")[:LONGEST]
    run = run_of(commands.edit_line(site.workspace, site.clock, number, seen, text, by=PAGE))
    return Done(say("rooms.edited_it", n=number), run)


def _meant(form: Form) -> tuple[int, str]:
    number, _, seen = given(form, "line").partition(" ")
    if not number.isdecimal() or len(number) > 9:
        raise BadInput(say("page.which_line"))
    return int(number), seen


def why(site: Site, visit: Visit) -> Html:
    """One fact through its versions: when it entered, what changed it, when it left and came back, and where it stands now."""
    asked = visit.asked("line")
    story, moments = commands.why(site.workspace, asked), commands.timeline(site.workspace, asked)
    first = moments[0] if moments else None
    before = (
        h("li", h("p", say("rooms.stood_before"), " ", h("q", safe(first.old))), class_="quiet")
        if first and first.old
        else None
    )
    told = [_moment(one) for one in moments[-MOST:]]
    stands = [h("p", say("page.stands"), " ", place_link(place)) for place in story.stands[:MOST]]
    kept = [
        h("li", h("code", block.id), f" {block.archived} ({in_words(block.category)}) ", safe(block.note))
        for block in story.archived[-MOST:]
    ]
    archive = folded(say("rooms.in_archive", n=len(kept)), h("ul", kept)) if kept else None
    nothing = h("p", say("rooms.untouched" if story.stands else "page.no_story")) if not moments else None
    words = (
        story.archived[-1].content[0]
        if not moments and story.archived
        else moments[-1].new or moments[-1].old
        if moments
        else asked
    )
    return card(
        h("blockquote", formatted(as_read(words))),
        stands,
        nothing,
        h("ol", before, told, class_="story") if told else None,
        archive,
        _back(),
        title=say("rooms.timeline"),
        wide=True,
    )


def _moment(one: commands.Moment) -> Html:
    if one.old and one.new:
        words = h("p", swapped(one.old, one.new))
    else:
        words = h("p", h("ins" if one.new else "del", formatted(one.new or one.old)), class_="diff")
    kind = {"entered": "add", "returned": "add", "archived": "cut", "forgotten": "cut", "taken back": "cut"}.get(
        one.did, "note"
    )
    who = f" · {author_words(one.by)}" if one.by.endswith(")") else ""
    run = h("a", one.run, href=f"/runs?{urlencode({'run': one.run})}#R{one.run}")
    return h(
        "li",
        row(h("time", one.at[:16].replace("T", " ")), badge(say(f"rooms.did_{one.did.replace(' ', '_')}"), kind), run),
        words,
        because(one.why, who),
        rests_on(one.sources),
        h("p", say("page.undone", run=one.undone_by), class_="warn") if one.undone_by else None,
    )


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
    hint = quiet(say("forget.held_a_secret" if found.final else "page.forget_hint"))
    return card(_gone("would_leave", found.removed), others, sure, hint, _back(), wide=True)


def forget_now(site: Site, form: Form) -> Done:
    """Forget it, if what would leave is still what was shown."""
    what = given(form, "what")
    would = forgetting.forget(site.workspace, site.clock, what, dry_run=True)
    if _fingerprint(would.removed) != given(form, "seen"):
        raise BadInput(say("page.forget_is_another"))
    gone = forgetting.forget(site.workspace, site.clock, what, forever="forever" in form)
    return Done(say("rooms.forgotten", what=" · ".join(safe(line.text) for line in gone.removed[:3])), gone.run or "")


def _fingerprint(gone: tuple[ForgottenLine, ...]) -> str:
    return " ".join(one.id for one in gone)


def _gone(key: str, lines: tuple[ForgottenLine, ...]) -> Html | None:
    if not lines:
        return None
    told = [
        h("li", place_link(f"{one.path}:{one.line}"), " ", safe(one.text), f" ({one.why})" if one.why else "")
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
    return h("div", nav, _view(here), row(visit.form("/palace/rebuild", button("rebuild"))))


def rebuild(site: Site, form: Form) -> Done:
    found = views.rebuild(site.workspace, site.clock)
    return Done(say("rooms.views_written") if found.run else "", found.run.id if found.run else "")


def _view(page: Page | None) -> Html:
    if page is None or not page.chapters:
        return card(quiet(say("page.view_empty")))
    chapters = []
    for chapter in page.chapters:
        quotes = []
        for quote in chapter.quotes:
            subject = h("b", safe(quote.subject), ": ") if quote.subject else None
            quotes.append(h("li", subject, formatted(quote.text), " ", place_link(str(quote.source))))
        title = h("h2" if chapter.level <= 2 else "h3", safe(chapter.title))
        chapters.append(h("section", title, h("ul", quotes) if quotes else None))
    return h("div", chapters, class_="paper palace")
