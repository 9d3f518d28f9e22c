"""State of the reservoir chain and its time stepping."""
import kernels
import numpy as np
import warp as wp

LEVELS = np.array([2.0, 1.2, 0.8, 0.5], dtype=np.float32)


class Basin:
    def __init__(self, valve, steps=12, dt=0.3, rain=0.05):
        self.valve = valve
        self.steps, self.dt, self.rain = steps, dt, rain
        self.net = wp.zeros(len(LEVELS), dtype=float, requires_grad=True)

    def simulate(self):
        level = wp.array(LEVELS, dtype=float, requires_grad=True)
        for _ in range(self.steps):
            self.net.fill_(self.rain)
            wp.launch(kernels.spill, dim=len(LEVELS) - 1, inputs=[level, self.valve], outputs=[self.net])
            after = wp.zeros_like(level)
            wp.launch(kernels.update, dim=len(LEVELS), inputs=[level, self.net, self.dt], outputs=[after])
            level = after
        return level
