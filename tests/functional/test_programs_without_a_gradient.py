"""Programs that do not get to a gradient: one clear message each, exit code 4, and no traceback of ours."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from driving import HEADER, Diagnose


class Case(NamedTuple):
    program: str
    reason: str
    said: str
    """Part of the message."""
    line: int | None = None
    """Where the message points."""
    options: tuple[str, ...] = ()


ON_TAPE = "import warp as wp\nx = wp.zeros(3, requires_grad=True)\nwith wp.Tape() as tape:\n    y = wp.clone(x)\n"
CASES = {
    "syntax error": Case("x = (1,\nprint('a'\n", "exception", "raises SyntaxError", 2),
    "exception": Case("def deep():\n    raise ValueError('size 3')\n\ndeep()\n", "exception", "raises ValueError", 2),
    "exit with a code": Case("import sys\nsys.exit(3)\n", "exit", "left with exit code 3"),
    "exit with a message": Case("import sys\nsys.exit('no data today')\n", "exit", "saying 'no data today'"),
    "exit with success": Case("import sys\nsys.exit()\n", "no-tape", "without a wp.Tape"),
    "no tape": Case("import warp as wp\nprint(wp.zeros(3).numpy())\n", "no-tape", "without a wp.Tape"),
    "no backward": Case(ON_TAPE, "no-backward", "never calls backward()"),
    "gradient not read": Case(
        HEADER.replace("x.assign(x.numpy() - 0.01 * x.grad.numpy())", "pass") + "iterate()\n",
        "no-gradient-read", "runs backward once", 19,
    ),
    "loss is NaN at once": Case(
        HEADER.replace("[0.5,", "[np.nan,") + "iterate()\n", "loss-not-finite", "`loss` is NaN in the first", 19
    ),
    "missing package": Case("import warp\nimport no_such_package\n", "missing-package", "ModuleNotFoundError", 2),
    "device that is not there": Case(
        "import warp as wp\nx = wp.zeros(3, device='cuda:99')\n", "device-missing", "raises ValueError", 2
    ),
    "input()": Case("n = 1\nn = int(input('steps? '))\n", "asks-for-input", "asks for input at program.py:2", 2),
    "reads standard input": Case("import sys\nfor line in sys.stdin:\n    pass\n", "asks-for-input", "input", 2),
    "missing file": Case("import numpy as np\nnp.load('data/a.npy')\n", "exception", "raises FileNotFoundError", 2),
    "kills itself": Case("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", "crashed", "(SIGSEGV)"),
    "never ends": Case("while True:\n    pass\n", "timeout", "within the time limit (5 s)", None, ("--timeout", "5")),
    "more memory than allowed": Case(
        "import numpy as np\nx = np.ones(4 * 10**9 // 8)\n", "out-of-memory", "MemoryError", 2, ("--max-memory", "2")
    ),
    "starts another program": Case(
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'pass'])\n", "not-kept-apart", "Permission", 2
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_message_says_what_happened_and_where(name: str, diagnose: Diagnose) -> None:
    case = CASES[name]
    outcome = diagnose(case.program, *case.options)
    failure = outcome.report.failure
    assert outcome.code == 4
    assert outcome.report.verdict == "blocked"
    assert failure is not None
    assert failure.reason == case.reason
    assert case.said in failure.message
    assert failure.next_step
    assert (failure.location.line if failure.location else None) == case.line
    assert "harness" not in (failure.traceback or "")
    assert outcome.stderr == ""


def test_a_program_that_ignores_being_asked_to_stop_is_ended(diagnose: Diagnose) -> None:
    program = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True:\n    pass\n"
    failure = diagnose(program, "--timeout", "1").report.failure
    assert failure is not None
    assert failure.reason == "timeout"


def test_the_text_report_shows_the_users_traceback_alone(diagnose: Diagnose) -> None:
    text = diagnose(CASES["exception"].program, "--format", "text").stdout
    assert "ValueError: size 3" in text
    assert 'program.py", line 4, in <module>' in text
    assert "harness/" not in text
