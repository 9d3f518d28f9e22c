"""Plan thrust for a docking approach; fuel and arrival are weighed in one loss."""
import numpy as np
import warp as wp

START = [0.5, 0.2, -0.2, -0.5]
N_ITERS = 30
STEPS, DT = 12, 0.25


@wp.kernel
def coast(s: wp.array(dtype=wp.vec2), thrust: wp.array(dtype=float), k: int, dt: float, out: wp.array(dtype=wp.vec2)):
    v = s[0][1] + dt * (thrust[k / 3] - 0.1 * s[0][1] * wp.abs(s[0][1]))
    out[0] = wp.vec2(s[0][0] + dt * v, v)


@wp.kernel
def arrival(s: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, (s[0][0] - 1.0) * (s[0][0] - 1.0) + 2.0 * s[0][1] * s[0][1])


@wp.kernel
def fuel(thrust: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.4 * thrust[i] * thrust[i])


def largest(tape, loss, thrust):
    """Largest sensitivity, for the convergence test."""
    tape.backward(loss)
    return float(np.abs(thrust.grad.numpy()).max())


def main():
    thrust = wp.array(START, dtype=float, requires_grad=True)
    for it in range(N_ITERS):
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(fuel, dim=4, inputs=[thrust], outputs=[loss])
        with wp.Tape() as tape:
            s = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
            for k in range(STEPS):
                nxt = wp.zeros_like(s)
                wp.launch(coast, dim=1, inputs=[s, thrust, k, DT], outputs=[nxt])
                s = nxt
            wp.launch(arrival, dim=1, inputs=[s], outputs=[loss])
        if largest(tape, loss, thrust) < 1.0e-4:
            break
        tape.backward(loss)
        g = thrust.grad.numpy().copy()
        tape.zero()
        thrust.assign(thrust.numpy() - 0.05 * g)
        print(f"iter {it:2d} loss {loss.numpy()[0]:.6f} thrust {thrust.numpy()}")


if __name__ == "__main__":
    main()
