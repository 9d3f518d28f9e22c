"""Wake model: speed deficit behind each yawed turbine."""
import warp as wp
from layout import Farm


@wp.kernel
def deficit(farm: Farm, speed: wp.array(dtype=float)):
    i, j = wp.tid()
    gap = farm.x[i] - farm.x[j]
    if gap > 0.0:
        steer = wp.sin(farm.yaw[j]) * gap * 0.5
        wp.atomic_sub(speed, i, farm.wake * wp.exp(-0.1 * gap - steer * steer))


@wp.kernel
def power(farm: Farm, speed: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    v = wp.length(farm.wind) * 0.1 + speed[i]
    out[i] = v * v * v * wp.pow(wp.cos(farm.yaw[i]), 1.9)


@wp.kernel
def negative_sum(values: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, -values[wp.tid()])


def farm_power(farm):
    n = farm.x.shape[0]
    speed = wp.zeros(n, dtype=float, requires_grad=True)
    out = wp.zeros(n, dtype=float, requires_grad=True)
    wp.launch(deficit, dim=(n, n), inputs=[farm], outputs=[speed])
    wp.launch(power, dim=n, inputs=[farm, speed], outputs=[out])
    return out
