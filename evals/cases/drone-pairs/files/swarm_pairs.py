"""Close pairs of a drone swarm are collected first, then repelled; choose start positions that stay apart."""
import warp as wp

START = [[0.0, 0.0], [0.5, 0.1], [0.9, 0.6], [0.2, 0.7], [0.6, 0.5]]
N_ITERS = 25
DRONES, MAX_PAIRS = 5, 32


@wp.struct
class PairList:
    count: wp.array(dtype=int)
    gap: wp.array(dtype=float)


@wp.kernel
def collect(pos: wp.array(dtype=wp.vec2), reach: float, pairs: PairList):
    i, j = wp.tid()
    if i < j:
        d = wp.length(pos[i] - pos[j])
        if d < reach:
            k = wp.atomic_add(pairs.count, 0, 1)
            pairs.gap[k] = d


@wp.kernel
def repel(pairs: PairList, reach: float, loss: wp.array(dtype=float)):
    k = wp.tid()
    if k < pairs.count[0]:
        overlap = reach - pairs.gap[k]
        wp.atomic_add(loss, 0, overlap * overlap)


@wp.kernel
def stay_close(pos: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.05 * wp.length_sq(pos[i]))


pos = wp.array(START, dtype=wp.vec2, requires_grad=True)
losses = []
for it in range(N_ITERS):
    pairs = PairList()
    pairs.count = wp.zeros(1, dtype=int)
    pairs.gap = wp.zeros(MAX_PAIRS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(collect, dim=(DRONES, DRONES), inputs=[pos, 0.85, pairs])
        wp.launch(repel, dim=MAX_PAIRS, inputs=[pairs, 0.85], outputs=[loss])
        wp.launch(stay_close, dim=DRONES, inputs=[pos], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    pos.assign(pos.numpy() - 0.1 * pos.grad.numpy())
    tape.zero()
    print(f"swarm {it} loss {losses[-1]:.5f}")
