"""What a new line does to an old one, when that is certain: says it again, gives it another value, ends it.

Structure speaks first: the same key with another value is an update; a line that says "in progress" can end, one that
states a fact ends only when a line says that it is gone. The learned judge of pairs is asked where two lines are near
enough for it to know (docs/quality.md). Two lines that only look alike are both true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from reverie.change_words import ARRIVED, GONE, MOVED, NEW, PENDING, REPEATED, SETTLED, TENTATIVE, says_any
from reverie.cues import says
from reverie.marks import is_history
from reverie.model import Entry
from reverie.phases.again import says_again
from reverie.phases.amounts import SHARE, from_to, is_typed, other_amount, same_type
from reverie.phases.compose import plain_line, weight
from reverie.phases.consider import Considered
from reverie.phases.judge import DONE_SURE, UPDATE_SURE, Related
from reverie.phases.near import KEY, Near, is_keyed, key_of, other_subject, same_key
from reverie.sense import bag, clock_of, in_order, is_negated, other_day, shared, values_in, weekdays_in
from reverie.terms import plain

SHORT = 6  # words of a value
TOLD = 30  # words of a value that is told with its story
_UTTERED = re.compile(r"\s*[\"“„«「『'‘]")
_DASHED = re.compile(r"^\W*[^:：]{2,40}?\s[—–-]\s")
_BOLD = re.compile(r"^[\W\d]*(?:\*\*|__)[^*_]+[:：]")
AGAIN, ENDS, UPDATES = "again", "ends", "updates"
_ARTICLE = re.compile(r"^\W*(?:the|our|my|der|die|das|unser\w*|el|la|los|las|le|les|l'|o|os|as)\s+", re.I)
_COPULA = re.compile(
    r"^\W*[^:,.;，。；]{2,40}?(?:\s(?:is|are|ist|sind|es|son|est|sont|é|são)\s|是|は)(?P<value>[^.;。；]{2,40})[.。]?$",
    re.I,
)
_WORD = re.compile(r"[A-Za-zÀ-ɏА-я]{4,}")
_PERSON = re.compile(r"[A-ZÄÖÜÀ-Þ][^\W\d_]+ [A-ZÄÖÜÀ-Þ][^\W\d_]+")
_FIRST = re.compile(r"\W*([A-Za-zÀ-ɏА-я]{2,})")
_HOLDER = re.compile(r"[A-ZÄÖÜÀ-Þ][a-zäöüß-ÿ]{2,}(?!\w)")
_FROM_DAY = re.compile(
    r"\b(?:from|since|starting|ab|seit|desde|depuis|à partir du|a partir de|с)\s+(?:dem\s+|the\s+|el\s+|le\s+)?"
    r"(?:this\s+(?:week|month|morning|afternoon|evening|noon)|last\s+(?:week|night)|noon|tonight|next\s+(?:week|month)|tomorrow|yesterday|today|heute|morgen|gestern|nächste\w*|hoy|ayer|mañana|aujourd'hui|hier|demain|hoje|ontem|amanhã|сегодня|вчера|завтра|\d{4}-\d|\d{1,2}\.(?!\d)|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?[^\W\d_]{3,})(?!\s*(?:uhr|pm|am)\b)|\d\s?[日月号]?起",
    re.I,
)
_NOT_SO = re.compile(  # "is done by Jonna" says who does it; "to be handed in", "not moved yet" and "out of stock" say that it is open
    r"\b(?:(?:is|are|be|gets?)\s+\w+\s+by\b|to\s+be\s+\w+|not\s+(?:\w+\s+)?(?:\w+\s+)?yet\b|out\s+of\b|noch\s+nicht\s+\w+)|还没\w{0,4}|尚未\w{0,4}",
    re.I,
)
_NOBODY = re.compile(  # who came late, or brought the wrong part, has to come again
    r"\b(?:wrong|missing|late|in vain|falsch\w*|spät|umsonst|en vano|equivocad\w+|en retard|errad\w+|atrasad\w+|опозда\w+|nobody|no one|nothing|niemand|keiner|nichts|nadie|nada|personne|rien|ninguém|никто|ничего)\b|没人|谁也|错了|缺|晚了|白跑|誰も|遅れ|아무도|늦",
    re.I,
)
_SUBJECT = re.compile(r"\s(?:is|are|was|has|still|ist|sind|wird|est|es|está)\s|[:：,，;；。(（]")
_LISTED = re.compile(
    r"\b(?:read|seen|watched|visited|tried|bought|met|done|ideas?|links?|gelesen|gesehen|besucht|leídos?|vistos?|lus?|vus?|lidos?)\b|过|読んだ|見た|읽은|본\b"
)
_CLAUSES = re.compile(r"[,，;；。！？]|[.!?]\s")
_DOUBTS = (
    "nobody knows",
    "unclear",
    "not decided",
    "nothing is decided",
    "nothing decided",
    "noch nicht entschieden",
    "noch nichts entschieden",
    "还没定",
    "没定下来",
    "まだ決まっていない",
    "아직 정해지지",
    "unklar",
    "неясно",
    "不确定",
    "没有结论",
    "未定",
    "미정",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of MEMORY.md and a new claim that may be about the same thing."""

    entry: Entry
    new: Considered
    related: Related
    cosine: float
    anchors: int = 0  # telling words that both have and few other lines of the memory

    @property
    def old(self) -> str:
        return plain_line(self.entry.text)


