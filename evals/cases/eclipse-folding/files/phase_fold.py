"""Fit frequency, epoch and depth of an eclipsing star; observation times are folded into one cycle."""
import numpy as np
import warp as wp

START = [0.83, 0.10, 0.5]     # cycles per day, epoch, eclipse depth
N_ITERS = 40

days = np.linspace(0.1, 6.0, 24)
true_phase = (0.80 * days + 0.14) % 1.0
t = wp.array(days, dtype=float)
observed = wp.array(1.0 - 0.6 * np.exp(-12.0 * (true_phase - 0.5) ** 2), dtype=float)


@wp.func
def eclipse(phase: float, depth: float):
    d = phase - 0.5
    return 1.0 - depth * wp.exp(-12.0 * d * d)


@wp.kernel
def fold(t: wp.array(dtype=float), star: wp.array(dtype=float), flux: wp.array(dtype=float)):
    i = wp.tid()
    phase = wp.frac(star[0] * t[i] + star[1])
    flux[i] = eclipse(phase, star[2])


@wp.kernel
def chi_square(flux: wp.array(dtype=float), obs: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    r = flux[i] - obs[i]
    wp.atomic_add(loss, 0, r * r)


params = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    flux = wp.zeros(24, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(fold, dim=24, inputs=[t, params], outputs=[flux])
        wp.launch(chi_square, dim=24, inputs=[flux, observed], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    params.assign(params.numpy() - np.array([0.0005, 0.005, 0.05], dtype=np.float32) * params.grad.numpy())
    tape.zero()
    if it % 10 == 0:
        print(f"{it:3d} chi2 {losses[-1]:.5f} star {params.numpy()}")
