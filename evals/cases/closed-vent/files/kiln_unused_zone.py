"""Identify loss coefficients of a kiln wall; only three of the four zones face a sensor, the vent stays closed."""
import numpy as np
import warp as wp

ZONES, STEPS = 4, 15


@wp.kernel
def cool(
    temp: wp.array(dtype=float), coeff: wp.array(dtype=float), vent: wp.array(dtype=float), opening: float,
    out: wp.array(dtype=float),
):
    z = wp.tid()
    flow = opening * vent[0]
    out[z] = temp[z] - 0.1 * (coeff[z] + flow) * (temp[z] - 0.2)


@wp.kernel
def sensor_error(
    temp: wp.array(dtype=float), zone_of: wp.array(dtype=int), seen: wp.array(dtype=float),
    loss: wp.array(dtype=float),
):
    s = wp.tid()
    e = temp[zone_of[s]] - seen[s]
    wp.atomic_add(loss, 0, 10.0 * e * e)


zone_of = wp.array([0, 2, 3, 2], dtype=int)
seen = wp.array([0.42, 0.61, 0.35, 0.6], dtype=float)
coeff = wp.full(ZONES, 0.7, dtype=float, requires_grad=True)
vent = wp.array([0.4], dtype=float, requires_grad=True)
for it in range(25):
    temp = wp.array(np.ones(ZONES, dtype=np.float32), dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for _ in range(STEPS):
            out = wp.zeros(ZONES, dtype=float, requires_grad=True)
            wp.launch(cool, dim=ZONES, inputs=[temp, coeff, vent, 0.0], outputs=[out])
            temp = out
        wp.launch(sensor_error, dim=4, inputs=[temp, zone_of, seen], outputs=[loss])
    tape.backward(loss)
    coeff.assign(coeff.numpy() - 0.05 * coeff.grad.numpy())
    vent.assign(vent.numpy() - 0.05 * vent.grad.numpy())
    tape.zero()
    worst = np.abs(temp.numpy()[zone_of.numpy()] - seen.numpy()).max()
    if it % 5 == 0:
        print(it, "loss", loss.numpy()[0], "largest sensor error", worst, coeff.numpy(), vent.numpy())
