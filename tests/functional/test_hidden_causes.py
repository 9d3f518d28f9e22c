"""Causes that show only once another is undone, and traces of another that are no causes of their own."""

from __future__ import annotations

import pytest
from driving import Diagnose

KERNELS = """\
import numpy as np
import warp as wp


@wp.kernel
def smooth(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] + 0.2 * (x[(i + 1) % 4] - x[i]) * x[i]


@wp.kernel
def misfit(y: wp.array(dtype=float), gain: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = gain[0] * y[i] * y[i] - 1.0
    wp.atomic_add(loss, 0, d * d)


x = wp.array([0.9, 1.2, 1.0, 0.8], dtype=float, requires_grad=True)
gain = wp.array([0.7], dtype=float, requires_grad=True)
"""

STEP_TOO_EARLY = (
    KERNELS
    + """\
for step in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        states = [x] + [wp.zeros(4, dtype=float, requires_grad=True) for _ in range(5)]
        for t in range(5):
            wp.launch(smooth, dim=4, inputs=[states[t]], outputs=[states[t + 1]])
        wp.launch(misfit, dim=4, inputs=[states[-1], gain], outputs=[loss])
    g, g_gain = x.grad.numpy().copy(), gain.grad.numpy().copy()  # read
    x.grad.zero_()
    gain.grad.zero_()
    x.assign(x.numpy() - 0.05 * g)
    gain.assign(gain.numpy() - 0.05 * g_gain)  # updated
    tape.backward(loss)
"""
)

PREPARED_OFF_THE_TAPE = (
    KERNELS
    + """\
y = wp.zeros(4, dtype=float, requires_grad=True)
for step in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(smooth, dim=4, inputs=[x], outputs=[y])  # off the tape
    with wp.Tape() as tape:
        wp.launch(misfit, dim=4, inputs=[y, gain], outputs=[loss])
    tape.backward(loss)  # never cleared
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    x.grad.zero_()
    gain.assign(gain.numpy() - 0.05 * gain.grad.numpy())
"""
)


def _line(program: str, comment: str) -> int:
    return next(n for n, text in enumerate(program.splitlines(), 1) if text.endswith(f"# {comment}"))


def test_an_update_before_backward_shows_behind_a_gradient_read_too_early(diagnose: Diagnose) -> None:
    report = diagnose(STEP_TOO_EARLY).report
    found = {(f.kind, f.location.line) for f in report.findings if f.location is not None}
    assert found == {
        ("stale-gradient", _line(STEP_TOO_EARLY, "read")),
        ("stale-gradient", _line(STEP_TOO_EARLY, "updated")),
    }
    assert all(f.confidence == "proven" for f in report.findings)
    assert report.not_attributed is None


def test_what_one_cause_leaves_behind_is_no_second_one(diagnose: Diagnose) -> None:
    """The adjoint of `y` piles up only because the launch that would take it over is not on the tape."""
    report = diagnose(PREPARED_OFF_THE_TAPE).report
    found = sorted((f.kind, f.location.line) for f in report.findings if f.location is not None)
    assert found == [
        ("gradient-accumulation", _line(PREPARED_OFF_THE_TAPE, "never cleared")),
        ("severed-chain", _line(PREPARED_OFF_THE_TAPE, "off the tape")),
    ]
    assert report.not_attributed is None
    assert report.summary.endswith("wrong as well: `x`")
    assert "at iteration 1" in next(f.message for f in report.findings if f.kind == "gradient-accumulation")


SUMMED_OFF_THE_TAPE = """\
import warp as wp


@wp.kernel
def squares(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i] - x[i]


@wp.kernel
def penalty(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.1 * x[i])


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(3):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    y = wp.zeros(3, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squares, dim=3, inputs=[x], outputs=[y])
        wp.utils.array_sum(y, out=loss)  # native
        wp.launch(penalty, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss)
    x.assign(x.numpy() - 0.1 * x.grad.numpy())
    tape.zero()
"""


