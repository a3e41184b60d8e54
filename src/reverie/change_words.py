"""How people say that something is open, settled, gone, otherwise from now on, only tried, or said before.

Small, general vocabulary for each language; no names, no subjects. A star stands for any ending (`cerrad*`). Where words
are written without spaces a saying counts wherever it stands. The rules that use these lists ask for more than a word:
nearness of the two lines, values of one kind, a shared key.
"""

from __future__ import annotations

import re
from functools import lru_cache

_OPEN = """
    in progress, pending, waiting, waits, still open, remains open, is open until, form open, expected, investigate, not started, not yet, broken, planned, scheduled, booked, ongoing, trial,
    experiment, comparing, looking for, to do, offline, stuck, unresolved, under way, idea, need to, needs to, find out, failing, dispute, open question, yet,
    in preparation, ordered, to be done, to be replaced, to be decided, to be fixed, to be ordered, to be confirmed, to be handed, comes on, arrives on, due, awaiting, awaits, on hold, in review, is ready, applied for, requested,
    being built, being tested, undecided, whether, meant to, still missing;
    läuft, steht aus, offen, ausstehend, ungeklärt, defekt, kaputt, geplant, in arbeit, sucht, wartet, antrag, noch nicht, abgeschickt, gesucht,
    fehlt, nötig, streit, bestellt, kommt am, in prüfung, beantragt, angefragt, auf eis, fertig ist, unentschieden, ungewiss, ob wir, ob sie, ob er, zu erledigen, noch zu, steht noch, steht leer, müsste noch;
    en curso, pendiente, pendientes, esperando, espera, rot*, planead*, pedid*, llega el, en revisión, a la espera, buscando, busca, falta, faltan, por venir,
    por decidir, sin fecha, sin respuesta, todavía no, aún no, averiad*, estropead*, en obras, solicitad*, por hacer, sin resolver, sigue sin, decidir si;
    en cours, en attente, prévu*, cassé*, commandé*, arrive le, à faire, attend, attendent, manque, cherche, cherchons, demandé*, pas de réponse, pas encore,
    à voir, en panne, sans réponse, à décider, reste à, devis, candidature;
    em andamento, aguardando, aguarda, quebrad*, encomendad*, a fazer, em análise, pendente, pendentes, procurando, procura-se, falta decidir, ainda não,
    por decidir, decidir se, continua, ainda pinga, esperando, avariad*, solicitad*, sem resposta, sem data, previsto, prevista;
    в процессе, ожида*, ждём, ждем, ждет, ждёт, жду, сломан*, планир*, заказан*, на проверке, на паузе, ищем, ищет, ищу, нужно, надо, не решено, не решён*,
    пока не*, ещё не*, еще не*, запрошен*, в работе, не работает, согласу*, тестиру*, под вопросом, подан*;
    进行中, 等待, 未完成, 处理中, 准备, 招, 申请, 尚未, 还没, 坏了, 待查, 待办, 还缺, 没定, 没查, 没选, 审批, 待定, 评估, 筛选, 正在, 预计, 计划, 订了, 在等, 在谈, 在找, 要不要, 是否,
    没回, 打算, 没交, 送修, 没到, 没谈, 没签, 待回, 想换, 在修;
    対応中, 発注, 審査, 待ち, 待って, 予定, 未完了, 検討中, 検討, 故障, 壊れ, 迷って, 決まっていない, まだ, 申請中, 応募中, 注文済, 探して, 未定, かどうか;
    주문, 심사, 진행 중, 대기, 예정, 고장, 검토, 기다리, 찾는 중, 구하는 중, 아직, 미정, 신청, 고민, 해야, 검토 중, 없음
"""
_TRIED = """
    trial, on trial, maybe, perhaps, might, offer, offers, offered, quote, proposal, proposes, would, could, not signed, not confirmed,
    considering, thinking about, nobody knows, unclear, not decided, according to; vielleicht, probeweise, angebot, eventuell, unklar, überlegt, laut;
    quizás, quizá, tal vez, a lo mejor, a prueba, oferta, igual cambiamos, se rumorea; peut-être, à l'essai, offre, il paraît, éventuellement; talvez, em teste,
    proposta, quem sabe; возможно, предложение, может быть, неясно, вроде бы, говорят, может;
    也许, 可能, 试用, 报价, 考虑, 没签, 未签, 待定, 未确认, 不确定, 没有结论, 据说, 说不定, 要是;
    たぶん, 検討, かもしれ, 見積, 未定, らしい; 아마, 검토, 견적, 미정, 지도 모
"""
_REPEATED = """
    again, still, stays, remains, as before, as always, repeated, repeats, reminder, once more, as announced, as agreed, unchanged, as usual, insists;
    wieder, bleibt, nach wie vor, weiterhin, wie angekündigt, wie besprochen, nochmal, noch einmal, erneut, wie immer; otra vez, sigue, siguen, de nuevo,
    como siempre, repite, ha repetido, insiste, vuelve a, recuerda que; encore, toujours, de nouveau, reste, répète, rappelle, rappel, comme toujours;
    de novo, continua, como sempre, outra vez, repetiu, relembr*; снова, опять, по-прежнему, остаётся, остается, как и раньше, ещё раз, еще раз, повтор*, напомн*;
    再次, 又, 还是, 仍, 依然, 照旧, 不变, 重申, 再说一遍, 说过, 提醒; また, まだ, 引き続き, 相変わらず, もう一度, 再度, やっぱり, 念押し; 다시, 여전히, 그대로, 또, 재차
"""
_MOVED = """
    now, from today, as of, moved, moves, moving to, instead, changed, switched to, from now on, going forward, has become, takes over, taken over, raised to, went up to, goes up to, rises to, drops to, went down to, upgraded, bumped;
    jetzt, nun, ab heute, seit heute, künftig, verlegt, verschoben, statt, ab sofort, von jetzt an, übernimmt, umgestellt, gewechselt, steigt auf, sinkt auf, erhöht auf, aktualisiert;
    ahora, desde hoy, desde ahora, a partir de, pasa a, pasan a, pasamos a, pasó a, ha pasado a, cambia a, cambiamos, han cambiado, ha cambiado, cambió,
    sube a, baja a, en lugar de, en vez de, ya es, se muda, se mudó, lo lleva ahora; maintenant, désormais, dorénavant, à partir de, à partir du,
    passe à, passe au, passons à, est passé*, au lieu de, a changé, remplac*, déménag*, déplacé*, reporté*, avancé*, repris*, dès, augmente à, monte à, baisse à, mis à jour;
    agora, a partir de, passa a, passou a, passou para, mudou, muda para, mudamos, em vez de, a contar de, trocou, trocamos, sobe para, desce para, subiu para, baixou para, aumentou para, atualiz*;
    теперь, сейчас, отныне, с сегодняшнего, со следующ*, переехал*, перенесл*, перенес*, переш*, перевел*, вместо, сменил*, заменил*, поменял*, изменил*, стал, стала, стало, стали, поднял*, повысил*, снизил*, увелич*, обновил*, перевели;
    现在, 今天起, 今日起, 即日, 起改, 改在, 挪到, 改到, 改为, 改成, 换成, 换到, 换了, 切到, 搬到, 搬去, 调到, 调成, 推迟到, 提前到, 涨到, 降到, 升到, 变成, 改用, 改走, 开始用, 月起, 号起, 周起, 升级, 就换, 改投, 之后每, 以后找, 以后由, 以后归, 从这个月, 从今天;
    今は, 今日から, 来週から, 来月から, 今月から, 今週から, 変更, 変えた, 変わ, 移る, 移った, 移し, 移転, 引っ越, になった, にする, に切り替え, 代わりに, これから, 値上げ, 上がった, 下がった, 更新した;
    이제, 오늘부터, 다음 주부터, 다음 달부터, 변경, 바꿨, 바뀌, 바뀐, 바뀜, 미룬다, 미뤄, 미뤘, 연기, 줄이, 줄였, 늘리, 늘렸, 내리기로, 올리기로, 새 목표, 옮겼, 옮기, 이사, 대신, 앞으로, 올랐, 내렸, 인상
"""
_GONE = """
    removed, has left, have left, is leaving, is out, are out, closes down, closed down, closed the, closed for good, plan ends, trial ends, deleted, gone, dead, shut down, switched off,
    retired, retires, retiring, scrapped, cancelled, canceled, archived, dissolved, discontinued, expired, dropped, no longer, replaced, is off, called off, withdrew,
    withdrawn, backed out, gave up, given up, no more, any more, anymore, stopped, cut from, for good, taken down, torn down, sold, died, for scrap, written off, resigned, quit, handed in, notice;
    gelöscht, entfernt, aufgelöst, abgeschaltet, eingestellt, gekündigt, abgesagt, verkauft, schließt, geht in rente, nicht mehr, vom tisch, aufgehört,
    zurückgezogen, fällt aus, hört auf, verlässt, weggezogen, geschlossen, gibt es nicht mehr;
    eliminad*, borrad*, cerrad*, cierra, cancelad*, vendid*, ya no, anulad*, descartad*, se va, se ha ido, se fue, se jubila, se ha jubilado, dado de baja,
    retirad*, dejamos de, ha dejado, deja de, apagad*, no vamos; supprimé*, laisse* tomber, abandonné*, ne plus, fermé*, ferme, annulé*, vendu*, est parti*,
    part à la retraite, prend sa retraite, a quitté, quitte, n'est plus, résilié*, condamné*, c'est fini, terminé*, renonce*, ne candidate pas;
    removid*, apagad*, fechad*, fecha, encerrad*, cancelad*, vendid*, já não, não é mais, saiu da, saiu do, pediu demissão, se aposent*, desist*, desligad*, deixou de, deixamos de;
    удалён*, удален*, закрыт*, закрыва*, отмен*, снят*, продан*, больше не*, уволил*, ушёл, ушел, ушла, уходит, отключ*, списан*, убрал*, выключ*, отказал*, на пенсию, не будет;
    删除, 删了, 下线, 作废, 停用, 关闭, 关停, 取消, 撤销, 报废, 退了, 不再, 到期不续, 解散, 调去, 调走, 离职, 走了, 不干了, 作罢, 停办, 下架, 退出, 废弃, 没有了, 关掉, 收回, 不做了, 不用了, 不去了, 停产, 断供,
    不卖了, 不要了, 搬走, 入职了, 弃用, 不投, 不够;
    削除, 廃止, 終了, 解約, 閉鎖, やめ, 辞め, 退職, 中止, 取りやめ, 見送, しないことに, なくなっ, 売った, 閉店; 삭제, 폐지, 종료, 해지, 취소, 그만, 퇴사, 중단, 안 하기로, 없어졌, 팔았, 폐업
"""
_SETTLED = """
    settled, refunded, confirmed, sorted, sorted out, solved, repaired, rebuilt, swapped, printed, paid back, moved in, works again, arrived,
    is live, went live, signed, goes to, is here, hired, approved, accepted, granted, fixed, installed, delivered, taken down, went off, went out, handed over, decided, found, came back;
    geklärt, geeinigt, eingezogen, behoben, erstattet, gelöst, zusage, ist da, angekommen, repariert, genehmigt, entschieden, eingebaut, geliefert, bewilligt, gefunden, zugesagt, vergeben, geht an, findet statt, unterschrieben, bestellt, übergeben, beanstandung;
    resuelt*, llegó, ha llegado, aprobad*, firmad*, arreglad*, arregló, elegid*, decidid*, decidimos, hemos decidido, ha venido, vino, favorable, confirmad*, contratad*, empieza el,
    entregad*, hech*, ya está, pasamos la, pasada la, encontrad*; réglé*, arrivé*, accepté*, signé*, livré*, réparé*, décidé*, trouvé*, validé*, confirmé*, reçu*, embauché*, finalement,
    est complet, est complète, c'est fait, est là, a enfin, accord obtenu;
    resolvid*, chegou, chegaram, aprovad*, assinad*, consertad*, decidid*, decidimos, encontrad*, confirmad*, contratad*, entregue*, passou na, já está, feito, liberou, parou de, na mão, renovad*, vai estagiar;
    решено, решили, решил*, пришёл, пришел, пришло, пришли, пришла, одобр*, подписан*, подписал*, починил*, починен*, почини*, нашли, нашёл, нашел, готово, готов, готова, утвержд*, утверд*,
    согласов*, привезли, доставлен*, установ*, приняли, принят*, взял*, оплачен*, купил*, куплен*, заработал*, сдан*, сдали, закончил*, закончен*;
    定了, 齐了, 清了, 选定, 修掉, 修复, 查清, 办好, 上线, 到岗, 签了, 解决, 修好, 到货, 通过了, 批了, 恢复, 搞定, 定稿, 到了, 收到了, 找到了, 招到, 谈好, 谈妥, 弄好, 办完, 发货, 结束, 完工, 买了, 翻篇, 下单, 办了, 交了, 交到, 寄回, 回来了, 装上, 盖了章, 出来了, 签好;
    決まっ, 決めた, 決定, 届い, 直っ, 承認, 解決, 合格, 採用, 完了, 終わっ, 見つかっ, 買った, 提出した, 受かっ, することに, 修理済; 정해, 정했, 결정, 도착, 승인, 해결, 고쳤, 합격, 채용, 완료, 끝났, 끝, 찾았, 샀, 질렀, 받았, 맡는다, 맡기로, 합류, 마침, 예약했
"""

