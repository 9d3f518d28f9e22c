"""Strength of fibre bundles: a bundle holds if every link holds; fit strength and scatter of the links."""
import numpy as np
import warp as wp

START = [1.8, 0.6]
N_ITERS = 30
BUNDLES, MAX_LINKS = 6, 10

rng = np.random.default_rng(5)
stress = wp.array(rng.uniform(0.3, 1.6, (BUNDLES, MAX_LINKS)), dtype=float)
links = wp.array([3, 5, 7, 10, 4, 8], dtype=int)
held = wp.array([0.72, 0.55, 0.41, 0.25, 0.66, 0.38], dtype=float)


@wp.kernel
def survival(stress: wp.array2d(dtype=float), links: wp.array(dtype=int), fibre: wp.array(dtype=float),
             chance: wp.array(dtype=float)):
    b = wp.tid()
    p = float(1.0)
    for j in range(links[b]):
        p = p * (1.0 / (1.0 + wp.exp((stress[b, j] - fibre[0]) / fibre[1])))
    chance[b] = p


@wp.kernel
def brier(chance: wp.array(dtype=float), held: wp.array(dtype=float), loss: wp.array(dtype=float)):
    b = wp.tid()
    d = chance[b] - held[b]
    wp.atomic_add(loss, 0, d * d)


fibre = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    chance = wp.zeros(BUNDLES, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(survival, dim=BUNDLES, inputs=[stress, links, fibre], outputs=[chance])
        wp.launch(brier, dim=BUNDLES, inputs=[chance, held], outputs=[loss])
    tape.backward(loss)
    g = fibre.grad.numpy().copy()
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    fibre.assign(fibre.numpy() - 0.1 * g)
    if it % 6 == 0:
        print(it, losses[-1], fibre.numpy())
