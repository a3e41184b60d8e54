"""What words say about whether a line of an old note will matter: groups and what each is worth. Data, not logic.

The groups and their worth are the peer's; the words are our own, English as there. The peer's profile only.
"""

from __future__ import annotations

import re


def _any(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.I)


PREFERS = _any("prefers?", "preferred", "likes?", "loves?", "hates?", "dislikes?", "favou?rites?")
MEMORY = _any(
    "remember", "memor(?:y|ies|ise|ize)", "preferences?", "prefers?", "preferred", "habits?", "convention", "standing"
)
PERSON = _any("usually", "tends? to", "every (?:day|week|morning|evening|year)", "birthday", "allerg(?:y|ic|ies)")
STABLE_PERSON = _any(
    "relationship", "partner", "wife", "husband", "spouse", "mother", "father", "daughter", "son", "sister", "brother",
    "lives? in", "works? (?:at|for)", "born",
)  # fmt: skip
PERSISTENCE = _any(
    "always", "never", "prefers?", "preferred", "partner", "rule", "default", "permanent(?:ly)?", "long-?term", "must",
    "from now on", "policy",
)  # fmt: skip
OPERATOR_RULE = _any("do not", "don't", "must not", "make sure", "ask before", "only when")
PERSISTENT_TITLE = _any(
    "preferences?", "relationships?", "people", "rules?", "conventions?", "principles?", "family", "about"
)
MONITORING = _any("heartbeat", "health ?checks?", "uptime", "monitoring", "restarted", "polling")
SITUATIONAL = _any("right now", "at the moment", "this (?:morning|afternoon|evening)", "tonight", "currently")
TRAVEL = _any("flights?", "boarding", "layover", "check-?in", "itinerary")
METADATA = _any("session key", "session id", "message id", "timestamp")
PROCESS = _any("in progress", "working on", "started", "finished", "done", "completed")
PROJECT_META = _any("milestone", "sprint", "roadmap", "backlog")
TOOLING = _any(r"\w+\.md", "plugin", "script", "cli", "config")
TRANSIENT = _any("today", "yesterday", "tomorrow", "next (?:week|month|\\w+day)", "last (?:night|week)")
INCIDENT = _any("failed", "error", "outage", "crash(?:ed)?", "broken")
LOGISTICS = _any("call", "appointment", "meeting", "pick ?up", "deliver(?:y|ed)")
TASK = _any("todo", "to do", "next steps?", "follow up", "need to")
TRANSIENT_TITLE = _any("setup", "next steps?", "todo", "tasks?", "log", "status", "today")
BUILD = _any("installed", "build", "built", "compiled", "deployed", "upgraded")
PATH_OR_URL = re.compile(r"https?://|(?:^|\s)[~.]?/[\w.-]+/")
SPECIFIC = re.compile(r"\b\d{1,2}:\d{2}\b|\b[0-9a-f]{7,}\b")
