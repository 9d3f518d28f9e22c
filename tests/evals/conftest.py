"""One bench for all tests of this folder, and small cases made on the spot."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_case import CASE, FAULTY, PROGRAM, REFERENCE, MakeCase

from evals.corpus import StoredCase, load
from evals.measure import Bench
from evals.patch import difference


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with Bench() as opened:
        yield opened


@pytest.fixture
def make_case(tmp_path: Path) -> MakeCase:
    """``make_case(staged, mended, reference, **changes of case.json)``."""

    def make(
        staged: str = FAULTY, mended: str | None = PROGRAM, reference: str = REFERENCE, **changes: Any
    ) -> StoredCase:
        body = {**CASE, **changes}
        folder = tmp_path / "corpus" / body["id"]
        (folder / "files").mkdir(parents=True)
        (folder / "files" / "program.py").write_text(staged)
        (folder / "case.json").write_text(json.dumps(body))
        (folder / "reference.py").write_text(reference)
        if mended is not None:
            (folder / "fix.patch").write_text(difference({"program.py": staged}, {"program.py": mended}))
        return load(folder)

    return make
