"""Words by which a sentence of prose may begin although nobody's name is meant. General words only, in six languages.

Chinese, Japanese and Korean have no capitals: there a name is known by what stands behind it.
"""

from __future__ import annotations

import re

_OPENERS = """
again all almost although among and another anybody anyone as at because before behind below beneath beside besides between beyond both but by
carefully down during each early even every everybody everyone everything except few finally first for forgetting from gently half hardly however
if in inside instead it its last late later least leaving left less like little long looking many maybe meanwhile memory midnight more
morning most much my near nearly new next night no nobody none nor nothing notes now of off often old on once one only other others our out outside
over past perhaps piece quiet quietly rather reading seldom several silence since sleep slowly so some somebody somehow someone something sometimes
somewhere soon still such that then there these they things this those though through throughout thus till time to today together
tomorrow tonight too toward towards turning twice under until up upon usually we well what whatever when whenever where while who why with
within without word words yes yesterday yet
aber alle alles als also am an auch auf aus bald bei beide beim bevor bis da dabei dahinter damit danach dann darin darüber darunter das
dass davon dazu dein dem den denn der deren dessen die dies diese dieser dieses doch dort drei durch ein eine einem einen einer eines einige einmal
darum deshalb draußen drinnen drüben dennoch endlich er erst es etwas fast für ganz gegen gestern heute hier hinter ich ihr ihre im immer in indem inzwischen irgendwo ja
jede jeder jedes jetzt kaum kein keine langsam leise man manche manches manchmal mehr mein meine mit morgen nach nachdem neben nicht
nichts noch nun nur ob oben oder oft ohne schließlich schon sehr sein seine seit seitdem sie so sobald solange sonst spät still
trotzdem über überall um und unter viel viele vielleicht vom von vor vorher während wann was wenn wer wie wieder wir wo zuerst
zuletzt zum zur zwischen
además ahora al algo alguien algunas algunos allí antes apenas aquel aquella aquí así aún aunque bajo bien cada casi como con contra
cuando de del desde después donde durante el ella ellas ellos en entonces entre era es esa ese eso esta estas este esto estos fue ha
había hasta hay he hoy la las lo los luego mañana más me mi mientras mis mucho muchas muchos muy nada nadie ni ningún no nunca otra otras
otro otros para pero poco por porque primero pronto pues que quien quizá quizás se según ser si siempre sin sobre solo sólo son su sus
también tampoco tan tantas tanto te toda todas todavía todo todos tras tu un una unas uno unos y ya yo
après au aujourd aussi autour autre autres aux avant avec beaucoup bien bientôt car ce ceci cela celle celui certaines certains ces cet
cette chacun chaque comme dans de demain depuis derrière des dès deux donc dont du elle elles en encore enfin ensuite entre est et
hier ici il ils je jusque jamais la là le les leur leurs lentement lors lorsque ma mais malgré me même mes mon ne ni nos notre
nous on ou où par parce parfois parmi pas pendant personne peu peut plus plusieurs pour pourtant presque puis puisque quand que quelque quelques
qui quoi rien sa sans se ses seul seule seulement si son sous souvent sur ta tandis tant tard te toujours tous tout toute
toutes très trop tu un une vers voici voilà vos votre vous
agora ainda além algo alguém algumas alguns ali antes ao aos apenas aquela aquele aquilo aqui as assim até bem cada com como contra da
daqui das de debaixo dela dele depois desde dessa desse desta deste devagar do dos durante e é ela elas ele eles em enfim enquanto então
entre era essa esse esta está este eu foi há hoje isso isto já lá logo mais mas me mesmo meu meus minha minhas muita muitas
muito muitos na nada não nas nem nenhum ninguém no nos nossa nosso num numa nunca o onde ontem os ou outra outras outro outros para
pela pelo pois por porque pouco quando quase que quem se seja sem sempre senão seu seus sim sob sobre só sua suas talvez também tanto
tarde toda todas todo todos tudo um uma uns
а без более больше будто бы был была были было быть в вдруг ведь весь вечером видимо вместе во вокруг вот впереди все всегда всего всё всех
вчера где да даже день для до долго если есть ещё еще же за завтра здесь и из или иногда их к каждая каждое каждый кажется как какая какой
когда которые кто кроме куда лишь между меня мне много может можно мой моя моё мои мы на над надо наконец нам наш не него
некоторые несколько нет ни никто ничего но ночь ночью ну о об обо один одна однажды около он она они опять от очень перед по под
пока после потом потому почему почти при про прошлое пусть рано раньше с сам сегодня сейчас сквозь скоро словно снова со сначала среди сразу
так также такая такой там теперь тихо то тогда того только тот тоже три ты тут у уже утром хотя хочу чем через что чтобы чуть эта эти это этот я
"""
OPENERS = frozenset(_OPENERS.casefold().split())
_THINGS = """
bits bright certain change coffee cold dark darkness days doors dreams dusk dust evening good home hours ink large letters light lines memories minutes
names numbers pages paper parts people pieces plain questions rain rest rooms shadows simple small snow soft steps stillness strange tea thoughts
threads true voices warm water weeks whole wind windows work
"""
OPENERS |= frozenset(_THINGS.split())
# Spanish, Portuguese and Russian sentences begin with a verb in the past, whose ending says who: leí, guardei, думал.
OPENING_VERBS = re.compile(r".{2,}(?:[éí]|ei|aba|ía|[ауиеыя]л[аои]?|л(?:ся|ась|ось|ись))")
VERB_LIKE_NAMES = frozenset((
    "josé", "noé", "josué", "salomé", "rené", "andré", "zoé", "chloé", "maría", "lucía", "sofía", "estefanía", "wei", "mei", "lei", "sergei", "andrei",
    "михаил", "павел", "даниил", "кирилл", "самуил", "гавриил", "рафаил", "алла", "камила", "камилла", "микаэла",
))  # fmt: skip
# Endings of adverbs and participles, by which English and Romance sentences begin; names seldom end so.
OPENING_ENDINGS = ("ingly", "fully", "ously", "ing", "edly", "lly", "mente", "ment", "ando", "endo", "iendo")
_DETERMINERS = """
der die das des dem den ein eine einen einem einer eines kein keine keinen keinem keiner keines mein meine meinen meinem meiner meines
dein deine sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserem diese dieser dieses diesen diesem
jede jeder jedes jeden jedem manche mancher welche alle allen aller viele vielen wenige einige einigen mehrere im am zum zur vom beim
ins ans aufs fürs durchs ums etwas nichts solche solcher
"""
DETERMINERS = frozenset(
    _DETERMINERS.casefold().split()
)  # in German a noun behind one of these is a thing, not somebody
_GERMAN_NOUNS = """
abend abende anfang angst arbeit atem auge augen blatt blick buch bild bilder dank ding dinge dunkel dunkelheit eile ende erde faden fenster finger
flüstern form frage fragen freude frieden frühling gedächtnis gedanke gedanken geduld gefühl geräusch geräusche geschichte gesicht gewicht glas
glück grund hand hände haus heft herbst herz himmel hoffnung jahr jahre kaffee kälte kopf kraft lampe land leben leere licht linie luft
mal meer minute minuten mitte moment monat mond morgen morgende mühe musik mut nacht nächte nebel neugier notiz notizen ordnung ort orte
papier platz raum rand regen reihe rest ruhe satz sätze schatten schlaf schnee schritt schritte seite seiten sinn sommer sonne sorge
sorgfalt spur spuren staub stelle stille stimme stimmen stück stunde stunden tag tage tee teil tinte tisch traum träume tür uhr vergangenheit
vertrauen wald wand wärme wasser weg weile welt wind winter woche wochen wort worte wörter wunsch zeile zeilen zeit ziel zimmer zufall
zweifel
"""
GERMAN_NOUNS = frozenset(_GERMAN_NOUNS.casefold().split())  # of any diary; they name nobody
# Endings of German words that are never somebody's name.
GERMAN_THINGS = (
    "ung",
    "ungen",
    "heit",
    "heiten",
    "keit",
    "keiten",
    "schaft",
    "schaften",
    "tion",
    "tionen",
    "nis",
    "nisse",
    "ismus",
)
