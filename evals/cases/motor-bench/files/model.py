"""Brushed DC motor with a flywheel and a winding that warms up."""
from dataclasses import dataclass

import numpy as np
import warp as wp

import kernels


@dataclass(frozen=True)
class Nominal:
    """Data sheet values; theta holds the logarithm of what is identified, relative to these."""

    torque: float = 0.042        # N m / A, and V s / rad
    inertia: float = 9.0e-5      # kg m^2
    viscous: float = 6.0e-5      # N m s / rad
    coulomb: float = 4.0e-3      # N m
    resistance: float = 0.9      # Ohm, cold
    inductance: float = 8.0e-3   # H
    heat_capacity: float = 14.0  # J / K
    heat_loss: float = 0.35      # W / K
    copper: float = 0.0039       # 1 / K
    dt: float = 2.0e-3           # s
    current_scale: float = 1.5   # A, of a residual that counts as one
    speed_scale: float = 40.0    # the same for the speed


@dataclass
class State:
    """Of the motor at one time, one element each."""

    current: wp.array
    speed: wp.array
    warm: wp.array

    @classmethod
    def rest(cls):
        return cls(*(wp.zeros(1, dtype=float, requires_grad=True) for _ in range(3)))


class Motor:
    NAMES = ("torque", "inertia", "viscous", "coulomb", "resistance")

    def __init__(self, nominal):
        self.nominal = nominal
        self.theta = wp.zeros(len(self.NAMES), dtype=float, requires_grad=True)
        # A first guess from the last batch.
        self.theta.assign(np.array([0.10, -0.12, 0.2, -0.2, 0.15], dtype=np.float32))
        self.values = wp.array([getattr(nominal, name) for name in self.NAMES], dtype=float)

    def constants(self):
        """What is identified, in SI units, on the tape."""
        out = wp.zeros(len(self.NAMES), dtype=float, requires_grad=True)
        wp.launch(kernels.from_logarithms, dim=len(self.NAMES), inputs=[self.theta, self.values], outputs=[out])
        return out

    def simulate(self, run, loss=None):
        """One dyno run; returns current and speed at its samples, and adds to ``loss`` if there is one."""
        n = self.nominal
        constants = self.constants()
        now, spare = State.rest(), State.rest()
        track = wp.zeros(2 * run.count, dtype=float, requires_grad=True)
        sample = 0
        for step in range(run.steps):
            wp.launch(kernels.drive, dim=1,
                      inputs=[now.current, now.speed, now.warm, constants, float(run.volts[step]), n.inductance,
                              n.heat_capacity, n.heat_loss, n.copper, n.dt],
                      outputs=[spare.current, spare.speed, spare.warm])
            now, spare = spare, State.rest()
            if step + 1 == run.sampled[sample]:
                wp.launch(kernels.sample, dim=1, inputs=[now.current, now.speed, sample], outputs=[track])
                sample += 1
                if sample == run.count:
                    break
        if loss is not None:
            wp.launch(kernels.residuals, dim=run.count,
                      inputs=[track, run.current, run.speed, n.current_scale, n.speed_scale, 1.0 / run.count],
                      outputs=[loss])
        return track

    def evaluate(self, runs):
        """Cost of each run; the gradients of all runs add up in theta."""
        self.theta.grad.zero_()
        losses = [wp.zeros(1, dtype=float, requires_grad=True) for _ in runs]
        tapes = []
        for run, loss in zip(runs, losses):
            tape = wp.Tape()
            with tape:
                self.simulate(run, loss)
            tapes.append(tape)
        for tape, loss in zip(tapes, losses):
            tape.backward(loss)
        return [float(loss.numpy()[0]) for loss in losses]

    def describe(self):
        factors = np.exp(self.theta.numpy())
        return " ".join(f"{name} x{f:.3f}" for name, f in zip(self.NAMES, factors))
