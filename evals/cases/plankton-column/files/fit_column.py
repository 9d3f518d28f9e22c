"""Fit growth, grazing and water optics of a plankton column to two bottle casts.

    python fit_column.py [--iterations 40] [--verbose]
"""
import argparse
import logging

from column.casts import Descent, read_casts, table
from column.model import Column, Settings

log = logging.getLogger("column")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--casts", default="data/bottles.csv")
    parser.add_argument("--check-every", type=int, default=10, help="iterations between two looks at the third cast")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    args = parse()
    logging.basicConfig(level=logging.INFO if args.verbose else logging.WARNING, format="%(name)s: %(message)s")
    settings = Settings()
    casts = read_casts(args.casts, settings)
    fitted = [cast for cast in casts if not cast.held_out]
    held_out = [cast for cast in casts if cast.held_out]
    column = Column(settings)
    descent = Descent(column, settings.rates, settings.momentum)
    for it in range(args.iterations):
        loss = column.evaluate(fitted)
        descent.step()
        column.zero_grad()
        print(f"iter {it:3d} loss {loss:.6f} optics {column.optics.numpy()}")
        if it % args.check_every == 0:
            log.info("cast that is not fitted: %.5f", column.misfit_only(held_out))
    print(table(column.parameters()))


if __name__ == "__main__":
    main()
