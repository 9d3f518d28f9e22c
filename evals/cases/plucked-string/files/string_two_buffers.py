"""Find the plucking force on a damped string; two displacement buffers are swapped at every step."""
import numpy as np
import warp as wp

N, STEPS = 24, 50


@wp.kernel
def wave(now: wp.array(dtype=float), pluck: wp.array(dtype=float), k: int, old: wp.array(dtype=float)):
    i = wp.tid()
    n = now.shape[0]
    if i > 0 and i < n - 1:
        bend = now[i - 1] - 2.0 * now[i] + now[i + 1]
        push = float(0.0)
        if k < 8:
            push = 0.01 * pluck[i / 8] * wp.sin(0.4 * float(k))
        old[i] = 1.96 * now[i] - 0.96 * old[i] + 0.4 * bend + push


@wp.kernel
def compare(u: wp.array(dtype=float), seen: wp.array(dtype=float), weight: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    d = u[i] - seen[i]
    wp.atomic_add(loss, 0, weight * d * d)


def vibrate(pluck):
    a = wp.zeros(N, dtype=float, requires_grad=True)
    b = wp.zeros(N, dtype=float, requires_grad=True)
    for k in range(STEPS):
        wp.launch(wave, dim=N, inputs=[a, pluck, k], outputs=[b])
        a, b = b, a
    return a


seen = wp.array(vibrate(wp.array([0.5, -0.3, 0.8], dtype=float)).numpy(), dtype=float)
pluck = wp.array([0.1, 0.1, 0.1], dtype=float, requires_grad=True)
velocity = np.zeros(3, dtype=np.float32)
for it in range(25):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        u = vibrate(pluck)
        wp.launch(compare, dim=N, inputs=[u, seen, 10.0], outputs=[loss])
    tape.backward(loss)
    velocity = 0.5 * velocity - 0.1 * pluck.grad.numpy()
    tape.zero()
    pluck.assign(pluck.numpy() + velocity)
    if it % 5 == 0:
        print(it, "loss", loss.numpy()[0], "pluck", pluck.numpy(), "|u|", np.abs(u.numpy()).max())
