"""Arguments, exit codes, messages and files of the command itself."""

from __future__ import annotations

import os
import pty
import resource
import select
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from driving import COMMAND, HEADER, ROOT, Diagnose, Outcome, run_command

from harness.command.main import SUBCOMMANDS
from harness.schema import Report

QUICK = ("--iterations", "1", "--budget", "5")
TRAIN = HEADER + "for step in range(2):\n    iterate()\n"


@pytest.fixture(scope="module")
def empty_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter without any package."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=False)
    return str(folder / "bin" / "python")


def refused(outcome: Outcome, said: str) -> None:
    """One message on standard error, exit code 2, and nothing else."""
    assert outcome.code == 2
    assert said in outcome.stderr
    assert len(outcome.stderr.strip().splitlines()) <= 2
    assert "Traceback" not in outcome.stderr
    assert outcome.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Name one program"),
        (("program.py", "-m", "other"), "Name one program"),
        (("absent.py",), "There is no file `absent.py`"),
        (("folder",), "`folder` is a folder without `__main__.py`"),
        (("-m", "absent"), "There is no module `absent`"),
        (("program.py", "--set", "N"), "is not NAME=VALUE"),
        (("program.py", "--set", "ABSENT=3"), "`ABSENT` is not assigned"),
        (("program.py", "--set", "absent.N=3", "--iterations", "1"), "the program did not import `absent`"),
        (("program.py", "--iterations", "0"), "must be positive"),
        (("program.py", "--timeout", "nan"), "must be positive"),
        (("program.py", "--max-memory", "-1"), "--max-memory must be positive"),
        (("program.py", "--output", "program.py"), "`program.py` exists"),
        (("program.py", "--output", "folder"), "`folder` is a folder"),
        (("program.py", "--output", "absent/report.txt"), "The folder of `absent/report.txt` does not exist"),
        (("program.py", "--record", "program.py"), "`program.py` exists"),
        (("program.py", "--from", "a.session"), "it takes no program"),
        (("--from", "absent.session"), "There is no file `absent.session`"),
        (("--from", "program.py"), "is not a session file"),
        (("program.py", "--bisect", "N=4"), "is not NAME or NAME=LO:HI"),
        (("program.py", "--bisect", "ABSENT"), "give the range to search"),
        (("program.py", "--python", "folder"), "cannot be started"),
        (("program.py", "--python", "program.py"), "cannot be started"),
        (("program.py", "--python", "/bin/true"), "does not start as a Python interpreter"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "program.py").write_text("N = 1\n" + TRAIN)
    refused(run_command(list(arguments), tmp_path), said)


def test_an_interpreter_without_warp_is_named(diagnose: Diagnose, empty_python: str) -> None:
    outcome = diagnose(TRAIN, "--python", empty_python)
    refused(outcome, f"`import warp` fails in {empty_python}")
    assert "No module named 'warp'" in outcome.stderr


def test_missing_packages_of_the_command_are_named(empty_python: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TRAIN)
    command = [empty_python, COMMAND[1], "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    refused(Outcome(done.returncode, done.stdout, done.stderr), f"{empty_python} -m pip install numpy pydantic rich")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TRAIN)
    (tmp_path / "locked").mkdir(mode=0o500)
    refused(run_command(["program.py", "--output", "locked/report.txt"], tmp_path), "may not be written")


def test_a_report_that_cannot_be_written_is_printed(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("x = 1\n")
    outcome = run_command(["program.py", "--output", "/dev/full", "--force"], tmp_path)
    assert outcome.code == 2
    assert "`/dev/full` cannot be written" in outcome.stderr
    assert outcome.stdout.startswith("blocked")


def test_a_report_goes_to_a_file(diagnose: Diagnose, tmp_path: Path) -> None:
    outcome = diagnose("x = 1\n", "--format", "json", "--output", "report.json")
    assert outcome.code == 4
    assert "report written to report.json" in outcome.stdout
    assert Report.model_validate_json((tmp_path / "report.json").read_text()).verdict == "blocked"


def test_elements_of_a_right_gradient_are_answered_for(diagnose: Diagnose) -> None:
    outcome = diagnose(TRAIN, "--elements", "--iterations", "1")
    assert outcome.code == 0
    (checked,) = outcome.report.parameters[0].checks
    assert checked.explanation.startswith("No element was found to disagree: all 4 elements were moved together along")
    assert [(list(e.index), e.verdict) for e in checked.elements] == [([i], "agrees") for i in range(4)]
    assert any("--elements" in command for command in outcome.report.reproduce)


def test_elements_of_a_wrong_gradient_are_listed(diagnose: Diagnose) -> None:
    spoilt = TRAIN.replace("    x.assign(", "    x.grad[2:3].fill_(1.0)\n    x.assign(")
    outcome = diagnose(spoilt, "--elements", "--no-causes")
    assert outcome.code == 1
    said = [c.explanation for c in outcome.report.parameters[0].checks if c.explanation]
    assert said
    assert said[0].startswith("Wrong elements: [2] (autodiff 1, measured 6.75)")
    assert not any("No element" in text for text in said)
    first = outcome.report.parameters[0].checks[0]
    assert [e.verdict for e in first.elements] == ["agrees", "agrees", "disagrees", "agrees"]


def test_help_names_every_other_command(tmp_path: Path) -> None:
    text = run_command(["--help"], tmp_path).stdout
    listed = {line.split()[0] for line in text.partition("other commands")[2].splitlines()[1:] if line[2:3].isalpha()}
    assert set(SUBCOMMANDS) <= listed


def test_help_is_quick_and_shows_examples(tmp_path: Path) -> None:
    seconds = []  # of processor time: the machine may be busy with other tests
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        outcome = run_command(["--help"], tmp_path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert outcome.code == 0
    assert "python -m harness.run train.py --set N=32" in outcome.stdout
    assert min(seconds) < 0.3


def test_the_arguments_alone_import_nothing_heavy() -> None:
    program = "import sys, harness.command.main\nprint({'warp', 'numpy', 'pydantic', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("x = 1\n")
    process = subprocess.Popen(
        [*COMMAND, "program.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait() == 2


def test_progress_is_one_line_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(HEADER + "import time\ntime.sleep(3)\niterate()\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "program.py", *QUICK], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while process.poll() is None or select.select([ours], [], [], 0.2)[0]:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                shown += os.read(ours, 4096)
            except OSError:
                break
    assert process.wait() == 0
    assert b"program.py: recording (" in shown
    assert b"\n" not in shown
    assert shown.endswith(b"\r\x1b[K")


OVERWRITTEN = HEADER.replace("    tape.backward(loss)", "    x.fill_(0.3)\n    tape.backward(loss)")


@pytest.mark.slow
def test_the_verdicts_are_the_same_without_fork(diagnose: Diagnose) -> None:
    options = ("--no-fork", "--iterations", "1", "--budget", "200")
    assert diagnose(TRAIN, *options).report.verdict == "correct"
    assert diagnose(OVERWRITTEN + "iterate()\n", *options).report.verdict == "wrong"


def test_nothing_is_left_in_the_temporary_folder(diagnose: Diagnose, tmp_path: Path) -> None:
    assert diagnose("import os\nos.abort()\n", temporary=tmp_path / "tmp").code == 4
    assert list((tmp_path / "tmp").iterdir()) == []
