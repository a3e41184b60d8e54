"""Which lines a description means. Words decide; meaning only chooses among lines that have them. Nothing is certain
that is merely near: what looks alike but lacks a word of the description is named and left.

A description is a *topic* ("black tea", "the Acme project"): every line that says all of it is meant. Or it is a
*statement* or a question ("that I live in Bern", "what I pay for rent"): the lines that say this, and not others about it.

The custom rules of DREAM.md that can be obeyed without a model: always keep …, never store …, merge … (seed 001).

A rule is understood when it names what to do and what about, and nothing else: no condition, no number, no exception. One
that is not understood is never half obeyed; it is reported as such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from reverie.text.comparing import is_negated, values_in
from reverie.text.cutting import sentences
from reverie.text.terms import asked, plain, stem, terms
from reverie.workspace.values import Notice, Source

ALIKE = 0.6  # cosine from which a line may be the statement that was meant
LEAD = 0.05  # as far below the best line another may be and still be meant
ANSWERS = 0.45  # cosine from which a line may answer a description that asks
ALONE = 0.1  # as far above every other line the one that answers must be
LOOKED_AT = 500  # lines, those with most of the words, among which the nearest are looked for
NEAREST = 5  # lines that are named and left
_REQUEST = re.compile(
    r"\b(?:please|forget|remove|delete|erase|everything|anything|all|about|regarding|concerning|vergiss|bitte|lösche?|alles|über|olvida\w*"
    r"|borra|todo|toda|sobre|acerca|oublie\w*|efface|tout|toute|esque[çc]a?|apaga|tudo|забудь|удали|вс[её]|про|об)\b"
    r"|请|忘掉|忘记|忘了|删除|删掉|关于|有关|相关|的?一切|的?所有|全部|内容|忘れて?|消して|について|に関する|すべて|全部|のこと|잊어|지워|에 대한|에 대해|관한|모두|전부",
    re.I,
)
# Words that name no thing of their own: they need not stand in the line that is meant.
_NAMES_NOTHING = """
    project thing things stuff note notes entry entries fact facts info information line memory topic matter story
    projekt sache sachen notiz notizen eintrag tatsache proyecto cosa cosas nota notas projet chose choses projeto coisa
    coisas проект дело заметка запись 项目 事情 信息 记录 笔记 プロジェクト メモ 情報 프로젝트 메모 정보
