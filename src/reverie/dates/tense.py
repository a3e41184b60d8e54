"""Does a clause tell of the past, of what is to come, or of what always happens? Small lexicons; unclear is an answer.

A bare "on Friday" is only as clear as its verb. Where both signs stand, or none, nobody can say, and nothing is said.
"""

from __future__ import annotations

import re
from functools import cache

_PAST = {
    "en": r"\b(?:was|were|had|did|went|came|got|made|took|said|told|saw|met|left|found|gave|bought|sent|ran|spoke|wrote|paid|broke|began|lost|won|"
    r"sang|drove|flew|fell|felt|kept|held|heard|brought|thought|taught|caught|built|spent|sold|slept|ate|drank|chose|knew|grew|led|became|woke|"
    r"(?:have|has|'ve) (?:\w+ )?(?:been|\w+ed)|[a-z]{2,}(?<!ne)(?<!se)(?<!fe)(?<!bre)(?<!spe)(?<!exce)ed)\b",
    "de": r"\b(?:war|waren|hatte|hatten|hat|haben wir|habe|haben|ist \w*ge\w+|kam|kamen|ging|gab|sagte|wurde|wurden|ge\w{3,}(?:t|en)|\w+iert|"
    r"(?:be|ver|er|ent|zer)\w{3,}t|\w{2,}ge\w{3,}(?:t|en))\b",
    "es": r"\b(?:fue|fueron|era|estaba|estuvo|hubo|tuvo|tuve|hizo|hice|fui|vino|dijo|había|\w{2,}(?:é|ó|amos|imos|aron|ieron|aste|iste)|"
    r"h(?:e|a|emos|an) \w+[ai]do)\b",
    "fr": r"\b(?:était|étaient|avait|j'ai|(?:on|il|elle|\w+) a \w+|avons \w+|ont \w+|(?:est|sont|suis|sommes) \w+(?:é|ée|és|ées|i|u|us))\b",
    "pt": r"\b(?:foi|foram|era|estava|teve|tive|fez|fiz|fui|veio|disse|havia|\w{2,}(?:ei|ou|eu|iu|aram|eram|iram|ámos))\b",
    "ru": r"\b(?:был[аои]?|\w{3,}(?:л|ла|ло|ли|лся|лась|лись))\b",
    "zh": r"了(?!解|吧)|过(?!期|来|去|程|度|滤|年|户|敏|几|两|一|马上)|已经?|(?<!到)刚|[的得](?!时候).{0,6}(?:坏|好)了",
    "ja": r"た(?=[。、\s一-龥ァ-ヶ]|$|が|ので|けど|から|の)|だった|ました",
    "ko": r"[았었였했갔왔됐샀봤](?:다|음|고|는데|어|지만|습니다|던)",
}
_FUTURE = {
    "en": r"\b(?:will|'ll|won't|shall|going to|gonna|due|deadline|todo|to-do|plan(?:s|ning)? to|(?:need|needs|have|has|want|wants|aims?) to|must|should|"
    r"please|may|might|could|would|can|let's|remind|remember to|expires?|upcoming|scheduled|booked|planned|expected|coming|changes|starts|begins|ends|arrives|ships|leaves|launch(?:es)?|"
    r"ready|postponed|flies)\b",
    "de": r"\b(?:wird|werden|werde|muss|müssen|soll|sollen|will|wollen|wollte|möchte|fällig|frist|geplant|kommt|beginnt|startet|läuft|hole|ziehe|zieht|"
    r"fahre|fährt|bringe|gehe|geht|übernimmt|bis)\b",
    "es": r"\b(?:voy a|va a|vamos a|van a|tengo que|hay que|tiene que|debe|vence|caduca|empieza|llega|\w+(?:ré|rá|remos|rán))\b",
    "fr": r"\b(?:va|vais|allons|vont|doit|dois|il faut|prévu|prévue|commence|arrive|expire|\w+(?:rai|ra|rons|ront))\b",
    "pt": r"\b(?:vou|vai|vamos|vão|tenho que|tem que|deve|vence|começa|chega|\w+(?:rei|rá|remos|rão))\b",
    "ru": r"\b(?:буду|будет|будем|будут|надо|нужно|должен|должна|планирую|\w+(?:ем|ется|утся|ут|ют|ит))\b",
    "zh": r"要|会(?!议|员|话|计|上|过|的|周|\s|$)|将|再|打算|准备|计划|之前|(?<![以目提当面])前(?=把|完成|交|要|必须|，|。|$)|到期|截止|截至|待|预计|争取|安排",
    "ja": r"予定|つもり|まで|締め切り|する。|行く|来る|なる",
    "ko": r"예정|까지|할 것|하기로|[할갈올될] (?:예정|거)|마감",
}
_HABIT = {
    "en": r"\b(?:always|never|usually|normally|generally|typically|often|every|each|weekly|monthly|yearly|daily|regularly|rule|policy|habit|whenever|"
    r"if|unless|per|stays?|as a rule|hours|recurring|any|only on|not on)\b",
    "de": r"\b(?:immer|nie|niemals|meist|meistens|normalerweise|jede[nrsm]?|wöchentlich|regel|regelmäßig|wenn|falls|üblicherweise|in der regel|grundsätzlich|nur)\b",
    "es": r"\b(?:siempre|nunca|cada|todos|todas|normalmente|suele|suelo|regla|si|cuando|solo)\b",
    "fr": r"\b(?:toujours|jamais|chaque|tous|toutes|normalement|règle|si|quand|d'habitude|en général)\b",
    "pt": r"\b(?:sempre|nunca|cada|todos|todas|toda|todo|normalmente|regra|se|quando)\b",
    "ru": r"\b(?:всегда|никогда|кажд\w+|обычно|правило|если|когда|по)\b",
    "zh": r"[每逢隔凡]|规定|規定|一律|通常|总是|總是|一般|固定|例会|照例|往年|历年|历来|基本都|如果|只要|除非|永远|从不|禁止|规则|铁律|原则|不(?:要|得|能|准|许|发|开|做|上线)|别",
    "ja": r"毎|いつも|ルール|必ず|普段|場合",
    "ko": r"매|항상|규칙|보통|마다|절대",
}
# "Is paid on Monday" and "to be held" are not of the past, whatever the participle looks like.
_PASSIVE_NOW = re.compile(
    r"\b(?:to\s+be|is|are|be|'s|am|gets?|stays?|remains?|to|being)\s+(?:\w+ly\s+|not\s+|still\s+)?\w+\b", re.IGNORECASE
)
_NOT_YET = re.compile(
    r"\b(?:scheduled|planned|expected|booked|postponed|supposed|needed|moved to|closed|based|red|bed|shed|sled|need|seed|feed|speed|indeed)\b",
    re.I,
)
# "We agreed to meet on Monday": the verb is past, the Monday is not.
_TO_DO = re.compile(r"\b\w+(?:ed|t|d) (?:[^,.;\n]{0,40} )?to [a-z]+\b")


@cache
def _sign(name: str, lang: str) -> re.Pattern[str]:
    """Compiled when a clause of the language is first asked, so that importing this costs nothing."""
    table = {"past": _PAST, "future": _FUTURE, "habit": _HABIT}[name]
    # German writes its nouns with a capital, and many of them end like a participle.
    return re.compile(table[lang], 0 if (name, lang) == ("past", "de") else re.IGNORECASE)


def tense(words: str, lang: str) -> int:
    """-1 for the past, 1 for what is to come, 0 where the clause does not say or says both."""
    told = _NOT_YET.sub(" ", _PASSIVE_NOW.sub(" ", _TO_DO.sub(" ", words))) if lang == "en" else words
    past = _sign("past", lang).search(told) is not None
    return (_sign("future", lang).search(words) is not None) - past


def habit(words: str, lang: str) -> bool:
    return _sign("habit", lang).search(words) is not None
