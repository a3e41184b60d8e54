"""The checks: why one operation may not be done, in one plain sentence that its judge can act on. Whoever judged.

Each operation is checked alone and knows of no other. A check never repairs; it says what is wrong and the operation leaves.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

from reverie.judge import leaving
from reverie.judge.brief import Brief, MemoryLine, NoteLine
from reverie.judge.compose import plain_line
from reverie.judge.figures import Figure
from reverie.judge.operation import BUILT_IN, Op, Operation
from reverie.judge.rewording import changed_negation, dropped_doubt, exchanged_values, find_opposite
from reverie.judge.specifics import (
    Specific,
    SpecificKind,
    is_named,
    lost,
    missing,
    normal,
    specifics_of,
    word_of,
)
from reverie.lang import words
from reverie.lang.detect import language_of
from reverie.lang.lexicon import GLUED
from reverie.lang.messages import say
from reverie.privacy.redact import findings, holds_mask, holds_secret
from reverie.text.lines import count_units
from reverie.text.marks import days_in
from reverie.text.sections import AREAS
from reverie.text.terms import plain, terms
from reverie.workspace.values import Origin, Statement

PERSONAL = frozenset({"phone", "card", "iban", "national-id", "chat-id"})
LONGEST = 300  # characters of a line, as the host counts them
SHORTEST = 3
_UNRELATED = 0.02  # chance from which a note may be about a line with which it shares no word
_SAME = 0.8  # of an added line's words: then a memory line says it already
_OPENS = re.compile(r"\s*(?:#{1,6}(?:\s|$)|[-*+•]\s|\d{1,9}[.)]\s|>|```|~~~|\||-{3}|={3}|<[a-z!/?])", re.I)
_MARKUP = re.compile(r"<!--|-->|```|<(?:script|iframe|img|style|details)\b", re.I)
_SEPARATOR = re.compile(r"[,;，；、](?!\d)")
_CLOCK = re.compile(
    r"^\s*\d{1,2}[:.h]\d{2}(?::\d{2})?\s*(?:[–—-]\s*(?:\d{1,2}[:.h]\d{2})?)?\s*"
)  # when it was written, not what


def refusal(operation: Operation, brief: Brief) -> str:
    """Why an operation may not be done; empty when it may."""
    return next((why for check in _CHECKS[operation.op] if (why := check(operation, brief))), "")


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


# What each kind must have.


def _add_is_whole(operation: Operation, _brief: Brief) -> str:
    if not operation.cites:
        return say("refused.add_no_note")
    return "" if operation.text.strip() else say("refused.add_no_text")


def _update_is_whole(operation: Operation, _brief: Brief) -> str:
    if len(operation.memory) != 1:
        return say("refused.update_lines", n=len(operation.memory))
    if not operation.cites:
        return say("refused.update_no_note")
    if not operation.old:
        return "" if operation.text.strip() else say("refused.update_empty")
    if not operation.new.strip():
        return say("refused.update_no_new", old=operation.old)
    return _one_place(operation.old, operation.memory[0].text)


def _one_place(old: str, line: str) -> str:
    places = len(_places(old, line))
    if not places:
        return say("refused.old_missing", old=old, line=_short(line))
    return say("refused.old_often", old=old, n=places) if places > 1 else ""


def _end_is_whole(operation: Operation, brief: Brief) -> str:
    if not operation.memory:
        return say("refused.end_no_line")
    over = brief.room.units > brief.room.limit or brief.room.lines > brief.room.max_lines
    if not (
        operation.cites or over or operation.by == BUILT_IN or _is_past(operation, brief) or _is_copy(operation, brief)
    ):
        return say("refused.end_no_note")
    return ""


def _is_past(operation: Operation, brief: Brief) -> bool:
    """Whether each line names a day of its own and the last one is over."""
    return all((days := days_in(entry.text)) and max(days) < brief.today for entry in operation.memory)


def _is_copy(operation: Operation, brief: Brief) -> bool:
    """Whether other lines of memory say what these say: every specific, and most of the words."""
    others = [line.entry.text for line in brief.memory if line.entry not in operation.memory]
    return all(any(_says(other, entry.text) for other in others) for entry in operation.memory)


def _merge_is_whole(operation: Operation, _brief: Brief) -> str:
    return "" if len(set(operation.memory)) > 1 else say("refused.merge_lines")


def _question_is_one(operation: Operation, brief: Brief) -> str:
    question = operation.text.strip()
    if not (operation.memory or operation.cites):
        return say("refused.question_no_line")
    if not operation.memory and not _own_words(operation, brief):
        return say("refused.question_quoted")
    if not any(sign in question for sign in "?？؟") and not question.rstrip("。 ").endswith(words("questions.endings")):
        return say("refused.question_no_mark")
    if count_units(question) > LONGEST:
        return say("refused.question_long", n=count_units(question), most=LONGEST)
    return ""


# Which lines it may touch, and whom it may believe.


def _lines_exist(operation: Operation, brief: Brief) -> str:
    known = {line.entry for line in brief.memory}
    strange = next((entry for entry in operation.memory if entry not in known), None)
    if strange is not None and not _is_repeated(operation):
        return say("refused.no_memory_line", line=_short(strange.text))
    keys = {line.claim.key for line in brief.notes}  # of what came back, an add cites the note that says it again
    if unread := next((claim for claim in operation.cites if claim.key not in keys), None):
        return say("refused.no_note_line", line=_short(unread.text))
    return ""


def _lines_may_change(operation: Operation, brief: Brief) -> str:
    for line in _memory_lines(operation, brief):
        if line.fixed or line.entry.protected:
            return say("refused.fixed", id=line.id, why=(line.fixed or say("refused.protected")).rstrip(".。"))
        if line.entry.origin is not Origin.OWNER:
            return say("refused.not_owners", id=line.id, origin=line.entry.origin)
    return ""


def _sub_lines_go_along(operation: Operation, brief: Brief) -> str:
    """A line that leaves takes what hangs on it along, so its judge must have seen that."""
    if _is_repeated(operation):
        return ""
    leaving = operation.memory if operation.op is Op.END else operation.memory[1:]
    firsts = {entry.block.first for entry in operation.memory}
    for entry in leaving:
        inside = [e for e in _entries(brief) if entry.block.end <= e.block.first < entry.block.tail]
        if left := next((one for one in inside if one.block.first not in firsts), None):
            return say("refused.lines_under", line=_short(entry.text), left=_short(left.text))
    return ""


def _is_repeated(operation: Operation) -> bool:
    """A copy that the built-in judge found: an item or a section with all that stands in it, which stands elsewhere too."""
    return operation.op is Op.END and operation.by == BUILT_IN and operation.tag == leaving.DUPLICATE


def _owner_said_it(operation: Operation, brief: Brief) -> str:
    if not operation.cites:
        return ""
    own, quoted = _own_words(operation, brief), _quoted_words(operation, brief)
    if not own:
        return say("refused.quoted")
    mine, theirs = set(terms(" ".join(own))), set(terms(" ".join(quoted)))
    new = set(terms(operation.new or operation.text))
    if quoted and len(new & (theirs - mine)) > len(new & mine):
        return say("refused.repeats_quoted")
    return ""


def _notes_speak_of_it(operation: Operation, brief: Brief) -> str:
    """A note that shares no word with a line, nor its headings, and whose meaning is far away, ends and changes nothing of it."""
    if not operation.cites or operation.by == BUILT_IN or brief.embedder is None:
        return ""
    told = [f"{claim.context} {claim.text}" for claim in operation.cites]
    said = set(terms(" ".join((*told, *_lines_before(operation, brief)))))
    for entry in operation.memory[:1]:
        if said & set(terms(" ".join((entry.text, *entry.headings[-1:], *entry.parents)))):
            continue
        from reverie.judge.worth import about_same  # numpy and the weights, only where no word tells

        pairs = [(plain_line(entry.text), plain_line(claim.text)) for claim in operation.cites]
        if max(about_same(pairs, brief.embedder.embed)) < _UNRELATED:
            return say("refused.unrelated", line=_short(entry.text))
    return ""


def _lines_before(operation: Operation, brief: Brief) -> list[str]:
    """The line that stands before each cited one in its note: "he wants to be paid by transfer" says of whom there."""
    keys = {claim.key for claim in operation.cites}
    pairs = zip(brief.notes, brief.notes[1:], strict=False)
    return [one.claim.text for one, other in pairs if other.claim.key in keys and one.claim.path == other.claim.path]


# What the new words may say.


def _text_is_a_line(operation: Operation, _brief: Brief) -> str:
    new = (operation.new if operation.old else operation.text).strip()
    line = line_after(operation)
    if operation.op is Op.MERGE and not operation.text:
        return ""
    if not operation.old and count_units(new) < SHORTEST:
        return say("refused.short")
    if any(char in line for char in "\r\n\u2028\u2029\x0b\x0c\x85\x00"):
        return say("refused.several_lines")
    if count_units(line) > LONGEST and count_units(line) > max(
        (count_units(e.text) for e in operation.memory), default=0
    ):
        return say("refused.long", n=count_units(line), most=LONGEST)
    found = _MARKUP.search(new) or (_OPENS.match(new) if not operation.old or line.startswith(new) else None)
    if found and not any(entry.text.startswith(found[0].strip()) for entry in operation.memory):
        return say("refused.markup", found=found[0].strip())
    return ""


def _nobodys_number(operation: Operation, _brief: Brief) -> str:
    """Numbers and addresses by which a person can be reached stay in the notes: memory is read before every conversation."""
    new = operation.new if operation.old else operation.text
    known = " ".join(entry.text for entry in operation.memory)
    found = [new[one.start : one.end] for one in findings(new, PERSONAL)]
    stray = next((words for words in found if words not in known), "")
    return say("refused.personal", found=stray) if stray else ""


def _no_secret(operation: Operation, _brief: Brief) -> str:
    words = f"{operation.new}\n{operation.text}"
    if holds_mask(words):
        return say("refused.mask")
    if holds_secret(words) or (operation.op in (Op.UPDATE, Op.ADD) and holds_secret(line_after(operation))):
        return say("refused.secret")
    return ""


def _section_exists(operation: Operation, brief: Brief) -> str:
    if operation.section in (*brief.sections, *AREAS):
        return ""
    names = brief.sections or AREAS
    by_plain = {plain(name): name for name in (*brief.sections, *AREAS)}
    near = difflib.get_close_matches(plain(operation.section), by_plain, n=1, cutoff=0.0)
    nearest = by_plain[near[0]] if near else names[0]
    return say("refused.section", section=operation.section, nearest=nearest)


def _specifics_are_told(operation: Operation, brief: Brief) -> str:
    new = operation.new if operation.old else operation.text
    if not new:
        return ""  # of lines that say the same, the first stays as it is
    known = (*_own_words(operation, brief), *_context(operation, brief), *(e.text for e in operation.memory))
    stray = [one for one in missing(new, known, _days(operation, brief)) if not _is_known_name(one, brief)]
    if stray:
        stray_words = list(dict.fromkeys(one.shown for one in stray))
        where = "refused.not_cited" if operation.cites else "refused.not_in_memory"
        return say(where, n=len(stray_words), found=_listed(stray_words))
    if not set(terms(new)) & set(terms(" ".join(known))) and not specifics_of(new):
        return say("refused.no_common_word")
    return ""


def _is_known_name(one: Specific, brief: Brief) -> bool:
    """A name that memory or the owner's notes know: whom and what it is about needs no citation. A value does."""
    if one.kind is not SpecificKind.NAME:
        return False
    lines = (*(line.entry.text for line in brief.memory), *(line.claim.text for line in brief.notes if not line.quoted))
    return any(word_of(one.shown, line) for line in lines)


