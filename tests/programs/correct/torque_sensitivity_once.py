"""Print the sensitivity of a robot arm's tip position to its joint torques; nothing is trained."""
import numpy as np
import warp as wp

JOINTS, STEPS, DT = 3, 16, 0.05


@wp.kernel
def joint_step(
    q: wp.array2d(dtype=float), w: wp.array2d(dtype=float), torque: wp.array(dtype=float), k: int, dt: float,
):
    j = wp.tid()
    inertia = 1.0 + 0.3 * wp.cos(q[k, (j + 1) % 3])
    a = (torque[j] - 0.5 * w[k, j] - 0.8 * wp.sin(q[k, j])) / inertia
    w[k + 1, j] = w[k, j] + dt * a
    q[k + 1, j] = q[k, j] + dt * w[k + 1, j]


@wp.kernel
def tip_distance(q: wp.array2d(dtype=float), last: int, mark: wp.vec2, loss: wp.array(dtype=float)):
    a = float(0.0)
    x = float(0.0)
    y = float(0.0)
    for j in range(3):
        a += q[last, j]
        x += wp.cos(a) * (1.0 - 0.2 * float(j))
        y += wp.sin(a) * (1.0 - 0.2 * float(j))
    loss[0] = (x - mark[0]) * (x - mark[0]) + (y - mark[1]) * (y - mark[1])


torque = wp.array([1.2, -0.4, 0.9], dtype=float, requires_grad=True)
q = wp.zeros((STEPS + 1, JOINTS), dtype=float, requires_grad=True)
w = wp.zeros((STEPS + 1, JOINTS), dtype=float, requires_grad=True)
loss = wp.zeros(1, dtype=float, requires_grad=True)
tape = wp.Tape()
with tape:
    for k in range(STEPS):
        wp.launch(joint_step, dim=JOINTS, inputs=[q, w, torque, k, DT])
    wp.launch(tip_distance, dim=1, inputs=[q, STEPS, wp.vec2(0.5, 2.0)], outputs=[loss])
tape.backward(loss)
sensitivity = torque.grad.numpy().copy()
print("loss", float(loss.numpy()[0]))
for j in range(JOINTS):
    print(f"joint {j}: torque {torque.numpy()[j]:+.2f} sensitivity {sensitivity[j]:+.5f}")
print("most effective joint", int(np.argmax(np.abs(sensitivity))))
