"""Two-stage enzyme cascade in 20 wells: fit binding and turnover from end-point absorbance."""
import numpy as np
import warp as wp

START = [0.4, 0.9]
N_ITERS = 30
WELLS = 20

substrate = np.linspace(0.1, 2.0, WELLS).astype(np.float32)
bound = substrate / (0.7 + substrate)
absorbance = wp.array(bound + 0.6 * bound**2, dtype=float)
substrate = wp.array(substrate, dtype=float)


@wp.kernel
def cascade(substrate: wp.array(dtype=float), enzyme: wp.array(dtype=float), well: wp.array(dtype=float)):
    w = wp.tid()
    well[w] = substrate[w] / (enzyme[0] + substrate[w])
    well[w] = well[w] + enzyme[1] * well[w] * well[w]


@wp.kernel
def plate_error(well: wp.array(dtype=float), absorbance: wp.array(dtype=float), loss: wp.array(dtype=float)):
    w = wp.tid()
    r = well[w] - absorbance[w]
    wp.atomic_add(loss, 0, r * r)


enzyme = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    well = wp.zeros(WELLS, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(cascade, dim=WELLS, inputs=[substrate, enzyme], outputs=[well])
        wp.launch(plate_error, dim=WELLS, inputs=[well, absorbance], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    enzyme = wp.array(enzyme.numpy() - 0.02 * enzyme.grad.numpy(), dtype=float, requires_grad=True)
    if it % 6 == 0:
        print(f"plates {it} error {losses[-1]:.6f} enzyme {enzyme.numpy()}")
