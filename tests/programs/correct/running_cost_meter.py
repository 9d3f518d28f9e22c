"""Tune a heater schedule; one cost array keeps counting energy over all iterations, like a meter."""
import numpy as np
import warp as wp

HOURS = 12


@wp.kernel
def hour_step(room: wp.array(dtype=float), power: wp.array(dtype=float), outside: wp.array(dtype=float), hour: int):
    room[hour + 1] = room[hour] + 0.3 * (outside[hour] - room[hour]) + 1.8 * wp.log(1.0 + wp.exp(power[hour]))


@wp.kernel
def comfort_and_energy(room: wp.array(dtype=float), power: wp.array(dtype=float), meter: wp.array(dtype=float)):
    h = wp.tid()
    d = room[h + 1] - 20.0
    wp.atomic_add(meter, 0, 0.02 * d * d + 0.05 * wp.log(1.0 + wp.exp(power[h])))


outside = wp.array(8.0 + 4.0 * np.sin(np.arange(HOURS) / 2.0).astype(np.float32), dtype=float)
power = wp.full(HOURS, 0.5, dtype=float, requires_grad=True)
meter = wp.zeros(1, dtype=float, requires_grad=True)
before = 0.0
for day in range(30):
    first = np.zeros(HOURS + 1, dtype=np.float32)
    first[0] = 17.0
    room = wp.array(first, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for hour in range(HOURS):
            wp.launch(hour_step, dim=1, inputs=[room, power, outside, hour])
        wp.launch(comfort_and_energy, dim=HOURS, inputs=[room, power], outputs=[meter])
    tape.backward(meter)
    step = power.grad.numpy() * 0.8
    tape.zero()
    power.assign(power.numpy() - step)
    reading = float(meter.numpy()[0])
    if day % 5 == 0:
        print("day", day, "cost", reading - before, "mean power", power.numpy().mean())
    before = reading
