"""The checks: why one operation may not be done, in one plain sentence that its judge can act on. Whoever judged.

Each operation is checked alone and knows of no other. A check never repairs; it says what is wrong and the operation leaves.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from functools import cached_property

from reverie.core.layout import imports_of
from reverie.judge.brief import INDEX, Brief, NoteLine
from reverie.judge.compose import plain_line
from reverie.judge.descriptions import keeping_rule, understood_rules
from reverie.judge.figures import Figure
from reverie.judge.leaving import DUPLICATE
from reverie.judge.operation import BUILT_IN, Op, Operation, hangs_on
from reverie.judge.rewording import changed_negation, dropped_doubt, exchanged_values, find_opposite
from reverie.judge.specifics import Specific, SpecificKind, is_named, lost, missing, normal, specifics_of, word_of
from reverie.judge.vetoes import acts_behind_backs, is_for_machines, is_request
from reverie.lang import words
from reverie.lang.detect import language_of
from reverie.lang.lexicon import GLUED
from reverie.lang.messages import say
from reverie.privacy.redact import findings, holds_mask, holds_secret
from reverie.text.lines import count_units
from reverie.text.marks import PIN, days_in, is_marked
from reverie.text.sections import AREAS, OURS
from reverie.text.terms import plain, term_set, terms
from reverie.workspace.claude_topics import leads_to
from reverie.workspace.values import Origin, Statement

PERSONAL = frozenset({"phone", "card", "iban", "national-id", "chat-id"})
LONGEST = 300  # characters of a line, as the host counts them
SHORTEST = 3
_UNRELATED = 0.02  # chance from which a note may be about a line with which it shares no word
_SAME = 0.8  # of an added line's words: then a memory line says it already
_OPENS = re.compile(r"\s*(?:#{1,6}(?:\s|$)|[-*+•]\s|\d{1,9}[.)]\s|>|```|~~~|\||-{3}|={3}|<[a-z!/?])", re.I)
_MARKUP = re.compile(r"<!--|-->|```|<(?:script|iframe|img|style|details)\b", re.I)
_SEPARATOR = re.compile(r"[,;，；、](?!\d)")
# When a line was written, and no part of what it says.
_CLOCK = re.compile(r"^\s*\d{1,2}[:.h]\d{2}(?::\d{2})?\s*(?:[–—-]\s*(?:\d{1,2}[:.h]\d{2})?)?\s*")


def refusal(operation: Operation, brief: Brief) -> str:
    """Why an operation may not be done; empty when it may."""
    case = _Case(operation, brief)
    return next((why for check in _CHECKS[operation.op] if (why := check(case))), "")


def line_after(operation: Operation) -> str:
    """The words of the first memory line after an update or a merge; of an add, its text."""
    line = operation.memory[0].text if operation.memory else ""
    if operation.op is Op.UPDATE and operation.old:
        places = _places(operation.old, line)
        if len(places) != 1:
            return line
        return line[: places[0]] + operation.new + line[places[0] + len(operation.old) :]
    return operation.text or line


def _places(old: str, line: str) -> list[int]:
    """Where words stand in a line, not as a part of a longer word or number."""
    letter = rf"(?:(?![{GLUED}])[^\W_])"
    before = rf"(?<!{letter})" if re.match(letter, old) else ""
    after = rf"(?!{letter})" if re.search(rf"{letter}$", old) else ""
    return [hit.start() for hit in re.finditer(before + re.escape(old) + after, line)]


class _Case:
    """An operation and the brief it was made of, with what several checks ask about them."""

    def __init__(self, operation: Operation, brief: Brief) -> None:
        self.operation, self.brief = operation, brief
        self.new = operation.new if operation.old else operation.text  # the words that it brings
        self.memory = [entry.text for entry in operation.memory]
        # A copy that the built-in judge found: an item or a section with all that stands in it, which stands elsewhere too.
        self.is_copy = operation.op is Op.END and operation.by == BUILT_IN and operation.tag == DUPLICATE

    @cached_property
    def line(self) -> str:
        return line_after(self.operation)

    @cached_property
    def notes(self) -> list[NoteLine]:
        """The cited lines."""
        keys = {claim.key for claim in self.operation.cites}
        return [line for line in self.brief.notes if line.claim.key in keys]

    @cached_property
    def quoted(self) -> list[str]:
        """A stranger's words among what is cited: they support nothing."""
        keys = {line.claim.key for line in self.brief.notes if line.quoted}
        return [claim.text for claim in self.operation.cites if claim.key in keys]

    @cached_property
    def said(self) -> list[str]:
        """What the owner's cited lines say."""
        keys = {line.claim.key for line in self.brief.notes if line.quoted}
        return [claim.text for claim in self.operation.cites if claim.key not in keys]

    @cached_property
    def own_words(self) -> list[str]:
        """The same, with the line that came back where a cited note says it again."""
        cited = {line.id for line in self.notes}
        return self.said + [line.removed.text for line in self.brief.returned if line.note in cited]

    @cached_property
    def context(self) -> list[str]:
        """Headings and parents of what is cited and concerned, and the section a new line goes to."""
        above = [part for claim in self.operation.cites for part in (claim.heading, claim.lead)]
        above += [part for entry in self.operation.memory for part in (*entry.headings, *entry.parents)]
        return [_CLOCK.sub("", part) for part in (*above, self.operation.section) if part]

    @cached_property
    def days(self) -> tuple[str, ...]:
        days = [claim.day for claim in self.operation.cites] + [day for line in self.notes for day in line.days]
        return tuple(dict.fromkeys(day for day in days if day))