def relation(near: Near) -> tuple[str, float]:
    """What the new line does to the old one, and how strong the reason is; ("", 0) when nothing is certain."""
    said = replace(near, new=_NOT_SO.sub(" ", near.new))  # what the line only plans or denies ends and changes nothing
    over, other = (0.0, 0.0) if is_tentative(near.new) else (_ends(said), _updates(said))
    if says_again(near) and not (over > 2 and is_pending(near.old) and _is_settled(said.new)):
        return AGAIN, 3.0  # unless the one is open and the other says that it is not
    if not over and not other:
        return "", 0.0
    return (ENDS, over + near.cosine / 10) if over > other else (UPDATES, other + near.cosine / 10)


@lru_cache(maxsize=20_000)
def is_pending(text: str) -> bool:
    return bool(SHARE.search(text)) or says_any(text, PENDING)


def is_over(text: str) -> bool:
    """The line says that something is gone."""
    return says_any(_NOT_SO.sub(" ", text), GONE)


@lru_cache(maxsize=20_000)
def is_tentative(text: str) -> bool:
    """The line only tries, offers or doubts; one that decides in the same breath does not."""
    decided = says("from_now", text) or says("decision", text) or says_any(text, MOVED) or _FROM_DAY.search(text)
    return says_any(text, _DOUBTS if decided else TENTATIVE)


def _ends(near: Near) -> float:
    """The new line says that what the old one tells of is over. A line that is open itself ends nothing."""
    old, new = near.old, near.new
    gone, done = says_any(new, GONE), _is_settled(new)
    if is_tentative(new) or is_history(old) or (is_pending(near.new) and not (gone or done)):
        return 0.0
    over = near.chance["done"] + near.chance["retraction"]
    near_enough = near.anchors >= 2 and (near.cosine >= 0.3 or (near.cosine >= 0.1 and near.rare >= 0.3))
    denied = is_pending(new) or is_negated(new) or says_any(new, REPEATED) or _NOBODY.search(new)
    done = done or (near_enough and not denied and says_any(new, ARRIVED))
    if is_pending(old) or (near.open and not _looks_alike(near)):
        named = names_key(old, new) if not says_any(key_of(old), PENDING) else 0.0
        close = near.anchors >= 3 or (near.anchors >= 2 and near.cosine >= 0.3) or (near.anchors and near.cosine >= 0.5)
        close = close or (near.anchors >= 2 and over >= 0.5)
        told = (close or named >= 0.6 or (gone and _names_subject(old, new))) and (gone or done)
        if not told and not (close and over >= DONE_SURE):
            return 0.0
        return 2.0 if says_any(new, MOVED) else 2.4  # what came in its place may say more than that it is over
    firm = near.anchors >= 4 and near.cosine >= 0.6 and shared(old, new) >= 0.3
    sure = near.anchors >= 2 and near.cosine >= 0.6 and over >= 0.85
    if (firm or sure) and gone and not says_otherwise(new):
        return 1.5
    return 1.4 if _takes_back(near) else 0.0


def _looks_alike(near: Near) -> bool:
    """The two lines have one frame with another thing in it: two invoices, two years, two instruments."""
    old, new = near.old, near.new
    if near.chance["coexist"] >= 0.4 or other_subject(old, new) or in_order(old, bag(old)) == in_order(new, bag(new)):
        return True
    return bag(old) == bag(new) or (shared(old, new) >= 0.5 and values_in(old) != values_in(new)) or same_key(old, new)


