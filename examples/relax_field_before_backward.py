"""Find how a hanging cable is loaded from its measured shape; a smoothed copy of the shape is kept for a film."""

import numpy as np
import warp as wp

N_NODES = 24
N_ITERS = 30
RATE = 0.2
START = [0.9, 0.4, 1.3]

measured_sag = np.array([0.62, 0.97, 0.66], dtype=np.float32)


@wp.kernel
def hang(load: wp.array(dtype=float), sag: wp.array(dtype=float)):
    """Sag of each node: three hangers, each pulling down a stretch of cable."""
    i = wp.tid()
    s = float(i) / 23.0
    y = float(0.0)
    for h in range(3):
        d = (s - 0.25 * float(h + 1)) / 0.18
        y += load[h] * wp.exp(-d * d)
    sag[i] = y


@wp.kernel
def stretch(sag: wp.array(dtype=float), energy: wp.array(dtype=float)):
    """Elastic energy: quadratic in the slope, stiffening where the cable is steep."""
    i = wp.tid()
    slope = 23.0 * (sag[i + 1] - sag[i])
    wp.atomic_add(energy, 0, (0.02 * slope * slope + 0.001 * slope * slope * slope * slope) / 23.0)


@wp.kernel
def misfit(
    sag: wp.array(dtype=float), seen: wp.array(dtype=float), energy: wp.array(dtype=float), loss: wp.array(dtype=float)
):
    i = wp.tid()
    d = sag[6 * (i + 1) - 1] - seen[i]
    wp.atomic_add(loss, 0, d * d + 0.1 * energy[0])


@wp.kernel
def smooth(sag: wp.array(dtype=float), last: int):
    i = wp.tid()
    left = wp.max(i - 1, 0)
    right = wp.min(i + 1, last)
    sag[i] = 0.25 * sag[left] + 0.5 * sag[i] + 0.25 * sag[right]


load = wp.array(START, dtype=float, requires_grad=True)
sag = wp.zeros(N_NODES, dtype=float, requires_grad=True)
seen = wp.array(measured_sag, dtype=float)
film = []

for iteration in range(N_ITERS):
    energy = wp.zeros(1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)

    tape = wp.Tape()
    with tape:
        wp.launch(hang, dim=N_NODES, inputs=[load], outputs=[sag])
        wp.launch(stretch, dim=N_NODES - 1, inputs=[sag], outputs=[energy])
        wp.launch(misfit, dim=3, inputs=[sag, seen, energy], outputs=[loss])

    for _ in range(3):
        wp.launch(smooth, dim=N_NODES, inputs=[sag, N_NODES - 1])
    film.append(sag.numpy().copy())

    tape.backward(loss)
    load.assign(load.numpy() - RATE * load.grad.numpy())
    tape.zero()
    print(f"{iteration:3d}  loss {loss.numpy()[0]:.6f}")
