"""The custom rules of DREAM.md that can be obeyed without a model: always keep …, never store …, merge … (seed 001).

A rule is understood when it names what to do and what about, and nothing else: no condition, no number, no exception. One
that is not understood is never half obeyed; it is reported as such.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reverie.judge.meant import stands
from reverie.text.cutting import sentences
from reverie.text.terms import asked, terms
from reverie.workspace.values import Notice, Source

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
