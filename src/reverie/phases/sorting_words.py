"""Words by which owners of nine languages say what a memory is about: headings, states of work, what the code says itself.

Data for `phases/classify.py` and `phases/projects.py`. General words of each language only; a heading counts when one of
them is a word of it, and scripts without spaces are looked for anywhere.
"""

from __future__ import annotations

import re

from reverie.cues import says

USER, FEEDBACK, PROJECT, REFERENCE = "user", "feedback", "project", "reference"
KINDS = (USER, FEEDBACK, PROJECT, REFERENCE)

HEADINGS: dict[str, tuple[str, ...]] = {
    FEEDBACK: (
        "rule", "rules", "lesson", "lessons", "learned", "learnings", "feedback", "correction", "corrections", "style", "mistakes", "guidelines",
        "conventions", "do and don't", "经验", "教训", "反馈", "规则", "原则", "纠正", "踩坑", "守则", "注意事项", "回复风格", "regeln", "lehren", "rückmeldung",
        "feedback", "stil", "reglas", "lecciones", "correcciones", "estilo", "règles", "leçons", "retours", "corrections", "regras", "lições",
        "correções", "правила", "уроки", "замечания", "стиль", "ルール", "教訓", "フィードバック", "규칙", "교훈", "피드백",
    ),
    USER: (
        "who", "about me", "me", "profile", "user", "owner", "preferences", "preference", "habits", "likes", "关于我", "个人", "用户", "偏好", "习惯", "我是谁",
        "画像", "über mich", "profil", "vorlieben", "gewohnheiten", "sobre mí", "perfil", "preferencias", "costumbres", "à propos de moi",
        "préférences", "habitudes", "sobre mim", "preferências", "hábitos", "обо мне", "профиль", "предпочтения", "привычки", "プロフィール",
        "自分", "好み", "習慣", "프로필", "나에 대해", "취향", "선호", "습관",
    ),
    PROJECT: (
        "project", "projects", "decision", "decisions", "roadmap", "项目", "决定", "决策", "工程", "projekt", "projekte", "entscheidungen", "proyecto",
        "proyectos", "decisiones", "projet", "projets", "décisions", "projeto", "projetos", "decisões", "проект", "проекты", "решения",
        "プロジェクト", "決定", "프로젝트", "결정",
    ),
    REFERENCE: (
        "reference", "references", "resources", "links", "tools", "contacts", "people", "team", "family", "clients", "customers", "suppliers",
        "vendors", "prices", "hours", "environment", "infrastructure", "setup", "stack", "servers", "hosts", "homelab", "network", "accounts",
        "knowledge", "facts", "addresses", "locations", "relationships", "参考", "资源", "链接", "工具", "联系人", "人物", "人员", "团队", "家人", "客户", "供应商", "价格",
        "环境", "基础设施", "配置", "服务器", "网络", "知识", "地址", "关系", "referenz", "ressourcen", "werkzeuge", "kontakte", "personen", "menschen", "leute",
        "familie", "kunden", "lieferanten", "preise", "öffnungszeiten", "umgebung", "netzwerk", "wissen", "kenntnisse", "referencias", "recursos",
        "herramientas", "contactos", "personas", "familia", "clientes", "proveedores", "precios", "entorno", "conocimiento", "références",
        "ressources", "outils", "contacts", "personnes", "famille", "clients", "fournisseurs", "prix", "environnement", "connaissances",
        "referências", "recursos", "ferramentas", "contatos", "pessoas", "família", "fornecedores", "preços", "ambiente", "conhecimento",
        "справка", "ссылки", "инструменты", "контакты", "люди", "семья", "клиенты", "поставщики", "цены", "окружение", "знания", "参照", "資料",
        "道具", "連絡先", "家族", "顧客", "価格", "環境", "知識", "참고", "자료", "도구", "연락처", "사람", "가족", "고객", "가격", "환경", "지식",
    ),
}  # fmt: skip

# How an answer should look: who speaks of these and wants something tells the agent how to work.
ANSWERS = (
    "answer", "answers", "reply", "replies", "response", "responses", "chat", "greeting", "wording", "markdown", "emoji", "emojis", "explanation", "explanations",
    "回答", "回复", "答复", "语气", "表情", "问候", "措辞", "antwort", "antworten", "tonfall", "begrüßung", "respuesta", "respuestas", "saludo", "réponse", "réponses",
    "salutation", "resposta", "respostas", "saudação", "ответ", "ответы", "ответах", "приветствие", "返信", "返事", "口調", "絵文字", "답변", "답장", "말투", "이모지",
)  # fmt: skip
# These are ordinary words unless somebody prefers one of them.
FORMS = (
    "summary", "summaries", "tone", "format", "bullet", "bullets", "list", "lists", "table", "tables", "总结", "格式", "列表", "表格", "解释", "zusammenfassung",
    "liste", "listen", "tabelle", "tabellen", "resumen", "tono", "formato", "lista", "listas", "tabla", "tablas", "résumé", "ton", "tableau", "tableaux", "resumo",
    "tom", "tabela", "tabelas", "сводка", "тон", "список", "списки", "таблицы", "要約", "表", "요약", "목록", "표",
)  # fmt: skip

