"""Calibrate thermistor channels; the amplifier's soft saturation comes from the vendor's C code."""
import numpy as np
import warp as wp

START = [1.6, 0.3]
N_ITERS = 40

amplifier_code = """
float u = v < 0.0f ? -v : v;
return v / (1.0f + u);
"""


@wp.func_native(amplifier_code)
def amplifier(v: float) -> float:
    ...


@wp.kernel
def channel(volts: wp.array(dtype=float), cal: wp.array(dtype=float), reading: wp.array(dtype=float)):
    i = wp.tid()
    x = cal[0] * volts[i] + cal[1]
    reading[i] = amplifier(x) + 0.05 * x


@wp.kernel
def deviation(reading: wp.array(dtype=float), logged: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    e = reading[i] - logged[i]
    wp.atomic_add(loss, 0, e * e)


volts = np.linspace(-1.5, 2.0, 12)
level = 1.1 * volts - 0.2
logged = wp.array(level / (1 + np.abs(level)) + 0.05 * level, dtype=float)
volts = wp.array(volts, dtype=float)
cal = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    reading = wp.zeros(12, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(channel, dim=12, inputs=[volts, cal], outputs=[reading])
        wp.launch(deviation, dim=12, inputs=[reading, logged], outputs=[loss])
    tape.backward(loss)
    g = cal.grad.numpy().copy()
    tape.zero()
    losses.append(float(loss.numpy()[0]))
    cal = wp.array(cal.numpy() - 0.3 * g, dtype=float, requires_grad=True)
    if it % 10 == 0:
        print(it, losses[-1], cal.numpy())
