"""Choose the phases of a five-element antenna so that its pattern has a wanted shape."""
import numpy as np
import warp as wp
from report import progress

START = [0.0, 0.4, 0.9, 1.1, 1.8]
N_ITERS = 30
ANGLES = 16


@wp.kernel
def pattern(phase: wp.array(dtype=float), power: wp.array(dtype=float)):
    a = wp.tid()
    u = wp.sin(-1.2 + 0.15 * float(a))
    re = float(0.0)
    im = float(0.0)
    for k in range(5):
        arg = phase[k] + 3.1 * float(k) * u
        re += wp.cos(arg)
        im += wp.sin(arg)
    power[a] = (re * re + im * im) / 25.0


@wp.kernel
def shape_error(power: wp.array(dtype=float), want: wp.array(dtype=float), loss: wp.array(dtype=float)):
    a = wp.tid()
    d = power[a] - want[a]
    wp.atomic_add(loss, 0, d * d)


def main():
    want = wp.array(np.exp(-0.5 * ((np.arange(ANGLES) - 10.0) / 2.0) ** 2).astype(np.float32), dtype=float)
    phase = wp.array(START, dtype=float, requires_grad=True)
    for it in range(N_ITERS):
        power = wp.zeros(ANGLES, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(pattern, dim=ANGLES, inputs=[phase], outputs=[power])
            wp.launch(shape_error, dim=ANGLES, inputs=[power, want], outputs=[loss])
        if it % 2 == 0:
            progress(it, tape, loss, phase)
        tape.backward(loss)
        g = phase.grad.numpy().copy()
        tape.zero()
        phase.assign(phase.numpy() - 2.4 * g)
    print("phases", phase.numpy())


if __name__ == "__main__":
    main()
