"""A release as files: python tools/release.py [--into dist]

Made of the newest commit, never of what lies in the folder: wheel and sdist, built twice and compared; what they need (an SBOM,
CycloneDX 1.6); how they were made (an in-toto statement with SLSA's provenance, not signed); and the sums of all of them. The
same commit gives the same bytes. Nothing is fetched: the tools are those of requirements/release.txt.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PINS = "requirements/run.txt"  # core, web and mcp: all that an installation may need, except a model's own program
TOOLS = "requirements/release.txt"
SUMS = "SHA256SUMS"
MARK = "src/reverie/_commit.txt"  # what `dream --version` tells besides the version; a checkout has none
BUILD = "urn:reverie:make-release:1"
_PIN = re.compile(
    r"^(?P<name>[\w.-]+)(?:\[[\w,.-]+\])?==(?P<version>\S+)(?: ; (?P<marker>[^\\\n]+?))? \\\n(?P<rest>(?:    .*\n)+)",
    re.M,
)
_VIA = re.compile(r"^    #\s+(?:via )?([\w.-]+)", re.M)


@dataclass(frozen=True, slots=True)
class Pin:
    """One line of the pins: a package, when it is needed, what its files may hash to, and who asked for it."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    via: tuple[str, ...]

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class Project:
    """What pyproject.toml says."""

    name: str
    version: str
    license: str
    needs: frozenset[str]  # the core's own dependencies

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class Commit:
    """What is released."""

    id: str
    seconds: int  # when it was committed

    @property
    def time(self) -> str:
        return datetime.fromtimestamp(self.seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_pins(text: str) -> tuple[Pin, ...]:
    return tuple(
        Pin(
            found["name"],
            found["version"],
            found["marker"] or "",
            tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})", found["rest"])),
            tuple(name for name in _VIA.findall(found["rest"]) if name != "via"),
        )
        for found in _PIN.finditer(text)
    )


def read_project(text: str) -> Project:
    said = tomllib.loads(text)["project"]
    names = (re.match(r"[\w.-]+", need) for need in said["dependencies"])
    return Project(said["name"], said["version"], said["license"], frozenset(found[0] for found in names if found))


def sbom_of(project: Project, pins: Iterable[Pin], commit: Commit, files: Mapping[str, str]) -> dict[str, Any]:
    """The bill of materials. A component's hashes are those of its published files, of which an installation takes one."""
    every = list(pins)
    core = _reachable(project.needs, every)
    asked = {pin.name: [other.purl for other in every if pin.name in other.via] for pin in every}
    roots = sorted(pin.purl for pin in every if project.name in pin.via)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(dict(files), sort_keys=True))}",
        "version": 1,
        "metadata": {
            "timestamp": commit.time,
            "tools": {"components": [{"type": "application", "name": "tools/release.py", "version": project.version}]},
            "component": {
                "type": "application",
                "bom-ref": project.purl,
                "name": project.name,
                "version": project.version,
                "purl": project.purl,
                "licenses": [{"license": {"id": project.license}}],
                "hashes": [{"alg": "SHA-256", "content": digest} for _, digest in sorted(files.items())],
            },
        },
        "components": [
            {
                "type": "library",
                "bom-ref": pin.purl,
                "name": pin.name,
                "version": pin.version,
                "purl": pin.purl,
                "scope": "required" if pin.name in core else "optional",
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in pin.hashes],
                **({"properties": [{"name": "reverie:marker", "value": pin.marker}]} if pin.marker else {}),
            }
            for pin in every
        ],
        "dependencies": [
            {"ref": project.purl, "dependsOn": roots},
            *({"ref": pin.purl, "dependsOn": sorted(set(asked[pin.name]))} for pin in every),
        ],
    }


def _reachable(start: Iterable[str], pins: Iterable[Pin]) -> set[str]:
    """What an installation without extras needs: these, and what they asked for."""
    found, wave = set[str](), set(start)
    while wave:
        found |= wave
        wave = {pin.name for pin in pins if wave & set(pin.via)} - found
    return found


