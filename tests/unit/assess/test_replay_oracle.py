"""Replay and completeness: what lies between launches, on small programs with one fault each and a correct twin."""

from collections.abc import Callable

import pytest

from .conftest import Program

Start = Callable[..., Program]

SETUP = """
@wp.kernel
def swell(x: wp.array(dtype=float), p: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i] + 0.1 * p[i] * x[i] * x[i]

@wp.kernel
def collect(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] += x[i] * x[i]

@wp.kernel
def total(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, x[wp.tid()] * x[wp.tid()])

n, steps = 12, 6
rng = np.random.default_rng(5)
p = wp.array(rng.uniform(0.5, 1.5, n), dtype=float, requires_grad=True)

def fresh(requires_grad=True):
    return wp.zeros(n, dtype=float, requires_grad=requires_grad)

def start():
    return wp.array(np.linspace(0.5, 1.0, n), dtype=float, requires_grad=True)

def step(x, out):
    wp.launch(swell, n, [x, p], [out])
    return out

def finish(tape, x, reads=1):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with tape:
        wp.launch(total, n, [x], [loss])
    tape.backward(loss)
    return p.grad.numpy()
"""

CORRECT = """
tape = wp.Tape()
with tape:
    x = start()
    for k in range(steps):
        x = step(x, fresh())
print(finish(tape, x))
"""


def test_one_array_per_step_is_complete_and_needs_no_replay(program: Start) -> None:
    recorded = program(SETUP, CORRECT)
    chain = recorded.completeness()
    assert chain.is_complete, chain.holes
    assert [s.event.name for s in chain.steps] == ["swell"] * 6 + ["total"]
    assert recorded.replay().targets == ()
    assert recorded.replay().is_clean


def test_reused_arrays_give_another_gradient_on_recorded_contents(program: Start) -> None:
    recorded = program(SETUP, """
        tape = wp.Tape()
        with tape:
            x, pair = start(), [fresh(), fresh()]
            for k in range(steps):
                x = step(x, pair[k % 2])
        print(finish(tape, x))
    """)  # fmt: skip
    replayed = recorded.replay()
    assert not replayed.is_clean
    assert replayed.difference_rel is not None
    assert replayed.difference_rel > 1e-3


def test_contents_that_no_adjoint_needs_may_change(program: Start) -> None:
    recorded = program(SETUP, """
        tape = wp.Tape()
        with tape:
            x = start()
            for k in range(steps):
                x = step(x, fresh())
            last = fresh()
            wp.launch(collect, n, [x, last])
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        with tape:
            wp.launch(total, n, [last], [loss])
            wp.launch(collect, n, [p, fresh()])
        loss.fill_(5.0)
        tape.backward(loss)
        print(p.grad.numpy())
    """)  # fmt: skip
    replayed = recorded.replay()
    assert replayed.targets
    assert replayed.is_clean


FAULTS = {
    "requires-grad": "x = step(x, fresh(requires_grad=k != 2))",
    "host-round-trip": "x = step(x, fresh()); x = wp.array(x.numpy() * 1.01, dtype=float, requires_grad=True)",
    "unrecorded-launch": "y = fresh(); wp.launch(swell, n, [x, p], [y], record_tape=k != 2); x = y",
    "unrecorded-write": "x = step(x, fresh()); s.zero_(); wp.launch(collect, n, [x, s]); "
    "x = step(x, s) if k > 4 else x",
    "retain-grad": "x = step(x, fresh()); x.retain_grad = True; x = step(x, wp.zeros(n, dtype=float, "
    "requires_grad=True, retain_grad=True))",
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_hole_in_the_chain_is_named(program: Start, kind: str) -> None:
    recorded = program(SETUP, f"""
        tape = wp.Tape()
        with tape:
            x, s = start(), fresh()
            for k in range(steps):
                {FAULTS[kind]}
        print(finish(tape, x))
    """)  # fmt: skip
    assert kind in recorded.holes()


def test_two_tapes_run_back_in_the_wrong_order_truncate_the_gradient(program: Start) -> None:
    recorded = program(SETUP, """
        first, second = wp.Tape(), wp.Tape()
        with first:
            middle = step(start(), fresh())
        finish(first, middle)
        with second:
            end = step(middle, fresh())
        print(finish(second, end))
    """)  # fmt: skip
    assert "gradient-truncation" in recorded.holes()


def test_gradients_left_over_from_an_earlier_iteration_are_seen(program: Start) -> None:
    recorded = program(SETUP, """
        for epoch in range(2):
            tape = wp.Tape()
            with tape:
                x = step(start(), fresh())
            gradient = finish(tape, x)
            p.assign(p.numpy() - 0.01 * gradient)
    """, iterations=2)  # fmt: skip
    assert recorded.holes(0) == set()
    assert recorded.holes(1) == {"gradient-accumulation"}


def test_reading_a_single_number_for_a_log_leaves_the_chain_complete(program: Start) -> None:
    recorded = program(SETUP, """
        tape = wp.Tape()
        with tape:
            x, level = start(), wp.zeros(1, dtype=float, requires_grad=True)
            for k in range(steps):
                x = step(x, fresh())
                wp.launch(total, n, [x], [level])
                print(level.numpy()[0])
        print(finish(tape, x))
    """)  # fmt: skip
    assert recorded.holes() == set()
