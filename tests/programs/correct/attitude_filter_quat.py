"""Align a star tracker: fit mounting rotation, scale matrix and bias from paired star directions."""
import numpy as np
import warp as wp

STARS = 16


@wp.kernel
def observe(
    star: wp.array(dtype=wp.vec3), mount: wp.array(dtype=wp.quat), shear: wp.array(dtype=wp.mat33),
    bias: wp.array(dtype=wp.vec3), seen: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    q = wp.normalize(mount[0])
    d = wp.quat_rotate(q, star[i])
    seen[i] = shear[0] * d + bias[0]


@wp.kernel
def direction_error(a: wp.array(dtype=wp.vec3), b: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(a[i] - b[i]) / 16.0)


@wp.kernel
def stay_near_identity(shear: wp.array(dtype=wp.mat33), loss: wp.array(dtype=float)):
    off = shear[0] - wp.identity(n=3, dtype=float)
    wp.atomic_add(loss, 0, 0.1 * wp.ddot(off, off))


rng = np.random.default_rng(1)
stars = rng.normal(size=(STARS, 3))
stars /= np.linalg.norm(stars, axis=1, keepdims=True)
turn = np.array([[np.cos(0.6), -np.sin(0.6), 0.0], [np.sin(0.6), np.cos(0.6), 0.0], [0.0, 0.0, 1.0]])
star = wp.array(stars, dtype=wp.vec3)
measured = wp.array(stars @ turn.T * 1.05 + [0.02, -0.03, 0.01], dtype=wp.vec3)
mount = wp.array([[0.1, 0.05, 0.0, 1.0]], dtype=wp.quat, requires_grad=True)
shear = wp.array([np.eye(3)], dtype=wp.mat33, requires_grad=True)
bias = wp.zeros(1, dtype=wp.vec3, requires_grad=True)
for it in range(40):
    seen = wp.zeros(STARS, dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(observe, dim=STARS, inputs=[star, mount, shear, bias], outputs=[seen])
        wp.launch(direction_error, dim=STARS, inputs=[seen, measured], outputs=[loss])
        wp.launch(stay_near_identity, dim=1, inputs=[shear], outputs=[loss])
    tape.backward(loss)
    mount.assign(mount.numpy() - 0.15 * mount.grad.numpy())
    shear.assign(shear.numpy() - 0.1 * shear.grad.numpy())
    bias.assign(bias.numpy() - 0.1 * bias.grad.numpy())
    tape.zero()
    if it % 10 == 0:
        print("iteration", it, "loss", loss.numpy()[0], "quaternion", mount.numpy()[0])
