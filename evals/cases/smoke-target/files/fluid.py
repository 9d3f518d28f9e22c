"""Smoke on a periodic grid: semi-Lagrangian advection, buoyancy, pressure projection."""
import warp as wp


@wp.func
def sample(f: wp.array2d(dtype=float), x: float, y: float):
    n = f.shape[0]
    i = int(wp.floor(x))
    j = int(wp.floor(y))
    a = x - float(i)
    b = y - float(j)
    i0 = (i + 4 * n) % n
    j0 = (j + 4 * n) % n
    i1 = (i0 + 1) % n
    j1 = (j0 + 1) % n
    return (1.0 - a) * ((1.0 - b) * f[i0, j0] + b * f[i0, j1]) + a * ((1.0 - b) * f[i1, j0] + b * f[i1, j1])


@wp.func
def sample2(f: wp.array2d(dtype=wp.vec2), x: float, y: float):
    n = f.shape[0]
    i = int(wp.floor(x))
    j = int(wp.floor(y))
    a = x - float(i)
    b = y - float(j)
    i0 = (i + 4 * n) % n
    j0 = (j + 4 * n) % n
    i1 = (i0 + 1) % n
    j1 = (j0 + 1) % n
    return (1.0 - a) * ((1.0 - b) * f[i0, j0] + b * f[i0, j1]) + a * ((1.0 - b) * f[i1, j0] + b * f[i1, j1])


@wp.kernel
def emit(sources: wp.array(dtype=float), dye: wp.array2d(dtype=float)):
    i, j = wp.tid()
    total = float(0.05)
    for k in range(4):
        dx = float(i) - 3.0
        dy = float(j) - (2.0 + 3.0 * float(k))
        total += sources[k] * wp.exp(-0.5 * (dx * dx + dy * dy))
    dye[i, j] = total


@wp.kernel
def advect_velocity(u: wp.array2d(dtype=wp.vec2), dt: float, out: wp.array2d(dtype=wp.vec2)):
    i, j = wp.tid()
    v = u[i, j]
    out[i, j] = sample2(u, float(i) - dt * v[0], float(j) - dt * v[1])


@wp.kernel
def add_buoyancy(dye: wp.array2d(dtype=float), dt: float, u: wp.array2d(dtype=wp.vec2)):
    i, j = wp.tid()
    wp.atomic_add(u, i, j, wp.vec2(1.5 * dt * dye[i, j], 0.0))


@wp.kernel
def divergence(u: wp.array2d(dtype=wp.vec2), div: wp.array2d(dtype=float)):
    i, j = wp.tid()
    n = u.shape[0]
    dx = u[(i + 1) % n, j][0] - u[(i + n - 1) % n, j][0]
    dy = u[i, (j + 1) % n][1] - u[i, (j + n - 1) % n][1]
    div[i, j] = 0.5 * (dx + dy)


@wp.kernel
def relax(p: wp.array2d(dtype=float), div: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    n = p.shape[0]
    around = p[(i + 1) % n, j] + p[(i + n - 1) % n, j] + p[i, (j + 1) % n] + p[i, (j + n - 1) % n]
    out[i, j] = 0.25 * (around - div[i, j])


@wp.kernel
def subtract_gradient(u: wp.array2d(dtype=wp.vec2), p: wp.array2d(dtype=float), out: wp.array2d(dtype=wp.vec2)):
    i, j = wp.tid()
    n = p.shape[0]
    gx = p[(i + 1) % n, j] - p[(i + n - 1) % n, j]
    gy = p[i, (j + 1) % n] - p[i, (j + n - 1) % n]
    out[i, j] = u[i, j] - 0.5 * wp.vec2(gx, gy)


@wp.kernel
def advect_dye(dye: wp.array2d(dtype=float), u: wp.array2d(dtype=wp.vec2), dt: float,
               out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    v = u[i, j]
    out[i, j] = sample(dye, float(i) - dt * v[0], float(j) - dt * v[1])


class Smoke:
    def __init__(self, n, dt, sweeps):
        self.n, self.dt, self.sweeps = n, dt, sweeps

    def field(self, dtype):
        return wp.zeros((self.n, self.n), dtype=dtype, requires_grad=True)

    def reset(self, sources):
        self.u = self.field(wp.vec2)
        self.u_next = self.field(wp.vec2)
        self.dye, self.dye_next = self.field(float), self.field(float)
        wp.launch(emit, dim=(self.n, self.n), inputs=[sources], outputs=[self.dye])

    def project(self):
        shape = (self.n, self.n)
        div = self.field(float)
        wp.launch(divergence, dim=shape, inputs=[self.u_next], outputs=[div])
        self.p, self.p_next = self.field(float), self.field(float)
        for _ in range(self.sweeps):
            wp.launch(relax, dim=shape, inputs=[self.p, div], outputs=[self.p_next])
            self.p, self.p_next = self.p_next, self.p

    def step(self):
        shape = (self.n, self.n)
        wp.launch(advect_velocity, dim=shape, inputs=[self.u, self.dt], outputs=[self.u_next])
        wp.launch(add_buoyancy, dim=shape, inputs=[self.dye, self.dt], outputs=[self.u_next])
        self.project()
        wp.launch(subtract_gradient, dim=shape, inputs=[self.u_next, self.p], outputs=[self.u])
        wp.launch(advect_dye, dim=shape, inputs=[self.dye, self.u, self.dt], outputs=[self.dye_next])
        self.dye, self.dye_next = self.dye_next, self.dye
