"""Two files or two folders: what is run in them, and what differs."""

from pathlib import Path

import pytest

from harness.options import UsageError
from harness.verify import VerifySettings
from harness.verify.programs import programs
from harness.verify.sources import compare_files, source_files
from harness.verify.unchanged import files_kept

TAPE = "import warp as wp\nwith wp.Tape() as tape:\n    pass\n"
MAIN = 'if __name__ == "__main__":\n    pass\n'


def folders(tmp_path: Path, files: dict[str, str], edited: dict[str, str | None] | None = None) -> tuple[Path, Path]:
    """`before` and `after`; in `edited` None deletes."""
    made = tmp_path / "before", tmp_path / "after"
    for folder in made:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
    for name, change in (edited or {}).items():
        if change is None:
            (made[1] / name).unlink()
        else:
            (made[1] / name).write_text(change)
    return made


@pytest.mark.parametrize(
    ("files", "entry"),
    [
        ({"train.py": TAPE, "sim.py": ""}, "train.py"),
        ({"train.py": MAIN, "sim.py": TAPE}, "train.py"),
        ({"train.py": MAIN + TAPE, "sim.py": TAPE, "plot.py": MAIN}, "train.py"),
        ({"app/run.py": TAPE, "data.txt": TAPE}, "app/run.py"),
    ],
)
def test_the_one_script_that_trains_is_found(tmp_path: Path, files: dict[str, str], entry: str) -> None:
    before, after = folders(tmp_path, files)
    old, new = programs(before, after, VerifySettings())
    assert (old.script, new.script) == (entry, entry)
    assert new.target.cwd == str(after.resolve())


@pytest.mark.parametrize(
    "files", [{"a.py": TAPE, "b.py": TAPE}, {"a.py": MAIN + TAPE, "b.py": MAIN + TAPE}, {"a.py": ""}]
)
def test_where_it_is_not_clear_the_script_is_asked_for(tmp_path: Path, files: dict[str, str]) -> None:
    before, after = folders(tmp_path, files)
    with pytest.raises(UsageError, match=r"--entry SCRIPT.*a\.py"):
        programs(before, after, VerifySettings())
    assert programs(before, after, VerifySettings(entry="a.py"))[1].script == "a.py"
    assert programs(before, after, VerifySettings(module="a"))[1].target.module == "a"


def test_a_pair_that_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    before, after = folders(tmp_path, {"train.py": TAPE})
    settings = VerifySettings()
    with pytest.raises(UsageError, match="There is no"):
        programs(before, tmp_path / "missing", settings)
    with pytest.raises(UsageError, match="both files or both folders"):
        programs(before, after / "train.py", settings)
    with pytest.raises(UsageError, match="are the same"):
        programs(before, before, settings)
    with pytest.raises(UsageError, match=r"There is no `fit\.py`"):
        programs(before, after, VerifySettings(entry="fit.py"))
    with pytest.raises(UsageError, match="are files"):
        programs(before / "train.py", after / "train.py", VerifySettings(entry="train.py"))


def test_added_deleted_and_changed_files_are_listed_with_a_difference(tmp_path: Path) -> None:
    files = {"train.py": "a = 1\n", "sim.py": "b = 1\n", "old.py": "c = 1\n"}
    before, after = folders(tmp_path, files, {"train.py": "a = 2\n", "old.py": None, "new.py": "d = 1\n"})
    (after / "__pycache__").mkdir()
    (after / "__pycache__" / "sim.pyc").write_bytes(b"x")
    found = compare_files(before, after)
    assert (found.changed, found.added, found.deleted) == (("train.py",), ("new.py",), ("old.py",))
    for line in ("--- a/train.py", "-a = 1", "+a = 2", "+d = 1", "-c = 1"):
        assert f"{line}\n" in found.diff


def test_skills_of_an_assistant_are_no_part_of_a_program(tmp_path: Path) -> None:
    for name in ("fit.py", "data/readings.txt", "skills/one/SKILL.md", "skills/one/run.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    assert source_files(tmp_path) == ["data/readings.txt", "fit.py"]


def test_of_two_scripts_the_modules_beside_them_that_are_used_are_compared(tmp_path: Path) -> None:
    before, after = folders(
        tmp_path, {"train.py": "a = 1\n", "sim.py": "b = 1\n", "idle.py": ""}, {"sim.py": "b = 2\n"}
    )
    (after / "idle.py").write_text("c = 1\n")
    found = compare_files(before / "train.py", after / "train.py", {"train.py", "sim.py", "gone.py"})
    assert found.changed == ("sim.py",)
    assert compare_files(before / "train.py", after / "train.py").changed == ()


def test_a_file_that_is_no_text_is_named_in_the_difference(tmp_path: Path) -> None:
    before, after = folders(tmp_path, {"mesh.bin": "x"})
    (after / "mesh.bin").write_bytes(b"\xff\xfe\x00")
    assert compare_files(before, after).diff == "Binary or large file mesh.bin differs\n"


def test_a_deleted_file_fails_unless_it_was_meant(tmp_path: Path) -> None:
    before, after = folders(tmp_path, {"train.py": "", "data.txt": ""}, {"data.txt": None})
    files = compare_files(before, after)
    assert files_kept(files, is_deletion_allowed=False).outcome == "failed"
    assert "`data.txt`" in files_kept(files, is_deletion_allowed=False).message
    assert files_kept(files, is_deletion_allowed=True).outcome == "passed"
    assert files_kept(compare_files(before, before), is_deletion_allowed=False).outcome == "passed"


def test_a_note_that_was_not_copied_along_is_named_and_no_loss(tmp_path: Path) -> None:
    before, after = folders(tmp_path, {"train.py": "", "prompt.md": ""}, {"prompt.md": None})
    found = files_kept(compare_files(before, after), is_deletion_allowed=False)
    assert found.outcome == "passed"
    assert "prompt.md" in found.message
