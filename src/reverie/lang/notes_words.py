"""Small, general lexicons: the words by which people of several languages mark things in their notes.

Data, not logic. A word is here because it is common in its language, never because one workspace used it.
English and Chinese first; German, Spanish, French, Portuguese, Russian, Japanese, Korean for the common ones.
"""

from __future__ import annotations

# What an owner writes to say "do not touch this". Capitals are part of the word: "NEVER" is a rule, "never" is speech.
SHOUTED = (
    "CRITICAL", "NEVER", "IMPORTANT", "PERMANENT", "ALWAYS", "MUST", "DO NOT", "POLICY",
    "KRITISCH", "NIEMALS", "WICHTIG", "IMMER",
    "CRÍTICO", "CRITICO", "NUNCA", "IMPORTANTE", "SIEMPRE", "SEMPRE",
    "CRITIQUE", "JAMAIS", "TOUJOURS",
    "ВАЖНО", "НИКОГДА", "КРИТИЧНО", "ВСЕГДА",
)  # fmt: skip
MARKED = (
    "📌", "⚠", "🔒", "🚨", "❗", "铁律", "鐵律", "绝不", "切勿", "严禁", "禁止", "絶対", "厳禁", "절대", "금지",
)  # fmt: skip
# These are ordinary words unless they stand as a label: "重要：…", "【必须】".
LABELLED = ("重要", "必须", "必須", "注意", "중요", "필수")
# As a key or a heading these make a rule of what follows: "Rule: …", "**Policy:** …", "## House rules".
RULE_KEYS = (
    "rule", "rules", "policy", "policies", "principle", "principles", "regel", "regeln", "richtlinie", "regla", "reglas",
    "política", "politica", "règle", "règles", "regra", "regras", "правило", "правила", "политика",
    "规则", "原则", "规定", "守则", "規則", "ルール", "방침", "규칙", "원칙",
)  # fmt: skip

# Headings of the section that changes fastest (seed 000: Current State).
CURRENT_STATE = (
    "current state", "current status", "current", "in progress", "active projects", "now", "ongoing", "status",
    "当前状态", "当前", "现状", "进行中", "近期", "目前", "現状", "現在の状況", "현재 상태", "진행 중",
    "aktueller stand", "aktuell", "laufend", "stand", "estado actual", "en curso", "état actuel", "en cours",
    "estado atual", "em andamento", "текущее состояние", "в работе", "сейчас",
)  # fmt: skip
# Words in a heading that say that what stands below is not settled yet.
OPEN_MATTERS = (
    "open", "in flight", "in progress", "on the go", "right now", "where things stand", "pending", "waiting", "todo", "to do", "to-do", "ongoing", "under way", "underway", "loose ends", "current projects",
    "current", "active projects", "threads", "follow-up", "follow up", "进行中", "手头", "挂着", "在办", "待办", "眼下", "未完", "跟进", "在做", "近期", "没完", "没办完", "läuft", "laufend", "laufende", "offen", "offene", "offenes", "anstehend",
    "in arbeit", "baustellen", "en curso", "ahora mismo", "pendiente", "pendientes", "abierto", "en cours", "en attente", "à suivre", "em aberto", "em andamento", "pendente", "pendentes",
    "текущее", "текущие", "в работе", "открытое", "открытые", "в процессе", "незакрытое", "動いている", "進行中", "対応中", "未完", "未解決", "지금", "진행", "미결", "할 일",
)  # fmt: skip
# Headings that name a kind of knowledge and no subject: the same sentence under two of them is the same fact.
GENERIC_HEADINGS = (
    "current state", "stable knowledge", "relationships & context", "memory", "long-term memory", "notes", "misc",
    "general", "facts", "preferences", "lessons", "lessons learned", "people", "tools", "decisions", "knowledge",
    "当前状态", "稳定知识", "关系与背景", "长期记忆", "记忆", "笔记", "偏好", "经验教训", "决策", "工具", "人物", "其他",
    "notizen", "allgemein", "notas", "general notes", "заметки", "メモ", "메모",
)  # fmt: skip
DREAM_HEADING = "dream"

