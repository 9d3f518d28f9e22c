"""Fit settling and scour constants of a river bed from a survey after a flood."""
import numpy as np
import warp as wp

START = [0.6, 0.4]
N_ITERS = 30
CELLS, STEPS = 8, 8


@wp.kernel
def sediment_flux(bed: wp.array(dtype=float), p: wp.array(dtype=float), gain: wp.array(dtype=float)):
    i = wp.tid()
    moved = p[0] * bed[i] * bed[i]
    wp.atomic_sub(gain, i, moved)
    wp.atomic_add(gain, wp.min(i + 1, 7), 0.8 * moved)


@wp.kernel
def update_bed(bed: wp.array(dtype=float), gain: wp.array(dtype=float), dt: float, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = bed[i] + dt * gain[i]


@wp.kernel
def scour(p: wp.array(dtype=float), bed: wp.array(dtype=float)):
    i = wp.tid()
    bed[i] *= wp.exp(-0.1 * p[1] * (1.0 + 0.3 * float(i)))


@wp.kernel
def survey_error(bed: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = bed[i] - seen[i]
    wp.atomic_add(loss, 0, d * d)


seen = wp.array(np.array([0.5, 0.6, 0.62, 0.6, 0.55, 0.5, 0.45, 0.7], dtype=np.float32), dtype=float)
params = wp.array(START, dtype=float, requires_grad=True)
gain = wp.zeros(CELLS, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    bed = wp.full(CELLS, 1.0, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for _ in range(STEPS):
            gain.zero_()
            wp.launch(sediment_flux, dim=CELLS, inputs=[bed, params], outputs=[gain])
            nxt = wp.zeros(CELLS, dtype=float, requires_grad=True)
            wp.launch(update_bed, dim=CELLS, inputs=[bed, gain, 0.15], outputs=[nxt])
            bed = nxt
        wp.launch(scour, dim=CELLS, inputs=[params], outputs=[bed])
        wp.launch(survey_error, dim=CELLS, inputs=[bed, seen], outputs=[loss])
    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 0.05 * g)
    print(f"{it:2d} loss {loss.numpy()[0]:.6f} params {params.numpy()}")
