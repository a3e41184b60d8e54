"""Titles of the palace in nine languages, and the words by which a line is about technology. Data, not logic.

Names of tools and systems that are known everywhere; a short name counts only as it is written (NAS, not nas).
"""

from __future__ import annotations

import re

VIEWS = ("timeline", "projects", "technology", "custom")
TITLES: dict[str, dict[str, str]] = {
    "en": {"timeline": "Timeline", "projects": "Projects", "technology": "Technology", "custom": "Views", "state": "State", "decided": "Decided and changed", "open": "Open ends", "about": "About", "done": "Done", "postmortem": "Postmortem", "lessons": "Lessons", "style": "Work style", "playbook": "Playbook", "answers": "How answers look"},
    "zh": {"timeline": "时间线", "projects": "项目", "technology": "技术", "custom": "自定义视图", "state": "状态", "decided": "决定与变化", "open": "未完成", "about": "概况", "done": "已完成", "postmortem": "复盘", "lessons": "教训", "style": "工作方式", "playbook": "用户手册", "answers": "怎样回答"},
    "de": {"timeline": "Zeitleiste", "projects": "Projekte", "technology": "Technik", "custom": "Eigene Ansichten", "state": "Stand", "decided": "Entschieden und geändert", "open": "Offen", "about": "Worum es geht", "done": "Erledigt", "postmortem": "Rückblick", "lessons": "Lehren", "style": "Arbeitsweise", "playbook": "Handbuch", "answers": "Wie Antworten aussehen"},
    "es": {"timeline": "Cronología", "projects": "Proyectos", "technology": "Tecnología", "custom": "Vistas propias", "state": "Estado", "decided": "Decidido y cambiado", "open": "Pendiente", "about": "De qué se trata", "done": "Hecho", "postmortem": "Retrospectiva", "lessons": "Lecciones", "style": "Forma de trabajar", "playbook": "Manual", "answers": "Cómo responder"},
    "fr": {"timeline": "Chronologie", "projects": "Projets", "technology": "Technique", "custom": "Vues personnelles", "state": "État", "decided": "Décidé et changé", "open": "En suspens", "about": "De quoi il s'agit", "done": "Fait", "postmortem": "Bilan", "lessons": "Leçons", "style": "Façon de travailler", "playbook": "Manuel", "answers": "Comment répondre"},
    "pt": {"timeline": "Cronologia", "projects": "Projetos", "technology": "Tecnologia", "custom": "Vistas próprias", "state": "Estado", "decided": "Decidido e mudado", "open": "Em aberto", "about": "Do que se trata", "done": "Feito", "postmortem": "Balanço", "lessons": "Lições", "style": "Modo de trabalhar", "playbook": "Manual", "answers": "Como responder"},
    "ru": {"timeline": "Хронология", "projects": "Проекты", "technology": "Техника", "custom": "Свои виды", "state": "Состояние", "decided": "Решено и изменено", "open": "Открыто", "about": "О чём это", "done": "Сделано", "postmortem": "Итоги", "lessons": "Уроки", "style": "Манера работы", "playbook": "Справочник", "answers": "Как отвечать"},
    "ja": {"timeline": "年表", "projects": "プロジェクト", "technology": "技術", "custom": "自分の見方", "state": "状態", "decided": "決定と変更", "open": "未完了", "about": "概要", "done": "完了", "postmortem": "振り返り", "lessons": "教訓", "style": "仕事の流儀", "playbook": "手引き", "answers": "答え方"},
    "ko": {"timeline": "연표", "projects": "프로젝트", "technology": "기술", "custom": "사용자 보기", "state": "상태", "decided": "결정과 변경", "open": "남은 일", "about": "개요", "done": "완료", "postmortem": "회고", "lessons": "교훈", "style": "일하는 방식", "playbook": "안내서", "answers": "답하는 방식"},
}  # fmt: skip

DECIDED = (
    "decision", "decisions", "decided", "agreed", "change", "changed", "new price", "决定", "决策", "变更", "更正", "entscheidung", "entschieden", "beschluss",
    "geändert", "decisión", "decidido", "cambio", "décision", "décidé", "changement", "decisão", "decidido", "mudança", "решение", "решено",
    "изменение", "決定", "変更", "결정", "변경",
)  # fmt: skip

