"""The cases as a task of Inspect (extra ``inspect``), scored by the same re-measurement.

    inspect eval evals/inspect_adapter.py -T arm=skill -T cases='lens-*' --model anthropic/...

The model works with a shell in Inspect's sandbox (``local`` unless told otherwise) and leaves what `evals.workspace`
asks for. The scorer fetches the workspace and measures it on this machine.
"""

from __future__ import annotations

import base64
import io
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.tool import bash
from inspect_ai.util import sandbox

from evals.agents.base import AgentSpec, Work
from evals.corpus import CASES, StoredCase, files_below, load, select
from evals.report.words import shortfall
from evals.result import PARTS, TrialResult
from evals.trial import Trial, judge_workspace
from evals.workspace import FINDINGS, check_arm, instructions, stage

_ARCHIVE = ".handed-in.tgz"
# One thread owns the bench.
_SCORING = ThreadPoolExecutor(1)


@task
def warp_gradients(
    cases: str = "", arm: str = "none", sandbox: str = "local", seed: int = 0, corpus: str = str(CASES)
) -> Task:
    """Diagnose and mend Warp programs whose gradient may be wrong.

    Args:
        cases: ids, globs or tag:NAME, separated by commas; all without.
        arm: ``none``, ``skill`` (this one) or the folder of another skill.
        sandbox: Inspect's sandbox for the model's shell.
        seed: of the parameter values at which workspaces are measured.
        corpus: folder with the cases.
    """
    check_arm(arm)
    stored = select([c for c in cases.split(",") if c], Path(corpus))
    return Task(
        dataset=[_sample(s, arm, seed) for s in stored],
        solver=react(tools=[bash(timeout=180)]),
        scorer=measured_again(),
        sandbox=sandbox,
        message_limit=100,
    )


@scorer(metrics=[mean(), stderr(cluster="family")])
def measured_again() -> Scorer:
    """The score of `evals.trial`, from 0 to 1."""

    async def score(state: TaskState, target: Target) -> Score:
        import anyio

        packed = await sandbox().exec(["tar", "-czf", _ARCHIVE, f"--exclude={_ARCHIVE}", "."])
        if not packed.success:
            return _unscored(f"the workspace cannot be packed: {packed.stderr}")
        archive = await sandbox().read_file(_ARCHIVE, text=False)
        result = await anyio.to_thread.run_sync(lambda: _SCORING.submit(_judge, state.metadata, archive).result())
        if result.score is None:
            return _unscored(result.reason)
        parts: dict[str, float | None] = {part: result.part(part) for part in PARTS}
        return Score(
            value=result.score,
            answer=result.given_verdict,
            explanation=shortfall(result) or "everything is right",
            metadata={**parts, "solved": result.solved, "contradicted": list(result.contradicted)},
        )

    return score


def _sample(stored: StoredCase, arm: str, seed: int) -> Sample:
    with tempfile.TemporaryDirectory() as folder:
        place = stage(stored, Path(folder), arm)
        files = {name: _inline(path) for name, path in files_below(Path(folder)).items()}
    return Sample(
        id=stored.case.id,
        input=instructions(stored, place),
        target=stored.case.expected.verdict,
        files=files,
        metadata={
            "case_folder": str(stored.folder), "family": stored.case.family, "skill_place": place, "arm": arm,
            "seed": seed,
        },
    )  # fmt: skip


def _inline(path: Path) -> str:
    return "data:application/octet-stream;base64," + base64.b64encode(path.read_bytes()).decode()


def _judge(metadata: dict[str, object], archive: bytes) -> TrialResult:
    stored = load(Path(str(metadata["case_folder"])))
    trial = Trial(stored, AgentSpec("inspect"), str(metadata["arm"]), "inspect", 0, int(str(metadata["seed"])))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            packed.extractall(folder, filter="data")
        left = Path(folder, FINDINGS)
        text = left.read_text(encoding="utf-8", errors="replace") if left.is_file() else None
        return judge_workspace(trial, Path(folder), str(metadata["skill_place"]), Work(text))


def _unscored(reason: str) -> Score:
    """A sample that could not be judged is no zero."""
    return Score(value=float("nan"), explanation=f"unscored: {reason}")
