"""A line that says of itself that it is a decision or a rule, and that it holds from now on. Nobody needs to guess its worth.

Both signs must be there: "Decision for tonight: soup" has one, "from today I only eat crusts" the other.
"""

from __future__ import annotations

import re

_LABEL = re.compile(
    r"^\W*(?:(?:new |team |house )?(?:decision|rule|policy)|decided|agreed|entscheidung|beschluss|beschlossen|(?:neue )?regel|decisión|(?:nueva )?regla|décision|(?:nouvelle )?règle"
    r"|decisão|(?:nova )?regra|решение|решили|(?:новое )?правило|决定|决策|规定|规则|约定|新规|決定|決まり|ルール|결정|규칙)\W{0,4}[:：]\W{0,3}(?![\"“„«「『])",
    re.I,
)
_FROM_NOW = re.compile(
    r"\b(?:from (?:now|today|tomorrow|this week|next week|next month)(?: on)?|as of (?:now|today|tomorrow|next week)|starting (?:now|today|tomorrow|next week)|going forward|henceforth"
    r"|ab (?:sofort|jetzt|heute|morgen|nächster woche)|künftig|von nun an|a partir de (?:ahora|hoy|mañana|agora|hoje|amanhã)|desde hoy|de ahora en adelante|désormais|dorénavant"
    r"|à partir d(?:e |['’])(?:maintenant|aujourd['’]hui|demain)|daqui em diante|de agora em diante|отныне|впредь|с сегодняшнего дня|с завтрашнего дня)\b"
    r"|从(?:今天|现在|明天|今|本周|下周|本月|下个?月)开?始?起?|今天起|今后|以后|往后|今日から|明日から|今後|오늘부터|내일부터|앞으로|이제부터",
    re.I,
)


def is_declared(text: str) -> bool:
    """Whether a line is labelled as a decision or a rule and says that it holds from now on."""
    return bool(_LABEL.match(text)) and bool(_FROM_NOW.search(text))
