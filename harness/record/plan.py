"""What one execution does: where it stops, what it perturbs, which interventions are on, how much it records."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Contribution:
    """One term of the objective, read when backward number ``backward`` begins.

    ``seed_file`` is None for ``backward(loss)``: the term is the loss itself. Otherwise the term is the dot product of
    the stored seed (``.npy``) with the current contents of the array ``buffer``.
    """

    backward: int
    buffer: str
    seed_file: str | None = None
    increment: bool = False
    """The loss accumulates: the term is the value minus what the array held when its tape first touched it."""


@dataclass
class Objective:
    """A sum of contributions; the run may end once the last of them is read."""

    contributions: list[Contribution] = field(default_factory=list)
    last_backward: int = 0
    report: bool = False
    """Run on to the end of the iteration, and also return the scalars the program has by then."""
    interventions: list[dict[str, Any]] = field(default_factory=list)
    """Changes of behaviour under which the objective is evaluated."""

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        return asdict(self)


@dataclass
class Write:
    """Contents (``.npy``) to put into a buffer just before event ``event`` runs."""

    event: int
    buffer: str
    file: str


@dataclass
class Plan:
    """One execution, as data; crosses the process boundary as JSON."""

    out: str = ""
    level: str = "full"
    """"full": digests of everything taped. "light": the sequence of operations only. "passes": backward passes only."""
    iterations: int = 3
    max_idle_backwards: int = 40
    """Backward passes without any parameter update after which the run ends."""
    stop_event: int | None = None
    pauses: list[int] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    objective: Objective | None = None
    interventions: list[dict[str, Any]] = field(default_factory=list)
    find_nonfinite: bool = False
    overrides: bool = True
    """With the constants that the user has set; without them, the program runs as it stands."""
    trace_lines: bool = False
    """Note which lines of the user's files the host runs, as ``lines`` of the recording's environment."""
    trace_kernels: bool = False
    """Note there also which branches kernels take; they are built anew for it."""

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists."""
        return asdict(self)


def plan_from_json(body: dict[str, Any]) -> Plan:
    """The inverse of `Plan.to_json`."""
    plan = Plan(**{**body, "writes": [Write(**w) for w in body["writes"]], "objective": None})
    if body.get("objective"):
        plan.objective = objective_from_json(body["objective"])
    return plan


def objective_from_json(body: dict[str, Any]) -> Objective:
    """An objective from plain dictionaries."""
    terms = [Contribution(**c) for c in body["contributions"]]
    return Objective(terms, body["last_backward"], body["report"], body["interventions"])