# Keys of lines that say how far a piece of work has come; they change while it goes on.
STATE_KEYS = (
    "status", "state", "stage", "progress", "phase", "contact", "owner", "assignee", "deadline", "due", "delivery", "eta", "blocker", "blocked by",
    "blocked", "waiting for", "waiting on", "next", "next step", "next steps", "needs", "状态", "进度", "进展", "阶段", "负责人", "联系人", "截止", "截止日期", "交付",
    "阻塞", "卡点", "下一步", "需要", "stand", "fortschritt", "frist", "termin", "ansprechpartner", "lieferung", "blockiert", "wartet auf", "nächster schritt",
    "estado", "avance", "plazo", "entrega", "contacto", "bloqueo", "siguiente paso", "statut", "état", "avancement", "échéance", "livraison",
    "blocage", "prochaine étape", "andamento", "prazo", "contato", "bloqueio", "próximo passo", "статус", "состояние", "срок", "сдача", "контакт",
    "ждём", "следующий шаг", "状態", "進捗", "期限", "担当", "納期", "次の一歩", "상태", "진행", "기한", "담당", "납기", "다음 단계",
)  # fmt: skip
IN_PROGRESS = (
    "in progress", "wip", "ongoing", "todo", "to do", "进行中", "待办", "正在做", "in arbeit", "offen", "en curso", "pendiente", "en cours", "à faire",
    "em andamento", "pendente", "в работе", "進行中", "作業中", "진행 중", "할 일",
)  # fmt: skip
# How far something has come, in the sentence itself.
PROGRESS = re.compile(
    r"\d\s?%|\b(?:waiting (?:for|on)|pending|in progress|under way|not (?:yet )?started|on hold|blocked|still open|wartet|läuft noch|steht aus|noch offen|ausstehend|nicht begonnen"
    r"|pendiente|en espera|en curso|sin empezar|en attente|en cours|pas commencé|pendente|em andamento|à espera|não começou|ждём|ожида\w+|в работе|не начат\w*)\b"
    r"|等待|待定|进行中|未开始|还没开始|卡在|待审批|待确认|進行中|未着手|待ち|保留中|대기|진행 중|미착수|보류",
    re.I,
)
_ABOUT = re.compile(
    r"(?:about|über|sobre|à propos de|обо?|关于)\s*(?P<whom>.+)|(?P<those>.+?)(?:について|에 대해)$", re.I
)
OPEN_THOUGHTS = (
    "idea", "ideas", "question", "open question", "maybe", "想法", "问题", "待定", "疑问", "idee", "frage", "offene frage", "idea", "pregunta", "duda", "idée", "question",
    "ideia", "pergunta", "dúvida", "идея", "вопрос", "アイデア", "質問", "疑問", "아이디어", "질문",
)  # fmt: skip
WHY_KEYS = (
    "why", "reason", "because", "background", "为什么", "原因", "理由", "背景", "warum", "grund", "hintergrund", "por qué", "motivo", "razón", "pourquoi",
    "raison", "por quê", "porquê", "razão", "почему", "причина", "理由", "なぜ", "이유", "배경",
)  # fmt: skip
HOW_KEYS = (
    "how", "how to apply", "apply", "when", "use", "用法", "如何应用", "怎么做", "适用", "何时", "anwendung", "so geht's", "wie", "wann", "cómo", "cuándo",
    "aplicación", "comment", "quand", "application", "como", "quando", "aplicação", "как применять", "как", "когда", "使い方", "適用", "いつ", "적용", "방법",
)  # fmt: skip

# A reason inside the sentence: what stands behind these words is why.
BECAUSE = re.compile(
    r"(?:^|[\s,，;；(（])(?:because|since(?= (?:he|she|it|they|we|i|the|nobody|no)\b)|so that|otherwise|weil|denn|damit|sonst|porque|ya que|para que|si no|parce que|car|puisque"
    r"|afin que|sinon|pois|já que|para que|senão|потому что|так как|чтобы|иначе)\s|因为|由于|否则|不然|以便|なぜなら|ため[、,]|さもないと|때문에|그래야|않으면",
    re.I,
)

