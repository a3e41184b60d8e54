"""The sections of MEMORY.md: seed 000's four, the lessons, and what owners call them in their own languages.

The owner's sections come first. One of ours is made only when nothing of the owner's fits, under the name that people
who write this language would give it.

The size of MEMORY.md as the budget sees it: our own `## Dream` lines count as full, whatever they are now.

A dream rewrites those few lines itself. Were they counted as they stand, the second dream could find the file
larger than the first one left it, and archive more: promise 9 would break.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reverie.lang.notes_words import CURRENT_STATE, DREAM_HEADING
from reverie.text.lines import bare, count_units, plain_heading
from reverie.text.markdown import Block, Document, Shape

CURRENT, STABLE, PEOPLE, LESSONS = "current", "stable", "people", "lessons"
AREAS = (CURRENT, STABLE, PEOPLE, LESSONS)
NAMES = {
    "en": ("Current State", "Stable Knowledge", "Relationships & Context", "Lessons Learned"),
    "zh": ("当前状态", "稳定知识", "关系与背景", "经验教训"),
    "de": ("Aktueller Stand", "Feste Kenntnisse", "Menschen & Umfeld", "Lehren"),
    "es": ("Estado actual", "Conocimiento estable", "Personas y contexto", "Lecciones aprendidas"),
    "fr": ("État actuel", "Connaissances stables", "Personnes et contexte", "Leçons apprises"),
    "pt": ("Estado atual", "Conhecimento estável", "Pessoas e contexto", "Lições aprendidas"),
    "ru": ("Текущее состояние", "Постоянные знания", "Люди и контекст", "Уроки"),
    "ja": ("現在の状況", "確かな知識", "人と背景", "教訓"),
    "ko": ("현재 상태", "안정된 지식", "사람과 배경", "교훈"),
}
# Words in a heading that say what it collects; general ones only.
_HINTS = {
    CURRENT: (
        *CURRENT_STATE, "project", "projects", "open", "in flight", "focus", "this month", "项目", "在做", "进展", "projekte", "projekt",
        "proyectos", "projets", "projetos", "проекты", "プロジェクト", "프로젝트",
    ),
    STABLE: (
        "stable", "knowledge", "setup", "environment", "tools", "stack", "preferences", "facts", "reference", "infrastructure", "how i work",
        "about me", "work style", "decisions", "稳定", "知识", "偏好", "环境", "工具", "配置", "基础设施", "习惯", "决定", "决策", "kenntnisse", "wissen",
        "vorlieben", "umgebung", "werkzeuge", "entscheidungen", "conocimiento", "preferencias", "connaissances", "préférences", "outils",
        "conhecimento", "preferências", "знания", "настройки", "предпочтения", "知識", "好み", "環境", "지식", "환경", "선호",
    ),
    PEOPLE: (
        "people", "relationships", "contacts", "team", "family", "clients", "customers", "人物", "人员", "关系", "联系人", "团队", "同事", "家人", "客户",
        "menschen", "personen", "leute", "kontakte", "familie", "kunden", "kollegen", "personas", "equipo", "familia", "personnes", "équipe",
        "famille", "pessoas", "equipe", "família", "люди", "контакты", "семья", "команда", "人", "チーム", "家族", "사람", "팀", "가족",
    ),
    LESSONS: (
        "lessons", "lessons learned", "lesson", "learnings", "mistakes", "经验教训", "教训", "经验", "踩坑", "lehren", "gelernt", "erkenntnisse",
        "lecciones", "leçons", "lições", "уроки", "教訓", "교훈",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of MEMORY.md and the lines that stand directly under it (from zero, end excluded)."""

    heading: str
    first: int
    end: int
    index: int  # of its heading among the blocks


def sections_of(document: Document) -> tuple[Section, ...]:
    """Every section an entry may be put into, in order; the `## Dream` section is ours and not one of them."""
    found = []
    headings = [(i, block) for i, block in enumerate(document.blocks) if block.shape is Shape.HEADING]
    for number, (i, block) in enumerate(headings):
        end = headings[number + 1][1].first if number + 1 < len(headings) else len(document.lines)
        if plain_heading(block.text) != DREAM_HEADING:
            found.append(Section(block.text, block.end, end, i))
    return tuple(found)


def area_of(heading: str) -> str:
    """Which of our areas the owner's heading stands for; empty if it names a subject of its own."""
    plain = plain_heading(heading)
    for area in (LESSONS, PEOPLE, CURRENT, STABLE):
        if any(_holds(plain, hint) for hint in _HINTS[area]) or plain in {
            names[AREAS.index(area)].casefold() for names in NAMES.values()
        }:
            return area
    return ""


def name_of(area: str, language: str) -> str:
    """What our section is called for people who write this language."""
    return NAMES.get(language, NAMES["en"])[AREAS.index(area)]


def _holds(plain: str, hint: str) -> bool:
    if not hint.isascii() and any("\u3040" <= char <= "\uffff" for char in hint):
        return hint in plain  # written without spaces
    return hint in plain.split() or plain.startswith(f"{hint} ") or plain == hint or (" " in hint and hint in plain)


def statements_under(document: Document, section: Section) -> list[Block]:
    """The items, rows and paragraphs that stand directly in a section."""
    shapes = (Shape.BULLET, Shape.NUMBERED, Shape.PARAGRAPH, Shape.ROW)
    return [block for block in document.blocks if block.shape in shapes and section.first <= block.first < section.end]


DREAM_LINES = 5  # seed 000: the last five ledger entries
DREAM_LINE_UNITS = 140
OURS = re.compile(r"<!-- dream:([0-9a-f]{8}) -->\s*$")


def dream_section(document: Document) -> tuple[int, int] | None:
    """The lines of the `## Dream` section below its heading, if the owner has one."""
    for i, block in enumerate(document.blocks):
        if block.shape is Shape.HEADING and block.level == 2 and plain_heading(block.text) == DREAM_HEADING:
            later = (b.first for b in document.blocks[i + 1 :] if b.shape is Shape.HEADING and b.level <= 2)
            return block.end, next(later, len(document.lines))
    return None


def own_lines(document: Document) -> tuple[int, ...]:
    """The indexes of the lines in the `## Dream` section that end with our mark."""
    section = dream_section(document)
    if section is None:
        return ()
    return tuple(i for i in range(*section) if OURS.search(bare(document.lines[i])))


def measured(document: Document) -> tuple[int, int]:
    """Characters and lines of MEMORY.md, with the Dream section at its full size."""
    units, lines = count_units("".join(document.lines)), len(document.lines)
    if dream_section(document) is None:
        return units, lines
    ours = own_lines(document)
    units -= sum(count_units(document.lines[i]) for i in ours)
    return units + DREAM_LINES * DREAM_LINE_UNITS, lines - len(ours) + DREAM_LINES
