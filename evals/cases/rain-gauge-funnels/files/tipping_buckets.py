"""Rain gauges fill, tip into a channel and drain; estimate the funnel areas from channel totals."""
import numpy as np
import warp as wp

START = [0.8, 1.3, 1.0]
N_ITERS = 30
HOURS = 6

rain = wp.array(np.array([[1.0, 0.4, 0.0], [0.5, 0.8, 1.2], [0.0, 0.3, 0.9],
                          [0.7, 0.2, 0.4], [1.1, 0.0, 0.3], [0.2, 0.6, 0.5]]), dtype=float)
totals = wp.array([3.1, 2.7, 2.6], dtype=float)


@wp.kernel
def fill(rain: wp.array2d(dtype=float), hour: int, area: wp.array(dtype=float), bucket: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(bucket, i, area[i] * rain[hour, i])


@wp.kernel
def tip(bucket: wp.array(dtype=float), channel: wp.array(dtype=float)):
    i = wp.tid()
    water = wp.atomic_exch(bucket, i, 0.0)
    wp.atomic_add(channel, i, water * (1.0 - 0.1 * water))


@wp.kernel
def balance(channel: wp.array(dtype=float), totals: wp.array(dtype=float), area: wp.array(dtype=float),
            loss: wp.array(dtype=float)):
    i = wp.tid()
    r = channel[i] - totals[i]
    wp.atomic_add(loss, 0, r * r + 0.02 * area[i] * area[i])


area = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    channel = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for hour in range(HOURS):
            bucket = wp.zeros(3, dtype=float, requires_grad=True)
            wp.launch(fill, dim=3, inputs=[rain, hour, area], outputs=[bucket])
            wp.launch(tip, dim=3, inputs=[bucket], outputs=[channel])
        wp.launch(balance, dim=3, inputs=[channel, totals, area], outputs=[loss])
    tape.backward(loss)
    losses.append(loss.numpy().item())
    area.assign(area.numpy() - 0.02 * area.grad.numpy())
    tape.zero()
    if it % 6 == 0:
        print(f"iter {it} imbalance {losses[-1]:.6f} areas {area.numpy()}")
