"""Shift a drone survey onto control points that are given in national grid coordinates (hundreds of metres)."""
import numpy as np
import warp as wp

START = [412.9, 287.3]
N_ITERS = 30

local = np.array([[0.0, 0.0], [3.1, 0.4], [2.2, 2.9], [-1.3, 1.7], [0.9, -2.4]])
control = local + [413.4, 286.8] + np.random.default_rng(5).normal(0.0, 0.15, local.shape)


@wp.kernel
def place(local: wp.array(dtype=wp.vec2), shift: wp.array(dtype=float), out: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    out[i] = local[i] + wp.vec2(shift[0], shift[1])


@wp.kernel
def squared_distance(out: wp.array(dtype=wp.vec2), control: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    q = out[i]
    c = control[i]
    d2 = wp.dot(q, q) - 2.0 * wp.dot(q, c) + wp.dot(c, c)
    wp.atomic_add(loss, 0, d2)


marks = wp.array(local, dtype=wp.vec2)
grid = wp.array(control, dtype=wp.vec2)
shift = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    out = wp.zeros(5, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(place, dim=5, inputs=[marks, shift], outputs=[out])
        wp.launch(squared_distance, dim=5, inputs=[out, grid], outputs=[loss])
    tape.backward(loss)
    shift.assign(shift.numpy() - 0.02 * shift.grad.numpy())
    tape.zero()
    if it % 6 == 0:
        print(f"{it:2d} loss {loss.numpy()[0]:.4f} shift {shift.numpy()}")
