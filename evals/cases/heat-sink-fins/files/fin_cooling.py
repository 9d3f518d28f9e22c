"""Choose fin heights so that a heat sink meets a target at low mass."""
import numpy as np
import warp as wp
from warp.optim import Adam

START = [0.6, 1.0, 1.4, 0.8]
N_ITERS = 40
FINS = 4


@wp.kernel
def efficiency(height: wp.array(dtype=float), eta: wp.array(dtype=float)):
    i = wp.tid()
    m = 1.3 * height[i]
    eta[i] = wp.tanh(m) / m


@wp.kernel
def dissipated(height: wp.array(dtype=float), eta: wp.array(dtype=float), air: wp.array(dtype=float),
               heat: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(heat, 0, eta[i] * height[i] * air[i])


@wp.kernel
def design_cost(height: wp.array(dtype=float), heat: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    gap = heat[0] - 2.6
    wp.atomic_add(loss, 0, 0.25 * gap * gap + 0.05 * height[i])


air = wp.array([1.0, 0.8, 0.9, 1.1], dtype=float)


def heat_of(height):
    eta = wp.empty(FINS, dtype=float)
    heat = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(efficiency, dim=FINS, inputs=[height], outputs=[eta])
    wp.launch(dissipated, dim=FINS, inputs=[height, eta, air], outputs=[heat])
    return heat


height = wp.array(np.array(START, dtype=np.float32), dtype=float, requires_grad=True)
adam = Adam([height], lr=0.05)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        heat = heat_of(height)
        wp.launch(design_cost, dim=FINS, inputs=[height, heat], outputs=[loss])
    tape.backward(loss)
    adam.step([height.grad])
    tape.zero()
    if it % 5 == 0:
        print(f"iter {it} cost {loss.numpy()[0]:.5f} heat {heat.numpy()[0]:.4f} heights {height.numpy()}")
