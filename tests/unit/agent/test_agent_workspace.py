"""The copy, the patch, and the way back to the user's files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.agent import patch, workspace
from harness.agent.workspace import OutsideWorkspace, Workspace, copy_project
from harness.options import UsageError

FILES = {"train.py": b"a = 1\nb = 2\n", "sim/core.py": b"x = 1\r\n", "data.bin": bytes(range(256))}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A project with what should not be copied."""
    root = tmp_path / "project"
    for name, data in {
        **FILES,
        ".git/config": b"secret",
        ".venv/bin/x": b"",
        "env/pyvenv.cfg": b"",
        "__pycache__/a.pyc": b"",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def _copies(source: Path, tmp_path: Path) -> tuple[Workspace, Workspace]:
    for name in ("original", "work"):
        copy_project(source, tmp_path / name)
    return Workspace(tmp_path / "original"), Workspace(tmp_path / "work")


def test_the_copy_has_the_files_and_neither_history_nor_environments(source: Path, tmp_path: Path) -> None:
    original, _ = _copies(source, tmp_path)
    assert sorted(original.files()) == sorted(FILES)
    assert not (original.root / ".git").exists()
    assert not (original.root / "env").exists()


def test_links_inside_stay_inside_the_copy(source: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("x")
    (source / "inside").symlink_to(source / "train.py")
    (source / "away").symlink_to(outside)
    (source / "loop").symlink_to(source)
    original, _ = _copies(source, tmp_path)
    assert original.resolve("inside") == (tmp_path / "original" / "train.py").resolve()
    assert original.resolve("loop/train.py") == original.resolve("train.py")
    with pytest.raises(OutsideWorkspace):
        original.resolve("away")


def test_a_project_that_is_too_large_is_refused(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "MAX_FILES", 2)
    with pytest.raises(UsageError, match="--root"):
        copy_project(source, tmp_path / "copy")


def test_a_copy_below_the_project_does_not_copy_itself(source: Path) -> None:
    copy_project(source, source / "runs" / "original")
    assert not (source / "runs" / "original" / "runs").exists()


def test_the_patch_holds_the_named_changes_and_applies(source: Path, tmp_path: Path) -> None:
    original, work = _copies(source, tmp_path)
    (work.root / "train.py").write_bytes(b"a = 1\nb = 3")
    (work.root / "sim/core.py").write_bytes(b"x = 2\r\n")
    (work.root / "new.py").write_bytes(b"n = 1\n")
    (work.root / "scratch.py").write_bytes(b"print()\n")
    made = patch.changes(original, work, ["train.py", "sim/core.py", "new.py", "data.bin"])
    assert [change.path for change in made] == ["new.py", "sim/core.py", "train.py"]
    patch.tree(original.root, made, tmp_path / "candidate")
    assert sorted(Workspace(tmp_path / "candidate").files()) == sorted([*FILES, "new.py"])
    (tmp_path / "fix.patch").write_bytes(patch.unified(made).encode())
    subprocess.run(["patch", "-p1", "--binary", "-i", str(tmp_path / "fix.patch")], cwd=source, check=True)
    for change in made:
        assert (source / change.path).read_bytes() == change.after


def test_a_patch_is_written_to_the_users_files_with_a_backup(source: Path, tmp_path: Path) -> None:
    original, work = _copies(source, tmp_path)
    (source / "train.py").chmod(0o750)
    (work.root / "train.py").write_bytes(b"a = 9\n")
    made = patch.changes(original, work, ["train.py"])
    patch.apply(made, source, tmp_path / "backup")
    assert (source / "train.py").read_bytes() == b"a = 9\n"
    assert (source / "train.py").stat().st_mode & 0o777 == 0o750
    assert (tmp_path / "backup" / "train.py").read_bytes() == FILES["train.py"]


def test_nothing_is_written_if_one_file_has_changed_meanwhile(source: Path, tmp_path: Path) -> None:
    original, work = _copies(source, tmp_path)
    for name in ("train.py", "sim/core.py"):
        (work.root / name).write_bytes(b"new\n")
    made = patch.changes(original, work, ["train.py", "sim/core.py"])
    (source / "train.py").write_bytes(b"the user's own edit\n")
    with pytest.raises(UsageError, match="not as the run found it"):
        patch.apply(made, source, tmp_path / "backup")
    assert (source / "sim/core.py").read_bytes() == FILES["sim/core.py"]
    assert (source / "train.py").read_bytes() == b"the user's own edit\n"


def test_a_file_that_became_a_link_is_not_written(source: Path, tmp_path: Path) -> None:
    original, work = _copies(source, tmp_path)
    (work.root / "train.py").write_bytes(b"new\n")
    made = patch.changes(original, work, ["train.py"])
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_bytes(FILES["train.py"])
    (source / "train.py").unlink()
    (source / "train.py").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="link"):
        patch.apply(made, source, tmp_path / "backup")
    assert elsewhere.read_bytes() == FILES["train.py"]


PIECES = st.lists(st.sampled_from(["..", ".", "a", "link", "/", "~", "b.py", "\\", "\0", "…"]), min_size=1, max_size=6)


@given(PIECES)
@settings(max_examples=200, deadline=None)
def test_whatever_the_path_it_is_inside_or_refused(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    root = tmp_path_factory.getbasetemp() / "hypothesis-workspace"
    if not root.exists():
        (root / "a").mkdir(parents=True)
        (root / "link").symlink_to("/")
    for path in ("/".join(pieces), "".join(pieces)):
        try:
            found = Workspace(root).resolve(path)
        except OutsideWorkspace:
            continue
        assert os.path.commonpath([os.path.realpath(root), str(found)]) == os.path.realpath(root)


@given(st.binary(max_size=60), st.binary(max_size=60))
@settings(max_examples=60, deadline=None)
def test_a_patch_turns_one_text_into_the_other(
    tmp_path_factory: pytest.TempPathFactory, old: bytes, new: bytes
) -> None:
    before = old.decode("latin-1").replace("\0", "\n").encode()
    after = new.decode("latin-1").replace("\0", "\n").encode()
    change = patch.Change("f.py", before, after)
    text = patch.unified([change])
    if before == after:
        assert text == ""
        return
    folder = tmp_path_factory.mktemp("patched")
    (folder / "f.py").write_bytes(before)
    (folder / "p").write_bytes(text.encode())
    subprocess.run(["patch", "-s", "-p1", "--binary", "-i", "p"], cwd=folder, check=True)
    assert (folder / "f.py").read_bytes() == after
