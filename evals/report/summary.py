"""Everything that reports show, as finished numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from evals.result import PARTS, TrialResult
from evals.statistics import Estimate, Value, difference, estimate, pass_at_k, pass_hat_k

VALUES: dict[str, Value] = {
    "score": lambda r: r.score,
    "solved": lambda r: None if r.solved is None else float(r.solved),
    **{part: (lambda r, part=part: r.part(part)) for part in PARTS},  # type: ignore[misc]
}
"""What is averaged, by the names of columns."""


@dataclass(frozen=True)
class Group:
    """All trials of one agent with one arm."""

    agent: str
    arm: str
    trials: int
    unscored: int
    skipped: int
    estimates: dict[str, Estimate | None]
    controls: int
    """Trials on cases without a defect."""
    false_defects_on_controls: int
    contradicted: int
    """Trials with a claim that the re-measurement contradicts."""
    seconds: float | None
    commands: float | None
    tokens: float | None
    cost: float | None
    """US dollars for a trial."""
    pass_at: dict[int, float]
    pass_hat: dict[int, float]

    @property
    def name(self) -> str:
        """Agent and arm."""
        return self.agent if self.arm == "none" else f"{self.agent} + {self.arm}"


@dataclass(frozen=True)
class KindRow:
    """One kind of defect, for one group. Hidden causes are left out."""

    kind: str
    group: str
    causes: int
    named: Estimate
    placed: Estimate
    solved: Estimate


@dataclass(frozen=True)
class Pair:
    """Two arms of one agent, case by case."""

    agent: str
    first: str
    second: str
    differences: dict[str, Estimate | None]
    """Second minus first."""


@dataclass(frozen=True)
class Change:
    """A case whose mean score differs from the baseline's."""

    case: str
    group: str
    before: float
    after: float


@dataclass(frozen=True)
class Summary:
    """A whole run."""

    groups: tuple[Group, ...]
    kinds: tuple[KindRow, ...]
    pairs: tuple[Pair, ...]
    regressions: tuple[Change, ...]
    improvements: tuple[Change, ...]
    absent: tuple[str, ...]
    """Cases of the baseline that this run has not."""
    has_baseline: bool


def summarise(results: Sequence[TrialResult], baseline: Sequence[TrialResult] = ()) -> Summary:
    """The numbers of a run, beside those of an earlier one."""
    groups = _grouped(results)
    changes = _changes(results, baseline)
    return Summary(
        groups=tuple(_group(agent, arm, found) for (agent, arm), found in groups.items()),
        kinds=tuple(row for found in groups.values() for row in _kinds(found)),
        pairs=tuple(_pairs(groups)),
        regressions=tuple(c for c in changes if c.after < c.before - 1e-9),
        improvements=tuple(c for c in changes if c.after > c.before + 1e-9),
        absent=tuple(sorted({r.case for r in baseline} - {r.case for r in results})),
        has_baseline=bool(baseline),
    )


def group_name(result: TrialResult) -> str:
    """Name of the group a trial belongs to."""
    return result.agent if result.arm == "none" else f"{result.agent} + {result.arm}"


def _grouped(results: Sequence[TrialResult]) -> dict[tuple[str, str], list[TrialResult]]:
    groups: dict[tuple[str, str], list[TrialResult]] = defaultdict(list)
    for result in results:
        groups[result.agent, result.arm].append(result)
    return dict(groups)


def _group(agent: str, arm: str, results: list[TrialResult]) -> Group:
    scored = [r for r in results if r.status == "scored"]
    controls = [r for r in scored if r.expected_verdict != "wrong"]
    most = max((sum(r.case == s.case for s in scored) for r in scored), default=0)
    by_case: dict[str, list[bool]] = defaultdict(list)
    for r in scored:
        by_case[r.case].append(bool(r.solved))
    return Group(
        agent=agent,
        arm=arm,
        trials=len(results),
        unscored=sum(r.status == "unscored" for r in results),
        skipped=sum(r.status == "skipped" for r in results),
        estimates={name: estimate(scored, value) for name, value in VALUES.items()},
        controls=len(controls),
        false_defects_on_controls=sum(r.false_defects for r in controls),
        contradicted=sum(bool(r.contradicted) for r in scored),
        seconds=_mean([r.usage.seconds for r in scored]),
        commands=_mean([r.usage.commands for r in scored]),
        tokens=_mean([_tokens(r) for r in scored]),
        cost=_mean([r.usage.cost for r in scored]),
        pass_at={
            k: v for k in range(1, most + 1) if (v := _mean([pass_at_k(s, k) for s in by_case.values()])) is not None
        },
        pass_hat={
            k: v for k in range(1, most + 1) if (v := _mean([pass_hat_k(s, k) for s in by_case.values()])) is not None
        },
    )


def _kinds(results: list[TrialResult]) -> list[KindRow]:
    scored = [r for r in results if r.status == "scored"]
    kinds = sorted({c.kind for r in scored for c in r.causes if not c.is_hidden})
    rows = []
    for kind in kinds:
        having = [
            r for r in results if r.status == "scored" and any(c.kind == kind and not c.is_hidden for c in r.causes)
        ]
        named = estimate(having, lambda r, k=kind: _share(r, k, "named"))  # type: ignore[misc]
        placed = estimate(having, lambda r, k=kind: _share(r, k, "placed"))  # type: ignore[misc]
        solved = estimate(having, VALUES["solved"])
        if named and placed and solved:
            count = sum(c.kind == kind and not c.is_hidden for r in having for c in r.causes)
            rows.append(KindRow(kind, group_name(results[0]), count, named, placed, solved))
    return rows


def _share(result: TrialResult, kind: str, what: str) -> float:
    outcomes = [bool(getattr(c, what)) for c in result.causes if c.kind == kind and not c.is_hidden]
    return sum(outcomes) / len(outcomes)


def _pairs(groups: dict[tuple[str, str], list[TrialResult]]) -> list[Pair]:
    pairs = []
    for agent in dict.fromkeys(a for a, _ in groups):
        arms = [arm for a, arm in groups if a == agent]
        first = "none" if "none" in arms else arms[0]
        for second in arms:
            if second != first:
                found = {n: difference(groups[agent, first], groups[agent, second], v) for n, v in VALUES.items()}
                pairs.append(Pair(agent, first, second, found))
    return pairs


def _changes(results: Sequence[TrialResult], baseline: Sequence[TrialResult]) -> list[Change]:
    before, after = _case_means(baseline), _case_means(results)
    shared = [key for key in before if key in after]
    return [Change(case, group, before[case, group], after[case, group]) for case, group in sorted(shared)]


def _case_means(results: Sequence[TrialResult]) -> dict[tuple[str, str], float]:
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for r in results:
        # A trial that could be scored before and cannot now is no success.
        values[r.case, group_name(r)].append(r.score if r.score is not None else 0.0)
    return {key: sum(v) / len(v) for key, v in values.items()}


def _tokens(result: TrialResult) -> int | None:
    parts = [n for n in (result.usage.input_tokens, result.usage.output_tokens) if n is not None]
    return sum(parts) if parts else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None
