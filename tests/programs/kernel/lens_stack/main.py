"""Design four lens powers that focus a bundle of rays on the axis without strong curvature."""
import layers
import numpy as np
import warp as wp

START = [0.2, 0.35, 0.1, 0.25]
N_ITERS = 25
RAYS = 16


@wp.kernel
def spot_size(height: wp.array(dtype=float), loss: wp.array(dtype=float)):
    r = wp.tid()
    wp.atomic_add(loss, 0, height[r] * height[r])


@wp.kernel
def curvature_cost(power: wp.array(dtype=float), weight: float, loss: wp.array(dtype=float)):
    k = wp.tid()
    wp.atomic_add(loss, 0, weight * power[k] * power[k])


def merit(power, entry):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    height, slope = entry, wp.zeros(RAYS, dtype=float, requires_grad=True)
    for k in range(len(START)):
        height, slope = layers.through(height, slope, power, k)
    wp.launch(spot_size, dim=RAYS, inputs=[height], outputs=[loss])
    wp.launch(curvature_cost, dim=len(START), inputs=[power, 0.2], outputs=[loss])
    return loss


power = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    entry = wp.array(np.linspace(-1.0, 1.0, RAYS), dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = merit(power, entry)
    tape.backward(loss)
    losses.append(loss.numpy()[0])
    power.assign(power.numpy() - 0.02 * power.grad.numpy())
    tape.zero()
    print(f"design {it}: merit {losses[-1]:.4f}")
