"""The numbers under the verdicts: noise, order of convergence, realised steps, the shape of a ladder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from objectives import Recorder, outcome

from harness.measure import Outcome, Problem
from harness.measure.interval import Ladder, half_widths, plateau
from harness.measure.noise import difference_table
from harness.measure.policy import LADDER
from harness.measure.prober import Prober
from harness.measure.results import Rung
from harness.measure.space import Space


def ladder_of(f, x, direction, gradient, steps=LADDER) -> Ladder:
    x, gradient = np.asarray(x), np.asarray(gradient)
    space = Space(Problem(x, gradient, outcome(f, x), x.dtype))
    prober = Prober(Recorder(f), outcome(f, x), 1000)
    return Ladder.of(prober.ladders([space.ladder(np.asarray(direction), steps)])[0], float(f(x)))


def test_central_differences_converge_with_second_order() -> None:
    x = np.array([0.7, -1.2])
    ladder = ladder_of(lambda p: np.sum(np.exp(p)), x, [1.0, -1.0], np.exp(x))
    orders = np.log2(np.abs(ladder.residual[:-1] / ladder.residual[1:])) / 2.0
    assert orders[:4] == pytest.approx([2.0] * 4, abs=0.05)


def test_the_interval_contains_the_true_derivative() -> None:
    x = np.array([0.7, -1.2], dtype=np.float32)
    ladder = ladder_of(lambda p: np.sum(np.exp(p)), x, [1.0, -1.0], np.exp(x.astype(float)))
    best = plateau(ladder, eps_f=2e-7)
    assert best is not None
    assert abs(ladder.residual[best.index]) <= best.half_width < 1e-3


def test_a_coarse_rung_that_finer_ones_contradict_is_not_admissible() -> None:
    slopes = (5.0, 5.0, 1.0, 1.0, 1.0, 1.0)
    rungs = [Rung(h, 1.0, 1.0 + d * h, 1.0 - d * h, d) for h, d in zip(LADDER, slopes, strict=True)]
    ladder = Ladder.of(rungs, 1.0)
    best = plateau(ladder, eps_f=1e-9)
    assert half_widths(ladder, 1e-9)[1] < 1e-6
    assert best is not None
    assert ladder.measured[best.index] == pytest.approx(1.0)


@pytest.mark.parametrize("sigma", [1e-9, 1e-6, 1e-3])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_noise_is_found_within_a_factor_four_on_average(sigma: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    t = np.linspace(-1.0, 1.0, 9) * 1e-6
    estimates = []
    for _ in range(20):
        table = difference_table(np.exp(t) + sigma * rng.normal(size=9))
        estimates += [] if table.sigma is None else [table.sigma]
    assert len(estimates) >= 10
    assert sigma / 4.0 < np.median(estimates) < 4.0 * sigma


def test_a_smooth_function_without_noise_shows_next_to_none() -> None:
    table = difference_table(np.sin(np.linspace(0.5, 0.5001, 9)))
    assert table.sigma is None or table.sigma < 1e-15


def test_a_constant_function_asks_for_a_wider_window() -> None:
    assert difference_table(np.ones(9)).status == "too-narrow"


@given(exponent=st.integers(-6, 6), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_the_prediction_uses_the_step_that_float32_realised(exponent: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = (rng.normal(size=7) * 10.0**exponent).astype(np.float32)
    gradient = rng.normal(size=7)
    space = Space(Problem(x, gradient, Outcome(1.0), x.dtype))
    pair = space.pair(space.signs(rng), 2.0**-14)
    assert pair.points is not None
    delta = pair.points[0].astype(np.float64) - pair.points[1].astype(np.float64)
    assert pair.prediction == float(np.sum(gradient * delta))
    assert np.all(delta != 0.0)


def test_quaternions_stay_on_the_sphere_and_move_along_it() -> None:
    rng = np.random.default_rng(3)
    q = rng.normal(size=(5, 4))
    q = (q / np.linalg.norm(q, axis=1, keepdims=True)).astype(np.float32)
    space = Space(Problem(q, rng.normal(size=q.shape), Outcome(1.0), q.dtype, manifold="quaternion"))
    direction = space.signs(rng)
    moved = space.at(direction, 0.25)
    assert np.abs(np.sum(direction * q, axis=1)).max() < 1e-6
    assert np.linalg.norm(moved, axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    assert np.abs(moved - q).max() > 0.05


def test_the_two_directions_of_a_pair_of_elements_are_independent() -> None:
    x = np.array([1.0, -2.0], dtype=np.float32)
    space = Space(Problem(x, x, Outcome(1.0), x.dtype))
    rng = np.random.default_rng(0)
    signs = [np.sign(space.signs(rng, k)) for k in range(2)]
    assert np.linalg.det(np.array(signs)) != 0.0
