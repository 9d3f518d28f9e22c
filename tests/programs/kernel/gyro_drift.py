"""Estimate gyro bias so that the integrated attitude points a star tracker at known stars."""
import numpy as np
import warp as wp

START = [0.20, -0.10, 0.30]
N_ITERS = 30
STEPS = 3

rate = wp.array(np.array([[0.3, 0.1, -0.2], [0.2, 0.4, 0.1], [-0.1, 0.3, 0.5]]), dtype=wp.vec3)
stars = wp.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8]], dtype=wp.vec3)
seen = wp.array([[0.85, 0.45, -0.25], [-0.5, 0.85, 0.1], [0.4, 0.2, 0.85]], dtype=wp.vec3)


@wp.kernel
def turn(q_in: wp.array(dtype=wp.quat), rate: wp.array(dtype=wp.vec3), k: int, bias: wp.array(dtype=float),
         q_out: wp.array(dtype=wp.quat)):
    w = rate[k] - wp.vec3(bias[0], bias[1], bias[2])
    q = q_in[0]
    q = q + 0.3 * (wp.quat(w[0], w[1], w[2], 0.0) * q)
    n = wp.dot(q, q)
    for c in range(4):
        q[c] = q[c] * (1.5 - 0.5 * n)      # one Newton step towards unit length
    q_out[0] = q


@wp.kernel
def star_error(q: wp.array(dtype=wp.quat), stars: wp.array(dtype=wp.vec3), seen: wp.array(dtype=wp.vec3),
               loss: wp.array(dtype=float)):
    s = wp.tid()
    d = wp.quat_rotate(q[0], stars[s]) - seen[s]
    wp.atomic_add(loss, 0, wp.dot(d, d))


bias = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    q = wp.array([[0.0, 0.0, 0.0, 1.0]], dtype=wp.quat, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for k in range(STEPS):
            q_next = wp.zeros(1, dtype=wp.quat, requires_grad=True)
            wp.launch(turn, dim=1, inputs=[q, rate, k, bias], outputs=[q_next])
            q = q_next
        wp.launch(star_error, dim=3, inputs=[q, stars, seen], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    bias.assign(bias.numpy() - 0.05 * bias.grad.numpy())
    tape.zero()
    print("star error", it, losses[-1], bias.numpy())