# What each kind must have.


def _add_is_whole(case: _Case) -> str:
    if not case.operation.cites:
        return say("refused.add_no_note")
    return "" if case.operation.text.strip() else say("refused.add_no_text")


def _update_is_whole(case: _Case) -> str:
    one = case.operation
    if len(one.memory) != 1:
        return say("refused.update_lines", n=len(one.memory))
    if not one.cites:
        return say("refused.update_no_note")
    if not one.old:
        return "" if one.text.strip() else say("refused.update_empty")
    if not one.new.strip():
        return say("refused.update_no_new", old=one.old)
    places = len(_places(one.old, case.memory[0]))
    if not places:
        return say("refused.old_missing", old=one.old, line=_short(case.memory[0]))
    return say("refused.old_often", old=one.old, n=places) if places > 1 else ""


def _end_is_whole(case: _Case) -> str:
    one, room = case.operation, case.brief.room
    if not one.memory:
        return say("refused.end_no_line")
    over = room.units > room.limit or room.lines > room.max_lines
    if one.cites or over or one.by == BUILT_IN or _is_past(case) or _stands_elsewhere(case):
        return ""
    return say("refused.end_no_note")


def _is_past(case: _Case) -> bool:
    """Whether each line names a day of its own and the last one is over."""
    return all((days := days_in(text)) and max(days) < case.brief.today for text in case.memory)


def _stands_elsewhere(case: _Case) -> bool:
    """Whether other lines of memory say what these say: every specific, and most of the words."""
    others = [line.text for line in case.brief.memory if line.entry not in case.operation.memory]
    return all(any(_says(other, text) for other in others) for text in case.memory)


def _merge_is_whole(case: _Case) -> str:
    return "" if len(set(case.operation.memory)) > 1 else say("refused.merge_lines")


def _question_is_one(case: _Case) -> str:
    question = case.operation.text.strip()
    if not (case.operation.memory or case.operation.cites):
        return say("refused.question_no_line")
    if not case.operation.memory and not case.own_words:
        return say("refused.question_quoted")
    if not any(sign in question for sign in "?？؟") and not question.rstrip("。 ").endswith(words("questions.endings")):
        return say("refused.question_no_mark")
    if count_units(question) > LONGEST:
        return say("refused.question_long", n=count_units(question), most=LONGEST)
    return ""


