"""Simulation of both wards under a plan, and descent on the plan."""
from dataclasses import dataclass

import numpy as np
import warp as wp

import pharmacology as ph


@dataclass(frozen=True)
class Settings:
    ticks: int = 72
    dt: float = 0.25                           # h, one tick of the pump
    hours: float = 2.5                         # length of an infusion
    rate: tuple = (0.55, 0.30, 0.45)           # mg/h per kg, start values
    start: tuple = (0.62, 7.87, 12.38)         # h, start values
    first_seen: int = 8                        # ticks that the effect has to build up
    price: float = 0.02
    step_rate: float = 0.012
    step_start: float = 0.5
    momentum: float = 0.5
    rates_between: tuple = (0.05, 1.5)


@dataclass
class Amounts:
    """State of a ward at one time."""

    central: wp.array
    tissue: wp.array
    effect: wp.array

    @classmethod
    def empty(cls, count):
        return cls(*(wp.zeros(count, dtype=float, requires_grad=True) for _ in range(3)))


class Planner:
    def __init__(self, settings, wards):
        self.settings, self.wards = settings, wards
        self.rate = wp.array(settings.rate, dtype=float, requires_grad=True)
        self.start = wp.array(settings.start, dtype=float, requires_grad=True)
        self.velocity = {"rate": np.zeros(3, np.float32), "start": np.zeros(3, np.float32)}
        self.last = {}

    def gradients(self):
        return {"rate": self.rate.grad.numpy(), "start": self.start.grad.numpy()}

    def simulate(self, ward, loss):
        """A day of one ward; every tick that is seen adds to ``loss``."""
        s = self.settings
        patients = sum(w.count for w in self.wards)
        scale = 1.0 / (patients * (s.ticks - s.first_seen))
        now, after = Amounts.empty(ward.count), Amounts.empty(ward.count)
        for tick in range(s.ticks):
            wp.launch(ph.pump, dim=ward.count,
                      inputs=[self.rate, self.start, s.hours, tick * s.dt, ward.body, now.central, s.dt])
            wp.launch(ph.distribute, dim=ward.count,
                      inputs=[ward.body, now.central, now.tissue, now.effect, s.dt],
                      outputs=[after.central, after.tissue, after.effect])
            if tick >= s.first_seen:
                # The plasma is highest right after the pump, before anything is distributed.
                wp.launch(ph.deviation, dim=ward.count,
                          inputs=[ward.body, now.central, after.effect, ward.target, ward.limit, scale],
                          outputs=[loss])
            now, after = after, Amounts.empty(ward.count)
        self.last[ward.name] = now

    def gradient(self):
        """Loss of the plan; gradients of wards and of the cost add up in the parameters."""
        s = self.settings
        total = 0.0
        for p in (self.rate, self.start):
            p.grad.zero_()
        for ward in self.wards:
            loss = wp.zeros(1, dtype=float, requires_grad=True)
            with wp.Tape() as tape:
                self.simulate(ward, loss)
            tape.backward(loss)
            total += float(loss.numpy()[0])
        cost = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(ph.drug_cost, dim=3, inputs=[self.rate, s.hours, s.price], outputs=[cost])
        tape.backward(cost)
        return total + float(cost.numpy()[0])

    def descend(self):
        """Momentum, and rates that the pump can deliver."""
        s = self.settings
        for name, step in (("rate", s.step_rate), ("start", s.step_start)):
            p = getattr(self, name)
            self.velocity[name] = s.momentum * self.velocity[name] - step * p.grad.numpy()
            moved = p.numpy() + self.velocity[name]
            p.assign(np.clip(moved, *s.rates_between) if name == "rate" else moved)
