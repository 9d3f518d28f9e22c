"""Tilt two roof panels to lower the load of hail stones; strikes are counted while the load is summed."""
import numpy as np
import warp as wp

STONES = 48


@wp.kernel
def strike(
    pos: wp.array(dtype=wp.vec2), speed: wp.array(dtype=float), tilt: wp.array(dtype=float),
    hits: wp.array(dtype=int), load: wp.array(dtype=float),
):
    s = wp.tid()
    panel = int(pos[s][0] > 0.0)
    normal = wp.vec2(wp.sin(tilt[panel]), wp.cos(tilt[panel]))
    flow = wp.vec2(0.3, -1.0) * speed[s]
    v = -wp.dot(flow, normal)
    if v > 0.0:
        order = wp.atomic_add(hits, panel, 1)
        if order >= 0:
            wp.atomic_add(load, panel, v * v / 48.0)


@wp.kernel
def roof_cost(load: wp.array(dtype=float), tilt: wp.array(dtype=float), loss: wp.array(dtype=float)):
    p = wp.tid()
    wp.atomic_add(loss, 0, load[p] + 0.2 * load[p] * load[p] + 0.6 * tilt[p] * tilt[p])


rng = np.random.default_rng(30)
pos = wp.array(rng.uniform(-1.0, 1.0, (STONES, 2)), dtype=wp.vec2)
speed = wp.array(rng.uniform(0.6, 1.8, STONES), dtype=float)
tilt = wp.array([0.1, -0.2], dtype=float, requires_grad=True)
hits = wp.zeros(2, dtype=int)
for it in range(25):
    hits.zero_()
    load = wp.zeros(2, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(strike, dim=STONES, inputs=[pos, speed, tilt], outputs=[hits, load])
        wp.launch(roof_cost, dim=2, inputs=[load, tilt], outputs=[loss])
    counted = hits.numpy().tolist()
    tape.backward(loss)
    stepped = tilt.numpy() - 0.2 * tilt.grad.numpy()
    tilt.assign(np.clip(stepped, -1.2, 1.2))
    tape.zero()
    if it % 5 == 0:
        print("iteration", it, "loss", loss.numpy()[0], "strikes", counted, "tilt", tilt.numpy())
