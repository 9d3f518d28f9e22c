"""Locate slowness of five layers from travel times, with shuffled batches from a generator."""
import numpy as np
import warp as wp

LAYERS, RAYS, BATCH = 5, 60, 12


def batches(lengths, times, seed):
    rng = np.random.default_rng(seed)
    while True:
        order = rng.permutation(RAYS)
        for chunk in np.split(order, RAYS // BATCH):
            noise = 0.01 * rng.normal(size=BATCH)
            yield wp.array(lengths[chunk], dtype=float), wp.array(times[chunk] + noise, dtype=float)


@wp.kernel
def travel_time(lengths: wp.array2d(dtype=float), log_slow: wp.array(dtype=float), t: wp.array(dtype=float)):
    r, l = wp.tid()
    wp.atomic_add(t, r, lengths[r, l] * wp.exp(log_slow[l]))


@wp.kernel
def residual(t: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    r = wp.tid()
    d = t[r] - seen[r]
    wp.atomic_add(loss, 0, 0.5 * d * d)


@wp.kernel
def smoothness(log_slow: wp.array(dtype=float), loss: wp.array(dtype=float)):
    l = wp.tid()
    d = log_slow[l + 1] - log_slow[l]
    wp.atomic_add(loss, 0, 0.02 * d * d)


rng = np.random.default_rng(0)
lengths = rng.uniform(0.0, 1.0, (RAYS, LAYERS)).astype(np.float32)
times = (lengths @ np.exp([-0.2, -0.4, 0.1, -0.6, -0.9])).astype(np.float32)
log_slow = wp.full(LAYERS, -0.3, dtype=float, requires_grad=True)
for it, (batch, seen) in zip(range(40), batches(lengths, times, seed=21)):
    t = wp.zeros(BATCH, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(travel_time, dim=(BATCH, LAYERS), inputs=[batch, log_slow], outputs=[t])
        wp.launch(residual, dim=BATCH, inputs=[t, seen], outputs=[loss])
        wp.launch(smoothness, dim=LAYERS - 1, inputs=[log_slow], outputs=[loss])
    tape.backward(loss)
    log_slow.assign(log_slow.numpy() - 0.08 * log_slow.grad.numpy())
    tape.zero()
    if it % 8 == 0:
        print(f"batch {it} loss {loss.numpy()[0]:.5f} log slowness {np.round(log_slow.numpy(), 3)}")
