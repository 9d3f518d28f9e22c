"""Weigh planets from where their satellites are after part of an orbit."""

import numpy as np
import warp as wp

LR = 0.31  # larger ones overshoot


@wp.kernel
def kepler_step(
    place_xy: wp.array(dtype=wp.vec2), pace: wp.array(dtype=wp.vec2), mu: wp.array(dtype=float),
    x_out: wp.array(dtype=wp.vec2), v_out: wp.array(dtype=wp.vec2),
):
    i = wp.tid()
    here = place_xy[i]
    d2 = wp.dot(here, here) + 0.1
    moved = pace[i] - (0.12 * mu[i] / (d2 * wp.sqrt(d2))) * here
    x_out[i] = here + 0.12 * moved
    v_out[i] = moved


@wp.kernel
def mass_of(raw: wp.array(dtype=float), mu: wp.array(dtype=float)):
    i = wp.tid()
    w = wp.vec3(raw[i], 0.43 + raw[i] * raw[i], 0.31)
    m = wp.vec3(w[0], 0.43 * w[1] * w[1], w[2] + 0.5 * w[0])
    mu[i] = 0.25 + 0.2 * wp.dot(m, m)


@wp.kernel
def readout(
    place_xy: wp.array(dtype=wp.vec2), used_sensors: wp.array(dtype=int), place: wp.array(dtype=int),
    sighting: wp.array(dtype=float),
):
    i = wp.tid()
    s = (place_xy[i][0] + 0.3 * place_xy[i][1])
    if used_sensors[i] > 0:
        sighting[place[i]] = s + 0.37 * s * s


@wp.kernel
def compare(sighting: wp.array(dtype=float), catalogue: wp.array(dtype=float), cost: wp.array(dtype=float)):
    i = wp.tid()
    d = sighting[i] - catalogue[i]
    wp.atomic_add(cost, 0, d * d)


@wp.kernel
def prior(raw: wp.array(dtype=float), cost: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(cost, 0, 0.06 * raw[i] * raw[i])


class Satellites:
    def __init__(self):
        ring = np.stack([0.9 + 0.05 * np.arange(8), 0.1 * np.arange(8)], axis=1)
        self.place_xy_start = wp.array(ring, dtype=wp.vec2)
        self.pace_start = wp.array(np.tile([-0.1, 0.68], (8, 1)), dtype=wp.vec2)
        self.used_sensors = wp.array([1, 1, 1, 1, 1, 0, 0, 1], dtype=int)
        self.place = wp.array(np.cumsum([1, 1, 1, 1, 1, 0, 0, 1]) - 1, dtype=int)
        self.catalogue = wp.array([0.1545, 0.8341, 1.0039, 0.7992, 1.5017, 2.0517, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], dtype=float)
        self.rocks = wp.array([0.72, 0.38, 0.41, 0.69, 0.53, 0.57, 0.33, 0.69], dtype=float, requires_grad=True)
        self.tape = wp.Tape()
        self.cost = wp.zeros(1, dtype=float, requires_grad=True)

    def prepare(self):
        mu = wp.zeros(8, dtype=float, requires_grad=True)
        wp.launch(mass_of, dim=8, inputs=[self.rocks], outputs=[mu])
        return mu

    def rollout(self, mu, place_xy, pace):
        place_xy = wp.clone(place_xy, requires_grad=True)
        pace = wp.clone(pace, requires_grad=True)
        for t in range(11):
            wp.launch(kepler_step, dim=8, inputs=[place_xy, pace, mu], outputs=[place_xy, pace])
        return place_xy, pace

    def evaluate(self, place_xy, cost):
        sighting = wp.zeros(16, dtype=float, requires_grad=True)
        wp.launch(readout, dim=8, inputs=[place_xy, self.used_sensors, self.place], outputs=[sighting])
        wp.launch(compare, dim=16, inputs=[sighting, self.catalogue], outputs=[cost])


    def iterate(self, step):
        self.cost.zero_()
        self.tape.reset()
        with self.tape:
            mu = self.prepare()
            place_xy, pace = self.place_xy_start, self.pace_start
            place_xy, pace = self.rollout(mu, place_xy, pace)
            self.evaluate(place_xy, self.cost)
            wp.launch(prior, dim=8, inputs=[self.rocks], outputs=[self.cost])
        self.tape.backward(self.cost)
        if step % 5 == 0:
            print("  |g|", float(np.linalg.norm(self.rocks.grad.numpy())))
        flat = place_xy.flatten()
        flat.fill_(1.0)
        g = self.rocks.grad.numpy().copy()
        self.rocks.grad.zero_()
        self.rocks.assign(self.rocks.numpy() - LR * g)
        value = float(self.cost.numpy()[0])
        if step % 5 == 0 or step == 30 - 1:
            print(f"{step} cost {value:.6g}")


if __name__ == "__main__":
    fit = Satellites()
    for step in range(30):
        fit.iterate(step)
