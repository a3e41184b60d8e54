"""Which languages a line may be in, and how each of them writes a date."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from reverie.dates.rules import Rule

_SCRIPTS = (
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[а-яё]", re.IGNORECASE)),
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Small words tell a language apart. "hier", "on", "a", "in", "die" and their like belong to several and tell nothing.
_SMALL = {
    "en": "the and is was of to for with at from it we i not has have this that are were by my our you he she they be will",
    "de": "der das und ist nicht mit für ein eine auf ich wir hat haben habe war waren heute gestern vorgestern übermorgen morgen vor seit bis zum zur im am bei noch nach wird von den dem des nur sich aus kommt letzten letzte nächsten nächste beim um uhr",
    "es": "el los las que y en con por para hoy ayer anoche mañana anteayer hace pasado pasada esta este del al lo hay está próximo próxima",
    "fr": "le les des et est du dans pour avec sur demain il y ce cette chez au aux j'ai qui pas avant-hier dernier dernière prochain prochaine aujourd'hui avant après soir matin à",
    "pt": "os as em um uma com não ontem anteontem hoje amanhã na no do da foi ao pelo pela há passada passado próximo próxima daqui mês vem às",
}
# Words for days that no other of these languages has tell more than any small word.
_TELLING = {
    "en": "today yesterday tomorrow tonight",
    "de": "gestern vorgestern vorvorgestern heute übermorgen",
    "es": "ayer hoy anoche mañana anteayer",
    "fr": "demain aujourd'hui",
    "pt": "ontem anteontem hoje amanhã",
}
_TELLING_WORDS = {lang: frozenset(words.split()) for lang, words in _TELLING.items()}
_SMALL_WORDS = {lang: frozenset(words.split()) for lang, words in _SMALL.items()}
_TRIGGERS = {
    "en": "day|morrow|tonight|week|month|year|night|morning|afternoon|evening|now|ago|fortnight|quarter|hour|minute|end of|(?:in|since) (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|on the [0-9]|\\b(?:mon|tue|wed|thu|fri|sat|sun)",
    "zh": "[天日晚夜早晨今明昨刚剛前后後周週月年季]|星期|礼拜|禮拜|今儿|昨儿|明儿",
    "de": "gestern|heute|morgen|nacht|tag|woch|monat|jahr|quartal",
    "es": "ayer|hoy|mañana|anoche|noche|tarde|día|semana|mes|año|lunes|martes|miércoles|jueves|viernes|sábado|domingo|antier|trimestre",
    "fr": "hier|demain|aujourd|matin|soir|midi|jour|semaine|mois|\\ban|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|week|trimestre",
    "pt": "ontem|hoje|amanhã|manhã|noite|tarde|dia|semana|m[eê]s|ano|segunda|terça|quarta|quinta|sexta|sábado|domingo",
    "ru": "вчера|сегодня|завтра|ночью|недел|месяц|год|лет|назад|через|прошл|следующ|дн",
    "ja": "[日朝夜晩週月年]|おととい|あさって",
    "ko": "[제께늘일레피밤침녁전후뒤주달년해말]",
}


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


class Manner(NamedTuple):
    """How a language leads up to a date, and the words after which it needs no leading."""

    day: str
    month: str
    year: str
    span: str
    bare_span: str
    bare_year: str = "{}"
    behind: frozenset[str] = frozenset()


_ENGLISH = "on since from until till by before after for of to between than in at starting through during around about versus vs effective except"
MANNERS = {
    "en": Manner("on {}", "in {}", "in {}", "from {} to {}", "{} to {}", behind=_words(_ENGLISH)),
    "zh": Manner("{}", "{}", "{}年", "{}至{}", "{}至{}", "{}年"),
    "de": Manner("am {}", "in {}", "{}", "vom {} bis {}", "{} bis {}", behind=_words("seit ab bis von vom zum am im in für nach vor des der den")),
    "es": Manner("el {}", "en {}", "en {}", "del {} al {}", "{} a {}", behind=_words("el desde hasta de del en para a al antes la")),
    "fr": Manner("le {}", "en {}", "en {}", "du {} au {}", "{} au {}", behind=_words("depuis jusqu'à d'ici de du le la en pour dès avant à après")),
    "pt": Manner("em {}", "em {}", "em {}", "de {} a {}", "{} a {}", behind=_words("desde até de do da em no na para a")),
    "ru": Manner("{}", "в {}", "в {} году", "с {} по {}", "{} – {}", behind=_words("с до от на к в по за")),
    "ja": Manner("{}", "{}", "{}年", "{}〜{}", "{}〜{}", "{}年"),
    "ko": Manner("{}", "{}", "{}년", "{}~{}", "{}~{}", "{}년"),
}  # fmt: skip


@cache
def rules(lang: str) -> tuple[tuple[re.Pattern[str], Rule], ...]:
    """The rules of a language. Its tables are read when a text first needs them."""
    from reverie.dates import chinese, east, english, europe  # read late: five hundred shapes to compile

    tables = {"en": english.RULES, "zh": chinese.RULES, "ja": east.JAPANESE, "ko": east.KOREAN}
    return tuple((rule.compiled(), rule) for rule in (tables | europe.RULES)[lang])


@cache
def trigger(lang: str) -> re.Pattern[str]:
    """A cheap question first: a line without any of these has no date word of that language."""
    return re.compile(_TRIGGERS[lang], re.IGNORECASE)


def languages(line: str, lang: str = "") -> tuple[str, ...]:
    """The languages whose date words may stand in a line: by its script, by its small words, and English beside any."""
    found = [name for name, shape in _SCRIPTS if shape.search(line)]
    if "ja" in found and "zh" in found:
        found.remove("zh")
    if re.search("[A-Za-z]", line):
        latin = lang if lang in _SMALL_WORDS else guess(line)
        found += [latin] if latin not in ("", "en") else []
        found.append("en")
    return tuple(found)


def guess(text: str) -> str:
    """The language of Latin letters by its small words; empty where they do not tell."""
    words = [match[0].casefold().replace("’", "'") for match in _WORD.finditer(text)]
    counts = {
        lang: sum((word in small) + 2 * (word in _TELLING_WORDS[lang]) for word in words)
        for lang, small in _SMALL_WORDS.items()
    }
    best = max(counts, key=lambda lang: counts[lang])
    return best if counts[best] and list(counts.values()).count(counts[best]) == 1 else ""
