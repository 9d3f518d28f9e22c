"""Bend a snake arm of many joints so that its tip reaches a goal while a camera half way looks at another one."""
import numpy as np
import warp as wp

JOINTS = wp.constant(20)
N_ITERS = 60
LINK = 0.09


@wp.kernel
def reach(bend: wp.array(dtype=float), link: float, tip: wp.array(dtype=wp.vec2)):
    base = wp.tid()
    angle = 0.3 * float(base)
    p = wp.vec2(0.0, 0.1 * float(base))
    for k in range(JOINTS):
        angle = angle + bend[k] * (1.0 - 0.1 * float(base))
        p = p + link * wp.vec2(wp.cos(angle), wp.sin(angle))
    tip[base] = p


@wp.kernel
def goal_error(tip: wp.array(dtype=wp.vec2), goal: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    b = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(tip[b] - goal[b]))


@wp.kernel
def effort(bend: wp.array(dtype=float), loss: wp.array(dtype=float)):
    k = wp.tid()
    wp.atomic_add(loss, 0, 0.002 * bend[k] * bend[k])


goal = wp.array([[0.7, 1.3], [0.2, 1.5]], dtype=wp.vec2)
bend = wp.array(0.06 * np.cos(0.7 * np.arange(20)), dtype=float, requires_grad=True)
for it in range(N_ITERS):
    tip = wp.zeros(2, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(reach, dim=2, inputs=[bend, LINK], outputs=[tip])
        wp.launch(goal_error, dim=2, inputs=[tip, goal], outputs=[loss])
        wp.launch(effort, dim=20, inputs=[bend], outputs=[loss])
    tape.backward(loss)
    g = bend.grad.numpy().copy()
    tape.zero()
    bend.assign(bend.numpy() - 0.02 * g)
    if it % 10 == 9:
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} tip {tip.numpy()[0]}")
