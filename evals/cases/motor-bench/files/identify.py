"""Identify a brushed motor from dyno runs: torque constant, inertia, friction and winding resistance.

    python identify.py [--iterations 40] [--data data/dyno.csv]
"""
import argparse
import logging

from bench import read_runs, residual_table
from descent import LogDescent
from model import Motor, Nominal

log = logging.getLogger("identify")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--data", default="data/dyno.csv")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    args = parse()
    logging.basicConfig(level=logging.INFO if args.verbose else logging.WARNING, format="%(name)s: %(message)s")
    nominal = Nominal()
    runs = read_runs(args.data, nominal.dt)
    log.info("%d runs, %d samples", len(runs), sum(run.count for run in runs))
    motor = Motor(nominal)
    descent = LogDescent(motor.theta, rate=0.02)
    for it in range(args.iterations):
        parts = motor.evaluate(runs)
        descent.step()
        if it % 5 == 0 or it == args.iterations - 1:
            print(f"{it:3d} cost {sum(parts):.4f} {motor.describe()}")
            log.info("per run: %s", " ".join(f"{p:.3f}" for p in parts))
    print(residual_table(motor, runs))


if __name__ == "__main__":
    main()
