"""Recover the revolution time and sharpness of pressure pulses in an engine manifold."""
import numpy as np
import warp as wp
from warp.optim import Adam

START = [0.51, 45.0]      # seconds per revolution, sharpness
N_ITERS = 30
N = 40

times = np.linspace(0.03, 1.97, N)
sensor = wp.array(np.exp(-60.0 * (np.mod(times, 0.5) - 0.25) ** 2), dtype=float)
clock = wp.array(times, dtype=float)


@wp.kernel
def manifold(clock: wp.array(dtype=float), engine: wp.array(dtype=float), pressure: wp.array(dtype=float)):
    i = wp.tid()
    since_pulse = wp.mod(clock[i], engine[0])
    d = since_pulse - 0.5 * engine[0]
    pressure[i] = wp.exp(-engine[1] * d * d)


@wp.kernel
def misfit(pressure: wp.array(dtype=float), sensor: wp.array(dtype=float), n: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    r = pressure[i] - sensor[i]
    wp.atomic_add(loss, 0, r * r / n)


engine = wp.array(START, dtype=float, requires_grad=True)
optimizer = Adam([engine], lr=0.0005)
losses = []
for it in range(N_ITERS):
    pressure = wp.zeros(N, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(manifold, dim=N, inputs=[clock, engine], outputs=[pressure])
        wp.launch(misfit, dim=N, inputs=[pressure, sensor, float(N)], outputs=[loss])
    tape.backward(loss=loss)
    optimizer.step([engine.grad])
    tape.zero()
    losses.append(loss.numpy()[0])
    print("step", it, "misfit", losses[-1])
