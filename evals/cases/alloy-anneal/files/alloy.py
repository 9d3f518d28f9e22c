"""Spinodal decomposition of a binary alloy during a staged anneal."""
from dataclasses import dataclass

import numpy as np
import warp as wp

import kernels
from pool import Pool


@dataclass(frozen=True)
class Plan:
    """The anneal; times in units of the diffusion time of one cell."""

    n: int = 16
    stages: int = 3
    steps: int = 12          # per stage
    dt: float = 0.05
    stiffness: float = 0.45
    smoothness: float = 0.02
    depth: tuple = (1.0, 1.0, 1.0)
    waves: tuple = (0.10, 0.08)
    noise: float = 0.03

    def stage(self, step):
        return step // self.steps

    def __post_init__(self):
        # Explicit steps: the biharmonic term has the eigenvalue 64 * stiffness at the checkerboard.
        if self.dt * 64.0 * self.stiffness > 2.0:
            raise ValueError(f"dt={self.dt} is too long for a stiffness of {self.stiffness}")


class Alloy:
    def __init__(self, plan, wanted):
        self.plan = plan
        self.pool = Pool(plan.n)
        self.depth = wp.array(plan.depth, dtype=float, requires_grad=True)
        self.waves = wp.array(plan.waves, dtype=float, requires_grad=True)
        rng = np.random.default_rng(4)
        self.noise = wp.array(plan.noise * rng.normal(size=(plan.n, plan.n)), dtype=float)
        self.wanted = wp.array(wanted, dtype=float)

    @property
    def shape(self):
        return (self.plan.n, self.plan.n)

    def melt(self):
        c = self.pool.take()
        wp.launch(kernels.initial_melt, dim=self.shape, inputs=[self.waves, self.noise], outputs=[c])
        return c

    def step(self, c, step):
        """One step; composition and potential are fields that nobody else has."""
        plan = self.plan
        mu, after = self.pool.take(), self.pool.take()
        wp.launch(kernels.chemical_potential, dim=self.shape,
                  inputs=[c, self.depth, plan.stage(step), plan.stiffness], outputs=[mu])
        wp.launch(kernels.diffuse, dim=self.shape, inputs=[c, mu, plan.dt], outputs=[after])
        return after

    def anneal(self, watch=None):
        """Misfit of the final pattern plus the cost of the schedule; ``watch`` sees every step."""
        plan = self.plan
        # Nothing of the previous run is needed any more.
        self.pool.rewind()
        c = self.melt()
        for step in range(plan.stages * plan.steps):
            c = self.step(c, step)
            if watch is not None:
                watch(step, c)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(kernels.pattern_misfit, dim=self.shape, inputs=[c, self.wanted], outputs=[loss])
        wp.launch(kernels.schedule_cost, dim=plan.stages - 1, inputs=[self.depth, plan.smoothness], outputs=[loss])
        return loss
