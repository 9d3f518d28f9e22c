"""Invert first arrivals between two boreholes for the slowness in between.

    python invert.py [--iterations 24] [--check-every 3] [--noise 0.15]
"""
import argparse

from tomo.inversion import Inversion, Knobs
from tomo.rays import crosshole_survey


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=24)
    parser.add_argument("--check-every", type=int, default=3, help="updates between two looks at the held-out rays")
    parser.add_argument("--noise", type=float, default=0.15, help="of a pick, in ms")
    return parser.parse_args()


def section(values, nodes_x, nodes_z):
    """Slowness at the nodes as text, surface on top."""
    rows = values.reshape(nodes_x, nodes_z).T
    return "\n".join(" ".join(f"{v:6.3f}" for v in row) for row in rows)


def main():
    args = arguments()
    knobs = Knobs(check_every=args.check_every)
    inversion = Inversion(crosshole_survey(noise=args.noise), knobs)
    for record in inversion.run(args.iterations):
        held_out = "" if record.held_out is None else f" held-out {record.held_out:.4f} ms"
        print(f"{record.iteration:3d} objective {record.objective:.5f} misfit {record.misfit:.4f} ms{held_out}")
    print("slowness, s/km")
    print(section(inversion.earth.slowness(), knobs.nodes_x, knobs.nodes_z))


if __name__ == "__main__":
    main()
