"""A program runs as Python itself would run it."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from .conftest import PYTHON, Run

FACTS = """
import sys, os, inspect
print(__name__, __file__, __package__, type(__builtins__).__name__, __spec__ and __spec__.name, __doc__)
print(sys.argv, sys.path[0], os.getcwd(), sys.modules["__main__"].__dict__ is globals())
print(type(__loader__).__name__, sorted(set(globals()) - {"__cached__", "__annotations__"}))
def f(x):
    return x + 1  # kept
print(inspect.getsource(f), f.__module__, f.__code__.co_filename)
"""


def by_python(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PYTHON, *command], cwd=project, capture_output=True, text=True, timeout=60)


def test_script_sees_what_python_would_show_it(run: Run, project: Path) -> None:
    text = '"""Doc."""\n' + FACTS
    outcome = run(text, argv=["-n", "3"])
    assert outcome.error is None, outcome.traceback
    assert outcome.out == by_python(project, "main.py", "-n", "3").stdout


def test_script_in_another_folder_imports_its_neighbours_and_keeps_the_working_folder(run: Run, project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "app.py").write_text(FACTS + "import neighbour\nprint(open('notes.txt').read())\n")
    (project / "src" / "neighbour.py").write_text("print('neighbour')\n")
    outcome = run("", script="src/app.py")
    assert outcome.error is None, outcome.traceback
    assert outcome.out == by_python(project, "src/app.py").stdout


def test_module_and_package_run_as_with_dash_m(run: Run, project: Path) -> None:
    package = project / "tool"
    package.mkdir()
    (package / "__init__.py").write_text("print('package', __name__)\n")
    (package / "__main__.py").write_text(FACTS)
    (package / "part.py").write_text("from . import __name__ as parent\n" + FACTS)
    for module in ("tool.part", "tool"):
        outcome = run("", script=None, module=module, argv=["a"])
        assert outcome.error is None, outcome.traceback
        assert outcome.out == by_python(project, "-m", module, "a").stdout


def test_folder_and_zip_file_with_a_main_run(run: Run, project: Path) -> None:
    (project / "app").mkdir()
    facts = FACTS.replace("inspect.getsource(f), ", "")
    (project / "app" / "__main__.py").write_text(facts)
    with zipfile.ZipFile(project / "app.zip", "w") as archive:
        archive.writestr("__main__.py", facts)
    for script in ("app", "app.zip"):
        outcome = run("", script=script)
        assert outcome.error is None, outcome.traceback
        assert outcome.out == by_python(project, script).stdout


def test_a_package_of_the_users_called_harness_is_theirs(run: Run, project: Path) -> None:
    (project / "harness").mkdir()
    (project / "harness" / "__init__.py").write_text("MINE = True\n")
    outcome = run("import harness; print(harness.MINE)")
    assert outcome.out == "True\n", outcome.traceback


def test_coding_line_and_future_import_hold(run: Run, project: Path) -> None:
    (project / "main.py").write_bytes(
        b"# -*- coding: latin-1 -*-\nfrom __future__ import annotations\nx: Missing = 'caf\xe9'\nprint(ascii(x))\n"
    )
    outcome = run("")
    assert outcome.out == "'caf\\xe9'\n", outcome.traceback
    # Our own `from __future__ import annotations` must not leak into the program.
    assert "NameError" in str(run("x: Missing = 1\n").error) or PYTHON_IS_LAZY


PYTHON_IS_LAZY = by_python(Path("/"), "-c", "x: Missing = 1").returncode == 0

FAILURES = {
    "raise": "def f():\n    raise ValueError('no')\n\nf()\n",
    "chain": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('k') from e\n",
    "context": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    open('missing')\n",
    "syntax": "x = 1\nif x\n    y = 2\n",
    "syntax in module": "import broken\n",
    "missing module": "import not_there_at_all\n",
    "failing module": "import failing\n",
    "write": "open('missing/x', 'w')\n",
    "recursion of libraries": "import json\njson.loads('{')\n",
}


@pytest.mark.parametrize("name", FAILURES)
def test_traceback_is_the_one_python_prints(run: Run, project: Path, name: str) -> None:
    (project / "broken.py").write_text("def f(:\n    pass\n")
    (project / "failing.py").write_text("X = {}\nX['a']\n")
    outcome = run(FAILURES[name])
    assert outcome.error is not None
    expected = by_python(project, "-B", "main.py").stderr
    assert _without_test_driver(outcome.traceback) == expected


def _without_test_driver(text: str) -> str:
    """The driver of these tests is a frame above the program that the harness does not know as its own."""
    kept, skipping = [], False
    for line in text.splitlines(keepends=True):
        if line.startswith("  File "):
            skipping = "/drive.py" in line
        elif not line.startswith("    "):
            skipping = False
        if not skipping:
            kept.append(line)
    header = "Traceback (most recent call last):\n"
    text = "".join(kept)
    return (
        text[len(header) :]
        if text.startswith(header + "  File") and "SyntaxError" in text and "<module>" not in text
        else text
    )


def test_exit_code_passes_through(run: Run) -> None:
    outcome = run("import sys; sys.exit(3)")
    assert outcome.error == "SystemExit: 3"


def test_missing_script_and_module_are_named(run: Run, project: Path) -> None:
    assert "There is no file absent.py" in str(run("", script="absent.py").error)
    assert "There is no module `absent.part`" in str(run("", script=None, module="absent.part").error)
    assert "There is no `__main__.py` in data" in str(run("", script="data").error)


@pytest.mark.parametrize(
    "ask",
    [
        "input('? ')",
        "import sys; sys.stdin.readline()",
        "import sys; list(sys.stdin)",
        "import sys; sys.stdin.read()",
        "import sys; sys.stdin.buffer.read()",
    ],
)
def test_asking_for_input_names_the_line(run: Run, project: Path, ask: str) -> None:
    outcome = run(f"x = 1\n{ask}\n")
    assert outcome.error is not None
    assert outcome.error.startswith(f"InputRequested: The program asks for input at {project}/main.py:2")


def test_program_may_treat_refused_input_as_end_of_file(run: Run) -> None:
    outcome = run("try:\n    input()\nexcept EOFError:\n    print('end')\n")
    assert outcome.out == "end\n"
    assert outcome.error is None
