"""One implicit time step of heat conduction through a layered wall (tridiagonal elimination)."""
import warp as wp

LAYERS = wp.constant(5)


@wp.kernel
def implicit_step(temp: wp.array2d(dtype=float), cond: wp.array(dtype=float), indoor: float,
                  out: wp.array2d(dtype=float)):
    w = wp.tid()
    c = wp.zeros(shape=(5,), dtype=float)
    d = wp.zeros(shape=(5,), dtype=float)
    for i in range(5):
        left = cond[i]
        right = cond[i + 1]
        rhs = temp[w, i]
        below = float(0.0)
        if i == 0:
            rhs += left * indoor
        if i > 0:
            below = left
        pivot = 1.0 + left + right
        if i > 0:
            pivot -= below * c[i - 1]
            rhs += below * d[i - 1]
        c[i] = right / pivot
        d[i] = rhs / pivot
    t = float(0.0)
    for k in range(5):
        t = d[4 - k] + c[4 - k] * t
        out[w, 4 - k] = t
