"""Fit the decay lengths of two shells; charges are summed in integer units so that the sum is repeatable."""
import numpy as np
import warp as wp

START = [0.8, 1.5]
N_ITERS = 40
POINTS = 64
UNIT = wp.constant(1.0e6)


@wp.kernel
def collect(r: wp.array(dtype=float), decay: wp.array(dtype=float), acc: wp.array(dtype=int)):
    i = wp.tid()
    q0 = wp.exp(-r[i] / decay[0])
    q1 = r[i] * wp.exp(-r[i] * r[i] / decay[1])
    wp.atomic_add(acc, 0, int(q0 * UNIT))
    wp.atomic_add(acc, 1, int(q1 * UNIT))


@wp.kernel
def misfit(acc: wp.array(dtype=int), decay: wp.array(dtype=float), want: wp.array(dtype=float),
           loss: wp.array(dtype=float)):
    i = wp.tid()
    d = float(acc[i]) / (64.0 * UNIT) - want[i]
    wp.atomic_add(loss, 0, d * d + 0.001 * decay[i] * decay[i])


rng = np.random.default_rng(11)
r = wp.array(rng.uniform(0.0, 3.0, POINTS).astype(np.float32), dtype=float)
want = wp.array([0.5, 0.1], dtype=float)
params = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    acc = wp.zeros(2, dtype=int)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(collect, dim=POINTS, inputs=[r, params], outputs=[acc])
        wp.launch(misfit, dim=2, inputs=[acc, params, want], outputs=[loss])
    tape.backward(loss)
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 2.0 * g)
    if it % 10 == 0:
        print(f"iter {it} loss {loss.numpy()[0]:.6f} decay lengths {params.numpy()}")
