"""The same trials on an existing Dask cluster: its scheduler moves the trials of a worker that died to another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evals.jobs import Run, given_up
from evals.result import TrialResult
from evals.trial import Trial, run_trial
from harness.options import UsageError


def run_on_cluster(address: str, trials: Sequence[Trial], run: Run = run_trial) -> Iterator[TrialResult]:
    """Run trials on the cluster whose scheduler listens at ``address``.

    The workers need this repository importable, and the cases at the same path. A trial has one key: however often it
    is moved, one result comes back.

    Raises:
        UsageError: ``distributed`` is missing, the cluster cannot be reached, or its workers lack ``evals``.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise UsageError("--dask needs `distributed`: pip install 'warp-debug-gradients[cluster]'.") from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise UsageError(f"The Dask scheduler at `{address}` cannot be reached ({error}).") from None
    with client:
        _check_workers(client)
        futures = {}
        for trial in trials:
            future = client.submit(run, trial, key="/".join(map(str, trial.key)), pure=False, retries=1)
            futures[future] = trial
        for future in as_completed(futures, loop=client.loop):
            trial = futures[future]
            problem = future.exception()
            yield future.result() if problem is None else given_up(trial, f"the cluster gave it up: {problem}")
            future.release()


def _check_workers(client: object) -> None:
    assert hasattr(client, "run")
    answers = client.run(_can_import)
    if not answers:
        raise UsageError("The Dask cluster has no workers; start some, for example with `dask worker ADDRESS`.")
    for worker, problem in answers.items():
        if problem:
            raise UsageError(f"The Dask worker {worker} cannot import evals ({problem}); set its PYTHONPATH.")


def _can_import() -> str:
    try:
        import evals.trial  # noqa: F401
    except ImportError as error:
        return str(error)
    return ""