HOSTS = "Hosts and network"
DOMAINS: dict[str, tuple[str, ...]] = {
    HOSTS: (
        "wireguard", "tailscale", "openwrt", "unifi", "mqtt", "mosquitto", "zigbee", "pi-hole", "adguard", "cloudflare", "router", "wi-fi", "wifi", "ethernet", "VLAN",
        "VPN", "DNS", "DHCP", "SSH", "路由器", "交换机", "服务器", "域名", "内网", "サーバー", "서버",
    ),
    "Systems and containers": (
        "docker", "podman", "kubernetes", "k3s", "proxmox", "nginx", "caddy", "traefik", "systemd", "ansible", "terraform", "linux", "debian", "ubuntu", "fedora",
        "nixos", "macos", "windows 10", "windows 11", "android", "raspberry pi", "home assistant", "esphome", "arduino", "esp32", "LXC", "容器", "虚拟机",
    ),
    "Data and backup": (
        "postgres", "postgresql", "mysql", "mariadb", "sqlite", "redis", "mongodb", "clickhouse", "elasticsearch", "duckdb", "kafka", "restic", "borgbackup", "zfs", "btrfs",
        "minio", "syncthing", "nextcloud", "rsync", "grafana", "prometheus", "influxdb", "airflow", "dbt", "NAS", "S3", "RAID", "UPS", "数据库", "备份到", "データベース", "데이터베이스",
    ),
    "Languages and tools": (
        "python", "rust", "golang", "typescript", "javascript", "node.js", "kotlin", "swift", "django", "flask", "fastapi", "react", "vue", "svelte", "pytest", "poetry",
        "npm", "pnpm", "cargo", "github", "gitlab", "gitea", "neovim", "emacs", "vs code", "vscode", "tmux", "obsidian", "notion", "figma", "jira", "confluence", "slack",
        "telegram bot", "latex", "excel", "飞书", "企业微信", "钉钉",
    ),
    "Models and assistants": (
        "openai", "anthropic", "claude", "chatgpt", "ollama", "llama", "mistral", "deepseek", "qwen", "openclaw", "whisper", "embedding", "LLM", "MCP", "大模型", "通义千问",
    ),
}  # fmt: skip
DOMAIN_TITLES: dict[str, tuple[str, ...]] = {
    "zh": ("主机与网络", "系统与容器", "数据与备份", "语言与工具", "模型与助手"),
    "de": (
        "Rechner und Netz",
        "Systeme und Container",
        "Daten und Sicherung",
        "Sprachen und Werkzeuge",
        "Modelle und Assistenten",
    ),
    "es": (
        "Equipos y red",
        "Sistemas y contenedores",
        "Datos y copias",
        "Lenguajes y herramientas",
        "Modelos y asistentes",
    ),
    "fr": (
        "Machines et réseau",
        "Systèmes et conteneurs",
        "Données et sauvegardes",
        "Langages et outils",
        "Modèles et assistants",
    ),
    "pt": (
        "Máquinas e rede",
        "Sistemas e contêineres",
        "Dados e cópias",
        "Linguagens e ferramentas",
        "Modelos e assistentes",
    ),
    "ru": ("Машины и сеть", "Системы и контейнеры", "Данные и копии", "Языки и инструменты", "Модели и помощники"),
    "ja": ("ホストとネットワーク", "システムとコンテナ", "データとバックアップ", "言語と道具", "モデルとアシスタント"),
    "ko": ("호스트와 네트워크", "시스템과 컨테이너", "데이터와 백업", "언어와 도구", "모델과 비서"),
}
# An address, a port, a version: whatever else the line says, it is about a machine.
ADDRESS = re.compile(
    r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:port|порт|puerto|porta)\s*[:：]?\s*\d{2,5}\b|(?:端口|ポート|포트)\s*[:：号]?\s*\d{2,5}|\blocalhost\b|\b[\w-]+\.(?:local|lan|internal)\b"
    r"|\b[a-z][\w-]*:\d{4,5}\b",
    re.I,
)
VERSION = re.compile(
    r"\bv\d+(?:\.\d+)+\b|\bversion\s+\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+\b(?!\.\d)|版本\s*\d+(?:\.\d+)*", re.I
)


def domain_of(text: str) -> str:
    """The domain of technology a line is about; empty when it is about none for certain."""
    if ADDRESS.search(text):
        return HOSTS
    found = next((domain for domain, rule in _RULES.items() if rule.search(text)), "")
    return found or ("Systems and containers" if VERSION.search(text) else "")


def _rule(words: tuple[str, ...]) -> re.Pattern[str]:
    short = {word for word in words if word.isascii() and (word.isupper() or len(word) < 3)}
    exact = [re.escape(word) for word in sorted(short)]
    loose = [re.escape(word) for word in words if word.isascii() and word not in short]
    glued = [re.escape(word) for word in words if not word.isascii()]
    parts = [rf"(?<!\w)(?i:{'|'.join(loose)})(?!\w)"]
    parts += [rf"(?<!\w)(?:{'|'.join(exact)})(?!\w)"] if exact else []
    parts += ["|".join(glued)] if glued else []
    return re.compile("|".join(parts))


_RULES = {domain: _rule(words) for domain, words in DOMAINS.items()}
