"""Rotor with blade pitch, inflow and a generator curve."""
import warp as wp


@wp.struct
class Rotor:
    pitch: wp.array(dtype=float)
    inflow: wp.array(dtype=float)
    torque: wp.array(dtype=float)


@wp.kernel
def induce(r: Rotor, wind: wp.array(dtype=float)):
    i = wp.tid()
    r.inflow[i] = wind[i] * (1.0 - 0.3 * wp.sin(r.pitch[i % 3]))


@wp.kernel
def blade_torque(r: Rotor):
    i = wp.tid()
    u = r.inflow[i]
    r.torque[i] = r.pitch[i % 3] * (0.8 - 0.3 * r.pitch[i % 3]) * u * u + 0.1 * u


@wp.kernel
def generator(r: Rotor):
    i = wp.tid()
    q = r.torque[i]
    r.torque[i] = q / (1.0 + q * q)


@wp.kernel
def power_loss(r: Rotor, want: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    d = r.torque[i] - want
    wp.atomic_add(loss, 0, d * d)
