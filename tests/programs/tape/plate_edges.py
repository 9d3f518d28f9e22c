"""Choose conductivity and source of a plate with prescribed edge temperature; the sensitivity map is kept for plots."""
import numpy as np
import warp as wp

START = [0.8, 1.5]
N_ITERS = 30
NX = 10


@wp.kernel
def interior(old: wp.array2d(dtype=float), p: wp.array(dtype=float), n: int, out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    up = old[wp.max(i - 1, 0), j]
    down = old[wp.min(i + 1, n - 1), j]
    left = old[i, wp.max(j - 1, 0)]
    right = old[i, wp.min(j + 1, n - 1)]
    out[i, j] = old[i, j] + 0.2 * p[0] * (up + down + left + right - 4.0 * old[i, j]) + 0.05 * p[1]


@wp.kernel
def clamp_edges(p: wp.array(dtype=float), n: int, out: wp.array2d(dtype=float)):
    k = wp.tid()
    edge = 0.3 + 0.1 * p[0]
    out[0, k] = edge
    out[n - 1, k] = edge


@wp.kernel
def deviation(t: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    d = t[i, j] - 0.7
    wp.atomic_add(loss, 0, 0.1 * d * d)


class Plate:
    def __init__(self):
        self.p = wp.array(START, dtype=float, requires_grad=True)
        self.maps = []

    def evaluate(self, loss):
        t = wp.full((NX, NX), 0.2, dtype=float, requires_grad=True)
        for _ in range(6):
            nxt = wp.zeros((NX, NX), dtype=float, requires_grad=True, retain_grad=True)
            wp.launch(interior, dim=(NX, NX), inputs=[t, self.p, NX], outputs=[nxt])
            wp.launch(clamp_edges, dim=NX, inputs=[self.p, NX], outputs=[nxt])
            t = nxt
        wp.launch(deviation, dim=(NX, NX), inputs=[t], outputs=[loss])
        return t


plate = Plate()
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        final = plate.evaluate(loss)
    tape.backward(loss)
    plate.maps.append(np.abs(final.grad.numpy()).mean())
    g = plate.p.grad.numpy().copy()
    tape.zero()
    plate.p.assign(plate.p.numpy() - 0.05 * g)
    print(f"{it:2d} loss {loss.numpy()[0]:.6f} mean sensitivity {plate.maps[-1]:.4f} {plate.p.numpy()}")
