"""Aim a jet of 100,000 particles: 200 explicit steps, gradient descent on their starting velocities."""

import sys

import numpy as np
import warp as wp

PARTICLES = 100_000
STEPS = 200
ITERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 2
DT = 0.005


@wp.kernel
def advance(
    position: wp.array(dtype=wp.vec3),
    velocity: wp.array(dtype=wp.vec3),
    new_position: wp.array(dtype=wp.vec3),
    new_velocity: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    x = position[i]
    v = velocity[i]
    swirl = wp.vec3(-x[1], x[0], 0.0)
    force = swirl - 0.4 * v - x * (0.3 + wp.dot(x, x))
    v_new = v + DT * force
    new_velocity[i] = v_new
    new_position[i] = x + DT * v_new


@wp.kernel
def miss(position: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = position[i] - wp.vec3(0.5, 0.2, 0.1)
    wp.atomic_add(loss, 0, wp.dot(d, d) / float(PARTICLES))


@wp.kernel
def descend(velocity: wp.array(dtype=wp.vec3), gradient: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    velocity[i] = velocity[i] - 1000.0 * gradient[i]


random = np.random.default_rng(3)
start = random.normal(0.0, 0.3, (PARTICLES, 3)).astype(np.float32)
positions = [wp.array(start, dtype=wp.vec3, requires_grad=True)]
velocities = [wp.zeros(PARTICLES, dtype=wp.vec3, requires_grad=True)]
for _ in range(STEPS):
    positions.append(wp.zeros(PARTICLES, dtype=wp.vec3, requires_grad=True))
    velocities.append(wp.zeros(PARTICLES, dtype=wp.vec3, requires_grad=True))
loss = wp.zeros(1, dtype=float, requires_grad=True)

for iteration in range(ITERATIONS):
    loss.zero_()
    tape = wp.Tape()
    with tape:
        for step in range(STEPS):
            wp.launch(
                advance,
                dim=PARTICLES,
                inputs=[positions[step], velocities[step]],
                outputs=[positions[step + 1], velocities[step + 1]],
            )
        wp.launch(miss, dim=PARTICLES, inputs=[positions[STEPS]], outputs=[loss])
    tape.backward(loss)
    wp.launch(descend, dim=PARTICLES, inputs=[velocities[0], velocities[0].grad])
    tape.zero()
    print(iteration, float(loss.numpy()[0]))
