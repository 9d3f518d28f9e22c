"""The corpus as a whole: enough cases of every kind, varied, and nothing in them that gives the answer away.

Each is then run with its fault and with its fix, as `python -m evals.run validate` does.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from evals.corpus import CASES, StoredCase, select
from evals.measure import Bench
from evals.truth import load_reference, value
from evals.validate import validate
from harness.schema.vocabulary import DEFECT_KINDS, NON_DEFECT_KINDS

CORPUS = select()
KNOWN_ANSWERS = Path(__file__).parents[1] / "programs" / "shared"
PHYSICS = (
    "mass-spring", "cloth", "contact", "fluid", "particles", "heat", "optics", "rigid-chain", "sensor-calibration",
    "trajectory-optimisation", "neural-field", "torch",
)  # fmt: skip


def python_files(stored: StoredCase) -> dict[str, str]:
    return {name: text for name, text in stored.texts.items() if name.endswith(".py")}


def test_every_folder_is_a_case_and_there_are_eighty_at_least() -> None:
    assert {s.folder.name for s in CORPUS} == {p.name for p in CASES.iterdir() if p.is_dir()}
    assert len(CORPUS) >= 80


def test_every_kind_occurs_twice_at_least() -> None:
    seen = Counter(kind for s in CORPUS for kind in {c.kind for c in s.case.expected.causes})
    seen += Counter(kind for s in CORPUS for kind in {r.kind for r in s.case.expected.remarks})
    assert {kind: seen[kind] for kind in DEFECT_KINDS | NON_DEFECT_KINDS if seen[kind] < 2} == {}


def test_faults_come_together_and_hide_behind_each_other() -> None:
    several = [s.case for s in CORPUS if len(s.case.expected.causes) > 1]
    assert len(several) >= 15
    assert any(len(c.expected.causes) == 3 for c in several)
    assert sum(any(cause.hidden_behind for cause in c.expected.causes) for c in several) >= 4


def test_fifteen_cases_have_nothing_to_mend() -> None:
    controls = [s for s in CORPUS if s.case.expected.verdict == "correct" and not s.case.expected.remarks]
    assert len(controls) >= 15
    assert not any(s.patch for s in controls)


@pytest.mark.parametrize("tag", PHYSICS)
def test_the_physics_that_users_have_is_there(tag: str) -> None:
    assert any(tag in s.case.tags for s in CORPUS)


def test_programs_have_one_file_to_five_and_right_code_that_looks_suspicious() -> None:
    sizes = [len(python_files(s)) for s in CORPUS]
    assert (min(sizes), max(sizes)) == (1, 5)
    assert sum(size > 1 for size in sizes) >= 15
    assert sum(bool(s.case.decoys) for s in CORPUS) >= 20
    assert sum("wrong-theory" in s.case.tags or "misleading" in s.case.tags for s in CORPUS) >= 15


def test_torch_is_asked_for_where_it_is_imported() -> None:
    for stored in CORPUS:
        imports = any("import torch" in text for text in python_files(stored).values())
        assert imports == ("torch" in stored.case.needs), stored.case.id


def test_no_two_prompts_are_alike() -> None:
    assert max(Counter(s.case.prompt for s in CORPUS).values()) == 1


@pytest.mark.parametrize("stored", CORPUS, ids=lambda s: s.case.id)
def test_a_case_is_whole(stored: StoredCase) -> None:
    for name, text in python_files(stored).items():
        ast.parse(text, name)
    assert 40 <= sum(text.count("\n") for text in stored.texts.values()) <= 400
    known = {p.read_text(encoding="utf-8") for p in KNOWN_ANSWERS.rglob("*.py")}
    assert not known & set(stored.texts.values()), "a program with a published answer"


@pytest.mark.parametrize("stored", CORPUS, ids=lambda s: s.case.id)
def test_a_case_is_what_it_says(bench: Bench, stored: StoredCase) -> None:
    found = validate(bench, stored)
    if found.skipped:
        pytest.skip(found.skipped)
    assert [f"{c.name}: {c.detail}" for c in found.checks if not c.passed] == []
    assert found.passed


def test_a_case_without_a_metric_says_why_and_there_are_few() -> None:
    without = [s.case for s in CORPUS if s.case.metric is None]
    assert [case.id for case in without if not case.metric_absent] == []
    assert len(without) <= len(CORPUS) // 8


@pytest.mark.parametrize("stored", [s for s in CORPUS if not s.case.truth.absent], ids=lambda s: s.case.id)
def test_the_reference_depends_on_its_parameters_alone(stored: StoredCase) -> None:
    reference = load_reference(stored.reference_path)
    assert "warp" not in stored.reference_path.read_text(encoding="utf-8")
    random = {p.name: np.random.default_rng(0).uniform(0.5, 1.0, p.shape) for p in stored.case.parameters}
    assert value(reference.objective, random, 0) == value(reference.objective, random, 0)