@pytest.mark.parametrize("is_last", [False, True])
def test_a_native_sum_is_named_whatever_follows_it(is_last: bool, diagnose: Diagnose) -> None:
    program = SUMMED_OFF_THE_TAPE
    if is_last:
        program = program.replace("        wp.launch(penalty, dim=3, inputs=[x], outputs=[loss])\n", "")
    report = diagnose(program, "--iterations", "1").report
    found = [(f.kind, f.confidence, f.location.line) for f in report.findings if f.location is not None]
    assert found == [("severed-chain", "proven", _line(program, "native"))]


COUNTED_SLOTS = """\
import warp as wp


@wp.kernel
def observe(x: wp.array(dtype=float), used: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    slot = wp.atomic_add(used, 0, 1)  # slot
    out[slot] = x[i] * x[i]


@wp.kernel
def misfit(out: wp.array(dtype=float), loss: wp.array(dtype=float)):
    d = out[wp.tid()] - 2.0
    wp.atomic_add(loss, 0, d * d)


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(3):
    out = wp.zeros(3, dtype=float, requires_grad=True)
    used = wp.zeros(1, dtype=int)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(observe, dim=3, inputs=[x, used], outputs=[out])
        wp.launch(misfit, dim=3, inputs=[out], outputs=[loss])
    tape.backward(loss)  # never cleared
    x.assign(x.numpy() - 0.02 * x.grad.numpy())
"""


def test_what_only_a_mended_program_would_accumulate_is_found(diagnose: Diagnose) -> None:
    """The gradient is zero until the slots are right: nothing piles up before that."""
    report = diagnose(COUNTED_SLOTS).report
    found = {(f.kind, f.location.line) for f in report.findings if f.location is not None}
    assert found == {
        ("replay-side-effect", _line(COUNTED_SLOTS, "slot")),
        ("gradient-accumulation", _line(COUNTED_SLOTS, "never cleared")),
    }


INFILTRATION = """\
import warp as wp


@wp.kernel
def intake(depth: wp.array(dtype=float), slant: wp.array(dtype=float), rate: wp.array(dtype=float)):
    i = wp.tid()
    u = depth[i] * slant[i]
    rate[i] = 0.4 + 0.3 * wp.where(u == 0.0, 1.0, wp.sin(u) / u)  # quotient


@wp.kernel
def seep(c: wp.array(dtype=float), rate: wp.array(dtype=float), flux: wp.array(dtype=float)):
    i = wp.tid()
    flux[i] = rate[i] * (c[(i + 3) % 4] - c[i]) * (1.0 + 0.2 * c[i])


@wp.kernel
def fill(c: wp.array(dtype=float), flux: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = c[i] + 0.3 * flux[i]


@wp.kernel
def misfit(c: wp.array(dtype=float), loss: wp.array(dtype=float)):
    d = c[wp.tid()] - 0.6
    wp.atomic_add(loss, 0, d * d)


depth = wp.array([0.5, 0.7, 0.3, 0.9], dtype=float, requires_grad=True)
slant = wp.array([0.5, 1.4, 0.0, 1.0], dtype=float)
moisture = wp.array([1.0, 0.4, 0.7, 0.2], dtype=float)


def empty():
    return wp.zeros(4, dtype=float, requires_grad=True)


def soak(c, rate):
    for t in range(3):
        flux, out = empty(), empty()
        wp.launch(seep, dim=4, inputs=[c, rate], outputs=[flux])
        wp.launch(fill, dim=4, inputs=[c, flux], outputs=[out])
        c = out
    return c


"""

IN_WINDOWS = (
    INFILTRATION
    + """\
for step in range(4):
    c = moisture
    for window in range(3):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            rate = empty()
            wp.launch(intake, dim=4, inputs=[depth, slant], outputs=[rate])
            c = soak(c, rate)
            wp.launch(misfit, dim=4, inputs=[c], outputs=[loss])
        tape.backward(loss)  # window
    depth.assign(depth.numpy() - 0.05 * depth.grad.numpy())
    depth.grad.zero_()
"""
)

