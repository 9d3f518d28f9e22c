"""Fit surface and evaporation losses of cooling cups from their final temperatures."""
import numpy as np
import warp as wp

START = [0.6, 0.4]
N_ITERS = 40
CUPS = 5
MINUTES = 40

hot = wp.array(np.linspace(1.0, 2.2, CUPS).astype(np.float32), dtype=float)
final_seen = wp.array(np.array([0.42, 0.46, 0.50, 0.53, 0.55], dtype=np.float32), dtype=float)


@wp.kernel
def cool(hot: wp.array(dtype=float), p: wp.array(dtype=float), minutes: int, final: wp.array(dtype=float)):
    c = wp.tid()
    t = hot[c]
    for _m in range(minutes):
        t = t - 0.05 * (p[0] * t + p[1] * t * t) + 0.008
    final[c] = t


@wp.kernel
def thermometer(final: wp.array(dtype=float), seen: wp.array(dtype=float), p: wp.array(dtype=float),
                loss: wp.array(dtype=float)):
    c = wp.tid()
    d = final[c] - seen[c]
    wp.atomic_add(loss, 0, d * d + 0.002 * p[0] * p[0])


params = wp.array(START, dtype=float, requires_grad=True)
velocity = np.zeros(2)
for it in range(N_ITERS):
    final = wp.zeros(CUPS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(cool, dim=CUPS, inputs=[hot, params, MINUTES], outputs=[final])
        wp.launch(thermometer, dim=CUPS, inputs=[final, final_seen, params], outputs=[loss])
    tape.backward(loss)
    g = params.grad.numpy()
    tape.zero()
    velocity = 0.5 * velocity - 0.2 * g
    params.assign(params.numpy() + velocity)
    if it % 5 == 0:
        print("iter", it, "loss", float(loss.numpy()[0]), "params", params.numpy())
