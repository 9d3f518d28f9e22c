"""Run the harness on one program, bounded in time, and read its JSON report."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Judged(NamedTuple):
    """What came of one program. `report` is None where the harness gave none."""

    verdict: str
    exit_code: int
    seconds: float
    report: "dict[str, Any] | None"
    messages: str


def judge(arguments: "list[str]", limit_s: float, folder: Path, environment: "dict[str, str] | None" = None) -> Judged:
    """`python -m harness.run --format json ARGUMENTS` in `folder`; after `limit_s` seconds the whole group is ended."""
    command = [sys.executable, "-m", "harness.run", "--format", "json", *arguments]
    variables = {**os.environ, **(environment or {})}
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    started = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, messages = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, messages = process.communicate()
        return Judged("timed out", 124, time.monotonic() - started, None, messages)
    seconds = time.monotonic() - started
    try:
        report = json.loads(output)
    except json.JSONDecodeError:
        return Judged("no report", process.returncode, seconds, None, messages)
    return Judged(str(report["verdict"]), process.returncode, seconds, report, messages)
