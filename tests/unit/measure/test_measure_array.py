"""Verdicts on whole gradients: right, wrong and undecidable ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from objectives import Case, Recorder, check, outcome, problem, random_smooth

from harness.measure import Budget, Outcome, Problem, check_array

F32 = np.float32


@pytest.fixture(scope="module")
def smooth() -> list[Case]:
    return [random_smooth(seed) for seed in range(200)]


def statuses(cases: list[Case]) -> Counter[str]:
    return Counter(check(case, seed).status for seed, case in enumerate(cases))


def quadratic(size: int = 100, seed: int = 0) -> Case:
    rng = np.random.default_rng(seed)
    x, target = rng.normal(size=(2, size)).astype(F32)
    return Case(lambda p: np.mean((p - target) ** 2, dtype=F32), x, 2.0 * (x.astype(float) - target) / size)


def test_no_correct_smooth_gradient_is_called_wrong(smooth: list[Case]) -> None:
    found = statuses(smooth)
    assert found["disagrees"] == 0
    assert found["agrees"] >= 190


def zero_largest(g: np.ndarray) -> np.ndarray:
    return np.where(np.abs(g) == np.abs(g).max(), 0.0, g)


def flip_largest(g: np.ndarray) -> np.ndarray:
    return np.where(np.abs(g) == np.abs(g).max(), -g, g)


def drop_block(g: np.ndarray) -> np.ndarray:
    return np.where(np.arange(g.size) < max(1, g.size // 3), 0.0, g)


FAULTS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], int]] = {
    "x1.05": (lambda g: 1.05 * g, 25),
    "x2": (lambda g: 2.0 * g, 30),
    "x0.5": (lambda g: 0.5 * g, 30),
    "negated": (lambda g: -g, 30),
    "missing": (lambda g: 0.0 * g, 30),
    "largest element zero": (zero_largest, 28),
    "largest element flipped": (flip_largest, 28),
    "a third missing": (drop_block, 28),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_wrong_gradient_is_called_right(smooth: list[Case], fault: str) -> None:
    change, least = FAULTS[fault]
    found = statuses([case.with_gradient(change(case.gradient)) for case in smooth[:30]])
    assert found["agrees"] == 0
    assert found["independent"] == 0
    assert found["disagrees"] >= least


@pytest.mark.parametrize(("factor", "alpha"), [(2.0, 0.5), (0.5, 2.0), (-1.0, -1.0), (1.0, 1.0)])
def test_the_slope_and_the_ratio_give_the_factor(factor: float, alpha: float) -> None:
    case = quadratic()
    found = check(case.with_gradient(factor * case.gradient))
    assert found.alpha == pytest.approx(alpha, rel=1e-2)
    assert found.ratio == pytest.approx(factor, rel=2e-2)
    assert abs(found.measured - found.autodiff / factor) <= found.half_width + 1e-2 * abs(found.measured)


@given(seed=st.integers(0, 100), exponent=st.integers(-30, 30), factor=st.sampled_from([1.0, 1.1, 0.0, -1.0]))
@settings(max_examples=20, deadline=None)
def test_scaling_the_objective_changes_no_verdict(seed: int, exponent: int, factor: float) -> None:
    case = random_smooth(seed)
    wrong = case.with_gradient(factor * case.gradient)
    scale = F32(2.0**exponent)
    scaled = Case(lambda p: scale * F32(case.f(p)), case.x, float(scale) * wrong.gradient)
    assert check(scaled, seed).status == check(wrong, seed).status


@given(seed=st.integers(0, 100))
@settings(max_examples=15, deadline=None)
def test_permuting_the_elements_changes_no_verdict(seed: int) -> None:
    case = quadratic(30, seed)
    wrong = zero_largest(case.gradient)
    order = np.random.default_rng(seed).permutation(30)
    inverse = np.argsort(order)
    permuted = Case(lambda p: case.f(p[inverse]), case.x[order], case.gradient[order])
    assert check(permuted, seed).status == check(case, seed).status == "agrees"
    assert check(permuted.with_gradient(wrong[order]), seed).status == "disagrees"


def test_the_same_seed_asks_for_the_same_points() -> None:
    case = quadratic(20)
    recorders = [Recorder(case.f) for _ in range(3)]
    for recorder, seed in zip(recorders, (7, 7, 8), strict=True):
        check(case.with_gradient(2.0 * case.gradient), seed, evaluate=recorder)
    first, second, other = (np.concatenate([p for batch in r.batches for p in batch]) for r in recorders)
    assert np.array_equal(first, second)
    assert not np.array_equal(first[: other.size], other[: first.size])


def test_the_cost_does_not_depend_on_the_number_of_elements() -> None:
    counts = {}
    for size in (10**2, 10**4, 10**6):
        recorder = Recorder(quadratic(size).f)
        found = check(quadratic(size), evaluate=recorder)
        assert found.status == "agrees"
        assert found.evaluations == recorder.count
        counts[size] = recorder.count
    assert max(counts.values()) <= 1.5 * min(counts.values()) <= 100


def test_a_missing_gradient_of_a_mean_over_many_elements_is_seen() -> None:
    case = quadratic(32768)
    assert check(case).status == "agrees"
    assert check(case.with_gradient(0.0 * case.gradient)).status == "disagrees"


def test_one_missing_element_is_seen_along_the_zero_set() -> None:
    case = quadratic(400)
    gradient = case.gradient.copy()
    gradient[np.argsort(np.abs(gradient))[200]] = 0.0
    found = check(case.with_gradient(gradient))
    zero_set = [d for d in found.directions if d.kind == "zero-set"]
    assert found.status == "disagrees"
    assert {d.status for d in zero_set} == {"disagrees"}


def test_elements_that_do_not_matter_raise_no_alarm_along_the_zero_set() -> None:
    case = quadratic(50)
    unused = Case(lambda p: case.f(p[:50]), np.tile(case.x, 2), np.concatenate([case.gradient, 0.0 * case.gradient]))
    found = check(unused)
    assert found.status == "agrees"
    assert "zero-set" in {d.kind for d in found.directions}


@pytest.mark.parametrize("seed", range(5))
def test_a_large_offset_needs_coarse_steps_and_is_decided(seed: int) -> None:
    case = random_smooth(seed)
    shifted = Case(lambda p: F32(1000.0) + F32(case.f(p)), case.x, case.gradient)
    assert check(shifted, seed).status == "agrees"
    assert check(shifted.with_gradient(2.0 * case.gradient), seed).status == "disagrees"


def lattice_energy() -> Case:
    """A squared difference of two energies near 8000: the float32 sum loses almost all of the change."""
    rng = np.random.default_rng(5)
    kind, strain = rng.integers(0, 3, 200), rng.normal(0.0, 0.3, 200).astype(F32)

    def f(k: np.ndarray) -> np.ndarray:
        energy = np.cumsum(F32(40.0) + F32(0.5) * k[kind] * strain * strain, dtype=F32)[-1]
        return F32(0.01) * (energy - F32(8014.0)) ** 2

    return Case(f, np.array([1.05, 0.93, 1.10], dtype=F32), np.array([-0.388965, -0.25205, -0.236678]))


@pytest.mark.parametrize("seed", range(4))
def test_an_energy_on_top_of_a_reference_energy_agrees(seed: int) -> None:
    found = check(lattice_energy(), seed)
    assert (found.status, found.is_piecewise_constant) == ("agrees", False)
    assert found.eps_f_in_ulps > 100.0
    assert check(lattice_energy().with_gradient(0.0 * lattice_energy().gradient), seed).status == "disagrees"


def test_parameters_of_very_different_size_are_decided() -> None:
    sizes = np.array([1e-3, 1e3, 1.0])
    x = (sizes * [2.0, 1.0, 0.4]).astype(F32)
    case = Case(lambda p: np.sum(np.sin(p / sizes), dtype=F32), x, np.cos(x / sizes) / sizes)
    assert check(case).status == "agrees"
    assert check(case.with_gradient(case.gradient * 1.3)).status == "disagrees"


def test_parameters_that_start_at_zero_are_decided() -> None:
    case = quadratic()
    zero = Case(lambda p: F32(5.0) + case.f(p), 0.0 * case.x, None)
    target_gradient = np.array(case.gradient - 2.0 * case.x.astype(float) / 100)
    assert check(zero.with_gradient(target_gradient)).status == "agrees"
    assert check(zero.with_gradient(0.5 * target_gradient)).status == "disagrees"


@pytest.mark.parametrize("size", [1, 2])
def test_tiny_parameters_take_few_evaluations(size: int) -> None:
    x = np.array([1.3, -0.4], dtype=F32)[:size]
    case = Case(lambda p: np.sum(np.sin(p) * p), x, np.sin(x) + x * np.cos(x))
    good, bad = check(case), check(case.with_gradient(1.1 * case.gradient))
    assert (good.status, bad.status) == ("agrees", "disagrees")
    assert good.evaluations <= (30 if size == 1 else 50)


def test_an_objective_that_ignores_the_parameter_is_independent() -> None:
    found = check(Case(lambda p: F32(3.0), np.ones(5, dtype=F32), np.zeros(5)))
    assert (found.status, found.is_piecewise_constant) == ("independent", False)


def test_a_gradient_where_the_objective_ignores_the_parameter_disagrees() -> None:
    assert check(Case(lambda p: F32(3.0), np.ones(5, dtype=F32), np.ones(5))).status == "disagrees"


def test_float64_objectives_are_held_to_a_tighter_tolerance() -> None:
    x = np.random.default_rng(0).normal(size=20)
    case = Case(lambda p: np.sum(np.exp(p)), x, np.exp(x))
    fine = check_array(Recorder(case.f), problem(case, "float64"), 0, Budget(200))
    off = problem(case.with_gradient(case.gradient * 1.001), "float64")
    assert fine.status == "agrees"
    assert check_array(Recorder(case.f), off, 0, Budget(200)).status == "disagrees"


def test_rotations_are_judged_along_the_sphere() -> None:
    rng = np.random.default_rng(1)
    q = rng.normal(size=(6, 4))
    q = (q / np.linalg.norm(q, axis=1, keepdims=True)).astype(F32)
    a = rng.normal(size=(6, 4)).astype(F32)
    f = lambda p: np.sum(np.sin(a * p), dtype=F32)  # noqa: E731
    radial = 3.0 * q  # a program may add any multiple of q: no rotation can tell
    gradient = (a * np.cos(a * q) + radial).astype(F32)
    right = Problem(q, gradient, outcome(f, q), np.dtype(F32), manifold="quaternion")
    wrong = Problem(q, 1.2 * gradient, outcome(f, q), np.dtype(F32), manifold="quaternion")
    assert check_array(Recorder(f), right, 0, Budget(200)).status == "agrees"
    assert check_array(Recorder(f), wrong, 0, Budget(200)).status == "disagrees"


@pytest.mark.parametrize("evaluations", [8, 12, 20, 30, 40, 60])
def test_a_small_budget_is_kept_and_still_tells_right_from_double(evaluations: int) -> None:
    case = quadratic()
    good = check(case, evaluations=evaluations)
    bad = check(case.with_gradient(2.0 * case.gradient), evaluations=evaluations)
    assert (good.status, bad.status) == ("agrees", "disagrees")
    assert max(good.evaluations, bad.evaluations) <= evaluations


def test_without_a_budget_nothing_is_claimed() -> None:
    found = check(quadratic(), evaluations=7)
    assert (found.status, found.reason, found.evaluations) == ("undecided", "budget", 0)


def test_a_baseline_that_failed_is_undecided() -> None:
    x = np.ones(3, dtype=F32)
    found = check_array(Recorder(np.sum), Problem(x, x, Outcome(None, "crash"), x.dtype), 0, Budget(100))
    assert (found.status, found.reason) == ("undecided", "domain_error")
