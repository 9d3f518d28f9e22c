"""Runs on the dyno: reading them, and what is left after the fit."""
import csv
from dataclasses import dataclass

import numpy as np
import warp as wp


@dataclass
class Run:
    """One run: the voltage is held from row to row."""

    name: str
    volts: np.ndarray            # per step
    sampled: list                # steps after which a sample was taken
    current: wp.array
    speed: wp.array

    @property
    def count(self):
        return len(self.sampled)

    @property
    def steps(self):
        return self.sampled[-1]


def read_runs(path, dt):
    """Read ``run,time,volts,current,speed``; lines with # are remarks of the bench."""
    groups = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            groups.setdefault(row["run"], []).append(row)
    runs = []
    for name, rows in groups.items():
        sampled = [round(float(row["time"]) / dt) for row in rows]
        volts = np.zeros(sampled[-1])
        for before, after, row in zip([0, *sampled], sampled, rows):
            volts[before:after] = float(row["volts"])
        runs.append(Run(
            name, volts, sampled,
            current=wp.array([float(row["current"]) for row in rows], dtype=float),
            speed=wp.array([float(row["speed"]) for row in rows], dtype=float),
        ))
    return runs


def residual_table(motor, runs):
    """Rms of current and speed residuals per run."""
    lines = ["run     rms current   rms speed"]
    for run in runs:
        track = motor.simulate(run).numpy().reshape(-1, 2)
        di = np.sqrt(np.mean((track[:, 0] - run.current.numpy()) ** 2))
        dw = np.sqrt(np.mean((track[:, 1] - run.speed.numpy()) ** 2))
        lines.append(f"{run.name:<8s}{di:11.3f} {dw:11.2f}")
    return "\n".join(lines)
