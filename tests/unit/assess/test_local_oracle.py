"""Single launches: right adjoints agree however they are written, wrong ones disagree, crashes stay in the child."""

from collections.abc import Callable

import pytest

from harness.assess.local import check_launches

from .conftest import Program

TAIL = """
@wp.kernel
def total(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, y[wp.tid()])

n = 24
rng = np.random.default_rng(3)
p = wp.array(rng.uniform(0.5, 1.5, n), dtype=float, requires_grad=True)
y = wp.zeros(n, dtype=float, requires_grad=True)
loss = wp.zeros(1, dtype=float, requires_grad=True)
tape = wp.Tape()
with tape:
    run(p, y)
    wp.launch(total, n, [y, loss])
tape.backward(loss)
print(p.grad.numpy())
"""

Start = Callable[..., Program]


def test_a_sum_into_an_array_agrees_for_its_terms_and_for_what_was_there(program: Start) -> None:
    check = program("""
        @wp.kernel
        def add(p: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] += p[i] * p[i]

        def run(p, y):
            wp.launch(add, p.shape[0], [p, y])
    """, TAIL).local("add")  # fmt: skip
    assert check.status == "agrees"
    assert {(p.inputs, p.outputs) for p in check.pairs} == {(("p",), ("y",)), (("y",), ("y",))}
    assert check.residual_rel is not None
    assert check.residual_rel < 1e-3


def test_a_product_in_place_disagrees_because_backward_reads_the_result(program: Start) -> None:
    check = program("""
        @wp.kernel
        def start(p: wp.array(dtype=float), y: wp.array(dtype=float)):
            y[wp.tid()] = p[wp.tid()]

        @wp.kernel
        def square(y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = y[i] * y[i]

        def run(p, y):
            wp.launch(start, p.shape[0], [p, y])
            wp.launch(square, p.shape[0], [y])
    """, TAIL).local("square")  # fmt: skip
    assert check.status == "disagrees", check


@pytest.mark.parametrize(("factor", "status"), [("3.0", "agrees"), ("2.0", "disagrees")])
def test_a_custom_adjoint_is_judged_by_its_factor(program: Start, factor: str, status: str) -> None:
    check = program(f"""
        @wp.func
        def cube(x: float):
            return x * x * x

        @wp.func_grad(cube)
        def adj_cube(x: float, adj_ret: float):
            wp.adjoint[x] += {factor} * x * x * adj_ret

        @wp.kernel
        def law(p: wp.array(dtype=float), y: wp.array(dtype=float)):
            y[wp.tid()] = cube(p[wp.tid()])

        def run(p, y):
            wp.launch(law, p.shape[0], [p], [y])
    """, TAIL).local("law")  # fmt: skip
    assert check.status == status
    assert check.kernel == "law"
    assert check.worst is not None
    assert check.worst.inputs == ("p",)


STRUCTS = """
@wp.struct
class Material:
    stiffness: wp.array(dtype=float)

@wp.struct
class State:
    q: wp.array(dtype=wp.vec3)
    material: Material
    gain: float

@wp.kernel
def energy(s: State, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.dot(s.q[i], s.q[i]) * s.material.stiffness[i] * s.gain

def run(p, y):
    s = State()
    s.q = wp.array(np.arange(1.0, 73.0).reshape(24, 3) / 30.0, dtype=wp.vec3)
    s.material = Material()
    s.material.stiffness = p
    s.gain = 0.25
    wp.launch(energy, p.shape[0], [s, y])
"""


def test_members_of_nested_structs_are_inputs_with_or_without_a_gradient(program: Start) -> None:
    check = program(STRUCTS, TAIL).local("energy")
    assert check.status == "agrees"
    assert {p.inputs for p in check.pairs} == {("s.q",), ("s.material.stiffness",)}
    directions = [d for p in check.pairs for d in p.check.directions]
    assert all(abs(d.autodiff) > 0.0 for d in directions)


def test_views_of_one_array_count_once_and_agree(program: Start) -> None:
    check = program("""
        @wp.kernel
        def differences(left: wp.array(dtype=float), right: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            d = right[i] - left[i]
            y[i] = d * d

        def run(p, y):
            wp.launch(differences, 20, [p[0:20], p[3:23], y])
    """, TAIL).local("differences")  # fmt: skip
    assert check.status == "agrees"
    assert [set(p.inputs) for p in check.pairs] == [{"left", "right"}]


def test_counters_start_from_the_same_number_in_every_run(program: Start) -> None:
    recorded = program("""
        @wp.kernel
        def queue(p: wp.array(dtype=float), y: wp.array(dtype=float), count: wp.array(dtype=int),
                  slots: wp.array(dtype=float)):
            i = wp.tid()
            k = wp.atomic_add(count, 0, 1)
            slots[k] = 1.0
            y[i] = wp.sin(p[i])

        def run(p, y):
            count = wp.zeros(1, dtype=int)
            slots = wp.zeros(p.shape[0], dtype=float)
            wp.launch(queue, p.shape[0], [p, y, count, slots])
            assert count.numpy()[0] == 24
    """, TAIL)  # fmt: skip
    assert recorded.local("queue").status == "agrees"


def test_elements_at_a_corner_are_never_a_disagreement(program: Start) -> None:
    check = program("""
        @wp.kernel
        def clip(p: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = wp.max(p[i] - p[i], wp.abs(p[i] - 1.0))

        def run(p, y):
            p.fill_(1.0)
            wp.launch(clip, p.shape[0], [p, y])
    """, TAIL).local("clip")  # fmt: skip
    assert check.status != "disagrees"


def test_a_launch_that_kills_its_process_is_undecided_and_the_next_one_is_still_checked(program: Start) -> None:
    recorded = program("""
        @wp.kernel
        def weigh(p: wp.array(dtype=float), y: wp.array(dtype=float)):
            y[wp.tid()] += 2.0 * p[wp.tid()]

        @wp.kernel
        def look_up(p: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = p[int(wp.max(p[i] - 1.6, 0.0) * 5.0e9)]

        def run(p, y):
            wp.launch(look_up, p.shape[0], [p, y])
            wp.launch(weigh, p.shape[0], [p, y])
    """, TAIL)  # fmt: skip
    first, second = recorded.launches("look_up")[0].seq, recorded.launches("weigh")[0].seq
    checks = check_launches(recorded.session, recorded.recording, [first, second], 30.0)
    assert (checks[first].status, checks[first].reason) == ("undecided", "crash")
    assert checks[second].status == "agrees"
