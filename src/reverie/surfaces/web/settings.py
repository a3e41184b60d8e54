"""Settings: every one with what it means, its value and where that comes from; the simple ones with a form.

A form writes one line of the owner's own reverie.toml, and takes it out again. What a workspace may not set (paths, addresses,
commands, who overhears) is not set from a browser either: those say which line to write. A workspace's own file stays as it is,
and where it has the last word the page says so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from typing import Any

from reverie.apply.settings_file import Value, literal, set_key
from reverie.core.errors import BadInput
from reverie.core.settings import Settings, known_keys
from reverie.lang import LANGUAGES, named, table
from reverie.lang.messages import say
from reverie.surfaces.configure import configured, host_switches, said_where
from reverie.surfaces.web.html import Html, badge, button, card, folded, formatted, h, hidden, quiet, row, safe
from reverie.surfaces.web.state import Done, Form, Site, Visit, given
from reverie.workspace.settings_files import home as home_of
from reverie.workspace.settings_files import owners_file

OFTEN = ("language", "timezone", "schedule.cron", "review.mode", "memory.new_lines", "diary.enabled", "privacy.email")
_WORDS = frozenset(
    {"language", "timezone", "schedule.cron", "schedule.defer_until"}
)  # texts that are checked as they are set
_GENERAL = "general"
SPOKEN = tuple(language for language in LANGUAGES if table(language, "say.page"))  # languages that the page speaks


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its value here, its default, what it may be, and who has the last word."""

    key: str
    value: Any
    default: Any
    about: Mapping[str, Any]  # range, choices, owner_only
    where: str  # the file and line that set it; empty: nobody did
    mine: bool  # whether the owner's own file says it
    host: bool = False  # whether a host's file says it

    @property
    def simple(self) -> bool:
        """Whether it can be set here: a switch, a choice, a number, or a word that is checked; never where texts are sent."""
        if self.about.get("owner_only"):
            return False
        return isinstance(self.default, (bool, int, float)) or bool(self.about.get("choices")) or self.key in _WORDS

    @property
    def decided_elsewhere(self) -> bool:
        """Whether a file of the workspace has the last word, so that the owner's own would change nothing."""
        return bool(self.where) and not self.mine and not self.host


def every_setting(site: Site) -> tuple[Setting, ...]:
    where, mine = said_where(site.workspace.root, os.environ), str(owners_file(os.environ))
    hosts = {one.key for one in host_switches(site.workspace.folder, os.environ)}
    found = []
    for key in known_keys():
        about = _about(key)
        value, default = _value(site.workspace.settings, key), _value(Settings(), key)
        said = where.get(key, "")
        found.append(Setting(key, value, default, about, said, said.startswith(mine), key in hosts))
    return tuple(found)


def _value(settings: Settings, key: str) -> Any:
    value: Any = settings
    for part in key.split("."):
        value = getattr(value, part)
    return value


def _about(key: str) -> dict[str, Any]:
    """What the field of a key says of itself; a table that is the owner's alone says it for all in it."""
    about: dict[str, Any] = {}
    here: Any = Settings()
    for part in key.split("."):
        item: Field[Any] = next(one for one in fields(here) if one.name == part)
        about |= {name: said for name, said in item.metadata.items() if said}
        here = getattr(here, part)
        if not is_dataclass(here):
            break
    return about


def settings(site: Site, visit: Visit) -> Html:
    found = {one.key: one for one in every_setting(site)}
    words = visit.asked("q").strip()
    wanted = [one for one in found.values() if words.casefold() in f"{one.key} {_meaning(one.key)}".casefold()]
    label = say("rooms.settings_search")
    field = h("input", type="search", name="q", value=words, maxlength=200, aria_label=label, placeholder=label)
    box = h("form", row(field, button("rooms.show")), method="get", action="/settings", role="search")
    intro = h("p", say("rooms.settings_intro"), " ", h("code", _home(str(owners_file(os.environ)))), class_="lead")
    if words:
        listed = h("ul", [_setting(visit, one) for one in wanted], class_="settings list")
        return h("div", intro, box, listed if wanted else quiet(say("page.found_nothing")))
    first = h("ul", [_setting(visit, found[key]) for key in OFTEN], class_="settings list")
    return h("div", intro, box, card(first, title=say("rooms.settings_often"), wide=True), _groups(visit, found))


def _groups(visit: Visit, found: Mapping[str, Setting]) -> list[Html]:
    tables: dict[str, list[Setting]] = {}
    for key, one in found.items():
        if key not in OFTEN:
            tables.setdefault(key.partition(".")[0] if "." in key else _GENERAL, []).append(one)
    return [
        h(
            "div",
            folded(
                _title(name, its),
                h("ul", [_setting(visit, one) for one in its], class_="settings list"),
            ),
            class_="card group",
        )
        for name, its in tables.items()
    ]


def _title(name: str, its: list[Setting]) -> str:
    changed = sum(bool(one.where) for one in its)
    told = say("rooms.settings_set", n=changed) if changed else ""
    return " · ".join(filter(None, (say(f"setting.groups.{name}"), str(len(its)), told)))


def _meaning(key: str) -> str:
    words = say(f"setting.{key}")
    return words[0].upper() + words[1:]