def _nothing_is_turned(operation: Operation, brief: Brief) -> str:
    new = operation.new if operation.old else operation.text
    said = [claim.text for claim in operation.cites if claim.key not in _quoted_keys(brief)]
    old = [entry.text for entry in operation.memory]
    if operation.op is Op.MERGE:
        said, old = old, said
    return changed_negation(new, said, (*old, *_context(operation, brief)), keeps=() if operation.old else old)


def _nothing_is_opposed(operation: Operation, brief: Brief) -> str:
    new = operation.new if operation.old else operation.text
    said = (*_own_words(operation, brief), *_context(operation, brief), *(entry.text for entry in operation.memory))
    if pair := find_opposite(new, said):
        return say("refused.opposite", word=pair[0], other=pair[1])
    dropped = "" if operation.old else dropped_doubt(new, _own_words(operation, brief))
    return say("refused.doubt_gone", word=dropped) if dropped else ""


def _values_stay_with_their_things(operation: Operation, brief: Brief) -> str:
    new = operation.new if operation.old else operation.text
    pair = exchanged_values(new, (*_own_words(operation, brief), *(entry.text for entry in operation.memory)))
    return say("refused.exchanged", one=pair[0], other=pair[1]) if pair else ""


def _nothing_else_is_lost(operation: Operation, brief: Brief) -> str:
    """A new wording keeps every specific of the old line but those in whose place it says something new."""
    if operation.old or not operation.text:
        return ""
    merges = operation.op is Op.MERGE
    for entry in operation.memory:
        gone = missing(entry.text, (operation.text,))
        named = [one for one in gone if is_named(one, operation.drops)]
        rest = [one for one in gone if one not in named]
        if rest and not merges:  # what is dropped by name is what the new values stand for
            left = _not_replaced([*named, *rest], entry.text, operation.text, _own_words(operation, brief))
            rest = [one for one in left if one not in named]
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


