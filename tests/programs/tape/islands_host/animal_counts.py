"""Fit one birth rate for each island to the animals counted at the end."""

import numpy as np
import warp as wp

from ecology import compare, prior, readout, season

ETA = 0.0013  # from May


def growth_law_of(p):
    middle = 0.48 * (0.48 + p * p) ** 2
    return 0.25 + 0.2 * (p * p + middle * middle + (0.36 + 0.5 * p) ** 2)


prey_init = wp.array(np.linspace(0.8, 1.3, 8), dtype=float)
hunters_init = wp.array(np.linspace(0.7, 0.3, 8), dtype=float)
counted = wp.array([1.3046, 1.0463, 1.2259, 5.1005, 1.7884, 5.1071, 3.9441, 4.6149], dtype=float)
habitat = wp.array([0.62, 0.37, 0.3, 0.69, 0.29, 0.78, 0.41, 0.55], dtype=float, requires_grad=True)


def prepare():
    births = wp.array(growth_law_of(habitat.numpy()), dtype=float, requires_grad=True)
    return births


def rollout(births, prey, hunters):
    preys = [prey] + [wp.zeros_like(prey, requires_grad=True) for _ in range(11)]
    hunterss = [hunters] + [wp.zeros_like(hunters, requires_grad=True) for _ in range(11)]
    for t in range(11):
        wp.launch(season, dim=8, inputs=[preys[t], hunterss[t], births], outputs=[preys[t + 1], hunterss[t + 1]])
    prey = preys[-1]
    hunters = hunterss[-1]
    return prey, hunters


def measure(prey, objective):
    tracks = wp.zeros(8, dtype=float, requires_grad=True)
    wp.launch(readout, dim=8, inputs=[prey], outputs=[tracks])
    wp.launch(compare, dim=8, inputs=[tracks, counted], outputs=[objective])


def main():
    velocity = np.zeros(8, dtype=np.float32)
    for it in range(24):
        objective = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            births = prepare()
            prey, hunters = prey_init, hunters_init
            prey, hunters = rollout(births, prey, hunters)
            measure(prey, objective)
            wp.launch(prior, dim=8, inputs=[habitat], outputs=[objective])
        tape.backward(objective)
        wp.copy(prey, prey_init)
        grad = habitat.grad.numpy().copy()
        tape.zero()
        velocity = 0.42 * velocity - ETA * grad
        habitat.assign(habitat.numpy() + velocity)
        value = float(objective.numpy()[0])
        if it % 3 == 0 or it == 24 - 1:
            print(f"{it} objective {value:.6g}")


if __name__ == "__main__":
    main()
