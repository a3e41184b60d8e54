"""A release: the same commit gives the same bytes, and beside them stands what they need and how they were made."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scripts import tool

ROOT = Path(__file__).parents[2]
release, audit = tool("release"), tool("audit")
VERSION = release.read_project((ROOT / "pyproject.toml").read_text("utf-8")).version
COMMIT = release.Commit("ab" * 20, 1_794_832_989)
PINS = """\
click==8.5.1 \\
    --hash=sha256:{a} \\
    --hash=sha256:{b}
    # via
    #   reverie-dream (pyproject.toml)
    #   uvicorn
tzdata==2026.6 ; sys_platform == 'win32' \\
    --hash=sha256:{a}
    # via reverie-dream (pyproject.toml)
uvicorn[standard]==0.54.0 \\
    --hash=sha256:{b}
    # via reverie-dream (pyproject.toml)
""".format(a="a" * 64, b="b" * 64)
PROJECT = release.Project("reverie-dream", "0.1.0", "MIT", frozenset({"click", "tzdata"}))


def sbom() -> dict[str, Any]:
    found: dict[str, Any] = release.sbom_of(PROJECT, release.read_pins(PINS), COMMIT, {"reverie.whl": "c" * 64})
    return found


def test_pins_are_read_with_their_hashes_and_who_asked_for_them() -> None:
    click, tzdata, uvicorn = release.read_pins(PINS)

    assert click == release.Pin("click", "8.5.1", "", ("a" * 64, "b" * 64), ("reverie-dream", "uvicorn"))
    assert (tzdata.marker, uvicorn.via) == ("sys_platform == 'win32'", ("reverie-dream",))


def test_all_that_the_project_asks_for_is_pinned_with_a_hash() -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [need for name in ("web", "mcp") for need in said["optional-dependencies"][name]]
    asked = {re.match(r"[\w.-]+", need)[0].lower() for need in (*said["dependencies"], *extras)}  # type: ignore[index]
    for name in ("run.txt", "seal.txt", "dev.txt", "release.txt", "docs.txt"):
        text = (ROOT / "requirements" / name).read_text("utf-8")
        pins = release.read_pins(text)
        assert len(pins) == len(re.findall(r"^\S+==", text, re.M)) and all(pin.hashes for pin in pins), name

    assert asked <= {pin.name for pin in release.read_pins((ROOT / "requirements" / "run.txt").read_text("utf-8"))}


def test_what_is_tested_is_what_is_installed() -> None:
    run, dev = ({pin.purl for pin in release.read_pins((ROOT / "requirements" / f"{name}.txt").read_text("utf-8"))} for name in ("run", "dev"))  # fmt: skip

    assert run - dev == set()


def test_the_bill_of_materials_has_what_cyclonedx_requires_and_no_loose_end() -> None:
    bill = sbom()
    every = [bill["metadata"]["component"], *bill["components"]]
    names = [one["bom-ref"] for one in every]

    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    assert all(one["type"] in ("application", "library") and one["name"] and one["version"] for one in every)
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest["content"]) for one in every for digest in one["hashes"])
    assert len(set(names)) == len(names) == len(bill["dependencies"])
    assert {ref for one in bill["dependencies"] for ref in (one["ref"], *one["dependsOn"])} <= set(names)


def test_it_tells_what_the_core_needs_from_what_an_extra_adds() -> None:
    bill = sbom()

    assert {one["name"]: one["scope"] for one in bill["components"]} == {"click": "required", "tzdata": "required", "uvicorn": "optional"}  # fmt: skip
    assert {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}["pkg:pypi/uvicorn@0.54.0"] == ["pkg:pypi/click@8.5.1"]  # fmt: skip


def test_the_statement_names_files_commit_materials_and_builder() -> None:
    tools = release.read_pins(PINS)
    told = release.provenance_of(COMMIT, {"reverie.whl": "c" * 64}, tools, {"pyproject.toml": "d" * 64})

    assert (
        told["_type"] == "https://in-toto.io/Statement/v1" and told["predicateType"] == "https://slsa.dev/provenance/v1"
    )
    assert told["subject"] == [{"name": "reverie.whl", "digest": {"sha256": "c" * 64}}]
    made, by = told["predicate"]["buildDefinition"], told["predicate"]["runDetails"]
    assert (
        made["resolvedDependencies"][0]["digest"] == {"gitCommit": COMMIT.id} and len(made["resolvedDependencies"]) == 5
    )
    assert made["buildType"] and made["externalParameters"]["commit"] == COMMIT.id and by["builder"]["id"]


@pytest.fixture(scope="module")
def released() -> dict[str, bytes]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    files: dict[str, bytes] = release.released(ROOT, release.newest_commit(ROOT))  # builds twice; stops if they differ
    return files


def test_a_release_is_made_of_the_commit_and_its_sums_are_right(released: dict[str, bytes]) -> None:
    built = {f"reverie_dream-{VERSION}{end}" for end in ("-py3-none-any.whl", ".tar.gz")}
    told = {f"reverie-dream-{VERSION}{end}" for end in (".cdx.json", ".intoto.json")}
    assert set(released) == {"SHA256SUMS", *built, *told}

    sums = dict(reversed(line.split("  ")) for line in released["SHA256SUMS"].decode().split("\n")[:-1])
    assert sums == {name: hashlib.sha256(data).hexdigest() for name, data in released.items() if name != "SHA256SUMS"}
    subjects = json.loads(next(data for name, data in released.items() if "intoto" in name))["subject"]
    assert {one["name"]: one["digest"]["sha256"] for one in subjects}.items() <= sums.items()


def test_the_wheel_works_without_the_repository(released: dict[str, bytes], tmp_path: Path) -> None:
    """`tools/try_release.py` does the same in empty environments of every Python that it finds."""
    (wheel,) = (data for name, data in released.items() if name.endswith(".whl"))
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        archive.extractall(tmp_path / "installed")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("- likes black tea\n- likes black tea\n", "utf-8")

    def dream(*words: str) -> str:
        environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path / "installed")}
        asked = [sys.executable, "-m", "reverie", *words]
        return subprocess.run(asked, cwd=notes, env=environ, capture_output=True, check=True, text=True).stdout

    assert VERSION in dream("--version")
    dream("review", "--quiet")
    assert (notes / "MEMORY.md").read_text("utf-8") == "- likes black tea\n"
    mark = tmp_path / "installed" / "reverie" / "_commit.txt"
    assert mark.read_text("utf-8").strip() == release.newest_commit(ROOT).id


def test_the_source_builds_the_same_wheel(released: dict[str, bytes], tmp_path: Path) -> None:
    (source,) = (data for name, data in released.items() if name.endswith(".tar.gz"))
    with tarfile.open(fileobj=io.BytesIO(source)) as archive:
        archive.extractall(tmp_path, filter="data")

    made = release.built(tmp_path / f"reverie_dream-{VERSION}", tmp_path / "dist", release.newest_commit(ROOT).seconds)

    (name,) = (name for name in made if name.endswith(".whl"))
    assert made[name] == released[name]


KNOWN = {"name": "click", "version": "8.5.1", "vulns": []}
UNKNOWN = {"name": "pyjson5", "skip_reason": "not found"}
FLAWED = {"name": "mcp", "version": "2.3.0", "vulns": [{"id": "CVE-0000-0001"}]}


@pytest.mark.parametrize(
    ("packages", "said", "code"),
    [
        (None, "cannot be reached", 75),
        ([UNKNOWN], "cannot be reached", 75),  # a mirror that knows no advisory says nothing about anybody
        ([KNOWN], "no known vulnerability in 1 packages.", 0),
        ([KNOWN, UNKNOWN], "It does not know pyjson5.", 0),
        ([KNOWN, FLAWED], "mcp 2.3.0: CVE-0000-0001", 1),
    ],
)
def test_an_audit_that_nobody_answers_is_not_called_clean(packages: Any, said: str, code: int) -> None:
    told, ended = audit.verdict([("run.txt", packages)])

    assert said in told and ended == code
