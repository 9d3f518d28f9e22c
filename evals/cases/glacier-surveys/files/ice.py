"""Yearly mass balance and flow of a glacier on a line of cells."""
import warp as wp


@wp.kernel
def year(h: wp.array(dtype=float), p: wp.array(dtype=float), climate: float, n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    z = 1.0 - float(i) / float(n)
    up = h[wp.max(i - 1, 0)]
    flux = p[1] * (up * up * up - h[i] * h[i] * h[i])
    out[i] = h[i] + 0.2 * (p[0] * (z - 0.4 - climate) + flux)


@wp.kernel
def thickness_error(h: wp.array(dtype=float), seen: wp.array(dtype=float), weight: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    d = h[i] - seen[i]
    wp.atomic_add(loss, 0, weight * d * d)
