"""Fit the light response of stomatal conductance."""
import numpy as np
import warp as wp

START = [1.0, 0.7, 0.15]
N_ITERS = 40

light = wp.array(np.linspace(0.0, 3.0, 14), dtype=float)
gas = wp.array(1.1 * np.tanh(1.2 * np.linspace(0.0, 3.0, 14)) + 0.1, dtype=float)


@wp.func
def saturation(x: float):
    return wp.tanh(x)


@wp.func_grad(saturation)
def adj_saturation(x: float, adj_ret: float):
    s = wp.tanh(x)
    wp.adjoint[x] += (1.0 - s) * adj_ret


@wp.kernel
def conductance(light: wp.array(dtype=float), leaf: wp.array(dtype=float), g: wp.array(dtype=float)):
    i = wp.tid()
    g[i] = leaf[0] * saturation(leaf[1] * light[i]) + leaf[2]


@wp.kernel
def residual(g: wp.array(dtype=float), gas: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    r = g[i] - gas[i]
    wp.atomic_add(loss, 0, r * r)


params = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    g = wp.zeros(14, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(conductance, dim=14, inputs=[light, params], outputs=[g])
        wp.launch(residual, dim=14, inputs=[g, gas], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    params.assign(params.numpy() - 0.02 * params.grad.numpy())
    tape.zero()
    if it % 10 == 0:
        print(f"step {it} loss {losses[-1]:.6f} params {params.numpy()}")