# Words that say an item is finished, at its start ("Done: …", "已完成：…") or in brackets at its end ("(done 2026-10-02)").
DONE = (
    "done", "completed", "resolved", "cancelled", "canceled", "complete", "finished", "closed", "shipped", "delivered",
    "完成", "已完成", "已解决", "已关闭", "已上线", "已取消", "结束", "已结束", "完了", "済", "済み", "解決済み", "완료", "해결됨",
    "erledigt", "fertig", "abgeschlossen", "gelöst", "hecho", "completado", "terminado", "resuelto",
    "terminé", "fait", "résolu", "concluído", "concluido", "feito", "resolvido", "готово", "сделано", "завершено", "решено",
)  # fmt: skip
# Of these, the ones that also describe a thing ("Closed: Mondays"): they count only alone or with a day.
ALSO_ADJECTIVES = ("complete", "finished", "closed", "shipped", "delivered", "结束", "fertig", "fait")
DONE_SIGNS = ("✅", "✔", "☑")

# A host's heartbeat has a section of its own. A check-up or a list of cron jobs may be the owner's, so they name no origin.
ROUTINE_HEADINGS = ("heartbeat", "heartbeats", "心跳", "latido", "ハートビート", "하트비트")
# What a line says that only says that a machine is well.
ROUTINE_STARTS = (
    "heartbeat", "heartbeat_ok", "cron:", "cron job", "[cron]", "[heartbeat]", "health check", "healthcheck", "no_reply",
    "心跳", "定时任务", "巡检", "健康检查", "system check", "all systems normal", "all normal", "systemcheck",
)  # fmt: skip
ROUTINE_SAYINGS = (
    "heartbeat ok", "heartbeat_ok", "all normal", "all systems normal", "all systems operational", "nothing to report",
    "no issues found", "nothing needs attention", "一切正常", "心跳正常", "无异常", "运行正常", "alles normal", "keine auffälligkeiten",
    "todo normal", "tudo normal", "rien à signaler", "всё в норме", "все в норме", "異常なし", "이상 없음",
)  # fmt: skip
# The line at the foot of MEMORY.md that belongs to no section (seed 001: *最后更新*).
FOOTERS = (
    "last updated", "last update", "updated", "最后更新", "更新于", "最終更新", "마지막 업데이트", "zuletzt aktualisiert", "stand",
    "última actualización", "dernière mise à jour", "última atualização", "обновлено", "последнее обновление",
)  # fmt: skip
# How people say what they like, for `dream index`: a hint for the next night, not a judgement.
PREFERENCES = (
    "i prefer", "i like", "i always", "i never", "my favourite", "my favorite", "prefers", "we prefer", "我喜欢", "我偏好", "我更喜欢", "偏好",
    "ich bevorzuge", "ich mag", "am liebsten", "prefiero", "me gusta", "je préfère", "j'aime", "prefiro", "eu gosto",
    "предпочитаю", "мне нравится", "好きです", "好み", "선호", "좋아",
)  # fmt: skip

# Headings that frame a day or a kind of note and name no subject.
DAY_FRAMES = (
    "morning", "early morning", "noon", "midday", "afternoon", "evening", "late evening", "night", "today", "daily", "log", "note", "notes", "misc", "other", "work",
    "home", "personal", "private", "family", "general", "summary", "update", "updates", "todo", "todos", "tasks", "done", "standup", "meeting", "meetings", "call",
    "calls", "chat", "journal", "diary", "highlights", "decisions", "learned", "events", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun",
    "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag", "morgen", "morgens", "vormittag", "mittag", "nachmittag", "abend",
    "abends", "nacht", "heute", "arbeit", "zuhause", "privat", "familie", "sonstiges", "notizen", "tag", "dienst", "entscheidungen",
    "lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo", "mañana", "tarde", "noche", "trabajo", "casa", "notas", "hoy",
    "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche", "matin", "midi", "après-midi", "soir", "nuit", "travail", "maison", "aujourd'hui",
    "segunda", "terça", "quarta", "quinta", "sexta", "manhã", "noite", "trabalho", "hoje",
    "понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье", "утро", "день", "вечер", "ночь", "работа", "дом", "заметки", "сегодня",
    *(f"{week}{day}" for week in ("星期", "周", "週", "礼拜") for day in "一二三四五六日天"), *(f"{day}曜日" for day in "月火水木金土日"), *(f"{day}요일" for day in "월화수목금토일"),
    "早上", "上午", "中午", "下午", "晚上", "夜里", "凌晨", "今天", "今日", "日志", "记录", "工作", "生活", "家里", "家庭", "杂项", "其他", "待办", "随记", "笔记", "会议", "总结", "决定",
    "朝", "昼", "夕方", "夜", "仕事", "メモ", "아침", "오전", "오후", "저녁", "밤", "업무", "메모", "오늘",
)  # fmt: skip
