"""Objectives that differences cannot or should not decide, and failures on the way."""

from __future__ import annotations

import numpy as np
import pytest
from objectives import Case, Recorder, check, problem, random_smooth

from harness.measure import Budget, Outcome, Problem, check_array

F32 = np.float32


@pytest.mark.parametrize(("autodiff", "side"), [(1.0, "plus"), (-1.0, "minus"), (0.0, "between")])
def test_a_corner_is_undecided_and_tells_the_side(autodiff: float, side: str) -> None:
    found = check(Case(lambda p: F32(1.0) + np.sum(np.abs(p)), np.zeros(1, dtype=F32), np.array([autodiff])))
    assert (found.status, found.reason, found.picked_side) == ("undecided", "kink", side)


def test_a_corner_out_of_reach_does_not_matter() -> None:
    x = np.array([0.05, 1.0], dtype=F32)
    case = Case(lambda p: np.sum(np.maximum(p, 0) * [2, 3]), x, np.array([2.0, 3.0]))
    assert check(case).status == "agrees"
    assert check(case.with_gradient(np.array([0.0, 3.0]))).status == "disagrees"


def test_a_jump_at_the_parameter_is_undecided() -> None:
    case = Case(lambda p: F32(p[0] >= 1.0) + p.sum(), np.array([1.0, 2.0, 3.0], dtype=F32), np.ones(3))
    found = check(case)
    assert (found.status, found.reason) == ("undecided", "jump")


SOIL = np.array([0.2, 0.3, 0.5, 0.9, 1.0, 0.8, 0.6, 0.4, 0.3, 0.2, 0.1], dtype=F32)


def table_lookup(p: np.ndarray) -> float:
    cell = p.astype(int)
    if cell.min() < 0 or cell.max() > 10:
        return float("nan")
    return float((SOIL[cell].sum(dtype=F32) - F32(2.5)) ** 2)


WELLS = np.array([2.4, 5.7, 8.2], dtype=F32)


@pytest.mark.parametrize("seed", range(5))
def test_zero_is_right_for_a_table_lookup(seed: int) -> None:
    found = check(Case(table_lookup, WELLS, np.zeros(3)), seed)
    assert (found.status, found.is_piecewise_constant) == ("agrees", True)


def test_a_slope_where_a_table_lookup_only_jumps_is_undecided() -> None:
    found = check(Case(table_lookup, WELLS, np.ones(3)))
    assert (found.status, found.reason, found.is_piecewise_constant) == ("undecided", "staircase", True)


def test_fine_treads_have_a_slope_that_zero_misses() -> None:
    x = np.array([1.234], dtype=F32)
    found = check(Case(lambda p: F32(3.0) * np.round(p[0] * F32(1500)) / F32(1500), x, np.zeros(1)))
    assert (found.status, found.reason, found.is_piecewise_constant) == ("undecided", "staircase", True)
    assert found.secant is not None
    assert abs(found.secant) / 1.234 > 1.0


def logistic(iterations: int, seed: int) -> Case:
    x = np.random.default_rng(seed).uniform(0.2, 0.8, 10).astype(F32)

    def f(p: np.ndarray) -> np.ndarray:
        for _ in range(iterations):
            p = F32(3.99) * p * (1 - p)
        return p.sum()

    z, tangent = x.astype(float), np.ones(10)
    for _ in range(iterations):
        z, tangent = 3.99 * z * (1 - z), 3.99 * (1 - 2 * z) * tangent
    return Case(f, x, tangent)


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_a_chaotic_map_is_undecided_and_shows_its_growth(factor: float) -> None:
    for seed in range(8):
        case = logistic(60, seed)
        found = check(case.with_gradient(factor * case.gradient), seed)
        assert (found.status, found.growth) == ("undecided", True)


def test_a_short_chaotic_map_is_decided() -> None:
    for seed in range(5):
        case = logistic(5, seed)
        assert check(case, seed).status == "agrees"
        assert check(case.with_gradient(2.0 * case.gradient), seed).status == "disagrees"


def bouncing(steps: int, seed: int) -> Case:
    """Six penalty bounces with the tangent carried along."""
    start = np.random.default_rng(seed).uniform(0.5, 3.0, 6).astype(F32)
    dt = F32(0.01)

    def f(velocity: np.ndarray) -> np.ndarray:
        height = np.full(6, 0.5, F32)
        for _ in range(steps):
            velocity = velocity + dt * (np.where(height < 0, F32(-400) * height, F32(0)) - F32(9.81))
            height = height + dt * velocity
        return np.mean((height - F32(0.3)) ** 2)

    y, v, dy, dv = np.full(6, 0.5, F32), start, np.zeros(6), np.ones(6)
    for _ in range(steps):
        v, dv = v + dt * (np.where(y < 0, F32(-400) * y, F32(0)) - F32(9.81)), dv + 0.01 * np.where(y < 0, -400 * dy, 0)
        y, dy = y + dt * v, dy + 0.01 * dv
    return Case(f, start, 2.0 * (y.astype(float) - 0.3) * dy / 6)


def test_correct_gradients_through_contact_are_never_called_wrong() -> None:
    found = [check(bouncing(200, seed), seed).status for seed in range(16, 28)]
    assert "disagrees" not in found
    assert found.count("agrees") >= 6


def test_noise_between_runs_is_named() -> None:
    case = random_smooth(0)
    rng = np.random.default_rng(0)
    found = check(Case(lambda p: F32(case.f(p)) + F32(rng.normal()), case.x, case.gradient))
    assert (found.status, found.reason) == ("undecided", "nondeterministic")


def test_a_gradient_with_a_nan_disagrees_and_names_the_place() -> None:
    x = np.random.default_rng(0).normal(size=(4, 5)).astype(F32)
    gradient = np.cos(x)
    gradient[2, 3] = np.nan
    found = check(Case(lambda p: np.sum(np.sin(p)), x, gradient))
    assert (found.status, found.reason) == ("disagrees", "nonfinite_gradient")
    assert (found.nonfinite_count, found.first_nonfinite) == (1, (2, 3))


def test_an_infinite_slope_is_undecided() -> None:
    found = check(Case(lambda p: np.sqrt(p[0]) + p[1], np.array([0.0, 1.0], dtype=F32), np.array([np.inf, 1.0])))
    assert found.status == "undecided"


def test_rungs_outside_the_domain_are_dropped() -> None:
    x = np.array([2e-3, 2.0, 3.0], dtype=F32)
    case = Case(lambda p: np.sum(np.log(p)), x, 1.0 / x.astype(float))
    assert check(case).status == "agrees"
    assert check(case.with_gradient(1.5 * case.gradient)).status == "disagrees"


def test_a_run_of_another_structure_is_not_compared() -> None:
    case = random_smooth(0)
    setting = problem(case)
    changed = Problem(setting.x, setting.gradient, Outcome(setting.baseline.value, None, "a"), setting.objective_dtype)
    found = check_array(lambda points: [Outcome(float(case.f(p)), None, "b") for p in points], changed, 0, Budget(200))
    assert (found.status, found.reason) == ("undecided", "structure_changed")


def test_a_step_below_the_resolution_of_the_type_is_named() -> None:
    x = np.array([1.0, 2.0], dtype=np.float16)
    f = lambda p: F32(np.sum(p.astype(F32) ** 2))  # noqa: E731
    setting = Problem(x, (2 * x).astype(np.float16), Outcome(float(f(x))), np.dtype(F32))
    found = check_array(Recorder(f), setting, 0, Budget(200))
    dropped = {r.failure for d in found.directions for r in d.rungs}
    assert "step_underflow" in dropped
    assert found.status == "agrees"