# What often brings an open matter to its end and may mean something else: it counts where the old line is open, the new one is
# not, and nothing is denied.
_ARRIVED = """
    came, came in, came home, came back, has come, is back, are back, got back, was here, were here, fitted, permitted, fetched, collected, picked, picked up, chosen, handed in, paid, paid off,
    bought, got it, submitted, sent off, passed, returned, is over, that's that, in place, hung up, merged, cancelled, closed, back home, released, finished, wrapped up;
    ist zurück, war da, waren da, abgeholt, bezahlt, überwiesen, gekauft, eingereicht, abgegeben, bestanden, zuschlag, eingegangen, ist dicht, wieder dicht, läuft wieder, ab sofort, hat sich gemeldet, in der tasche, aufgestellt, montiert,
    fertig, geschafft, beantwortet, freigegeben, ausgezahlt, zurückgegeben, steht jetzt, hängt jetzt; ya tenemos, recogid*, pagad*, comprad*, entreg*, ha vuelto, volvió, aprobó, list*, ya funciona, devuelt*;
    récupéré*, payé*, acheté*, rendu*, est revenu*, a répondu, prêt*, c'est bon, remboursé*, envoyé*; buscamos o, pago, paga, pagou, comprou, comprad*, voltou, devolvid*, enviad*, pronto, pronta, deu certo;
    забрали, забрал*, оплатил*, вернул*, вернулся, вернулась, отправил*, получил*, выдали, прошла, прошёл, прошел, закрыли, сделал*, сделано;
    总算, 过了, 转了, 付了, 付清, 结清, 还清, 到账, 到卡, 打了款, 换完, 换好, 换上, 搬完, 跑完, 做完, 算完, 写完, 弄完, 交上, 传上, 发出去, 签下, 摘了, 撤了, 领回, 取回, 拿到, 拿回, 修完, 补上, 补齐, 补好, 验收, 办下来,
    已换, 已去掉, 已关, 已修, 已发, 已交, 已付, 已还, 关机, 让给, 推掉, 回绝, 不扩了, 不招了, 不买了, 不租了, 不办了, 不搞了, 不参加, 没再, 重新做了, 完成, 落地;
    戻っ, 払っ, 支払っ, 受け取, 返し, 返却, 送っ, 出した, 出来上が, 済ん, 済み, もらっ, 通った, 引き取; 돌아왔, 냈, 제출했, 보냈, 지불, 결제했, 통과, 찾아왔, 반납, 처리됐, 처리했, 됐다
"""

_NEW = "new, neu, neue, neuen, neuer, neues, nuevo, nueva, nuevos, nuevas, nouveau, nouvelle, nouveaux, novo, nova, novos, novas, новый, новая, новое, новые, новую, 新, 새, 새로"


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(word.split()) for word in re.split("[;,]", text) if word.strip()))


PENDING, TENTATIVE, REPEATED = map(_words, (_OPEN, _TRIED, _REPEATED))
MOVED, GONE, SETTLED, NEW, ARRIVED = map(_words, (_MOVED, _GONE, _SETTLED, _NEW, _ARRIVED))


@lru_cache(maxsize=32)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    parts = []
    for word in words:
        saying = re.escape(word.removesuffix("*"))
        if word[0] >= "\u2e80":  # written without spaces
            parts.append(saying)
        else:
            end = "" if word.endswith("*") else r"(?!\w)"
            parts.append(rf"(?<!\w){saying}{end}")
    return re.compile("|".join(parts))


@lru_cache(maxsize=50_000)  # the same line is held against many others
def says_any(text: str, words: tuple[str, ...]) -> bool:
    """Whether one of these sayings stands in the text."""
    return bool(_pattern(words).search(text.lower()))  # not folded: the words keep their ß