ONE_TAPE = """\
for step in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        rate = empty()
        wp.launch(intake, dim=4, inputs=[depth, slant], outputs=[rate])
        c = soak(moisture, rate)
        wp.launch(misfit, dim=4, inputs=[c], outputs=[loss])
    tape.backward(loss)
    depth.assign(depth.numpy() - 0.05 * depth.grad.numpy())
    tape.zero()
"""

NEVER_CLEARED = (
    (INFILTRATION + ONE_TAPE).replace("    tape.zero()\n", "").replace("loss)\n    d", "loss)  # again\n    d")
)

ROUGH = (
    INFILTRATION
    + """\
@wp.kernel
def roughness(c: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = c[i] - c[(i + 1) % 4]
    r = wp.sqrt(d * d)  # root
    wp.atomic_add(loss, 0, r * r * r)


level = wp.array([0.8, 0.8, 0.8, 0.8], dtype=float)
"""
    + ONE_TAPE.replace(
        "    tape.b",
        """\
        wp.launch(roughness, dim=4, inputs=[soak(level, rate)], outputs=[loss])
    tape.b""",
    )
)

UNLINKED = (INFILTRATION + ONE_TAPE).replace("rate = empty()\n", "rate = wp.zeros(4, dtype=float)  # no gradient\n")


@pytest.mark.parametrize(
    ("program", "other", "comment"),
    [
        pytest.param(IN_WINDOWS, "gradient-truncation", "window", id="state that two kernels take into the next tape"),
        pytest.param(
            NEVER_CLEARED, "gradient-accumulation", "again", id="accumulation in iterations that begin at nan"
        ),
        pytest.param(ROUGH, "nonfinite-adjoint", "root", id="nan made of the other's nan"),
        pytest.param(UNLINKED, "severed-chain", "no gradient", id="nan that the missing link kept out"),
    ],
)
def test_a_nan_and_what_it_hides_or_is_hidden_by(program: str, other: str, comment: str, diagnose: Diagnose) -> None:
    report = diagnose(program).report
    found = sorted((f.kind, f.confidence, f.location.line) for f in report.findings if f.location is not None)
    expected = [(other, "proven", _line(program, comment)), ("unselected-branch", "proven", _line(program, "quotient"))]
    assert found == sorted(expected)
    assert report.not_attributed is None


SQUASHED = """\
import warp as wp


@wp.func
def squash(u: float):
    return u / (1.0 + wp.abs(u))


@wp.func_grad(squash)
def adj_squash(u: float, adj_ret: float):  # formula
    wp.adjoint[u] += adj_ret / (1.0 + wp.abs(u))


@wp.kernel
def squashed(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = squash(x[i]) + 0.3 * x[i] * x[i]


@wp.kernel
def squares(y: wp.array(dtype=float), z: wp.array(dtype=float)):
    i = wp.tid()
    z[i] = (y[i] - 2.0) * (y[i] - 2.0)


x = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
for _ in range(3):
    y = wp.zeros(3, dtype=float, requires_grad=True)
    z = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(squashed, dim=3, inputs=[x], outputs=[y])
        wp.launch(squares, dim=3, inputs=[y], outputs=[z])
        wp.utils.array_sum(z, out=loss)  # native
    tape.backward(loss)
    x.assign(x.numpy() - 0.05 * x.grad.numpy())
    tape.zero()
"""

THROUGH_NUMPY = SQUASHED.replace(
    "        wp.launch(squares, dim=3, inputs=[y], outputs=[z])\n        wp.utils.array_sum(z, out=loss)  # native\n",
    """\
        kept = wp.array(y.numpy(), dtype=float, requires_grad=True)  # numpy
        wp.launch(squares, dim=3, inputs=[kept], outputs=[z])
        wp.launch(total, dim=3, inputs=[z], outputs=[loss])
""",
).replace(
    "x = wp.array([",
    """\
@wp.kernel
def total(z: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, z[wp.tid()])


x = wp.array([""",
    1,
)