# Which lines it may touch, and whom it may believe.


def _lines_exist(case: _Case) -> str:
    known = {line.entry for line in case.brief.memory}
    strange = next((entry for entry in case.operation.memory if entry not in known), None)
    if strange is not None and not case.is_copy:
        return say("refused.no_memory_line", line=_short(strange.text))
    keys = {line.claim.key for line in case.brief.notes}  # of what came back, an add cites the note that says it again
    if unread := next((claim for claim in case.operation.cites if claim.key not in keys), None):
        return say("refused.no_note_line", line=_short(unread.text))
    return ""


def _lines_may_change(case: _Case) -> str:
    for line in case.brief.memory:
        if line.entry not in case.operation.memory or (line.fixed == INDEX and _takes_topics_along(case, line.entry)):
            continue
        if line.fixed or line.entry.protected:
            why = line.fixed or say("refused.protected")
            return say("refused.fixed", id=line.id, why=why.rstrip(".。"))
        if line.entry.origin is not Origin.OWNER:
            return say("refused.not_owners", id=line.id, origin=line.entry.origin)
    return ""


def _takes_topics_along(case: _Case, pointer: Statement) -> bool:
    """Whether all that the topics say to which a line of a host's index leads ends together with it."""
    led = leads_to(pointer)
    said = (entry for file in case.brief.topics if file.path in led for entry in file.entries)
    return case.operation.op is Op.END and all(entry in case.operation.memory for entry in said)


def _no_rule_keeps_it(case: _Case) -> str:
    """What the owner wants kept, in DREAM.md, leaves neither ticked nor expired nor outdated. A copy of it may."""
    rules = () if case.is_copy else understood_rules(case.brief.rules)
    kept = next((rule for entry in case.operation.memory if (rule := keeping_rule(entry, rules))), "")
    return say("refused.rule_keeps", rule=kept) if kept else ""


def _is_no_word_of_its_own(case: _Case) -> str:
    """What a line was made of neither ends nor changes it."""
    sources = {claim.source for claim in case.operation.cites}
    lines = (line for line in case.brief.memory if line.entry in case.operation.memory)
    return say("refused.own_source") if sources and any(sources <= line.made_from for line in lines) else ""


def _sub_lines_go_along(case: _Case) -> str:
    """A line that leaves takes what hangs on it along, so its judge must have seen that."""
    if case.is_copy:
        return ""
    one = case.operation
    firsts = {(entry.path, entry.block.first) for entry in one.memory}
    for entry in one.memory if one.op is Op.END else one.memory[1:]:
        inside = (e.entry for e in case.brief.memory if hangs_on(e.entry, entry))
        if left := next((below for below in inside if (below.path, below.block.first) not in firsts), None):
            return say("refused.lines_under", line=_short(entry.text), left=_short(left.text))
    return ""


def _owner_said_it(case: _Case) -> str:
    if not case.operation.cites:
        return ""
    if not case.own_words:
        return say("refused.quoted")
    mine, theirs = set(terms(" ".join(case.own_words))), set(terms(" ".join(case.quoted)))
    new = set(terms(case.operation.new or case.operation.text))
    if case.quoted and len(new & (theirs - mine)) > len(new & mine):
        return say("refused.repeats_quoted")
    return ""


def _is_no_old_import(case: _Case) -> str:
    """What was said in another system before the last night is no newer word on a line of memory."""
    places = [source.path for line in case.notes for source in (line.claim.source, *line.sources)]
    old = places and all(map(imports_of, places)) and not "" < case.brief.since < max(case.days, default="")
    return say("imports.older") if old else ""


