"""Shape a laser pulse through an amplifying lattice; the lattice passes are issued as one command list."""
import numpy as np
import warp as wp

START = [0.5, 0.8, 0.3]
N_ITERS = 30
SITES, PASSES = 16, 6


@wp.kernel
def amplify(e: wp.array(dtype=float), gain: wp.array(dtype=float), k: int, out: wp.array(dtype=float)):
    i = wp.tid()
    x = float(i) / 16.0
    g = gain[0] + gain[1] * x + gain[2] * x * x
    out[i] = e[i] * (1.0 + 0.2 * g / (1.0 + e[i] * e[i])) * (1.0 - 0.01 * float(k))


@wp.kernel
def pulse_error(e: wp.array(dtype=float), shape: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = e[i] - shape[i]
    wp.atomic_add(loss, 0, d * d)


class Amplifier:
    def __init__(self, gain):
        self.gain = gain
        self.field = [wp.zeros(SITES, dtype=float, requires_grad=True) for _ in range(PASSES + 1)]
        self.commands = []
        for k in range(1, PASSES):
            self.commands.append(wp.launch(amplify, dim=SITES, inputs=[self.field[k], gain, k],
                                           outputs=[self.field[k + 1]], record_cmd=True))

    def __call__(self, pulse):
        self.field[0].assign(pulse)
        wp.launch(amplify, dim=SITES, inputs=[self.field[0], self.gain, 0], outputs=[self.field[1]])
        for command in self.commands:
            command.launch()
        return self.field[PASSES]


x = np.arange(SITES) / SITES
pulse = (0.4 * np.exp(-20.0 * (x - 0.5) ** 2)).astype(np.float32)
shape = wp.array((0.8 * np.exp(-14.0 * (x - 0.55) ** 2)).astype(np.float32), dtype=float)
params = wp.array(START, dtype=float, requires_grad=True)
amplifier = Amplifier(params)


@wp.kernel
def gain_limit(gain: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.01 * gain[i] * gain[i])


for it in range(N_ITERS):
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        out = amplifier(pulse)
        wp.launch(pulse_error, dim=SITES, inputs=[out, shape], outputs=[loss])
        wp.launch(gain_limit, dim=3, inputs=[params], outputs=[loss])
    tape.backward(loss)
    params.assign(params.numpy() - 0.4 * params.grad.numpy())
    tape.zero()
    if it % 5 == 0:
        print(f"iter {it} loss {float(loss.numpy()[0]):.6f} gain {params.numpy()}")
