"""Tune a filter so that the last sensor above the alarm level reports a set temperature."""
import numpy as np
import warp as wp

START = [0.6, 0.9, 0.8, 0.9]
N_ITERS = 30
SENSORS = 12

rng = np.random.default_rng(6)
basis = wp.array(rng.uniform(0.0, 1.0, (SENSORS, 4)), dtype=float)


@wp.kernel
def filter_reading(basis: wp.array2d(dtype=float), weight: wp.array(dtype=float), reading: wp.array(dtype=float)):
    s, k = wp.tid()
    wp.atomic_add(reading, s, basis[s, k] * weight[k] * weight[k])


@wp.kernel
def last_alarm(reading: wp.array(dtype=float), level: float, alarm: wp.array(dtype=float)):
    s = wp.tid()
    if reading[s] > level:
        alarm[0] = reading[s]


@wp.kernel
def alarm_error(alarm: wp.array(dtype=float), weight: wp.array(dtype=float), loss: wp.array(dtype=float)):
    k = wp.tid()
    d = alarm[0] - 1.9
    wp.atomic_add(loss, 0, 0.25 * d * d + 0.01 * weight[k] * weight[k])


weight = wp.array(START, dtype=float, requires_grad=True)
losses = []
for it in range(N_ITERS):
    reading = wp.zeros(SENSORS, dtype=float, requires_grad=True)
    alarm = wp.zeros(1, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(filter_reading, dim=(SENSORS, 4), inputs=[basis, weight], outputs=[reading])
        wp.launch(last_alarm, dim=SENSORS, inputs=[reading, 1.2], outputs=[alarm])
        wp.launch(alarm_error, dim=4, inputs=[alarm, weight], outputs=[loss])
    tape.backward(loss)
    losses.append(float(loss.numpy()[0]))
    weight.assign(weight.numpy() - 0.05 * weight.grad.numpy())
    tape.zero()
    print(it, "alarm loss", losses[-1], "weights", weight.numpy())