def _notes_speak_of_it(case: _Case) -> str:
    """A note that shares no word with a line, nor its headings, and whose meaning is far away, ends and changes nothing of it."""
    one, embedder = case.operation, case.brief.embedder
    if not one.cites or one.by == BUILT_IN or embedder is None or not one.memory:
        return ""
    entry = one.memory[0]
    told = [f"{claim.context} {claim.text}" for claim in one.cites]
    said = set(terms(" ".join((*told, *_lines_before(case)))))
    if said & set(terms(" ".join((entry.text, *entry.headings[-1:], *entry.parents)))):
        return ""
    from reverie.judge.worth import about_same  # numpy and the weights, only where no word tells

    pairs = [(plain_line(entry.text), plain_line(claim.text)) for claim in one.cites]
    far = max(about_same(pairs, embedder.embed)) < _UNRELATED
    return say("refused.unrelated", line=_short(entry.text)) if far else ""


def _lines_before(case: _Case) -> list[str]:
    """The line that stands before each cited one in its note: "he wants to be paid by transfer" says of whom there."""
    keys = {claim.key for claim in case.operation.cites}
    pairs = zip(case.brief.notes, case.brief.notes[1:], strict=False)
    return [one.text for one, other in pairs if other.claim.key in keys and one.claim.path == other.claim.path]


# What the new words may say.


def _text_is_a_line(case: _Case) -> str:
    new, line, old = case.new.strip(), case.line, case.operation.old
    if case.operation.op is Op.MERGE and not case.operation.text:
        return ""
    if not old and count_units(new) < SHORTEST:
        return say("refused.short")
    if any(char in line for char in "\r\n\u2028\u2029\x0b\x0c\x85\x00"):
        return say("refused.several_lines")
    if count_units(line) > max([LONGEST, *map(count_units, case.memory)]):
        return say("refused.long", n=count_units(line), most=LONGEST)
    found = _MARKUP.search(new) or (_OPENS.match(new) if not old or line.startswith(new) else None)
    if found and not any(text.startswith(found[0].strip()) for text in case.memory):
        return say("refused.markup", found=found[0].strip())
    return ""


def _marks_nothing(case: _Case) -> str:
    """Only the owner says what must never change: a note's “📌” or “NEVER” makes no line of the owner's a protected one."""
    if PIN in case.new:
        return say("authority.pin")
    before = case.operation.memory[0].text if case.operation.memory else ""
    theirs = bool(before) and not OURS.search(before)  # a line of ours names its words, and protects nothing
    return say("authority.mark") if theirs and is_marked(case.line) and not is_marked(before) else ""


def _no_order(case: _Case) -> str:
    """Whoever judges: no word to the machine itself enters memory, and no request on the word of a program alone."""
    if is_for_machines(case.new) or acts_behind_backs(case.new):
        return say("authority.order")
    programs = bool(case.notes) and all(line.by or line.quoted for line in case.notes)
    return say("authority.order") if programs and is_request(plain_line(case.new)) else ""


def _nobodys_number(case: _Case) -> str:
    """Numbers and addresses by which a person can be reached stay in the notes: memory is read before every conversation."""
    known = " ".join(case.memory)
    found = [case.new[one.start : one.end] for one in findings(case.new, PERSONAL)]
    stray = next((number for number in found if number not in known), "")
    return say("refused.personal", found=stray) if stray else ""


def _no_secret(case: _Case) -> str:
    both = f"{case.operation.new}\n{case.operation.text}"
    if holds_mask(both):
        return say("refused.mask")
    if holds_secret(both) or (case.operation.op in (Op.UPDATE, Op.ADD) and holds_secret(case.line)):
        return say("refused.secret")
    return ""


def _section_exists(case: _Case) -> str:
    section, sections = case.operation.section, case.brief.sections
    if section in (*sections, *AREAS):
        return ""
    by_plain = {plain(name): name for name in (*sections, *AREAS)}
    near = difflib.get_close_matches(plain(section), by_plain, n=1, cutoff=0.0)
    nearest = by_plain[near[0]] if near else (*sections, *AREAS)[0]
    return say("refused.section", section=section, nearest=nearest)