@pytest.mark.parametrize(("program", "comment"), [(SQUASHED, "native"), (THROUGH_NUMPY, "numpy")])
def test_what_is_wrong_before_a_link_without_a_gradient(program: str, comment: str, diagnose: Diagnose) -> None:
    report = diagnose(program).report
    found = sorted((f.kind, f.confidence, f.location.line) for f in report.findings if f.location is not None)
    expected = [
        ("custom-adjoint", "proven", _line(program, "formula")),
        ("severed-chain", "proven", _line(program, comment)),
    ]
    assert found == expected


def test_a_right_adjoint_before_a_link_without_a_gradient_is_left_alone(diagnose: Diagnose) -> None:
    right = SQUASHED.replace("adj_ret / (1.0 + wp.abs(u))", "adj_ret / ((1.0 + wp.abs(u)) * (1.0 + wp.abs(u)))")
    assert right != SQUASHED
    assert [f.kind for f in diagnose(right).report.findings] == ["severed-chain"]


WITHOUT_ADJOINT = """\
import numpy as np
import warp as wp


@wp.kernel(enable_backward=False)
def drag(shape: wp.array(dtype=float), cd: wp.array(dtype=float)):
    i = wp.tid()
    cd[i] = 0.3 + 0.5 * shape[i] * shape[i]  # law


@wp.kernel
def miss(cd: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (cd[i] - 0.4) * (cd[i] - 0.4))


shape = wp.array([0.5, 1.0, 1.5], dtype=float, requires_grad=True)
loss = wp.zeros(1, dtype=float, requires_grad=True)
tape = wp.Tape()
for _ in range(4):
    loss.zero_()
    tape.reset()
    with tape:
        cd = wp.zeros(3, dtype=float, requires_grad=True)
        wp.launch(drag, dim=3, inputs=[shape], outputs=[cd])
        wp.launch(miss, dim=3, inputs=[cd], outputs=[loss])
    tape.backward(loss)
    g = shape.grad.numpy().copy()
    tape.zero()
    shape.assign(shape.numpy() - 0.1 * g)
"""


def test_a_gradient_that_the_program_clears_does_not_pile_up_once_its_kernel_has_an_adjoint(
    diagnose: Diagnose,
) -> None:
    assert [f.kind for f in diagnose(WITHOUT_ADJOINT).report.findings] == ["missing-adjoint"]


TWO_ARRAYS = """\
import warp as wp


@wp.kernel
def stiffness(p: wp.array(dtype=float), k: wp.array(dtype=float)):
    i = wp.tid()
    w = wp.vec2(p[i], 0.4 + p[i] * p[i])
    w[1] = 0.6 * w[1] * w[1]  # component
    k[i] = 0.2 + 0.3 * wp.dot(w, w)


@wp.kernel
def swing(
    x: wp.array(dtype=float),
    v: wp.array(dtype=float),
    k: wp.array(dtype=float),
    x_next: wp.array(dtype=float),
    v_next: wp.array(dtype=float),
):
    i = wp.tid()
    v_next[i] = v[i] - 0.1 * k[i] * x[i] * x[i]
    x_next[i] = x[i] + 0.1 * v[i]


@wp.kernel
def miss(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (x[i] - 0.5) * (x[i] - 0.5))


p = wp.array([0.9, 1.1, 0.7], dtype=float, requires_grad=True)
x0, v0 = wp.full(3, 1.0, dtype=float), wp.full(3, 0.2, dtype=float)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        k = wp.zeros(3, dtype=float, requires_grad=True)
        wp.launch(stiffness, dim=3, inputs=[p], outputs=[k])
        xs = [x0] + [wp.zeros(3, dtype=float) for _ in range(6)]  # positions
        vs = [v0] + [wp.zeros(3, dtype=float) for _ in range(6)]  # velocities
        for t in range(6):
            wp.launch(swing, dim=3, inputs=[xs[t], vs[t], k], outputs=[xs[t + 1], vs[t + 1]])
        wp.launch(miss, dim=3, inputs=[xs[-1]], outputs=[loss])
    tape.backward(loss)
    p.assign(p.numpy() - 0.1 * p.grad.numpy())
    tape.zero()
"""


