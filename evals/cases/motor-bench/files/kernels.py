"""Kernels of the motor. One thread: the runs have different lengths and are simulated one after the other."""
import warp as wp

TORQUE = wp.constant(0)
INERTIA = wp.constant(1)
VISCOUS = wp.constant(2)
COULOMB = wp.constant(3)
RESISTANCE = wp.constant(4)
STICTION = wp.constant(4.0)    # rad/s, below which dry friction fades


@wp.func
def direction(w: float):
    """Smooth sign of the speed."""
    return w / wp.sqrt(w * w + STICTION * STICTION)


@wp.func_grad(direction)
def adj_direction(w: float, adj_ret: float):
    # In this form nothing cancels at high speed.
    r = wp.sqrt(w * w + STICTION * STICTION)
    wp.adjoint[w] += adj_ret * STICTION * STICTION / (r * r * r)


@wp.func
def tame(x: float):
    return x


@wp.func_grad(tame)
def adj_tame(x: float, adj_ret: float):
    # A stalled run once sent the adjoint to infinity. Healthy runs stay many orders below this.
    wp.adjoint[x] += wp.clamp(adj_ret, -1.0e7, 1.0e7)


@wp.kernel
def from_logarithms(theta: wp.array(dtype=float), nominal: wp.array(dtype=float), out: wp.array(dtype=float)):
    k = wp.tid()
    out[k] = nominal[k] * wp.exp(theta[k])


@wp.kernel
def drive(current: wp.array(dtype=float), speed: wp.array(dtype=float), warm: wp.array(dtype=float),
          c: wp.array(dtype=float), volts: float, inductance: float, capacity: float, loss: float, copper: float,
          dt: float, current_out: wp.array(dtype=float), speed_out: wp.array(dtype=float),
          warm_out: wp.array(dtype=float)):
    """One step: the current first, the speed with the new current."""
    i = current[0]
    w = tame(speed[0])
    ohm = c[RESISTANCE] * (1.0 + copper * warm[0])
    i_new = i + dt * (volts - ohm * i - c[TORQUE] * w) / inductance
    torque = c[TORQUE] * i_new - c[VISCOUS] * w - c[COULOMB] * direction(w)
    current_out[0] = i_new
    speed_out[0] = w + dt * torque / c[INERTIA]
    warm_out[0] = warm[0] + dt * (ohm * i * i - loss * warm[0]) / capacity


@wp.kernel
def sample(current: wp.array(dtype=float), speed: wp.array(dtype=float), slot: int, track: wp.array(dtype=float)):
    track[2 * slot] = current[0]
    track[2 * slot + 1] = speed[0]


@wp.kernel
def residuals(track: wp.array(dtype=float), current: wp.array(dtype=float), speed: wp.array(dtype=float),
              current_scale: float, speed_scale: float, weight: float, loss: wp.array(dtype=float)):
    """Robust: single samples with commutator spikes must not decide."""
    k = wp.tid()
    a = (track[2 * k] - current[k]) / current_scale
    b = (track[2 * k + 1] - speed[k]) / speed_scale
    wp.atomic_add(loss, 0, weight * (wp.sqrt(1.0 + a * a) + wp.sqrt(1.0 + b * b) - 2.0))
