"""A two-store rainfall-runoff model."""
import warp as wp


@wp.kernel
def day(store: wp.array2d(dtype=float), rain: wp.array(dtype=float), soil: wp.array(dtype=float),
        ground: wp.array(dtype=float), d: int, after: wp.array2d(dtype=float), flow: wp.array(dtype=float)):
    c = wp.tid()
    top = store[c, 0] + rain[d]
    seep = soil[0] * top * top / (top + 1.0)
    quick = soil[1] * top
    base = ground[0] * store[c, 1]
    after[c, 0] = top - seep - quick
    after[c, 1] = store[c, 1] + seep - base
    wp.atomic_add(flow, d, quick + base)


@wp.kernel
def month_error(flow: wp.array(dtype=float), gauge: wp.array(dtype=float), first: int, loss: wp.array(dtype=float)):
    d = first + wp.tid()
    e = flow[d] - gauge[d]
    wp.atomic_add(loss, 0, 0.1 * e * e)
