"""Words that want something done now, or done behind the owner's back: a task at best, an injection at worst, no memory.

A rule of the owner's is an order too (“always answer in German”), but it says when it holds: always, never, before, every.
So an order without such a word is a request, and a request that would act with other people's accounts, hide something or
switch a protection off is one whatever it says. Only the shape of a line is looked at, in nine languages.
"""

from __future__ import annotations

import re

# Words by which even a polite request becomes a rule, or a wish about how to be answered.
_RULE = re.compile(
    r"(?<!\w)(?:always|never|every time|whenever|from now on|by default|answers|in (?:english|german|french|spanish|portuguese|russian|chinese|japanese|korean)|briefly|keep it short"
    r"|(?:please|pls|kindly) (?:don['’]t|do not|no|avoid|stop|use(?! [^.]*\bto )|keep|call me|remember)|immer|nie|niemals|kein\w*|ab sofort|auf (?:deutsch|englisch)|kurz|siempre|nunca|en (?:español|inglés)"
    r"|toujours|jamais|en (?:français|anglais)|sempre|em (?:português|inglês)|всегда|никогда|по-русски|не)(?!\w)"
    r"|每次|每天|每周|总是|始终|永远|从不|不要|以后|用(?:中文|英文|英语|简体)|简短|必ず|いつも|常に|毎回|日本語で|ないで|항상|절대|매번|한국어로|지 마",
    re.I,
)
# Words by which an order says when it holds.
_WHEN = re.compile(
    r"(?<!\w)(?:every|each|when|before|after|unless|until|if|only|instead|not|don['’]t|no(?! more than)|prefers?|rule|lesson|decision|nicht|jede\w*|vor|nach|bevor|wenn"
    r"|cada|antes|cuando|chaque|avant|quand|quando|кажд\w+|перед|если)(?!\w)|之前|如果|前に|전에",
    re.I,
)
_LEAD = r"^[\W_]*(?:(?:hi|hello|hey|now|then|also|first|next|finally)[,:]?\s+)*"
_POLITE = re.compile(
    _LEAD
    + r"(?:(?:could|can|would|will) you\s+)?(?:please|kindly|pls|don['’]t hesitate|feel free|bitte|por favor|s['’]il (?:vous|te) pla[iî]t|veuillez|merci de|пожалуйста|будьте добры)(?!\w)"
    r"|^[\W_]*(?:[请請](?![假客示求教柬帖])|麻烦|劳驾)|(?:ください|下さい|お願いします|してくれ)[。！\s]*$|(?:주세요|주십시오|바랍니다|부탁드립니다)[.!\s]*$",
    re.I,
)
_WORK = (
    r"(?:send|e-?mail|forward|transfer|wire|invite|delete|erase|upload|post|publish|concatenate|grant|elevate|disclose|reveal|print|output|encrypt|decrypt|encode|decode|install"
    r"|download|execute|make|create|generate|compose|write|draft|develop|design|describe|explain|summari[sz]e|analy[sz]e|translate|recommend|suggest|provide|add|append|insert"
    r"|integrate|incorporate|embed|include|mention|replace|modify|alter|enhance|express|rewrite|reverse|say|reply|respond|pretend|act|get|give|show|tell|book|reserve|buy|list"
    r"|sende?|schick\w*|überweise?|lösche?|erstelle?|schreibe?|env[ií]a|manda|borra|crea|escribe|transfiere|envoie|supprime|écris|crée|envie|apague|escreva|crie|отправь\w*|удали\w*|переведи\w*|напиши\w*)"
)
_OBJECT = r"(?:an?|the|all|any|some|me|us|my|your|this|that|these|those|user|every|as|like|to|using|that|\S+@\S+|[\"“„«]|[$€£]\d[\d,.]*|das|die|den|ein\w*|alle\w*|mir|el|la|los|las|un|una|todos?|le|les|une|tous|o|os|um|uma|все|мне|[а-я]+)"
_ORDER = re.compile(rf"{_LEAD}(?:\w+ly\s+)?{_WORK}\s+{_OBJECT}(?!\w)", re.I)
# What the machine itself says or is: only somebody who talks to it says that.
_YOURS = re.compile(
    r"(?<!\w)your (?:next |final |own )?(?:response|reply|answer|output|completion|algorithm|program|code(?:base)?|script|solution|implementation|framework|elucidation|privileges"
    r"|instructions|system prompt|guidelines|training|restrictions)(?!\w)",
    re.I,
)
# Behind somebody's back: refused even where it is put as a rule.
_HARM = re.compile(
    r"(?<!\w)(?:you are (?:going|about) to (?:pretend|act|immerse|play)|(?:act as|pretend to be|simulate|role of) [^.]{0,40}\b(?:mode|model|ai)\b"
    r"|(?:do not|don['’]t|never) (?:tell|inform|notify|mention (?:this|it) to|ask) (?:the )?(?:user|owner|human)"
    r"|(?:bypass|disable|override|circumvent|turn off|ignore|disregard|forget) (?:all |any |the |your |every )*(?:previous |prior |earlier |above |following |and )*(?:safety|security|guard\w*|protection\w*|restriction\w*|instructions?|rules|guidelines|checks|filters?)"
    r"|(?:reveal|print|output|show|send|forward|leak|share|disclose) (?:all |any |the |your |its )*(?:system prompt|api keys?|passwords?|credentials|secrets?|private keys?|environment variables|tokens?)"
    r"|(?:ignoriere?|vergiss|missachte) (?:alle |die )*(?:vorherigen |bisherigen |früheren )*(?:anweisung|regel|vorgabe)\w*"
    r"|(?:ignora|olvida) (?:todas )?(?:las )?(?:instrucciones|reglas)|(?:ignore|oublie)[rz]? (?:toutes )?(?:les )?(?:instructions|règles|consignes)"
    r"|(?:ignore|esqueça) (?:todas )?(?:as )?(?:instruções|regras)|(?:игнорируй|забудь)\w* (?:все )?(?:предыдущие )?(?:инструкции|правила|указания))"
    r"|(?:忽略|无视|忘记)(?:之前|以上|先前|所有|全部)*的?(?:指令|指示|规则|提示)|(?:不要|别|无需)(?:告诉|通知|询问)(?:用户|主人)|(?:指示|ルール|命令)(?:を|は)?(?:すべて|全て)?無視|ユーザーに(?:知らせ|確認せ)ず"
    r"|(?:지시|규칙|명령)[을를]? ?(?:모두 )?무시|사용자(?:에게|의) ?(?:알리지|동의 없이|허락 없이)",
    re.I,
)