def _takes_back(near: Near) -> bool:
    """A line that says nothing but that something is off: its words stand in the old line, or say that it is over."""
    if near.anchors < 2 or is_pending(near.new) or values_in(near.new) - values_in(near.old):
        return False
    if not (says_any(near.new, GONE) or says("retraction", near.new)):
        return False
    words = bag(near.new)
    known = words & bag(near.old)
    return len(known) >= 2 and len(words - known) <= 2 and near.rare >= 0.5


def _is_settled(new: str) -> bool:
    """Something came to its end."""
    return says("done", new) or says_any(new, SETTLED)


def _names_subject(old: str, new: str) -> bool:
    """What the old line speaks of (its words before the first verb or mark) stands in the new one."""
    subject = bag(_SUBJECT.split(old, maxsplit=1)[0])
    return 2 <= len(subject) <= 4 and subject <= bag(new)


def _updates(near: Near) -> float:
    """The new line gives the old one's subject another value or state, and says so for good."""
    old, new, chance = near.old, near.new, near.chance
    if is_tentative(new) or is_history(old) or plain(old) == plain(new):
        return 0.0
    key, moved, gone = key_of(old), says_otherwise(new), says_any(new, GONE)
    other = bool(values_in(old)) and bool(values_in(new) - values_in(old))
    if same_key(old, new):
        if _takes_its_place(old, new, moved=moved or gone, other=other):
            return 3.0
        if not (moved and other):
            return 0.0  # the key only says what the line speaks of, or who speaks
    if key and is_keyed(new) and not bag(key) & bag(key_of(new)):
        return 0.0  # two keys, two facts
    if other_subject(old, new):
        return 0.0  # the same frame about another thing
    if moved and other and names_key(old, new) >= 0.99 and same_type(old, new) and not _loses_much(old, new):
        return 2.5  # the key, another amount, and that this holds from now on
    if moved and names_key(old, new) == 1 and _names_value(old, new) and not same_key(old, new):
        return 2.2  # the key, the old value by name, and that something holds from now on
    if moved and names_key(old, new) == 1 and _names_holder(old, new) and not is_pending(old):
        return 2.1  # the key, whoever had it so far by name, and that something holds from now on
    if gone and other and names_key(old, new) >= 0.99 and same_type(old, new) and not _loses_much(old, new):
        return 2.3  # the key, another amount of the same, and that something of it is gone
    if near.anchors and _other_slot(old, new) and not _loses_much(old, new):
        return 2.0  # the day of the old line by name, that it is not any more, and another one
    if moved and gone and _begins_with_key(old, new):
        return 2.0  # the key is what the sentence is about, something in it is gone and something holds from now on
    if moved and other and near.anchors and names_key(old, new) >= 0.5 and same_type(old, new) and near.cosine >= 0.2:
        return 1.8
    if near.anchors and gone and _names_value(old, new) and (near.cosine >= 0.4 or not _loses_much(old, new)):
        return 2.2  # the old value by name, and that it is gone
    if _loses_much(old, new) and not (gone and _begins_alike(old, new)):
        return 0.0  # a line of many facts is not replaced by a line about one of them
    richer = chance["richer"] >= 0.3 and not (moved and gone)
    about = not key or names_key(old, new) > 0 or near.cosine >= 0.5  # an amount of one unit may be of another thing
    if near.anchors and about and _holds_most(old, new, loosely=gone) and (moved or gone) and not richer:
        return 2.0  # the same sentence, and that it is otherwise now
    firm = (near.anchors >= 2 and near.cosine >= 0.4) or (near.anchors and near.cosine >= 0.6)
    if (
        about
        and near.anchors >= 2
        and near.cosine >= 0.2
        and (moved or says_any(new, NEW))
        and other_amount(old, new, named=True)
    ):
        return 2.0
    named = not key or names_key(old, new) > 0  # weekdays alone make two lines alike
    if about and moved and firm and (other_amount(old, new) or (named and other_day(old, new))):
        return 2.0  # the same kind of value, another one, and that this holds from now on
    if moved and gone and near.anchors >= 3 and near.cosine >= 0.4 and near.met >= 0.45 and near.rare >= 0.35:
        return 1.7
    if (moved or gone) and near.anchors >= 2 and near.cosine >= 0.5 and from_to(old, new):
        return 1.9  # it names the old value beside the new one
    likely = chance["update"] + chance["correction"]
    return 1.0 if near.anchors >= 2 and near.cosine >= 0.5 and likely >= (0.4 if moved else UPDATE_SURE) else 0.0


