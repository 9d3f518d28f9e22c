"""The folder is a skill: its frontmatter, its sizes, its links, and what plugins say of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from harness.installation import NAME, install_copy
from harness.options import VERSION

ROOT = Path(__file__).resolve().parents[2]
SKILL = (ROOT / "SKILL.md").read_text(encoding="utf-8")
FRONTMATTER, BODY = SKILL.split("---\n", 2)[1:]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"`(references/[\w./-]+\.md)`")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed copy, in a folder of the skill's name."""
    return install_copy(tmp_path_factory.mktemp("skills") / NAME).folder


def fields() -> dict[str, str]:
    """Top-level fields of the frontmatter; a nested one holds its lines."""
    found: dict[str, str] = {}
    for line in FRONTMATTER.splitlines():
        if line.startswith(" "):
            found[next(reversed(found))] += f"\n{line.strip()}"
        else:
            name, _, value = line.partition(": ")
            found[name.rstrip(":")] = value
    return found


def test_the_frontmatter_holds_what_the_format_allows() -> None:
    given = fields()
    assert set(given) <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert given["name"] == NAME
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", given["name"])
    assert 200 < len(given["description"]) <= 1024
    assert not re.search(r"[<>]|---", given["description"])
    assert len(given["compatibility"]) <= 500
    assert f'version: "{VERSION}"' in given["metadata"]
    assert re.search(r'author: ".+ <.+@.+>"', given["metadata"])


def test_the_body_is_short_enough_to_be_loaded() -> None:
    assert len(BODY.splitlines()) < 300
    assert len(BODY) < 14_000, "about 3,000 tokens"


def test_there_is_one_skill_and_no_other_below_it(copy: Path) -> None:
    assert list(copy.rglob("SKILL.md")) == [copy / "SKILL.md"]


@pytest.mark.parametrize("name", ["SKILL.md", "README.md"])
def test_every_link_leads_somewhere_inside_the_folder(copy: Path, name: str) -> None:
    targets = [t for t in LINK.findall((copy / name).read_text()) if not re.match(r"\w+:|#", t)]
    assert [t for t in targets if not (copy / t.partition("#")[0]).exists()] == []


def test_references_are_one_level_deep_and_named_in_the_skill() -> None:
    """Pages of kinds, which are generated, share a folder; no page sends the reader on to a third one."""
    pages = [p.relative_to(ROOT).as_posix() for p in (ROOT / "references").rglob("*.md")]
    assert len(pages) > 20
    assert all(p.count("/") == 1 or re.fullmatch(r"references/kinds/[a-z-]+\.md", p) for p in pages)
    assert all(f"`{p}`" in BODY or p.startswith("references/kinds/") for p in pages)


def test_every_reference_that_the_skill_names_is_there(copy: Path) -> None:
    named = [name for name in REFERENCE.findall(BODY) if "KIND" not in name]
    assert len(named) >= 5
    assert [name for name in named if not (copy / name).is_file()] == []


def test_it_is_valid_for_the_reference_library(copy: Path) -> None:
    command = Path(sysconfig.get_path("scripts")) / "agentskills"
    found = str(command) if command.exists() else shutil.which("agentskills")
    if found is None:
        pytest.skip("skills-ref, which brings the command agentskills, is not installed")
    done = subprocess.run([found, "validate", str(copy)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_plugin_files_speak_of_this_version_and_this_skill() -> None:
    project = dict(re.findall(r'^(name|version) = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE))
    plugin = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())
    marketplace = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
    (entry,) = marketplace["plugins"]
    versions = {plugin["version"], entry["version"], marketplace["metadata"]["version"], project["version"], VERSION}
    assert versions == {VERSION}
    assert {plugin["name"], entry["name"], project["name"]} == {NAME}
    assert (ROOT / entry["source"] / "SKILL.md").exists()
    assert [(ROOT / folder / "SKILL.md").exists() for folder in plugin["skills"]] == [True]
