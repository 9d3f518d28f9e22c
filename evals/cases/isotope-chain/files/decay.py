"""Activity of a two-member decay chain after many short intervals."""
import warp as wp

INTERVALS = wp.constant(30)


@wp.kernel
def activity(stock: wp.array(dtype=float), rate: wp.array(dtype=float), dt: float, out: wp.array(dtype=float)):
    s = wp.tid()
    parent = stock[s]
    child = float(0.0)
    for _k in range(INTERVALS):
        made = rate[0] * parent
        child = child + dt * (made - rate[1] * child)
        parent = parent - dt * made
    out[s] = child


@wp.kernel
def count_error(a: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    s = wp.tid()
    d = a[s] - seen[s]
    wp.atomic_add(loss, 0, 4.0 * d * d)
