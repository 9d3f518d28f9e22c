"""Calibrate a sonar gain and attenuation from simulated pings; each iteration draws fresh speckle in the kernel."""
import numpy as np
import warp as wp

PINGS = 64


@wp.kernel
def ping(p: wp.array(dtype=float), ranges: wp.array(dtype=float), iteration: int, echo: wp.array(dtype=float)):
    i = wp.tid()
    rng = wp.rand_init(1234 + iteration, i)
    speckle = 1.0 + 0.1 * wp.randn(rng)
    echo[i] = p[0] * wp.exp(-p[1] * ranges[i]) * speckle


@wp.kernel
def normalise_gain(p: wp.array(dtype=float), echo: wp.array(dtype=float), level: wp.array(dtype=float)):
    i = wp.tid()
    level[i] = echo[i] / (1.0 + 0.1 * p[0] * p[0])


@wp.kernel
def level_error(level: wp.array(dtype=float), truth: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (level[i] - truth[i]) * (level[i] - truth[i]) / 64.0)


ranges_np = np.linspace(0.1, 2.0, PINGS, dtype=np.float32)
ranges = wp.array(ranges_np, dtype=float)
truth = wp.array(1.6 * np.exp(-0.9 * ranges_np) / (1.0 + 0.1 * 1.6**2), dtype=float)
p = wp.array([1.1, 0.4], dtype=float, requires_grad=True)
best = np.inf
for it in range(60):
    echo = wp.zeros(PINGS, dtype=float, requires_grad=True)
    level = wp.zeros(PINGS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(ping, dim=PINGS, inputs=[p, ranges, it], outputs=[echo])
        wp.launch(normalise_gain, dim=PINGS, inputs=[p, echo], outputs=[level])
        wp.launch(level_error, dim=PINGS, inputs=[level, truth], outputs=[loss])
    tape.backward(loss)
    value = float(loss.numpy()[0])
    best = min(best, value)
    if value < 0.0035:
        print("converged at", it, "loss", value, p.numpy())
        break
    p.assign(p.numpy() - 0.8 * p.grad.numpy())
    tape.zero()
    if it % 5 == 0:
        print("iteration", it, "loss", value, "best", best)
