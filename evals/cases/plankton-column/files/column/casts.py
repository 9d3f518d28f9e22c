"""Bottle casts, the update rule, and the closing table."""
import csv
from dataclasses import dataclass

import numpy as np
import warp as wp


@dataclass
class Cast:
    """Bottles taken at one time."""

    step: int
    cell: wp.array
    phyto: wp.array
    nutrient: wp.array
    held_out: bool

    @property
    def count(self):
        return self.cell.shape[0]


def read_casts(path, settings):
    """Read ``day,depth,phyto,nutrient,use`` and group the bottles by day."""
    rows = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.setdefault(float(row["day"]), []).append(row)
    casts = []
    for day, bottles in sorted(rows.items()):
        cells = [int(float(b["depth"]) / settings.dz) for b in bottles]
        casts.append(Cast(
            step=round(day / settings.dt),
            cell=wp.array(cells, dtype=int),
            phyto=wp.array([float(b["phyto"]) for b in bottles], dtype=float),
            nutrient=wp.array([float(b["nutrient"]) for b in bottles], dtype=float),
            held_out=bottles[0]["use"] == "check",
        ))
    return casts


class Descent:
    """Gradient descent with momentum; each group of parameters has a rate of its own."""

    def __init__(self, column, rates, momentum):
        self.column, self.rates, self.momentum = column, rates, momentum
        self.velocity = {name: np.zeros(p.shape, dtype=np.float32) for name, p in column.parameters().items()}

    def step(self):
        for name, p in self.column.parameters().items():
            v = self.momentum * self.velocity[name] - np.float32(self.rates[name]) * p.grad.numpy()
            self.velocity[name] = v
            # Nothing here is meaningful below zero.
            p.assign(np.maximum(p.numpy() + v, 1e-4))


def table(parameters):
    """The parameters, one per line."""
    lines = [f"{name:>8s}  {np.array2string(p.numpy(), precision=4)}" for name, p in parameters.items()]
    return "\n".join(["fitted", *lines])