def _specifics_are_told(case: _Case) -> str:
    if not case.new:
        return ""  # of lines that say the same, the first stays as it is
    known = (*case.own_words, *case.context, *case.memory)
    stray = [one.shown for one in missing(case.new, known, case.days) if not _is_known_name(one, case.brief)]
    if stray := list(dict.fromkeys(stray)):
        where = "refused.not_cited" if case.operation.cites else "refused.not_in_memory"
        listed = say("refused.comma").join(f"“{word}”" for word in stray[:3])
        return say(where, n=len(stray), found=listed)
    if not set(terms(case.new)) & set(terms(" ".join(known))) and not specifics_of(case.new):
        return say("refused.no_common_word")
    return ""


def _is_known_name(one: Specific, brief: Brief) -> bool:
    """A name that memory or the owner's notes know: whom and what it is about needs no citation. A value does."""
    if one.kind is not SpecificKind.NAME:
        return False
    lines = (*(line.text for line in brief.memory), *(line.text for line in brief.notes if not line.quoted))
    return any(word_of(one.shown, line) for line in lines)


def _nothing_is_turned(case: _Case) -> str:
    said, old = case.said, case.memory
    if case.operation.op is Op.MERGE:
        said, old = old, said
    return changed_negation(case.new, said, (*old, *case.context), keeps=() if case.operation.old else old)


def _nothing_is_opposed(case: _Case) -> str:
    if pair := find_opposite(case.new, (*case.own_words, *case.context, *case.memory)):
        return say("refused.opposite", word=pair[0], other=pair[1])
    dropped = "" if case.operation.old else dropped_doubt(case.new, case.own_words)
    return say("refused.doubt_gone", word=dropped) if dropped else ""


def _values_stay_with_their_things(case: _Case) -> str:
    pair = exchanged_values(case.new, (*case.own_words, *case.memory))
    return say("refused.exchanged", one=pair[0], other=pair[1]) if pair else ""


def _nothing_else_is_lost(case: _Case) -> str:
    """A new wording keeps every specific of the old line but those in whose place it says something new."""
    one = case.operation
    if one.old or not one.text:
        return ""
    for text in case.memory:
        gone = missing(text, (one.text,))
        named = [specific for specific in gone if is_named(specific, one.drops)]
        rest = [specific for specific in gone if specific not in named]
        if rest and one.op is not Op.MERGE:  # what is dropped by name is what the new values stand for
            left = _not_replaced([*named, *rest], text, one.text, case.own_words)
            rest = [specific for specific in left if specific not in named]
        if rest:
            return say("refused.lost", found=_whole(rest[0]))
    return ""


def _not_replaced(gone: Sequence[Specific], before: str, after: str, said: Sequence[str]) -> list[Specific]:
    """What is gone without anything new in its place: a value gives way to one of its family that the cited lines bring.

    Wherever it stands in the new wording. Where a stretch of one clause is told anew, plain words will do too: "only after
    19:00" becomes "at any time".
    """
    before, after = normal(before), normal(after)
    left, arrived, known = list(gone), _wholes(missing(after, (before,))), set(terms(before))
    for (first, end), (start, stop) in _told_anew(before, after):
        here = [one for one in left if _overlaps(one.shown, before, first, end)]
        new = [one for one in arrived if _overlaps(one.shown, after, start, stop)]
        plain_words = set(terms(after[start:stop])) - known and not _SEPARATOR.search(before[first:end])
        if not new and plain_words and len(_wholes(here)) == 1:
            left = [one for one in left if one not in here]
    capitals = _new_capitals(after, before, said)
    for one in _wholes(left):
        instead = next((new for new in arrived if _may_replace(new, one)), None)
        if instead is not None:
            arrived.remove(instead)
        elif one.kind is SpecificKind.NAME and capitals:
            capitals.pop()
        else:
            continue
        left = [other for other in left if _whole(other) != _whole(one)]
    return left


def _may_replace(new: Specific, old: Specific) -> bool:
    """A value gives way to one of its family, 35 to 42 and May to June, but kilos not to euros."""
    if isinstance(new.value, Figure) and isinstance(old.value, Figure):
        return not new.value.unit or not old.value.unit or new.value.dimension == old.value.dimension
    return _family(new) == _family(old)


