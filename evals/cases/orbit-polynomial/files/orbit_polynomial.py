"""Cubic fit of radar ranges during one pass of a satellite, weighted by elevation."""
import numpy as np
import warp as wp

SAMPLES = 60
PASS = 2.4          # length of the pass in units of 100 s
RATE = 0.012
N_ITERS = 12

rng = np.random.default_rng(41)
clock = np.linspace(0.0, PASS, SAMPLES)
elevation = 0.35 + 0.65 * np.sin(np.pi * clock / PASS)
truth = 2.2 - 1.9 * clock + 0.95 * clock**2 - 0.06 * clock**3
ranges = truth + rng.normal(0.0, 0.02, SAMPLES) / elevation


@wp.kernel
def predict(t: wp.array(dtype=float), c: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    x = t[i]
    y[i] = c[0] + x * (c[1] + x * (c[2] + x * c[3]))


@wp.kernel
def weighted_misfit(y: wp.array(dtype=float), seen: wp.array(dtype=float), weight: wp.array(dtype=float),
                    loss: wp.array(dtype=float)):
    i = wp.tid()
    d = y[i] - seen[i]
    wp.atomic_add(loss, 0, weight[i] * d * d)


def misfit(coef, t, seen, weight):
    y = wp.zeros(t.shape[0], dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(predict, dim=t.shape[0], inputs=[t, coef], outputs=[y])
    wp.launch(weighted_misfit, dim=t.shape[0], inputs=[y, seen, weight], outputs=[loss])
    return loss


t = wp.array(clock, dtype=float)
seen = wp.array(ranges, dtype=float)
weight = wp.array(elevation**2, dtype=float)
coef = wp.array([1.8, -1.2, 0.6, 0.0], dtype=float, requires_grad=True)
for it in range(N_ITERS):
    tape = wp.Tape()
    with tape:
        loss = misfit(coef, t, seen, weight)
    tape.backward(loss)
    g = coef.grad.numpy().copy()
    tape.zero()
    coef.assign(coef.numpy() - RATE * g)
    print(f"pass {it:2d} loss {loss.numpy()[0]:.5g} coefficients {coef.numpy()}")
