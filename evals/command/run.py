"""``run``: let an agent work on the cases, and score what it hands in."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evals.agents import NAMES, AgentSpec, make
from evals.command.arguments import add_cases, cases_of, parser
from evals.corpus import StoredCase
from evals.result import TrialResult
from evals.store import Store, read
from evals.trial import Trial
from evals.workspace import check_arm
from harness.options import UsageError

_EPILOG = """\
examples:
  python -m evals.run run --agent engine --jobs 2
  python -m evals.run run 'lens-*' tag:hidden --agent fix
  python -m evals.run run --agent command --command 'assistant --prompt-file {prompt_file}' --arm none --arm skill \\
      --trials 5 --out results/assistant
  python -m evals.run run --agent engine --dask tcp://scheduler:8786

The same --out goes on where it was interrupted. exit codes: 0 every trial scored, 1 some could not be, 2 usage
"""


def run(arguments: list[str]) -> int:
    """Run the trials that are not done yet, then report on all of them."""
    parsed = _parser().parse_args(arguments)
    spec = AgentSpec(
        name=parsed.agent, command=parsed.command, options=tuple(parsed.option), timeout=parsed.timeout,
        label=parsed.label,
    )  # fmt: skip
    make(spec)
    arms = parsed.arm or ["none"]
    for arm in arms:
        check_arm(arm)
    if parsed.trials < 1 or parsed.jobs < 1 or not parsed.timeout > 0:
        raise UsageError("--trials, --jobs and --timeout must be positive.")
    cases = cases_of(parsed)
    store = Store.open(parsed.out, _settings(parsed, cases))
    trials = [
        Trial(stored, spec, arm, arm_label(arm), number, parsed.seed, parsed.skill_at)
        for number in range(parsed.trials)
        for stored in cases
        for arm in arms
    ]
    todo = [t for t in trials if t.key not in store.known]
    if len(todo) < len(trials):
        print(f"{len(trials) - len(todo)} of {len(trials)} trials are done already.", file=sys.stderr)
    _work(todo, store, parsed)
    return _report(parsed)


def arm_label(arm: str) -> str:
    """How results name an arm."""
    return arm if arm in ("none", "skill") else Path(arm).resolve().name


def _parser() -> argparse.ArgumentParser:
    made = parser("run", "Let an agent work on the cases, and score what it hands in by re-measuring it.", _EPILOG)
    add_cases(made)
    made.add_argument("--agent", required=True, choices=NAMES, help="who works")
    made.add_argument("--command", default="", metavar="TEMPLATE", help="command line of --agent command")
    made.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="OPTION",
        help="passed on to the harness: --option=--model=NAME",
    )
    made.add_argument("--label", default="", help="name in results, to tell two commands apart")
    made.add_argument(
        "--arm", action="append", metavar="none|skill|DIR", help="without a skill, with this one, with another (none)"
    )
    made.add_argument("--skill-at", default="skills", metavar="DIR", help="where in the workspace it goes (skills)")
    made.add_argument("--trials", type=int, default=1, metavar="N", help="trials of each case and arm (1)")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of unseen values and of agents (0)")
    made.add_argument("--timeout", type=float, default=600.0, metavar="S", help="seconds for the agent (600)")
    made.add_argument("--out", type=Path, default=Path("reports/evals"), metavar="DIR", help="results (reports/evals)")
    made.add_argument("--baseline", type=Path, metavar="DIR", help="results of an earlier run, to list regressions")
    made.add_argument("--jobs", type=int, default=1, metavar="N", help="trials side by side (1)")
    made.add_argument("--dask", metavar="ADDRESS", help="run on the Dask cluster whose scheduler is there")
    made.add_argument("--quiet", action="store_true", help="no progress and no table")
    return made


def _settings(parsed: argparse.Namespace, cases: Sequence[StoredCase]) -> dict[str, Any]:
    """What has to be the same for results to belong together: who worked, on which cases exactly."""
    digest = hashlib.blake2b(digest_size=8)
    for stored in cases:
        for path in sorted(p for p in stored.folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
            digest.update(path.relative_to(stored.folder).as_posix().encode() + b"\0" + path.read_bytes())
    return {
        "agent": parsed.agent, "command": parsed.command, "options": parsed.option, "label": parsed.label,
        "seed": parsed.seed, "timeout": parsed.timeout, "cases": digest.hexdigest(),
    }  # fmt: skip


def _work(todo: list[Trial], store: Store, parsed: argparse.Namespace) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), disable=parsed.quiet) as progress:
        task = progress.add_task("", total=len(todo))
        solved = failed = 0
        for result in _results(todo, parsed):
            store.add(result)
            solved += bool(result.solved)
            failed += result.status == "unscored"
            progress.update(task, advance=1, description=f"{solved} solved, {failed} unscored; {result.case}")


def _results(todo: list[Trial], parsed: argparse.Namespace) -> Iterator[TrialResult]:
    if parsed.dask:
        from evals.dask_jobs import run_on_cluster

        return run_on_cluster(parsed.dask, todo)
    from evals.jobs import run_here

    return run_here(todo, min(parsed.jobs, max(len(todo), 1)))


def _report(parsed: argparse.Namespace) -> int:
    from evals.report import FORMATS, render
    from evals.report.summary import summarise

    results = read(parsed.out)
    baseline = read(parsed.baseline) if parsed.baseline else []
    summary = summarise(results, baseline)
    for name, file in FORMATS.items():
        if file:
            (parsed.out / file).write_text(render(name, summary, results), encoding="utf-8")
    if not parsed.quiet:
        print(render("table", summary, results), end="")
        print(f"Reports are in {parsed.out}: {', '.join(f for f in FORMATS.values() if f)}")
    return int(any(r.status == "unscored" for r in results))
