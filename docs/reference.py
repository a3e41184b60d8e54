"""Prints docs/reference.md: commands, settings and exit codes as the code has them. `make reference` writes it."""

import inspect
import re
import sys
from collections.abc import Iterator

from reverie import errors, settings
from reverie.surfaces.cli import COMMANDS, RECALLED

_FIELD = re.compile(r"^    (\w+): .+? = (.+?)(?:  # (.+))?$", re.M)
_CODE = re.compile(r"^[│├└─ ]*(\w+) +(\d+) +(.+)$", re.M)
EVERYWHERE = {"--dry-run": "", "--yes": "do not ask", "--model": "", "--apply": "do it; otherwise it is only shown"}
VARIABLES = {
    "OPENCLAW_WORKSPACE": "the workspace, where none is named",
    "DREAM_VAULT_PATH": "the archive's folder, else `dream-vault/` in the workspace",
    "DREAM_MODEL": "who judges, as `--model` says it",
    "DREAM_MODEL_URL": "the address of a model's server",
    "DREAM_MODEL_PRICE": "of a million tokens, there and back: `3 15`",
    "DREAM_MODEL_MOST": "what a night may cost; needs a price",
    "DREAM_FLEET_DATABASE": "the address of the fleet's PostgreSQL",
    "REVERIE_NOW": "the time it is, as `--now` says it",
}


def command(name: str) -> str:
    """What it does, and its words and options; those with the same help stand together."""
    about, *details = COMMANDS[name]
    helps, known = dict[str, list[str]](), list[str]()
    for (option, *_), more in details:
        values = "|".join(filter(None, map(str, more.get("choices", ())))) or more.get("metavar", "")
        shown = " ".join(filter(None, (option, values))) if option[0] == "-" else values or option
        is_known = EVERYWHERE.get(option) in ("", more["help"])
        (known if is_known else helps.setdefault(more["help"], [])).append(f"`{option if is_known else shown}`")
    rows = [f"{', '.join(names)}: {text}" for text, names in helps.items()] + [", ".join(known)] * bool(known)
    return f"- **`dream {name}`**: {about}" + "".join(f"\n  - {row}" for row in rows)


def lines() -> Iterator[str]:
    yield "# Reference\n\nMade by `make reference` from the code; a test holds it up to date.\n\n## Commands\n"
    yield "Every command takes `--workspace PATH` (`-w`), `--now TIME`, `--json`. `--dry-run` shows and writes nothing, `--apply` does what"
    yield "else is only shown, `--yes` does not ask, `--model KIND:NAME` says who judges. `dream` alone is `dream status`.\n"
    yield from (command(name) for name in COMMANDS if name not in RECALLED)
    yield "\n### Of what was recalled\n\nThe same stand below `dream memory`, as OpenClaw spells them.\n"
    yield from map(command, RECALLED)
    yield "\n## Settings\n\nIn `reverie.toml`, or in `DREAM.md` under `## Settings` (those of `deep` only in the first).\n"
    yield "| setting | default | why |\n|---|---|---|"
    for group, kind in settings._GROUPS.items():
        rows = _FIELD.findall(inspect.getsource(kind))
        same = [name for name, default, why in rows if default == "None" and not why]  # as the profile has them
        yield from [f"| `{group}.` {', '.join(f'`{name}`' for name in same)} | `None` | as the profile |"] * bool(same)
        for name, default, why in (row for row in rows if row[0] not in same):
            yield f"| `{group}.{name}` | `{default}` | {why} |"
    yield '| `language` | `""` | of what is written into files: en, zh; empty: the memory\'s own |'
    yield "\n## Environment\n\n| variable | says |\n|---|---|"
    yield from (f"| `{name}` | {says} |" for name, says in VARIABLES.items())
    yield "\n## Exit codes\n\n| code | means |\n|---|---|\n| 0 | done |\n| 1 | `dream due`: no night would begin now |\n| 2 | words that no command has |"
    yield from (f"| {code} | `{name}`: {says} |" for name, code, says in _CODE.findall(errors.__doc__ or ""))
    yield "| 70 | a bug; please report the line that it prints |\n| 130 | Ctrl-C |"


if __name__ == "__main__":
    sys.stdout.write("\n".join((*lines(), "")))