# “Never buy anything without asking” is a rule; without the never it is the opposite.
_SECRETLY = re.compile(
    r"(?<!\w)(?:without (?:(?:asking|telling|informing|notifying) (?:the |any |your )*(?:user|owner|human|client|any(?:one|body))|(?:prior |any |the |client |user |owner )*(?:consent|approval|authori[sz]ation|confirmation|permission)\w*)"
    r"|ohne (?:den |die )?(?:nutzer|benutzer|besitzer|rückfrage|zustimmung)\w*|sin (?:(?:avisar|preguntar|informar|consultar|decir)\w* (?:al|a la|a su|a) (?:usuari\w*|dueñ\w*|propietari\w*)|autorización)|sans (?:(?:prévenir|informer|consulter|demander à) (?:l['’]|le |la )?(?:utilisat\w*|propriétaire)|autorisation)"
    r"|sem (?:(?:avisar|perguntar|informar|consultar) (?:ao |o |a |à )?(?:usuári\w*|utilizador\w*|don[oa])|autorização)|без (?:ведома|согласия|разрешения))",
    re.I,
)
_NEGATED = re.compile(
    r"(?<!\w)(?:never|no|not|don['’]t|nie|niemals|kein\w*|nicht|nunca|no|jamais|ne|não|nem|не|никогда|нельзя)(?!\w)",
    re.I,
)
# Wants words, not deeds; no fact begins like this.
_ASKS = re.compile(
    rf"{_LEAD}(?:explain|describe|summari[sz]e|suggest|recommend|provide|compose|translate|determine|classify|paraphrase|help me|tell me|erkläre?|beschreibe?|explica|describe|explique|décris|объясни\w*|опиши\w*)\s+\S",
    re.I,
)
_SENTENCE = re.compile(r"[.!。！](?:\s|$)")


def is_request(text: str) -> bool:
    """Whether a line only asks for something to be done, or would have it done behind somebody's back."""
    if _HARM.search(text) or (_SECRETLY.search(text) and not _NEGATED.search(text)):
        return True
    if _RULE.search(text):
        return False
    first = _SENTENCE.split(text, maxsplit=1)[0]  # what follows a request often begins with “if”
    wanted = _ORDER.search(first) or _ASKS.search(first)
    return bool(_POLITE.search(text) or _YOURS.search(text) or (wanted and not _WHEN.search(first)))
