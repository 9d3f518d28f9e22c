"""A rectangular cloth of point masses, pinned along its left edge."""
import numpy as np
import warp as wp

DAMPING = 0.6
SPACING = 0.1


@wp.struct
class State:
    x: wp.array(dtype=wp.vec3)
    v: wp.array(dtype=wp.vec3)


@wp.kernel
def stretch_forces(state: State, ends: wp.array(dtype=wp.vec2i), rest: wp.array(dtype=float),
                   stiffness: wp.array(dtype=float), force: wp.array(dtype=wp.vec3)):
    s = wp.tid()
    a = ends[s][0]
    b = ends[s][1]
    d = state.x[b] - state.x[a]
    length = wp.length(d)
    f = stiffness[0] * (length - rest[s]) / rest[s] * d / length
    wp.atomic_add(force, a, f)
    wp.atomic_sub(force, b, f)


@wp.kernel
def wind_forces(state: State, wind: wp.array(dtype=wp.vec3), cols: int, force: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    c = i % cols
    gust = 1.0 + 0.3 * wp.sin(2.0 * float(c))
    relative = gust * wind[0] - state.v[i]
    wp.atomic_add(force, i, 0.08 * wp.length(relative) * relative)


@wp.kernel
def integrate(state: State, force: wp.array(dtype=wp.vec3), free: wp.array(dtype=float), damping: float,
              speed_limit: float, dt: float, out: State):
    i = wp.tid()
    a = force[i] / 0.05 + wp.vec3(0.0, -9.81, 0.0) - damping * state.v[i]
    v = state.v[i] + dt * free[i] * a
    speed = wp.length(v)
    if speed > speed_limit:
        v = v * (speed_limit / speed)
    out.v[i] = v
    out.x[i] = state.x[i] + dt * v


class Cloth:
    def __init__(self, rows, cols):
        self.rows, self.cols, self.count = rows, cols, rows * cols
        r, c = np.divmod(np.arange(self.count), cols)
        self.rest_x = np.stack([SPACING * c, -SPACING * r, 0.0 * c], axis=1).astype(np.float32)
        pairs = [(i, i + 1) for i in range(self.count) if (i + 1) % cols]
        pairs += [(i, i + cols) for i in range(self.count - cols)]
        pairs += [(i, i + cols + 1) for i in range(self.count - cols) if (i + 1) % cols]
        pairs = np.array(pairs, dtype=np.int32)
        lengths = np.linalg.norm(self.rest_x[pairs[:, 0]] - self.rest_x[pairs[:, 1]], axis=1)
        self.ends = wp.array(pairs, dtype=wp.vec2i)
        self.rest = wp.array(lengths, dtype=float)
        self.free = wp.array((c > 0).astype(np.float32), dtype=float)
        self.force = wp.zeros(self.count, dtype=wp.vec3, requires_grad=True)

    def new_state(self):
        state = State()
        state.x = wp.array(self.rest_x, dtype=wp.vec3, requires_grad=True)
        state.v = wp.zeros(self.count, dtype=wp.vec3, requires_grad=True)
        return state

    def simulate(self, wind, stiffness, steps, dt, speed_limit=6.0):
        """Yield the state after every step."""
        state = self.new_state()
        for _ in range(steps):
            self.force.zero_()
            wp.launch(stretch_forces, dim=self.ends.shape[0], inputs=[state, self.ends, self.rest, stiffness, self.force])
            wp.launch(wind_forces, dim=self.count, inputs=[state, wind, self.cols, self.force])
            after = self.new_state()
            wp.launch(integrate, dim=self.count,
                      inputs=[state, self.force, self.free, DAMPING, speed_limit, dt, after])
            state = after
            yield state
