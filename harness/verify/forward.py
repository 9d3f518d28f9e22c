"""What the first iteration computes before its first update, and how far roundoff alone can move it.

A fix of a gradient leaves the forward pass alone. The objective is the sum of the losses that backward is seeded with.
With seeds written by hand the outputs they belong to stand in for it, each projected on fixed random signs; where the
two programs seed differently, the scalars that a program reports and that react to its parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..assess.evaluator import objective_of, stands
from ..execute.session import EvaluationResult, Session
from ..record.events import Recording
from ..record.plan import Contribution, Objective
from ..trace.consumption import Consumptions, ParameterTrace
from .elsewhere import Start

OBJECTIVE = "objective"
_REPEATS = 3
_NUDGES = 4
"""Runs in which each element of the parameter is moved to the next float: rounding elsewhere acts alike."""
_NUDGE_FACTOR = 16.0
_REPEAT_FACTOR = 8.0
_ULPS = 64.0
_REACTION = 2.0**-7
"""Relative change of a parameter that shows which scalars react to it."""


@dataclass(frozen=True)
class Forward:
    """Values at the start of the program, with the change of each that roundoff explains."""

    values: dict[str, float] = field(default_factory=dict)
    roundoff: dict[str, float] = field(default_factory=dict)


def measure_forward(session: Session, recording: Recording, traces: Sequence[ParameterTrace], start: Start) -> Forward:
    """Run the first iteration some times from the first use of a parameter on."""
    objective = _values_wanted(session, recording, traces)
    x = start.contents
    points: list[np.ndarray | None] = [None] * _REPEATS
    rng = np.random.Generator(np.random.PCG64(11))
    points += [np.nextafter(x, x + rng.choice([-1.0, 1.0], x.shape).astype(x.dtype)) for _ in range(_NUDGES)]
    points.append((x + _REACTION * np.maximum(np.abs(x), np.max(np.abs(x), initial=1e-3))).astype(x.dtype))
    with stands(session, [start.event]) as advance:
        stand = advance(start.event)
        if stand is None:
            return Forward()
        results = stand.evaluate(start.buffer, points, objective, session.limits.seconds)
    found = [_quantities(r, objective) for r in results]
    repeats, nudged, moved = found[:_REPEATS], found[_REPEATS:-1], found[-1]
    values = {
        name: value for name, value in repeats[0].items()
        if all(name in other for other in found) and (not name.startswith("scalar") or moved[name] != value)
    }  # fmt: skip
    return Forward(values, {name: _roundoff(name, repeats, nudged) for name in values})


def first_objective(recording: Recording, session: Session) -> float | None:
    """Sum of the recorded losses of the first iteration; None with manual seeds only."""
    consumptions = Consumptions(recording)
    terms = [t for t in _merged(session, recording, consumptions.parameters()).contributions if t.seed_file is None]
    losses = {b.ordinal: b.loss for b in consumptions.backwards}
    total = 0.0
    for term in terms:
        loss = losses[term.backward]
        assert loss is not None
        total += float(loss["value"] - (loss["first_value"] if term.increment else 0.0))
    return total if terms else None


def _merged(session: Session, recording: Recording, traces: Sequence[ParameterTrace]) -> Objective:
    """The objectives of all parameters in the first iteration, each term once."""
    terms: dict[tuple[int, str, bool], Contribution] = {}
    for trace in traces:
        for consumption in trace.consumptions:
            if consumption.iteration == 0:
                for term in objective_of(consumption, recording, session.scratch).contributions:
                    terms.setdefault((term.backward, term.buffer, term.seed_file is None), term)
    ordered = sorted(terms.values(), key=lambda t: t.backward)
    return Objective(ordered, max((t.backward for t in ordered), default=0))


def _values_wanted(session: Session, recording: Recording, traces: Sequence[ParameterTrace]) -> Objective:
    """The merged objective with signs in place of seeds, and scalars where there is no loss."""
    merged = _merged(session, recording, traces)
    terms = []
    for number, term in enumerate(merged.contributions):
        if term.seed_file is not None:
            shape = np.load(term.seed_file).shape
            file = session.scratch / f"signs-{number}.npy"
            np.save(file, np.random.Generator(np.random.PCG64(5)).choice([-1.0, 1.0], shape))
            term = replace(term, seed_file=str(file))
        terms.append(term)
    has_loss = any(t.seed_file is None for t in terms)
    return Objective(terms, merged.last_backward, report=not has_loss)


def _quantities(result: EvaluationResult, objective: Objective) -> dict[str, float]:
    if result.status != "ok":
        return {}
    found: dict[str, float] = {}
    outputs = 0
    for term, value in zip(objective.contributions, result.values, strict=True):
        if term.seed_file is None:
            found[OBJECTIVE] = found.get(OBJECTIVE, 0.0) + value
        else:
            outputs += 1
            shape = "x".join(map(str, np.load(term.seed_file).shape))
            found[f"output {outputs} ({shape})"] = value
    found.update({f"scalar {name}": value for name, value in result.scalars.items()})
    return found


def _roundoff(name: str, repeats: list[dict[str, float]], nudged: list[dict[str, float]]) -> float:
    value = repeats[0][name]
    spread = max(abs(r[name] - value) for r in repeats)
    reaction = max(abs(n[name] - value) for n in nudged)
    ulp = float(np.spacing(np.float32(abs(value))))
    return max(_REPEAT_FACTOR * spread, _NUDGE_FACTOR * reaction, _ULPS * ulp)
