"""Fit snow friction and drag to a sled run; backtracking line search along a host-side momentum direction."""
import argparse

import numpy as np
import warp as wp

DT = 0.1


@wp.kernel
def slide(path: wp.array(dtype=float), p: wp.array(dtype=float), dt: float, slope: float):
    s = float(0.0)
    v = float(0.0)
    for i in range(12):
        a = 9.81 * (slope - p[0] * 0.1) - 0.02 * p[1] * v * v
        v = v + dt * a
        s = s + dt * v
        path[i] = s


@wp.kernel
def path_error(path: wp.array(dtype=float), seen: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = path[i] - seen[i]
    wp.atomic_add(loss, 0, d * d)


class Sled:
    def __init__(self, seen):
        self.seen = seen

    def predict(self, p, requires_grad=False):
        path = wp.zeros(12, dtype=float, requires_grad=requires_grad)
        wp.launch(slide, dim=1, inputs=[path, p, DT, 0.35])
        return path

    def loss(self, p, requires_grad=False):
        out = wp.zeros(1, dtype=float, requires_grad=requires_grad)
        wp.launch(path_error, dim=12, inputs=[self.predict(p, requires_grad), self.seen], outputs=[out])
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--beta", type=float, default=0.5)
    args = parser.parse_args()
    sled = Sled(None)
    sled.seen = sled.predict(wp.array([0.8, 1.9], dtype=float))
    p = wp.array([1.6, 0.7], dtype=float, requires_grad=True)
    direction = np.zeros(2, dtype=np.float32)
    for step in range(args.steps):
        tape = wp.Tape()
        with tape:
            loss = sled.loss(p, requires_grad=True)
        tape.backward(loss)
        gradient = p.grad.numpy().copy()
        tape.zero()
        now = loss.numpy()[0]
        direction = args.beta * direction - gradient
        if direction @ gradient >= 0.0:
            direction = -gradient
        rate = 0.2
        while rate > 1e-5:
            trial = wp.array(p.numpy() + rate * direction, dtype=float)
            if sled.loss(trial).numpy()[0] < now:
                break
            rate *= 0.5
        p.assign(p.numpy() + rate * direction)
        if step % 5 == 0:
            print("step", step, "loss", now, "rate", rate, "friction, drag", p.numpy())


if __name__ == "__main__":
    main()
