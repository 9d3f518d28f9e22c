"""Calibrate soil and groundwater constants on 24 days of runoff."""
import hydrology
import numpy as np
import warp as wp

SOIL = [0.15, 0.20]
GROUND = [0.08]
N_ITERS = 120
DAYS, CHUNK, CELLS = 24, 8, 3

rng = np.random.default_rng(2)
rain = wp.array((rng.random(DAYS) * (rng.random(DAYS) > 0.5)).astype(np.float32), dtype=float)
gauge = wp.array((0.5 + 0.6 * rng.random(DAYS)).astype(np.float32), dtype=float)
soil = wp.array(SOIL, dtype=float, requires_grad=True)
ground = wp.array(GROUND, dtype=float, requires_grad=True)
tape = wp.Tape()


def chunk(stores, flow, first):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with tape:
        for d in range(first, first + CHUNK):
            wp.launch(hydrology.day, dim=CELLS, inputs=[stores[d], rain, soil, ground, d],
                      outputs=[stores[d + 1], flow])
        wp.launch(hydrology.month_error, dim=CHUNK, inputs=[flow, gauge, first], outputs=[loss])
    tape.backward(loss)
    tape.launches.clear()
    return float(loss.numpy()[0])


for it in range(N_ITERS):
    flow = wp.zeros(DAYS, dtype=float, requires_grad=True)
    stores = [wp.full((CELLS, 2), 1.0, dtype=float, requires_grad=True) for _ in range(DAYS + 1)]
    loss = 0.0
    for first in range(0, DAYS, CHUNK):
        loss += chunk(stores, flow, first)
    soil.assign(soil.numpy() - 0.01 * soil.grad.numpy())
    ground.assign(ground.numpy() - 0.002 * ground.grad.numpy())
    tape.zero()
    if it % 3 == 0:
        print(f"{it:2d} loss {loss:.5f} soil {soil.numpy()} ground {ground.numpy()}")
