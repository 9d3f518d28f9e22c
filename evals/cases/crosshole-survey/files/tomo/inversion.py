"""The inversion: objective, updates, and a look at rays that are not fitted."""
from dataclasses import dataclass

import numpy as np
import warp as wp

from tomo import kernels
from tomo.earth import Earth


@dataclass
class Knobs:
    nodes_x: int = 5
    nodes_z: int = 7
    cells_x: int = 24
    cells_z: int = 36
    samples: int = 96
    scale: float = 0.5           # ms, residuals above count linearly
    roughness: float = 0.6
    rate: float = 0.008
    momentum: float = 0.6
    longest: float = 0.08        # of one update, in log slowness
    check_every: int = 3


@dataclass
class Record:
    iteration: int
    objective: float
    misfit: float                # ms, rms of the fitted rays
    held_out: float | None = None


class Inversion:
    def __init__(self, survey, knobs):
        self.survey, self.knobs = survey, knobs
        self.earth = Earth(knobs.nodes_x, knobs.nodes_z, knobs.cells_x, knobs.cells_z)
        self.velocity = np.zeros((knobs.nodes_x, knobs.nodes_z), dtype=np.float32)

    def times(self, rays):
        return self.earth.times(rays, self.survey.width, self.survey.depth, self.knobs.samples)

    def objective(self):
        """Robust misfit per ray plus roughness; also the travel times."""
        knobs, rays = self.knobs, self.survey.fitted
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        times = self.times(rays)
        wp.launch(kernels.robust_misfit, dim=rays.count,
                  inputs=[times, rays.time, knobs.scale, 1.0 / rays.count], outputs=[loss])
        wp.launch(kernels.roughness, dim=(knobs.nodes_x, knobs.nodes_z),
                  inputs=[self.earth.nodes, knobs.roughness], outputs=[loss])
        return loss, times

    def rms(self, times, rays):
        """Of the residuals, in ms, without the two largest."""
        residuals = np.sort(np.abs(times.numpy() - rays.time.numpy()))
        return float(np.sqrt(np.mean(residuals[:-2] ** 2)))

    def held_out(self):
        rays = self.survey.held_out
        return self.rms(self.times(rays), rays)

    def update(self, gradient):
        """Momentum, and no update that is longer than ``longest`` at any node."""
        move = self.knobs.momentum * self.velocity - self.knobs.rate * gradient
        self.velocity = move * min(1.0, self.knobs.longest / float(np.max(np.abs(move)) + 1e-12))
        self.earth.nodes.assign(self.earth.nodes.numpy() + self.velocity)

    def run(self, iterations):
        for it in range(iterations):
            # Before the update: the numbers of one line belong to the same model.
            held_out = self.held_out() if self.knobs.check_every and it % self.knobs.check_every == 0 else None
            tape = wp.Tape()
            with tape:
                loss, times = self.objective()
            tape.backward(loss)
            self.update(self.earth.nodes.grad.numpy())
            tape.zero()
            yield Record(it, float(loss.numpy()[0]), self.rms(times, self.survey.fitted), held_out)
