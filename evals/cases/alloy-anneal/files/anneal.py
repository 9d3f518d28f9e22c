"""Choose the quench depths of an annealing schedule so that an alloy ends in a wanted pattern.

    python anneal.py [--iterations 13] [--frames 10] [--save FOLDER]
"""
import argparse
from pathlib import Path

import numpy as np
import warp as wp

from alloy import Alloy, Plan
from frames import Recorder

TARGET_SEED = 21


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=13)
    parser.add_argument("--frames", type=int, default=10, help="steps between two frames of the movie, 0: no movie")
    parser.add_argument("--save", type=Path, help="folder for the frames of the last run")
    return parser.parse_args()


def wanted_pattern(plan):
    """Stripes with rough edges, as in the micrographs of batch 7."""
    rng = np.random.default_rng(TARGET_SEED)
    x, y = np.mgrid[0 : plan.n, 0 : plan.n] * (2.0 * np.pi / plan.n)
    rough = 0.25 * np.sin(3.0 * y + 0.8) + 0.15 * np.cos(2.0 * y)
    return (0.62 * np.tanh(1.8 * np.sin(2.0 * x + rough)) + 0.02 * rng.normal(size=(plan.n, plan.n))).astype(np.float32)


class Adam:
    """Adam for a few arrays on the host."""

    def __init__(self, parameters, rate, betas=(0.8, 0.95)):
        self.parameters, self.rate, self.betas = parameters, rate, betas
        self.moments = [(np.zeros(p.shape), np.zeros(p.shape)) for p in parameters]
        self.count = 0

    def step(self):
        self.count += 1
        b1, b2 = self.betas
        for k, p in enumerate(self.parameters):
            g = p.grad.numpy().astype(np.float64)
            m, v = self.moments[k]
            m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
            self.moments[k] = (m, v)
            move = self.rate * (m / (1 - b1**self.count)) / (np.sqrt(v / (1 - b2**self.count)) + 1e-8)
            p.assign((p.numpy() - move).astype(np.float32))


def main():
    args = parse()
    plan = Plan()
    alloy = Alloy(plan, wanted_pattern(plan))
    recorder = Recorder(alloy.pool, args.frames)
    optimizer = Adam([alloy.depth, alloy.waves], rate=0.02)
    for it in range(args.iterations):
        recorder.clear()
        tape = wp.Tape()
        with tape:
            loss = alloy.anneal(watch=recorder.see)
        tape.backward(loss)
        optimizer.step()
        tape.zero()
        if it % 4 == 0 or it == args.iterations - 1:
            print(f"{it:3d} misfit {loss.numpy()[0]:.5f} depth {alloy.depth.numpy()} {recorder.summary()}")
    if args.save:
        recorder.save(args.save)


if __name__ == "__main__":
    main()
