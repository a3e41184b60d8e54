"""A first MEMORY.md: seed 000's four sections, and the five questions whose answers fill them."""

from __future__ import annotations

from collections.abc import Mapping

# Which answer belongs into which section: (name of the flag, the question, the label in MEMORY.md, the section).
QUESTIONS = (
    ("tools", "Which tools do you prefer?", "Tools", "Stable Knowledge"),
    ("environment", "What is your work environment?", "Work environment", "Stable Knowledge"),
    ("project", "What is your most important project right now?", "Most important project", "Current State"),
    ("values", "Which judgements and values guide you?", "Core values", "Stable Knowledge"),
    ("people", "Who are the most important people for it?", "Key people", "Relationships & Context"),
)
SECTIONS = (
    ("Current State", "Active projects, unresolved decisions, recent important changes"),
    ("Stable Knowledge", "Tech stack, work environment, decision style, core preferences, validated judgements"),
    ("Relationships & Context", "Important people, ongoing collaborations, key external context"),
    ("Dream", "Kept by Reverie: the last five entries of the permanent archive. Do not edit by hand"),
)


def first_memory(answers: Mapping[str, str]) -> str:
    """MEMORY.md in seed 000's four sections, with the owner's answers where they belong."""
    parts = ["# Long-Term Memory"]
    for section, about in SECTIONS:
        lines = [f"## {section}", f"<!-- {about} -->"]
        for name, _, label, home in QUESTIONS:
            said = [" ".join(line.split()) for line in answers.get(name, "").split("\n") if line.strip()]
            if home == section and len(said) == 1:
                lines.append(f"- **{label}:** {said[0]}")
            elif home == section and said:
                lines += [f"- **{label}:**", *(f"  - {line}" for line in said)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
