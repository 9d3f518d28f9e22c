"""What is printed: one line per few iterations, and a table at the end."""
import numpy as np


class History:
    """Losses and parameters of all iterations."""

    def __init__(self):
        self.rows = []

    def add(self, loss, gates, launch):
        self.rows.append((loss, gates.copy(), launch.copy()))

    @property
    def best(self):
        """Number of the iteration with the smallest loss."""
        return int(np.argmin([loss for loss, _, _ in self.rows]))

    def line(self):
        loss, gates, launch = self.rows[-1]
        voltages = " ".join(f"{g:.4f}" for g in gates)
        return f"{len(self.rows) - 1:3d} loss {loss:.6f} gates {voltages} k0 {launch[0]:.4f} best {self.best}"


def occupation_table(wanted, seen):
    lines = ["window  wanted   seen"]
    lines += [f"{k:6d}  {w:6.3f} {s:6.3f}" for k, (w, s) in enumerate(zip(wanted, seen))]
    return "\n".join(lines)
