"""Scale the three axes of a shell until sensors outside sit at a wanted clearance from its surface."""
import numpy as np
import warp as wp

START = [1.0, 0.9, 1.1]
N_ITERS = 25

CORNERS = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.float32)
FACES = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
SENSORS = np.array([[1.2, 1.0, 0.7], [-0.9, 1.1, 0.8], [0.8, -1.2, 1.0], [-0.8, -0.7, -1.4]], dtype=np.float32)


@wp.kernel
def stretch(rest: wp.array(dtype=wp.vec3), axes: wp.array(dtype=float), point: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    r = rest[i]
    point[i] = wp.vec3(axes[0] * r[0], axes[1] * r[1], axes[2] * r[2])


@wp.kernel
def clearance(shell: wp.uint64, point: wp.array(dtype=wp.vec3), face: wp.array(dtype=int),
              sensor: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    hit = wp.mesh_query_point_no_sign(shell, sensor[i], 10.0)
    if hit.result:
        p = wp.mesh_eval_position(shell, hit.face, hit.u, hit.v)
        gap = wp.length(sensor[i] - p) - 0.5
        wp.atomic_add(loss, 0, gap * gap)


@wp.kernel
def volume_cost(axes: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] += 0.02 * axes[0] * axes[1] * axes[2]


rest = wp.array(CORNERS, dtype=wp.vec3)
face = wp.array(FACES.astype(np.int32).flatten(), dtype=int)
sensor = wp.array(SENSORS, dtype=wp.vec3)
point = wp.array(CORNERS, dtype=wp.vec3, requires_grad=True)
shell = wp.Mesh(points=point, indices=face)
axes = wp.array(START, dtype=float, requires_grad=True)
for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(stretch, dim=6, inputs=[rest, axes], outputs=[point])
        shell.refit()
        wp.launch(clearance, dim=4, inputs=[shell.id, point, face, sensor], outputs=[loss])
        wp.launch(volume_cost, dim=1, inputs=[axes], outputs=[loss])
    tape.backward(loss)
    g = axes.grad.numpy().copy()
    tape.zero()
    axes.assign(axes.numpy() - 0.1 * g)
    print(f"{it:2d} loss {loss.numpy()[0]:.6f} axes {axes.numpy()}")
