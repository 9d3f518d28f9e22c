"""One trial, from a fresh workspace to a scored result; a plain function that any process may run."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from evals.agents import AgentSpec, make
from evals.agents.base import Assignment, Work
from evals.corpus import StoredCase
from evals.measure import Bench
from evals.patch import difference
from evals.result import TrialResult
from evals.scoring import total
from evals.scoring.repair import Baseline
from evals.validate import why_not_here
from evals.workspace import collect, stage

_UNSEEN = 2
"""Sets of parameter values at which a handed-in program is measured."""
_MOST_TEXT = 200_000


@dataclass(frozen=True)
class Trial:
    """One agent with one arm on one case, once. Crosses process and machine boundaries."""

    stored: StoredCase
    agent: AgentSpec
    arm: str
    arm_label: str
    number: int
    seed: int
    """Of the whole run."""
    skill_at: str = "skills"

    @property
    def key(self) -> tuple[str, str, str, int]:
        """See `TrialResult.key`."""
        return (self.stored.case.id, self.agent.shown, self.arm_label, self.number)

    def own_seed(self, purpose: str) -> int:
        """A number that depends on the trial and on nothing else."""
        text = f"{self.seed}/{purpose}/{'/'.join(map(str, self.key))}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big")


def run_trial(trial: Trial) -> TrialResult:
    """Stage, let the agent work, and score what it left. Never raises: what goes wrong on our side is `unscored`."""
    return _guarded(trial, lambda: _run(trial))


def judge_workspace(trial: Trial, workspace: Path, skill_place: str, work: Work) -> TrialResult:
    """Score a workspace that somebody else staged and had worked in. Never raises, like `run_trial`."""
    return _guarded(trial, lambda: _judge(trial, workspace, skill_place, work, _laboratory().baseline(trial.stored)))


def _guarded(trial: Trial, judge: Callable[[], TrialResult]) -> TrialResult:
    try:
        return judge()
    except total.Unscored as error:
        return TrialResult(**_facts(trial), status="unscored", reason=str(error))
    except Exception as error:
        reason = f"the scorer failed: {type(error).__name__}: {error}"
        return TrialResult(**_facts(trial), status="unscored", reason=reason, transcript=traceback.format_exc()[-4000:])


def _run(trial: Trial) -> TrialResult:
    stored = trial.stored
    laboratory = _laboratory()
    missing = why_not_here(stored.case, laboratory.bench.warp_version)
    if missing:
        return TrialResult(**_facts(trial), status="skipped", reason=missing)
    agent = make(trial.agent)
    # Before the agent works: a case that does not hold here wastes nobody's time.
    known = laboratory.baseline(stored) if agent.mends else None
    with tempfile.TemporaryDirectory(prefix="trial-", ignore_cleanup_errors=True) as folder:
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        skill_place = stage(stored, workspace, trial.arm, trial.skill_at)
        work = agent.work(Assignment(stored, workspace, skill_place, trial.own_seed("agent")))
        return _judge(trial, workspace, skill_place, work, known)


def _judge(trial: Trial, workspace: Path, skill_place: str, work: Work, known: Baseline | None) -> TrialResult:
    laboratory = _laboratory()
    handed_in = collect(trial.stored, workspace, work.findings, skill_place)
    seeds = tuple(trial.own_seed(f"unseen {i}") for i in range(_UNSEEN))
    scored = total.score(laboratory.bench, trial.stored, handed_in, workspace, known, seeds)
    kept = {name: text for name, text in handed_in.after.items() if name not in handed_in.new}
    return TrialResult.model_validate({
        **_facts(trial), **scored,
        "reason": work.failure,
        "usage": work.usage,
        "new_files": tuple(handed_in.new),
        "diff": difference(handed_in.before, kept)[:_MOST_TEXT],
        "handed_in": (work.findings or "")[:_MOST_TEXT],
        "transcript": work.transcript,
        "warp": laboratory.bench.warp_version,
    })  # fmt: skip


def _facts(trial: Trial) -> dict[str, Any]:
    case = trial.stored.case
    return {
        "case": case.id, "family": case.family, "title": case.title, "agent": trial.agent.shown,
        "arm": trial.arm_label, "trial": trial.number, "seed": trial.seed, "tags": case.tags,
        "expected_verdict": case.expected.verdict,
    }  # fmt: skip


class Laboratory:
    """What trials of one thread share: a bench, and each case measured with its own fix."""

    def __init__(self) -> None:
        self.bench = Bench().__enter__()
        self._baselines: dict[str, Baseline] = {}
        # Pool processes end without `atexit`.
        self._finalizer = Finalize(self, self._close, args=(self.bench,), exitpriority=10)

    def baseline(self, stored: StoredCase) -> Baseline:
        """The case with its reference fix, measured once."""
        key = str(stored.folder)
        if key not in self._baselines:
            folder = Path(tempfile.mkdtemp(prefix="trial-baseline-"))
            try:
                self._baselines[key] = total.baseline(self.bench, stored, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        return self._baselines[key]

    @staticmethod
    def _close(bench: Bench) -> None:
        bench.__exit__(None, None, None)


_LOCAL = threading.local()


def _laboratory() -> Laboratory:
    if not hasattr(_LOCAL, "laboratory"):
        _LOCAL.laboratory = Laboratory()
    found: Laboratory = _LOCAL.laboratory
    return found
