"""Words that carry no question, in the languages we read. General function words only."""

from __future__ import annotations

_WORDS = """
a an the is are was were be been being am to of in on for and or at by with from as it its this that these those i you he
she they we me my your his her their our us them do does did done have has had having what when where who whom which how
why will would can could should shall may might must about into than then so if not no yes just very there here also
now much many any some more most other get got like
der die das den dem des ein eine einen einem einer eines und oder ist sind war waren sein hat haben wird werden ich du er
sie es wir ihr mich mir dich dir uns euch mein dein von zu zum zur mit auf aus bei nach für im am um als auch nicht noch
wie was wer wo wann warum dass wenn nur schon
el la los las un una unos unas y o es son era fue ser de del al en con por para que se su sus mi tu no lo le les como
cuando donde quien cual qué cuál cómo
le les des du et ou est sont était être a au aux en dans avec pour par que qui ce cette ces il elle nous vous ils je tu se
son sa ses ne pas où quand comment quoi
o os as um uma e é são foi ser do da dos das no na nos nas com por para que se seu sua não como quando onde quem qual
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня еще нет о из ему
это для или мы их кто где когда почему
の に は を が と で も から まで です ます した する して いる ある これ それ この その
的 了 是 在 我 有 和 就 不 人 都 一 他 这 她 们 吗 呢 吧 啊 什 么 什么 怎么 哪里 是什 的是
은 는 이 가 을 를 에 의 와 과 도 로 으로
"""
STOP_WORDS = frozenset(_WORDS.split())
