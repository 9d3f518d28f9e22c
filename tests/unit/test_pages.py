"""The pages of the kinds, their copies under `references/kinds`, and `explain`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from harness import pages
from harness.command.explain import explain
from harness.command.main import main
from harness.kinds.pages import FOLDER, rendered, write
from harness.options import UsageError
from harness.schema import DEFECT_KINDS, NON_DEFECT_KINDS


def test_the_checked_in_pages_are_those_of_the_docstrings() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert found == rendered(), "run: python -m harness.kinds.pages"


def test_pages_of_kinds_that_are_gone_are_removed(tmp_path: Path) -> None:
    (tmp_path / "gone.md").write_text("old")
    assert {path.name for path in write(tmp_path)} == {path.name for path in tmp_path.iterdir()} == set(rendered())


def test_only_names_of_the_report_have_pages() -> None:
    assert pages.names()
    assert set(pages.names()) <= {*DEFECT_KINDS, *NON_DEFECT_KINDS}


@pytest.mark.parametrize("kind", pages.names())
def test_the_examples_are_programs(kind: str) -> None:
    for heading in pages.EXAMPLES:
        assert "import warp" in pages.example(kind, heading)
        ast.parse(pages.example(kind, heading))
    assert pages.page(kind).count("```") == 4


def test_explain_takes_both_spellings() -> None:
    assert explain(["dynamic-loop"]) == explain(["dynamic_loop"]) == pages.page("dynamic-loop")


def test_explain_without_a_kind_lists_all_of_them() -> None:
    listing = explain([])
    assert all(f"\n{kind} " in f"\n{listing}" for kind in pages.names())


def test_an_unknown_kind_is_answered_with_those_that_are_close() -> None:
    with pytest.raises(UsageError, match="Close to it: dynamic-loop"):
        explain(["dynamc-lop"])
    with pytest.raises(UsageError, match="lists them all"):
        explain(["zzz"])


def test_the_command_explains(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "local-array"]) == 0
    assert capsys.readouterr().out == pages.page("local-array")
    assert main(["explain", "nothing-like-it"]) == 2
    assert "no kind `nothing-like-it`" in capsys.readouterr().err
