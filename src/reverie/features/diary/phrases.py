"""Words that are no theme, and words that show a noun, in nine languages. Data, not logic; general words only.

EVERYDAY words may stand inside a theme ("training session") but are none by themselves. BREAKING words end a phrase:
function words, days, months, verbs and adverbs of every note. ARTICLES announce a noun; CONNECTORS may join two.

Chinese words of a set of lines, cut by how freely they stand: no dictionary, so new names are found too.

A string of two to six characters is a word when what stands left and right of it varies (branching entropy) while its
own characters hold together, and when no longer string explains it.

The phrases of one line that could be a theme: noun-like, without numbers, names of files, code or roles.

Where words are written apart, a phrase is one to three words, and it counts as a noun only where something shows it:
an article before it, a capital in the middle of a sentence, a Korean particle after it. Where words are not written
apart, Japanese changes its script around nouns, and Chinese is cut by statistics over all lines (`chinese`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from reverie.text.terms import STOP_WORDS, stem

_EVERYDAY = """
agent agents assistant user users system human bot owner session sessions heartbeat heartbeats cron job jobs task tasks
note notes memory memories todo todos dream dreams diary log logs status update updates summary candidate candidates
recall theme themes reflection evidence confidence workspace file files folder line lines message messages reply chat
conversation model prompt token tokens tool tools error errors issue issues thing things item items list entry entries
time times day days week weeks month months year years hour hours minute minutes second seconds date
part point way lot bit kind side end start case place name number version people person man woman team
work problem question answer idea reason result change changes check checks test tests run runs plan plans detail details
ok okay done yes no none null true false
total count info data item value text page pages link email mail call report daily weekly monthly open closed
success successful failed failure normal health exit ran finished started completed passed
notiz notizen sitzung aufgabe aufgaben agent protokoll bericht eintrag einträge datei dateien zeile zeilen nachricht
nachrichten stunde stunden tag tage tagen tages woche wochen monat monate jahr jahre minute minuten uhr zeit mal ende anfang teil
frage fragen antwort sache sachen problem probleme stand ergebnis liste arbeit leute name nummer herzschlag gedächtnis
nota notas sesión tarea tareas mensaje mensajes archivo archivos línea registro resumen estado día días semana semanas
mes meses año años hora horas minuto minutos vez veces cosa cosas parte problema pregunta respuesta lista trabajo nombre
número usuario asistente agente memoria latido sistema gente final inicio resultado
note séance session tâche tâches message messages fichier fichiers ligne journal résumé état jour jours journée semaine
semaines mois an ans année heure heures minute minutes fois chose choses partie problème question réponse liste travail nom
numéro utilisateur assistant mémoire système gens fin début résultat
nota notas sessão tarefa tarefas mensagem mensagens arquivo arquivos ficheiro linha registro resumo estado dia dias semana
mês meses ano anos hora horas minuto minutos vez vezes coisa coisas parte problema pergunta resposta lista trabalho nome
número usuário utilizador assistente memória sistema gente fim início resultado
заметка заметки сессия задача задачи сообщение сообщения файл файлы строка журнал отчёт отчет итог статус день дня дни
неделя недели месяц год года час часа часов минута минут минуты раз время дело часть проблема вопрос ответ список работа
имя номер пользователь ассистент агент память система люди конец начало результат
メモ 記録 作業 確認 完了 対応 今日 昨日 明日 問題 結果 内容 時間 更新 会話 記憶 状態 状況 予定 変更 報告 一覧 日報 利用者 心拍
開始 終了 実行 成功 失敗 正常 異常 連絡 必要 追加 修正 実施 検討 午前 午後 毎日 来週 先週 今週 最近 以前 全部 自分 本人
メッセージ エージェント セッション ユーザー アシスタント システム ログ タスク ファイル ハートビート リスト チェック テスト
메모 기록 작업 확인 완료 대응 오늘 어제 내일 문제 결과 내용 시간 업데이트 대화 기억 상태 예정 변경 보고 목록 사용자 에이전트
세션 시스템 로그 파일 하트비트 메시지 시작 종료 실행 성공 실패 정상 이상 연락 필요 추가 수정 오전 오후 매일 지난주 이번주 다음주 최근
"""
_BREAKING = """
today yesterday tomorrow tonight morning afternoon evening night noon midnight now later soon again already still yet ago
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april may june
july august september october november december jan feb mar apr jun jul aug sep oct nov dec
every each all both few several own same such only even too until since while because though but instead before after
during between without within across over under up down out off again once twice back away per via plus
said says say asked asks ask told tells tell wants want wanted needs need needed uses use used using make makes made making
moved moves move set sets go goes going went gone come comes came take takes took taken give gives gave given keep keeps
kept put puts add adds added remove removed fix fixed fixes bump bumped reviewed review book booked buy bought send sent
write wrote written read look looked see saw seen think thinks thought know knows known find found leave left let
try tried start begin began begun stop stopped help helped turn turned seem seems feel felt show shows showed work works
worked working call called meet met talk talked discuss discussed decide decided agreed agree prefer prefers preferred like
likes liked love loves hate hates waiting wait waits ready sure nothing something anything everything someone everyone
nobody really quite almost nearly maybe perhaps probably always never often sometimes usually mostly however therefore
one two three four five six seven eight nine ten half another weekend weekends
new old good bad better best small big high low first second last next great little long short main whole early late
heute gestern morgen abend morgens abends wochenende mittags neue neuer neues neuen alte alten erste ersten letzte letzten nächste nächsten nachmittags nachts montag dienstag mittwoch donnerstag freitag samstag
sonntag januar februar märz april mai juni juli august september oktober november dezember jetzt dann wieder schon immer nie
bis seit ohne gegen unter über vor zwischen durch während weil aber doch sehr mehr weniger alle alles jede jeder jedes
keine kein keinen etwas nichts beide zwei drei vier fünf sechs sieben acht neun zehn hier dort da so ab erst seine seinen
seiner ihre ihren ihrer unsere unser meine meinen diese dieser dieses diesen soll sollte will muss kann können
hoy ayer mañana tarde noche lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo junio julio
agosto septiembre octubre noviembre diciembre ahora luego después antes siempre nunca ya todavía aún muy más menos todo todos
toda todas cada otro otra sin sobre entre hasta desde hay está están ha han hemos he era eran este esta estos estas ese
esa nos me te pero porque también sólo solo dos tres cuatro cinco seis siete ocho nueve diez
aujourd'hui hier demain matin soir nuit lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai
juin juillet août septembre octobre novembre décembre maintenant après avant toujours jamais déjà encore très plus moins tout
tous toute toutes chaque autre sans sur sous entre jusque depuis chez été a ont avons ai était mais parce aussi deux trois
quatre cinq six sept huit neuf dix leur leurs notre nos mon ma mes ton ta tes y va c'est d'un
hoje ontem amanhã manhã tarde noite segunda terça quarta quinta sexta sábado domingo janeiro fevereiro março abril maio junho
julho agosto setembro outubro novembro dezembro agora depois antes sempre nunca já ainda muito mais menos tudo todos toda
todas cada outro outra sem sobre entre até desde há está estão tem têm temos era este esta esse essa isso mas porque também
só dois duas três quatro cinco seis sete oito nove dez ele ela eles elas nós pelo pela
сегодня вчера завтра утром вечером ночью днём понедельник вторник среда среду четверг пятница пятницу суббота субботу
воскресенье января февраля марта апреля мая июня июля августа сентября октября ноября декабря сейчас теперь потом снова уже ещё
всегда никогда очень больше меньше весь всё все каждый каждая другой без под над между до после перед при через
был была были будет есть нужно надо можно этот эта эти тот та те свой своя свои наш наша если чтобы потому тоже только два три
четыре пять шесть семь восемь девять десять про об он она они её них
"""
_ARTICLES = """
the a an my your his her our their this that these those new of with for from about no
der die das den dem des ein eine einen einem einer eines mein meine meinen sein seine ihr ihre unser unsere diese dieser im
zum zur am beim vom für mit keine kein
el la los las un una unos unas del al su sus mi este esta nuestro nuestra
le la les un une des du au aux son sa ses leur leurs notre nos mon ma mes ce cette ces l' d'
o a os as um uma uns umas do da dos das no na nos nas ao à seu sua meu minha este esta
в во на с со к ко по о об от из за для у про без под над до после перед при через мой моя мою наш наша нашу этот эта эту новый новая новую
"""
# A chain of these is no theme: Chinese words that stand in every note, and characters that begin or end no noun.
_CHINESE = """
今天 昨天 明天 后天 前天 今日 昨日 明日 上午 下午 晚上 早上 中午 凌晨 夜里 周一 周二 周三 周四 周五 周六 周日 星期 本周 上周 下周 每周 每天 每月 每日 月底
年底 月初 最近 目前 现在 当前 之前 之后 以后 以前 刚才 已经 正在 一直 马上 暂时 后来 然后 接着 同时 当时
完成 确认 决定 需要 可以 应该 必须 不能 不要 不用 没有 有点 继续 开始 结束 处理 检查 回复 发送 收到 更新 修改 修复 增加 删除 新增 调整 安排 准备
讨论 沟通 联系 通知 提醒 记录 整理 使用 采用 改用 测试 运行 执行 成功 失败 正常 异常 报错 恢复 通过 支持 要求 希望 觉得 认为 知道 喜欢 告诉 表示
提到 提出 建议 发现 看到 找到 变成 成为 作为 属于 关于 对于 由于 因为 所以 但是 不过 如果 虽然 或者 以及 还有 还是 就是 也是 不是 只是 都是 而且
这个 那个 这些 那些 这里 那里 这样 那样 这次 那次 什么 怎么 为什么 多少 几个 一个 两个 三个 一次 两次 一下 一些 一点 一起 一样 一般 第一 第二
自己 我们 你们 他们 她们 大家 别人 有人 东西 事情 问题 情况 时候 时间 地方 方面 部分 内容 结果 原因 任务 工作 日志 笔记 记忆 会话 消息
用户 助手 助理 代理 智能体 系统 心跳 定时任务 待办 状态 进度 文件 工具 模型 总结 备注 其他 要点 信息 数据 主题 梦境 巡检 例行 例会
重要 注意 主要 重新 直接 全部 所有 每个 各个 很多 不少 非常 比较 特别 终于 仍然 仍旧 再次 又是 不再 还没 没人 不错 顺利 简单 临时
"""
_HAN_EDGES = (
    "的了是在和就不都一这那他她它们我你您吗呢吧啊也还又再很太更最把被对给从到向往与或及而但且其之于以为所让使"
    "个只条张次件位份名天日月年时分秒点后前里上下中内外没有要会能可该将已正曾才刚先请跟同比按用去来说做搞弄看想问"
    "第几多少两二三四五六七八九十百千万亿零每各某该此等着过地得并则若如因由改换发补加减"
)

EVERYDAY = frozenset(_EVERYDAY.split()) | frozenset(_CHINESE.split())
BREAKING = STOP_WORDS | frozenset(_BREAKING.split())
ARTICLES = frozenset(_ARTICLES.split())
CONNECTORS = frozenset({"of", "de", "del", "du", "des", "da", "do", "dos", "das"})
HAN_EDGES = frozenset(_HAN_EDGES)
ADVERBS = ("ly", "mente")  # endings of longer words, never of capitalised ones

# Korean: what hangs on a noun, and how what is no noun ends.
PARTICLES = (
    "에서는", "으로는", "에게서", "이라는", "에서", "으로", "까지", "부터", "에게", "한테", "처럼", "보다", "이나", "하고", "이랑",
    "은", "는", "이", "가", "을", "를", "에", "의", "와", "과", "도", "로", "만",
)  # fmt: skip
PREDICATES = (
    "다", "요", "함", "음", "됨", "했음", "하고", "해서", "하면", "하지만", "는데", "으면", "지만", "하기", "하는", "한", "할", "된", "되는", "있는", "없는", "같은", "위해", "대해", "통해",
)  # fmt: skip
# Russian endings, longest first; what is left keeps four letters.
RUSSIAN_ENDINGS = (
    "ами", "ями", "ого", "его", "ому", "ему", "ыми", "ими", "ией", "иях", "иям", "ах", "ях", "ов", "ев", "ей", "ой", "ый", "ий", "ая",
    "яя", "ое", "ее", "ые", "ие", "ом", "ем", "ам", "ям", "ую", "юю", "ью", "ия", "ии", "ию", "у", "ю", "а", "я", "ы", "и", "е", "о", "ь",
)  # fmt: skip


LONGEST_WORD = 6
_FREE = 0.6  # nats on each side; two different neighbours in two places are 0.69
_EXPLAINED = 0.75  # a longer string in so many of its lines, and the shorter one is only its part
_EVERYDAY_HAN = frozenset(word for word in EVERYDAY if "\u4e00" <= word[0] <= "\u9fff")


def chinese_words(lines: Mapping[int, Sequence[str]], least: int) -> dict[str, set[int]]:
    """Every word that stands in at least `least` lines (numbers of lines → their runs of characters), with its lines."""
    places, left, right, single = _counted(lines, least)
    free = {
        gram: where
        for gram, where in places.items()
        if _entropy(left[gram]) >= _FREE and _entropy(right[gram]) >= _FREE and _holds_together(gram, places, single)
    }
    return {gram: where for gram, where in free.items() if not _explained(gram, where, free)}


def _counted(
    lines: Mapping[int, Sequence[str]], least: int
) -> tuple[dict[str, set[int]], dict[str, Counter[str]], dict[str, Counter[str]], Counter[str]]:
    places: dict[str, set[int]] = defaultdict(set)
    single: Counter[str] = Counter()
    for number, runs in lines.items():
        for run in runs:
            single.update(run)
            for gram, _, _ in _grams(run):
                places[gram].add(number)
    places = {gram: where for gram, where in places.items() if len(where) >= least}
    left: dict[str, Counter[str]] = defaultdict(Counter)
    right: dict[str, Counter[str]] = defaultdict(Counter)
    for number, runs in lines.items():
        for run in runs:
            for gram, start, stop in _grams(run):
                if gram in places:  # an edge of the run is a neighbour of its own each time: nothing binds there
                    left[gram][run[start - 1] if start else f"^{number}"] += 1
                    right[gram][run[stop] if stop < len(run) else f"${number}"] += 1
    return places, left, right, single


def _grams(run: str) -> list[tuple[str, int, int]]:
    return [
        (run[start:stop], start, stop)
        for start in range(len(run))
        if run[start] not in HAN_EDGES
        for stop in range(start + 2, min(start + LONGEST_WORD, len(run)) + 1)
        if run[stop - 1] not in HAN_EDGES and not _everyday(run[start:stop])
    ]


def _everyday(gram: str) -> bool:
    """An everyday word, or one that begins or ends with one and has nothing but a single character besides."""
    if _EVERYDAY_HAN.intersection((gram, gram[:-1], gram[1:])):
        return True
    return any(gram[:cut] in _EVERYDAY_HAN and gram[cut:] in _EVERYDAY_HAN for cut in range(2, len(gram) - 1))


def _entropy(neighbours: Counter[str]) -> float:
    total = neighbours.total()
    return -sum(n / total * log(n / total) for n in neighbours.values())


def _holds_together(gram: str, places: Mapping[str, set[int]], single: Counter[str]) -> bool:
    """Its first and last character meet far more often than chance would have it."""
    by_chance = single[gram[0]] * single[gram[-1]] / single.total()
    return len(places[gram]) > 3 * by_chance


def _explained(gram: str, where: set[int], free: Mapping[str, set[int]]) -> bool:
    return any(
        gram in longer and len(longer) > len(gram) and len(others & where) >= _EXPLAINED * len(where)
        for longer, others in free.items()
    )


HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005"
KANA = "\u3041-\u3096\u30a1-\u30fa\u30fc"
HANGUL = "\uac00-\ud7af"
LONGEST = 600  # characters of a line that are looked at; what is longer was pasted
BREAK = "\n"

_CODE = re.compile(r"<!--.*?-->|`[^`]*`|⟦[^⟧]*⟧|\[REDACTED[^\]]*\]|https?://\S+|\S+@[\w.-]+", re.S)
_FILE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9~.+-]*[A-Za-z0-9][./\\_=#:][./\\_=#:A-Za-z0-9~+-]*[A-Za-z0-9_]")
_ROLE = re.compile(r"^\W*(?:user|assistant|system|human|guest|tool|ai|用户|助手|系统)\s*[:：]\s*", re.I)
_NUMBERED = re.compile(r"\w*\d[\w.,:%/-]*")
_MARKUP = re.compile(r"\*\*|__|~~|^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?")
_SPLIT = re.compile(rf"[^\w\s'’\-]+|\s[-–—]+\s|[{BREAK}_]+")
_RUN = re.compile(
    rf"[{HAN}]+|[{KANA}{HAN}]+|[{HANGUL}]+|[^\W\d_{HAN}{KANA}{HANGUL}]+(?:['’\-][^\W\d_{HAN}{KANA}{HANGUL}]+)*"
)
_JAPANESE_NOUN = re.compile(rf"(?:[{HAN}]|[\u30a1-\u30fa\u30fc])+")
_AFTER_A_NOUN = re.compile(r"(?:の|は|が|を|に|で|と|も|へ|や|から|まで|より|だ|です)|\Z")
_UNSPACED = re.compile(rf"[{HAN}{KANA}{HANGUL}]")
_GENITIVE = re.compile(r"['’]s$")
_ELISION = re.compile(r"^[ldjmtsnc]['’](?=\w{3})|^qu['’](?=\w{3})", re.I)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words as they stood in a line, the key under which their inflections meet, and whether they look like a noun."""

    key: tuple[str, ...]
    shown: str
    noun: bool


