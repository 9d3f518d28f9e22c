"""Choose gate voltages and the launch of an electron packet so that given shares of it pass in time.

    python tune_gates.py [--iterations 30] [--check]
"""
import argparse

from device import Device, Settings
from report import History, occupation_table
from rmsprop import RMSprop


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--rate", type=float, default=0.012)
    parser.add_argument("--check", action="store_true", help="print the norm of the packet in every window")
    return parser.parse_args()


def main():
    args = options()
    device = Device(Settings())
    optimizer = RMSprop({"gates": device.gates, "launch": device.launch}, args.rate)
    history = History()
    for it in range(args.iterations):
        shares, loss = device.evaluate()
        optimizer.step()
        optimizer.zero_grad()
        history.add(loss, device.gates.numpy(), device.launch.numpy())
        if it % 5 == 0 or it == args.iterations - 1:
            print(history.line())
        if args.check:
            print("      norm", " ".join(f"{n:.5f}" for n in device.norms))
    print(occupation_table(device.settings.wanted, shares))


if __name__ == "__main__":
    main()
