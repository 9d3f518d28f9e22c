"""Trials side by side: every one comes back once, whatever happens to the processes that run them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from small_case import MakeCase

from evals.agents import AgentSpec
from evals.jobs import given_up, run_here
from evals.result import TrialResult
from evals.trial import Trial

ROOT = Path(__file__).resolve().parents[2]


def trials(make_case: MakeCase, count: int) -> list[Trial]:
    stored = make_case()
    return [Trial(stored, AgentSpec("nothing"), "none", "none", number, 0) for number in range(count)]


def dies_at_three(trial: Trial) -> TrialResult:
    if trial.number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return given_up(trial, "done")


def slow(trial: Trial) -> TrialResult:
    time.sleep(0.3)
    return given_up(trial, f"done {os.getpid()}")


def test_a_process_that_dies_costs_its_own_trial_only(make_case: MakeCase) -> None:
    results = list(run_here(trials(make_case, 6), 2, dies_at_three))
    assert Counter(r.trial for r in results) == Counter(range(6))
    assert [r.trial for r in results if "died" in r.reason] == [3]


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_half_way_loses_and_repeats_nothing(make_case: MakeCase, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    from evals.dask_jobs import run_on_cluster

    # Workers import this module by name to find `slow`.
    path = os.pathsep.join([str(ROOT), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    os.environ["PYTHONPATH"], before = path, os.environ.get("PYTHONPATH")
    try:
        with LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", local_directory=str(tmp_path)
        ) as cluster:
            results = []
            pids: set[str] = set()
            for result in run_on_cluster(cluster.scheduler_address, trials(make_case, 14), slow):
                results.append(result)
                pids.add(result.reason)
                if len(results) == 4:
                    os.kill(int(result.reason.split()[1]), signal.SIGKILL)
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    assert Counter(r.trial for r in results) == Counter(range(14))
    assert all(r.reason.startswith("done") for r in results)
    assert len(pids) >= 2


def test_the_command_runs_resumes_and_reports(make_case: MakeCase, tmp_path: Path) -> None:
    stored = make_case()
    command = [
        sys.executable, "-m", "evals.run", "run", "--agent", "fix", "--corpus", str(stored.folder.parent),
        "--out", str(tmp_path / "out"),
    ]  # fmt: skip
    first = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    assert {p.name for p in (tmp_path / "out").iterdir()} >= {"results.jsonl", "report.html", "junit.xml", "report.md"}
    second = subprocess.run([*command, "--trials", "2"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "1 of 2 trials are done already." in second.stderr
    assert len((tmp_path / "out" / "results.jsonl").read_text().splitlines()) == 2


def test_a_run_that_is_told_to_end_takes_its_assistants_along(make_case: MakeCase, tmp_path: Path) -> None:
    stored, mark = make_case(), tmp_path / "pid"
    script = tmp_path / "assistant.py"
    script.write_text(
        f"import os, pathlib, time\npathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\ntime.sleep(300)\n"
    )
    command = [
        sys.executable, "-m", "evals.run", "run", "--agent", "command", "--command", f"{sys.executable} {script}",
        "--corpus", str(stored.folder.parent), "--out", str(tmp_path / "out"), "--jobs", "2", "--trials", "2",
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert comes_true(lambda: mark.exists() and bool(mark.read_text()), 120)
        process.terminate()
        assert process.wait(60) == 2
        assert comes_true(lambda: not Path(f"/proc/{mark.read_text()}/cmdline").exists(), 30)
    finally:
        process.kill()


def comes_true(claim: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if claim():
            return True
        time.sleep(0.1)
    return False
