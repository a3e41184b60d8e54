"""Days in a text: relative ones (English, Chinese), written ones, and the last day on which a line says it holds.

Precision first: what two readers could read differently, what recurs and what others said stays as it stands.
"""

import re
from calendar import monthrange
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

Span = tuple[date, date]
_NEAR = 40  # characters beside a phrase that can tell what it means
_LONGEST = 1_000  # characters; a longer line says more than one thing

# fmt: off
_NUMBERS = {word: i for i, word in enumerate(("a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"))} | {"a": 1, "an": 1, "fourteen": 14, "thirty": 30} \
    | {ones: i for i, ones in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2} | {f"{tens}十{ones}": (i or 1) * 10 + j for i, tens in enumerate(("", *"一二三四五六七八九")) for j, ones in enumerate(("", *"一二三四五六七八九"))}
_WEEKDAYS = {name: i for names in (("mon", "tue", "wed", "thu", "fri", "sat", "sun"), "一二三四五六日") for i, name in enumerate(names)} | {"天": 6}
_MONTHS = {name: i for i, names in enumerate((
    "january jan januar jänner janvier enero", "february feb februar février febrero", "march mar märz mars marzo", "april apr avril abril", "may mai mayo", "june jun juni juin junio", "july jul juli juillet julio", "august aug août agosto", "september sept sep septembre septiembre",
    "october oct oktober okt octobre octubre", "november nov novembre noviembre", "december dec dezember dez décembre diciembre"), 1) for name in names.split()}
_UNITS = {"天": "day", "日": "day", "周": "week", "週": "week", "星期": "week", "礼拜": "week", "周末": "weekend", "週末": "weekend", "月": "month", "季度": "quarter", "年": "year"}
_STEPS = {"last": -1, "this": 0, "the": 0, "next": 1, "上上": -2, "上": -1, "本": 0, "这": 0, "這": 0, "": 0, "下": 1, "下下": 2, "去": -1, "今": 0, "明": 1, "前": -2, "后": 2, "後": 2}
_FIXED = {"day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "just now": 0, "tomorrow": 1,
          "day after tomorrow": 2, "大前天": -3, "前天": -2, "前晚": -2, "昨": -1, "今": 0, "刚才": 0, "剛才": 0, "刚刚": 0, "明": 1, "后天": 2, "後天": 2, "大后天": 3, "大後天": 3}