"""
_SOFT = frozenset(map(stem, _NAMES_NOTHING.split()))
_STATES = re.compile(
    r"\b(?:that|is|are|was|were|am|i|we|he|she|they|what|where|when|who|whose|how|which|why|dass|ist|sind|war|ich|wir|er|was|wo|wann|wer|wie"
    r"|que|qué|es|son|yo|dónde|cuándo|quién|cómo|qui|est|sont|je|j'ai|où|quand|quoi|comment|é|são|eu|onde|quem|что|где|когда|кто|как|я|мы)\b"
    r"|我|我们|什么|哪里|哪儿|谁|何时|怎么|多少|私|僕|どこ|何|誰|いつ|나는|내가|어디|무엇|누구|언제",
    re.I,
)
_ASKS = re.compile(
    r"^(?:what|where|when|who|whose|how|which|was|wo|wann|wer|wie|qué|dónde|cuándo|quién|cómo|où|quand|quoi|ce que|comment|onde|quem|o que|что|где|когда|кто)\b"
    r"|什么|哪里|哪儿|谁|何时|多少|どこ|何|誰|いつ|어디|무엇|누구|언제",
    re.I,
)
_HANGUL = re.compile("[\uac00-\ud7af]{3,}")
_CYRILLIC = re.compile("[а-яё]{5,}")

Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)  # no slots: what was read out of it is kept
class Description:
    """What somebody wants forgotten, in their words."""

    text: str

    @cached_property
    def said(self) -> str:
        return " ".join(_REQUEST.sub(" ", self.text).split())

    @cached_property
    def all_words(self) -> frozenset[str]:
        known = set(terms(self.said))
        # A Korean word carries its particle; its pairs of syllables say enough.
        return frozenset(term for term in asked(self.said) if term in known and not _HANGUL.fullmatch(term))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words a line must have: all but those that name nothing."""
        return self.all_words - _SOFT or self.all_words

    @cached_property
    def states(self) -> bool:
        return bool(_STATES.search(self.said))

    def has_all(self, text: str) -> bool:
        """Whether a text says every word of it, with its numbers and without turning it round."""
        low = folded(text)
        if not self.words or not all(root(word) in low for word in self.words):
            return False  # nearly every line ends here, so this must be cheap
        have = set(terms(text))
        if not all(stands(word, have) for word in self.words):
            return False
        if not values_in(self.said) <= values_in(text) | have:
            return False
        # "I like tea" does not mean "I do not like tea"; as a topic, "tea" means both.
        turned = is_negated(text) != is_negated(self.said)
        return not turned or not (self.states or is_negated(self.said))

    def may_be_in(self, text: str, many: Callable[[Iterable[object]], bool] = all) -> bool:
        """A quick look at a whole file: whether it has all the words, or with `any` one of them."""
        low = folded(text)
        return many(root(word) in low for word in self.words)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that might be meant: where it stands, its words, and what it hangs on."""

    place: Any
    text: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Meant:
    """The lines that are clearly meant, and those that are near and left alone, best first."""

    clear: tuple[Candidate, ...] = ()
    near: tuple[Candidate, ...] = field(default=())


def meant(description: Description, candidates: Sequence[Candidate], embed: Embed | None = None) -> Meant:
    """What a description means among these lines."""
    having = [one for one in candidates if description.has_all(f"{one.context} {one.text}")]
    clear = having
    if description.states and len(description.words) == 1:  # one word is too little: the line must say the same
        closeness = _closeness(description.said, having, embed)
        best = max([ALIKE, *closeness])
        clear = [
            one
            for one, close in zip(having, closeness, strict=True)
            if plain(one.text) == plain(description.said) or close >= best - LEAD
        ]
    taken = set(map(id, clear))
    rest = [one for one in candidates if id(one) not in taken and _touches(description, one)]
    rest = sorted(rest, key=lambda one: -len(description.words & set(terms(one.text))))[:LOOKED_AT]
    ranked = sorted(
        zip(_closeness(description.said, rest, embed), range(len(rest)), rest, strict=True),
        key=lambda item: (-item[0], item[1]),
    )
    if embed is not None and not clear and ranked and _ASKS.search(description.said):
        (best, _, first), others = ranked[0], [close for close, _, one in ranked if one.text != ranked[0][2].text]
        if best >= ANSWERS and best >= max(others, default=0.0) + ALONE:
            same = [one for _, _, one in ranked if one.text == first.text]
            return Meant(tuple(same))
    return Meant(tuple(clear), tuple(one for close, _, one in ranked[:NEAREST] if close >= ANSWERS))


def folded(text: str) -> str:
    """Without case and accents, as index terms are made."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", "".join(char for char in apart if not unicodedata.combining(char)))


def stands(word: str, have: set[str]) -> bool:
    """Whether a word is among these; a Russian one also with another ending."""
    if word in have or not _CYRILLIC.fullmatch(word):
        return word in have
    return any(other.startswith(root(word)) and abs(len(other) - len(word)) <= 2 for other in have)


def root(word: str) -> str:
    return word[: max(4, len(word) - 2)] if _CYRILLIC.fullmatch(word) else word


def _touches(description: Description, one: Candidate) -> bool:
    low = folded(one.text)
    return any(root(word) in low for word in description.words) and bool(description.words & set(terms(one.text)))


def _closeness(said: str, candidates: Sequence[Candidate], embed: Embed | None) -> list[float]:
    """How near each line is: by vectors, or by the share of common words where there are none."""
    if not candidates:
        return []
    if embed is None:
        mine = set(asked(said))
        return [_share(mine, set(asked(one.text))) for one in candidates]
    import numpy as np  # only for those who have vectors

    rows = np.asarray(embed([said, *(one.text for one in candidates)]), dtype=np.float32)
    return [float(close) for close in rows[1:] @ rows[0]]