def _is_new(operation: Operation, brief: Brief) -> str:
    """An add that says what memory says already is an update of nothing."""
    said = next((line for line in brief.memory if _says(line.entry.text, operation.text)), None)
    return say("refused.known", id=said.id) if said else ""


def _says(theirs: str, text: str) -> bool:
    """Whether a line says what another says: the same words, or most of them with every specific."""
    mine = set(terms(text))
    known = len(mine & set(terms(theirs))) >= _SAME * len(mine) if mine else False
    return plain(theirs) == plain(text) or (known and not lost((text,), theirs))


_CHECKS: dict[Op, tuple[Callable[[Operation, Brief], str], ...]] = {
    Op.ADD: (
        _add_is_whole, _lines_exist, _owner_said_it, _text_is_a_line, _no_secret, _nobodys_number, _section_exists, _specifics_are_told,
        _nothing_is_turned, _nothing_is_opposed, _values_stay_with_their_things, _is_new,
    ),
    Op.UPDATE: (
        _update_is_whole, _lines_exist, _lines_may_change, _owner_said_it, _notes_speak_of_it, _text_is_a_line, _no_secret, _nobodys_number,
        _specifics_are_told, _nothing_is_turned, _nothing_is_opposed, _values_stay_with_their_things, _nothing_else_is_lost,
    ),
    Op.END: (_end_is_whole, _lines_exist, _lines_may_change, _owner_said_it, _notes_speak_of_it, _sub_lines_go_along),
    Op.MERGE: (
        _merge_is_whole, _lines_exist, _lines_may_change, _sub_lines_go_along, _text_is_a_line, _no_secret,
        _specifics_are_told, _nothing_is_turned, _nothing_is_opposed, _values_stay_with_their_things, _nothing_else_is_lost,
    ),
    Op.ASK: (_question_is_one, _lines_exist, _text_is_a_line, _no_secret),
}  # fmt: skip


