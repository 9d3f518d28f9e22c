"""What is staged for an assistant, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_case import MakeCase

from evals.export import export
from evals.patch import PatchError, apply, difference
from evals.workspace import check_arm, stage
from harness.options import UsageError

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "\n", "  c\n", "-x\n", "+y\n"]), max_size=12).map("".join)


@given(TEXTS.filter(bool), TEXTS.filter(bool))
def test_a_diff_turns_the_old_text_into_the_new_one(old: str, new: str) -> None:
    assert apply(difference({"f.py": old}, {"f.py": new}), {"f.py": old}) == {"f.py": new}


def test_a_diff_makes_and_removes_files_and_refuses_other_texts() -> None:
    patch = difference({"a": "1\n", "b": "2\n"}, {"b": "2\n3\n", "c": "4\n"})
    assert apply(patch, {"a": "1\n", "b": "2\n"}) == {"b": "2\n3\n", "c": "4\n"}
    with pytest.raises(PatchError, match="does not fit `b`"):
        apply(patch, {"a": "1\n", "b": "5\n"})


def test_a_workspace_holds_the_prompt_and_the_files_alone(make_case: MakeCase, tmp_path: Path) -> None:
    stored = make_case()
    assert stage(stored, tmp_path / "w", "none") == ""
    assert {p.name for p in (tmp_path / "w").rglob("*")} == {"program.py", "prompt.md"}
    prompt = (tmp_path / "w" / "prompt.md").read_text()
    assert stored.case.prompt in prompt
    assert stored.case.expected.causes[0].why not in prompt


def test_the_skill_is_staged_without_evals_tests_and_history(make_case: MakeCase, tmp_path: Path) -> None:
    place = stage(make_case(), tmp_path / "w", "skill")
    skill = tmp_path / "w" / place
    assert (skill / "SKILL.md").is_file()
    assert (skill / "harness" / "run.py").is_file()
    assert not {"evals", "tests", ".git", "__pycache__"} & {p.name for p in skill.rglob("*")}


def test_another_skill_is_taken_from_its_folder(make_case: MakeCase, tmp_path: Path) -> None:
    other = tmp_path / "other-skill"
    (other / "evals").mkdir(parents=True)
    (other / "SKILL.md").write_text("---\nname: other-skill\n---\n")
    assert stage(make_case(), tmp_path / "w", str(other), ".assistant/skills") == ".assistant/skills/other-skill"
    assert not (tmp_path / "w" / ".assistant" / "skills" / "other-skill" / "evals").exists()
    with pytest.raises(UsageError, match=r"SKILL\.md"):
        check_arm(str(tmp_path / "nowhere"))


def test_the_common_form_has_string_ids_files_and_assertions(make_case: MakeCase) -> None:
    body = export([make_case()])
    entry = body["evals"][0]
    assert entry["id"] == "cubes"
    assert entry["files"] == ["cases/cubes/files/program.py"]
    assert any("gradient-accumulation is named" in a for a in entry["assertions"])
    assert {e["should_trigger"] for e in body["evals"]} == {True, False}
