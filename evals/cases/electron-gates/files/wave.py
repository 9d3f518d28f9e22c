"""Kernels for a wave packet on a line, in atomic units.

Real and imaginary part are stored half a step apart (Visscher's scheme):

    re(t + dt)     = re(t) + dt H im(t + dt / 2)
    im(t + 3/2 dt) = im(t + dt / 2) - dt H re(t + dt)

which keeps the norm as long as dt times the largest energy is below 2. Everything is zero outside of the line.
"""
import warp as wp


@wp.func
def cell_or_zero(f: wp.array(dtype=float), i: int):
    """f[i], and zero outside."""
    value = float(0.0)
    if i >= 0 and i < f.shape[0]:
        value = f[i]
    return value


@wp.func
def hamiltonian(f: wp.array(dtype=float), v: wp.array(dtype=float), i: int, dx: float):
    bend = cell_or_zero(f, i - 1) - 2.0 * f[i] + cell_or_zero(f, i + 1)
    return v[i] * f[i] - 0.5 * bend / (dx * dx)


@wp.kernel
def emit_packet(launch: wp.array(dtype=float), centre: float, width: float, dx: float, dt: float,
                re: wp.array(dtype=float), im: wp.array(dtype=float)):
    """A Gaussian packet; launch holds its wave number and its chirp."""
    i = wp.tid()
    x = float(i) * dx - centre
    envelope = wp.exp(-x * x / (4.0 * width * width)) / wp.sqrt(wp.sqrt(2.0 * wp.pi) * width)
    phase = launch[0] * x + launch[1] * x * x
    energy = 0.5 * launch[0] * launch[0]
    re[i] = envelope * wp.cos(phase)
    im[i] = envelope * wp.sin(phase - 0.5 * dt * energy)


@wp.kernel
def gate_potential(gates: wp.array(dtype=float), first: float, pitch: float, spread: float, swing: float, dx: float,
                   v: wp.array(dtype=float)):
    """Potential under the gates; swing is the common drive at this time."""
    i = wp.tid()
    x = float(i) * dx
    total = float(0.0)
    for g in range(4):
        d = (x - first - pitch * float(g)) / spread
        total += gates[g] * wp.exp(-0.5 * d * d)
    v[i] = swing * total


@wp.kernel
def advance_re(re: wp.array(dtype=float), im: wp.array(dtype=float), v: wp.array(dtype=float), dx: float, dt: float,
               out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = re[i] + dt * hamiltonian(im, v, i, dx)


@wp.kernel
def advance_im(re: wp.array(dtype=float), im: wp.array(dtype=float), v: wp.array(dtype=float), dx: float, dt: float,
               out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = im[i] - dt * hamiltonian(re, v, i, dx)


@wp.kernel
def share_beyond(re: wp.array(dtype=float), im: wp.array(dtype=float), edge: float, dx: float,
                 share: wp.array(dtype=float), slot: int):
    """Probability right of an edge; the edge is soft over two cells, as the detector is."""
    i = wp.tid()
    x = float(i) * dx
    seen = 1.0 / (1.0 + wp.exp((edge - x) / (2.0 * dx)))
    wp.atomic_add(share, slot, seen * dx * (re[i] * re[i] + im[i] * im[i]))


@wp.kernel
def share_error(share: wp.array(dtype=float), wanted: wp.array(dtype=float), first: int, loss: wp.array(dtype=float)):
    s = first + wp.tid()
    d = share[s] - wanted[s]
    wp.atomic_add(loss, 0, d * d)
