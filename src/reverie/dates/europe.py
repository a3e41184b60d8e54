"""German, Spanish, French, Portuguese and Russian words for days that count from the day of the note: the common ones."""

from __future__ import annotations

import re
from collections.abc import Callable

from reverie.dates.rules import (
    Resolve,
    Rule,
    Seat,
    Span,
    after,
    before,
    days,
    end_of,
    evening,
    leave,
    month,
    one,
    quarter,
    week,
    weekend,
    worded,
    year,
)

_Unit = Callable[[Seat, int], Span | None]
_UNITS: dict[str, _Unit] = {
    "day": lambda seat, n: one(seat.day, n),
    "week": lambda seat, n: one(seat.day, 7 * n),
    "month": lambda seat, n: month(seat.day, n),
    "year": lambda seat, n: year(seat.day, n) if abs(n) < 10 else None,  # "ten years ago" is a manner of speaking
}
# Each language's words for one to twelve, in order, with the forms its grammar gives them.
_NUMBERS = {
    "de": "eine?[mnr]? zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "es": "un[ao]? dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "fr": "une? deux trois quatre cinq six sept huit neuf dix onze douze",
    "pt": "uma? (?:dois|duas) três quatro cinco seis sete oito nove dez onze doze",
    "ru": "(?:один|одну) (?:два|две) три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
}
_UNIT_WORDS = {
    "de": (("day", "tage?n?"), ("week", "wochen?"), ("month", "monate?n?"), ("year", "jahre?n?")),
    "es": (("day", "días?"), ("week", "semanas?"), ("month", "mes(?:es)?"), ("year", "años?")),
    "fr": (("day", "jours?"), ("week", "semaines?"), ("month", "mois"), ("year", "ans?")),
    "pt": (("day", "dias?"), ("week", "semanas?"), ("month", "m[eê]s(?:es)?"), ("year", "anos?")),
    "ru": (
        ("day", "день|дня|дней"),
        ("week", "недел[юия]|недели|недель"),
        ("month", "месяц(?:а|ев)?"),
        ("year", "год|года|лет"),
    ),
}
_WEEKDAYS = {
    "de": "montag dienstag mittwoch donnerstag freitag (?:samstag|sonnabend) sonntag",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "pt": "segunda(?:-feira)? terça(?:-feira)? quarta(?:-feira)? quinta(?:-feira)? sexta(?:-feira)? sábado domingo",
    "ru": "понедельник вторник сред[уаы] четверг пятниц[уаы] суббот[уаы] воскресенье",
}


def _index(said: str, forms: str) -> int:
    return next(i for i, form in enumerate(forms.split()) if re.fullmatch(form, said, re.IGNORECASE))


def _counted(lang: str, sign: int, *, sure: bool = True) -> Resolve:
    """N days ago or hence. Where the words may also be a length ("in zehn Tagen"), the verb or the first place decides."""

    def resolve(match: re.Match[str], seat: Seat) -> Span | None:
        if sign > 0 and (seat.habit or seat.tense < 0):
            return None
        if not sure and seat.tense == 0 and match.string[: match.start()].strip(" -*+"):
            return None
        said = match["n"] or "1"
        count = int(said) if said.isdigit() else _index(said, _NUMBERS[lang]) + 1
        unit = next(name for name, form in _UNIT_WORDS[lang] if re.fullmatch(form, match["unit"], re.IGNORECASE))
        return _UNITS[unit](seat, sign * count)

    return resolve


def _weekday(lang: str, which: str) -> Resolve:
    """`ahead` and `back` are the nearest; `next` is said only where that is not in this week, `last` not of yesterday."""

    def resolve(match: re.Match[str], seat: Seat) -> Span | None:
        weekday = _index(match["weekday"], _WEEKDAYS[lang])
        ahead, back = after(seat.day, weekday), before(seat.day, weekday)
        if which == "bare":
            if seat.habit or not seat.tense or (seat.tense < 0 and seat.day.weekday() == weekday):
                return None
            return ahead if seat.tense > 0 else back
        if which == "since":
            return None if seat.habit or seat.day.weekday() == weekday else back
        if which == "next" and week(ahead.first) == week(seat.day):
            return None
        if which == "last" and (seat.day - back.first).days == 1:
            return None
        return ahead if which in ("next", "ahead") else back

    return resolve


def _span(unit: Callable[..., Span], shift: int) -> Resolve:
    return lambda _match, seat: unit(seat.day, shift)


def _end(unit: Callable[..., Span], shift: int = 0) -> Resolve:
    return lambda _match, seat: None if seat.habit and not shift else end_of(unit(seat.day, shift))


