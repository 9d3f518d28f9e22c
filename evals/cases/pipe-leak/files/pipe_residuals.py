"""Fit roughness and leak of a pipe by gradient steps on its pressure residuals."""
import numpy as np
import warp as wp

START = [0.4, 0.15]
N_ITERS = 40
TAPS = 8

where = wp.array(np.linspace(0.2, 1.6, TAPS).astype(np.float32), dtype=float)
pressure = wp.array(np.array([0.95, 0.86, 0.79, 0.70, 0.63, 0.57, 0.50, 0.45], dtype=np.float32), dtype=float)


@wp.kernel
def residuals(where: wp.array(dtype=float), p: wp.array(dtype=float), seen: wp.array(dtype=float),
              r: wp.array(dtype=float)):
    i = wp.tid()
    flow = wp.exp(-p[1] * where[i])
    r[i] = 1.0 - p[0] * where[i] * flow * flow - seen[i]


params = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    r = wp.zeros(TAPS, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(residuals, dim=TAPS, inputs=[where, params, pressure], outputs=[r])
    res = r.numpy()
    loss = float(np.mean(res**2))
    tape.backward(grads={r: wp.array(res, dtype=float)})
    g = params.grad.numpy().copy()
    tape.zero()
    params.assign(params.numpy() - 0.1 * g)
    print(f"iter {it:2d} loss {loss:.7f} roughness {params.numpy()[0]:.4f} leak {params.numpy()[1]:.4f}")


def predicted(p):
    """Pressures along the pipe for plotting."""
    x = np.linspace(0.0, 1.8, 10)
    return x, 1.0 - p[0] * x * np.exp(-2.0 * p[1] * x)


for x, y in zip(*predicted(params.numpy())):
    print(f"{x:5.2f} {y:7.4f}")
