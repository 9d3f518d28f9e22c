"""Fit a diode circuit with Gauss-Newton: one backward pass per measured node gives a row of the Jacobian."""
import numpy as np
import warp as wp

NODES = 4


@wp.kernel
def node_voltages(p: wp.array(dtype=float), drive: wp.array(dtype=float), v: wp.array(dtype=float)):
    n = wp.tid()
    leak = p[0] * (wp.exp(drive[n]) - 1.0)
    v[n] = drive[n] * p[1] / (1.0 + leak) + 0.1 * p[2] * drive[n] * drive[n]


drive = wp.array([0.2, 0.6, 1.0, 1.4], dtype=float)
wanted_v = wp.zeros(NODES, dtype=float)
wp.launch(node_voltages, dim=NODES, inputs=[wp.array([0.4, 1.2, 0.5], dtype=float), drive], outputs=[wanted_v])
wanted = wanted_v.numpy().copy()
p = wp.array([0.8, 0.9, 0.1], dtype=float, requires_grad=True)
for it in range(12):
    v = wp.zeros(NODES, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(node_voltages, dim=NODES, inputs=[p, drive], outputs=[v])
    jacobian = np.zeros((NODES, 3))
    for n in range(NODES):
        row_seed = wp.array(np.eye(NODES, dtype=np.float32)[n], dtype=float)
        tape.backward(grads={v: row_seed})
        jacobian[n] = p.grad.numpy()
        tape.zero()
    residual = v.numpy() - wanted
    change = np.linalg.solve(jacobian.T @ jacobian + 1e-4 * np.eye(3), jacobian.T @ residual)
    p.assign(p.numpy() - 0.7 * change)
    print(f"iteration {it} loss {float(residual @ residual):.3e} p {p.numpy()}")
