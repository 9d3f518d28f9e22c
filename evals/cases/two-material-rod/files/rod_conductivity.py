"""Recover two conductivities of a composite rod from its temperature after heating one end."""
import numpy as np
import warp as wp

CELLS, STEPS = 32, 40
FOURIER = 0.4


@wp.kernel
def diffuse(
    t: wp.array(dtype=float), zone: wp.array(dtype=int), cond: wp.array(dtype=float), r: float,
    out: wp.array(dtype=float),
):
    i = wp.tid()
    n = t.shape[0]
    left = t[wp.max(i - 1, 0)]
    right = t[wp.min(i + 1, n - 1)]
    lap = left - 2.0 * t[i] + right
    if i == 0:
        out[i] = 1.0
    else:
        out[i] = t[i] + r * cond[zone[i]] * lap


@wp.kernel
def squared_gap(t: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    e = t[i] - seen[i]
    wp.atomic_add(loss, 0, e * e)


@wp.kernel
def descend(p: wp.array(dtype=float), g: wp.array(dtype=float), rate: float):
    i = wp.tid()
    p[i] = p[i] - rate * g[i]


def simulate(cond, zone, requires_grad=True):
    frames = [wp.zeros(CELLS, dtype=float, requires_grad=requires_grad) for _ in range(STEPS + 1)]
    for a, b in zip(frames[:-1], frames[1:]):
        wp.launch(diffuse, dim=CELLS, inputs=[a, zone, cond, FOURIER], outputs=[b])
    return frames[-1]


zone = wp.array((np.arange(CELLS) >= CELLS // 4).astype(np.int32), dtype=int)
seen = simulate(wp.array([0.9, 0.35], dtype=float), zone, requires_grad=False)
cond = wp.array([0.5, 0.7], dtype=float, requires_grad=True)

for epoch in range(40):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        final = simulate(cond, zone)
        wp.launch(squared_gap, dim=CELLS, inputs=[final, seen], outputs=[loss])
    tape.backward(loss)
    wp.launch(descend, dim=2, inputs=[cond, cond.grad, 0.15])
    tape.zero()
    if epoch % 10 == 0:
        print("epoch", epoch, "loss", loss.numpy()[0], "conductivity", cond.numpy())