def _n(lang: str) -> str:
    return rf"(?P<n>\d{{1,3}}|{'|'.join(_NUMBERS[lang].split())})"


def _u(lang: str) -> str:
    return rf"(?P<unit>{'|'.join(form for _, form in _UNIT_WORDS[lang])})"


def _w(lang: str) -> str:
    return rf"(?P<weekday>{'|'.join(_WEEKDAYS[lang].split())})"


def _german() -> tuple[Rule, ...]:
    n, u, w = _n("de"), _u("de"), _w("de")
    part = r"(?: (?P<part>Abend|Morgen|Vormittag|Nachmittag|Mittag))"

    def parted(shift: int) -> Resolve:
        def resolve(match: re.Match[str], seat: Seat) -> Span | None:
            part = match["part"].capitalize()
            return evening(shift, f"{part} des {{}}", f"am {part} des {{}}")(match, seat)

        return resolve

    return (
        worded("vorvorgestern", days(-3)),
        worded("vorgestern", days(-2)),
        worded("gestern", days(-1)),
        worded("heute", days(0)),
        worded("morgen", days(1)),
        worded("übermorgen", days(2)),
        worded(f"vorgestern{part}", parted(-2)),
        worded(f"gestern{part}", parted(-1)),
        worded(f"heute{part}", parted(0)),
        worded(f"morgen{part}", parted(1)),
        worded(r"heute nacht|heut(?:e)? zu tage|guten morgen|am morgen|jeden morgen|der morgen|am nächsten morgen|von morgen|morgen (?:zusammen|allerseits|alle)|(?:schönen|moin) morgen", leave),
        worded("(?:gestern|letzte) nacht", evening(-1, "Nacht des {}", "in der Nacht des {}")),
        worded(f"vor {n} {u}", _counted("de", -1)),
        worded(f"in {n} {u}", _counted("de", 1, sure=False)),
        worded(f"(?:am )?(?:vergangene[nr]|vorige[nr]) {w}", _weekday("de", "back")),
        worded(f"(?:am )?letzten {w}", _weekday("de", "last")),
        worded(f"(?:am )?(?:nächsten) {w}", _weekday("de", "next")),
        worded(f"(?:am )?(?:kommenden) {w}", _weekday("de", "ahead")),
        worded(f"(?P<lead>seit) {w}", _weekday("de", "since")),
        worded(f"am {w}", _weekday("de", "bare")),
        worded(f"(?:jede[nrs]?|alle|immer|pro|an|bis|ab|von) (?:zweiten |am )?{w}s?|{w}s|(?:am )?{w} morgen|am {w} (?:und|oder|bis) \\w+", leave),
        worded("(?:in der )?(?:letzten?|vorigen?|vergangenen?) woche", _span(week, -1)),
        worded("in der letzten woche (?:im|des|vor|von|vom)", leave),
        worded("diese[r]? woche", _span(week, 0)),
        worded("(?:in der )?(?:nächsten?r?|kommenden?r?) woche", _span(week, 1)),
        worded("(?:am )?(?:letzte[sn]|vergangene[sn]) wochenende", _span(weekend, -1)),
        worded("(?:im )?(?:letzten|vorigen|vergangenen) monat", _span(month, -1)),
        worded("diesen monat|in diesem monat", _span(month, 0)),
        worded("(?:im )?(?:nächsten|kommenden) monat", _span(month, 1)),
        worded("(?:im )?(?:letzten|vorigen|vergangenen) quartal|letztes quartal", _span(quarter, -1)),
        worded("(?:im )?(?:nächsten|kommenden) quartal|nächstes quartal", _span(quarter, 1)),
        worded("letztes jahr|im letzten jahr|voriges jahr|vergangenes jahr", _span(year, -1)),
        worded("dieses jahr|in diesem jahr", _span(year, 0)),
        worded("nächstes jahr|im nächsten jahr", _span(year, 1)),
        worded("(?:am )?(?:ende des monats|monatsende)", _end(month)),
        worded("(?:am )?ende (?:des )?nächsten monats", _end(month, 1)),
        worded("ende des jahres|jahresende", _end(year)),
    )  # fmt: skip