_CODE_FILE = (
    r"[\w./-]+\.(?:py|pyi|js|jsx|ts|tsx|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|vue|svelte|sql)(?::\d+)?\b"
)
_CODE_THING = (
    r"\b(?:functions?|class(?:es)?|methods?|modules?|components?|endpoints?|handlers?|hooks?|schemas?|interfaces?|imports?|architecture|refactor\w*|codebase|repo layout"
    r"|funktion(?:en)?|klassen?|methoden?|modul(?:e|en)?|función(?:es)?|clases?|métodos?|fonctions?|classes?|méthodes?|função|funções|функци\w+|класс\w*|модул\w+)\b"
    r"|函数|方法|模块|组件|接口|架构|目录结构|代码|関数|クラス|メソッド|함수|클래스|메서드|모듈"
)
_CALL = r"\b\w+(?:\.\w+)*\(\w*\)"
CODE_PATTERN = re.compile(
    rf"(?:{_CODE_THING}).*(?:{_CODE_FILE}|{_CALL}|\bsrc/)|(?:{_CODE_FILE}|{_CALL}|\bsrc/).*(?:{_CODE_THING})",
    re.I | re.S,
)
_HASH = r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"
_GIT = (
    r"\b(?:commit(?:s|ted)?|merged?|rebased?|cherry-pick\w*|pushed|pull request|merge request|PR|MR|branch|force-push\w*|commits?|gemergt|fusionad\w+|fusionné\w*"
    r"|смержил\w*|закоммит\w*)\b|提交|合并|推送|分支|コミット|マージ|プッシュ|커밋|머지|병합"
)
GIT_HISTORY = re.compile(
    rf"(?:{_GIT}).*(?:{_HASH}|#\d+\b|\b(?:main|master|develop)\b)|(?:{_HASH}|#\d+\b).*(?:{_GIT})|\bgit (?:log|blame)\b",
    re.I | re.S,
)
_BUG = (
    r"\b(?:bugs?|crash(?:es|ed)?|exceptions?|traceback|stack ?trace|segfault|regression|null pointer|memory leak|race condition|(?-i:[A-Z]\w+(?:Error|Exception))|absturz|fehler"
    r"|excepción|plantage|erreur|exceção|ошибк\w+|баг\w*|падени\w+)\b|报错|异常|崩溃|漏洞|内存泄漏|バグ|エラー|例外|버그|오류|예외"
)
_FIX = (
    r"\b(?:fix(?:ed|es)?|hotfix|patched|workaround|solved by|resolved by|behoben|gefixt|arreglad\w+|corregid\w+|corrigé\w*|résolu\w*|corrigid\w+|resolvid\w+|исправ\w+|починил\w*)\b"
    r"|修复|修好|解决|改成|修正|直し|直った|고쳤|수정|해결"
)
DEBUGGING = re.compile(rf"(?:{_BUG}).*(?:{_FIX})|(?:{_FIX}).*(?:{_BUG})", re.I | re.S)


def headed(heading: str) -> str:
    """The kind of memory a heading collects, by its words; empty when it names a subject of its own."""
    plain = _spaced(heading)
    return next((kind for kind, words in HEADINGS.items() if any(_said(word, plain) for word in words)), "")


def about_the_owner(headings: tuple[str, ...]) -> bool:
    """Whether the innermost heading is about whom the title of the file names: `# Memory of Ada`, `## About Ada`."""
    found = _ABOUT.fullmatch(headings[-1].strip()) if len(headings) > 1 else None
    whom = (found["whom"] or found["those"]).strip() if found else ""
    return bool(whom) and whom.casefold() in headings[0].casefold()


def speaks_of_manner(text: str) -> bool:
    """Whether a line is about how answers look."""
    plain = _spaced(text)
    if any(_said(word, plain) for word in ANSWERS):
        return True
    return says("preference", text) and any(_said(word, plain) for word in FORMS)


def key_of(text: str) -> tuple[str, str]:
    """(key, rest) of a line such as `**Status:** active` or `状态：进行中`; an empty key when it has none."""
    found = re.match(r"[*_\s]*(?P<key>[^:：*_\n]{1,30}?)[*_]*\s*[:：][*_]*\s*(?P<rest>.+)", text, re.S)
    return (found["key"].strip().casefold(), found["rest"].strip()) if found else ("", text)


def _spaced(text: str) -> str:
    return " " + re.sub(r"[^\w']+", " ", text.casefold()).strip() + " "


def _said(word: str, plain: str) -> bool:
    if any("\u3040" <= char <= "\uffff" for char in word):
        return word in plain and (len(word) > 1 or f" {word} " in plain)
    return f" {word} " in plain
