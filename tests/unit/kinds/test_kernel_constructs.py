"""What is looked for in the source of a kernel. No kernel is compiled here; WARP_FACTS says what is right and wrong."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from harness.kinds.kernel_adjoints import constructs

LISTED = ["floor", "frac", "mesh_get_point", "tid", "tile_sort", "zeros"]


def kinds_in(
    body: str, *, constants: dict[str, float] | None = None, warp: str = "1.19.0", bad: bool = False
) -> list[str]:
    """Kinds found in a kernel with this body, most telling first, without the last resort."""
    found = constructs(_environment(body, constants or {}, warp), "work", bad)
    return [c.kind for c in found if c.why]


def lines_in(body: str, bad: bool = False) -> list[int]:
    """Their lines, counted from the first one of the body."""
    found = constructs(_environment(body, {}, "1.19.0"), "work", bad)
    return [int(c.line or 0) - 102 for c in found if c.why]


def _environment(body: str, constants: dict[str, float], warp: str) -> dict[str, Any]:
    head = "@wp.kernel\ndef work(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):\n"
    kernel = {
        "name": "work", "file": "sim.py", "line": 100, "source": head + textwrap.indent(textwrap.dedent(body), "    "),
        "constants": constants, "enable_backward": True, "max_unroll": 16, "functions": [],
    }  # fmt: skip
    return {"warp": warp, "nondifferentiable": LISTED, "kernels": {"work": kernel}}


@pytest.mark.parametrize(
    "loop",
    [
        "for k in range(n):\n    s += x[k] * x[k]",
        "for k in range(n):\n    s = s + x[k]",
        "for k in range(n):\n    t = x[k] * x[k]\n    s = s - t * t",
        "for k in range(n):\n    if x[k] < 0.5:\n        continue\n    s += x[k]",
        "for k in range(16):\n    s = s * x[k]",
        "for k in range(PASSES):\n    s = s * x[k]",
        "for k in range(wp.static(40)):\n    s = s * x[k]",
    ],
)
def test_loops_that_need_no_older_values_or_are_unrolled_are_not_named(loop: str) -> None:
    assert kinds_in(f"s = float(0.0)\n{loop}\ny[0] = 2.0 * s", constants={"PASSES": 8}) == []


@pytest.mark.parametrize(
    "loop",
    [
        "for k in range(n):\n    s = s * x[k]",
        "for k in range(n):\n    s += s * x[k]",
        "for k in range(n):\n    s = wp.max(s, x[k])",
        "for k in range(n):\n    if x[k] > s:\n        s = x[k]",
        "for k in range(n):\n    if x[k] > 1.0:\n        break\n    s += x[k]",
        "for k in range(4):\n    if x[k] > 1.0:\n        break\n    s += x[k]",
        "for k in range(17):\n    s = s * x[k]",
        "for k in range(PASSES):\n    s = s * x[k]",
        "i = int(0)\nwhile i < n:\n    s += x[i]\n    i += 1",
        "for k in range(n):\n    s += x[k]\n    y[k] = s * s",
    ],
)
def test_loops_whose_passes_need_their_own_values_are_named(loop: str) -> None:
    assert kinds_in(f"s = float(0.0)\n{loop}\ny[0] = 2.0 * s", constants={"PASSES": 32})[0] == "dynamic-loop"


def test_a_sum_is_named_where_a_product_needs_it_after_the_loop() -> None:
    assert kinds_in("s = float(0.0)\nfor k in range(n):\n    s += x[k]\ny[0] = s * s") == ["dynamic-loop"]


@pytest.mark.parametrize("statement", ["y[0] += x[0]", "y[0] = y[0] + 2.0 * x[0]", "wp.atomic_add(y, 0, x[0])"])
def test_sums_in_place_are_not_named(statement: str) -> None:
    assert kinds_in(statement) == []


@pytest.mark.parametrize("statement", ["y[0] *= x[0]", "y[0] /= x[0]", "y[0] = y[0] * x[1]", "y[0] = wp.sin(y[0])"])
def test_other_arithmetic_in_place_is_named(statement: str) -> None:
    assert kinds_in(f"y[0] = x[0]\n{statement}") == ["in-place-arithmetic"]


@pytest.mark.parametrize(
    "body",
    [
        "v = wp.vec3()\nv[0] = x[0]\nv[1] = x[1]",
        "v = wp.vec3(1.0, 0.0, 0.0)\nv.x = x[0]\nv.y = x[1]",
        "v = wp.vec3(x[0], x[1], x[2])\nv[0] += x[1]",
        "s = State()\ns.mass = x[0]\ns.x = x[1]",
    ],
)
def test_first_values_of_components_are_not_named(body: str) -> None:
    assert kinds_in(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "v = wp.vec3(x[0], x[1], x[2])\nv[0] = x[1]",
        "v = wp.vec3()\nv.x = x[0]\nv[0] = x[1]",
        "v = wp.vec3()\nv[0] = x[0]\nv[n] = x[1]",
        "s = State()\ns.velocity = wp.vec3(x[0], x[1], x[2])\ns.velocity[1] = x[3]",
    ],
)
def test_second_values_of_components_are_named(body: str) -> None:
    assert kinds_in(body) == ["component-reassignment"]


def test_an_array_of_the_kernel_is_named_where_its_values_are_needed() -> None:
    allocate = "a = wp.zeros(shape=2, dtype=float)\na[0] = x[0]\n"
    assert kinds_in(allocate + "y[0] = a[0] + 2.0 * a[1]") == []
    assert kinds_in(allocate + "y[0] = a[0] * a[1]") == ["local-array"]


def test_remainders_are_named_where_the_divisor_is_no_whole_number() -> None:
    assert kinds_in("i = wp.tid()\nj = (i + 1) % n\nm = x.shape[0]\nk = i % m\ny[j] = x[k] % 2.0") == []
    assert kinds_in("y[0] = wp.mod(1.0, x[0])") == ["missing-adjoint"]


def test_builtins_that_round_are_not_named_and_those_without_an_adjoint_are() -> None:
    assert kinds_in("y[0] = wp.floor(x[0])") == []
    assert kinds_in("y[0] = wp.frac(x[0])") == ["missing-adjoint"]


def test_an_atomic_operation_is_named_where_its_value_is_used() -> None:
    assert kinds_in("wp.atomic_add(y, 0, x[0])") == []
    assert kinds_in("k = wp.atomic_add(y, 0, 1.0)") == ["replay-side-effect"]


def test_the_singular_expression_is_told_from_the_operand_that_is_not_selected() -> None:
    assert kinds_in("u = x[0]\ny[0] = wp.where(u == 0.0, 1.0, wp.sin(u) / u)", bad=True) == ["unselected-branch"]
    assert kinds_in("u = x[0]\ny[0] = wp.where(n == 0, 1.0, wp.sin(u) / u)", bad=True) == ["nonfinite-adjoint"]
    assert kinds_in("r = wp.sqrt(x[0])\ny[0] = wp.where(x[0] > 1.0, 2.0 * r, r)", bad=True)[-1] == "nonfinite-adjoint"


def test_safeguarded_expressions_come_last() -> None:
    assert lines_in("a = wp.sqrt(x[0] + 0.01)\nb = 1.0 / wp.max(x[1], 0.1)\nc = wp.log(x[2])", bad=True)[0] == 2


def test_component_sums_in_place_depend_on_the_version() -> None:
    assert kinds_in("y[n].x += x[0]", warp="1.17.0") == ["kernel-adjoint"]
    assert kinds_in("y[n].x += x[0]", warp="1.18.0") == []


def test_shared_elements_are_named_and_own_ones_are_not() -> None:
    assert kinds_in("i = wp.tid()\ny[i] = x[i]") == []
    assert kinds_in("i = wp.tid()\ny[0] = x[i]") == ["kernel-adjoint"]
    assert kinds_in("i = wp.tid()\ny[i + 1] = y[i] * x[i]") == ["kernel-adjoint"]