def _setting(visit: Visit, one: Setting) -> Html:
    is_set = bool(one.where) and one.value != one.default
    plain = one.simple and not one.decided_elsewhere  # then its field shows the value
    value = None if plain else badge(_shown(one.value), "note" if is_set else "")
    origin = say("rooms.set_in", where=_home(one.where)) if one.where else say("rooms.is_default")
    default = f" · {say('rooms.default_is', value=_shown(one.default))}" if is_set else ""
    told = h(
        "div",
        row(h("code", one.key), value),
        h("p", formatted(_meaning(one.key))),
        quiet(f"{origin}{default}"),
    )
    return h(
        "li",
        told,
        _changing(visit, one),
        id=one.key.replace(".", "-"),
        class_="is-set" if is_set else None,
        tabindex="-1",
    )


def _changing(visit: Visit, one: Setting) -> Html:
    if one.decided_elsewhere:
        return quiet(say("rooms.decided_elsewhere", where=_home(one.where)))
    if not one.simple:
        return _by_hand(one)
    back = hidden("back", f"/settings#{one.key.replace('.', '-')}")
    key, seen = hidden("key", one.key), hidden("was", literal_of(one.value))
    form = visit.form("/settings/change", key, seen, back, row(_field(one), button("rooms.save")))
    reset = None
    if one.mine:
        reset = visit.form(
            "/settings/change", key, seen, back, hidden("reset", "1"), button("rooms.to_default", "plain")
        )
    return h("div", form, reset, class_="change")


def _by_hand(one: Setting) -> Html:
    """What to write, and where, for a setting that no browser sets."""
    table, _, name = one.key.rpartition(".")
    line = f"{name} = {literal_of(one.value)}"
    lines = [h("code", f"[{table}]"), h("br"), h("code", line)] if table else [h("code", line)]
    if one.key == "project":
        lines = [h("code", "[[project]]")]
    hint = "rooms.by_hand_hint" if one.about.get("owner_only") else "rooms.no_field_hint"
    return folded(say("rooms.by_hand"), quiet(say(hint, file=_home(str(owners_file(os.environ))))), h("p", lines))


def _field(one: Setting) -> Html:
    its, label = {"name": "value", "aria_label": one.key}, one.about.get("choices")
    if isinstance(one.default, bool):
        choices = [("true", say("rooms.on")), ("false", say("rooms.off"))]
    elif one.key == "language":
        choices = [("", say("rooms.by_itself")), *((code, _tongue(code)) for code in LANGUAGES)]
    elif label:
        choices = [(word, word or say("rooms.by_itself")) for word in label]
    else:
        return _typed(one)
    now = str(one.value).lower() if isinstance(one.value, bool) else one.value
    options = [h("option", words, value=value, selected=value == now) for value, words in choices]
    return h("select", options, **its)


def _tongue(code: str) -> str:
    """A language by its name; with what it is good for, where it is only written and not spoken here."""
    return named(code) if code in SPOKEN else say("rooms.only_written", name=named(code))


def _typed(one: Setting) -> Html:
    if isinstance(one.default, str):
        return h("input", type="text", name="value", value=one.value, maxlength=100, aria_label=one.key)
    low, high = one.about.get("range", (None, None))
    step = "1" if isinstance(one.default, int) else "any"
    limits = {"min": low, "max": high, "step": step}
    return h("input", type="number", name="value", value=str(one.value), required=True, aria_label=one.key, **limits)


def change(site: Site, form: Form) -> Done:
    """Set one key in the owner's file, or take it out, if its value is still the one that was shown."""
    found = {one.key: one for one in every_setting(site)}.get(given(form, "key"))
    if found is None or not found.simple or found.decided_elsewhere:
        raise BadInput(say("rooms.not_here", key=safe(given(form, "key"))[:80]))
    if given(form, "was") != literal_of(found.value):
        raise BadInput(say("rooms.setting_moved", key=found.key))
    new = None if "reset" in form else _parsed(found, given(form, "value"))
    if new == found.value and "reset" not in form:
        return Done("")
    set_key(owners_file(os.environ), found.key, new)
    site.workspace = configured(site.workspace.folder, os.environ)
    now = _value(site.workspace.settings, found.key)
    told = say("rooms.setting_changed", key=found.key, was=_shown(found.value), now=_shown(now))
    silent = found.key == "language" and now and now not in SPOKEN
    return Done(f"{told} {say('rooms.page_speaks')}" if silent else told)


def _parsed(one: Setting, text: str) -> Value:
    """What was typed, in the type of the setting; what makes no sense is refused when it is written."""
    if isinstance(one.default, bool):
        return text == "true"
    if isinstance(one.default, str):
        return text.strip()
    try:
        number = float(text)
        return int(number) if isinstance(one.default, int) and number.is_integer() else number
    except ValueError:
        raise BadInput(say("rooms.no_number", key=one.key)) from None


def literal_of(value: Any) -> str:
    """A value as it stands in the file."""
    if isinstance(value, tuple):
        return f"[{', '.join(literal(one) if isinstance(one, str) else '…' for one in value)}]"
    return literal(value)


def _shown(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, bool):
        return say("rooms.on" if value else "rooms.off")
    if isinstance(value, tuple):
        return str(len(value)) if value and not isinstance(value[0], str) else ", ".join(map(safe, value)) or "–"
    return safe(str(value)) or "–"


def _home(path: str) -> str:
    """A path as its owner writes it."""
    home = str(home_of(os.environ))
    return f"~{path[len(home) :]}" if home != "/" and path.startswith(home + os.sep) else path
