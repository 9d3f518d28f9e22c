"""Degree-day melt model: fit melt factor and lapse rate to discharge at three stakes."""
import numpy as np
import warp as wp

START = [3.2, 5.0]
N_ITERS = 30
DAYS = 20

valley = wp.array(4.0 + 3.0 * np.sin(np.linspace(0.0, 4.0, DAYS)), dtype=float)
elevation = wp.array([0.1, 0.5, 0.9], dtype=float)
stakes = wp.array([9.5, 6.8, 4.4], dtype=float)


@wp.kernel(enable_backward=False)
def melt(valley: wp.array(dtype=float), elevation: wp.array(dtype=float), model: wp.array(dtype=float),
         depth: wp.array(dtype=float)):
    day, s = wp.tid()
    warmth = valley[day] - model[1] * elevation[s]
    wp.atomic_add(depth, s, 0.05 * model[0] * wp.log(1.0 + wp.exp(warmth)))


@wp.kernel
def stake_error(depth: wp.array(dtype=float), stakes: wp.array(dtype=float), model: wp.array(dtype=float),
                loss: wp.array(dtype=float)):
    s = wp.tid()
    prior = model[s % 2] - 4.0
    r = depth[s] - stakes[s]
    wp.atomic_add(loss, 0, r * r + 0.01 * prior * prior)


model = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    depth = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(melt, dim=(DAYS, 3), inputs=[valley, elevation, model], outputs=[depth])
        wp.launch(stake_error, dim=3, inputs=[depth, stakes, model], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    model.assign(model.numpy() - 0.03 * model.grad.numpy())
    tape.zero()
    print(f"pass {it}: error {losses[-1]:.4f}, factor and lapse {model.numpy()}")