def provenance_of(
    commit: Commit, files: Mapping[str, str], tools: Iterable[Pin], inputs: Mapping[str, str]
) -> dict[str, Any]:
    """Which files, made of what, by what. It is a statement of whoever built, and nobody has signed it."""
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(files.items())],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD,
                "externalParameters": {"command": "make release", "commit": commit.id},
                "internalParameters": {"SOURCE_DATE_EPOCH": commit.seconds, "python": platform.python_version()},
                "resolvedDependencies": [
                    {"name": "source", "digest": {"gitCommit": commit.id}},
                    *({"name": name, "digest": {"sha256": digest}} for name, digest in sorted(inputs.items())),
                    *({"uri": pin.purl} for pin in tools),
                ],
            },
            "runDetails": {
                "builder": {"id": "urn:reverie:builder:local"},
                "metadata": {"invocationId": f"{commit.id}:{commit.seconds}"},
            },
        },
    }


def newest_commit(root: Path) -> Commit:
    told = subprocess.run(["git", "log", "-1", "--format=%H %ct"], cwd=root, capture_output=True, check=True, text=True)
    name, seconds = told.stdout.split()
    return Commit(name, int(seconds))


def source_of(root: Path, commit: Commit, into: Path) -> None:
    """The files of a commit, and no other but the one that names it to `dream --version`."""
    packed = subprocess.run(["git", "archive", "--format=tar", commit.id], cwd=root, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(into, filter="data")
    (into / MARK).write_text(f"{commit.id}\n", "utf-8")


def built(source: Path, into: Path, seconds: int) -> dict[str, bytes]:
    """Wheel and sdist of a source folder, by name."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(into)],
        cwd=source,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(seconds)},
        capture_output=True,
        check=True,
    )
    return {path.name: path.read_bytes() for path in sorted(into.iterdir())}


def released(root: Path, commit: Commit) -> dict[str, bytes]:
    """Every file of the release of a commit, by name."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source_of(root, commit, source)
        files = built(source, Path(folder) / "first", commit.seconds)
        again = Path(folder) / "elsewhere" / "again"
        source_of(root, commit, again)
        if built(again, Path(folder) / "second", commit.seconds) != files:
            sys.exit("The same commit was built twice and the files differ: nothing is released.")
        inputs = {name: (source / name).read_bytes() for name in (PINS, TOOLS, "pyproject.toml")}
    project = read_project(inputs["pyproject.toml"].decode())
    pins, tools = (read_pins(inputs[name].decode()) for name in (PINS, TOOLS))
    stem = f"{project.name}-{project.version}"
    files[f"{stem}.cdx.json"] = as_json(sbom_of(project, pins, commit, sums(files)))
    files[f"{stem}.intoto.json"] = as_json(provenance_of(commit, sums(files), tools, sums(inputs)))
    files[SUMS] = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums(files).items())).encode()
    return files


def sums(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def as_json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def check_schema(sbom: bytes) -> None:
    """Stop where the SBOM is not what CycloneDX's own schema asks for."""
    from cyclonedx.schema import SchemaVersion  # of requirements/release.txt: only a release needs it
    from cyclonedx.validation.json import JsonStrictValidator

    if wrong := JsonStrictValidator(SchemaVersion.V1_6).validate_str(sbom.decode()):
        sys.exit(f"The SBOM is not valid: {wrong}")


def main() -> None:
    asked = argparse.ArgumentParser(description="Build a release of the newest commit.")
    asked.add_argument("--into", type=Path, default=ROOT / "dist")
    into = asked.parse_args().into
    commit = newest_commit(ROOT)
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, check=True).stdout:
        print("What is not committed is not in the release.", file=sys.stderr)
    files = released(ROOT, commit)
    check_schema(next(data for name, data in files.items() if name.endswith(".cdx.json")))
    into.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (into / name).write_bytes(data)
        print(f"{into.name}/{name}  {len(data):,} bytes")


if __name__ == "__main__":
    main()
