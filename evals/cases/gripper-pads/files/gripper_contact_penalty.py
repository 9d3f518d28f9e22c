"""Choose finger forces so that a block is pushed to a mark; pads push only while they touch."""
import warp as wp

STEPS, DT = 60, 0.02


@wp.struct
class Pads:
    stiffness: float
    left: float
    right: float


@wp.kernel
def push(
    x: wp.array(dtype=float), v: wp.array(dtype=float), force: wp.array(dtype=float), pads: Pads, k: int, dt: float,
):
    gap_l = pads.left - x[k]
    gap_r = x[k] - pads.right
    drive = force[0] * wp.exp(-0.5 * float(k) * dt) - force[1]
    contact = pads.stiffness * (wp.max(gap_l, 0.0) - wp.max(gap_r, 0.0))
    a = drive + contact - 1.5 * v[k]
    v[k + 1] = v[k] + dt * a
    x[k + 1] = x[k] + dt * v[k + 1]


@wp.kernel
def mark_error(x: wp.array(dtype=float), v: wp.array(dtype=float), last: int, loss: wp.array(dtype=float)):
    d = x[last] - 0.35
    loss[0] = d * d + 0.1 * v[last] * v[last]


def rollout(force, pads):
    x = wp.zeros(STEPS + 1, dtype=float, requires_grad=True)
    v = wp.zeros(STEPS + 1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    for k in range(STEPS):
        wp.launch(push, dim=1, inputs=[x, v, force, pads, k, DT])
    wp.launch(mark_error, dim=1, inputs=[x, v, STEPS], outputs=[loss])
    return x, loss


pads = Pads()
pads.stiffness, pads.left, pads.right = 40.0, 0.02, 0.3
force = wp.array([2.4, 0.3], dtype=float, requires_grad=True)
for it in range(30):
    with wp.Tape() as tape:
        x, loss = rollout(force, pads)
    tape.backward(loss)
    g = force.grad.numpy().copy()
    tape.zero()
    force = wp.array(force.numpy() - 3.0 * g, dtype=float, requires_grad=True)
    if it % 6 == 0:
        print(it, f"loss {loss.numpy()[0]:.6f}", "furthest", x.numpy().max(), "forces", force.numpy())
