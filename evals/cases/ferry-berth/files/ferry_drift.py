"""Fit drag and current of a drifting ferry; all buffers are allocated once."""
import warp as wp

START = [0.3, 0.5]
N_ITERS = 30
STEPS, DT = 12, 0.2


@wp.kernel
def drift(s: wp.array(dtype=wp.vec2), p: wp.array(dtype=float), dt: float, out: wp.array(dtype=wp.vec2)):
    rel = p[1] - s[0][1]
    v = s[0][1] + dt * p[0] * rel * wp.abs(rel) + dt * 0.05
    out[0] = wp.vec2(s[0][0] + dt * v, v)


@wp.kernel
def berth_error(s: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    d = s[0] - wp.vec2(1.4, 0.8)
    wp.atomic_add(loss, 0, wp.dot(d, d))


states = [wp.zeros(1, dtype=wp.vec2, requires_grad=True) for _ in range(STEPS + 1)]
loss = wp.zeros(1, dtype=float, requires_grad=True)
params = wp.array(START, dtype=float, requires_grad=True)
tape = wp.Tape()

for it in range(N_ITERS):
    loss.zero_()
    with tape:
        for k in range(STEPS):
            wp.launch(drift, dim=1, inputs=[states[k], params, DT], outputs=[states[k + 1]])
        wp.launch(berth_error, dim=1, inputs=[states[STEPS]], outputs=[loss])
    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 0.06 * g)
    print(f"{it:2d} loss {loss.numpy()[0]:.6f} drag {params.numpy()[0]:.4f} current {params.numpy()[1]:.4f}")

final = states[STEPS].numpy()[0]
print(f"berth position {final[0]:.3f} speed {final[1]:.3f}")
print("fitted", params.numpy())
