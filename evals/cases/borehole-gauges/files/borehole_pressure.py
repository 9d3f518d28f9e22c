"""Densities of rock layers from pressures measured down a borehole."""
import numpy as np
import warp as wp

START = [1.0, 1.4, 1.2, 1.8, 1.6]
N_ITERS = 40
LAYERS = 5

thickness = wp.array([0.4, 0.3, 0.5, 0.2, 0.6], dtype=float)
gauge = wp.array(np.cumsum([0.5, 0.4, 0.8, 0.3, 0.9]), dtype=float)


@wp.kernel
def overburden(density: wp.array(dtype=float), thickness: wp.array(dtype=float), pressure: wp.array(dtype=float)):
    k = wp.tid()
    pressure[k + 1] = pressure[k] + density[k] * thickness[k] * (1.0 + 0.1 * pressure[k])


@wp.kernel
def gauge_error(pressure: wp.array(dtype=float), gauge: wp.array(dtype=float), loss: wp.array(dtype=float)):
    k = wp.tid()
    r = pressure[k + 1] - gauge[k]
    wp.atomic_add(loss, 0, r * r)


density = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    pressure = wp.zeros(LAYERS + 1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(overburden, dim=LAYERS, inputs=[density, thickness], outputs=[pressure])
        wp.launch(gauge_error, dim=LAYERS, inputs=[pressure, gauge], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    density.assign(density.numpy() - 0.1 * density.grad.numpy())
    tape.zero()
    if it % 8 == 0:
        print(f"borehole {it} loss {losses[-1]:.6f} density {density.numpy()}")
