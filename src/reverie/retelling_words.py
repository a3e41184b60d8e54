"""Words around a quotation: those that lead to it and on from it, and those that make something else of it. General words only."""

from __future__ import annotations

import re

# What bends a fact that is quoted whole, in front of it or behind it.
BENDS = re.compile(
    r"\b(?:if|unless|except|only|until|till|but|hardly|barely|maybe|perhaps|probably|supposedly|allegedly|used to|formerly|wrong\w*|rumou?r\w*|pretend\w*|doubt\w*|fals\w+"
    r"|wenn|falls|außer|nur|bis|aber|kaum|vielleicht|angeblich|früher|falsch\w*|gerücht\w*|zweifel\w*"
    r"|si|salvo|excepto|s[oó]lo|hasta|pero|quizás?|supuestamente|fals\w+|dud\w+"
    r"|sauf|seulement|jusqu\w*|mais|peut-être|prétendument|autrefois|faux|fausse|doute\w*"
    r"|exceto|somente|até|mas|talvez|supostamente|duvid\w+"
    r"|если|кроме|только|пока|но|едва|якобы|раньше|возможно|сомне\w+)\b"
    r"|如果|要是|除非|除了|只有|直到|但|也许|可能|据说|曾经|怀疑|もし|以外|だけ|まで(?!の)|しかし|かも|疑|만약|제외|까지|하지만|아마|예전|의심",
    re.I,
)
# What takes back the sentence before it, too.
DENIES = re.compile(
    r"\b(?:untrue|not true|a lie|lied|the opposite|other way round|stimmt nicht|gelogen|lügen?|gegenteil|umgekehrt|mentiras?|lo contrario|(?:es|era) al revés"
    r"|mensonges?|le contraire|o contrário|ao contrário|неправда|ложь|наоборот)\b|假的|不是真|相反|反过来|谎|嘘|逆に|거짓|반대로",
    re.I,
)
# “From now on” in front of a fact says only that it holds, as every fact of tonight does.
FROM_NOW_ON = re.compile(
    r"(?:from now on|as of (?:today|now)|ab sofort|ab jetzt|von nun an|künftig|de ahora en adelante|desde ahora|désormais|dorénavant|a partir de agora|отныне|впредь)\b,?\s+"
    r"|(?:从现在起|从今往后|今后|以后|今後は?|これからは?|앞으로)[，、,]?\s*",
    re.I,
)
# In front of a fact without quotation marks: nothing, a mark that opens, or a word that only joins.
LEADS_TO = re.compile(
    r"(?:^|[:：;；—–(（]|\b(?:that|because|for|since|and|dass|denn|und|que|porque|pues|y|car|et|pois|e|что|потому что|и)|知道|记得|记住|记下|写着|留下|因为)\s*[“„«]?\s*$",
    re.I,
)
# Behind it: the end, or a clause that begins anew.
LEADS_ON = re.compile(
    r"\s*[.。!！?？;；:：…)）—–”»]*\s*$|\s*[.。;；:：—–)）]\s|[。；：，]\s*(?:我|这|那|心|所以|因此|于是)|\s*,\s*(?:and|so|which|und|was|also|y|lo que|así que|et|ce qui|e|o que|и|что)\b",
    re.I,
)
