"""Plan three infusions for a ward: rates and start times that keep all patients near their target.

    python plan_infusions.py [--iterations 30] [--csv plan.csv]
"""
import argparse

import numpy as np

from cohort import two_wards
from planner import Planner, Settings
from summary import Log, write_plan


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--csv", help="file for the plan")
    return parser.parse_args()


def main():
    args = parse()
    settings = Settings()
    planner = Planner(settings, two_wards())
    log = Log()
    for it in range(args.iterations):
        loss = planner.gradient()
        norms = {name: float(np.abs(g).max()) for name, g in planner.gradients().items()}
        planner.descend()
        log.add(it, loss, norms)
        if it % 5 == 0 or it == args.iterations - 1:
            print(log.line(), "start", planner.start.numpy())
    print(log.closing(planner))
    if args.csv:
        write_plan(args.csv, planner)


if __name__ == "__main__":
    main()
