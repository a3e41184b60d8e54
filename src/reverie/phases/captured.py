"""One statement, as it is said: whether it goes into MEMORY.md at once or waits for the night (seed 000, real-time capture).

At once: the owner corrects something, tells a decision, or starts a project. Everything else is for the night to judge.
A cue alone is not enough: the judge must hear the same, unless the owner announces it in so many words. Doubt, hearsay
and questions always wait.
"""

from __future__ import annotations

import re

from reverie.cues import says
from reverie.judge.worth import Worth
from reverie.sense import is_negated

CORRECTION, DECISION, PROJECT = "correction", "decision", "project"
_QUESTION = re.compile(r"[?？][\s\"'”」)）]*$")
MOOD = 0.6  # chance of a mere mood, by the judge, from which it waits
LIKELY = 0.1  # chance of a decision, by the judge, that does when the owner speaks of it in the first person
_OPEN = re.compile(
    r"\b(?:(?:not|n't|haven't|hasn't|never)(?: yet)? decided|undecided|decided nothing|nicht entschieden|nichts beschlossen|a[úu]n no|todavía no|nada decidid\w*|pas(?: encore)? décidé"
    r"|ainda não|не решил\w*|ничего не решили)\b|(?:还没|还未|没有|没|未)(?:做)?决定|未定|まだ決|決まっていない|아직|결정하지",
    re.I,
)
# The owner announces it in so many words; then nobody has to judge.
_DECIDED = re.compile(
    r"\b(?:i|we)(?:['’]ve| have)? (?:now |finally |just )?decided\b|\b(?:ich habe|wir haben|hab|habe)\b[^.]{0,60}\b(?:beschlossen|entschieden)\b|\b(?:he|hemos) decidido\b|\bdecid(?:í|imos|i)\b"
    r"|\b(?:j['’]ai|nous avons|on a) décidé\b|\b(?:я решил|мы решили)|我们?(?:已经|最终|现在)?决定|(?:こと|する)に(?:決め|しまし|した)|기로\s?(?:했|결정)",
    re.I,
)
_CORRECTED = re.compile(
    r"^(?:no|nope|nein|non|não|нет|不对|不是的?|错了|いや|いいえ|아니요?)[\s,，.。!！、—–-]+(?:actually|in fact|it['’]?s|eigentlich|sondern|en realidad|es|en fait|c['’]est|na verdade|é|на самом деле|это"
    r"|应该|其实|实际上|是|実は|正しくは|사실)|^(?:actually|en realidad|en fait|na verdade|на самом деле|correction|korrektur|corrección|correção|поправка|更正|纠正|訂正|정정)\s?[,，:：]",
    re.I,
)
_NEW_PROJECT = re.compile(
    r"\bnew project\b|\b(?:start(?:ed|ing)?|kick(?:ed|ing)? off|launch(?:ed|ing)?|began|begun|beginning)\b[^.]{0,30}\bproject\b|\bproject kick-?off\b"
    r"|\bneues projekt\b|\bprojekt\b[^.]{0,40}\b(?:gestartet|begonnen|angefangen)\b|\b(?:starten|beginnen)\b[^.]{0,30}\bprojekt\b"
    r"|\b(?:nuevo proyecto|(?:empec|empez|comenz|iniciam|arranc)\w*[^.]{0,20}\bproyecto)\b"
    r"|\b(?:nouveau projet|(?:commenc|démarr|lanc)\w*[^.]{0,20}\bprojet)\b|\b(?:novo projeto|(?:começ|inici|arranc)\w*[^.]{0,20}\bprojeto)\b"
    r"|\bновый проект\b|\b(?:начал|запустил|стартовал)\w*[^.]{0,20}\bпроект"
    r"|新项目|新專案|(?:启动|開始|开始|开了|接了)[^。，]{0,12}项目|立项|新(?:しい)?プロジェクト|プロジェクトを(?:開始|始め|立ち上げ)|새(?:로운)? 프로젝트|프로젝트를 (?:새로 )?시작",
    re.I,
)


def kind_at_once(text: str, judged: Worth) -> str:
    """`correction`, `decision` or `project` if it must not wait; else empty."""
    if _QUESTION.search(text) or says("hedge", text) or judged.kind in ("question", "quote"):
        return ""
    if judged.kinds.get("mood", 0.0) >= MOOD:
        return ""
    if _CORRECTED.search(text) or (says("correction", text) and judged.kind == CORRECTION):
        return CORRECTION
    if says("decision", text) and not says("said", text) and not _OPEN.search(text):
        own = says("i", text) or says("we", text)  # "I have decided": the owner says it in so many words
        if _DECIDED.search(text) or judged.kind == DECISION or (own and judged.kinds.get(DECISION, 0.0) >= LIKELY):
            return DECISION
    if _NEW_PROJECT.search(text) and not is_negated(text):
        return PROJECT
    return ""
