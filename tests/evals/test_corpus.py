"""What can be checked of every stored case without running it; `make evals` runs them."""

from __future__ import annotations

import numpy as np
import pytest

from evals.corpus import CASES, StoredCase, select
from evals.truth import load_reference, value
from evals.validate import text_checks

STORED = select()


@pytest.mark.parametrize("stored", STORED, ids=lambda stored: stored.case.id)
def test_texts_of_the_case_hold_together(stored: StoredCase) -> None:
    assert [f"{c.name}: {c.detail}" for c in text_checks(stored) if not c.passed] == []


@pytest.mark.parametrize("stored", [s for s in STORED if not s.case.truth.absent], ids=lambda stored: stored.case.id)
def test_the_reference_depends_on_its_parameters_alone(stored: StoredCase) -> None:
    reference = load_reference(stored.reference_path)
    assert "import warp" not in stored.reference_path.read_text()
    shapes = {p.name: p.shape for p in stored.case.parameters}
    random = {name: np.random.default_rng(0).uniform(0.5, 1.0, shape) for name, shape in shapes.items()}
    assert value(reference.objective, random, 0) == value(reference.objective, random, 0)


def test_ids_are_folders_and_every_folder_is_a_case() -> None:
    folders = {p.name for p in CASES.iterdir() if p.is_dir() and not p.name.startswith(("_", "."))}
    assert folders == {stored.case.id for stored in STORED}
