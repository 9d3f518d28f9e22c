"""Invert mass-balance gradient and flow constant of a glacier from three surveys, a decade apart."""
import argparse

import ice
import numpy as np
import warp as wp

START = [0.5, 0.3]
CELLS, DECADES, YEARS = 8, 3, 6
SURVEYS = [1.0 - 0.3 * np.linspace(0, 1, CELLS) * (d + 1) / 2.0 for d in range(DECADES)]


def decade(h, p, d, loss):
    seen = wp.array(SURVEYS[d].astype(np.float32), dtype=float)
    tape = wp.Tape()
    with tape:
        for y in range(YEARS):
            nxt = wp.zeros(CELLS, dtype=float, requires_grad=True)
            wp.launch(ice.year, dim=CELLS, inputs=[h, p, 0.02 * (YEARS * d + y), CELLS], outputs=[nxt])
            h = nxt
        wp.launch(ice.thickness_error, dim=CELLS, inputs=[h, seen, 0.2], outputs=[loss])
    tape.backward(loss)
    return h


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=20)
    iterations = parser.parse_args().iterations
    p = wp.array(START, dtype=float, requires_grad=True)
    for it in range(iterations):
        total = 0.0
        h = wp.full(CELLS, 0.9, dtype=float, requires_grad=True)
        for d in range(DECADES):
            loss = wp.zeros(1, dtype=float, requires_grad=True)
            h = decade(h, p, d, loss)
            total += float(loss.numpy()[0])
        p.assign(p.numpy() - 0.01 * p.grad.numpy())
        print(f"iteration {it:2d} loss {total:.6f} gradient {p.grad.numpy()} p {p.numpy()}")


if __name__ == "__main__":
    main()