@dataclass(frozen=True, slots=True)
class _Word:
    shown: str
    folded: str
    first: bool  # of its segment
    genitive: bool = False
    elided: bool = False
    particle: bool = False


def segments(text: str) -> list[str]:
    """A line without markup, roles, code, addresses, file names and numbers, cut where any of these stood."""
    text = _ROLE.sub("", _MARKUP.sub("", text[:LONGEST]))
    for machine in (_CODE, _FILE, _NUMBERED):
        text = machine.sub(BREAK, text)
    return [part.strip() for part in _SPLIT.split(text) if part and part.strip()]


def spaced_phrases(segment: str, *, german: bool = False) -> Iterator[Phrase]:
    """Phrases of a language that writes its words apart; also the Latin names inside Chinese and Japanese."""
    for words in _stretches(segment):
        for start in range(len(words)):
            for stop in range(start + 1, min(start + 4, len(words) + 1)):
                chunk = words[start:stop]
                if _may_be_phrase(chunk):
                    yield _phrase(chunk, words[start - 1] if start else None, words[stop : stop + 1], german=german)


def japanese_phrases(segment: str) -> Iterator[Phrase]:
    """Runs of kanji and katakana: a particle or the end behind them shows a noun, する a verb."""
    for run in _JAPANESE_NOUN.finditer(segment):
        if 2 <= len(run[0]) <= 10 and run[0] not in EVERYDAY:
            noun = bool(_AFTER_A_NOUN.match(segment, run.end())) or not segment[run.end()].isalpha()
            yield Phrase((run[0],), run[0], noun)


