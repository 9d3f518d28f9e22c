"""Cahn-Hilliard kernels on a periodic square grid with unit spacing."""
import warp as wp


@wp.func
def around(f: wp.array2d(dtype=float), i: int, j: int):
    """Five-point Laplacian."""
    n = f.shape[0]
    return f[(i + 1) % n, j] + f[(i + n - 1) % n, j] + f[i, (j + 1) % n] + f[i, (j + n - 1) % n] - 4.0 * f[i, j]


@wp.kernel
def initial_melt(waves: wp.array(dtype=float), noise: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    """Composition before the quench: two standing waves that the casting leaves, and noise."""
    i, j = wp.tid()
    k = 2.0 * wp.pi / float(c.shape[0])
    x = k * float(i)
    y = k * float(j)
    c[i, j] = noise[i, j] + waves[0] * wp.sin(2.0 * x) + waves[1] * wp.cos(2.0 * x + y)


@wp.kernel
def chemical_potential(c: wp.array2d(dtype=float), depth: wp.array(dtype=float), stage: int, stiffness: float,
                       mu: wp.array2d(dtype=float)):
    i, j = wp.tid()
    u = c[i, j]
    mu[i, j] = u * u * u - depth[stage] * u - stiffness * around(c, i, j)


@wp.kernel
def diffuse(c: wp.array2d(dtype=float), mu: wp.array2d(dtype=float), rate: float, out: wp.array2d(dtype=float)):
    """Mobility falls off where one phase is pure."""
    i, j = wp.tid()
    u = c[i, j]
    out[i, j] = u + rate * (1.0 - 0.4 * u * u) * around(mu, i, j)


@wp.kernel
def pattern_misfit(c: wp.array2d(dtype=float), wanted: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    d = c[i, j] - wanted[i, j]
    wp.atomic_add(loss, 0, d * d / float(c.shape[0] * c.shape[1]))


@wp.kernel
def schedule_cost(depth: wp.array(dtype=float), weight: float, loss: wp.array(dtype=float)):
    """Jumps between stages cost furnace time."""
    k = wp.tid()
    jump = depth[k + 1] - depth[k]
    wp.atomic_add(loss, 0, weight * jump * jump)


@wp.kernel
def smooth(c: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    """Blur of the microscope."""
    i, j = wp.tid()
    out[i, j] = c[i, j] + 0.125 * around(c, i, j)