_PARTS = {"晚": "晚上", "夜": "夜里", "早": "早上", "晨": "早晨", "tonight": "evening", "morning": "morning", "afternoon": "afternoon", "evening": "evening", "night": "night"}
_N = r"(?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|thirty) (?P<unit>day|week|month|year)s?"
_DAY = r"(?P<name>(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?-i:Mon|Tue|Wed|Thu|Fri|Sat|Sun))(?! ?(?:to|through|till|until|and|or|[-–/])(?!\w))"
_N_ZH = r"(?<![\d百千几数多半两零一二三四五六七八九十])(?P<n>\d{1,3}|[一二两兩三四五六七八九]?十?[一二两兩三四五六七八九十])\s?(?P<unit>[天年周週]|[个個]?(?:星期|礼拜)|[个個]月)(?:之|以)?"
_WHICH_ZH = r"(?<![早晚网马以身线路桌手海地天当私如楼每逢])(?P<which>上上|下下|上|下|本|这|這)(?:一)?[个個]?"
# The words of a rule, and what must not stand before them.
_RULES = {
    "fixed_en": (r"(?P<word>(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|today|tomorrow|tonight|last night|this (?:morning|afternoon|evening)|just now)(?: (?:morning|afternoon|evening|night))?", r"\b(?:the|an?|no|my|our|his|her|their|your|its|another|like|just|only|like it was|(?:day|week|month|year)s? (?:ago|from|before|after)) $"),
    "ago_en": (_N + r" ago(?! (?:to|or|last|this|next|on|in|\w+day))", r"(?:\b(?:than|over|under|about|around|roughly|approx\.?|almost|nearly|least|most|to|some|maybe|half|or|and)|[~≈<>]) ?$"),
    # "Fourth outage in nine days" is a length of time, and "due in 30 days" a rule.
    "ahead_en": (r"(?P<lead>(?:is|are|back|again|starts|begins|arrives|leaves|returns|moves|opens|visits|comes|lands|retires)(?: (?:back|up|over|here|home|again|on))? )in " + _N + r"(?! (?:of|or|and|on|from|before|after|since|time)\b)", ""),
    "in_week_en": (rf"(?P<which>last|this|next) week(?: on|,)? {_DAY}", r"\b(?:the|our|my|very|of|or) $"),
    "weekday_en": (rf"(?:this )?(?P<which>last|past|this|next|coming) {_DAY}(?: (?:morning|afternoon|evening|night))?", r"(?:\b(?:the|half|quarter|our|my|very|of|to|and|or)|[-–]) ?$"),
    "of_week_en": (_DAY + r"(?: of)? (?P<which>last|this|next) week", r"(?:\b(?:and|or|to|through|till|until|first|last|next)|[-,–/]) ?$"),
    "end_en": (r"(?:the )?end of (?P<which>the|this|next|last) (?P<unit>month|quarter|year)", r"\b(?:towards?|around|near|the) $"),
    "span_en": (r"(?P<which>last|this|next) (?P<unit>weekend|week|month|quarter|year)(?! (?:of|or|to|and|day|so)\b)", r"\b(?:of|in|early|late|mid|the|these|those|our|my|your|his|her|their|very|first|second|any|same|sometime|maybe|perhaps|time|day|week|month|year|like|\d+\w*)[ -]$"),
    "fixed_zh": (r"(?P<word>大前天|大[后後]天|(?<![以之目提当面眼大])前天(?![线天气])|(?<![以之然今最背前大])[后後]天(?![性线赋天气台])|[刚剛]才|刚刚(?![好够及超满开])|前晚(?!期|辈)|昨(?=[天日儿晚夜早晨])|(?<![如至迄现])今(?=[天日儿晚夜早晨])(?!日头条|日说法)|(?<![光分聪說说證证表声发文黎透])明(?=[天日儿晚早晨])(?!天气|日方舟|天系列|天集团))"
              r"(?:[天日儿]|[早晨晚夜](?:上|间|里)?)?", r"(?:[年月周週期]|前)的?$"),
    "ago_zh": (_N_ZH + r"前(?!后|端|台|提[^的交出]|面|[必需应]|的?今天)", r"(?:[发布线期截止始束完效签订第每隔满内近约录席议试术礼航款]|至少|不到|超过|提早)\s?$"),
    "ahead_zh": (_N_ZH + r"[后後](?!端|台|面|续|期|[^，。；！？、,;\n]{0,20}(?:[了过]|自动|需|必须|方可|才|即|可以|失效|删除))", r"[^\s，。：、；（(说约定于在划计将要会再是我他她]$"),
    "in_week_zh": (_WHICH_ZH + r"(?:周|週|星期|礼拜)(?P<name>[一二三四五六日天])(?![\d一二三四五六七八九十个])(?!\s?(?:[和或到至、~-]|下?[周週])\s?[周週星礼下本这一二三四五六日天])", ""),
    "span_zh": (_WHICH_ZH + r"(?P<unit>周末|週末|(?:[周週]|星期|礼拜)(?![期年边转围末个一二三四五六日天])|月(?![球亮饼初底末上中下的第最\d一二三四五六七八九十])|季度(?![初末底]))", ""),
    "year_zh": (r"(?<![如过失])(?P<which>[去今明]|(?<![以之])前|(?<![以之然今最])[后後])(?P<unit>年)(?![轻龄纪底末初度会\d一二三四五六七八九十的上下前后半])", ""),
    "end_zh": (r"(?:(?<![个個\d一二三四五六七八九十每整上下本这])|(?P<which>[上下本这])[个個]?)(?P<unit>月)底", r"(?:租|工资|薪|结算|对账|盘点|还款|开票|报销)[^，。\n]{0,6}$"),
}
# One pattern of all rules: the group that closes last is the rule, its parts are named `rule__part`.
_NAMED = {rule: f"(?P<{rule}>{words.replace('(?P<', f'(?P<{rule}__')})" for rule, (words, _) in _RULES.items()}
_EN, _ZH = ("|".join(words for rule, words in _NAMED.items() if rule.endswith(language)) for language in ("en", "zh"))
_PHRASE = rf"(?<![\w@#$/\\=.+'’-])(?=[\da-z])(?:{_EN})(?![\w@/\\=('’\0]|[-.:+]\w)|(?=[\d\u4e00-\u9fff])(?:{_ZH})"
# A sign of repetition or of a rule anywhere in the sentence: there "yesterday" is another day each time.
_RECURS = (r"\b(?:every|each|daily|weekly|monthly|quarterly|yearly|annually|nightly|hourly|always|never|usually|normally|typically|generally|often|sometimes|routinely|recurr\w+|habit\w*|whenever|if|unless|any|rules?|polic(?:y|ies)|templates?|checklist|cron|default|per (?:day|week|month)|(?:once|twice|times) an? \w+|keywords?|the words?|(?:mon|tues|wednes|thurs|fri|satur|sun)days|mornings|evenings|afternoons|nights|weekends)\b"
    r"|[每逢凡]|一律|通常|总是|总会|总要|经常|往往|常常|平时|一般|固定|定期|惯例|例会|例行|规定|规则|规矩|原则|习惯|永远|从不|从来|如果|假如|(?<!主)要是|若是|倘若|除非|只要|一旦|禁止|不得|不许|模板|格式|日报|晨报|早报|关键词|字样|默认|轮流|天天|年年")
