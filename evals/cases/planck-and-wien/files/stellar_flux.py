"""Temperature and size of a star from photon fluxes between radio and ultraviolet bands."""
import numpy as np
import warp as wp

START = [0.9, 1.3]
N_ITERS = 30

band = np.array([0.2, 0.6, 1.2, 2.0, 4.0, 7.0, 80.0], dtype=np.float32)    # h nu in units of kT of the Sun
flux = wp.array(1.1 * band.astype(float) ** 2 / np.expm1(np.minimum(band / 1.1, 60.0)), dtype=float)
band = wp.array(band, dtype=float)


@wp.kernel
def photon_flux(band: wp.array(dtype=float), star: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    x = band[i] / star[0]
    planck = 1.0 / (wp.exp(x) - 1.0)
    wien = wp.exp(-x)
    n = wp.where(x < 30.0, planck, wien)
    out[i] = star[1] * band[i] * band[i] * n


@wp.kernel
def flux_error(out: wp.array(dtype=float), flux: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = out[i] - flux[i]
    wp.atomic_add(loss, 0, d * d)


star = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    out = wp.zeros(7, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(photon_flux, dim=7, inputs=[band, star], outputs=[out])
        wp.launch(flux_error, dim=7, inputs=[out, flux], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    star.assign(star.numpy() - 0.1 * star.grad.numpy())
    tape.zero()
    print(f"band fit {it} loss {losses[-1]:.6f} star {star.numpy()}")
