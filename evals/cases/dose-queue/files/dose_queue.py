"""Radiation dose: particles above a cut are queued, their tracks deposit energy in a phantom."""
import numpy as np
import warp as wp

START = [0.9, 1.3]       # magnet current, shutter opening
N_ITERS = 30
PARTICLES = 12

rng = np.random.default_rng(8)
momentum = wp.array(rng.uniform(0.2, 1.6, PARTICLES), dtype=float)
prescription = wp.array(rng.uniform(0.3, 1.6, PARTICLES), dtype=float)


@wp.func
def reserve(counter: wp.array(dtype=int), ticket: wp.array(dtype=int), p: int):
    slot = wp.atomic_add(counter, 0, 1)
    ticket[p] = slot
    return slot


@wp.func_replay(reserve)
def replay_reserve(counter: wp.array(dtype=int), ticket: wp.array(dtype=int), p: int):
    return p


@wp.kernel
def select(momentum: wp.array(dtype=float), beam: wp.array(dtype=float), counter: wp.array(dtype=int),
           ticket: wp.array(dtype=int), queue: wp.array(dtype=float)):
    p = wp.tid()
    energy = beam[0] * momentum[p] * momentum[p]
    if energy > 0.3:
        slot = reserve(counter, ticket, p)
        queue[slot] = energy * beam[1]


@wp.kernel
def deposit(queue: wp.array(dtype=float), counter: wp.array(dtype=int), want: wp.array(dtype=float),
            loss: wp.array(dtype=float)):
    s = wp.tid()
    if s < counter[0]:
        d = wp.sqrt(queue[s]) - want[s]
        wp.atomic_add(loss, 0, d * d)


beam = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    counter = wp.zeros(1, dtype=int)
    ticket = wp.zeros(PARTICLES, dtype=int)
    queue = wp.zeros(PARTICLES, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(select, dim=PARTICLES, inputs=[momentum, beam, counter, ticket], outputs=[queue])
        wp.launch(deposit, dim=PARTICLES, inputs=[queue, counter, prescription], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    beam.assign(beam.numpy() - 0.01 * beam.grad.numpy())
    tape.zero()
    print(f"iter {it} dose error {losses[-1]:.5f} beam {beam.numpy()}")
