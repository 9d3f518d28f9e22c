"""Emission history of a stack from concentrations seen downwind."""
import numpy as np
import warp as wp
from transport import PuffState

START = [0.9, 0.4, 0.7, 0.2, 0.5, 0.3]
N_ITERS = 30
CELLS = 6


@wp.kernel
def sensor_error(c: wp.array(dtype=float), sensor: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = c[i] - sensor[i]
    wp.atomic_add(loss, 0, d * d)


sensor = wp.array(np.linspace(0.6, 0.2, CELLS), dtype=float)
emission = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        puff = PuffState(emission)
        for _ in range(3):
            puff.advance(0.4)
        wp.launch(sensor_error, dim=CELLS, inputs=[puff.current, sensor], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    emission.assign(emission.numpy() - 0.3 * emission.grad.numpy())
    tape.zero()
    if it % 6 == 0:
        print("plume", it, "loss", losses[-1])