def test_a_wrong_adjoint_behind_state_of_two_arrays_without_a_gradient(diagnose: Diagnose) -> None:
    report = diagnose(TWO_ARRAYS).report
    found = {f.kind: f for f in report.findings}
    assert {kind: f.confidence for kind, f in found.items()} == {
        "severed-chain": "proven",
        "component-reassignment": "proven",
    }
    severed = found["severed-chain"]
    assert severed.location is not None
    assert severed.location.line == _line(TWO_ARRAYS, "positions")
    assert _line(TWO_ARRAYS, "velocities") in [place.line for place in severed.related]
    reassigned = found["component-reassignment"].location
    assert reassigned is not None
    assert reassigned.line == _line(TWO_ARRAYS, "component")


MADE_ON_THE_HOST = """\
import numpy as np
import warp as wp


@wp.kernel
def flow(h: wp.array(dtype=float), k: wp.array(dtype=float), net: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(net, i, k[i] * h[(i + 1) % 4] * h[(i + 1) % 4])
    wp.atomic_sub(net, i, k[i] * h[i] * h[i])


@wp.kernel
def advance(h: wp.array(dtype=float), net: wp.array(dtype=float), after: wp.array(dtype=float)):
    i = wp.tid()
    after[i] = h[i] + 0.1 * net[i]


@wp.kernel
def miss(h: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (h[i] - 0.9) * (h[i] - 0.9))


p = wp.array([0.5, 1.0, 1.5, 0.8], dtype=float, requires_grad=True)
start = wp.array([1.4, 0.6, 1.1, 0.8], dtype=float)
for _ in range(4):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        k = wp.array(0.3 + 0.5 * p.numpy() ** 2, dtype=float, requires_grad=True)  # host
        states = [start] + [wp.zeros(4, dtype=float, requires_grad=True) for _ in range(6)]
        net = wp.zeros(4, dtype=float, requires_grad=True)
        for t in range(6):
            net.zero_()  # cleared
            wp.launch(flow, dim=4, inputs=[states[t], k], outputs=[net])
            wp.launch(advance, dim=4, inputs=[states[t], net], outputs=[states[t + 1]])
        wp.launch(miss, dim=4, inputs=[states[-1]], outputs=[loss])
    tape.backward(loss)
    p.assign(p.numpy() - 0.1 * p.grad.numpy() - 0.02)
    tape.zero()
"""


def test_what_is_wrong_behind_a_link_without_a_gradient(diagnose: Diagnose) -> None:
    report = diagnose(MADE_ON_THE_HOST).report
    found = {f.kind: f for f in report.findings}
    assert {kind: f.confidence for kind, f in found.items()} == {
        "severed-chain": "proven",
        "unrecorded-write": "proven",
    }
    cleared = found["unrecorded-write"]
    assert cleared.location is not None
    assert cleared.location.line == _line(MADE_ON_THE_HOST, "cleared")
    assert cleared.parameters == ("p",)
    assert "with respect to `k`" in cleared.message


def test_a_right_gradient_behind_a_link_is_left_alone(diagnose: Diagnose) -> None:
    right = MADE_ON_THE_HOST.replace("net.zero_()", "net = wp.zeros(4, dtype=float, requires_grad=True)")
    assert [f.kind for f in diagnose(right).report.findings] == ["severed-chain"]