def han_runs(segment: str) -> list[str]:
    return re.findall(rf"[{HAN}]+", segment)


def _stretches(segment: str) -> Iterator[list[_Word]]:
    """Words in a row of one writing; another script between two words parts them."""
    row: list[_Word] = []
    for nth, run in enumerate(_RUN.finditer(segment)):
        if re.match(rf"[{HAN}{KANA}]", run[0]):
            if row:
                yield row
            row = []
            continue
        row.append(_word(run[0], first=nth == 0))
    if row:
        yield row


def _word(text: str, *, first: bool) -> _Word:
    if re.match(rf"[{HANGUL}]", text):
        bare = next((text.removesuffix(p) for p in PARTICLES if text.endswith(p) and len(text) - len(p) >= 2), text)
        return _Word(bare, bare, first, particle=bare != text)
    genitive, elided = bool(_GENITIVE.search(text)), bool(_ELISION.match(text))
    bare = _ELISION.sub("", _GENITIVE.sub("", text))
    return _Word(bare, bare.casefold().replace("’", "'"), first, genitive, elided)


def _may_be_phrase(chunk: list[_Word]) -> bool:
    """Content words only, a connector only between two of them, and at least one word that is not everyday."""
    content = [chunk[0], chunk[2]] if len(chunk) == 3 and chunk[1].folded in CONNECTORS else chunk
    if any(_breaks(word) for word in content) or any(word.genitive for word in chunk[:-1]):
        return False
    return any(word.folded not in EVERYDAY for word in content)


