"""Finding the wrong elements, and judging single launches."""

from __future__ import annotations

import numpy as np
import pytest
from objectives import Case, Recorder, problem

from harness.measure import Budget, Localisation, LocalRung, check_array, each_element, judge_local, localise

F32 = np.float32


def waves(shape: tuple[int, ...]) -> Case:
    rng = np.random.default_rng(1)
    x, target = rng.normal(size=(2, *shape)).astype(F32)
    return Case(
        lambda p: np.sum((p - target) ** 2, dtype=F32) + F32(0.1) * np.sum(np.sin(p), dtype=F32),
        x,
        2.0 * (x.astype(float) - target) + 0.1 * np.cos(x.astype(float)),
    )


def search(case: Case, gradient: np.ndarray, evaluations: int = 2000) -> Localisation:
    recorder = Recorder(case.f)
    found = localise(recorder, problem(case.with_gradient(gradient)), 1, Budget(evaluations))
    assert found.evaluations == recorder.count <= evaluations
    return found


@pytest.mark.parametrize("shape", [(3,), (1000,), (333, 3), (4096,)])
def test_a_correct_gradient_has_no_place(shape: tuple[int, ...]) -> None:
    case = waves(shape)
    assert search(case, case.gradient).kind == "none"


@pytest.mark.parametrize("shape", [(1,), (4,), (2, 3)])
def test_each_element_is_measured_with_an_interval_that_holds_the_truth(shape: tuple[int, ...]) -> None:
    case = waves(shape)
    spoilt = case.gradient.copy()
    spoilt.flat[-1] *= 1.5
    judged = problem(case.with_gradient(spoilt))
    whole = check_array(Recorder(case.f), judged, 1, Budget(200))
    recorder = Recorder(case.f)
    found = each_element(recorder, judged, whole)
    assert recorder.count == 8 * case.x.size
    assert [e.index for e in found] == list(np.ndindex(shape))
    for element in found:
        truth = case.gradient[element.index]
        assert element.measured is not None
        assert element.half_width is not None
        assert abs(element.measured - truth) <= element.half_width < 0.01 * max(1.0, abs(truth))
    assert [e.status for e in found] == ["agrees"] * (case.x.size - 1) + ["disagrees"]


@pytest.mark.parametrize(("shape", "faults"), [((4,), 1), ((1000,), 1), ((1000,), 3), ((333, 3), 3), ((1000,), 8)])
def test_wrong_elements_are_listed(shape: tuple[int, ...], faults: int) -> None:
    case = waves(shape)
    flat = np.random.default_rng(2).choice(case.x.size, faults, replace=False)
    wrong = [tuple(int(i) for i in np.unravel_index(k, shape)) for k in flat]
    gradient = case.gradient.copy()
    for index in wrong:
        gradient[index] = 3.0 * gradient[index] + 1.0
    found = search(case, gradient)
    assert found.kind == "elements"
    assert sorted(e.index for e in found.elements) == sorted(wrong)
    for element in found.elements:
        assert element.measured == pytest.approx(case.gradient[element.index], abs=element.half_width + 0.02)
    bound = 32 + 12 * faults + 8 * faults * np.log2(2 * case.x.size / faults)
    assert found.evaluations <= 1.2 * bound


def test_a_wrong_component_is_a_region() -> None:
    case = waves((333, 3))
    gradient = case.gradient.copy()
    gradient[:, 2] = 0.0
    found = search(case, gradient)
    assert (found.kind, found.regions) == ("dense", (((0, 333), (2, 3)),))


def test_a_scale_error_is_dense_with_its_slope() -> None:
    case = waves((1000,))
    found = search(case, 2.0 * case.gradient)
    assert found.kind == "dense"
    assert found.alpha == pytest.approx(0.5, rel=1e-2)
    assert found.correlation == pytest.approx(1.0, abs=1e-3)


def test_elements_that_are_not_finite_need_no_search() -> None:
    case = waves((1000,))
    gradient = case.gradient.copy()
    gradient[77] = np.nan
    found = search(case, gradient)
    assert [e.index for e in found.elements] == [(77,)]
    assert found.evaluations <= 44


def test_an_exhausted_budget_says_how_far_it_got() -> None:
    case = waves((1000,))
    gradient = case.gradient.copy()
    gradient[77] += 5.0
    found = search(case, gradient, evaluations=60)
    assert (found.kind, found.reason) == ("undecided", "budget")
    assert any(start <= 77 < stop for ((start, stop),) in found.regions)


def launch(factor: float, seed: int, steps: int = 6) -> list[LocalRung]:
    """Differences of y = sin(3 a) in float32 against `factor` times its adjoint, weights w."""
    rng = np.random.default_rng(seed)
    a, u, w = rng.normal(size=(3, 40)).astype(F32)
    adjoint = factor * w.astype(float) * 3.0 * np.cos(3.0 * a.astype(float))
    rungs = []
    for h in [2.0 ** -(4 + 2 * k) for k in range(steps)]:
        plus, minus = (a + F32(h) * u).astype(F32), (a - F32(h) * u).astype(F32)
        outputs = np.sin(F32(3) * plus).astype(float) - np.sin(F32(3) * minus).astype(float)
        delta = plus.astype(float) - minus.astype(float)
        rungs.append(LocalRung(h, float(w.astype(float) @ outputs), float(adjoint @ delta)))
    return rungs


def test_a_right_adjoint_agrees_far_below_the_limit() -> None:
    for seed in range(20):
        found = judge_local([launch(1.0, 2 * seed), launch(1.0, 2 * seed + 1)], scale=10.0)
        assert found.status == "agrees"
        assert found.residual_rel < 5e-4


@pytest.mark.parametrize("factor", [0.0, 0.5, 1.05, 2.0, -1.0])
def test_a_wrong_adjoint_disagrees(factor: float) -> None:
    for seed in range(20):
        found = judge_local([launch(factor, 2 * seed), launch(factor, 2 * seed + 1)])
        assert found.status == "disagrees"
        assert found.residual_rel == pytest.approx(abs(1 - factor) / max(factor, 1.0), rel=0.05) or factor < 0


def test_a_single_step_decides_nothing() -> None:
    assert judge_local([launch(1.0, 0, steps=1)]).status == "undecided"
