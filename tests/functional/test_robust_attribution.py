"""What is found does not depend on the order in which causes are tried, nor on the seed of the random directions."""

from __future__ import annotations

import functools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.attribute.engine import Order, attribute, largest_first
from harness.diagnose import laboratory, live_session
from harness.execute.session import Target
from harness.kinds import LOOKS
from harness.kinds.base import Candidate
from harness.options import Options
from harness.record.plan import Plan
from harness.schema import Finding

PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
ORDERS = (0, 1, 2, 3)
SECONDS = 600.0

QUICK = ("tape/tiny_network.py", "tape/tank_network.py", "tape/vortex_tank.py")
MORE = (
    "shared/relax_field_before_backward.py",
    "shared/windowed_rollout.py",
    "tape/isotope/main.py",
    "tape/dune_march.py",
    "tape/plate_edges.py",
    "tape/pore_pressure.py",
    "tape/radar_sweep.py",
    "tape/shell_clearance.py",
    "tape/sediment_bed.py",
    "tape/swarm_gather.py",
    "tape/turbine/train.py",
)
Place = tuple[str, str, str]
"""Kind, confidence and ``file:line`` of a finding."""


def _shuffled(seed: int) -> Order:
    """An order that goes by nothing."""

    def order(candidates: list[Candidate]) -> list[Candidate]:
        return random.Random(seed).sample(candidates, len(candidates))

    return order


def _target(script: str) -> Target:
    path = PROGRAMS / script
    return Target(str(path), None, (), str(path.parent))


def _places(findings: Sequence[Finding]) -> list[Place]:
    return sorted((f.kind, f.confidence, str(f.location)) for f in findings)


@functools.cache
def _found(script: str, seed: int, orders: Sequence[int] = ORDERS) -> list[list[Place]]:
    """The findings with the usual order of candidates, then with shuffled ones; the same runs serve all of them."""
    options = Options(seed=seed)
    with live_session(_target(script), options) as session:
        lab = laboratory(session, session.record(Plan(iterations=options.iterations)), options)
        assert len([c for look in LOOKS for c in look(lab)]) > 1
        results = [attribute(lab, LOOKS, SECONDS, order) for order in (largest_first, *map(_shuffled, orders))]
    assert [r.not_attributed for r in results] == [None] * len(results)
    return [_places(r.findings) for r in results]


def _cases() -> list[Any]:
    marks = {script: [pytest.mark.xdist_group(script)] for script in (*QUICK, *MORE)}
    for script in MORE:
        marks[script].append(pytest.mark.corpus)
    return [pytest.param(script, marks=given, id=script) for script, given in marks.items()]


@pytest.mark.parametrize("script", _cases())
def test_the_order_of_candidates_changes_nothing(script: str) -> None:
    usual, *shuffled = _found(script, seed=0)
    assert usual
    assert shuffled == [usual] * len(ORDERS)


@pytest.mark.parametrize("script", _cases())
def test_the_seed_of_the_directions_changes_nothing(script: str) -> None:
    assert _found(script, seed=7, orders=())[0] == _found(script, seed=0)[0]
