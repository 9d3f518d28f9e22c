"""Traffic assignment: sensitivity to travel time and toll from observed shares of the first route."""
import numpy as np
import warp as wp

START = [1.2, 0.7]
N_ITERS = 40
TRIPS, ROUTES = 5, 4

rng = np.random.default_rng(11)
minutes = wp.array(rng.uniform(0.5, 2.5, (TRIPS, ROUTES)), dtype=float)
toll = wp.array(rng.uniform(0.0, 2.0, (TRIPS, ROUTES)), dtype=float)
open_routes = wp.array([4, 3, 4, 2, 3], dtype=int)
share = wp.array([0.2, 0.5, 0.3, 0.6, 0.4], dtype=float)


@wp.kernel
def first_share(minutes: wp.array2d(dtype=float), toll: wp.array2d(dtype=float), open_routes: wp.array(dtype=int),
                taste: wp.array(dtype=float), out: wp.array(dtype=float)):
    t = wp.tid()
    total = float(0.0)
    for r in range(open_routes[t]):
        u = -taste[0] * minutes[t, r] - taste[1] * toll[t, r]
        total = total * 0.9 + wp.exp(u)
    u0 = -taste[0] * minutes[t, 0] - taste[1] * toll[t, 0]
    out[t] = wp.exp(u0) / (total * total + 0.1)


@wp.kernel
def share_error(out: wp.array(dtype=float), share: wp.array(dtype=float), loss: wp.array(dtype=float)):
    t = wp.tid()
    d = out[t] - share[t]
    wp.atomic_add(loss, 0, d * d)


taste = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    out = wp.zeros(TRIPS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(first_share, dim=TRIPS, inputs=[minutes, toll, open_routes, taste], outputs=[out])
        wp.launch(share_error, dim=TRIPS, inputs=[out, share], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    taste.assign(taste.numpy() - 0.1 * taste.grad.numpy())
    tape.zero()
    if it % 8 == 0:
        print(it, losses[-1], taste.numpy())