def _memory_lines(operation: Operation, brief: Brief) -> list[MemoryLine]:
    return [line for line in brief.memory if line.entry in operation.memory]


def _entries(brief: Brief) -> list[Statement]:
    return [line.entry for line in brief.memory]


def _note_lines(operation: Operation, brief: Brief) -> list[NoteLine]:
    keys = {claim.key for claim in operation.cites}
    return [line for line in brief.notes if line.claim.key in keys]


def _quoted_keys(brief: Brief) -> set[str]:
    return {line.claim.key for line in brief.notes if line.quoted}


def _own_words(operation: Operation, brief: Brief) -> list[str]:
    """What the owner's cited lines say; a stranger's words support nothing."""
    quoted = _quoted_keys(brief)
    cited = [line.id for line in _note_lines(operation, brief)]
    returned = [line.removed.text for line in brief.returned if line.note in cited]
    return [claim.text for claim in operation.cites if claim.key not in quoted] + returned


def _quoted_words(operation: Operation, brief: Brief) -> list[str]:
    quoted = _quoted_keys(brief)
    return [claim.text for claim in operation.cites if claim.key in quoted]


def _context(operation: Operation, _brief: Brief) -> list[str]:
    """Headings and parents of what is cited and concerned, and the section a new line goes to."""
    above = [part for claim in operation.cites for part in (claim.heading, claim.lead)]
    above += [part for entry in operation.memory for part in (*entry.headings, *entry.parents)]
    return [_CLOCK.sub("", part) for part in (*above, operation.section) if part]


def _days(operation: Operation, brief: Brief) -> tuple[str, ...]:
    days = [claim.day for claim in operation.cites]
    days += [day for line in _note_lines(operation, brief) for day in line.days]
    return tuple(dict.fromkeys(day for day in days if day))


def _listed(words: Sequence[str]) -> str:
    return say("refused.comma").join(f"“{word}”" for word in words[:3])


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:59] + "…"
