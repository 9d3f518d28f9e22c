"""Train the winch law of a tethered kite."""
import argparse

import warp as wp

START = [0.9, 0.5, 0.2]
PIECES, STEPS, DT = 4, 8, 0.1


@wp.kernel
def fly(s: wp.array(dtype=wp.vec3), law: wp.array(dtype=float), t: float, dt: float, out: wp.array(dtype=wp.vec3)):
    x = s[0]
    pull = law[0] * x[0] + law[1] * x[1]
    winch = x[2] + dt * (law[2] * pull - 0.5 * x[2])
    v = x[1] + dt * (wp.sin(2.0 * t) - pull - winch)
    out[0] = wp.vec3(x[0] + dt * v, v, winch)


@wp.kernel
def line_cost(s: wp.array(dtype=wp.vec3), law: wp.array(dtype=float), cost: wp.array(dtype=float)):
    x = s[0]
    wp.atomic_add(cost, 0, x[0] * x[0] + 0.1 * x[2] * x[2] + 0.001 * law[0] * law[0])


def flight(law):
    """Cost of a whole flight."""
    state = wp.array([[1.0, 0.3, 0.0]], dtype=wp.vec3, requires_grad=True)
    cost_sum = 0.0
    for p in range(PIECES):
        cost = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            for k in range(STEPS):
                nxt = wp.zeros_like(state)
                wp.launch(fly, dim=1, inputs=[state, law, (p * STEPS + k) * DT, DT], outputs=[nxt])
                state = nxt
                wp.launch(line_cost, dim=1, inputs=[state, law], outputs=[cost])
        tape.backward(cost)
        cost_sum += float(cost.numpy()[0])
        state = wp.clone(state)
    return cost_sum


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=20)
    n = parser.parse_args().n
    law = wp.array(START, dtype=float, requires_grad=True)
    for it in range(n):
        cost_sum = flight(law)
        law.assign(law.numpy() - 0.01 * law.grad.numpy())
        law.grad.zero_()
        print("flight", it, "loss", cost_sum, "law", law.numpy())


if __name__ == "__main__":
    main()
