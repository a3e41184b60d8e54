"""The software bill of materials of a release, CycloneDX 1.6 as JSON: what requirements.txt pins, and who needs it.
What only tests need is `excluded`. The same pins give the same bytes: nothing depends on the machine or the day.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime
from os import environ
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_PIN = re.compile(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s;\\]+)[^\n]*\n((?:[ \t]+.*\n)*)", re.M)
_WANTED_BY = re.compile(r"^[ \t]+#[ \t]+(?:via[ \t]+)?([\w.-]+)(?:[ \t]\(.*)?$", re.M)


def bill(pins: str, project: dict[str, Any], moment: datetime) -> dict[str, Any]:
    """Every pinned package with its hashes, what it needs, and whether a user ever installs it."""
    found, needs = _PIN.findall(pins), dict[str, set[str]]()
    for name, _, below in found:
        for parent in _WANTED_BY.findall(below):
            needs.setdefault(parent, set()).add(name)
    own = project["name"]
    extras = [wish for wishes in project["optional-dependencies"].values() for wish in wishes if own not in wish]
    required, optional = _closure(project["dependencies"], needs), _closure(extras, needs)
    components = []
    for name, version, below in found:
        scope = "required" if name in required else "optional" if name in optional else "excluded"
        part = {"type": "library", "bom-ref": f"{name}@{version}", "name": name, "version": version, "scope": scope}
        sums = re.findall(r"sha256:([0-9a-f]{64})", below)
        part |= {"purl": f"pkg:pypi/{name}@{version}", "hashes": [{"alg": "SHA-256", "content": each} for each in sums]}
        components.append(part)
    needs[own] &= required | optional
    body: dict[str, Any] = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}
    refs = [(part["bom-ref"], part["name"]) for part in components]
    wanted = {ref: [known for known, wish in refs if wish in needs.get(name, ())] for ref, name in [(own, own), *refs]}
    body["dependencies"] = [{"ref": ref, "dependsOn": names} for ref, names in wanted.items()]
    about: dict[str, Any] = {"type": "application", "bom-ref": own, "name": own, "version": project["version"]}
    about["licenses"] = [{"license": {"id": project["license"]}}]
    body["metadata"] = {"timestamp": moment.isoformat(), "component": about}
    return body


def _closure(wishes: Iterable[str], needs: dict[str, set[str]]) -> set[str]:
    """The packages of some wishes, with all that those need in turn."""
    names, waiting = set[str](), [re.split(r"[^\w.-]", wish)[0] for wish in wishes]
    while waiting:
        if (name := waiting.pop()) not in names:
            names.add(name)
            waiting += needs.get(name, ())
    return names


if __name__ == "__main__":
    moment = datetime.fromtimestamp(int(environ["SOURCE_DATE_EPOCH"]), UTC)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    json.dump(bill((ROOT / "requirements.txt").read_text("utf-8"), project, moment), sys.stdout, indent=1)
