"""Fit film growth and fade rate of a battery to capacities after 25 cycles."""
import cell
import warp as wp

START = [1.2, 0.5]
N_ITERS = 40
CYCLES = 25

depth = wp.array([0.3, 0.5, 0.7, 1.0], dtype=float)
seen = wp.array([0.75, 0.62, 0.52, 0.40], dtype=float)
k = wp.array(START, dtype=float, requires_grad=True)


def data_term(loss):
    capacity = wp.zeros(4, dtype=float, requires_grad=True)
    wp.launch(cell.fade, dim=4, inputs=[depth, k, CYCLES], outputs=[capacity])
    wp.launch(cell.capacity_error, dim=4, inputs=[capacity, seen], outputs=[loss])


def evaluate():
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(cell.prior, dim=2, inputs=[k], outputs=[loss])
    data_term(loss)
    tape.backward(loss)
    g = k.grad.numpy().copy()
    k.grad.zero_()
    return float(loss.numpy()[0]), g


for it in range(N_ITERS):
    value, g = evaluate()
    k.assign(k.numpy() - 0.2 * g)
    print(f"iter {it:2d} loss {value:.6f} k {k.numpy()}")
