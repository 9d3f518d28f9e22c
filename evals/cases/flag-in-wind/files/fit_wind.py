"""Fit wind and stretch stiffness of a flag to marker positions at the end of a short shot."""
import numpy as np
import warp as wp
from cloth import Cloth
from markers import marker_indices, tracked

ROWS, COLS = 4, 6
STEPS, DT = 24, 0.012
WIND_RATE, STIFFNESS_RATE = 6.0, 60.0
N_ITERS = 30


@wp.kernel
def marker_error(x: wp.array(dtype=wp.vec3), index: wp.array(dtype=int), seen: wp.array(dtype=wp.vec3),
                 loss: wp.array(dtype=float)):
    m = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[index[m]] - seen[m]))


cloth = Cloth(ROWS, COLS)
indices = marker_indices(ROWS, COLS)
index = wp.array(indices, dtype=int)
seen = wp.array(tracked(cloth.rest_x, indices), dtype=wp.vec3)
wind = wp.array([[1.5, 0.2, 2.0]], dtype=wp.vec3, requires_grad=True)
stiffness = wp.array([25.0], dtype=float, requires_grad=True)

for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for state in cloth.simulate(wind, stiffness, STEPS, DT):
            last = state
        wp.launch(marker_error, dim=index.shape[0], inputs=[last.x, index, seen], outputs=[loss])
    tape.backward(loss)
    gw, gs = wind.grad.numpy().copy(), stiffness.grad.numpy().copy()
    tape.zero()
    wind.assign(wind.numpy() - WIND_RATE * gw)
    stiffness.assign(np.clip(stiffness.numpy() - STIFFNESS_RATE * gs, 5.0, 60.0))
    if it % 5 == 0 or it == N_ITERS - 1:
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} wind {wind.numpy()[0]} stiffness {stiffness.numpy()[0]:.3f}")