def _breaks(word: _Word) -> bool:
    folded = word.folded
    if re.match(rf"[{HANGUL}]", folded):
        return len(folded) < 2 or (not word.particle and folded.endswith(PREDICATES))
    short = len(folded) < 3 and not (word.shown.isupper() and len(folded) == 2)
    adverb = len(folded) > 6 and folded.endswith(ADVERBS) and word.shown.islower()
    return short or folded in BREAKING or adverb


def _phrase(chunk: list[_Word], before: _Word | None, after: list[_Word], *, german: bool) -> Phrase:
    key = tuple(root(word.folded) for word in chunk)
    return Phrase(key, " ".join(word.shown for word in chunk), _looks_like_noun(chunk, before, after, german=german))


def _looks_like_noun(chunk: list[_Word], before: _Word | None, after: list[_Word], *, german: bool) -> bool:
    head, last = chunk[0], chunk[-1]
    if re.match(rf"[{HANGUL}]", last.folded):
        return last.particle or len(chunk) > 1
    capital = last.shown[0].isupper()
    if german:  # every German noun is written with a capital; the first word of a sentence proves nothing
        return capital and not (last.first and len(chunk) == 1)
    if capital and not last.first:
        return True
    announced = head.elided or (before is not None and (before.folded in ARTICLES or before.genitive))
    # "the pricing page": what follows the article is the noun only if no further content word follows.
    closed = not after or after[0].folded in BREAKING
    return announced and closed


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """The form under which the inflections of a word meet."""
    if "\u0400" <= word[0] <= "\u04ff":
        ending = next((e for e in RUSSIAN_ENDINGS if word.endswith(e) and len(word) - len(e) >= 4), "")
        return word[: -len(ending)] if ending else word
    return stem(word)


def overlapping(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether the shorter phrase stands inside the longer one (a Chinese phrase is one word: its characters count)."""
    short, long = sorted((one, other), key=lambda key: (len(key), len("".join(key))))
    if sorted(short) == sorted(long):
        return True
    if len(long) == 1:
        return bool(_UNSPACED.match(short[0])) and short[0] in long[0]
    return any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))
