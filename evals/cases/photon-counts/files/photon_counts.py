"""Fit width and height of a beam so that a camera counts the same photons per zone as in an experiment."""
import numpy as np
import warp as wp

PHOTONS, ZONES = 400, 4
N_ITERS = 25

rng = np.random.default_rng(13)
arrival = wp.array(rng.uniform(0.0, 1.0, (PHOTONS, 2)), dtype=wp.vec2)
observed = wp.array([31.0, 82.0, 85.0, 28.0], dtype=float)


@wp.kernel
def detect(arrival: wp.array(dtype=wp.vec2), beam: wp.array(dtype=float), threshold: float,
           count: wp.array(dtype=float)):
    i = wp.tid()
    x = arrival[i][0]
    z = int(x * 4.0)
    d = (x - 0.5) / beam[0]
    brightness = beam[1] * wp.exp(-d * d) * (0.5 + arrival[i][1])
    if brightness > threshold:
        wp.atomic_add(count, z, 1.0)


@wp.kernel
def count_error(count: wp.array(dtype=float), observed: wp.array(dtype=float), loss: wp.array(dtype=float)):
    z = wp.tid()
    d = (count[z] - observed[z]) / 400.0
    wp.atomic_add(loss, 0, d * d)


beam = wp.array([0.4, 0.9], dtype=float, requires_grad=True)
for it in range(N_ITERS):
    count = wp.zeros(ZONES, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(detect, dim=PHOTONS, inputs=[arrival, beam, 0.6], outputs=[count])
        wp.launch(count_error, dim=ZONES, inputs=[count, observed], outputs=[loss])
    tape.backward(loss)
    beam.assign(beam.numpy() - 0.5 * beam.grad.numpy())
    tape.zero()
    if it % 5 == 0:
        print(f"{it:2d} loss {loss.numpy()[0]:.6f} counts {count.numpy()} beam {beam.numpy()}")
