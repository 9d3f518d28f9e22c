"""Drop a block so that it comes to rest at a wanted height over a soft floor; the contact comes late in the fall."""
import warp as wp

STEPS = 60
DT = 0.01
LAYERS = 3
N_ITERS = 20


@wp.func
def floor_force(height: float, layers: int):
    force = float(0.0)
    if height < 0.0:
        part = -900.0 * height
        for layer in range(layers):
            part *= 1.0 - 0.02 * part / 9.0
            force += part / float(layers)
    return force


@wp.kernel
def fall(z: wp.array(dtype=float), step: int, layers: int):
    k = step * 2
    height = z[k]
    speed = z[k + 1]
    new_speed = speed + DT * (floor_force(height, layers) - 9.81)
    z[k + 3] = new_speed
    z[k + 2] = height + DT * new_speed


@wp.kernel
def begin(drop: wp.array(dtype=float), z: wp.array(dtype=float)):
    z[0] = drop[0]
    z[1] = drop[1]


@wp.kernel
def miss(z: wp.array(dtype=float), last: int, loss: wp.array(dtype=float)):
    e = z[last * 2] - 0.2
    loss[0] = e * e


drop = wp.array([0.6, -1.0], dtype=float, requires_grad=True)
for it in range(N_ITERS):
    z = wp.zeros(2 * STEPS + 2, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(begin, dim=1, inputs=[drop], outputs=[z])
        for step in range(STEPS):
            wp.launch(fall, dim=1, inputs=[z, step, LAYERS])
        wp.launch(miss, dim=1, inputs=[z, STEPS], outputs=[loss])
    tape.backward(loss)
    drop.assign(drop.numpy() - 0.01 * drop.grad.numpy())
    tape.zero()
print("drop", drop.numpy(), "loss", loss.numpy()[0])