# Fences, code, comments, tags, links, paths, quoted lines, quotations (over one line break), what somebody wrote.
_FOREIGN = (r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|``[^\n]*``|`[^`\n]*`?|<!--.*?(?:-->|\Z)|<[A-Za-z/][^<>\n]*|(?<!\w)\w{1,20}://\S+|\]\([^()\n]*|\[\[[^\[\]\n]*"
    r"|(?<![\w.~-])[\w.~-]*/[\w./~-]+|^[ \t]*>[^\n]*|[\"“](?:[^\"“”\n]*(?:\n(?![\s>#|*+\d-])[^\"”\n]*)?)[\"”]?|„[^“”\n]*|«[^»\n]*|「[^」\n]*|『[^』\n]*|《[^》\n]*|‘[^’\n]*"
    r"|(?<!\w)'[^'\n]+'(?!\w)|\b(?:said|wrote|writes|says|fwd|forwarded|quote|lyrics)\b[^:\n]{0,20}:[^\n]*|(?:转发|原话|原文|引用|歌词|回复|留言|写道|写着)\s?[:：][^\n]*")
_SENTENCE = r"(?:[^;!?。！？；.\n]++|\.(?!\s{1,4}(?-i:[^a-z\s]))|\n(?=[ \t]{0,40}(?-i:[a-z])))++"
_DATE_BEHIND = r"\s?[(（\[,，/–—-]?\s?(?:(?:on|the) )?(?:\d{4}[-/.年]\d|\d{1,2}月\d|\d{1,2}[./]\d{1,2}(?!\d| ?%))"
_DATE_BEFORE = r"\d{4}-\d\d(?:-\d\d)?\s?[(（\[,，=:/-]?\s?$"
_OPENS = r"(?:^|\n)[\s>*+•#|\[\]xX(（_~\d.)-]*$"  # nothing but marks stands before it in its line
# Words that make the day behind them (or before them) the last one.
_UNTIL = {
    "en": r"(?:(?:valid|good|effective) )?(?:until|till?|through)(?: the)?|(?:expires|expiring|ends|ending|runs out|due)(?: on)?|deadline(?: is)?:?",
    "de": r"(?:gültig )?bis(?: zum| einschließlich)?|(?:endet|fällig)(?: am)?|frist:?", "fr": r"(?:valable )?jusqu['’]au|(?:expire|se termine) le", "es": r"hasta(?: el)?|(?:vence|caduca) el",
    "zh": r"有效期[至到:：]|截止(?:日期|时间)?[到至于:：]?|截至|直到|到期日?[:：]|(?<!延期)(?<![推迟改延调挪移提排看收回达赶])到|(?<![甚乃以推延])至|止于",
}
_BEHIND = r"\s?(?:为止|止|到期|截止|过期|失效|结束|之?前有效)"
_DOUBT = (r"\b(?:was|were|had|did|been|used to|lived|worked|stayed|studied|served|taught|owned|kept|played|held|ran|slept|wrote|went|came|became|got|took|made|said|says|told|spent|(?!(?:closed|booked|reserved|suspended|paused|blocked|extended|reduced|discounted|leased|rented|postponed|covered|insured|licensed|limited|need|shed|bed|feed|speed|red)\b)[a-z]+ed"
    r"|(?:lent|booked|reserved|leased|rented|extended|covered) (?:the|an?|my|our|his|her|their|its)|war|waren|hatten?|wurden?|ging|blieb|lief|galt|(?:wohn|leb|arbeite|mach|dauer|miet)ten?|\w+aba|era|fue|est[au]v?[oa]|vivi[óa]|había|tenía|\w+ait|not?|never|nor|without|nicht|keine?[nrms]?|nie|ohne|ne|pas|sans|sin|nunca|then|after|afterwards|thereafter|later|again|renews?|danach|dann|anschließend|sonst|wieder|ab da|puis|ensuite|après|luego|después|and|but|while|because|which|who|if|unless|or|at least|about|around|maybe|probably|might"
    r"|asked|und|oder|aber|weil|wenn|mindestens|et|ou|mais|y|o|pero|si)\b|n['’]t\b|[?？📌]|了|过(?!期)|曾|当时|原来|不|没|未|无|别|然后|[之以随其]后|再|起|可能|大概|左右|至少|如果|但|而|并|且")
_PREPOSITION = r"\b(?:by|since|until|till|from|before|after|for|of|to|on|through|than|between|as|towards?|versus|vs|via|during|around|about)$"
_DATED = r"(?m)^[ \t>*+•#|\[(（_\d.)-]{0,20}?(\d{4}-\d\d-\d\d)[^\n]*"
_YEAR, _NO, _MONTH = r"(?P<year>(?:19|20|21)\d\d)(?!\d)", r"(?P<day>\d{1,2})", rf"(?P<name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_DATES = (rf"(?<![\d.]){_YEAR}(?P<sign>[-/.])(?P<month>\d\d?)(?P=sign){_NO}(?!\d)", rf"(?<![\d.-]){_YEAR}-(?P<month>0[1-9]|1[0-2])(?![-\d])",
    rf"{_YEAR}\s?年\s?(?P<month>\d\d?)\s?月(?:\s?{_NO}\s?[日号號])?", rf"(?<![\d.a-z]){_NO}(?:(?P<sign>[.-])|(?P<slash>/))\s?(?P<month>\d\d?)[./-]\s?{_YEAR}(?!\.\d)",
    rf"(?<![\w.])(?:{_NO}(?:st|nd|rd|th|er|\.|º)?\s(?:de |of )?)?{_MONTH},?\s(?:del? )?{_YEAR}", rf"(?<![\w.]){_MONTH}\s{_NO}(?:st|nd|rd|th)?,?\s{_YEAR}")
# fmt: on


class Found(NamedTuple):
    """A phrase, `text[start:end]`, and the first and last day it means."""

    start: int
    end: int
    first: date
    last: date

    @property
    def value(self) -> str:
        """2026-03-14, 2026-03, 2026, or 2026-03-09 to 2026-03-15."""
        for unit, length in ("day", 10), ("month", 7), ("year", 4):
            if (self.first, self.last) == _span(unit, self.first, 0):
                return self.first.isoformat()[:length]
        return f"{self.first} to {self.last}"


def find(text: str, day: date) -> list[Found]:
    """The phrases of a note written on `day` that mean a certain day, week, month or year, in order."""
    # NUL stands for code, links, quotations and lines that begin with another day.
    own, found = _compiled(_FOREIGN).sub(lambda hit: "\0" * len(hit[0]), text), []
    own = _compiled(_DATED).sub(lambda hit: hit[0] if hit[1] == day.isoformat() else "\0" * len(hit[0]), own)
    for sentence in _compiled(_SENTENCE).finditer(own):
        hits = list(_compiled(_PHRASE).finditer(own, *sentence.span()))
        if not hits or _compiled(_RECURS).search(text, *sentence.span()):
            continue
        for hit in hits:
            parts = {name.partition("__")[2]: said for name, said in hit.groupdict().items() if said}
            start = hit.start() + len(parts.get("lead", ""))
            span = _meaning(str(hit.lastgroup), parts, day) if _is_plain(own, hit, start) else None
            if span:
                found.append(Found(start, hit.end(), *span))
    return found


def written_out(text: str, day: date) -> str:
    """The text with such phrases as ISO days where that reads well and says no more than they did."""
    pieces, past = [""], 0
    for found in find(text, day):
        between, phrase = text[past : found.start], text[found.start : found.end]
        before, after = text[max(0, found.start - _NEAR) : found.start], text[found.end : found.end + _NEAR]
        if past and between.strip() in ("and", "or", "to"):
            before = "by "  # of "yesterday and today" the preposition of the first one is enough
        pieces += [between, (_english if phrase.isascii() else _chinese)(found, phrase, before, after)]
        past = found.end
    return "".join(pieces) + text[past:]


def named_days(text: str) -> list[date]:
    """The calendar days written in a text, a month as its last day, the later one of two readings."""
    return [written.last for written in written(text)]


def ended_on(text: str) -> date | None:
    """The last day on which a line says it holds, if that closes the line or opens it; else None."""
    line = re.sub(r"<!--[^<>]*-->", "", text[:_LONGEST]).strip(" \t\r\n-*+_•").replace("\n", " ")
    days = written(line)
    if len(days) != 1 or len(text) >= _LONGEST or _compiled(_DOUBT).search(line):
        return None
    until = _compiled(rf"(?<![^\W\u3000-\u9fff])(?:{'|'.join(_UNTIL.values())})\s*$").search(line[: days[0].start])
    behind = _compiled(_BEHIND).match(line, days[0].end)
    before, rest = line[: until.start() if until else days[0].start], line[behind.end() if behind else days[0].end :]
    return days[0].last if (until or behind) and _is_one_clause(before, rest) else None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed: most commands read no days."""
    return re.compile(pattern, re.I)


def _is_plain(text: str, hit: re.Match[str], start: int) -> bool:
    """Whether a phrase is neither dated beside it, nor a name ("the Today Show"), nor vague by what stands before it."""
    before, words = text[max(0, start - _NEAR) : start], text[start : hit.end()].split()
    refused = _RULES[str(hit.lastgroup)][1]
    if (refused and _compiled(refused).search(before)) or _compiled(_DATE_BEFORE).search(before):
        return False
    opens = _compiled(_OPENS).search(before) or before.rstrip(" *_~([")[-1:] in tuple(".:!?;|-–—>])。！？；：•#")
    named = [word for word in words[1 if opens else 0 :] if word.istitle() and word[:3].lower() not in _WEEKDAYS]
    return not named and not _compiled(_DATE_BEHIND).match(text, hit.end())


def _meaning(rule: str, parts: dict[str, str], day: date) -> Span | None:
    """The days a phrase means, seen from the day of its note; None where two readers could differ."""
    which, name = parts.get("which", "").lower(), _WEEKDAYS.get(parts.get("name", "")[:3].lower(), 0)
    unit = _UNITS.get((unit := parts.get("unit", "").lower().lstrip("个個")), unit)
    try:
        match rule.rpartition("_")[0]:
            case "fixed":
                return _span("day", day, _FIXED[parts["word"].lower().removeprefix("the ")])
            case "ago" | "ahead" as way:  # weeks to the day; months and years are no more exact than themselves
                count = int(_NUMBERS.get(said := parts["n"].lower(), said)) * (-1 if way == "ago" else 1)
                unit, count = ("day", 7 * count) if unit == "week" else (unit, count)
                return None if unit == "year" and abs(count) > 9 else _span(unit, day, count)
            case "in_week" | "of_week":
                return _span("day", _span("week", day, _STEPS[which])[0], name)
            case "weekday":
                return _weekday(which, (name - day.weekday() - 1) % 7 + 1, day)
            case "end":
                return (_span(unit, day, _STEPS[which])[1],) * 2
        # "next weekend" on a Wednesday is one of two
        unsure = unit == "weekend" and which in ("last", "next") and (day.weekday() > 4) != (which == "next")
        return None if unsure else _span(unit, day, _STEPS[which])
    except (ValueError, OverflowError):  # before the year 1; 五四天前
        return None


def _span(unit: str, day: date, shift: int) -> Span:
    """The first and last day of the day, week, month … that lies so many of them away."""
    if unit in ("day", "week", "weekend"):
        days = shift if unit == "day" else 7 * shift - day.weekday() + (5 if unit == "weekend" else 0)
        return day + timedelta(days), day + timedelta(days + {"day": 0, "week": 6, "weekend": 1}[unit])
    length = {"month": 1, "quarter": 3, "year": 12}[unit]
    months = ((day.year * 12 + day.month - 1) // length + shift) * length
    first, (year, index) = date(months // 12, months % 12 + 1, 1), divmod(months + length - 1, 12)
    return first, date(year, index + 1, monthrange(year, index + 1)[1])


def _weekday(which: str, ahead: int, day: date) -> Span | None:
    """Only where all readings agree: "next Friday" on a Wednesday is two days away to some, nine to others."""
    to_come, back = day.weekday() + ahead < 7, ahead % 7 - 7
    if which in ("last", "past"):
        return _span("day", day, back) if back < -1 or which == "past" else None
    if which == "next":  # on a Sunday the week ends to some and begins to others
        return None if to_come or (day.weekday() == 6 and ahead < 7) else _span("day", day, ahead)
    return _span("day", day, ahead) if which == "coming" or to_come or ahead == 1 else None


def _english(found: Found, phrase: str, before: str, after: str) -> str:
    """`on 2026-03-14`, `in the week of 2026-03-09`; the phrase itself where that would not read well."""
    words, above, length = phrase.lower(), before.rstrip(" *_~"), (found.last - found.first).days
    if "end of" in words:
        return re.sub(r"(?:(?:the|this|next|last) )?\w+$", found.value[: 4 if "year" in words else 7], phrase)
    if "quarter" in words or (words in _FIXED and _compiled(r"\b(?:on|in|off)$").search(above)):
        return phrase  # "the pump came on yesterday"
    kind = {1: "weekend", 6: "week"}.get(length) or _PARTS.get(words.split()[-1])
    about = "around " if re.search(r"weeks? ago$|^in .* weeks?$", words) else ""
    said = f"the {kind} of {found.first}" if kind else about + found.value
    is_led = _compiled(_PREPOSITION).search(above) or above[-1:] in tuple(":|([–—=/→#")
    if not (is_led or about or re.match(r"\s(?:is|was|will|has|had|were|seems|looks|felt|feels)\b", after)):
        said = f"{'on' if length < 2 else 'in'} {said}"
    return said[0].upper() + said[1:] if phrase[0].isupper() else said


def _chinese(found: Found, phrase: str, before: str, after: str) -> str:
    """2026-03-14, 2026-03-14晚上, 2026-03-09那周, 2026年3月, with a space beside Latin letters and figures."""
    first, month = found.first, f"{found.first.year}年{found.first.month}月"
    week = {1: "那个周末", 6: "那周"}.get((found.last - first).days)
    part = next((part for sign, part in _PARTS.items() if sign in phrase), "")
    part = "左右" if re.search(r"(?:[周週]|星期|礼拜)[之以]?[前后後]", phrase) else part
    said = {4: f"{first.year}年", 7: month, 10: f"{first}{part}"}.get(len(found.value), phrase)
    said = f"{month}底" if "底" in phrase else f"{first}{week}" if week else said
    return " " * bool(re.search(r"[0-9A-Za-z]$", before)) + said + " " * bool(re.match(r"[0-9A-Za-z]", after))


def written(text: str) -> list[Found]:
    """The calendar days written in a text, in order; where two forms meet, the longer one."""
    if not _compiled(r"(?:19|20|21)\d\d").search(text):
        return []
    hits = [hit for form in _DATES for hit in _compiled(form).finditer(text)]
    found: list[Found] = []
    for hit in sorted(hits, key=lambda hit: (hit.start(), -hit.end())):
        day = _last_reading(hit.groupdict()) if not found or hit.start() >= found[-1].end else None
        if day:
            found.append(Found(*hit.span(), day, day))
    return found


def _last_reading(parts: dict[str, str | None]) -> date | None:
    """Of 03/04/2026 the later reading, of a month its last day; 31 February is none."""
    year, day = int(parts["year"] or 0), int(parts.get("day") or 0)
    month = int(parts.get("month") or _MONTHS[str(parts.get("name")).lower()])
    readings = [(month, day), (day, month)] if parts.get("slash") else [(month, day)]
    lengths = {number: monthrange(year, number)[1] for number, _ in readings if 1 <= number <= 12}
    days = [date(year, m, d or lengths[m]) for m, d in readings if d <= lengths.get(m, -1)]
    return max(days, default=None)


def _is_one_clause(before: str, rest: str) -> bool:
    """Whether a last day ends all its line says. No word is read: of "port 8443, certificate until" a half holds on."""
    rest = re.sub(r"^\s(?:at )?\d\d?:\d\d", "", rest)
    if not before.strip(" *_~"):
        clause = rest.strip(" ,，.。*_~")
        return not re.search(r"[,;:.!(，；：。！（、]\s*\w|\s[–—-]\s", clause) and len(re.findall(r"\d+", clause)) < 2
    label, _, said = before.replace("：", ": ").rpartition(": ")
    first, *others = re.split(r"[,，、(（]|\s[–—-]\s", said)
    several = re.search(r"[;；。！!:]|[.:]\s", label + said) or (others and (len(others) > 1 or others[0].strip()))
    figures = re.search(r"\d", label + (first if others else ""))
    return not several and not figures and re.fullmatch(r"\W*|\s[a-zäöüß]{3,}\W*", rest) is not None
