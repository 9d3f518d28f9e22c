"""Correct a tabulated pump curve from field data; the table is interpolated between its nodes."""
import numpy as np
import warp as wp

NODES, POINTS = 9, 50


@wp.func
def lookup(table: wp.array(dtype=float), q: float):
    u = wp.clamp(q, 0.0, 0.999) * float(8)
    k = int(wp.floor(u))
    f = u - float(k)
    return (1.0 - f) * table[k] + f * table[k + 1]


@wp.kernel
def head(
    table: wp.array(dtype=float), scale: wp.array(dtype=float), flow: wp.array(dtype=float),
    h: wp.array(dtype=float),
):
    i = wp.tid()
    h[i] = lookup(table, flow[i]) * (1.0 - 0.3 * scale[0] * flow[i])


@wp.kernel
def field_error(h: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (h[i] - seen[i]) * (h[i] - seen[i]))


rng = np.random.default_rng(6)
flow_np = rng.uniform(0.0, 1.0, POINTS).astype(np.float32)
seen_np = (1.2 - 0.5 * flow_np**2) * (1.0 - 0.24 * flow_np)
flow, seen = wp.array(flow_np, dtype=float), wp.array(seen_np, dtype=float)
table = wp.array(np.linspace(1.0, 0.9, NODES, dtype=np.float32), dtype=float, requires_grad=True)
scale = wp.array([0.2], dtype=float, requires_grad=True)
for it in range(35):
    h = wp.zeros(POINTS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(head, dim=POINTS, inputs=[table, scale, flow], outputs=[h])
        wp.launch(field_error, dim=POINTS, inputs=[h, seen], outputs=[loss])
    tape.backward(loss)
    rate = 0.06 / (1.0 + 0.05 * it)
    table.assign(table.numpy() - rate * table.grad.numpy())
    scale.assign(scale.numpy() - rate * scale.grad.numpy())
    tape.zero()
    if it % 7 == 0:
        print("iteration", it, "loss", loss.numpy()[0], "rate", rate, "scale", scale.numpy()[0])
