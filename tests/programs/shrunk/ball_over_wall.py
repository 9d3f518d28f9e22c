"""Throw a ball over a wall: find the launch velocity; the wind picks up late in the flight."""
import warp as wp

STEPS = 40
DT = 0.02
N_ITERS = 20


@wp.kernel
def fly(p: wp.array(dtype=wp.vec2), v: wp.array(dtype=wp.vec2), p_new: wp.array(dtype=wp.vec2),
        v_new: wp.array(dtype=wp.vec2)):
    u = v[0] + DT * wp.vec2(0.0, -9.81)
    v_new[0] = u
    p_new[0] = p[0] + DT * u


@wp.kernel
def gust(v: wp.array(dtype=wp.vec2), strength: float):
    v[0] = v[0] * (1.0 - strength * wp.length(v[0]))


@wp.kernel
def miss(p: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    e = p[0] - wp.vec2(2.0, 1.0)
    loss[0] = wp.dot(e, e)


start = wp.array([[3.0, 5.0]], dtype=wp.vec2, requires_grad=True)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        p = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
        v = wp.clone(start, requires_grad=True)
        for step in range(STEPS):
            p_new = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
            v_new = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
            wp.launch(fly, dim=1, inputs=[p, v], outputs=[p_new, v_new])
            p, v = p_new, v_new
            if step > 30:
                wp.launch(gust, dim=1, inputs=[v, 0.1])
        wp.launch(miss, dim=1, inputs=[p], outputs=[loss])
    tape.backward(loss)
    start.assign(start.numpy() - 0.1 * start.grad.numpy())
    tape.zero()
print("start", start.numpy(), "loss", loss.numpy()[0])
