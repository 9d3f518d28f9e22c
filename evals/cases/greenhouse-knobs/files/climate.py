"""Hourly climate of a greenhouse with vents, heater and shade."""
import numpy as np
import warp as wp

HOURS = 12


@wp.kernel
def hour(air: wp.array(dtype=float), knobs: wp.array(dtype=float), sun: wp.array(dtype=float), h: int,
         out: wp.array(dtype=float)):
    z = wp.tid()
    t = air[z]
    solar = sun[h] * wp.exp(-knobs[2])
    vent = knobs[1] * (t - 0.4) * wp.abs(t - 0.4)
    out[z] = t + 0.3 * (solar + knobs[0] * (0.5 + 0.25 * float(z)) - vent - 0.2 * t)


@wp.kernel
def comfort(air: wp.array(dtype=float), knobs: wp.array(dtype=float), loss: wp.array(dtype=float)):
    z = wp.tid()
    d = air[z] - 0.8
    wp.atomic_add(loss, 0, d * d + 0.01 * knobs[0] * knobs[0])


class Greenhouse:
    def __init__(self, zones=2):
        self.zones = zones
        day = 0.6 * np.maximum(np.sin(np.pi * np.arange(HOURS) / HOURS), 0.0)
        self.sun = wp.array(day.astype(np.float32), dtype=float)

    def loss(self, knobs):
        air = wp.full(self.zones, 0.5, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        for h in range(HOURS):
            nxt = wp.zeros(self.zones, dtype=float, requires_grad=True)
            wp.launch(hour, dim=self.zones, inputs=[air, knobs, self.sun, h], outputs=[nxt])
            air = nxt
            wp.launch(comfort, dim=self.zones, inputs=[air, knobs], outputs=[loss])
        return loss