def _spanish() -> tuple[Rule, ...]:
    n, u, w = _n("es"), _u("es"), _w("es")
    return (
        worded("anteayer|antes de ayer|antier", days(-2)),
        worded("ayer", days(-1)),
        worded("hoy", days(0)),
        worded("mañana", days(1)),
        worded("pasado mañana", days(2)),
        worded("anoche|ayer (?:por|en) la noche", evening(-1, "la noche del {}", "la noche del {}")),
        worded("esta mañana", evening(0, "la mañana del {}", "la mañana del {}")),
        worded("esta tarde", evening(0, "la tarde del {}", "la tarde del {}")),
        worded("esta noche", evening(0, "la noche del {}", "la noche del {}")),
        worded("(?:por|de|en|a|cada|toda|todas) la (?:media )?mañana|las mañanas|la mañana|una mañana|hoy en día|hoy por hoy|de la mañana", leave),
        worded(f"hace {n} {u}", _counted("es", -1)),
        worded(f"hace (?:más de|menos de|casi|unos|unas|como) {n} {u}|desde hace {n} {u}|(?:\\w+ )?{n} {u} (?:a partir|antes|después|desde|posteriores|anteriores) (?:de )?\\w+", leave),
        worded(f"dentro de {n} {u}", _counted("es", 1)),
        worded(f"en {n} {u}", _counted("es", 1, sure=False)),
        worded(f"(?:el )?{w} pasado", _weekday("es", "last")),
        worded(f"(?:el )?pasado {w}", _weekday("es", "last")),
        worded(f"(?:el )?próximo {w}", _weekday("es", "next")),
        worded(f"(?:el )?{w} (?:que viene|próximo)", _weekday("es", "ahead")),
        worded(f"(?P<lead>desde) el {w}", _weekday("es", "since")),
        worded(f"(?:\\w+ )?(?:el )?{w},? \\d{{1,2}}", leave),
        worded(f"(?:todos )?los {w}s?|cada {w}|el {w} (?:y|o|al) \\w+", leave),
        worded("(?:la )?semana pasada", _span(week, -1)),
        worded("esta semana", _span(week, 0)),
        worded("(?:la )?(?:próxima semana|semana que viene)", _span(week, 1)),
        worded("(?:el )?fin de semana pasado", _span(weekend, -1)),
        worded("(?:el )?mes pasado", _span(month, -1)),
        worded("este mes", _span(month, 0)),
        worded("(?:el )?(?:próximo mes|mes que viene)", _span(month, 1)),
        worded("(?:el )?(?:trimestre pasado)", _span(quarter, -1)),
        worded("(?:el )?año pasado", _span(year, -1)),
        worded("este año", _span(year, 0)),
        worded("(?:el )?(?:próximo año|año que viene)", _span(year, 1)),
        worded("(?:a )?fin(?:al|ales)? de(?:l)? mes", _end(month)),
        worded("(?:a )?fin(?:al|ales)? de(?:l)? año", _end(year)),
    )  # fmt: skip


def _french() -> tuple[Rule, ...]:
    n, u, w = _n("fr"), _u("fr"), _w("fr")
    return (
        worded("avant[- ]hier", days(-2)),
        worded("hier", days(-1)),
        worded("aujourd['’]hui", days(0)),
        worded("demain", days(1)),
        worded("après[- ]demain", days(2)),
        worded("hier soir", evening(-1, "le soir du {}", "le soir du {}")),
        worded("hier matin", evening(-1, "le matin du {}", "le matin du {}")),
        worded("demain matin", evening(1, "le matin du {}", "le matin du {}")),
        worded("demain soir", evening(1, "le soir du {}", "le soir du {}")),
        worded("ce matin", evening(0, "le matin du {}", "le matin du {}")),
        worded("cet après-midi", evening(0, "l'après-midi du {}", "l'après-midi du {}")),
        worded("ce soir", evening(0, "le soir du {}", "le soir du {}")),
        worded(f"il y a {n} {u}", _counted("fr", -1)),
        worded(f"il y a (?:plus d[e']|moins d[e']|environ|presque|quelques) ?\\w* {u}", leave),
        worded(f"dans {n} {u}", _counted("fr", 1)),
        worded(f"{w} dernier", _weekday("fr", "last")),
        worded(f"{w} prochain", _weekday("fr", "next")),
        worded(f"(?P<lead>depuis) {w}", _weekday("fr", "since")),
        worded(f"(?:tous |chaque )?(?:les? )?{w}s?(?: et| ou| à) \\w+|(?:tous les|chaque|le) {w}s?", leave),
        worded("(?:la )?semaine dernière", _span(week, -1)),
        worded("cette semaine", _span(week, 0)),
        worded("(?:la )?semaine prochaine", _span(week, 1)),
        worded("(?:le )?week-end dernier", _span(weekend, -1)),
        worded("(?:le )?mois dernier", _span(month, -1)),
        worded("ce mois-ci", _span(month, 0)),
        worded("(?:le )?mois prochain", _span(month, 1)),
        worded("(?:le )?trimestre dernier", _span(quarter, -1)),
        worded("l['’]an(?:née)? derni(?:er|ère)", _span(year, -1)),
        worded("cette année", _span(year, 0)),
        worded("l['’]an(?:née)? prochaine?", _span(year, 1)),
        worded("(?:la )?fin du mois", _end(month)),
        worded("fin du mois d[e'’] ?\\w+", leave),
        worded("(?:la )?fin de l['’]année", _end(year)),
    )  # fmt: skip


