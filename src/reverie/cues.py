"""Words by which nine languages say what kind of thing a sentence is: a decision, a rule, a doubt, a thing of today.

Data for the judge (`phases/judge.py`), which weighs them; no cue decides anything alone. General words of each
language only. A star ends a word that may go on (`decid*`). Scripts without spaces are looked for anywhere.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

CUES: dict[str, str] = {
    "negation": """
        not, no, never, none, nobody, without, isn't, aren't, wasn't, doesn't, don't, didn't, won't, can't, cannot, couldn't,
        neither, nor, nothing; nicht, kein*, nie, niemals, niemand, nichts, ohne; no, nunca, nadie, nada, sin, ningun*, ningún,
        tampoco; ne, pas, jamais, rien, aucun*, sans, ni; não, nunca, nada, ninguém, sem, nenhum*; не, нет, нельзя, никогда,
        никто, ничего, без, ни; 不, 没, 沒, 无, 無, 未, 别, 勿, 非; ない, ません, ず, なし, 無; 않, 없, 못, 말고""",
    "no_longer": """
        no longer, not anymore, any more, anymore, instead of, replaced, replaces, used to, formerly, previously, was dropped,
        is gone, are gone, retired, discontinued, moved to, moved from, switched to, switched from, changed to, changed from,
        went from, goes from, went up to, raised to, lowered to, renamed; nicht mehr, statt, anstelle, ersetzt, früher,
        bisher, umgestellt, gewechselt, abgeschafft, umgezogen; ya no, en lugar de, en vez de, sustituy*, reemplaz*, antes,
        cambiado a, pasamos a, pasa a; ne plus, n'est plus, au lieu de, remplac*, auparavant, avant, passé à, passe à;
        já não, não mais, em vez de, substitu*, antes, passou para, passou a, mudou para; больше не, вместо, заменил*, раньше,
        теперь не, перешл*, переехал*; 不再, 改用, 改为, 改成, 换成, 换到, 替换, 原来, 原先, 以前, 取代, 代替, 涨到, 降到, 升到, 搬到, 转到,
        调整为, 变更为; 廃止, やめ, 代わり, かわり, 以前, 変更, 切り替え, 移行; 대신, 더 이상, 이전, 변경, 바꿨, 옮겼, 폐지, 교체""",
    "from_now": """
        from now on, going forward, as of, since, starting, effective, until further notice, until, for good, permanently, from then on,
        henceforth; ab sofort, künftig, ab jetzt, seit, von nun an, dauerhaft, bis auf weiteres; a partir de, desde, en adelante,
        de ahora en adelante, hasta nuevo aviso; désormais, à partir de, dorénavant, depuis, jusqu'à nouvel ordre; a partir de,
        daqui em diante, de agora em diante, desde, doravante; отныне, впредь, с этого, теперь, начиная с, навсегда, с тех пор;
        以后, 今后, 往后, 从此, 起, 自, 今後, 以降, から, 앞으로, 부터, 이후""",
    "obligation": """
        must, have to, has to, only, always, never, required, requires, needs, need to, should, shall, mandatory, not allowed,
        allowed, forbidden, may not, at least, at most, no more than, unless, rule, policy; muss, müssen, darf, dürfen, soll, sollen,
        immer, nie, nur, niemals, pflicht, verboten, mindestens, höchstens, regel; debe*, hay que, tiene que, siempre, nunca,
        solo, sólo, solamente, prohibido, obligatori*, al menos, como máximo, regla; doit, doivent, il faut, toujours, jamais,
        seulement, uniquement, interdit*, obligatoire, au moins, au plus, règle; deve*, tem que, sempre, nunca, só, somente,
        apenas, proibido, obrigatóri*, no mínimo, no máximo, regra; должн*, нужно, надо, всегда, никогда, только, нельзя,
        обязательно, запрещен*, не менее, не более, правило; 必须, 一定要, 务必, 不得, 不准, 禁止, 只能, 只, 一律, 至少, 最多, 不超过, 要求, 规定,
        规则, 不要, 别; 必ず, 必須, 禁止, のみ, だけ, べき, 以上, 以下, なければ, 絶対, ルール; 반드시, 무조건, 금지, 항상, 절대, 해야, 이상, 이하, 규칙""",
    "decision": """
        decid*, decision, agreed, settled, chose, chosen, we go with, going with, we will use, opted, approved, signed off, picked,
        final, ruled out, dropped; entschied*, entscheid*, beschlossen, einigten, geeinigt, festgelegt, wir nehmen, genehmigt,
        vereinbart; decid*, decisión, acordamos, acordado, quedamos en, elegimos, aprobad*; décid*, décision, convenu, choisi, retenu,
        on part sur, validé*, tranché; decid*, decisão, combinamos, combinado, ficou decidido, escolhemos, aprovad*; решил*, решен*,
        решение, договорил*, выбрал*, утверд*, остановились на; 决定, 定了, 定下, 确定, 敲定, 拍板, 商定, 选定, 最终, 就用, 采用, 同意; 決定, 決め,
        決ま, 採用, 合意, にする, ことに; 결정, 정했, 하기로, 확정, 합의, 채택""",
    "preference": """
        prefer*, like, likes, love*, hate*, dislike*, can't stand, favourite, favorite, rather, wants, want, would like, doesn't want,
        please, allerg*, intoleran*, vegetarian*, vegan*, enjoys, avoid*; bevorzug*, mag, mögen, lieber, am liebsten, hasst, wünscht, möchte, will; prefier*, gusta*, alérgic*, alergia,
        odia, quiere*, favorit*; préfèr*, préfér*, aime*, déteste*, veut, souhaite, favori*; prefer*, gosta*, alérgic*, alergia, odeia, detesta, quer,
        favorit*; предпочита*, аллерги*, не ест, не пьёт, нрав*, любит, любл*, ненавид*, хочет, просит, терпеть не; 喜欢, 偏好, 更喜欢, 过敏, 忌口, 吃素, 讨厌, 不喜欢, 爱, 想要, 希望, 受不了,
        习惯; 好き, 好み, アレルギー, 嫌い, 苦手, 派, ほしい, 希望; 선호, 알레르기, 못 먹, 좋아, 싫어, 원해, 원함, 원하, 취향""",
    "lesson": """
        lesson, learned, learnt, turns out, turned out, because, the reason, root cause, caused by, next time, never again, mistake,
        should have, fails when, breaks when, only works, works only, trick, the fix, so that, otherwise, beware; gelernt, lehre,
        ursache, weil, lag an, liegt an, nächstes mal, nie wieder, sonst, fehler, stellte sich heraus; aprendi*, lección, porque,
        la causa, culpa de, la próxima, resulta que, si no; appris, leçon, parce que, la cause, venait de, la prochaine fois, sinon,
        en fait; aprend*, lição, porque, a causa, da próxima, na verdade, senão; урок, вывод, потому что, причина, из-за, в следующий раз,
        иначе, оказалось, ошибка; 教训, 经验, 原因, 因为, 根因, 下次, 否则, 原来, 导致, 结论, 踩坑, 坑; 教訓, 原因, 理由, ため, 次回, 学び, さもない, と分かった;
        교훈, 원인, 때문, 다음부터, 다음에는, 알고 보니, 이유""",
    "correction": """
        actually, wrong, correction, corrected, mistaken, i misread, i mixed up, not true, in fact, it is really, sorry, my error, misheard,
        meant, typo, rather than, backwards; stimmt nicht, falsch, korrektur, richtig ist, eigentlich, doch, irrtum, verwechselt,
        gemeint, sondern; en realidad, corrección, corrijo, mal, equivoc*, error mío, sino, confund*; en fait, correction, erreur, faux,
        c'est plutôt, me suis trompé*, je corrige; na verdade, correção, corrigindo, errado, engan*, confund*; на самом деле, ошиб*,
        поправка, исправл*, неверно, перепутал*, а не, правильно; 更正, 纠正, 其实, 不是, 而是, 搞错, 记错, 写错, 说错, 弄错, 错了, 应该是, 应为, 有误, 勘误,
        看错; 訂正, 実は, 間違, 誤り, ではなく, じゃなく, 正しくは; 정정, 사실은, 사실, 잘못, 아니라, 틀렸, 착각, 오류""",
    "done": """
        done, finished, completed, complete, shipped, delivered, closed, resolved, fixed, sent, paid, merged, deployed, booked, bought,
        submitted, signed, received, arrived, picked up, handed in, went out, is in, are in, installed, cleared, returned, over,
        sorted, wrapped up, live, passed, renewed, filed; erledigt, fertig, abgeschlossen, bezahlt, verschickt, abgegeben, gekauft, gebucht,
        geliefert, gelöst, angekommen, da, unterschrieben, durch, behoben, eingebaut, eingereicht; hecho, terminad*, completad*,
        enviad*, pagad*, entregad*, resuelt*, comprad*, firmad*, llegó, listo, lista, cerrad*; fait, terminé*, envoyé*, payé*, livré*,
        résolu*, acheté*, signé*, réglé*, arrivé*, rendu*, déposé*; feito, terminad*, concluíd*, enviad*, pago, paga, entregue, resolvid*,
        comprad*, assinad*, chegou, pronto; готов*, сделан*, завершен*, отправлен*, отправил*, оплачен*, оплатил*, сдан*, сдал*, купил*, куплен*,
        решен*, получен*, закрыт*, подписан*, пришл*; 完成, 已经, 已, 好了, 完了, 搞定, 结束, 交了, 付了, 寄出, 发出, 到货, 归档, 解决, 上线, 办好, 拿到, 收到,
        签了, 做完, 交付, 结清, 修好, 通过; 完了, 済, 終わ, 送っ, 届い, 支払, 提出, 解決, 買っ, 受け取; 완료, 끝났, 끝남, 보냈, 도착, 해결, 결제, 제출, 샀, 받았, 마침, 했음""",
    "retraction": """
        cancel*, called off, scrap*, withdrawn, withdrew, dropped, abandon*, never mind, forget it, forget what, no need, not happening,
        off the table, gave up, given up, won't, shelved, ignore, void, lifted, won't be, not going, disregard; abgesagt, storniert,
        zurückgezogen, verworfen, doch nicht, fällt aus, entfällt, gestrichen, aufgegeben, hinfällig, vergiss; cancelad*, anulad*, descart*,
        se cancela, olvida, ya no, no hace falta, renunci*; annul*, abandonn*, laisse tomber, oublie, plus besoin, renonc*;
        cancelad*, anulad*, descart*, desist*, esquece, não precisa; отмен*, отказал*, передумал*, не будет, не надо, забудь, снято;
        取消, 作废, 不用, 不必, 算了, 放弃, 撤回, 撤销, 不做了, 不去了, 不搞了, 不要了, 黄了, 打消, 别管, 免了, 停了; 中止, 取り消, キャンセル, 取りやめ, やめ, 撤回, 不要;
        취소, 철회, 포기, 안 하기로, 없던 일, 필요 없""",
    "recurring": """
        every, each, weekly, monthly, daily, yearly, annual*, quarterly, nightly, biweekly, fortnightly, per month, per year, per week,
        per day, a month, a year, an hour, per hour, on mondays, on tuesdays, on wednesdays, on thursdays, on fridays, on saturdays,
        on sundays, usually, once a, twice a; jede*, jährlich, monatlich, wöchentlich, täglich, immer, montags, dienstags, mittwochs,
        donnerstags, freitags, samstags, sonntags, pro monat, pro jahr, im monat, quartal; cada, todos los, todas las, semanal*,
        mensual*, anual*, diari*, al mes, al año, los lunes, los martes, los miércoles, los jueves, los viernes, los sábados, los domingos;
        chaque, tous les, toutes les, hebdo*, mensuel*, annuel*, par mois, par an, le lundi, le mardi, le mercredi, le jeudi,
        le vendredi, le samedi, le dimanche; cada, todo, toda, todos os, todas as, semanal*, mensal*, anual*, por mês, por ano,
        às segundas, às terças, às quartas, às quintas, às sextas, aos sábados, aos domingos; кажд*, ежемесячн*, еженедельн*, ежегодн*, ежедневн*,
        в месяц, в год, по понедельникам, по вторникам, по средам, по четвергам, по пятницам, по субботам, по воскресеньям, обычно; 每, 每年, 每月, 每周, 每天, 每日,
        每次, 每季, 双周, 单周, 通常, 平时, 按月, 按季; 毎, 隔週, 月額, 年に, 週に, 月に, いつも, 普段; 매, 매주, 매달, 매월, 매년, 매일, 마다, 격주, 보통, 월 """,
    "today": """
        today, tonight, this morning, this afternoon, this evening, yesterday, last night, now, just, right now, at the moment, earlier,
        tomorrow, this week, this time, this once, for now, currently, again, so far; heute, gestern, morgen, gerade, eben, vorhin, jetzt, diesmal, heut,
        diese woche, momentan, wieder; hoy, ayer, esta mañana, esta tarde, esta noche, mañana, ahora, esta vez, esta semana, acabo de; aujourd'hui, hier,
        ce matin, ce soir, demain, maintenant, cette fois, cette semaine, tout à l'heure; hoje, ontem, esta manhã, amanhã, agora, desta vez, esta semana,
        de manhã; сегодня, вчера, завтра, утром, вечером, сейчас, только что, пока, на этот раз, опять, снова; 今天, 今日, 今晚, 今早, 昨天, 昨晚, 明天, 刚才,
        刚刚, 现在, 早上, 上午, 下午, 晚上, 本周, 这周, 这次, 暂时, 目前, 又, 一下; 今日, 昨日, 今朝, 今夜, 明日, さっき, 今, 今回, 午前, 午後, また; 오늘, 어제, 내일, 방금, 지금,
        아침, 오전, 오후, 저녁, 이번, 또""",
    "hedge": """
        maybe, perhaps, might, could, possibly, probably, thinking about, thinking of, considering, wonder*, not sure, unclear, someday, one day,
        would be nice, idea, ideally, guess, if we ever, apparently, seems, looks like, hinted, rumour, rumor, allegedly, toying with, tempted;
        vielleicht, eventuell, evtl, könnte*, überleg*, mal sehen, wahrscheinlich, womöglich, irgendwann, angeblich, scheint, wäre;
        quizá*, tal vez, a lo mejor, podría*, pensando en, probablemente, algún día, parece; peut-être, pourrait, pourrais, probablement,
        un jour, on pourrait, je pense à, semble, paraît; talvez, quem sabe, poderia, podia, provavelmente, um dia, pensando em, parece; может,
        возможно, наверное, думаю, когда-нибудь, вероятно, кажется, вроде, якобы, хорошо бы; 也许, 可能, 或许, 大概, 考虑, 想着, 打算, 要不要, 说不定, 再说, 好像, 估计, 听说,
        据说, 有空, 似乎; かも, たぶん, 検討, だろう, らしい, つもり, いつか, ようだ, みたい; 아마, 어쩌면, 고민, 생각 중, 검토, 듯, 같다, 언젠가, 할까""",
    "said": """
        said, says, told, asked, asks, heard, claims, reported, mentioned, thinks, according to, swears, insists, reckons; sagte, sagt, meinte,
        meint, fragte, behauptet, laut, gehört; dijo, dice, según, preguntó, comentó, cree; a dit, dit, selon, demande, d'après, pense;
        disse, diz, segundo, perguntou, comentou, acha; сказал*, говорит, спросил*, по словам, считает, слышал*; 说, 问, 表示, 提到, 认为, 告诉, 提醒, 透露, 称;
        言っ, によると, 曰く, 聞い, 話; 말했, 말로는, 물었, 에 따르면, 라고, 대요""",
    "task": """
        todo, to do, next, remind, remember to, don't forget, need to, follow up, pick up, call, buy, book, send, reply, check, ask, finish,
        schedule, draft, pay, print, fix, prepare, look into, waiting for, pending, tbd; noch, anrufen, kaufen, buchen, schicken, prüfen,
        nachfragen, vorbereiten, bestellen, abholen, offen, wartet; pendiente, llamar, comprar, reservar, enviar, revisar, preguntar, falta,
        recordar; appeler, acheter, réserver, envoyer, vérifier, relancer, préparer, penser à, en attente; ligar, comprar, reservar, enviar,
        verificar, perguntar, lembrar, falta, pendente; позвонить, купить, отправить, проверить, спросить, напомнить, заказать, осталось, ждём, ждем;
        待办, 记得, 提醒, 要去, 联系, 购买, 预约, 发给, 回复, 确认, 检查, 跟进, 等待, 等, 下一步, 需要; 忘れずに, 買う, 電話, 確認する, 予約, 返信, 待ち, 次は; 해야, 사기, 전화, 확인, 예약,
        보내기, 답장, 대기, 할 일""",
    "routine": """
        ok, okay, green, normal, all good, no issues, no errors, nothing, clean, healthy, up to date, as usual, the usual, backup, heartbeat, cron,
        uptime, checked, synced, weather, rain*, sunny, lunch, dinner, breakfast, coffee, slept, walk, gym, run; alles gut, läuft, normal,
        keine fehler, wetter, regen, mittag, frühstück, kaffee, wie immer; todo bien, sin novedad, sin errores, normal, tiempo, lluvia, comida,
        desayuno, café; rien à signaler, tout va bien, normal, météo, pluie, déjeuner, café; tudo bem, tudo certo, sem novidades, normal, chuva,
        almoço, café; всё хорошо, в норме, без изменений, погода, дождь, обед, завтрак, кофе; 正常, 无异常, 成功, 通过, 备份, 心跳, 天气, 下雨, 晴, 午饭, 晚饭, 早餐, 咖啡, 跑步,
        照常; 異常なし, 正常, 天気, 雨, 晴れ, 昼, 朝食, コーヒー, いつも通り; 정상, 이상 없, 날씨, 맑음, 점심, 아침, 커피, 평소""",
    "chat": """
        hi, hey, hello, thanks, thank you, lol, haha*, cool, great, nice, sure, yes, yep, yeah, nope, bye, good morning, good night, welcome, wow,
        sounds good, no worries; hallo, danke, bitte, super, klar, ja, genau, guten morgen, tschüss, prima; hola, gracias, vale, genial, claro,
        buenos días, jaja*; salut, bonjour, merci, super, d'accord, ok, bonne nuit; olá, oi, obrigad*, valeu, legal, claro, bom dia, kkk*; привет,
        спасибо, ок, ага, круто, доброе утро, пока; 你好, 谢谢, 好的, 哈哈, 嗯, 收到, 辛苦, 晚安, 早安, 行, 嘿; こんにちは, ありがとう, おはよう, お疲れ, はい, 了解, 笑; 안녕, 감사, 고마워, 네, ㅋㅋ,
        ㅎㅎ, 좋아요, 수고""",
    "mood": """
        tired, happy, sad, glad, annoyed, exhausted, proud, stressed, excited, bored, lovely, beautiful, feel, feels, feeling, good day, bad day, long day,
        quiet, mood, grateful, frustrat*, relieved; müde, froh, traurig, genervt, stolz, gestresst, schön, anstrengend, ruhig, gefühl; cansad*,
        feliz, triste, content*, orgullos*, agotad*, bonito, tranquil*; fatigué*, content*, triste, fier, fière, épuisé*, agréable, calme;
        cansad*, feliz, triste, content*, orgulhos*, exaust*, lind*, tranquil*; устал*, рад, рада, грустн*, доволен, довольна, горжусь, хорошо, тихо, приятн*;
        累, 开心, 难过, 高兴, 烦, 舒服, 满足, 焦虑, 感觉, 心情, 疲惫, 真好, 美好, 放松; 疲れ, 嬉し, 楽し, 悲し, 気持ち, 幸せ, 眠い, いい天気; 피곤, 기분, 행복, 슬프, 즐거, 좋다, 힘들, 뿌듯""",
    "condition": """
        if, when, whenever, before, after, in case, as long as, except, unless, whoever, anything, only for, only in; wenn, falls, sobald, bevor, außer,
        sofern, vor, nach; si, cuando, antes de, después de, salvo, excepto, siempre que; si, quand, avant, après, sauf, dès que; se, quando,
        antes de, depois de, exceto, sempre que; если, когда, перед, после, кроме, прежде чем; 如果, 的话, 时, 之前, 之后, 除非, 凡是, 遇到, 除了, 超过; もし, たら, 場合, 前に, 後に, 以外, とき;
        경우, 전에, 후에, 제외, 때""",
    "person": """
        wife, husband, son, daughter, mother, father, mum, mom, dad, sister, brother, boss, manager, colleague, friend, neighbour, neighbor, partner, client,
        customer, landlord, doctor, teacher, cousin, aunt, uncle, assistant, accountant, lawyer; frau, mann, sohn, tochter, mutter, vater,
        schwester, bruder, chef*, kolleg*, freund*, nachbar*, kund*, vermieter*, arzt, ärztin, lehrer*; esposa, marido, hijo, hija, madre, padre, hermana,
        hermano, jef*, compañer*, amig*, vecin*, client*, médic*; femme, mari, fils, fille, mère, père, sœur, frère, patron*, collègue, ami*, voisin*, client*,
        médecin; esposa, marido, filho, filha, mãe, pai, irmã, irmão, chefe, colega, amig*, vizinh*, client*, médic*; жена, муж, сын, дочь, мама, мать, папа, отец,
        сестра, брат, начальник*, коллега, друг, подруга, сосед*, клиент*, врач; 妻子, 老婆, 丈夫, 老公, 儿子, 女儿, 妈, 爸, 姐, 妹, 哥, 弟, 老板, 同事, 朋友, 邻居, 客户, 房东, 医生, 老师, 经理,
        负责; 妻, 夫, 息子, 娘, 母, 父, 姉, 妹, 兄, 弟, 上司, 同僚, 友人, 担当, 先生, さん; 아내, 남편, 아들, 딸, 엄마, 아빠, 언니, 누나, 형, 동생, 상사, 동료, 친구, 고객, 담당, 선생, 님, 씨""",
    "i": """
        i, i'm, i've, i'll, my, me, mine, myself; ich, mein*, mich, mir; yo, mi, mis, me; je, j'ai, mon, ma, mes, moi; eu, meu*, minha*, me; я, мой, моя, мне, меня;
        我, 俺, 本人; 私, 僕, 俺, 自分; 나는, 내가, 제가, 저는, 나의""",
    "we": "we, our, us, we're, we've; wir, unser*, uns; nosotros, nuestr*; nous, notre, nos, on; nós, nosso*, nossa*; мы, наш*, нас; 我们, 咱们, 咱; 私たち, 我々, うち; 우리",
    "state": """
        is, are, has, have, runs, lives, works, costs, uses, owns, belongs, takes, keeps, stays, contains, means, handles, holds, sits, expires,
        called, named; ist, sind, hat, läuft, wohnt, arbeitet, kostet, heißt, gehört, liegt, gilt, nutzt, bleibt; es, son, está, tiene, vive,
        trabaja, cuesta, usa, se llama, queda, vale; est, sont, a, vit, travaille, coûte, utilise, s'appelle, reste, vaut; é, são, está, tem,
        mora, trabalha, custa, usa, chama, fica, vale; это, есть, живёт, живет, работает, стоит, зовут, находится, действует, лежит; 是, 在, 有, 叫, 住, 负责, 用, 归, 放在, 属于, 位于, 为,
        收费; です, である, は, には, にある, 住ん, 勤め, 担当; 이다, 입니다, 있음, 산다, 살고, 다님, 이름, 임""",
    "past": """
        was, were, went, got, had, made, did, came, took, gave, saw, met, ran, spent, tried, looked, watched, talked, called, asked,
        moved, cleaned, cooked, worked, stopped, started, left; war, waren, ging, hatte, kam, gab, sah, traf, gemacht, gegangen, gesehen, gewesen,
        geholt, gesprochen; fue, fui, hice, hizo, vino, vi, llegó, salió, hablé, habló, estuvo, tuve; était, allé*, vu, pris, eu, parlé, passé, mangé, reçu;
        foi, fui, fiz, fez, veio, vi, saiu, falei, falou, teve, esteve; был*, ходил*, сделал*, пришёл, пришел, видел*, встретил*, говорил*, съездил*; 了, 过, 去了, 做了, 聊了, 看了, 吃了, 来了;
        した, った, んだ, ました, いた; 했다, 했음, 갔다, 봤다, 먹었, 었다, 았다, 였다""",
}  # fmt: skip

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u3130-\u318f]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LONGEST = 4  # words in a saying
_STEM = 3  # letters before a star, at least

NAMES = tuple(CUES)
_Cues = dict[str, tuple[int, ...]]


@cache
def _tables() -> tuple[_Cues, _Cues, dict[str, list[tuple[str, tuple[int, ...]]]]]:
    """Whole sayings, beginnings of words, and (by first character) what scripts without spaces say."""
    spaced: dict[str, set[int]] = {}
    stems: dict[str, set[int]] = {}
    unspaced: dict[str, set[int]] = {}
    for number, words in enumerate(CUES.values()):
        for saying in {word.strip() for word in re.split("[;,]", words)} - {""}:
            if _UNSPACED.search(saying):
                unspaced.setdefault(saying, set()).add(number)
            elif saying.endswith("*"):
                stems.setdefault(saying[:-1], set()).add(number)
            else:
                spaced.setdefault(" ".join(_WORD.findall(saying)), set()).add(number)
    by_first: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for saying, which in sorted(unspaced.items()):
        by_first.setdefault(saying[0], []).append((saying, tuple(sorted(which))))
    return (
        {saying: tuple(sorted(which)) for saying, which in spaced.items()},
        {stem: tuple(sorted(which)) for stem, which in stems.items()},
        by_first,
    )


def cues(text: str) -> list[int]:
    """How often each cue of `NAMES` is said in a text that is already casefolded."""
    spaced, stems, by_first = _tables()
    counts = [0] * len(NAMES)
    words = [word.replace("’", "'") for word in _WORD.findall(text)]
    for at, word in enumerate(words):
        for size in range(1, _LONGEST + 1):
            for cue in spaced.get(" ".join(words[at : at + size]) if size > 1 else word, ()):
                counts[cue] += at + size <= len(words)
        for size in range(_STEM, len(word) + 1):
            for cue in stems.get(word[:size], ()):
                counts[cue] += 1
    for at, char in enumerate(text):
        for saying, which in by_first.get(char, ()):
            if text.startswith(saying, at):
                for cue in which:
                    counts[cue] += 1
    return counts


@lru_cache(maxsize=50_000)  # the same line is held against many others
def says(cue: str, text: str) -> bool:
    return cues(text.casefold())[NAMES.index(cue)] > 0
