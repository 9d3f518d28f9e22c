"""Fit rate law and heater offset of a plug-flow reactor to measured conversions."""
import numpy as np
import warp as wp
from kinetics import conversion

START = [6.0, 2.2, 0.3]      # log prefactor, barrier / 10 kJ, heater offset / 60 K
N_ITERS = 200

inlet = wp.array(np.linspace(330.0, 450.0, 9), dtype=float)
measured = wp.array([0.18, 0.24, 0.33, 0.40, 0.47, 0.56, 0.66, 0.72, 0.80], dtype=float)


@wp.kernel
def squared_error(out: wp.array(dtype=float), measured: wp.array(dtype=float), theta: wp.array(dtype=float),
                  loss: wp.array(dtype=float)):
    i = wp.tid()
    e = out[i] - measured[i]
    wp.atomic_add(loss, 0, e * e)
    if i == 0:
        wp.atomic_add(loss, 0, 0.001 * theta[2] * theta[2])


theta = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    out = wp.zeros(9, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(conversion, dim=9, inputs=[theta, inlet], outputs=[out])
        wp.launch(squared_error, dim=9, inputs=[out, measured, theta], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    theta.assign(theta.numpy() - 0.05 * theta.grad.numpy())
    tape.zero()
    print(it, "misfit", losses[-1], "theta", theta.numpy())