def _portuguese() -> tuple[Rule, ...]:
    n, u, w = _n("pt"), _u("pt"), _w("pt")
    return (
        worded("anteontem|antes de ontem", days(-2)),
        worded("ontem", days(-1)),
        worded("hoje", days(0)),
        worded("amanhã", days(1)),
        worded("depois de amanhã", days(2)),
        worded("hoje em dia", leave),
        worded(f"{n} {u} (?:depois|antes) d[aeo] ?\\w+", leave),
        worded("esta manhã", evening(0, "manhã de {}", "na manhã de {}")),
        worded("esta noite", evening(0, "noite de {}", "na noite de {}")),
        worded("esta tarde", evening(0, "tarde de {}", "na tarde de {}")),
        worded("(?:ontem à noite|noite passada)", evening(-1, "noite de {}", "na noite de {}")),
        worded(f"h[áa] {n} {u}(?: atrás)?", _counted("pt", -1)),
        worded(f"{n} {u} atrás", _counted("pt", -1)),
        worded(f"(?:daqui a|dentro de) {n} {u}", _counted("pt", 1)),
        worded(f"em {n} {u}", _counted("pt", 1, sure=False)),
        worded(f"(?:na |no )?(?:última |último )?{w} passad[ao]", _weekday("pt", "last")),
        worded(f"(?:na |no )?próxim[ao] {w}", _weekday("pt", "next")),
        worded(f"(?:toda|todas|todo|todos|cada|às|aos)(?: as| os)? {w}s?", leave),
        worded("(?:na )?semana passada", _span(week, -1)),
        worded("(?:n?esta) semana", _span(week, 0)),
        worded("(?:na )?(?:próxima semana|semana que vem)", _span(week, 1)),
        worded("(?:no )?(?:mês passado|último mês)", _span(month, -1)),
        worded("(?:n?este) mês", _span(month, 0)),
        worded("(?:no )?(?:próximo mês|mês que vem)", _span(month, 1)),
        worded("(?:no )?ano passado", _span(year, -1)),
        worded("(?:n?este) ano", _span(year, 0)),
        worded("(?:no )?(?:próximo ano|ano que vem)", _span(year, 1)),
        worded("\\w+ ano (?:letivo|fiscal)", leave),
        worded("(?:no )?(?:fim|final) do mês", _end(month)),
        worded("(?:no )?(?:fim|final) do ano", _end(year)),
    )  # fmt: skip


def _russian() -> tuple[Rule, ...]:
    n, u, w = _n("ru"), _u("ru"), _w("ru")
    return (
        worded("позавчера", days(-2)),
        worded("вчера", days(-1)),
        worded("сегодня", days(0)),
        worded("завтра", days(1)),
        worded("послезавтра", days(2)),
        worded("вчера вечером|вчера ночью|прошлой ночью", evening(-1, "{} вечером")),
        worded("сегодня утром", evening(0, "{} утром")),
        worded("сегодня вечером", evening(0, "{} вечером")),
        worded("завтра утром", evening(1, "{} утром")),
        worded("завтра вечером", evening(1, "{} вечером")),
        worded(f"(?:{n} )?{u} назад", _counted("ru", -1)),
        worded(f"через (?:{n} )?{u}", _counted("ru", 1)),
        worded(f"(?:больше|более|около|почти) \\w* ?{u} назад|через {u} после", leave),
        worded(f"в(?:о)? прошл(?:ый|ую|ое) {w}", _weekday("ru", "last")),
        worded(f"в(?:о)? следующ(?:ий|ую|ее) {w}", _weekday("ru", "next")),
        worded("(?:на )?прошлой неделе", _span(week, -1)),
        worded("(?:на )?этой неделе", _span(week, 0)),
        worded("(?:на )?следующей неделе", _span(week, 1)),
        worded("(?:в )?прошлом месяце", _span(month, -1)),
        worded("(?:в )?этом месяце", _span(month, 0)),
        worded("(?:в )?следующем месяце", _span(month, 1)),
        worded("(?:в )?прошлом году", _span(year, -1)),
        worded("(?:в )?этом году", _span(year, 0)),
        worded("(?:в )?следующем году", _span(year, 1)),
        worded("(?:в )?конце (?:этого )?месяца|(?P<lead>до) конца (?:этого )?месяца", _end(month)),
    )  # fmt: skip


RULES = {"de": _german(), "es": _spanish(), "fr": _french(), "pt": _portuguese(), "ru": _russian()}
