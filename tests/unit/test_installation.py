"""A copy is brought up to date and never takes a file that is not its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.installation import NAME, copying, install_copy, install_link
from harness.options import UsageError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small skill to install."""
    made = tmp_path / "checkout"
    files = (
        "SKILL.md",
        "README.md",
        "LICENSE",
        "pyproject.toml",
        "constraints.txt",
        "harness/run.py",
        "references/a.md",
    )
    for name in (
        *files,
        "templates/t.j2",
        "tests/test_a.py",
        "harness/__pycache__/run.pyc",
        "evals/case.json",
        ".git/HEAD",
    ):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(f"{name}, first\n")
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "skills" / NAME


def test_a_copy_holds_what_the_skill_needs_and_no_more(root: Path, folder: Path) -> None:
    outcome = install_copy(folder, root=root)
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert found == {*outcome.written, copying.MANIFEST}
    assert "templates/t.j2" in found
    assert not [p for p in found if p.startswith(("tests", "evals", ".git")) or p.endswith(".pyc")]


def test_a_second_run_changes_nothing(root: Path, folder: Path) -> None:
    install_copy(folder, root=root)
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    again = install_copy(folder, root=root)
    assert not again.has_changed
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before


def test_a_newer_version_replaces_its_own_files_and_removes_what_it_no_longer_has(root: Path, folder: Path) -> None:
    install_copy(folder, root=root)
    (root / "SKILL.md").write_text("second\n")
    (root / "references" / "a.md").unlink()
    outcome = install_copy(folder, root=root)
    assert (outcome.written, outcome.removed, outcome.kept) == (("SKILL.md",), ("references/a.md",), ())
    assert (folder / "SKILL.md").read_text() == "second\n"
    assert not (folder / "references").exists()


def test_files_that_the_user_changed_or_added_stay(root: Path, folder: Path) -> None:
    install_copy(folder, root=root)
    (folder / "SKILL.md").write_text("mine\n")
    (folder / "references" / "a.md").write_text("mine too\n")
    (folder / "notes.md").write_text("my notes\n")
    (root / "SKILL.md").write_text("second\n")
    (root / "references" / "a.md").unlink()
    (root / "templates" / "new.j2").write_text("new\n")
    for _ in range(2):
        outcome = install_copy(folder, root=root)
        assert set(outcome.kept) == {"SKILL.md", "references/a.md"}
        assert (folder / "SKILL.md").read_text() == "mine\n"
        assert (folder / "references" / "a.md").read_text() == "mine too\n"
        assert (folder / "notes.md").read_text() == "my notes\n"
        assert (folder / "templates" / "new.j2").read_text() == "new\n"


def test_a_file_that_stands_where_a_new_one_belongs_stays(root: Path, folder: Path) -> None:
    install_copy(folder, root=root)
    (folder / "templates" / "new.j2").write_text("mine\n")
    (root / "templates" / "new.j2").write_text("theirs\n")
    assert install_copy(folder, root=root).kept == ("templates/new.j2",)
    assert (folder / "templates" / "new.j2").read_text() == "mine\n"


def test_nothing_is_written_through_a_link(root: Path, folder: Path, tmp_path: Path) -> None:
    install_copy(folder, root=root)
    elsewhere = tmp_path / "elsewhere"
    (folder / "harness").rename(elsewhere)
    (folder / "harness").symlink_to(elsewhere)
    (root / "harness" / "run.py").write_text("second\n")
    assert install_copy(folder, root=root).kept == ("harness/run.py",)
    assert (elsewhere / "run.py").read_text() == "harness/run.py, first\n"


@pytest.mark.parametrize("install", [install_copy, install_link])
def test_a_folder_of_somebody_else_is_refused(root: Path, folder: Path, install: object) -> None:
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("another skill\n")
    with pytest.raises(UsageError, match="exists"):
        install(folder, root=root)  # type: ignore[operator]
    assert [p.name for p in folder.iterdir()] == ["SKILL.md"]


def test_a_damaged_note_is_refused(root: Path, folder: Path) -> None:
    install_copy(folder, root=root)
    (folder / copying.MANIFEST).write_text("{")
    with pytest.raises(UsageError, match="damaged"):
        install_copy(folder, root=root)


def test_a_dry_run_writes_nothing(root: Path, folder: Path) -> None:
    assert install_copy(folder, is_dry=True, root=root).written
    assert install_link(folder, is_dry=True, root=root).has_changed
    assert not folder.parent.exists()


def test_a_link_follows_the_folder_and_is_made_once(root: Path, folder: Path) -> None:
    assert install_link(folder, root=root).has_changed
    assert (folder / "SKILL.md").read_text() == "SKILL.md, first\n"
    assert not install_link(folder, root=root).has_changed
    with pytest.raises(UsageError, match="nothing to install"):
        install_copy(folder, root=root)


def test_an_interrupted_copy_is_taken_up_again(root: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []

    def write(path: Path, contents: bytes) -> None:
        if len(written) == 4:
            raise KeyboardInterrupt
        written.append(path)
        real(path, contents)

    real = copying._write
    monkeypatch.setattr(copying, "_write", write)
    with pytest.raises(KeyboardInterrupt):
        install_copy(folder, root=root)
    monkeypatch.setattr(copying, "_write", real)
    outcome = install_copy(folder, root=root)
    assert outcome.kept == ()
    assert (folder / "harness" / "run.py").exists()
    assert not install_copy(folder, root=root).has_changed
