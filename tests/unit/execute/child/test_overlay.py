"""The user's folder stays as it was, and the program sees its own writes."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from .conftest import Run


def test_program_reads_back_what_it_wrote_in_every_way_of_writing(run: Run) -> None:
    outcome = run(
        """
        import csv, os, pathlib, pickle, json, io
        with open("log.txt", "w") as f:
            f.write("one\\n")
        with open("log.txt", "a") as f:
            f.write("two\\n")
        assert open("log.txt").read() == "one\\ntwo\\n"
        with open("notes.txt", "a") as f:
            f.write("second line\\n")
        assert open("notes.txt").read() == "first line\\nsecond line\\n"
        with open("data/gains.csv", "r+") as f:
            f.write("z")
        assert list(csv.reader(open("data/gains.csv"))) == [["z", "1"], ["b", "2"]]
        pathlib.Path("out/run/1").mkdir(parents=True)
        pathlib.Path("out/run/1/p.txt").write_text("text")
        assert pathlib.Path("out/run/1/p.txt").read_text() == "text"
        with open("state.pkl", "wb") as f:
            pickle.dump({"a": 1}, f)
        assert pickle.load(open("state.pkl", "rb")) == {"a": 1}
        with io.FileIO("raw.bin", "w") as f:
            f.write(b"raw")
        assert isinstance(open("raw.bin", "rb", buffering=0), io.FileIO)
        assert os.path.getsize("raw.bin") == 3
        fd = os.open("fd.txt", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        os.write(fd, b"fd"); os.close(fd)
        assert sorted(os.listdir()) == sorted(["data", "data-link", "fd.txt", "link.txt", "log.txt", "main.py",
            "notes.txt", "out", "raw.bin", "state.pkl"])
        assert open("log.txt").name == "log.txt"
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.writes["notes.txt"] == "changed"
    assert outcome.writes["out/run/1/p.txt"] == "created"
    assert outcome.escapes == []


def test_deleted_and_renamed_files_are_gone_for_the_program_only(run: Run) -> None:
    outcome = run(
        """
        import os, pathlib, shutil
        os.remove("notes.txt")
        assert not os.path.exists("notes.txt") and "notes.txt" not in os.listdir(".")
        assert os.path.islink("link.txt") and not os.path.exists("link.txt")
        try:
            open("notes.txt")
        except FileNotFoundError as error:
            assert error.filename == "notes.txt", error.filename
        else:
            raise AssertionError
        os.rename("data/gains.csv", "gains-old.csv")
        assert open("gains-old.csv").read() == "a,1\\nb,2\\n"
        assert os.listdir("data") == ["deep"]
        os.replace("data", "archive")
        assert [list(x[1:]) for x in os.walk("archive")] == [[["deep"], []], [[], ["blob.bin"]]]
        assert not os.path.isdir("data")
        shutil.rmtree("archive")
        assert not pathlib.Path("archive/deep/blob.bin").exists()
        os.mkdir("data")
        assert os.listdir("data") == []
        os.rmdir("data")
        pathlib.Path("notes.txt").write_text("new")
        assert open("link.txt").read() == "new"
        pathlib.Path("gains-old.csv").unlink()
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.writes == {
        "data": "deleted",
        "notes.txt": "changed",
    }


def test_metadata_links_and_truncation_stay_in_scratch(run: Run) -> None:
    outcome = run(
        """
        import os, stat
        os.chmod("notes.txt", 0o600)
        assert stat.S_IMODE(os.stat("notes.txt").st_mode) == 0o600
        os.utime("data", (1, 1))
        assert os.stat("data").st_mtime == 1 and sorted(os.listdir("data")) == ["deep", "gains.csv"]
        os.truncate("data/gains.csv", 2)
        assert open("data/gains.csv").read() == "a,"
        os.symlink("data", "latest")
        assert open("latest/gains.csv").read() == "a," and os.readlink("latest") == "data"
        os.link("data/deep/blob.bin", "hard.bin")
        with open("hard.bin", "r+b") as f:
            f.write(b"zz")
        assert open("data/deep/blob.bin", "rb").read(2) == b"zz"
        with open("data-link/new.txt", "w") as f:
            f.write("x")
        assert os.path.exists("data/new.txt") and os.path.samefile("data/new.txt", "data-link/new.txt")
        fd = os.open("link.txt", os.O_RDONLY)
        os.fchmod(fd, 0o640)
        """
    )
    assert outcome.error is None, outcome.traceback


def test_shutil_copies_moves_and_removes_trees(run: Run) -> None:
    outcome = run(
        """
        import glob, os, pathlib, shutil
        shutil.copytree("data", "copy")
        shutil.copy2("notes.txt", "copy/notes.txt")
        shutil.copyfile("data/deep/blob.bin", "copy/blob2.bin")
        assert sorted(p.name for p in pathlib.Path("copy").iterdir()) == ["blob2.bin", "deep", "gains.csv", "notes.txt"]
        shutil.move("copy", "moved")
        assert sorted(map(str, pathlib.Path("moved").rglob("*.bin"))) == ["moved/blob2.bin", "moved/deep/blob.bin"]
        assert sorted(glob.glob("**/*.csv", recursive=True)) == ["data-link/gains.csv", "data/gains.csv",
            "moved/gains.csv"], glob.glob("**/*.csv", recursive=True)
        shutil.rmtree("data")
        shutil.rmtree("moved", ignore_errors=True)
        assert sorted(os.listdir()) == ["data-link", "link.txt", "main.py", "notes.txt"]
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.writes == {"data": "deleted"}


def test_errors_are_the_ones_the_system_gives(run: Run) -> None:
    program = """
        import errno, os, pathlib
        def code(call, *args, **options):
            try:
                call(*args, **options)
            except OSError as error:
                return type(error).__name__, error.errno, error.filename
            return None
        print(code(open, "missing/x", "w"))
        print(code(open, "data", "w"))
        print(code(open, "notes.txt/x", "w"))
        print(code(open, "missing"))
        print(code(open, "notes.txt", "x"))
        print(code(os.mkdir, "data"))
        print(code(os.rmdir, "data"))
        print(code(os.rmdir, "notes.txt"))
        print(code(os.remove, "missing"))
        print(code(os.rename, "missing", "other"))
        print(code(os.rename, "notes.txt", "data"))
        print(code(os.rename, "data", "data/deep/inner"))
        print(code(os.listdir, "missing"), code(os.scandir, "notes.txt"))
        print(code(os.stat, "missing"), code(os.stat, ""), os.path.exists(""), os.access("missing", os.R_OK))
        print(code(os.chdir, "missing"), code(os.readlink, "notes.txt"), code(os.symlink, "a", "notes.txt"))
        print(code(pathlib.Path("missing").unlink, missing_ok=True), code(pathlib.Path("data").mkdir, exist_ok=True))
        """
    inside = run(program)
    assert inside.error is None, inside.traceback
    outside = run(program, overlay=False)
    assert outside.error is None, outside.traceback
    assert inside.out == outside.out


def test_working_folder_may_be_one_the_program_made(run: Run) -> None:
    outcome = run(
        """
        import os, pathlib
        home = os.getcwd()
        os.makedirs("out/deep")
        os.chdir("out/deep")
        assert os.getcwd() == home + "/out/deep" and str(pathlib.Path.cwd()) == os.getcwd()
        open("here.txt", "w").write("x")
        assert os.listdir() == ["here.txt"] and open("../../notes.txt").read() == "first line\\n"
        assert [e.name for e in os.scandir("../..")].count("out") == 1
        os.chdir("../..")
        assert os.getcwd() == home and os.path.isfile("out/deep/here.txt")
        os.chdir("data")
        open("gains.csv", "a").write("c,3\\n")
        assert open("../data-link/gains.csv").read().endswith("c,3\\n")
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.writes["out/deep/here.txt"] == "created"


def test_temporary_files_are_real_and_leave_no_trace(run: Run, tmp_path: Path) -> None:
    outcome = run(
        """
        import os, tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x")
            open(path, "w").write("t")
            assert os.listdir(folder) == ["x"]
        assert not os.path.exists(folder)
        with tempfile.NamedTemporaryFile("w", dir=".", suffix=".txt", delete=False) as f:
            f.write("kept")
        assert open(f.name).read() == "kept" and os.path.basename(f.name) in os.listdir()
        os.replace(f.name, "final.txt")
        assert open("final.txt").read() == "kept"
        with tempfile.TemporaryFile(dir="data") as f:
            f.write(b"1")
        print(tempfile.gettempdir())
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.out.strip().startswith(str(tmp_path / "scratch"))
    assert outcome.writes == {"final.txt": "created"}


def test_numpy_and_databases_write_to_scratch(run: Run) -> None:
    pytest.importorskip("numpy")
    outcome = run(
        """
        import dbm.dumb, os, sqlite3
        import numpy as np
        a = np.arange(6.0)
        np.save("a.npy", a); np.savez("b.npz", a=a); np.savetxt("c.txt", a); a.tofile("d.bin")
        assert (np.load("a.npy") == a).all() and (np.load("b.npz")["a"] == a).all()
        assert (np.loadtxt("c.txt") == a).all() and (np.fromfile("d.bin") == a).all()
        m = np.memmap("data/deep/blob.bin", mode="r+", dtype=np.uint8)
        m[0] = 99; m.flush()
        assert np.fromfile("data/deep/blob.bin", np.uint8)[0] == 99
        db = sqlite3.connect("runs.db")
        db.execute("create table t (x)"); db.execute("insert into t values (1)"); db.commit(); db.close()
        assert sqlite3.connect("runs.db").execute("select x from t").fetchall() == [(1,)]
        assert os.path.exists("runs.db")
        import dbm
        with dbm.open("shelf", "c") as shelf:
            shelf["k"] = "v"
        assert dbm.open("shelf", "r")["k"] == b"v"
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.writes["d.bin"] == "created"
    assert outcome.writes["data/deep/blob.bin"] == "changed"
    assert outcome.writes["runs.db"] == "created"


def test_other_programs_are_refused_unless_they_only_answer_a_question(run: Run) -> None:
    outcome = run(
        """
        import os, platform, subprocess, ctypes.util
        for start in (lambda: subprocess.run(["touch", "made"]), lambda: os.system("touch made"),
                      lambda: os.popen("touch made"), lambda: os.posix_spawn("/bin/sh", ["sh"], {}),
                      lambda: subprocess.run("touch made", shell=True), lambda: os.execv("/bin/sh", ["sh"])):
            try:
                start()
            except PermissionError as error:
                print(error)
            else:
                raise AssertionError
        assert subprocess.run(["uname"], capture_output=True, text=True).stdout.strip() == "Linux"
        platform.platform(); ctypes.util.find_library("c")
        """
    )
    assert outcome.error is None, outcome.traceback
    assert "`touch made` was not started" in outcome.out
    assert "--allow-writes" in outcome.out
    assert "the program `touch made`" in outcome.escapes


def test_ways_around_the_patched_functions_are_refused(run: Run) -> None:
    outcome = run(
        """
        import posix, _io, os
        for change in (lambda: posix.remove("notes.txt"), lambda: posix.rename("notes.txt", "x"),
                       lambda: _io.FileIO("notes.txt", "w"), lambda: posix.open("notes.txt", os.O_WRONLY),
                       lambda: posix.chmod("notes.txt", 0), lambda: posix.mkdir("made"),
                       lambda: posix.utime("data-link/gains.csv", (1, 1))):
            try:
                change()
            except PermissionError as error:
                assert "--allow-writes" in str(error)
            else:
                raise AssertionError
        """
    )
    assert outcome.error is None, outcome.traceback
    assert len(outcome.escapes) == 7


def test_kernel_refuses_writes_of_compiled_code_where_it_can(run: Run) -> None:
    outcome = (
        run(
            """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        libc.fopen.restype = ctypes.c_void_p
        print(libc.fopen(b"notes.txt", b"w"), libc.unlink(b"notes.txt"), libc.fopen(b"/dev/null", b"w") is not None)
        open("fine.txt", "w").write("x")
        """,
            confine=True,
        )
        if _kernel_can_confine()
        else None
    )
    if outcome is None:
        pytest.skip("this kernel has no Landlock")
    assert outcome.error is None, outcome.traceback
    assert outcome.confined is True
    assert outcome.out.split() == ["None", "-1", "True"]


def _kernel_can_confine() -> bool:
    try:
        return "landlock" in Path("/sys/kernel/security/lsm").read_text()
    except OSError:
        import ctypes

        return bool(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint32(1)) >= 3)


def test_forked_children_continue_from_the_present_state_apart_from_each_other(run: Run, tmp_path: Path) -> None:
    outcome = run(
        f"""
        import os, pathlib, tempfile
        import overlay_under_test as overlay
        os.remove("link.txt")
        log = open("log.txt", "w"); log.write("parent\\n"); log.flush()
        reader = open("data/gains.csv"); reader.readline()
        temporary = tempfile.mkdtemp()
        open(temporary + "/t", "w").write("t")
        for name in ("left", "right"):
            child = os.fork()
            if child == 0:
                try:
                    overlay.fork(pathlib.Path({str(tmp_path)!r}) / ("scratch-" + name))
                    log.write(name); log.close()
                    assert open("log.txt").read() == "parent\\n" + name, open("log.txt").read()
                    assert not os.path.lexists("link.txt")
                    assert reader.readlines() == ["b,2\\n"]
                    open(temporary + "/t", "a").write(name)
                    assert open(temporary + "/t").read() == "t" + name
                    os.remove("notes.txt")
                    os._exit(0)
                except BaseException as error:
                    print(repr(error), flush=True)
                    os._exit(1)
            assert os.waitpid(child, 0)[1] == 0
        assert open("log.txt").read() == "parent\\n" and os.path.exists("notes.txt")
        assert open(temporary + "/t").read() == "t" and reader.readlines() == ["b,2\\n"]
        """
    )
    assert outcome.error is None, outcome.out + outcome.traceback
    assert outcome.writes == {"link.txt": "deleted", "log.txt": "created"}


def test_multiprocessing_workers_write_where_their_parent_reads(run: Run) -> None:
    outcome = run(
        """
        import multiprocessing, os
        def work(n):
            open(f"part{n}.txt", "w").write(str(n))
            return n
        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                assert pool.map(work, range(3)) == [0, 1, 2]
            assert [open(f"part{n}.txt").read() for n in range(3)] == ["0", "1", "2"]
            try:
                multiprocessing.get_context("spawn").Process(target=work, args=(7,)).start()
            except PermissionError as error:
                print(error)
        """
    )
    assert outcome.error is None, outcome.traceback
    assert "was not started" in outcome.out
    assert set(outcome.writes) == {"part0.txt", "part1.txt", "part2.txt"}


def test_modules_the_program_imports_leave_no_byte_code_and_may_be_written_by_it(run: Run, project: Path) -> None:
    (project / "model.py").write_text("from os import remove\nX = 1\n")
    outcome = run(
        """
        import model, json.tool, unittest.mock, concurrent.futures, xml.dom.minidom
        model.remove("notes.txt")
        open("generated.py", "w").write("VALUE = 42")
        import importlib; importlib.invalidate_caches()
        import generated, inspect
        print(generated.VALUE, inspect.getsource(generated).strip())
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.out == "42 VALUE = 42\n"


def test_importing_many_modules_costs_little_more_than_without(run: Run) -> None:
    program = """
        import time, sys
        start = time.perf_counter()
        import asyncio, unittest.mock, xml.dom.minidom, concurrent.futures, email.mime.text, http.client, pydoc, csv
        import logging.config, multiprocessing.managers, decimal
        print(time.perf_counter() - start)
        """
    run(program, overlay=False)  # fills the file cache
    plain = min(float(run(program, overlay=False).out) for _ in range(2))
    overlaid = min(float(run(program).out) for _ in range(2))
    assert overlaid < 2 * plain + 0.1


def test_after_uninstall_functions_kept_by_the_program_act_for_real(run: Run, project: Path, tmp_path: Path) -> None:
    outcome = run(
        f"""
        import atexit, os, pathlib
        from os import remove
        pathlib.Path({str(tmp_path)!r}, "caches").mkdir(exist_ok=True)
        open({str(tmp_path)!r} + "/victim", "w").write("scratch only")
        assert not atexit.register(lambda: remove({str(tmp_path)!r} + "/real"))  is None
        """,
    )
    assert outcome.error is None, outcome.traceback
    assert (tmp_path / "caches").is_dir()
    assert not (tmp_path / "victim").exists()


# Stand-ins that open files in "compiled code": through the functions of `posix`, which nothing patches.
FAKE_LIBRARIES = {
    "h5py": """
        import posix
        class File:
            def __init__(self, name, mode="r"):
                flags = posix.O_RDONLY if mode == "r" else posix.O_RDWR | posix.O_CREAT
                self.fd = posix.open(name, flags, 0o644)
            def write(self, data): posix.write(self.fd, data)
            def read(self): return posix.read(self.fd, 100)
        """,
    "torch": """
        import posix
        def save(obj, f):
            fd = posix.open(f, posix.O_WRONLY | posix.O_CREAT, 0o644)
            posix.write(fd, obj)
            posix.close(fd)
        """,
}


def test_known_libraries_with_compiled_writers_write_to_scratch(run: Run, project: Path) -> None:
    for name, source in FAKE_LIBRARIES.items():
        (project / f"{name}.py").write_text(textwrap.dedent(source))
    outcome = run(
        """
        import h5py, torch
        from torch import save
        assert h5py.File("notes.txt").read() == b"first line\\n"
        f = h5py.File("notes.txt", mode="r+")
        f.write(b"FIRST")
        assert open("notes.txt").read() == "FIRST line\\n"
        assert h5py.File("notes.txt", "r").read() == b"FIRST line\\n"
        torch.save(b"weights", "model.pt"); save(b"weights", f="second.pt")
        assert open("model.pt", "rb").read() == open("second.pt", "rb").read() == b"weights"
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.writes == {"notes.txt": "changed", "model.pt": "created", "second.pt": "created"}
    assert outcome.escapes == []


def test_kernel_cache_that_the_program_puts_into_its_folder_is_the_usual_one(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARP_CACHE_PATH", str(tmp_path / "caches"))
    (project / "warp" / "_src").mkdir(parents=True)
    (project / "warp" / "__init__.py").write_text("")
    (project / "warp" / "_src" / "__init__.py").write_text("")
    (project / "warp" / "_src" / "build.py").write_text("def init_kernel_cache(path=None):\n    return path\n")
    outcome = run(
        """
        import os
        from warp._src import build
        print(os.path.basename(build.init_kernel_cache("my-cache")), build.init_kernel_cache(), flush=True)
        """
    )
    assert outcome.error is None, outcome.traceback
    assert outcome.out == "caches None\n"