def _new_capitals(after: str, before: str, said: Sequence[str]) -> list[str]:
    """Nouns with a capital that the cited lines bring: where every noun has one, what a name gives way to."""
    if language_of((after, *said)) != "de":
        return []
    words = re.findall(r"(?<=[^\W\d_]\s)[^\W\d_a-z][^\W\d_A-Z]+", after)
    return [word for word in words if word not in before and any(word in text for text in said)]


def _wholes(specifics: Sequence[Specific]) -> list[Specific]:
    """Each name once, however many words it has."""
    return list({_whole(one): one for one in specifics}.values())


def _family(one: Specific) -> str:
    if one.kind in (SpecificKind.DAY, SpecificKind.TIME):
        return "when"
    return "number" if one.kind is SpecificKind.NUMBER else "words"


def _overlaps(words: str, text: str, first: int, end: int) -> bool:
    at = text.find(words)
    return at < end and first < at + len(words) if at >= 0 else False


def _told_anew(before: str, after: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The stretches of a line that another wording replaces, with what stands there now, as places in both."""
    old, new = _tokens(before), _tokens(after)
    steps = difflib.SequenceMatcher(None, [t[0] for t in old], [t[0] for t in new], autojunk=False).get_opcodes()
    starts = [[hit.start() for hit in tokens] + [len(text)] for tokens, text in ((old, before), (new, after))]
    return [
        ((starts[0][a], starts[0][b]), (starts[1][c], starts[1][d])) for kind, a, b, c, d in steps if kind != "equal"
    ]


def _tokens(text: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"[{GLUED}]|\d[\d.,:/-]*\d|(?:(?![{GLUED}])[\w'’])+|\s+|.", text))


def _whole(one: Specific) -> str:
    return one.value if isinstance(one.value, str) and one.value else one.shown


def _is_new(case: _Case) -> str:
    """An add that says what memory says already is an update of nothing."""
    said = next((line for line in case.brief.memory if _says(line.text, case.operation.text)), None)
    return say("refused.known", id=said.id) if said else ""


def _says(theirs: str, text: str) -> bool:
    """Whether a line says what another says: the same words, or most of them with every specific."""
    mine = term_set(text)
    known = len(mine & term_set(theirs)) >= _SAME * len(mine) if mine else False
    return plain(theirs) == plain(text) or (known and not lost((text,), theirs))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:59] + "…"


_CHECKS: dict[Op, tuple[Callable[[_Case], str], ...]] = {
    Op.ADD: (
        _add_is_whole, _lines_exist, _owner_said_it, _text_is_a_line, _marks_nothing, _no_order, _no_secret, _nobodys_number, _section_exists, _specifics_are_told,
        _nothing_is_turned, _nothing_is_opposed, _values_stay_with_their_things, _is_new,
    ),
    Op.UPDATE: (
        _update_is_whole, _lines_exist, _lines_may_change, _owner_said_it, _is_no_old_import, _is_no_word_of_its_own, _notes_speak_of_it, _text_is_a_line, _marks_nothing, _no_order, _no_secret, _nobodys_number,
        _specifics_are_told, _nothing_is_turned, _nothing_is_opposed, _values_stay_with_their_things, _nothing_else_is_lost,
    ),
    Op.END: (_end_is_whole, _lines_exist, _lines_may_change, _no_rule_keeps_it, _owner_said_it, _is_no_old_import, _is_no_word_of_its_own, _notes_speak_of_it, _sub_lines_go_along),
    Op.MERGE: (
        _merge_is_whole, _lines_exist, _lines_may_change, _sub_lines_go_along, _text_is_a_line, _marks_nothing, _no_order, _no_secret,
        _specifics_are_told, _nothing_is_turned, _nothing_is_opposed, _values_stay_with_their_things, _nothing_else_is_lost,
    ),
    Op.ASK: (_question_is_one, _lines_exist, _text_is_a_line, _no_secret),
}  # fmt: skip
