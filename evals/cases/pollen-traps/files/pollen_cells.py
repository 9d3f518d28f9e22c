"""Pollen counts on a coarse map: every source writes its cell, cells are compared with traps."""
import warp as wp

START = [0.8, 0.5, 1.1, 0.9, 0.6, 1.3]
N_ITERS = 30
SOURCES, CELLS = 6, 3

cell_of = wp.array([0, 1, 0, 2, 1, 2], dtype=int)
spread = wp.array([0.5, 0.9, 0.7, 0.4, 0.8, 0.6], dtype=float)
trap = wp.array([[0.9, 0.3], [0.7, 0.4], [1.0, 0.2]], dtype=wp.vec2)


@wp.kernel
def deposit(source: wp.array(dtype=float), spread: wp.array(dtype=float), cell_of: wp.array(dtype=int),
            deposit_map: wp.array(dtype=wp.vec2)):
    s = wp.tid()
    near = source[s] * wp.exp(-spread[s])
    deposit_map[cell_of[s]] = wp.vec2(near, source[s] * source[s] * 0.2)


@wp.kernel
def trap_error(deposit_map: wp.array(dtype=wp.vec2), trap: wp.array(dtype=wp.vec2), loss: wp.array(dtype=float)):
    c = wp.tid()
    d = deposit_map[c] - trap[c]
    wp.atomic_add(loss, 0, wp.dot(d, d))


source = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    deposit_map = wp.zeros(CELLS, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(deposit, dim=SOURCES, inputs=[source, spread, cell_of], outputs=[deposit_map])
        wp.launch(trap_error, dim=CELLS, inputs=[deposit_map, trap], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    source.assign(source.numpy() - 0.1 * source.grad.numpy())
    tape.zero()
    print("traps", it, "loss", losses[-1], "sources", source.numpy())
