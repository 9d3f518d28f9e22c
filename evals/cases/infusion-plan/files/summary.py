"""What is printed and written about a plan."""
import csv

import numpy as np


class Log:
    def __init__(self):
        self.rows = []

    def add(self, iteration, loss, norms):
        self.rows.append((iteration, loss, norms))

    def line(self):
        iteration, loss, norms = self.rows[-1]
        sizes = " ".join(f"|d {name}| {size:.2e}" for name, size in norms.items())
        return f"{iteration:3d} loss {loss:.5f} {sizes}"

    def closing(self, planner):
        """Improvement, and the effect at the end of the day per ward."""
        first, last = self.rows[0][1], self.rows[-1][1]
        lines = [f"from {first:.4f} to {last:.4f} ({100.0 * (1.0 - last / first):.1f} % better)"]
        for name, amounts in planner.last.items():
            effect = amounts.effect.numpy()
            lines.append(f"{name:>9s}: effect {np.mean(effect):.2f} +- {np.std(effect):.2f} mg/l at the end")
        return "\n".join(lines)


def write_plan(path, planner):
    """One row per infusion."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["start_h", "mg_per_h_per_kg"])
        writer.writerows(zip(planner.start.numpy().tolist(), planner.rate.numpy().tolist()))
