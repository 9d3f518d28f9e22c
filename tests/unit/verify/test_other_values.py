"""Other parameter values: near, of the same signs, repeatable, and on the manifold."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from harness.verify.elsewhere import Start, other_values
from harness.verify.measured import match


def start(contents: np.ndarray, name: str = "p", dtype: str = "float32", update: float = 0.0) -> Start:
    return Start(name, f"{name}#0", 3, dtype, contents, update)


@given(arrays(np.float32, st.integers(1, 20), elements=st.floats(0.125, 64.0, width=32)), st.integers(1, 50))
def test_every_element_moves_by_at_most_a_quarter_and_keeps_its_sign(x: np.ndarray, seed: int) -> None:
    moved = other_values(start(x), seed, 0)
    assert moved.dtype == x.dtype
    assert np.all(np.abs(moved - x) <= 0.2501 * np.abs(x))
    assert np.all(np.abs(moved - x) >= 0.04 * np.abs(x))
    assert np.array_equal(moved, other_values(start(x), seed, 0))
    assert not np.array_equal(moved, other_values(start(x), seed + 1, 0))


def test_zeros_move_by_what_the_program_itself_moves_them() -> None:
    zeros = np.zeros(6, dtype=np.float32)
    moved = np.abs(other_values(start(zeros, update=0.01), 1, 0))
    assert np.all((moved > 0.0) & (moved <= 0.0301))
    assert np.all(other_values(start(zeros), 1, 0) != 0.0)


def test_rotations_stay_rotations() -> None:
    quaternions = np.array([[0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.5, 0.5]], dtype=np.float32)
    moved = other_values(start(quaternions, dtype="quatf"), 1, 0)
    assert np.allclose(np.linalg.norm(moved, axis=-1), 1.0, atol=1e-6)
    pose = np.array([[1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]], dtype=np.float32)
    moved = other_values(start(pose, dtype="transformf"), 1, 0)
    assert np.allclose(np.linalg.norm(moved[:, 3:], axis=-1), 1.0, atol=1e-6)
    assert not np.allclose(moved[:, :3], pose[:, :3])


def test_parameters_are_matched_by_name_and_then_in_order() -> None:
    a, b, c = np.zeros(3), np.zeros(3), np.zeros(2)
    before = [start(a, "gain"), start(b, "offset"), start(c, "mass")]
    assert match(before, [start(b, "offset"), start(a, "gain"), start(c, "mass")]) == {0: 1, 1: 0, 2: 2}
    assert match(before, [start(a, "k"), start(b, "offset"), start(c, "m")]) == {0: 0, 1: 1, 2: 2}
    assert match(before, [start(np.zeros(4), "gain")]) == {}
