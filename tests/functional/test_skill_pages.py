"""The code on the skill's pages runs, and the case studies go as they are told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from pages_of_the_skill import REFERENCES, ROOT, SKILL, Block, blocks

CASES = ROOT / "references" / "case-studies.md"
WITH_CODE = [page for page in [SKILL, *REFERENCES] if any(b.language == "python" for b in blocks(page))]


def _as_script(page: Path) -> str:
    """All Python blocks of a page in order; one that must raise is wrapped so that it fails if it does not."""
    return "\n\n".join(
        _must_raise(b) if "raises" in b.words else b.code for b in blocks(page) if b.language == "python"
    )


def _must_raise(block: Block) -> str:
    inner = textwrap.indent(block.code, "    ")
    return (
        f"try:\n{inner}except Exception as error:\n    print(error)\nelse:\n    raise SystemExit('it did not raise')\n"
    )


def _run(script: Path) -> str:
    done = subprocess.run(
        [sys.executable, script.name], cwd=script.parent, capture_output=True, text=True, timeout=240, env=os.environ
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text(_as_script(page))
    _run(script)


def _stages(name: str) -> list[str]:
    """An example program, and what each diff of the case studies makes of it in turn."""
    found = [(ROOT / "examples" / name).read_text(encoding="utf-8")]
    for block in blocks(CASES):
        if block.language == "diff" and block.words == (name,):
            found.append(_patched(found[-1], block.code))
    return found


def _patched(text: str, diff: str) -> str:
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE)[1:]:
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        assert text.count(old) == 1, f"the diff does not fit:\n{old}"
        text = text.replace(old, new)
    return text


def _losses(text: str, folder: Path) -> list[float]:
    script = folder / "program.py"
    script.write_text(text)
    return [float(value) for value in re.findall(r"loss (\S+)", _run(script))]


def test_the_cloth_creeps_up_then_crawls_then_arrives(tmp_path: Path) -> None:
    broken, half_fixed, fixed = (_losses(text, tmp_path) for text in _stages("cloth_strip.py"))
    assert broken[0] == pytest.approx(half_fixed[0], rel=1e-6)
    assert broken[0] == pytest.approx(fixed[0], rel=1e-6)
    assert min(broken) < 0.97 * broken[-1]
    assert half_fixed == sorted(half_fixed, reverse=True)
    assert min(half_fixed) > 0.6
    assert fixed[-1] == pytest.approx(0.485, abs=0.001)


def test_the_stones_turn_nan_until_both_faults_are_gone(tmp_path: Path) -> None:
    broken, half_fixed, fixed = (_losses(text, tmp_path) for text in _stages("curling.py"))
    assert broken[6] == half_fixed[6] == fixed[6]
    assert broken[7] != broken[7]
    assert half_fixed[7] != half_fixed[7]
    assert fixed[-1] < 1e-3


def test_the_radiator_needs_a_converged_field(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    middles = []
    for text in _stages("radiator.py"):
        script.write_text(text)
        middles.append([float(v) for v in _run(script).rpartition("[")[2].rstrip("]\n").split()])
    assert min(middles[0]) > 3.0
    assert middles[1] == pytest.approx([1.0] * 8, abs=0.1)