def _share(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


KEEP, NEVER, MERGE = "keep", "never", "merge"
MOST_WORDS = 6  # of one subject; a longer one is a sentence that says more than its subject

_NOT = re.compile(
    r"\b(?:never|not|don't|do not|no|nie|niemals|nicht|keine?[nrms]?|nunca|jamás|jamais|ne|n'|pas|não|nunca|никогда|не)\b|n['’](?=\w)"
    r"|不要|不得|不许|禁止|永不|绝不|从不|切勿|勿|别|不(?=[保记存写留删])|(?:し|さ|け)?ないで?(?:ください|こと)?|ません|하지\s*(?:마\S*|않\S*|말\S*)|지\s*(?:마\S*|않\S*)|절대",
    re.I,
)
_STAY = re.compile(
    r"\b(?:keep|preserve|retain|store|save|record|remember|memori[sz]e|log|promote|behalte[nt]?|bewahre[nt]?|aufbewahren|speicher[ent]{0,2}|merke[nt]?"
    r"|conserv\w+|guard\w+|mant[eé]n\w*|almacen\w+|recuerd\w+|recordar|registr\w+|garde[rz]?|conserve[rz]?|enregistre[rz]?|stocke[rz]?|mémorise[rz]?"
    r"|manter|mantenha|armazen\w+|salv\w+|lembr\w+|сохран\w+|храни\w*|оставля\w+|запомина\w+|записыва\w+)\b"
    r"|保留|保存|留着|记录|存储|记住|写入|记下|残(?:す|し|さ)|保持|保存|記録|記憶|보관|유지|남[겨기]|보존|저장|기록|기억",
    re.I,
)
_LEAVE = re.compile(
    r"\b(?:remove|delete|archive|forget|drop|prune|discard|ignore|skip|exclude|lösch\w*|entfern\w*|archivier\w*|vergiss|vergessen|ignorier\w*|borr\w+"
    r"|elimin\w+|archiv\w+|olvid\w+|ignor\w+|supprime[rz]?|efface[rz]?|archive[rz]?|oublie[rz]?|ignore[rz]?|apag\w+|remov\w+|exclu\w+|arquiv\w+"
    r"|удал\w+|архивир\w+|забыва\w+|игнорир\w+)\b|删除|移除|归档|清理|忘记|忽略|丢弃|削除|消(?:す|し|さ)|忘れ|無視|삭제|지우|무시|잊",
    re.I,
)
_MERGE = re.compile(
    r"\b(?:merge|combine|consolidate|zusammenführen|zusammenfassen|fusion\w+|combin\w+|regroupe[rz]?|mescl\w+|junt\w+|объедин\w+)\b|合并|整合|まとめ|統合|합[쳐치]|병합|통합",
    re.I,
)
_FIRM = re.compile(
    r"\b(?:always|all|every|any(?:thing)?|everything|entries|immer|alle[sn]?|jede[nrs]?|siempre|tod[oa]s?|toujours|tous|toutes?|tout|sempre|tud?o|всегда|все|всё|любые)\b"
    r"|preserve|retain|始终|永远|总是|一直|务必|必须|所有|任何|保留|常に|必ず|いつも|すべて|全て|残|항상|반드시|모든|언제나",
    re.I,
)
# Whatever says more than a subject: then the rule is not understood.
_MORE = re.compile(
    r"\b(?:if|unless|except|when|until|before|after|older|newer|than|only|at most|wenn|falls|außer|bis|älter|si|salvo|excepto|cuando|hasta|sauf|quand|jusqu\w+|se|exceto|quando"
    r"|если|кроме|когда|старше|пока)\b|\d|如果|除非|除了|超过|只有|以前的|以上|もし|場合|以外|まで|경우|제외|이상|까지",
    re.I,
)
_FILLER = re.compile(
    r"[-‐]?\b(?:please|always|related|relevant|entries|entry|lines?|information|infos?|data|details?|anything|everything|something|about|regarding|concerning|all|any|every|notes?|facts?|things?|memory|memories"
    r"|topics?|down|with|to|the|of|in|into|from|on|bitte|immer|alle[sn]?|jede[nrs]?|über|zu|einträge|eintrag|angaben|daten|notizen|informationen|por favor|siempre|tod[oa]s?|nada|sobre|entradas|datos|notas|información"
    r"|s'il te plaît|toujours|tous|toutes?|tout|concernant|entrées|données|informations|sempre|tudo|dados|informações|entradas|sur|les|des|la|le|los|las|os|as|el|du|de|del|da|do|das|dos|der|die|den|das"
    r"|пожалуйста|всегда|все|всё|любые|записи|данные|информацию|информация|о|об|про)\b"
    r"|请|始终|永远|总是|一直|务必|必须|所有|任何|一切|关于|有关|相关|的|内容|信息|条目|记录|资料|把|将|一律|都|常に|必ず|いつも|すべて|全て|に関する|関連|について|情報|の|は|を|する|して|こと|ください|항상|반드시|모든|언제나|관련된?|관한|대한|정보|내용|해\S*|하세요|하기",
    re.I,
)
_OR = re.compile(
    r"[/,，、;；・|]|\b(?:and|or|und|oder|y|o|et|ou|e|и|или)\b|和|或者?|以及|及|与|と|や|또는|그리고|(?<=[\uac00-\ud7af])(?:와|과|이나|나)\s",
    re.I,
)
_PARTICLE = re.compile(r"(?<=[\uac00-\ud7af])(?:은|는|을|를|이|가)(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Rule:
    """What to do, and about what: a line that has all words of one of the subjects is meant."""

    does: str
    text: str
    subjects: tuple[frozenset[str], ...]

    def means(self, line: str) -> bool:
        have = set(terms(line))
        return any(all(stands(word, have) for word in subject) for subject in self.subjects)


def parsed(rules: Sequence[str]) -> tuple[Rule, ...]:
    """The rules that are understood, in order."""
    return tuple(rule for text in rules for rule in _read(text))


def not_understood(rules: Sequence[str]) -> tuple[str, ...]:
    """The rules that are kept for a model, or for the owner to say more simply."""
    return tuple(text for text in rules if not _read(text))


def rule_for(line: str, rules: Sequence[Rule]) -> str:
    """`keep` or `never` if a rule says so about this line; empty if none does, or if two contradict each other."""
    found = {rule.does for rule in rules if rule.does != MERGE and rule.means(line)}
    return found.pop() if len(found) == 1 else ""


def reported(rules: Sequence[str], path: str = "DREAM.md") -> tuple[Notice, ...]:
    """A flag for each rule that is not understood: a person is told, and nothing moves."""
    why = "this rule of DREAM.md was not understood; say it as “always keep …” or “never store …”"
    return tuple(Notice("rule", text, why, (Source(path, 1, 1),)) for text in not_understood(rules))


def _read(text: str) -> tuple[Rule, ...]:
    """The rules of one item; none unless every sentence of it is understood."""
    found = [_rule(part.strip(" .。!！\"'“”")) for part in sentences(text) if part.strip()]
    return tuple(rule for rule in found if rule) if all(found) else ()


def _rule(text: str) -> Rule | None:
    does = _does(text)
    if not does or _MORE.search(text):
        return None
    subject = text
    for words in (_NOT, _STAY, _LEAVE, _MERGE):
        subject = words.sub(" ", subject)
    subjects = [frozenset(asked(_FILLER.sub(" ", _PARTICLE.sub(" ", part)))) for part in _OR.split(subject)]
    named = tuple(frozenset(words & set(terms(subject))) for words in subjects)
    named = tuple(words for words in named if words)
    if not named or any(len(words) > MOST_WORDS for words in named):
        return None
    return Rule(does, text, named)


def _does(text: str) -> str:
    if _MERGE.search(text):
        return MERGE
    turned = bool(_NOT.search(text))
    if _LEAVE.search(text):
        return KEEP if turned else NEVER
    if _STAY.search(text):
        return NEVER if turned else KEEP if _FIRM.search(text) else ""
    return ""
