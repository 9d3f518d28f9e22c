"""Train the taps of a saturating FIR equaliser on a short recording."""
import numpy as np
import warp as wp
from warp.optim import Adam

START = [0.6, 0.1, -0.1, 0.05]
N_ITERS = 40
LENGTH = 32


@wp.kernel
def equalise(signal: wp.array(dtype=float), taps: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    acc = float(0.0)
    for k in range(4):
        acc += taps[k] * signal[i + k]
    out[i] = wp.tanh(acc)


@wp.kernel
def distortion(out: wp.array(dtype=float), clean: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = out[i] - clean[i]
    wp.atomic_add(loss, 0, d * d)


class Trainer:
    def __init__(self):
        rng = np.random.default_rng(8)
        dry = rng.normal(0.0, 0.7, LENGTH + 3).astype(np.float32)
        wet = dry + 0.4 * np.roll(dry, -1) - 0.2 * np.roll(dry, -2)
        self.signal = wp.array(wet.astype(np.float32), dtype=float)
        self.clean = wp.array(np.tanh(dry[:LENGTH]), dtype=float)
        self.taps = wp.array(START, dtype=float, requires_grad=True)
        self.optimizer = Adam([self.taps], lr=0.02)

    def step(self):
        out = wp.zeros(LENGTH, dtype=float, requires_grad=True)
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            wp.launch(equalise, dim=LENGTH, inputs=[self.signal, self.taps], outputs=[out])
            wp.launch(distortion, dim=LENGTH, inputs=[out, self.clean], outputs=[loss])
        tape.backward(loss)
        self.optimizer.step([self.taps.grad])
        return float(loss.numpy()[0])


if __name__ == "__main__":
    trainer = Trainer()
    for it in range(N_ITERS):
        print(f"{it:3d} loss {trainer.step():.6f} taps {trainer.taps.numpy()}")
