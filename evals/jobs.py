"""Runs trials side by side and yields their results as they come; nothing is lost, and nothing runs twice for good."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from evals.result import TrialResult
from evals.trial import Trial, run_trial

_ATTEMPTS = 2
"""Worker deaths that one trial may be part of."""

Run = Callable[[Trial], TrialResult]


def run_here(trials: Sequence[Trial], jobs: int, run: Run = run_trial) -> Iterator[TrialResult]:
    """Run trials in ``jobs`` processes of this machine, in this one if it is 1.

    A worker process that dies takes its trial with it: that trial is tried once more, alone, then given up as unscored.
    """
    if jobs <= 1:
        yield from map(run, trials)
        return
    left = {trial.key: trial for trial in trials}
    suspects: dict[tuple[str, str, str, int], int] = {}
    while left:
        calm = [t for t in left.values() if t.key not in suspects]
        # A suspect runs alone, so that it takes nobody with it.
        batch = calm or [next(iter(left.values()))]
        for result in _batch(batch, jobs if calm else 1, run, suspects):
            del left[result.key]
            yield result
        for key in [k for k, deaths in suspects.items() if deaths >= _ATTEMPTS and k in left]:
            yield given_up(left.pop(key), f"the process that ran it died {_ATTEMPTS} times")


def _batch(
    trials: Sequence[Trial], jobs: int, run: Run, suspects: dict[tuple[str, str, str, int], int]
) -> Iterator[TrialResult]:
    # Fresh processes, not forks: a bench must not inherit another one's channels.
    with ProcessPoolExecutor(
        min(jobs, len(trials)), get_context("spawn"), initializer=begin_worker, initargs=(os.getpid(),)
    ) as pool:
        waiting = list(reversed(trials))
        running: dict[Future[TrialResult], Trial] = {}
        try:
            while waiting or running:
                # No more than run at once are submitted: only these are under suspicion when a process dies.
                while waiting and len(running) < jobs:
                    trial = waiting.pop()
                    running[pool.submit(run, trial)] = trial
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    result = future.result()
                    del running[future]
                    yield result
        except BrokenProcessPool:
            for trial in running.values():
                suspects[trial.key] = suspects.get(trial.key, 0) + 1
        except BaseException:
            # Interrupted: do not wait for trials that take minutes.
            for process in list(pool._processes.values()):
                process.terminate()
            raise


def begin_worker(parent: int) -> None:
    """End with everything that was started here when told to, and when the process that gives out trials is gone."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def given_up(trial: Trial, reason: str) -> TrialResult:
    """A result that says why there is none."""
    case = trial.stored.case
    return TrialResult(
        case=case.id, family=case.family, title=case.title, agent=trial.agent.shown, arm=trial.arm_label,
        trial=trial.number, seed=trial.seed, expected_verdict=case.expected.verdict, tags=case.tags,
        status="unscored", reason=reason,
    )  # fmt: skip
