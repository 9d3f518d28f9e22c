"""The column: parameters, driving by the weather, time stepping, and the fit to casts."""
from dataclasses import dataclass, field

import numpy as np
import warp as wp

from column import kernels


@dataclass
class Settings:
    cells: int = 20
    dz: float = 2.5
    dt: float = 0.25
    growth: float = 1.1
    grazing: tuple = (0.9, 0.45)
    optics: tuple = (0.06, 0.035)
    noon: float = 160.0
    rates: dict = field(default_factory=lambda: {"growth": 0.3, "grazing": 0.2, "optics": 1.5e-3})
    momentum: float = 0.5


class Weather:
    """Irradiance through the day and mixing under the wind."""

    def __init__(self, settings):
        self.settings = settings
        middle = settings.dz * (np.arange(settings.cells) + 1.0)
        # Climatology: strong in the mixed layer, weak below; m^2 / day. It is not fitted.
        profile = 1.0 + 6.0 / (1.0 + np.exp((middle - 18.0) / 2.5))
        profile[-1] = 0.0
        self.mixing = wp.array(profile, dtype=float)

    def surface(self, step):
        # Quarter days: night, morning, noon, evening.
        clear = (0.0, 0.55, 1.0, 0.55)[step % 4]
        return self.settings.noon * clear * (1.0 - 0.3 * np.sin(0.4 * step) ** 2)

    def at(self, step):
        sky = kernels.Sky()
        sky.surface = float(self.surface(step))
        sky.mixing = self.mixing
        sky.shade = wp.zeros(self.settings.cells, dtype=float, requires_grad=True)
        sky.light = wp.zeros(self.settings.cells, dtype=float)
        return sky


class Column:
    RATES = ("growth", "grazing")
    OPTICS = ("optics",)

    def __init__(self, settings):
        self.settings = settings
        self.weather = Weather(settings)
        self.growth = wp.array([settings.growth], dtype=float, requires_grad=True)
        self.grazing = wp.array(settings.grazing, dtype=float, requires_grad=True)
        self.optics = wp.array(settings.optics, dtype=float, requires_grad=True)
        depth = settings.dz * (np.arange(settings.cells) + 0.5)
        self.start = (
            0.8 + 5.0 / (1.0 + np.exp((22.0 - depth) / 4.0)),
            0.25 + 0.5 * np.exp(-(((depth - 12.0) / 9.0) ** 2)),
            np.full(settings.cells, 0.3),
        )

    def parameters(self):
        return {name: getattr(self, name) for name in self.RATES + self.OPTICS}

    def zero_grad(self):
        for name in self.RATES:
            getattr(self, name).grad.zero_()

    def new_water(self, contents=None):
        """Cells with the given contents, or empty ones to be written."""
        cells = self.settings.cells
        water = kernels.Water()
        names = ("nutrient", "phyto", "zoo")
        for name, values in zip(names, contents or [np.zeros(cells)] * 3):
            setattr(water, name, wp.array(values, dtype=float, requires_grad=True))
        return water

    def step(self, water, step):
        s = self.settings
        sky = self.weather.at(step)
        wp.launch(kernels.shading, dim=s.cells, inputs=[water, s.dz, sky])
        wp.launch(kernels.attenuate, dim=s.cells, inputs=[self.optics, s.dz, sky])
        grown, mixed = self.new_water(), self.new_water()
        wp.launch(kernels.biology, dim=s.cells, inputs=[water, sky, self.growth, self.grazing, s.dt, grown])
        wp.launch(kernels.mix, dim=s.cells, inputs=[grown, sky, s.dt / s.dz**2, mixed])
        return mixed

    def misfit(self, casts, loss):
        """Run through all casts; their misfits add up in ``loss``."""
        water = self.new_water(self.start)
        bottles = sum(cast.count for cast in casts)
        for step in range(1, max(cast.step for cast in casts) + 1):
            water = self.step(water, step)
            for cast in casts:
                if cast.step == step:
                    wp.launch(kernels.cast_misfit, dim=cast.count,
                              inputs=[water, cast.cell, cast.phyto, cast.nutrient, 1.0 / bottles], outputs=[loss])

    def evaluate(self, casts):
        """Mean misfit; gradients land in the parameters."""
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            self.misfit(casts, loss)
        tape.backward(loss)
        return float(loss.numpy()[0])

    def misfit_only(self, casts):
        """Mean misfit without gradients, for casts that are not fitted."""
        loss = wp.zeros(1, dtype=float)
        self.misfit(casts, loss)
        return float(loss.numpy()[0])