def _takes_its_place(old: str, new: str, *, moved: bool, other: bool) -> bool:
    """Of two lines with one key: the new one gives the key another value, and does not just speak of it or of who speaks."""
    if other and same_type(old, new):
        return True
    was, now = KEY.match(old), KEY.match(plain_line(new))
    if was is None or now is None or _UTTERED.match(now["value"]) or _DASHED.match(old):
        return False  # `Jonte — runs the kiln` says who somebody is; `Jonte: "not today"` is no other value of that
    if is_typed(old) and not same_type(old, new):
        return False  # where a time or an amount stands, only another one takes its place
    if moved:
        return weight(now["value"]) <= TOLD
    lasting = _BOLD.match(new) is not None or weight(key_of(old)) >= 2
    return lasting and _is_short(old) and weight(now["value"]) <= SHORT and not _is_list(key_of(old))


def _is_short(old: str) -> bool:
    """`Key: value` with a value of a few words: nothing else stands in the line that could be lost."""
    found = KEY.match(old)
    return found is not None and weight(found["value"]) <= SHORT


def _is_list(key: str) -> bool:
    """`Books read`, 去过的古镇: another one does not end the first."""
    return bool(_LISTED.search(key))


def _loses_much(old: str, new: str) -> bool:
    """The old line has several clauses, and the new one speaks of hardly any of them."""
    clauses = [part for part in _CLAUSES.split(old) if bag(part)]
    told = sum(1 for part in clauses if bag(part) & bag(new))
    return len(clauses) >= 3 and told < len(clauses) / 2


def _begins_alike(old: str, new: str) -> bool:
    """The first clause, which says what the line is about, stands in the new one."""
    first = bag(_CLAUSES.split(old)[0])
    return bool(first) and len(first & bag(new)) >= 0.6 * len(first)


@lru_cache(maxsize=20_000)
def says_otherwise(new: str) -> bool:
    """The line says of itself that something holds from now on, or no longer."""
    if says_any(new, MOVED) or _FROM_DAY.search(new):
        return True
    return says("no_longer", new) or says("from_now", new) or says("correction", new)


def _holds_most(old: str, new: str, *, loosely: bool = False) -> bool:
    """Most words of the old line's first clause stand in the new one, in their order, and it says something else besides."""
    found = KEY.match(old)
    # A word of two Chinese characters is three terms: the two alone say nothing.
    first = frozenset(term for term in bag(_CLAUSES.split(found["value"] if found else old)[0]) if len(term) > 1)
    common = first & bag(new)
    if len(common) < max(2 if found and len(first) == 2 else 3, 0.6 * len(first)) or not bag(new) - bag(old):
        return False
    return loosely or in_order(old, common) == in_order(new, common)


def names_key(old: str, new: str) -> float:
    """How much of the old line's key stands in the new line."""
    key = bag(key_of(old))
    return len(key & bag(new)) / len(key) if key else 0.0


def _begins_with_key(old: str, new: str) -> bool:
    key = bag(key_of(old))
    words = _ARTICLE.sub("", plain_line(new)).split()
    return bool(key) and key == bag(" ".join(words[: len(key_of(old).split())]))


def _names_value(old: str, new: str) -> bool:
    """The value of `Key: value` or of a short “… is value” stands in the new line too: its first telling words, or a first name."""
    found = KEY.match(plain_line(old)) or _COPULA.match(plain_line(old))
    value = re.split(r"[,，;；、(（。]", found["value"])[0].strip() if found else ""
    if not value or (any(map(str.isdigit, value)) and not _WORD.search(value)):
        return False  # an amount stands in many lines
    if _PERSON.fullmatch(value):
        return bool(bag(value.split()[0]) & bag(new))
    first = frozenset(word for word in bag(value) if not any(map(str.isdigit, word)))
    return 0 < len(first) <= SHORT and len(first & bag(new)) >= 0.6 * len(first)


def _names_holder(old: str, new: str) -> bool:
    """The value of `Key: value` begins with a name, and the new line names it too."""
    found = KEY.match(plain_line(old))
    name = _HOLDER.match(found["value"]) if found else None
    return name is not None and re.search(rf"(?<!\w){re.escape(name[0])}(?!\w)", new) is not None


def _other_slot(old: str, new: str) -> bool:
    """A clause denies the weekday of the old line, and another one stands in the new line with its time."""
    days, first = weekdays_in(old), _FIRST.match(old)
    if first and not re.search(rf"(?<!\w){re.escape(first[1])}(?!\w)", new, re.I):
        return False  # whoever it is about
    if not days or not clock_of(old) or not clock_of(new) or not other_day(old, new):
        return False
    return any(is_negated(part) and weekdays_in(part) & days for part in _CLAUSES.split(new))
